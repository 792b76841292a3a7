"""A model's provider that answers at once: what a write costs beside the model, and what it sends it."""

import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from tests.providers import answer, attribute

# What a message is enclosed in, see `memory.extraction.model.extractor`.
_MESSAGE = re.compile(r"<<<(\w{8})\n(.*?)\n\1>>>\s*$", re.DOTALL)


class Stub:
    """prompts: characters of each prompt that came."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.prompts: list[int] = []


@contextmanager
def model_stub() -> Iterator[Stub]:
    """Answers each turn with one attribute whose words are the turn's first three."""
    stub = Stub("")

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            stub.prompts.append(sum(len(message["content"]) for message in asked["messages"]))
            body = json.dumps(_completion(asked["messages"][-1]["content"])).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    stub.url = f"http://127.0.0.1:{server.server_port}/v1"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield stub
    finally:
        server.shutdown()
        server.server_close()


def _completion(told: str) -> dict[str, object]:
    found = _MESSAGE.search(told)
    words = " ".join(found[2].split()[:3]) if found else ""
    content = answer(attributes=[attribute("USER", "says", words, words, many=True)] if words else [])
    return {
        "id": "stub",
        "object": "chat.completion",
        "created": 0,
        "model": "stub",
        "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": content}}],
        "usage": {"prompt_tokens": len(told) // 4, "completion_tokens": 80, "total_tokens": len(told) // 4 + 80},
    }
