"""The order of the pool: a sum of few signals, each on a fixed scale, so that no other passage changes a score.

Weights are rounded design constants for conversation and for long messages alike. `short` is 1 for a passage
that, like its neighbour, has at most SHORT_WORDS words, else 0: only in such talk does a turn lean on the one
before it.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from uuid import UUID

from projections.recall.keyword import K1, B, Statistics
from projections.recall.pool import Member
from projections.recall.question import NamedDate, Question
from projections.recall.words import tokens, words

SHORT_WORDS = 60
LENGTH_WORDS = 30  # a passage of fewer words says less
COSINE_BASE = 0.25  # of texts that have nothing to do with each other
SESSION_PENALTY = 0.1  # for each better hit of the same session: answers are often spread over sessions
PENALISED = 40

# Length hardly counts in one BM25 and counts fully in the other; their difference is what length itself tells.
K1_LONG, B_LONG = 1.2, 0.75

WEIGHTS: Mapping[str, float] = {
    "words": 2.5,
    "words_by_length": -1.5,
    "words_with_before": 1.5,
    "cosine": 4.0,
    "cosine_before": 0.65,
    "cosine_after": 1.6,
    "answers_words": 1.1,
    "answers_cosine": 3.6,
    "covered": 3.4,
    "date": 2.2,
    "speaker": 0.8,
    "speaker_before": 0.5,
    "tells_time": 1.7,
    "names_things": 0.65,
    "says_much": 0.55,
    "is_long": -0.65,
    "ends_asking": -0.4,
    "after_question": 0.3,
    "session": 0.4,
    "assistant": -1.5,
}


@dataclass(frozen=True, slots=True)
class Signals:
    """What a score is made of. bm25: of the passage itself, cosine: with the question, -1 to 1, None without
    vectors; covered: the share of the question's words that the passage holds, by how rare they are, 0 to 1;
    named: how many entities that the question names the passage is about. All comparable between questions.
    features: what each feature gave to the score, for traces."""

    bm25: float
    cosine: float | None
    covered: float
    named: int
    features: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Ranked:
    member: Member
    score: float
    signals: Signals


def ranked(
    question: Question, members: Sequence[Member], statistics: Statistics, entity_ids: Sequence[UUID]
) -> list[Ranked]:
    """The candidates among `members`, best first, one of each turn; equal scores newest first."""
    judge = _Judge(question, members, statistics, frozenset(entity_ids))
    judged = [judge.judged(member) for member in members if member.is_candidate]
    best: dict[object, Ranked] = {}
    for one in _in_order(_with_session(judged)):
        best.setdefault(one.member.key, one)
    return _spread(list(best.values()))


class _Judge:
    """Judges the members of one pool by one question."""

    def __init__(
        self, question: Question, members: Sequence[Member], statistics: Statistics, entity_ids: frozenset[UUID]
    ) -> None:
        self.question = question
        self.statistics = statistics
        self.entity_ids = entity_ids
        self.idf = {word: statistics.idf(word) for word in question.words}
        speakers = {member.speaker for member in members if member.speaker}
        named = [name for name in speakers if question.tokens.issuperset(tokens(name))]
        self.asked_about = named[0] if len(named) == 1 else None
        self.names = frozenset(word for name in speakers for word in words(name))
        # Who is asked about is told by the speaker; beside that, the name says little of what is asked.
        self.telling = [word for word in question.words if word not in self.names]
        self.telling_idf = sum(self.idf[word] for word in self.telling)

    def judged(self, member: Member) -> Ranked:
        before, after = member.before, member.after
        short = before is not None and max(member.word_count, before.word_count) <= SHORT_WORDS
        brief = member.word_count <= SHORT_WORDS
        bm25 = self._bm25(member.counts, member.length)
        answers = before is not None and before.asks and short
        covered = self._covered(member)
        features = {
            "words": bm25 / 10,
            "words_by_length": self._bm25(member.counts, member.length, k1=K1_LONG, b=B_LONG) / 10,
            "words_with_before": (self._with_before(member, before) - bm25) / 10 if short and before else 0.0,
            "cosine": _above_base(member),
            "cosine_before": _above_base(before) if short else 0.0,
            "cosine_after": _above_base(after),
            "answers_words": self._bm25(before.counts, before.length, self.telling) / 10 if answers and before else 0.0,
            "answers_cosine": _above_base(before) if answers else 0.0,
            "covered": covered,
            "date": _date(self.question.date, member.said_at) if self.question.date else 0.0,
            "speaker": self._speaks(member),
            "speaker_before": self._speaks(before) if short else 0.0,
            "tells_time": float(self.question.asks_when and member.tells_time and brief),
            "names_things": float(member.proper) if self.question.asks_who and brief else 0.0,
            "says_much": math.log1p(min(member.word_count, LENGTH_WORDS)),
            "is_long": math.log(max(member.word_count, SHORT_WORDS) / SHORT_WORDS),
            "ends_asking": float(member.ends_asking),
            "after_question": float(answers),
            "assistant": float(member.role == "assistant"),
        }
        given = {name: WEIGHTS[name] * value for name, value in features.items() if value}
        named = len(self.entity_ids.intersection(member.entity_ids))
        return Ranked(member, sum(given.values()), Signals(bm25, member.cosine, covered, named, given))

    def _bm25(
        self,
        counts: Mapping[str, int],
        length: float,
        words: Iterable[str] | None = None,
        *,
        k1: float = K1,
        b: float = B,
    ) -> float:
        norm = k1 * (1 - b + b * length / self.statistics.mean_length)
        return sum(
            self.idf[word] * count * (k1 + 1) / (count + norm)
            for word in (self.question.words if words is None else words)
            if (count := counts.get(word))
        )

    def _with_before(self, member: Member, before: Member) -> float:
        """BM25 of the passage and the one before it as one text."""
        counts = {word: member.counts.get(word, 0) + before.counts.get(word, 0) for word in self.question.words}
        return self._bm25(counts, member.length + before.length)

    def _covered(self, member: Member) -> float:
        if not self.telling_idf:
            return 0.0
        return sum(self.idf[word] for word in self.telling if word in member.counts) / self.telling_idf

    def _speaks(self, member: Member | None) -> float:
        if member is None or self.asked_about is None or not member.speaker:
            return 0.0
        return 1.0 if member.speaker == self.asked_about else -1.0


def _above_base(member: Member | None) -> float:
    """The cosine over what unrelated texts have; 0 for none, as for an unrelated text."""
    return 0.0 if member is None or member.cosine is None else member.cosine - COSINE_BASE


def _date(asked: NamedDate, said_at: datetime) -> float:
    """How well the time at which something was said fits the date in the question: what is told is often told
    within the month or the next one."""
    fit = 0.0
    if asked.months:
        following = {month % 12 + 1 for month in asked.months}
        fit += 1.0 if said_at.month in asked.months else 0.3 if said_at.month in following else -0.5
        if asked.day is not None and said_at.month in asked.months:
            fit += 1.5 * max(0.0, 1 - abs(said_at.day - asked.day) / 7)
    if asked.years:
        fit += 0.3 if said_at.year in asked.years else -0.5
    return fit


def _with_session(judged: Sequence[Ranked]) -> list[Ranked]:
    """Add what the session says for a passage: the mean of the three strongest signals in it."""
    strengths: dict[UUID, list[float]] = defaultdict(list)
    for one in judged:
        if one.member.sequence_id is not None:
            strengths[one.member.sequence_id].append(max(_strength(one), 0.0))
    means = {sequence_id: sum(sorted(found)[-3:]) / 3 for sequence_id, found in strengths.items()}
    found = []
    for one in judged:
        session = WEIGHTS["session"] * means.get(one.member.sequence_id, 0.0) if one.member.sequence_id else 0.0
        features = {**one.signals.features, "session": session}
        found.append(Ranked(one.member, one.score + session, replace(one.signals, features=features)))
    return found


def _strength(one: Ranked) -> float:
    """What a passage alone says for its session, by words and meaning."""
    return one.signals.bm25 / 10 + 2 * _above_base(one.member)


def _spread(judged: list[Ranked]) -> list[Ranked]:
    """The first PENALISED again in order, each less SESSION_PENALTY for every better one of its session."""
    seen: dict[UUID | None, int] = defaultdict(int)
    first = []
    for one in judged[:PENALISED]:
        sequence_id = one.member.sequence_id
        penalty = SESSION_PENALTY * seen[sequence_id] if sequence_id else 0.0
        seen[sequence_id] += 1
        features = {**one.signals.features, "session_penalty": -penalty} if penalty else one.signals.features
        first.append(Ranked(one.member, one.score - penalty, replace(one.signals, features=features)))
    return _in_order(first) + judged[PENALISED:]


def _in_order(judged: Iterable[Ranked]) -> list[Ranked]:
    return sorted(judged, key=lambda one: (-round(one.score, 9), -one.member.number))
