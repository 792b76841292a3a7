"""The order of the pool: a sum of few signals, each on a fixed scale, so that no other passage changes a score.

Weights are rounded design constants for conversation and for long messages alike. Only in short talk does a turn
lean on the one before it, so what is taken from that one counts where both have at most SHORT_WORDS words; and
only there does a session keep to few subjects, so what its words say fades out as passages get longer.
"""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

import msgspec

from projections.recall.keyword import K1, B, Held
from projections.recall.pool import Member
from projections.recall.question import NamedDate, Question
from projections.recall.words import tokens, words

SHORT_WORDS = 60
COSINE_BASE = 0.25  # of texts that have nothing to do with each other
TALK_WORDS = (30.0, 50.0)  # mean words of a passage: wholly talk up to the first, not at all from the second on
SESSION_PENALTY = 0.1  # for each better hit of the same session: answers are often spread over sessions
PENALISED = 40
OUTSIDE = -0.5  # of another time than the question names

# Length hardly counts in one BM25 and counts fully in the other; their difference is what length itself tells.
K1_LONG, B_LONG = 1.2, 0.75

# bm25 is counted in tens, so that a good match is about 1, as a cosine is.
WEIGHTS: Mapping[str, float] = {
    "words": 2.5,  # bm25
    "words_by_length": -1.5,  # the same with length counted fully
    "words_with_before": 2.0,  # what the turn before adds: bm25 of both as one text, less that of this one
    "words_of_session": 1.0,  # bm25 of the whole session, in short talk
    "covered": 3.5,  # the share of the question's words that are there, by how rare they are
    "cosine": 5.5,
    "cosine_after": 2.0,  # of the turn after: what is told is often taken up
    "answers_words": 1.5,  # bm25 of the turn before, if it asks something
    "answers_cosine": 3.5,  # its cosine
    "session": 0.5,  # the mean of the three strongest signals of its session
    "date": 2.2,  # said at the time that the question names
    "speaker": 0.8,  # +1 said by who is asked about, -1 by somebody else
    "speaker_before": 0.3,  # likewise the turn before
    "tells_time": 1.7,  # holds a word of time, and the question asks when
    "names_things": 0.7,  # names up to three things, and the question asks who, where or which
    "is_long": -0.7,  # ln of how many times longer than SHORT_WORDS it is
    "ends_asking": -0.6,
    "assistant": -1.5,
}


class Signals(msgspec.Struct, frozen=True):
    """What a score is made of. bm25: of the passage itself, cosine: with the question, -1 to 1, None without
    vectors; covered: the share of the question's words that the passage holds, by how rare they are, 0 to 1, those
    that name the time at which it was said included;
    named: how many entities that the question names the passage is about; timely: the question asks for what there
    was at some time, and for nothing else, and it was said then. All comparable between questions."""

    bm25: float
    cosine: float | None
    covered: float
    named: int
    timely: bool = False


class Ranked(msgspec.Struct, frozen=True):
    member: Member
    score: float
    signals: Signals


def ranked(
    question: Question,
    members: Sequence[Member],
    held: Held,
    entity_ids: Iterable[UUID],
    *,
    limit: int,
    weights: Mapping[str, float] = WEIGHTS,
) -> list[Ranked]:
    """The best `limit` candidates among `members`, best first, one of each turn; equal scores newest first."""
    if not members:
        return []
    pool = _Pool(question, members, held)
    features = pool.features()
    totals = sum(weights.get(name, 0.0) * column for name, column in features.items()).round(9)
    best: dict[Hashable, int] = {}
    for place in _ordered(totals):
        if members[place].is_candidate:
            best.setdefault(members[place].key, place)
    for place, penalty in _penalties(members, list(best.values()), weights.get("session_penalty", SESSION_PENALTY)):
        totals[place] -= penalty
    among = set(best.values())
    order = [place for place in _ordered(totals) if place in among][:limit]
    about = frozenset(entity_ids)
    bm25, covered = (features["words"] * 10).tolist(), pool.met().tolist()
    return [
        Ranked(
            member := members[place],
            float(totals[place]),
            Signals(
                bm25[place],
                member.cosine,
                covered[place],
                len(about.intersection(member.entity_ids)),
                timely=question.only_time and question.is_within(member.said_at),
            ),
        )
        for place in order
    ]


class _Pool:
    """The members of one pool as columns, one place a member."""

    def __init__(self, question: Question, members: Sequence[Member], held: Held) -> None:
        import numpy as np  # here, as few commands need it

        self.np = np
        self.question, self.members, self.held = question, members, held
        self.mean_length = held.statistics.mean_length
        self.idf = np.array([held.statistics.idf(word) for word in question.words])
        counts = [count_of(word, 0) for count_of in (one.counts.get for one in members) for word in question.words]
        self.counts = np.array(counts, float).reshape(len(members), len(question.words))
        self.speakers = {member.speaker for member in members if member.speaker}
        self.telling = self._telling(self.speakers)
        self.told = self.telling * self.idf
        self.lengths = np.array([member.length for member in members], float)
        self.words = np.array([member.word_count for member in members], float)
        self.cosines = np.array([COSINE_BASE if member.cosine is None else member.cosine for member in members])
        places = {member.number: place for place, member in enumerate(members)}
        # Without a neighbour, a member's own place stands there and the mask takes it out.
        before = [places[member.before.number] if member.before else -1 for member in members]
        after = [places[member.after.number] if member.after else -1 for member in members]
        own = np.arange(len(members))
        self.has_before, self.has_after = np.array(before) >= 0, np.array(after) >= 0
        self.before = np.where(self.has_before, before, own)
        self.after = np.where(self.has_after, after, own)

    def features(self) -> dict[str, Any]:
        """One column for each of WEIGHTS, whose names say what it is."""
        np, question, members = self.np, self.question, self.members
        brief = self.words <= SHORT_WORDS
        short = self.has_before & brief & brief[self.before]
        asks = np.array([member.asks for member in members])
        answers = short & asks[self.before]
        bm25 = self._bm25(self.counts, self.lengths) / 10
        above = self.cosines - COSINE_BASE
        both = self._bm25(self.counts + self.counts[self.before], self.lengths + self.lengths[self.before]) / 10
        speaks = self._speaks(self.speakers)
        return {
            "words": bm25,
            "words_by_length": self._bm25(self.counts, self.lengths, k1=K1_LONG, b=B_LONG) / 10,
            "words_with_before": short * (both - bm25),
            "words_of_session": self._of_sessions() / 10,
            "covered": ((self.counts > 0) @ self.told) / (self.told.sum() or 1.0),
            "cosine": above,
            "cosine_after": self.has_after * above[self.after],
            "answers_words": answers * (self._bm25(self.counts * self.telling, self.lengths) / 10)[self.before],
            "answers_cosine": answers * above[self.before],
            "session": self._strongest(bm25 + 2 * above),
            "date": self._dates(),
            "speaker": speaks,
            "speaker_before": short * speaks[self.before],
            "tells_time": question.asks_when * brief * np.array([member.tells_time for member in members]),
            "names_things": question.asks_who * brief * np.array([float(member.proper) for member in members]),
            "is_long": np.log(np.maximum(self.words, SHORT_WORDS) / SHORT_WORDS),
            "ends_asking": np.array([float(member.ends_asking) for member in members]),
            "assistant": np.array([float(member.role == "assistant") for member in members]),
        }

    def _bm25(self, counts: Any, lengths: Any, *, k1: float = K1, b: float = B) -> Any:
        norm = k1 * (1 - b + b * lengths / self.mean_length)
        return (counts * (k1 + 1) / (counts + norm[:, None])) @ self.idf

    def _telling(self, speakers: Iterable[str]) -> Any:
        """1 for the words of the question that are in no speaker's name: who is asked about is told by the
        speaker, and beside that the name says little of what is asked."""
        names = {word for name in speakers for word in words(name)}
        return self.np.array([float(word not in names) for word in self.question.words])

    def _speaks(self, speakers: Iterable[str]) -> Any:
        named = [name for name in speakers if self.question.tokens.issuperset(tokens(name))]
        if len(named) != 1:
            return self.np.zeros(len(self.members))
        said = [float(member.speaker == named[0]) if member.speaker else 0.5 for member in self.members]
        return self.np.array(said) * 2 - 1

    def _dates(self) -> Any:
        question = self.question
        # Names of months and years are met more or less; all other times, and those without an end, are met or not.
        if question.date and not (question.window and None in question.window):
            return self.np.array([_date(question.date, member.said_at) for member in self.members])
        if question.window is None:
            return self.np.zeros(len(self.members))
        return self.np.array([1.0 if question.is_within(member.said_at) else OUTSIDE for member in self.members])

    def met(self) -> Any:
        """For each member the share of the question's words, by how rare they are, that it holds or that name the
        time at which it was said."""
        held = self.counts > 0
        if self.question.window is not None:
            within = self.np.array([self.question.is_within(member.said_at) for member in self.members])
            names_time = self.np.array([word in self.question.window_words for word in self.question.words], bool)
            held |= within[:, None] & names_time
        return (held @ self.told) / (self.told.sum() or 1.0)

    def _of_sessions(self) -> Any:
        """BM25 of each member's session, its length left out, as far as passages are short."""
        low, high = TALK_WORDS
        talk = min(max((high - self.held.statistics.mean_words) / (high - low), 0.0), 1.0)
        if not talk:
            return self.np.zeros(len(self.members))
        of_session = self.held.of_sequences({member.sequence for member in self.members})
        return talk * self.np.array([of_session.get(member.sequence, 0.0) for member in self.members])

    def _strongest(self, strengths: Any) -> Any:
        """For each member the mean of the three strongest candidates of its session."""
        found: dict[int, list[float]] = defaultdict(list)
        for member, strength in zip(self.members, strengths.tolist(), strict=True):
            if member.is_candidate and member.sequence:
                found[member.sequence].append(max(strength, 0.0))
        means = {sequence: sum(sorted(strong)[-3:]) / 3 for sequence, strong in found.items()}
        return self.np.array([means.get(member.sequence, 0.0) for member in self.members])


def _date(asked: NamedDate, said_at: datetime) -> float:
    """How well the time at which something was said fits the date in the question: what is told is often told
    within the month or the next one."""
    fit = 0.0
    if asked.months:
        following = {month % 12 + 1 for month in asked.months}
        fit += 1.0 if said_at.month in asked.months else 0.3 if said_at.month in following else OUTSIDE
        if asked.day is not None and said_at.month in asked.months:
            fit += 1.5 * max(0.0, 1 - abs(said_at.day - asked.day) / 7)
    if asked.years:
        fit += 0.3 if said_at.year in asked.years else OUTSIDE
    return fit


def _ordered(totals: Any) -> list[int]:
    """All places, the highest total first, equal ones as they stand: newest first."""
    order: list[int] = (-totals.round(9)).argsort(kind="stable").tolist()
    return order


def _penalties(members: Sequence[Member], order: Sequence[int], penalty: float) -> Iterator[tuple[int, float]]:
    """For the first PENALISED places: `penalty` for every better one of the same session."""
    seen: dict[int, int] = defaultdict(int)
    for place in order[:PENALISED]:
        sequence = members[place].sequence
        if sequence:
            yield place, penalty * seen[sequence]
            seen[sequence] += 1
