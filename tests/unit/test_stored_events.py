"""Everything that was ever written can be read: one stored example of each event type and version."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
import pytest

from api.ids import new_id
from memory.errors import LogCorrupt
from memory.events import EVENT_TYPES, Event, SessionOpened, TurnRecorded
from memory.recorded import EventMapper, Origin, Recorded, StoredRow, link, linked_columns
from memory.values import Infer, Role

EXAMPLES = [
    json.loads(line)
    for line in (Path(__file__).parents[1] / "data" / "stored_events.jsonl").read_text(encoding="utf-8").splitlines()
]
NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


def stored(topic: str, version: int, payload: str) -> StoredRow:
    mapper = EventMapper()
    row = mapper.seal(
        Recorded("dev", 1, SessionOpened(session_id=new_id()), NOW, Origin()), previous_hash=b"", salt=b"salt"
    )
    return StoredRow(**{**row.__dict__, "topic": topic, "schema_version": version, "state": payload.encode()})


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: f"{example['topic']}-v{example['version']}")
def test_a_stored_example_decodes_and_encodes_back_to_the_same_text(example: dict[str, object]) -> None:
    topic, version, payload = str(example["topic"]), int(str(example["version"])), str(example["payload"])
    event = EventMapper().to_domain_event(stored(topic, version, payload)).event
    assert event is not None
    assert topic == event.TOPIC
    if version == type(event).class_version:
        assert msgspec.json.encode(event).decode() == payload


@pytest.mark.parametrize("event_type", EVENT_TYPES, ids=lambda event_type: event_type.TOPIC)
def test_every_type_and_version_has_a_stored_example(event_type: type[Event]) -> None:
    versions = {example["version"] for example in EXAMPLES if example["topic"] == event_type.TOPIC}
    assert versions == set(range(1, event_type.class_version + 1))


@pytest.mark.parametrize(
    ("topic", "payload"),
    [("SessionOpened", "{}"), ("SessionOpened", "not json"), ("NoSuchEvent", "{}"), ("os:system", "{}")],
)
def test_a_payload_that_is_not_of_its_topic_is_named_by_position(topic: str, payload: str) -> None:
    with pytest.raises(LogCorrupt) as refused:
        EventMapper().to_domain_event(stored(topic, 1, payload))
    assert refused.value.position == 1


def test_user_data_that_looks_like_type_tags_is_only_data() -> None:
    text = '{"_type_": "uuid_hex", "_data_": "x"}'
    event = TurnRecorded(turn_id=new_id(), seq=1, role=Role.USER, infer=Infer.FULL, text=text)
    mapper = EventMapper()
    row = mapper.seal(Recorded("dev", 1, event, NOW, Origin()), previous_hash=b"", salt=b"")
    assert mapper.to_domain_event(row).event == event


def test_a_hash_covers_every_column_and_tells_absent_from_empty() -> None:
    row = stored("SessionOpened", 1, "{}")

    def hashed(previous: bytes = b"", **changes: Any) -> bytes:
        return link(previous, linked_columns(StoredRow(**{**row.__dict__, **changes})))

    changes: dict[str, Any] = {
        "originator_id": "dev2",
        "originator_version": 2,
        "event_id": new_id(),
        "topic": "X",
        "schema_version": 2,
        "recorded_at": NOW.replace(microsecond=1),
        "observed_at": NOW,
        "turn_id": new_id(),
        "session_id": new_id(),
        "principal_id": new_id(),
        "scope_set_id": new_id(),
        "payload_digest": b"",
    }
    seen = {hashed(), hashed(b"\0"), *(hashed(**{name: value}) for name, value in changes.items())}
    assert len(seen) == 2 + len(changes)
