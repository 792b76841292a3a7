"""The own client's reading of answers and of streams."""

import json

import pytest

from api.client import Answer, ApiError
from api.client.frames import Frames
from api.client.requests import chunk_of


def test_a_field_is_found_by_key_and_by_attribute_in_either_spelling() -> None:
    answer = Answer({"reply": "Hi", "memoryUpdates": {"corrections": [{"previous": {"value": "Paris"}}]}})
    assert answer["memoryUpdates"] is answer["memory_updates"] is answer.memoryUpdates is answer.memory_updates
    assert answer.memory_updates.corrections[0].previous.value == "Paris"
    assert json.loads(json.dumps(answer)) == {
        "reply": "Hi",
        "memoryUpdates": {"corrections": [{"previous": {"value": "Paris"}}]},
    }


def test_a_snake_case_field_is_found_by_its_camel_case_name() -> None:
    assert Answer({"source_turn": "t"}).sourceTurn == "t"


def test_a_field_that_is_not_there_is_named_in_the_error() -> None:
    with pytest.raises(AttributeError, match="no field 'replies'; it has reply"):
        _ = Answer({"reply": "Hi"}).replies
    with pytest.raises(KeyError):
        _ = Answer({"reply": "Hi"})["replies"]


def frames_of(text: str) -> list[tuple[str, dict[str, object]]]:
    frames = Frames()
    return [frame for line in text.split("\n") for frame in frames.feed(line)]


def test_frames_are_split_at_blank_lines_and_comments_are_skipped() -> None:
    text = ': ping\n\ndata: {"delta": " two"}\n\nevent: done\ndata: {"done":\ndata: true}\n\n'
    assert frames_of(text) == [("", {"delta": " two"}), ("done", {"done": True})]


def test_an_error_frame_is_raised_with_what_the_server_said() -> None:
    with pytest.raises(ApiError, match="broke off") as raised:
        chunk_of("error", {"error": {"message": "the model broke off", "status": 503}})
    assert raised.value.status == 503
