"""From a question as it was asked to the question that is searched for."""

from dataclasses import replace
from datetime import datetime
from uuid import UUID

from memory.principals import Caller
from projections.passages import Kind
from projections.reading import Reader
from projections.recall.question import Question, parsed
from projections.recall.search import Mode, search
from projections.recall.words import words
from projections.retrieval import facts, subjects
from projections.retrieval.asked import Asked, without_before

LOOKED_AT = 10
NEARLY_ALL = 0.999  # of the words, by how rare they are


def question_of(
    reader: Reader, caller: Caller, question: Question, look: Asked, *, session_id: UUID | None
) -> Question:
    """question: as parsed from the words alone. look: what else they say, at the reader's moment."""
    return _looking_back(reader, _naming_me(reader, caller, _timed(question, look), look, session_id), look)


def _timed(question: Question, look: Asked) -> Question:
    """With the time that it names. What it looks back to says when, and is not to be looked for."""
    if look.before:
        question = replace(question, words=parsed(without_before(look.text)).words or question.words)
    if look.window is None:
        return question
    return replace(
        question,
        window=(look.window.start, look.window.end),
        window_words=frozenset(words(look.window.phrase)),
        only_time=look.only_time,
    )


def _naming_me(reader: Reader, caller: Caller, question: Question, look: Asked, session_id: UUID | None) -> Question:
    """As if it named who "I" is; in place of its words, if these tell nothing."""
    if subjects.FIRST_PERSON.search(look.text) is None:
        return question
    names = [subject.name[1] for subject in subjects.speaker(reader, caller, session_id)]
    if names and look.idle and not look.only_time:
        question = replace(question, words=words(names[0].replace("_", " ")))
    return replace(question, names=[*question.names, *names])


def _looking_back(reader: Reader, question: Question, look: Asked) -> Question:
    """With the time before "the move" or "Berlin" as its window, if it looks back to such a thing and it is known."""
    if not look.before or question.window is not None:
        return question
    began = _began(reader, look.before)
    return replace(question, window=(None, began)) if began else question


def _began(reader: Reader, what: str) -> datetime | None:
    """The earliest time of what holds all of these words: when a fact began, else when it was said."""
    found = search(reader, parsed(what), mode=Mode.BM25, limit=LOOKED_AT).hits
    hits = [hit for hit in found if hit.signals.covered > NEARLY_ALL]
    known = facts.by_ids(reader, [hit.id for hit in hits if hit.kind in (Kind.ATTRIBUTE, Kind.RELATION)])
    stated = [fact.row.valid_from for fact in known.values() if fact.row.valid_from]
    return min(stated or [hit.said_at for hit in hits], default=None)
