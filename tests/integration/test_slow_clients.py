"""Clients that send slowly, or nothing, are let go; everybody else is served meanwhile."""

import socket
import time
from collections.abc import Iterator
from contextlib import suppress

import pytest

from api.http import bodies, connections
from api.wiring import Services
from tests.chats import Talk, application, openai_at, talk_at

LIMIT_S = 0.3
PATIENCE_S = 10


@pytest.fixture(scope="module")
def url(services: Services) -> Iterator[str]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bodies, "IDLE_S", LIMIT_S)
        patch.setattr(connections, "HEAD_S", LIMIT_S)
        with application(services, openai_at("http://127.0.0.1:9")) as url:
            yield url


@pytest.fixture
def talk(url: str, services: Services) -> Iterator[Talk]:
    with talk_at(url, services) as talk:
        yield talk


def connected(talk: Talk) -> socket.socket:
    host, _, port = talk.url.removeprefix("http://").partition(":")
    return socket.create_connection((host, int(port)), timeout=PATIENCE_S)


def head(talk: Talk, path: str, content_type: str = "application/json") -> bytes:
    target = talk.http.base_url.raw_path.decode() + path.removeprefix("/")
    lines = [
        f"POST {target} HTTP/1.1",
        "Host: here",
        f"Authorization: Bearer {talk.key}",
        f"Content-Type: {content_type}",
        "Content-Length: 1000",
    ]
    return "\r\n".join([*lines, "", ""]).encode()


def received(connection: socket.socket) -> bytes:
    """All until the server closes."""
    parts = []
    while part := connection.recv(65536):
        parts.append(part)
    return b"".join(parts)


def test_a_connection_on_which_nothing_comes_is_closed(talk: Talk) -> None:
    with connected(talk) as connection:
        assert received(connection) == b""


def test_a_head_that_comes_byte_by_byte_is_not_waited_for(talk: Talk) -> None:
    began = time.monotonic()
    with connected(talk) as connection:
        connection.sendall(b"GET /")
        with suppress(OSError):
            while time.monotonic() - began < PATIENCE_S:
                connection.sendall(b"x")
                time.sleep(0.05)
    assert time.monotonic() - began < PATIENCE_S / 2


@pytest.mark.parametrize(
    ("path", "content_type", "begin"),
    [
        ("/facts", "application/json", b"{"),
        ("/chat", "application/json", b"{"),
        ("/documents", "multipart/form-data; boundary=x", b"--x"),
        ("/documents", "application/json", b"{"),
    ],
)
def test_a_body_that_does_not_come_is_answered_408_and_the_connection_closed(
    talk: Talk, path: str, content_type: str, begin: bytes
) -> None:
    with connected(talk) as connection:
        connection.sendall(head(talk, path, content_type) + begin)
        answer = received(connection)
    assert answer.startswith(b"HTTP/1.1 408 ")
    assert b"connection: close" in answer.lower()
    assert b'"status":408' in answer


def test_slow_uploads_leave_room_for_others(talk: Talk) -> None:
    slow = [connected(talk) for _ in range(4)]
    for connection in slow:
        connection.sendall(head(talk, "/documents", "multipart/form-data; boundary=x"))
    files = {"file": ("notes.txt", b"The office is open on Mondays.", "text/plain")}
    assert talk.http.post("/documents", files=files).status_code == 202
    for connection in slow:
        connection.close()


def test_a_connection_that_is_used_stays_open(talk: Talk) -> None:
    for _ in range(2):
        assert talk.http.get("/me").status_code == 200
        time.sleep(LIMIT_S)
