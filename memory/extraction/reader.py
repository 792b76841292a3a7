"""One reading of a turn: families, names, directives, deeds and repairs put together."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime

from msgspec.structs import replace as replaced
from spacy.language import Language
from spacy.tokens import Span

from memory.candidates import (
    NAME_LENGTH_MAX,
    ActionCandidate,
    AliasCandidate,
    AnyCandidate,
    AttributeCandidate,
    EntityCandidate,
    InstructionCandidate,
    Mention,
    NameCandidate,
    Polarity,
    StatementCandidate,
)
from memory.extraction.actions import TURNS, read_actions
from memory.extraction.aliases import kin_names, read_aliases
from memory.extraction.claims import Aspect, Claim, judge
from memory.extraction.corrections import Heard, corrections
from memory.extraction.families import FAMILIES, OTHERWISE
from memory.extraction.followups import ended, is_at_now, left_it, undone
from memory.extraction.instructions import read_instructions
from memory.extraction.lexicon import ENTITY_TYPE_BY_LABEL, FIRST_PERSON, JOB_HEADS
from memory.extraction.moods import Mood
from memory.extraction.names import read_names, read_told_names
from memory.extraction.phrases import NO_CAPITALS, is_name, value_of
from memory.extraction.repairs import (
    Replacement,
    repaired,
    replacement_in,
    takes_back,
    with_replacement,
)
from memory.extraction.restatements import restated
from memory.extraction.spelling import Spelled, spelled_out
from memory.extraction.turns import Reading, Turn, is_vocative

# How far back a bare "no, I meant Munich" may reach, in turns.
REPAIR_REACH_TURNS = 3
_NAMED_CONFIDENCE = 0.75
_ASKING = frozenset(("prefer", "want", "like", "need", "love", "expect", "ask", "say", "mean"))


class Reader:
    """Reads one piece of text. Used once."""

    def __init__(self, model: Language, *, role: str, said_at: datetime, earlier: Sequence[str]) -> None:
        self._model = model
        self._role = role
        self._said_at = said_at
        self._earlier = earlier
        self._told: list[tuple[Claim, Reading]] = []
        self._found: list[AnyCandidate] = []

    def read(self, text: str) -> list[AnyCandidate]:
        """Candidates in the order of the words, with offsets into `text`."""
        spelled = spelled_out(text)
        turn = self.turn = self._parsed(text, spelled)
        for sentence in turn.sentences():
            self._read_sentence(turn, sentence)
        for claim, reading in self._told:
            self._found += judge(claim, reading.standing, reading.times, about=reading.about)
        if self._earlier and self._role == "user":
            self._found = corrections(turn.doc, self._earlier, self._found, self._heard)
        self._found += kin_names(self._found)
        self._found += self._named(turn)
        said = [_at_its_words(candidate, spelled.text) for candidate in self._found if self._may_say(candidate)]
        placed = [replaced(one, start=spelled.place(one.start), end=spelled.place(one.end)) for one in said]
        placed = _marked(placed, restated(text))
        return sorted(placed, key=lambda candidate: candidate.start)

    def claims(self, text: str) -> list[tuple[Claim, Reading]]:
        """What `text` states, before it is judged."""
        turn = self._parsed(text, spelled_out(text))
        return [
            (claim, reading)
            for sentence in turn.sentences()
            for reading in turn.readings(sentence)
            for claim in _claims(reading, openly=self._role == "user")
        ]

    def _parsed(self, typed: str, spelled: Spelled) -> Turn:
        doc = self._model(spelled.text)
        doc.user_data[NO_CAPITALS] = not any(map(str.isupper, typed))
        return Turn(doc, self._said_at)

    def _read_sentence(self, turn: Turn, sentence: Span) -> None:
        readings = turn.readings(sentence)
        before = bool(self._told)
        names = [name for reading in readings for name in read_names(reading)] or [
            name for name in read_told_names(sentence) if not turn.is_quoted_at(name.start)
        ]
        if names and takes_back(sentence):
            self._found = [candidate for candidate in self._found if not isinstance(candidate, NameCandidate)]
        self._found += names
        if self._role == "user":
            self._found += read_aliases(sentence)
        if not names and self._role in ("user", "system"):
            instructions = list(read_instructions(sentence))
            self._found += instructions
            if instructions:
                readings = [one for one in readings if _told_beside(one) or _is_apart(one, instructions)]
        taken_back = takes_back(sentence)
        is_echo = self._role == "assistant" and _is_of_the_user(sentence)
        for reading in readings:
            claims = [
                replace(claim, repair=claim.repair or taken_back)
                for claim in _claims(reading, openly=self._role == "user")
                if self._role == "user" or not (is_echo or _of_speaker(claim))
            ]
            claims = [replace(one, aspect=Aspect.OVER) if undone(one, reading) else one for one in claims]
            if not claims and self._role == "user":
                claims = self._followed_up(reading, taken_back=taken_back)
            self._told += [(claim, reading) for claim in claims]
            turn.people += [mention for claim in claims for mention in _people_in(claim)]
            if not names and (_leaves_room(claims, reading) or reading.is_plan()):
                self._found += read_actions(reading, commitments_only=self._role == "assistant")
        by = replacement_in(sentence)
        # Where nothing was told before in this turn, only the turns before can be meant.
        if by is not None and (before or not self._earlier):
            self._repair(by)

    def _followed_up(self, reading: Reading, *, taken_back: bool) -> list[Claim]:
        """What the clause says by what the turn told before it."""
        position = left_it([claim for claim, _ in self._told], reading)
        if position is not None:
            claim = self._told[position][0]
            if taken_back:
                del self._told[position]
            return [ended(claim, reading)]
        claim_now = is_at_now(self._told, reading)
        return [] if claim_now is None else [claim_now]

    def _repair(self, by: Replacement) -> None:
        position = repaired([claim for claim, _ in self._told], by)
        if position is not None:
            claim, reading = self._told[position]
            self._told[position] = (with_replacement(claim, by, restated=False), reading)
            return

    def _heard(self, text: str) -> Heard:
        reader = Reader(self._model, role=self._role, said_at=self._said_at, earlier=())
        candidates = reader.read(text)
        return Heard(text, reader.turn, candidates)

    def _named(self, turn: Turn) -> Iterator[EntityCandidate]:
        """Entities that the model sees in statements and that no rule spoke of."""
        told = {candidate.name.casefold() for candidate in self._found if isinstance(candidate, NameCandidate)}
        told |= {word for candidate in self._found for word in _values(candidate)}
        for span, reading in _entity_spans(turn):
            if reading is None or not self._may_name(reading):
                continue
            words = list(span)
            if span[0].i and span[0].nbor(-1).lower_ in ("a", "an"):
                continue
            while words and words[0].lower_ in ("the", "a", "an"):
                words = words[1:]
            name = value_of(words)
            if not words or name.casefold() in told or len(name) < 2 or not is_name(words):
                continue
            if any(word.tag_ not in ("NNP", "NNPS", "IN", "DT", "CC", "HYPH", "CD") for word in words):
                continue
            if any(word.lower_ in JOB_HEADS for word in words) or (
                len(words) == 1 and words[0].is_sent_start and span.label_ == "ORG"
            ):
                continue
            yield EntityCandidate(
                start=int(words[0].idx),
                end=int(words[-1].idx + len(words[-1])),
                confidence=_NAMED_CONFIDENCE,
                category="knowledge",
                entity=Mention(type=_type_of(span), name=name[:NAME_LENGTH_MAX]),
            )

    def _may_name(self, reading: Reading) -> bool:
        """Whether the clause names what is there, rather than asking, supposing, denying or echoing."""
        standing = reading.standing
        if standing.mood is not Mood.STATEMENT or standing.reason == "hypothetical":
            return False
        if standing.polarity is Polarity.NEGATED:
            return False
        subject = reading.clause.subject
        addressed = subject is not None and subject.lower_ in FIRST_PERSON | {"you"}
        return self._role == "user" or not addressed

    def _may_say(self, candidate: AnyCandidate) -> bool:
        """Only users speak of themselves here; an assistant's or tool's "I" would echo them.

        Of a system message only directives are read: what else it says is often recalled memory.
        """
        if self._role == "user":
            return True
        if self._role == "system":
            return isinstance(candidate, InstructionCandidate)
        match candidate:
            case NameCandidate():
                return False
            case InstructionCandidate():
                return False
            case ActionCandidate():
                return self._role == "assistant" if candidate.actor.speaker else True
            case _:
                return True


def _is_of_the_user(sentence: Span) -> bool:
    """Whether an assistant tells users of what is theirs, which they told: "your sister Elin is a nurse"."""
    return any(word.lower_ in ("your", "yours") for word in sentence)


def _claims(reading: Reading, *, openly: bool) -> list[Claim]:
    """What the families read in a clause; what two of them read counts once, and an end more than what it ends.

    Of two that tell one thing in more and fewer words, the first counts.
    openly: whether what none of them knows is read by its own verb; others than users talk of the world at large.
    """
    claims: dict[object, Claim] = {}
    for family in FAMILIES:
        others = list(claims.values())
        for claim in family.read(reading):
            if not any(_same(claim, other) for other in others):
                claims.setdefault((claim.subject, claim.key, claim.value, claim.aspect), claim)
    told = [claim for claim in claims.values() if claim.aspect is not Aspect.GIVEN]
    # Of what is had, one thing may be known as owned and the next be no such thing.
    had = reading.lemma == "have" and all(claim.key == "owns" for claim in told)
    # "I head the claims team at Zurich" tells more than where.
    employed = reading.lemma != "work" and all(claim.key == "works_at" for claim in told)
    if openly and (had or employed or not told):
        values = [one.value.name if isinstance(one.value, Mention) else one.value for one in told]
        for family in OTHERWISE:
            claims.update((object(), claim) for claim in family.read(reading) if claim.value not in values)
    over = {(one.subject, one.key, one.value) for one in claims.values() if one.aspect in (Aspect.END, Aspect.OVER)}
    return [
        one
        for one in claims.values()
        if one.aspect not in (Aspect.GIVEN, Aspect.STATE) or (one.subject, one.key, one.value) not in over
    ]


def _leaves_room(claims: Sequence[Claim], reading: Reading) -> bool:
    """Whether the claims of a clause are not all that it tells: what was bought one day is had, and was bought."""
    turned = reading.lemma in TURNS and bool(reading.times)
    return turned or all(claim.aspect is Aspect.GIVEN for claim in claims)


def _same(claim: Claim, other: Claim) -> bool:
    """Whether two claims tell the same, one in more words: "the Kestrel API" and "Kestrel API"."""
    ends = (Aspect.END, Aspect.OVER)
    if (claim.subject, claim.key) != (other.subject, other.key) or (claim.aspect in ends) != (other.aspect in ends):
        return False
    said, known = (
        (one.value.name if isinstance(one.value, Mention) else one.value).casefold() for one in (claim, other)
    )
    return said != known and (said in known or known in said)


def _told_beside(reading: Reading) -> bool:
    """Whether a clause of a directive says something for itself: "never suggest eslint, I use biome"."""
    clause = reading.clause
    subject = clause.subject
    if subject is None or subject.lower_ != "i" or not clause.owns_subject or reading.lemma in _ASKING:
        return False
    behind = subject.i > clause.sentence.start + 1 and subject.nbor(-1).lower_ in (
        ",",
        ";",
        ".",
        "because",
        "as",
        "-",
        "–",
    )
    return behind and not reading.standing.reason


def _is_apart(reading: Reading, instructions: Sequence[InstructionCandidate]) -> bool:
    """Whether a clause stands outside of the directives that its sentence gives."""
    at = reading.clause.head.idx
    return not any(one.start <= at < one.end for one in instructions)


def _of_speaker(claim: Claim) -> bool:
    subject, value = claim.subject, claim.value
    return subject.speaker or subject.mine or (isinstance(value, Mention) and (value.speaker or value.mine))


def _people_in(claim: Claim) -> Iterator[Mention]:
    """Whom "he" or "she" may mean later in the turn."""
    if claim.value_type in ("person", "other") and isinstance(claim.value, str):
        yield Mention(type=claim.value_type, name=claim.value)
    if claim.subject.type == "person" and not claim.subject.speaker:
        yield claim.subject
    if isinstance(claim.value, Mention) and claim.value.type == "person":
        yield claim.value


def _entity_spans(turn: Turn) -> Iterable[tuple[Span, Reading | None]]:
    for span in turn.doc.ents:
        if span.label_ in ENTITY_TYPE_BY_LABEL and not turn.is_quoted(span[0]) and not is_vocative(span):
            yield span, turn.reading_at(span[0])


def _type_of(span: Span) -> str:
    """The model often takes an unknown name for a place; nobody is "at" a city, though, nor "from" a person."""
    before = span[0].nbor(-1).lower_ if span[0].i else ""
    kind = ENTITY_TYPE_BY_LABEL[span.label_]
    if kind == "person" and before == "from" and span[0].nbor(-1).head.pos_ in ("NOUN", "AUX"):
        return "location"
    return "organisation" if kind == "location" and span.label_ == "GPE" and before == "at" else kind


def _values(candidate: AnyCandidate) -> Iterator[str]:
    match candidate:
        case EntityCandidate():
            yield candidate.entity.name.casefold()
        case AliasCandidate(entity=entity, name=name):
            yield from (entity.name.casefold(), name.name.casefold(), f"{entity.name} {name.name}".casefold())
        case AttributeCandidate():
            yield candidate.value.casefold()
            yield from candidate.value.casefold().split()
        case _:
            return


def _at_its_words(candidate: AnyCandidate, text: str) -> AnyCandidate:
    """Entities from claims point at their own name rather than at the whole claim."""
    if isinstance(candidate, EntityCandidate):
        at = text.find(candidate.entity.name, candidate.start, candidate.end)
        if at >= 0:
            return replaced(candidate, start=at, end=at + len(candidate.entity.name))
    return candidate


def _marked(candidates: Iterable[AnyCandidate], anew: Sequence[tuple[int, int, str]]) -> list[AnyCandidate]:
    """What was told with a value that its own words had first told otherwise is a repair."""
    return [
        replaced(one, repair=True)
        if isinstance(one, StatementCandidate) and any(one.start < end and start < one.end for start, end, _ in anew)
        else one
        for one in candidates
    ]
