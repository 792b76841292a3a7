"""Hostile and odd input over HTTP: refused with the right status, or kept and readable; the log stays whole."""

import json
from collections.abc import Iterator
from typing import Any, NamedTuple
from urllib.parse import quote

import httpx
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.e2e.clients.rest import Context, Json, assert_error, content, new_context
from tests.servers import ServerProcess

BODY_BYTES_MAX = 1024 * 1024
DEPTH = 10_000
NO_SESSION = "01arz3ndektsv4rrffq69g5fav"
BOB: Json = {"type": "person", "name": "Bob"}


@pytest.fixture(scope="module")
def context(server: ServerProcess) -> Context:
    return new_context(server, "bad input")


@pytest.fixture(scope="module")
def rest(context: Context) -> Iterator[httpx.Client]:
    with context.client() as client:
        yield client


def send(rest: httpx.Client, path: str, body: Json | bytes) -> httpx.Response:
    """POST a body, lone surrogates and all."""
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    return rest.post(path, content=raw, headers={"Content-Type": "application/json"})


# --- refused -----------------------------------------------------------------------------------


class Refused(NamedTuple):
    """A request, the status it must get, and a word that the message must hold."""

    what: str
    status: int
    word: str
    body: Json | bytes
    path: str = "/facts"


def said(**fields: Any) -> Json:
    return {"text": "Hello there.", "infer": "none", **fields}


def triple(**fields: Any) -> Json:
    return {"infer": "triples", "triples": [{"entity": BOB, **fields}]}


def batch(*messages: Any, **fields: Any) -> Json:
    return {"messages": list(messages), "infer": "none", **fields}


def metadata(raw: bytes) -> bytes:
    return b'{"metadata": ' + raw + b"}"


def extra(raw: bytes) -> bytes:
    return b'{"text": "Hello.", "infer": "none", "unknown": ' + raw + b"}"


def sized(size: int) -> bytes:
    """A body of exactly so many bytes."""
    head, tail = b'{"infer": "none", "text": "', b'"}'
    return head + b"a" * (size - len(head) - len(tail)) + tail


NUMBERS = (b"1e999", b"-1e999", b"9" * 400, b"-" + b"9" * 400, b"NaN", b"Infinity", b"-Infinity")
BODIES = (
    Refused("invalid UTF-8", 400, "UTF-8", b'{"text": "\xff\xfe"}'),
    Refused("UTF-16", 400, "", '{"text": "Hello."}'.encode("utf-16")),
    Refused("an encoded surrogate", 400, "UTF-8", b'{"text": "\xed\xa0\x80"}'),
    Refused("not JSON", 400, "JSON", b"{text: 1}"),
    Refused("half a body", 400, "JSON", b'{"text": "Hello'),
    Refused("two values", 400, "JSON", b'{"text": "Hello."} {}'),
    Refused("a list", 400, "object", b"[]"),
    Refused("a string", 400, "object", b'"Hello."'),
    Refused("null", 400, "object", b"null"),
    Refused("lists in lists", 400, "deep", b"[" * DEPTH + b"]" * DEPTH),
    Refused("objects in objects", 400, "deep", metadata(b'{"a": ' * DEPTH + b"1" + b"}" * DEPTH), "/sessions"),
    Refused("lists without an end", 400, "", b"[" * DEPTH),
    Refused("a body over the limit", 413, str(BODY_BYTES_MAX), sized(BODY_BYTES_MAX + 1)),
    Refused("a body far over the limit", 413, str(BODY_BYTES_MAX), sized(3 * BODY_BYTES_MAX)),
    *(Refused(f"the number {raw[:9]!r}", 400, "", metadata(raw), "/sessions") for raw in NUMBERS),
    *(Refused(f"the number {raw[:9]!r} in an unknown field", 400, "", extra(raw)) for raw in NUMBERS),
)
FIELDS = (
    Refused("no body", 400, "text", b""),
    Refused("no text", 400, "text", {}),
    Refused("null text", 400, "text", {"text": None}),
    Refused("empty text", 400, "text", {"text": ""}),
    Refused("blank text", 400, "text", {"text": " \t\r\n  "}),
    Refused("text with a NUL", 400, "text", said(text="a\0b")),
    Refused("text with a lone high surrogate", 400, "text", said(text="a\ud800b")),
    Refused("text with a lone low surrogate", 400, "text", said(text="\udfff")),
    Refused("text with reversed surrogates", 400, "text", said(text="\udc00\ud800")),
    Refused("a number as text", 400, "text", said(text=5)),
    Refused("a list as text", 400, "text", said(text=["Hello."])),
    Refused("an object as text", 400, "text", said(text={"a": 1})),
    Refused("a truth as text", 400, "text", said(text=True)),
    Refused("an unknown role", 400, "role", said(role="boss")),
    Refused("a number as role", 400, "role", said(role=1)),
    Refused("a role in capitals", 400, "role", said(role="User")),
    Refused("an unknown mode", 400, "infer", said(infer="maybe")),
    Refused("a list as mode", 400, "infer", said(infer=["full"])),
    Refused("labels as a string", 400, "labels", said(labels="a=b")),
    Refused("a label without a value", 400, "labels.0", said(labels=["topic"])),
    Refused("a label without a key", 400, "labels.0", said(labels=["=board"])),
    Refused("a reserved label", 400, "labels.1", said(labels=["a=b", "_x=y"])),
    Refused("a number as label", 400, "labels.0", said(labels=[1])),
    Refused("a label with a NUL", 400, "labels.0", said(labels=["a=\0"])),
    Refused("a label with a lone surrogate", 400, "labels.0", said(labels=["a=\ud800"])),
    Refused("an endless label", 400, "labels.0", said(labels=["a=" + "b" * 1000])),
    Refused("too many labels", 400, "labels", said(labels=[f"a={number}" for number in range(1000)])),
    Refused("no time", 400, "observed_at", said(observed_at="yesterday")),
    Refused("an empty time", 400, "observed_at", said(observed_at="")),
    Refused("a number as time", 400, "observed_at", said(observed_at=1600000000)),
    Refused("a number in a string as time", 400, "observed_at", said(observed_at="1600000000")),
    Refused("a day that is none", 400, "observed_at", said(observed_at="2024-02-30T00:00:00Z")),
    Refused("a year before all calendars", 400, "observed_at", said(observed_at="0000-01-01T00:00:00Z")),
    Refused("a year after all calendars", 400, "observed_at", said(observed_at="12024-01-01T00:00:00Z")),
    Refused("a time out of range in UTC", 400, "observed_at", said(observed_at="0001-01-01T00:00:00+14:00")),
    Refused("a time past the range in UTC", 400, "observed_at", said(observed_at="9999-12-31T23:59:59-14:00")),
    Refused("an unknown category", 400, "memory_category", said(memory_category="semantic")),
    Refused("a number as session", 400, "session_id", said(session_id=5)),
    Refused("a session with a NUL", 400, "session_id", said(session_id="a\0b")),
    Refused("a number as scopes", 400, "scopes", said(scopes=5)),
    Refused("numbers as paths", 400, "scopes", said(scopes=[1])),
    Refused("an object as scopes", 400, "scopes", said(scopes={"a": "b"})),
    Refused("an empty path", 400, "scopes", said(scopes=[""])),
    Refused("an empty clause", 400, "scopes", said(scopes=[[]])),
    Refused("an empty segment", 400, "scopes", said(scopes=["org//acme"])),
    Refused("a wildcard", 400, "scopes", said(scopes=["org/*"])),
    Refused("a path with a NUL", 400, "scopes", said(scopes=["org/a\0"])),
    Refused("a path with a line break", 400, "scopes", said(scopes=["org/a\nb"])),
    Refused("a path with a lone surrogate", 400, "scopes", said(scopes=["org/\ud800"])),
    Refused("a path of too many segments", 400, "scopes", said(scopes=["a/" * 1000])),
    Refused("a path that is too long", 400, "scopes", said(scopes=["a" * 10_000])),
    Refused("too many clauses", 400, "scopes", said(scopes=[f"org/{number}" for number in range(1000)])),
    Refused("a number as scopes of a session", 400, "scopes", {"scopes": 5}, "/sessions"),
    Refused("metadata with a NUL", 400, "metadata", {"metadata": "a\0b"}, "/sessions"),
    Refused("metadata with a lone surrogate", 400, "metadata", {"metadata": ["\ud800"]}, "/sessions"),
    Refused("metadata keyed by a lone surrogate", 400, "metadata", {"metadata": {"\udfff": 1}}, "/sessions"),
    Refused("no messages", 400, "messages", {}, "/facts/batch"),
    Refused("an empty batch", 400, "messages", batch(), "/facts/batch"),
    Refused("an object as messages", 400, "messages", {"messages": {"role": "user"}}, "/facts/batch"),
    Refused("a string as message", 400, "messages.0", batch("Hello."), "/facts/batch"),
    Refused("a message without a role", 400, "messages.0.role", batch({"content": "Hello."}), "/facts/batch"),
    Refused("a message without content", 400, "messages.0.content", batch({"role": "user"}), "/facts/batch"),
    Refused("a blank message", 400, "messages.0.content", batch({"role": "user", "content": " "}), "/facts/batch"),
    Refused(
        "a second message with a NUL",
        400,
        "messages.1.content",
        batch({"role": "user", "content": "Hi."}, {"role": "user", "content": "\0"}),
        "/facts/batch",
    ),
    Refused(
        "a message at no time",
        400,
        "messages.0.ts",
        batch({"role": "user", "content": "Hello.", "ts": "noon"}),
        "/facts/batch",
    ),
    Refused(
        "too many messages", 400, "messages", batch(*[{"role": "user", "content": "Hello."}] * 501), "/facts/batch"
    ),
    Refused(
        "an unknown way to extract",
        400,
        "extract",
        batch({"role": "user", "content": "Hello."}, extract="some"),
        "/facts/batch",
    ),
    Refused(
        "triples in a batch",
        400,
        "infer",
        batch({"role": "user", "content": "Hello."}, infer="triples"),
        "/facts/batch",
    ),
)
TRIPLES = (
    Refused("no triples", 400, "triples", {"infer": "triples"}),
    Refused("an empty list of triples", 400, "triples", {"infer": "triples", "triples": []}),
    Refused("triples in another mode", 400, "triples", said(triples=[{"entity": BOB}])),
    Refused("an object as triples", 400, "triples", {"infer": "triples", "triples": {"entity": BOB}}),
    Refused("a string as triple", 400, "triples.0", {"infer": "triples", "triples": ["Bob"]}),
    Refused("a triple of nothing", 400, "triples.0.entity", {"infer": "triples", "triples": [{}]}),
    Refused("a string as entity", 400, "triples.0.entity", {"infer": "triples", "triples": [{"entity": "Bob"}]}),
    Refused("an entity without a name", 400, "entity.name", {"infer": "triples", "triples": [{"entity": {}}]}),
    Refused("a number as value", 400, "triples.0.value", triple(key="age", value=40)),
    Refused("a list as value", 400, "triples.0.value", triple(key="age", value=["40"])),
    Refused("a number as key", 400, "triples.0.key", triple(key=1, value="40")),
    Refused("a value with a NUL", 400, "triples.0.value", triple(key="age", value="\0")),
    Refused("a key with a lone surrogate", 400, "triples.0.key", triple(key="\ud800", value="40")),
    Refused("a confidence above 1", 400, "triples.0.confidence", triple(key="age", value="40", confidence=2)),
    Refused("a confidence below 0", 400, "triples.0.confidence", triple(key="age", value="40", confidence=-0.1)),
    Refused("a string as confidence", 400, "triples.0.confidence", triple(key="age", value="40", confidence="0.5")),
    Refused("a truth as confidence", 400, "triples.0.confidence", triple(key="age", value="40", confidence=True)),
    Refused("an action at no time", 400, "triples.0.occurred_at", triple(verb="ran", occurred_at="noon")),
    Refused("a relation from no time", 400, "triples.0.valid_from", triple(key="knows", target=BOB, valid_from=5)),
    Refused("too many triples", 400, "triples", {"infer": "triples", "triples": [{"entity": BOB}] * 257}),
    Refused("a value and a target", 422, "triples.0", triple(key="age", value="40", target=BOB)),
    Refused("a value and a verb", 422, "triples.0", triple(value="40", verb="ran")),
    Refused("a target and a verb", 422, "triples.0", triple(target=BOB, verb="ran")),
    Refused("an action with a key", 422, "triples.0", triple(verb="ran", key="sport")),
    Refused("a value without a key", 422, "triples.0", triple(value="40")),
    Refused("a target without a key", 422, "triples.0", triple(target=BOB)),
    Refused("a key without a value", 422, "triples.0", triple(key="age")),
    Refused("a key with a null value", 422, "triples.0", triple(key="age", value=None)),
    Refused("a blank key", 422, "triples.0.key", triple(key=" ", value="40")),
    Refused("a blank value", 422, "triples.0.value", triple(key="age", value="")),
    Refused("a blank verb", 422, "triples.0.verb", triple(verb=" ")),
    Refused("a blank name", 422, "triples.0.entity.name", {"infer": "triples", "triples": [{"entity": {"name": " "}}]}),
    Refused("a blank name of a target", 422, "triples.0.target.name", triple(key="knows", target={"name": "\n"})),
    Refused(
        "a blank type", 422, "triples.0.entity.type", {"infer": "triples", "triples": [{"entity": {**BOB, "type": ""}}]}
    ),
    Refused("a key with a control character", 422, "triples.0.key", triple(key="a\x01b", value="40")),
    Refused("an endless key", 422, "triples.0.key", triple(key="k" * 1000, value="40")),
    Refused("an endless value", 422, "triples.0.value", triple(key="age", value="v" * 10_000)),
    Refused(
        "an endless name",
        422,
        "triples.0.entity.name",
        {"infer": "triples", "triples": [{"entity": {"name": "n" * 999}}]},
    ),
    Refused(
        "the second of two",
        422,
        "triples.1",
        {"infer": "triples", "triples": [{"entity": BOB}, {"entity": BOB, "key": "age"}]},
    ),
    Refused(
        "an attribute with an end", 422, "triples.0", triple(key="age", value="40", valid_until="2024-01-01T00:00:00Z")
    ),
    Refused(
        "an end before the beginning",
        422,
        "triples.0",
        triple(key="knows", target=BOB, valid_from="2024-01-01T00:00:00Z", valid_until="2023-01-01T00:00:00Z"),
    ),
)
SESSIONS = (
    Refused("a session that does not exist", 403, "", said(session_id=NO_SESSION)),
    Refused("a prefixed session that does not exist", 403, "", said(session_id=f"sess:{NO_SESSION}")),
    Refused("a session whose id is none", 403, "", said(session_id="sess_unknown")),
    Refused(
        "a session that does not exist, for a batch",
        403,
        "",
        batch({"role": "user", "content": "Hello."}, session_id=NO_SESSION),
        "/facts/batch",
    ),
)
ALL_REFUSED = BODIES + FIELDS + TRIPLES + SESSIONS


@pytest.mark.parametrize("case", ALL_REFUSED, ids=lambda case: str(case.what))
def test_what_can_not_be_kept_is_refused_with_a_reason(rest: httpx.Client, case: Refused) -> None:
    message = assert_error(send(rest, case.path, case.body), case.status)
    assert case.word in message


def test_no_refused_write_left_anything(server: ServerProcess) -> None:
    context = new_context(server, "only bad input")
    with context.client() as rest:
        for case in ALL_REFUSED:
            if case.status in (403, 422):
                assert send(rest, case.path, case.body).status_code >= 400, case.what
        assert content(rest.get("/sessions"))["sessions"] == []
        assert content(rest.get("/entities"))["entities"] == []


PATHS = (
    ("GET", f"/sessions/{NO_SESSION}", 404),
    ("GET", f"/sessions/{NO_SESSION}/turns", 404),
    ("DELETE", f"/sessions/{NO_SESSION}", 404),
    ("GET", "/sessions/nothing", 404),
    ("GET", "/sessions/%00/turns", 400),
    ("GET", "/sessions/%ED%A0%80", 404),
    ("GET", f"/sessions/{'x' * 5000}", 404),
    ("GET", "/entities/person/nobody", 404),
    ("GET", "/entities/person/nobody/history/age", 404),
    ("GET", "/entities/person/a%00b", 400),
    ("GET", "/entities/a%00b/alice", 400),
    ("GET", "/entities/person/%ED%A0%80", 404),
    ("GET", f"/entities/person/{'x' * 5000}", 404),
    ("GET", "/entities/person/a%00b/history/age", 400),
    ("DELETE", "/entities/person/a%00b", 400),
    ("GET", "/entities?limit=x", 400),
    ("GET", "/entities?offset=-1", 400),
    ("GET", "/entities?count=maybe", 400),
    ("GET", "/corrections?entity=alice", 400),
)


@pytest.mark.parametrize(("method", "path", "status"), PATHS, ids=lambda part: str(part)[:40])
def test_a_path_to_nothing_is_answered_and_not_stumbled_over(
    rest: httpx.Client, method: str, path: str, status: int
) -> None:
    answer = rest.request(method, path)
    if status < 300:
        assert answer.status_code == status
    else:
        assert_error(answer, status)


@pytest.mark.parametrize(
    "path",
    [
        "/entities/person/bob/history/a%00b",
        "/entities?type=%00",
        "/corrections?key=%00",
        "/corrections?entity=person/%00",
    ],
)
def test_a_nul_in_what_is_asked_for_finds_nothing_or_is_refused(rest: httpx.Client, path: str) -> None:
    content(rest.post("/facts", json=triple(key="age", value="40")))
    answer = rest.get(path)
    if answer.status_code == 200:
        assert [row for name, rows in answer.json().items() if name != "page" for row in rows] == []
    else:
        assert answer.status_code in (400, 404)
        assert_error(answer, answer.status_code)


# --- kept --------------------------------------------------------------------------------------

TEXTS = {
    "right to left": "שלום, אני אליס. مرحبا",
    "bidi controls": "a\u202eb\u2066c\u2069",
    "zero width": "zero\u200bwidth\u200c\u200d\ufeff",
    "nothing but zero width": "\u200b",
    "emoji": "👩\u200d👩\u200d👧\u200d👦 🏳️\u200d🌈 🇩🇪",
    "control characters": "\x01\x02\x07\x08\x0b\x1b[31mred\x1b[0m\x7f\x85\x9f",
    "line ends": "one\r\ntwo\rthree\u2028four\u2029five",
    "combining marks": "Z" + "\u0335\u0489" * 200,
    "the last code point": "\U0010ffff and \ufffe and \uffff",
    "paired surrogate escapes": "\U0001f600",
    "SQL": "'; DROP TABLE events; -- %s %(a)s {0} $1",
    "markup": "<script>alert('x')</script> {{7*7}} ${7*7}",
    "escapes in letters": r"\u0000 \ud800 \x00 \n",
    "outer blanks": "  kept as it is  \n",
    "composed and decomposed": "é e\u0301 ﬁ Å",
}


@pytest.mark.parametrize("infer", ["full", "none"])
@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_odd_words_are_kept_to_the_letter(rest: httpx.Client, text: str, infer: str) -> None:
    written = content(send(rest, "/facts", {"text": text, "infer": infer}))
    (turn,) = content(rest.get(f"/sessions/{written['sessionId']}/turns"))["turns"]
    assert turn["content"] == text


@pytest.mark.parametrize("text", [text for name, text in TEXTS.items() if name != "control characters"])
def test_odd_values_are_kept_under_odd_names(rest: httpx.Client, text: str) -> None:
    name = " ".join(text.split())[:50]
    body = {"infer": "triples", "triples": [{"entity": {"type": "topic", "name": name}, "key": "motto", "value": text}]}
    content(send(rest, "/facts", body))
    path = f"/entities/topic/{escaped(name)}"
    assert content(rest.get(path))["entity"]["name"] == name
    (version,) = content(rest.get(f"{path}/history/motto"))["history"]
    assert version["value"] == " ".join(text.split())


METADATA: dict[str, Any] = {
    "type tags": {"_type_": "datetime_iso", "_data_": "2024-01-01T00:00:00", "in": [{"_type_": "x", "_data_": []}]},
    "only type tags": {"_type_": "uuid_hex", "_data_": "nothing"},
    "null": None,
    "a truth": False,
    "an empty list": [],
    "an empty key": {"": {"": ""}},
    "large numbers": [2**63 - 1, -(2**53), 1.7976931348623157e308, 5e-324, 0.1],
    "escapes in letters": {r"\u0000": r"\ud800 C:\u0000"},
    "emoji": {"👩\u200d👧": "🏳️\u200d🌈"},
    "a long string": "a" * 500_000,
    "nested": json.loads("[" * 100 + "]" * 100),
}


@pytest.mark.parametrize("metadata", METADATA.values(), ids=METADATA)
def test_metadata_is_read_back_as_it_was_given(rest: httpx.Client, metadata: Any) -> None:
    session_id = content(send(rest, "/sessions", {"metadata": metadata}), 201)["id"]
    assert content(rest.get(f"/sessions/{session_id}"))["metadata"] == metadata


@pytest.mark.parametrize("depth", [100, 500, 900, 950, 960, 970, 975, 980, 985, 990, 1000, 2000])
@pytest.mark.parametrize("brackets", [(b"[", b"]"), (b'{"a": ', b"}")], ids=["lists", "objects"])
def test_what_nests_too_deeply_to_be_read_back_is_never_taken(
    rest: httpx.Client, brackets: tuple[bytes, bytes], depth: int
) -> None:
    raw = brackets[0] * depth + b"1" + brackets[1] * depth
    answer = send(rest, "/sessions", metadata(raw))
    if answer.status_code == 201:
        answer = rest.get(f"/sessions/{answer.json()['id']}")
        assert answer.status_code == 200
        assert raw.replace(b" ", b"") in answer.content.replace(b" ", b"")
    else:
        assert "deep" in assert_error(answer, 400)


@pytest.mark.parametrize("size", [BODY_BYTES_MAX - 1, BODY_BYTES_MAX])
def test_a_body_up_to_the_limit_is_kept(rest: httpx.Client, size: int) -> None:
    body = sized(size)
    assert len(body) == size
    written = content(send(rest, "/facts", body))
    (turn,) = content(rest.get(f"/sessions/{written['sessionId']}/turns"))["turns"]
    assert turn["content"] == json.loads(body)["text"]


def test_unknown_fields_are_ignored(rest: httpx.Client) -> None:
    unknown = {"mood": "good", "__proto__": {"a": 1}, "turnId": NO_SESSION, "addressees": ["Bob"], "position": -1}
    written = content(send(rest, "/facts", said(**unknown)))
    assert written["turnId"] != NO_SESSION
    body = {"infer": "triples", "triples": [{"entity": {**BOB, "id": 5}, "key": "age", "value": "41", "source": 7}]}
    content(send(rest, "/facts", body))
    content(send(rest, "/sessions", {"id": NO_SESSION, "createdAt": 5}), 201)


@pytest.mark.parametrize("field", ["role", "session_id", "scopes", "memory_category", "observed_at"])
def test_null_means_not_given(rest: httpx.Client, field: str) -> None:
    content(send(rest, "/facts", said(**{field: None})))


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("0002-01-01T00:00:00Z", "0002-01-01T00:00:00.000000Z"),
        ("1582-10-10T12:00:00Z", "1582-10-10T12:00:00.000000Z"),
        ("1969-12-31T23:59:59.999999Z", "1969-12-31T23:59:59.999999Z"),
        ("2024-02-29T23:00:00-05:00", "2024-03-01T04:00:00.000000Z"),
        ("9997-12-31T23:59:59Z", "9997-12-31T23:59:59.000000Z"),
    ],
)
@pytest.mark.parametrize("infer", ["full", "none"])
def test_any_time_far_past_or_future_can_be_observed(rest: httpx.Client, given: str, kept: str, infer: str) -> None:
    body = {"text": "I moved to Rome last month and will move to Oslo in 30 years.", "infer": infer}
    written = content(send(rest, "/facts", {**body, "observed_at": given}))
    (turn,) = content(rest.get(f"/sessions/{written['sessionId']}/turns"))["turns"]
    assert turn["createdAt"] == kept


def test_a_closed_session_takes_no_more_words_and_can_still_be_read(rest: httpx.Client) -> None:
    session_id = content(send(rest, "/facts", said()))["sessionId"]
    assert rest.delete(f"/sessions/{session_id}").status_code == 204

    for infer in ("full", "preview", "none"):
        assert_error(send(rest, "/facts", said(session_id=session_id, infer=infer)), 409)
    assert_error(send(rest, "/facts", {**triple(key="age", value="40"), "session_id": session_id}), 409)
    message = {"role": "user", "content": "Hello."}
    assert_error(send(rest, "/facts/batch", batch(message, session_id=session_id)), 409)

    assert content(rest.get(f"/sessions/{session_id}"))["turnCount"] == 1
    assert len(content(rest.get(f"/sessions/{session_id}/turns"))["turns"]) == 1


# --- random ------------------------------------------------------------------------------------

# Every code point, lone surrogates too.
ANY_TEXT = st.text(st.characters(), max_size=60)
SEGMENT = st.text(st.characters(exclude_characters="/"), min_size=1, max_size=20)
ANY_NAME = st.text(st.characters(), min_size=1, max_size=20)
KEYS = st.sampled_from(["age", "Job Title", "location", "Größe", "a-b"]) | SEGMENT


def escaped(name: str) -> str:
    """A name as a path segment, white space collapsed as in the stored name; dots too, which a client would resolve."""
    return quote(" ".join(name.split()), safe="").replace(".", "%2E")


@settings(max_examples=50, deadline=None)
@given(text=ANY_TEXT, observed_at=st.none() | st.datetimes().map(lambda moment: moment.isoformat() + "Z"))
@example(text="I'm \u200b and I live in \u202e.", observed_at="0001-01-01T00:00:00Z")
@example(text="I moved to Berlin 99999 years ago", observed_at="9997-12-31T23:59:59Z")
def test_any_words_are_kept_or_refused(rest: httpx.Client, text: str, observed_at: str | None) -> None:
    answer = send(rest, "/facts", {"text": text, "observed_at": observed_at})
    if answer.status_code == 200:
        (turn,) = content(rest.get(f"/sessions/{answer.json()['sessionId']}/turns"))["turns"]
        assert turn["content"] == text
    else:
        assert_error(answer, 400)


@settings(max_examples=50, deadline=None)
@given(kind=SEGMENT, name=ANY_NAME, key=KEYS, value=ANY_TEXT, target=st.none() | ANY_NAME)
@example(kind="person", name="ß", key="İ", value="ﬃ", target=None)
@example(kind="person", name="..", key=".", value="x", target=None)
@example(kind="person", name="a/", key="b", value="x", target="/")
@example(kind="person", name="\u00a8", key="\u037a", value="\u00b4", target="\u1fbf")
def test_any_triple_is_kept_and_can_be_read_back_or_is_refused(
    rest: httpx.Client, kind: str, name: str, key: str, value: str, target: str | None
) -> None:
    body = triple(key=key, **({"value": value} if target is None else {"target": {"type": kind, "name": target}}))
    body["triples"][0]["entity"] = {"type": kind, "name": name}
    answer = send(rest, "/facts", body)
    if answer.status_code != 200:
        assert answer.status_code in (400, 422)
        assert_error(answer, answer.status_code)
        return
    path = f"/entities/{escaped(kind)}/{escaped(name)}"
    entity = content(rest.get(path))
    if target is None:
        newest, *_ = content(rest.get(f"{path}/history/{escaped(key)}"))["history"]
        assert newest["value"] == " ".join(value.split())
    else:
        assert entity["relations"]


def test_after_all_of_it_the_log_is_whole_and_the_read_models_follow_from_it(
    server: ServerProcess, context: Context, rest: httpx.Client
) -> None:
    content(send(rest, "/facts", said()))
    done = server.command("verify", "--json")
    assert done.returncode == 0, done.stdout + done.stderr
    checked = {one["context_id"]: one for one in json.loads(done.stdout)}
    assert checked[context.name]["events"] > 0
    assert {one["problem"] for one in checked.values()} == {None}
