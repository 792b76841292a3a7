"""Tier 1: a question that one property of one entity answers, from its versions. No embedding, no model."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from uuid import UUID

from memory.principals import Caller
from memory.values import folded
from projections.reading import Reader
from projections.retrieval import facts, subjects
from projections.retrieval.asked import Asked, without_before
from projections.retrieval.facts import Fact, in_force
from projections.retrieval.slots import Slot, asks_what_is_done, key_words, slot_of
from projections.retrieval.subjects import FIRST_PERSON, Subject

ANSWERS_MAX = 10
WORDS_MAX = 16

REASON = "one property of one entity, as it is"
PAST_REASON = "one property of one entity, as it was"

_ABOUT_SOMEBODY = re.compile(r"^\W*(?:where|what|which|who|whom|when|how old)\b|['’]s?\s+\w+|\bof\b", re.IGNORECASE)

# What "before the move" leaves to the property itself: the change of its value.
_CHANGE = re.compile(
    r"\b(?:mov\w+|relocat\w+|promot\w+|chang\w+|switch\w*|that|then|this|now|it|marriage|wedding|married|new \w+)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Direct:
    """facts: the answer, newest first. turn_ids: whose words made or support them, in their order. reason: how it
    was found, in the server's words."""

    facts: Sequence[Fact]
    turn_ids: Sequence[UUID]
    reason: str


def plausible(asked: Asked) -> bool:
    """Whether it is worth a look: a short question about "I", or about something of somebody."""
    words = asked.text.split()
    if len(words) > WORDS_MAX:
        return False
    return FIRST_PERSON.search(asked.text) is not None or _ABOUT_SOMEBODY.search(asked.text) is not None


def answer(
    reader: Reader,
    caller: Caller,
    asked: Asked,
    names: Sequence[str],
    *,
    session_id: UUID | None,
) -> Direct | None:
    """The values that answer the question; None if it is not of this kind or nothing of it is held.

    names: normalised names that may stand in it.
    """
    text = without_before(asked.text) if asked.before else asked.text
    if asked.window is not None:
        text = text.replace(asked.window.phrase, " ")
    for subject, question in _readings(reader, caller, text, names, session_id):
        slot = slot_of(question)
        # "What did I do last week?" asks for no job.
        if slot is None or (asked.window is not None and asks_what_is_done(question)):
            continue
        held = _held(reader, subject, slot)
        chosen = _chosen(reader, held, subject, asked)
        if chosen:
            chosen = chosen[:ANSWERS_MAX]
            turns = facts.turns_of(reader, [fact.id for fact in chosen])
            turn_ids = list(dict.fromkeys(turn_id for fact in chosen for turn_id in turns.get(fact.id, ())))
            return Direct(chosen, turn_ids, PAST_REASON if asked.past else REASON)
    return None


def _readings(
    reader: Reader, caller: Caller, text: str, names: Sequence[str], session_id: UUID | None
) -> list[tuple[Subject, str]]:
    """Whom the question may be about, the surest first, and the question with @ in that one's place."""
    named = subjects.named(reader, text, names)
    if FIRST_PERSON.search(text):
        question = re.sub(
            r"\bmy\b", "@'s", re.sub(r"\b(?:i|me)\b", "@", text, flags=re.IGNORECASE), flags=re.IGNORECASE
        )
        own = subjects.speaker(reader, caller, session_id)
        theirs = [
            (relative, re.sub(re.escape(relative.spoken), "@", text, flags=re.IGNORECASE))
            for subject in own
            for relative in subjects.relatives(reader, text, subject)
        ]
        return [*theirs, *((subject, question) for subject in own)]
    spoken = {subject.spoken.lower() for subject in named}
    if len(spoken) != 1:
        return []
    # One name, maybe of entities of several types.
    pattern = re.compile(rf"(?<!\w){re.escape(named[0].spoken)}(?!\w)", re.IGNORECASE)
    return [(subject, pattern.sub("@", text)) for subject in named]


def _held(reader: Reader, subject: Subject, slot: Slot) -> list[Fact]:
    """All versions of the first key that the slot means and the subject has."""
    has = facts.keys_of(reader, subject.ids)
    exact = [key for key in has if slot.words and key_words(key) == slot.words]
    wanted = exact or [key for key in slot.keys if key in has]
    found = facts.of_entities(reader, subject.ids, wanted) if wanted else []
    first = next((key for key in wanted if any(fact.key == key for fact in found)), None)
    # Several keys may say the same thing; those of equal rank are told together.
    return [fact for fact in found if exact or fact.key == first or _says_the_same(fact.key, first)]


def _says_the_same(key: str, other: str | None) -> bool:
    return other is not None and {key, other} <= {"works_at", "employer"}


def _chosen(reader: Reader, held: list[Fact], subject: Subject, asked: Asked) -> list[Fact]:
    if not held:
        return []
    if reader.instant.is_bounded or not asked.past:  # a range of time asked for is the past that is meant
        return _distinct(fact for fact in held if in_force(fact, reader))
    if asked.before:
        return _before(reader, held, subject, asked.before)
    if asked.window is not None:
        return _distinct(fact for fact in held if fact.held_within(asked.window.start, asked.window.end))
    return _distinct(fact for fact in held if not in_force(fact, reader))


def _before(reader: Reader, held: list[Fact], subject: Subject, words: str) -> list[Fact]:
    """The versions that held until the value, the other fact, or the change that `words` tell of."""
    told = f" {folded(words)} "

    def is_told(fact: Fact) -> bool:
        return re.search(rf"(?<!\w){re.escape(folded(fact.value))}(?!\w)", told) is not None

    successors = {fact.id for fact in held if is_told(fact)}
    if successors:
        replaced = [fact for fact in held if fact.row.superseded_by in successors and fact.id not in successors]
        return _distinct(replaced or _last_ended(held, successors))
    elsewhere = [fact for fact in facts.of_entities(reader, subject.ids) if is_told(fact) and fact.row.valid_from]
    if elsewhere:
        began = min(fact.row.valid_from for fact in elsewhere if fact.row.valid_from)
        return _distinct(
            fact
            for fact in held
            if (fact.row.valid_from is None or fact.row.valid_from < began)
            and (fact.row.valid_to is None or fact.row.valid_to >= began)
        )
    if _CHANGE.search(told):
        current = {fact.id for fact in held if in_force(fact, reader)}
        return _distinct(fact for fact in held if fact.row.superseded_by in current)
    return []


def _last_ended(held: list[Fact], successors: set[UUID]) -> list[Fact]:
    """What was the last to end before the successors began, though nobody said that they took its place."""
    began = min((fact.row.valid_from for fact in held if fact.id in successors and fact.row.valid_from), default=None)
    ended = [(fact.row.valid_to, fact) for fact in held if fact.id not in successors and fact.row.valid_to]
    before = [(end, fact) for end, fact in ended if began is not None and end <= began]
    last = max((end for end, _ in before), default=None)
    return [fact for end, fact in before if end == last]


def _distinct(found: Iterable[Fact]) -> list[Fact]:
    """Without what says the same of the same name again, as in another scope set."""
    seen: set[tuple[str, str, str]] = set()
    kept = []
    for fact in found:
        said = (fact.subject.name_key, fact.key, folded(fact.value))
        if said not in seen:
            seen.add(said)
            kept.append(fact)
    return kept
