"""At which instant a read looks, as callers ask for it.

    asOf        RFC 3339 time: what had been said by then, as it held then
    atInstant   RFC 3339 time, or position:N: what the system held then, late words left out
    validFrom, validUntil   RFC 3339 times: versions that began no earlier, ended no later

asOf and atInstant together: what the system, at that instant, knew of that time.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

import pydantic

from api.shapes.fields import Moment
from memory.errors import InvalidRequest
from memory.log import Connection, EventLog
from projections.reading import Instant

POSITION_PREFIX = "position:"
POSITION_DIGITS_MAX = 15

MOMENT: pydantic.TypeAdapter[datetime] = pydantic.TypeAdapter(Moment)


@dataclass(frozen=True, slots=True)
class Asked:
    """An instant as asked for, its place in the log not yet looked up."""

    as_of: datetime | None = None
    at_time: datetime | None = None
    at_position: int | None = None
    valid_from: datetime | None = None
    valid_until: datetime | None = None

    def instant(self, log: EventLog, connection: Connection, context_id: str) -> Instant:
        """Raises InvalidRequest for a position that the log has not reached."""
        position, moment = self.at_position, self.as_of or self.at_time
        if self.at_time is not None:
            position = log.last_until(connection, context_id, self.at_time)
        elif position is not None:
            recorded_at = log.recorded_at(connection, context_id, position)
            if recorded_at is None:
                raise InvalidRequest(f"atInstant: the log has not reached position {position}")
            moment = moment or recorded_at
        return Instant(position, self.as_of, moment, self.valid_from, self.valid_until)


NOW = Asked()


def asked_of(values: Mapping[str, str | None]) -> Asked:
    """What a query or a body asks for, in either spelling of the names. Raises InvalidRequest."""
    at_instant = _text(values, "atInstant", "at_instant")
    position = None
    if at_instant and at_instant.startswith(POSITION_PREFIX):
        digits = at_instant.removeprefix(POSITION_PREFIX)
        if not (digits.isascii() and digits.isdigit()) or len(digits) > POSITION_DIGITS_MAX:
            raise InvalidRequest("atInstant: must be an RFC 3339 time or position:N")
        position, at_instant = int(digits), None
    return Asked(
        as_of=moment_of(_text(values, "asOf", "as_of"), field="asOf"),
        at_time=moment_of(at_instant, field="atInstant"),
        at_position=position,
        valid_from=moment_of(_text(values, "validFrom", "valid_from"), field="validFrom"),
        valid_until=moment_of(_text(values, "validUntil", "valid_until"), field="validUntil"),
    )


def moment_of(text: str | None, *, field: str) -> datetime | None:
    """Raises InvalidRequest for what is no RFC 3339 time."""
    if not text:
        return None
    try:
        return MOMENT.validate_python(text)
    except pydantic.ValidationError as error:
        raise InvalidRequest(f"{field}: must be an RFC 3339 time, such as 2026-03-01T12:00:00Z") from error


def _text(values: Mapping[str, str | None], *names: str) -> str | None:
    return next((text for name in names if (text := values.get(name))), None)
