"""Entities by likeness of name, and the first of them by a ranking."""

from datetime import datetime
from typing import Any

from api.http.calls import Call
from api.shapes import details
from memory.errors import InvalidRequest
from memory.importance import SECONDS_PER_DAY, importance
from memory.values import entity_type
from projections import matches
from projections.matches import Match

SEARCHED_LENGTH_MAX = 1_000


def search_entities(call: Call) -> tuple[int, dict[str, Any]]:
    """Entities whose name is like `q`, best first. Raises InvalidRequest for a blank or very long `q`."""
    searched = call.query.get("q", "")
    if not searched.strip():
        raise InvalidRequest("q: must not be blank")
    if len(searched) > SEARCHED_LENGTH_MAX:
        raise InvalidRequest(f"q: at most {SEARCHED_LENGTH_MAX} characters")
    limit = call.limit(default=10)
    with call.reading(call.asked()) as reader:
        now = reader.now
        found = matches.like(reader, searched, entity_type=_type(call), limit=limit)
    return 200, {"matches": [details.match(one, score, now) for one, score in found]}


def top_entities(call: Call) -> tuple[int, dict[str, Any]]:
    """The first entities by one of the rankings. Raises InvalidRequest for an unknown one."""
    by = call.query.get("by") or "coverage"
    if by not in matches.RANKINGS:
        raise InvalidRequest(f"by: must be one of {', '.join(matches.RANKINGS)}")
    limit = call.limit(default=10)
    with call.reading(call.asked()) as reader:
        now = reader.now
        found = matches.top(reader, by, entity_type=_type(call), limit=limit, now=now)
    most = max((one.facts for one in found), default=0) or 1
    return 200, {"entities": [details.match(one, _score(one, by, most, now), now) for one in found]}


def _score(found: Match, by: str, most: int, now: datetime) -> float:
    """What the ranking goes by, as a number from 0 to 1.

    coverage: its share of the most facts that one has. importance: itself. recency: 1 / (1 + days since).
    """
    if by == "coverage":
        return found.facts / most
    said_at = found.evidence.last_said_at if found.evidence else found.entity.created_at
    if by == "recency":
        return 1 / (1 + max(0.0, (now - said_at).total_seconds()) / SECONDS_PER_DAY)
    return importance(found.entity.category, said_at=said_at, now=now)


def _type(call: Call) -> str | None:
    kind = call.query.get("type")
    return entity_type(kind) if kind else None
