"""POST /query: what memory holds for a question, as hits."""

from datetime import UTC, datetime
from functools import partial
from typing import Any

from api import ids
from api.http.calls import Call
from api.shapes import hits
from api.shapes.question_schemas import LocationBody, QueryBody, SearchBody
from memory.errors import InvalidRequest
from projections.recall.search import Mode
from projections.retrieval.places import Area, Circle, polygon
from projections.retrieval.wanted import K, Wanted


def query(call: Call) -> tuple[int, dict[str, Any]]:
    body = call.parsed(QueryBody)
    include = body.include or ("facts", "passages")
    wanted = Wanted(
        text=body.query,
        mode=Mode(body.mode or "hybrid"),
        facts="facts" in include,
        passages="passages" in include,
        duplicates=bool(body.include_duplicates),
        area=area_of(body.location),
        source=body.source,
        **narrowing(body),
    )
    asked = call.asked()
    retrieved = call.services.recall.retrieve(call.context_id, partial(call.reading_as, asked, lens=body.lens), wanted)
    return 200, hits.query(retrieved, now=ids.moment(datetime.now(UTC)) or "")


def narrowing(body: SearchBody) -> dict[str, Any]:
    """What questions of all kinds may be narrowed by, as fields of `Wanted`. Raises NotFound for no session id."""
    return {
        "k": body.k or K,
        "labels": frozenset(body.labels or ()),
        "session_id": ids.parse_session(body.session_id) if body.session_id else None,
    }


def area_of(location: LocationBody | None) -> Area | None:
    """The area that a question is narrowed to. Raises InvalidRequest."""
    if location is None or (location.near is None and location.within is None):
        return None
    if location.near is not None and location.within is not None:
        raise InvalidRequest("location: near or within, not both")
    if location.near is not None:
        return Circle((location.near.lat, location.near.lng), location.near.radius_km)
    return polygon(location.within or "")
