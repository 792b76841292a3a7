"""What memory brings to a prompt: sources that may be cited, best first, and standing instructions."""

from dataclasses import dataclass

from api import ids
from api.chat.sources import Source
from memory.importance import importance
from projections import attribute_versions, entities, instructions, speakers
from projections.reading import Reader

PROFILE_FACTS_MAX = 40
INSTRUCTIONS_MAX = 50


@dataclass(frozen=True, slots=True)
class Recollection:
    """sources: best first. instructions: in force, newest first."""

    sources: tuple[Source, ...]
    instructions: tuple[str, ...]


def recollect(reader: Reader) -> Recollection:
    """Who the users are, and what they asked for, as the caller of `reader` may see it."""
    return Recollection(_profile(reader), _instructions(reader))


def _profile(reader: Reader) -> tuple[Source, ...]:
    """Who the users are, most important first."""
    found = attribute_versions.live_of_entities(reader, speakers.speaker_ids(reader), limit=PROFILE_FACTS_MAX).rows
    owners = entities.by_ids(reader, [row.entity_id for row in found])
    sources = [
        Source(
            id=ids.attribute(row.id),
            kind="attribute",
            text=f"{owners[row.entity_id].name}: {row.key} is {row.value}",
            score=importance(row.category, said_at=row.said_at, now=reader.now),
            row_id=row.id,
            occurred_at=row.valid_from or row.said_at,
        )
        for row in found
    ]
    return tuple(sorted(sources, key=lambda source: -source.score))


def _instructions(reader: Reader) -> tuple[str, ...]:
    return tuple(row.description for row in instructions.active(reader, limit=INSTRUCTIONS_MAX).rows)
