"""The history of one fact as a story: what was said, when, by whom, and what became of it."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from api import ids
from api.shapes import wire
from memory.known import EntityName
from projections import attribute_versions, entities, sources, turns
from projections.attribute_versions import AttributeVersionRow
from projections.reading import Reader
from projections.sources import Source
from projections.turns import TurnRow

REASONS = {
    "moved_on": "a change ended it",
    "restated": "it was said differently",
    "explicit_correction": "it was taken back: never true",
    "merged": "its entity turned out to be the same as another, of which something else was said later",
    "expired": "it was of the moment, and nobody said it again",
    "relinked": "a version that was known already follows",
    "ended": "it was said to have ended",
    "forgotten": "its entity was forgotten",
    "past": "it was told as past",
    "withdrawn": "what said it was retracted",
    "document_replaced": "its document says so no longer",
    "document_deleted": "its document was deleted",
}
STANDINGS = {"claimed": "only claimed: what is in force says otherwise", "retracted": "retracted"}


def rule(standing: str, reason: str | None) -> str | None:
    """Why a version is not simply what holds, in words; None if it is."""
    told = [STANDINGS[standing]] if standing == "claimed" else []
    told += [REASONS.get(reason, reason)] if reason else []
    return "; ".join(told) or None


def chapters(reader: Reader, name: EntityName, key: str) -> list[dict[str, Any]]:
    """Every version of a key, oldest first, with all clocks and the words that brought it; empty if none is known."""
    known = {row.id: row for row in entities.named(reader, *name)}
    versions = attribute_versions.history(reader, list(known), key)[::-1]
    ends = sources.ended_by(reader, [row.id for row in versions])
    said = turns.by_ids(reader, [*(row.turn_id for row in versions), *(end.turn_id for end in ends.values())])
    values = {row.id: row.value for row in versions}
    return [_chapter(row, wire.entity_ref(known[row.entity_id]), said, values, ends.get(row.id)) for row in versions]


def _chapter(
    row: AttributeVersionRow, entity: str, said: dict[UUID, TurnRow], values: dict[UUID, str], end: Source | None
) -> dict[str, Any]:
    turn, last = said.get(row.turn_id), said.get(end.turn_id) if end else None
    return {
        "entity": entity,
        "key": row.key,
        "value": row.value,
        "standing": row.standing,
        "validFrom": ids.moment(row.valid_from),
        "validUntil": ids.moment(row.valid_to),
        "saidAt": ids.moment(row.said_at),
        "reason": row.end_reason,
        "supersededBy": values.get(row.superseded_by) if row.superseded_by else None,
        "rank": row.source_kind,
        "position": row.turn_position,
        "turn": ids.ulid(row.turn_id),
        "session": row.session_id and ids.ulid(row.session_id),
        "role": turn.role if turn else None,
        "words": turn.text if turn else None,
        "endedBy": wire.words_source(end),
        "endingWords": last.text if last else None,
    }


def told(story: Sequence[dict[str, Any]]) -> list[str]:
    """The story as lines to read."""
    lines = [f"{story[0]['entity']}  {story[0]['key']}"] if story else []
    for chapter in story:
        until = _day(chapter["validUntil"]) if chapter["validUntil"] else "now"
        lines.append(f"  {_day(chapter['validFrom'])} to {until}: {chapter['value']}")
        words = f" “{chapter['words']}”" if chapter["words"] else ""
        lines.append(
            f"      said {_day(chapter['saidAt'])} by {chapter['role'] or chapter['rank']}"
            f" (turn {chapter['turn']}, position {chapter['position']}){words}"
        )
        if chapter["standing"] in STANDINGS:
            lines.append(f"      {STANDINGS[chapter['standing']]}")
        if chapter["reason"]:
            follows = f"; then: {chapter['supersededBy']}" if chapter["supersededBy"] else ""
            lines.append(f"      ended because {REASONS.get(chapter['reason'], chapter['reason'])}{follows}")
            if chapter["endedBy"] and not follows:
                ending = f" “{chapter['endingWords']}”" if chapter["endingWords"] else ""
                lines.append(f"      by words of {_day(chapter['endedBy']['saidAt'])}{ending}")
    return lines


def _day(moment: str) -> str:
    return datetime.fromisoformat(moment).strftime("%Y-%m-%d %H:%M")
