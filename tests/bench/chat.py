"""`make bench NAME=chat`: what a chat costs beside its model. About a minute.

A provider in this process answers at once, and notes when it was asked and when it sent its first token. The
server is a process of its own, its models loaded; the questions' vectors are known to it after a first round,
so embedding them is not in the figures. Wall clock, over one kept-alive connection.

1. Own time before the model: from the request's sending to its arrival at the provider, streamed, p50.
2. First token: from the provider's sending it to the client's having it, p50; and the same without us.
3. Processor time of the server per chat: window, retrieval, prompt, reply, both turns stored, the user's read.
"""

import asyncio
import json
import statistics
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import httpx

from tests.bench import processes
from tests.bench.figures import Figures
from tests.bench.write import wait_for_models
from tests.servers import ServerProcess, public_folder

CHATS = 100
FACTS = 300
TURNS = 300
QUESTIONS = [f"Where does Somebody {number} live?" for number in range(10)]
CITIES = ("Berlin", "Oslo", "Lima", "Kyiv", "Bern")
TOKENS = ("They", " live", " in", " Oslo", " [S1]", ".")


class Provider:
    """Speaks just enough of OpenAI's protocol. asked, sent: when a request came, and its first token went out."""

    def __init__(self) -> None:
        self.asked: list[float] = []
        self.sent: list[float] = []
        self.url = ""
        self._loop = asyncio.new_event_loop()
        self._ready = threading.Event()

    @contextmanager
    def running(self) -> Iterator["Provider"]:
        thread = threading.Thread(target=self._run, daemon=True)
        thread.start()
        self._ready.wait()
        try:
            yield self
        finally:
            self._loop.call_soon_threadsafe(self._loop.stop)
            thread.join()

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        server = self._loop.run_until_complete(asyncio.start_server(self._serve, "127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
        self._ready.set()
        self._loop.run_forever()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                length = next(int(line[15:]) for line in head.lower().split(b"\r\n") if line[:15] == b"content-length:")
                body = json.loads(await reader.readexactly(length))
                self.asked.append(time.monotonic())
                await (self._stream(writer) if body.get("stream") else self._answer(writer))
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    async def _stream(self, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n")
        for number, token in enumerate((*TOKENS, "")):
            choice = {"index": 0, "delta": {"content": token}, "finish_reason": None if token else "stop"}
            chunk = {"id": "c", "object": "chat.completion.chunk", "created": 0, "model": "m", "choices": [choice]}
            _chunked(writer, f"data: {json.dumps(chunk)}\n\n".encode())
            if number == 0:
                self.sent.append(time.monotonic())
            await writer.drain()
        _chunked(writer, b"data: [DONE]\n\n")
        _chunked(writer, b"")
        await writer.drain()

    async def _answer(self, writer: asyncio.StreamWriter) -> None:
        message = {"role": "assistant", "content": "".join(TOKENS)}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        answer = {
            "id": "c",
            "object": "chat.completion",
            "created": 0,
            "model": "m",
            "choices": [choice],
            "usage": usage,
        }
        content = json.dumps(answer).encode()
        head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(content)}\r\n\r\n"
        writer.write(head.encode() + content)
        await writer.drain()


def _chunked(writer: asyncio.StreamWriter, content: bytes) -> None:
    writer.write(f"{len(content):x}\r\n".encode() + content + b"\r\n")


def main() -> None:
    figures = Figures()
    with public_folder() as home, Provider().running() as provider:
        home.mkdir()
        config = home / "bench.yaml"
        models = {"models": {"response": "openai/bench"}, "providers": {"openai": {"base_url": provider.url}}}
        config.write_text(json.dumps(models), encoding="utf-8")  # JSON is YAML
        with ServerProcess(home, CONFIG=str(config)) as server, server.client() as client:
            wait_for_models(client, server)
            _fill(client)
            _measure_streams(figures, provider, client)
            _measure_direct(figures, provider)
            _measure_cpu(figures, server, client)
    figures.finish()


def _fill(client: httpx.Client) -> None:
    for number in range(FACTS):
        entity = {"type": "person", "name": f"Somebody {number}"}
        triples = [{"entity": entity, "key": "location", "value": CITIES[number % len(CITIES)]}]
        client.post("/facts", json={"infer": "triples", "triples": triples}).raise_for_status()
    for begin in range(0, TURNS, 100):
        messages = [
            {"role": "user", "content": f"Somebody {number} told me about the harbour and the boats."}
            for number in range(begin, begin + 100)
        ]
        client.post("/facts/batch", json={"infer": "none", "messages": messages}).raise_for_status()


def _measure_streams(figures: Figures, provider: Provider, client: httpx.Client) -> None:
    session_id = client.post("/sessions").json()["id"]
    before_ms, token_ms = [], []
    for number in range(CHATS + len(QUESTIONS)):
        body = {"message": QUESTIONS[number % len(QUESTIONS)], "sessionId": session_id, "stream": True}
        began = time.monotonic()
        with client.stream("POST", "/chat", json=body) as answer:
            lines = answer.iter_lines()
            next(line for line in lines if '"delta"' in line)
            first = time.monotonic()
            for _ in lines:
                pass
        if number >= len(QUESTIONS):
            before_ms.append(1000 * (provider.asked[-1] - began))
            token_ms.append(1000 * (first - provider.sent[-1]))
    figures.add("before_model_p50_ms", statistics.median(before_ms), "own time before the model: p50 ms", most=20)
    figures.add("before_model_p95_ms", statistics.quantiles(before_ms, n=20)[-1], "own time before the model: p95 ms")
    figures.add("first_token_p50_ms", statistics.median(token_ms), "first token, provider to client: p50 ms", most=5)


def _measure_direct(figures: Figures, provider: Provider) -> None:
    token_ms = []
    with httpx.Client(base_url=provider.url) as client:
        for _ in range(CHATS):
            with client.stream("POST", "/chat/completions", json={"stream": True}) as answer:
                lines = answer.iter_lines()
                next(lines)
                token_ms.append(1000 * (time.monotonic() - provider.sent[-1]))
                for _ in lines:
                    pass
    figures.add("direct_token_p50_ms", statistics.median(token_ms), "first token without us: p50 ms")


def _measure_cpu(figures: Figures, server: ServerProcess, client: httpx.Client) -> None:
    session_id = client.post("/sessions").json()["id"]
    walls_ms = []
    cpu_began = processes.cpu_s(server.pid)
    for number in range(CHATS):
        began = time.monotonic()
        body = {"message": QUESTIONS[number % len(QUESTIONS)], "sessionId": session_id}
        client.post("/chat", json=body).raise_for_status()
        walls_ms.append(1000 * (time.monotonic() - began))
    cpu_ms = 1000 * (processes.cpu_s(server.pid) - cpu_began) / CHATS
    figures.add("chat_cpu_ms", cpu_ms, "server's CPU ms per chat, local extraction and indexing in it")
    figures.add("chat_p50_ms", statistics.median(walls_ms), "a whole chat: wall clock, p50 ms")


if __name__ == "__main__":
    main()
