"""Where else erased values stand: payloads that belong to them go too, the others are somebody else's words.

A payload belongs to a value if it also names what the value was said of, if it comes from a turn that an erased
fact came from, or if no other live fact has that value.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from uuid import UUID

from memory.events import AttributeStatement, Event, RelationStatement, StatementEvent
from memory.recorded import Recorded
from projections import entities
from projections.erasing.contents import Words, about, has_words, holds, pattern, texts, words_of
from projections.erasing.plan import Match, matched
from projections.reading import Reader

LIVE_ELSEWHERE = """
SELECT v.id, v.value FROM {attribute_versions} AS v
WHERE {in_force:v} AND v.value ILIKE ANY(%(patterns)s::text[])
UNION ALL
SELECT r.id, o.name FROM {relations} AS r JOIN {entities} AS o ON o.id = r.object_id
WHERE {in_force:r} AND o.name ILIKE ANY(%(patterns)s::text[])
"""


@dataclass(frozen=True, slots=True)
class Value:
    """A value that goes, and the names of what it was said of."""

    words: Words
    entity_id: UUID
    names: tuple[Words, ...]


def values_of(reader: Reader, doomed: Sequence[Recorded], entity_ids: Sequence[UUID]) -> list[Value]:
    """What must not be found elsewhere: the values of erased facts, the names of these erased entities."""
    events = [one.event for one in doomed]
    owners = {end for event in events if isinstance(event, StatementEvent) for end in about(event)}
    rows = entities.by_ids(reader, [*owners, *entity_ids])
    names = {row.id: (words_of(row.name),) for row in rows.values()}
    values: set[Value] = set()
    for event in events:
        if isinstance(event, AttributeStatement):
            values.add(Value(words_of(event.value), event.entity_id, names.get(event.entity_id, ())))
        elif isinstance(event, RelationStatement):
            for name in names.get(event.object_id, ()):
                values.add(Value(name, event.subject_id, names.get(event.subject_id, ())))
    values |= {Value(name, row_id, (name,)) for row_id in entity_ids for name in names.get(row_id, ())}
    return [value for value in values if value.words]


def patterns_of(values: Iterable[Value]) -> list[str]:
    """What every text with one of the values is LIKE."""
    return sorted({pattern(max(value.words, key=len)) for value in values})


class Repeats:
    """Judges payloads beside those that are taken. taken: things that go. tied: turns that a taken fact came from:
    they name its entity, be it only as "I"."""

    def __init__(self, reader: Reader, values: Sequence[Value], *, taken: set[UUID], tied: set[UUID]) -> None:
        self._reader = reader
        self._values = values
        self._taken = taken
        self._tied = tied
        self._alone = self._without_other_facts()

    def held_by(self, event: Event | None) -> list[Value]:
        """The values that stand in the event."""
        there = [*texts(event)]
        return [value for value in self._values if any(holds(text, value.words) for text in there)]

    def belongs(self, one: Recorded, held: Sequence[Value]) -> bool:
        """Whether the event, that holds these values, goes with them."""
        if not has_words(one.event):
            return False
        there = [*texts(one.event)]
        return any(
            value in self._alone
            or one.origin.turn_id in self._tied
            or value.entity_id in about(one.event)
            or any(holds(text, name) for name in value.names for text in there)
            for value in held
        )

    def told(self, one: Recorded, held: Sequence[Value]) -> Match:
        """The event as one that stays."""
        shown = next(text for text in texts(one.event) if any(holds(text, value.words) for value in held))
        return matched(one.topic, one.origin.turn_id or UUID(int=one.position), shown)

    def _without_other_facts(self) -> set[Value]:
        """The values that no live fact has but those that are taken."""
        live = {
            words_of(value)
            for row_id, value in self._reader.tuples(LIVE_ELSEWHERE, {"patterns": patterns_of(self._values)})
            if row_id not in self._taken
        }
        return {value for value in self._values if value.words not in live}
