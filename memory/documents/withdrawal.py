"""What becomes of facts that their document states no longer: their words count no more, as those of a retracted turn.

What somebody else says too stays, what they had outranked holds again, and doubts that they left without an
object end with them. Nothing is deleted: histories show the words with the reason, and what was known before
stays known as it was.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol
from uuid import UUID

from memory.events import Event, MemoryRevised, Settled
from memory.log import Writing
from memory.ports import RevisableLine
from memory.revising import line_changes
from memory.segments import Said, Standing
from memory.timeline import line
from memory.values import derived_id

REPLACED, DELETED = "document_replaced", "document_deleted"

Fact = tuple[UUID, str]  # (entity, key) or (subject, label)


class DocumentFacts(Protocol):
    """Tells what documents say, inside an open append; all of one scope set."""

    def words_of(self, writing: Writing, scope_set_id: UUID, document_id: UUID) -> Mapping[UUID, int]:
        """The words of a document that count, each with the version that says them."""
        ...

    def lines_of(self, writing: Writing, scope_set_id: UUID, statement_ids: Sequence[UUID]) -> list[RevisableLine]: ...

    def corrections_by(self, writing: Writing, scope_set_id: UUID, version_ids: Sequence[UUID]) -> list[UUID]:
        """The corrections that these versions made."""
        ...

    def facts_of(self, writing: Writing, scope_set_id: UUID, statement_ids: Sequence[UUID]) -> Mapping[UUID, Fact]: ...

    def contradictions(self, writing: Writing, scope_set_id: UUID, facts: Sequence[Fact]) -> list[UUID]:
        """Open doubts that sources of different ranks, or two documents, left about these facts."""
        ...

    def known_alone_by(self, writing: Writing, scope_set_id: UUID, document_id: UUID) -> list[tuple[str, UUID]]:
        """Entities that nothing but a document names, and doubts that it left, which hold; each with its kind."""
        ...


def withdrawal(
    facts: DocumentFacts, writing: Writing, scope_set_id: UUID, document_id: UUID, newest: int | None
) -> list[Event]:
    """The events that take back what only versions of a document before its `newest` say; all of it if that is None.

    Of a fact of which the newest version gives another value, the older values stay as its history.
    """
    words = facts.words_of(writing, scope_set_id, document_id)
    if newest is not None and all(version == newest for version in words.values()):
        return []
    reason = DELETED if newest is None else REPLACED
    lines = facts.lines_of(writing, scope_set_id, sorted(words))
    gone = {one: lines[place] for place in range(len(lines)) for one in _gone(lines[place].words, words, newest)}
    ends = list(_ended_doubts(facts, writing, scope_set_id, gone))
    if newest is None:
        ends += facts.known_alone_by(writing, scope_set_id, document_id)
    if not gone and not ends:
        return []
    event = MemoryRevised(
        revision_id=derived_id(document_id, reason, newest or 0),
        what=reason,
        target=document_id,
        withdrawn=tuple(gone),
        closed=tuple(Settled(kind=kind, id=one, at=writing.now, reason=reason) for kind, one in dict.fromkeys(ends)),
        undone=tuple(facts.corrections_by(writing, scope_set_id, list(gone))),
    )
    events: list[Event] = [event]
    for one in lines:
        events += line_changes(one, set(gone), set(), writing.now, reason=reason)
    return events


def _gone(line_words: Sequence[Said], words: Mapping[UUID, int], newest: int | None) -> Iterator[UUID]:
    """Which of the document's words in a line are to count no more."""
    own = [said for said in line_words if said.id in words]
    stated = {said.value for said in own if words[said.id] == newest}
    placed = line(line_words)
    for said in own:
        if said.value in stated:
            continue
        version = placed[placed[said.id].version]
        # What ended is history, unless nothing of the newest version stands in its way to come back.
        if not stated or (version.valid_until is None and version.standing is not Standing.RETRACTED):
            yield said.id


def _ended_doubts(
    facts: DocumentFacts, writing: Writing, scope_set_id: UUID, gone: Mapping[UUID, RevisableLine]
) -> Iterator[tuple[str, UUID]]:
    """Contradictions in lines in which nothing is merely claimed once the words are gone."""
    if not gone:
        return
    agreed = [one for one, of_line in gone.items() if not _has_claims(of_line, gone)]
    known = facts.facts_of(writing, scope_set_id, agreed)
    for doubt in facts.contradictions(writing, scope_set_id, sorted(set(known.values()))):
        yield "uncertainty", doubt


def _has_claims(of_line: RevisableLine, gone: Mapping[UUID, RevisableLine]) -> bool:
    placed = line(said for said in of_line.words if said.id not in gone)
    return any(one.standing is Standing.CLAIMED and one.valid_until is None for one in placed.values())
