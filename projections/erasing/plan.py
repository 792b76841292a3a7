"""Plans: what an erasure would take, and what it would leave although it holds the same."""

from dataclasses import dataclass, field
from uuid import UUID

TEXT_LENGTH_MAX = 300


@dataclass(frozen=True, slots=True)
class Match:
    """Something that an erasure takes, or leaves. kind: such as attribute or turn, or an event's type for a
    payload. text: at most TEXT_LENGTH_MAX characters of it."""

    kind: str
    id: UUID
    text: str


@dataclass(slots=True)
class Plan:
    """matches: what was asked for. positions: of all events that go with it, in the log up to `position`. along:
    what else they say. residual: payloads with an erased value that are not taken, by position. truncated: more
    matched."""

    position: int
    matches: list[Match] = field(default_factory=list)
    positions: set[int] = field(default_factory=set)
    along: list[Match] = field(default_factory=list)
    left: dict[int, Match] = field(default_factory=dict)
    truncated: bool = False

    @property
    def residual(self) -> list[Match]:
        return [match for position, match in sorted(self.left.items()) if position not in self.positions]


def matched(kind: str, row_id: UUID, text: str) -> Match:
    return Match(kind, row_id, text if len(text) <= TEXT_LENGTH_MAX else f"{text[:TEXT_LENGTH_MAX]}…")
