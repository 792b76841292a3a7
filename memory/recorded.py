"""An event as it stands in the log, and its exact stored form."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from hashlib import sha256
from typing import Any
from uuid import UUID

import msgspec
from eventsourcing.persistence import Mapper, StoredEvent, Transcoder
from eventsourcing.utils import get_topic, resolve_topic

from memory.errors import LogCorrupt
from memory.events import Event
from memory.values import derived_id

_NAMESPACE = UUID("3f1c0d9e-0f5b-5b0e-8c58-0e1d4f6a9b02")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


class Origin(msgspec.Struct, frozen=True, kw_only=True):
    """Where an event comes from: what all events of one statement share.

    observed_at: when it was said or observed, if that is not the moment of recording.
    """

    turn_id: UUID | None = None
    session_id: UUID | None = None
    principal_id: UUID | None = None
    scope_set_id: UUID | None = None
    observed_at: datetime | None = None


class Recorded(msgspec.Struct, frozen=True):
    """An event with its place in the log. `event` is None once its content was erased; its topic stays."""

    context_id: str
    position: int
    event: Event | None
    recorded_at: datetime
    origin: Origin
    erased_topic: str | None = None

    @property
    def topic(self) -> str:
        if self.event is not None:
            return self.event.TOPIC
        assert self.erased_topic is not None
        return self.erased_topic

    @property
    def known_at(self) -> datetime:
        """When the statement was made: the known time of all that it says."""
        return self.origin.observed_at or self.recorded_at

    @property
    def originator_id(self) -> str:
        return self.context_id

    @property
    def originator_version(self) -> int:
        return self.position


@dataclass(frozen=True)
class StoredRow(StoredEvent):
    """One row of the events table. originator_id and _version are context_id and position;
    `state` is the payload's exact JSON text as UTF-8, empty once erased."""

    event_id: UUID
    schema_version: int
    recorded_at: datetime
    observed_at: datetime | None
    turn_id: UUID | None
    session_id: UUID | None
    principal_id: UUID | None
    scope_set_id: UUID | None
    payload_salt: bytes | None
    payload_digest: bytes
    hash: bytes


class SchemaTranscoder(Transcoder):
    """JSON bound to the event classes.

    The library's default finds types by look-alike tags inside the data, so a user's
    {"_type_": …} would make the log undecodable. Here the class alone decides.
    """

    def __init__(self) -> None:
        self._decoders: dict[type[Event], msgspec.json.Decoder[Event]] = {}
        self._encoder = msgspec.json.Encoder()

    def encode(self, obj: Any) -> bytes:
        return self._encoder.encode(obj)

    def decode(self, data: bytes) -> dict[str, Any]:
        state: dict[str, Any] = msgspec.json.decode(data)
        return state

    def decode_as(self, event_type: type[Event], data: bytes | str) -> Event:
        decoder = self._decoders.get(event_type)
        if decoder is None:
            decoder = self._decoders[event_type] = msgspec.json.Decoder(event_type)
        return decoder.decode(data)


class EventMapper(Mapper[str]):
    """Recorded events to stored rows and back, with upcasting of older schema versions."""

    transcoder: SchemaTranscoder

    def __init__(self) -> None:
        super().__init__(transcoder=SchemaTranscoder())

    def seal(self, recorded: Recorded, *, previous_hash: bytes, salt: bytes) -> StoredRow:
        """The row for `recorded`, linked to the row before it."""
        assert recorded.event is not None
        event_type = type(recorded.event)
        payload = self.transcoder.encode(recorded.event)
        origin = recorded.origin
        columns: dict[str, Any] = {
            "originator_id": recorded.context_id,
            "originator_version": recorded.position,
            "event_id": derived_id(_NAMESPACE, recorded.context_id, recorded.position),
            "topic": get_topic(event_type),
            "schema_version": event_type.class_version,
            "recorded_at": recorded.recorded_at,
            "observed_at": origin.observed_at,
            "turn_id": origin.turn_id,
            "session_id": origin.session_id,
            "principal_id": origin.principal_id,
            "scope_set_id": origin.scope_set_id,
            "payload_digest": payload_digest(salt, payload),
        }
        return StoredRow(**columns, state=payload, payload_salt=salt, hash=link(previous_hash, columns.values()))

    def to_domain_event(self, stored_event: StoredEvent) -> Recorded:
        """Raises LogCorrupt if the payload is not one of its topic and version."""
        assert isinstance(stored_event, StoredRow)
        row = stored_event
        columns = (
            row.originator_version,
            row.topic,
            row.schema_version,
            row.recorded_at,
            row.observed_at,
            row.turn_id,
            row.session_id,
            row.principal_id,
            row.scope_set_id,
            None if row.payload_salt is None else row.state,
        )
        return self.recorded(str(row.originator_id), columns)

    def recorded(self, context_id: str, columns: tuple[Any, ...]) -> Recorded:
        """The event with these values of `memory.log.RECORDED_COLUMNS`.

        Raises LogCorrupt if the payload is not one of its topic and version.
        """
        position, topic, version, recorded_at, observed_at, turn_id, session_id, principal_id, scope_set_id = columns[
            :9
        ]
        payload = columns[9]
        origin = Origin(
            turn_id=turn_id,
            session_id=session_id,
            principal_id=principal_id,
            scope_set_id=scope_set_id,
            observed_at=observed_at,
        )
        if payload is None:
            return Recorded(context_id, position, None, recorded_at, origin, topic)
        try:
            event = self._decoded(topic, version, payload)
        except Exception as error:
            what = f"the payload is not a {topic} of version {version}: {error}"
            raise LogCorrupt(context_id, position, what) from error
        return Recorded(context_id, position, event, recorded_at, origin)

    def _decoded(self, topic: str, version: int, payload: bytes | str) -> Event:
        event_type: type[Event] = resolve_topic(topic)
        if version == event_type.class_version:
            return self.transcoder.decode_as(event_type, payload)
        state = msgspec.json.decode(payload)
        for older in range(version, event_type.class_version):
            getattr(event_type, f"upcast_v{older}_v{older + 1}")(state)
        return msgspec.convert(state, event_type)


def from_columns(columns: tuple[Any, ...]) -> StoredRow:
    """The row with these values of `memory.log.EVENT_COLUMNS`."""
    context_id, position, event_id, topic, version, recorded_at, observed_at, turn_id, session_id = columns[:9]
    principal_id, scope_set_id, payload, salt, digest, row_hash = columns[9:]
    return StoredRow(
        originator_id=context_id,
        originator_version=position,
        topic=topic,
        state=b"" if payload is None else payload.encode(),
        event_id=event_id,
        schema_version=version,
        recorded_at=recorded_at,
        observed_at=observed_at,
        turn_id=turn_id,
        session_id=session_id,
        principal_id=principal_id,
        scope_set_id=scope_set_id,
        payload_salt=salt,
        payload_digest=digest,
        hash=row_hash,
    )


def moved(row: StoredRow, context_id: str, previous_hash: bytes) -> StoredRow:
    """The same event in the log of another context: the same place and payload, with the ids and hash of there."""
    event_id = derived_id(_NAMESPACE, context_id, row.originator_version)
    row = replace(row, originator_id=context_id, event_id=event_id)
    return replace(row, hash=link(previous_hash, linked_columns(row)))


def payload_digest(salt: bytes, payload: bytes) -> bytes:
    """sha256 of salt and payload; outlives an erasure, so that the chain stays whole."""
    return sha256(salt + payload).digest()


def linked_columns(row: StoredRow) -> tuple[Any, ...]:
    """What `link` takes of a stored row: every column but payload, salt and hash, in table order."""
    return (
        row.originator_id,
        row.originator_version,
        row.event_id,
        row.topic,
        row.schema_version,
        row.recorded_at,
        row.observed_at,
        row.turn_id,
        row.session_id,
        row.principal_id,
        row.scope_set_id,
        row.payload_digest,
    )


def link(previous_hash: bytes, columns: Iterable[Any]) -> bytes:
    """The hash of a row in the chain of its context.

    sha256 over length-prefixed fields: the previous hash and the columns (text and numbers as text,
    times as integer microseconds UTC, ids as 16 bytes, absent values as length -1).
    """
    return sha256(b"".join(map(_field, (previous_hash, *columns)))).digest()


@lru_cache(maxsize=1_024, typed=True)  # the events of an append share most of their values
def _field(value: Any) -> bytes:
    encoded = _encoded(value)
    return b"-1:" if encoded is None else b"%d:%b" % (len(encoded), encoded)


def _encoded(value: Any) -> bytes | None:
    match value:
        case None | bytes():
            return value
        case str():
            return value.encode()
        case int():
            return str(value).encode()
        case UUID():
            return value.bytes
        case datetime():
            return str((value - _EPOCH) // _MICROSECOND).encode()
        case _:
            raise TypeError(f"no column of the log is a {type(value).__name__}")
