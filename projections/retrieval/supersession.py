"""What replaced what, among the things found: nothing superseded stands above its successor.

A fact whose line holds another value now, and words whose only facts are such, are stale. Where one is
found, what replaced it is placed directly above it: for a fact the newer version, for words the newer words.
What was closed, forgotten or taken back does not come back. For a question about some time in the past, what
held then stands where otherwise stands what holds now.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from msgspec.structs import replace

from projections.passages import Kind
from projections.reading import Reader
from projections.retrieval import facts, found
from projections.retrieval.facts import Fact
from projections.retrieval.wanted import Recalled

# What the words of these turns amount to, as versions. Of a document's facts the turn is the chunk.
STATEMENTS = """
SELECT v.turn_id, v.version_id, v.ends FROM {attribute_versions} AS v
WHERE v.turn_id = ANY(%(turn_ids)s) AND v.standing <> 'unmatched'
UNION ALL
SELECT r.turn_id, r.version_id, r.ends FROM {relations} AS r
WHERE r.turn_id = ANY(%(turn_ids)s) AND r.standing <> 'unmatched'
"""

Span = tuple[datetime | None, datetime | None]  # start <= time < end, None is open

# What holds in the lines of these versions.
_OF_LINES = """
SELECT s.id, h.id FROM {attribute_versions} AS s JOIN {attribute_versions} AS h
    ON h.entity_id = s.entity_id AND h.line_key = s.line_key AND h.unit_value = s.unit_value
    AND h.scope_set_id = s.scope_set_id
WHERE s.id = ANY(%(ids)s) AND <holds>
UNION ALL
SELECT s.id, h.id FROM {relations} AS s JOIN {relations} AS h
    ON h.subject_id = s.subject_id AND h.label = s.label AND h.unit_object = s.unit_object
    AND h.scope_set_id = s.scope_set_id
WHERE s.id = ANY(%(ids)s) AND <holds>
"""
HEADS = _OF_LINES.replace("<holds>", "{in_force:h}")
# As `projections.retrieval.facts.Fact.held_within`.
HEADS_THEN = _OF_LINES.replace(
    "<holds>",
    """h.standing = 'current' AND (h.valid_from IS NULL OR h.valid_from < coalesce(%(end)s::timestamptz, 'infinity'))
    AND (h.valid_to IS NULL OR h.valid_to > coalesce(%(start)s::timestamptz, '-infinity'))""",
)


@dataclass(slots=True)
class _Knowledge:
    """facts: by version. heads: what a stale version gave way to. said: the versions that each turn asserts."""

    facts: dict[UUID, Fact] = field(default_factory=dict)
    heads: dict[UUID, Fact] = field(default_factory=dict)
    said: dict[UUID, list[UUID]] = field(default_factory=lambda: defaultdict(list))
    gone: set[UUID] = field(default_factory=set)


def arranged(reader: Reader, hits: Sequence[Recalled], *, past: bool, window: Span | None = None) -> list[Recalled]:
    """The hits without what is gone, each stale one under what replaced it, which is added if need be.

    past: the question asks for how it was, so that what was superseded keeps its place, and what is closed stays.
    window: if for some time in the past, what did not hold then is what is stale.
    """
    known = _known(reader, hits, window if past else None)
    kept = [_shown(hit, known) for hit in hits if not _is_gone(hit, known, past=past)]
    if past and window is None:
        return kept
    successors = {hit.id: _successors(hit, known) for hit in kept}
    by_id = {hit.id: hit for hit in kept}
    added = _added(reader, by_id, [one for wanted in successors.values() for one in wanted])
    placed: dict[UUID, Recalled] = {}
    for hit in kept:
        _place(hit, successors, by_id | added, placed)
    return list(placed.values())


def _known(reader: Reader, hits: Sequence[Recalled], then: Span | None) -> _Knowledge:
    known = _Knowledge()
    versions = {hit.id for hit in hits if hit.kind in (Kind.ATTRIBUTE, Kind.RELATION)}
    turn_ids = [hit.id for hit in hits if not hit.is_fact]
    if turn_ids:
        for turn_id, version_id, ends in reader.tuples(STATEMENTS, {"turn_ids": turn_ids}):
            if not ends:
                known.said[turn_id].append(version_id)
            versions.add(version_id)
    known.facts = {
        version_id: fact
        for version_id, fact in facts.by_ids(reader, versions).items()
        if fact.row.standing != "withdrawn"
    }
    known.gone = versions - known.facts.keys()
    stale = [version_id for version_id, fact in known.facts.items() if not _holds(fact, reader, then)]
    if stale:
        start, end = then or (None, None)
        heads = reader.tuples(HEADS_THEN if then else HEADS, {"ids": stale, "start": start, "end": end})
        of_heads = facts.by_ids(reader, [head for _, head in heads])
        # In scopes with a value each, the newest stands for all: `of_heads` is one per line.
        known.heads = {version_id: of_heads[head] for version_id, head in sorted(heads) if head in of_heads}
    return known


def _holds(fact: Fact, reader: Reader, then: Span | None) -> bool:
    if then is None:
        return facts.in_force(fact, reader)
    return fact.row.standing == "current" and fact.held_within(*then)


def _is_gone(hit: Recalled, known: _Knowledge, *, past: bool) -> bool:
    """Whether the hit is about what is forgotten, taken back, or closed with nothing in its place."""
    if hit.kind in (Kind.ATTRIBUTE, Kind.RELATION):
        fact = known.facts.get(hit.id)  # none if it was forgotten or withdrawn
        if fact is None or fact.row.standing == "retracted":
            return True
        return not past and fact.row.end_reason == "ended" and hit.id not in known.heads
    said = known.said.get(hit.id, ())
    return bool(said) and all(version_id in known.gone for version_id in said)


def _shown(hit: Recalled, known: _Knowledge) -> Recalled:
    fact = known.facts.get(hit.id)
    if fact is None:
        return hit
    return replace(hit, fact=fact, supersedes=fact.row.supersedes, superseded_by=fact.row.superseded_by)


def _successors(hit: Recalled, known: _Knowledge) -> list[UUID]:
    """Ids of what must stand above the hit: versions for a fact, turns for words."""
    if hit.kind in (Kind.ATTRIBUTE, Kind.RELATION):
        head = known.heads.get(hit.id)
        return [head.id] if head else []
    said = known.said.get(hit.id, ())
    if not said or any(version_id in known.facts and version_id not in known.heads for version_id in said):
        return []  # it says nothing that we know of, or something that holds still
    heads = (known.heads[version_id] for version_id in said if version_id in known.heads)
    return list(dict.fromkeys(head.row.turn_id for head in heads if head.row.turn_id != hit.id))


def _added(reader: Reader, by_id: Mapping[UUID, Recalled], wanted: Iterable[UUID]) -> dict[UUID, Recalled]:
    """What the successors that were not found look like, by id; those that the caller may not see are none."""
    missing = {one for one in wanted if one not in by_id}
    if not missing:
        return {}
    added = {hit.id: hit for hit in found.of_turns(reader, missing)}
    for version_id, fact in facts.by_ids(reader, missing - added.keys()).items():
        added[version_id] = found.of_fact(fact, score=0.0)
    return added


def _place(
    hit: Recalled,
    successors: Mapping[UUID, Sequence[UUID]],
    hits: Mapping[UUID, Recalled],
    placed: dict[UUID, Recalled],
) -> None:
    """Place the hit, and before it what replaced it; a successor counts no less than what it replaced."""
    if hit.id in placed:
        return
    for successor_id in successors.get(hit.id, ()):
        successor = hits.get(successor_id)
        if successor is not None and successor_id not in placed:
            placed[successor_id] = replace(successor, score=max(successor.score, hit.score))
    placed[hit.id] = hit
