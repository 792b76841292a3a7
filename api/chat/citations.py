"""Citations of a reply: as its turn keeps them and as callers get them."""

from collections.abc import Mapping, Sequence

from api import ids
from api.chat.markers import marker
from api.chat.sources import Source, snippet
from api.shapes.wire import Json
from memory.events import Citation


def kept(cited: Sequence[int], sources: Mapping[int, Source]) -> tuple[Citation, ...]:
    """What the reply's turn keeps: ids, no words."""
    return tuple(
        Citation(marker=marker(number), kind=sources[number].kind, id=sources[number].row_id) for number in cited
    )


def scores(cited: Sequence[int], sources: Mapping[int, Source]) -> tuple[float, ...]:
    """How well each cited source fitted, 0 to 1."""
    return tuple(_score(sources[number]) for number in cited)


def shown(cited: Sequence[int], sources: Mapping[int, Source]) -> list[Json]:
    """CitationJson of each cited marker, in the order of the reply."""
    return [_shown(number, sources[number]) for number in cited]


def _shown(number: int, source: Source) -> Json:
    optional = {
        "occurredAt": ids.moment(source.occurred_at),
        "role": source.role,
        "documentTitle": source.document_title,
        "positionPercent": source.position_percent,
    }
    return {
        "marker": marker(number),
        "id": source.id,
        "kind": source.kind,
        "snippet": snippet(source.text),
        "score": _score(source),
        **{name: value for name, value in optional.items() if value is not None},
    }


def _score(source: Source) -> float:
    return round(source.score, 4)
