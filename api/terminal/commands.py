"""Commands that talk to a server: remember, recall, context, chat, state, history, explain, sessions, login."""

import functools
import json
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar, cast

import click

from api.client.errors import ApiError, Unreachable
from api.client.requests import Request, segment
from api.client.spectron import BlockingSpectron
from api.errors import StartupError
from api.terminal import tables
from api.terminal.target import Target, keep_profile, target

F = TypeVar("F", bound=Callable[..., Any])


@contextmanager
def client_of(url: str | None, api_key: str | None, context_id: str | None) -> Iterator[BlockingSpectron]:
    """A client of the chosen server. What goes wrong becomes one line: raises StartupError."""
    chosen = target(url, api_key, context_id)
    try:
        with BlockingSpectron(chosen.context_id, endpoint=chosen.url, api_key=chosen.api_key) as memory:
            yield memory
    except ApiError as error:
        raise StartupError(str(error)) from error
    except Unreachable as error:
        raise StartupError(f"no answer from {chosen.url}: {error}") from error


def asks_server(command: F) -> F:
    """Adds the options that name a server, and hands over a client of it as `memory`."""

    @functools.wraps(command)
    def with_client(*arguments: Any, url: str | None, api_key: str | None, context_id: str | None, **given: Any) -> Any:
        with client_of(url, api_key, context_id) as memory:
            return command(*arguments, memory=memory, **given)

    for option in (
        click.option("--context-id", help="The context; default: the profile's, else PALIMPSEST_CONTEXT."),
        click.option("--api-key", help="A key of that context."),
        click.option("--url", help="The server, such as http://127.0.0.1:9090."),
    ):
        with_client = option(with_client)
    return cast(F, with_client)


as_json_option = click.option("--json", "as_json", is_flag=True, help="Print the answer as JSON.")


@click.command()
@click.option("--url", required=True, help="The server, such as http://127.0.0.1:9090.")
@click.option("--api-key", prompt=True, hide_input=True, help="A key of the context; asked for if not given.")
@click.option("--context-id", required=True, help="The context.")
def login(url: str, api_key: str, context_id: str) -> None:
    """Keep server, key and context in a profile that only you may read."""
    path = keep_profile(Target(url.rstrip("/"), api_key, context_id))
    click.echo(f"kept in {path}")


@click.command()
@click.argument("text")
@click.option("--session", "session_id", help="The session; default: a new one.")
@click.option("--infer", type=click.Choice(["full", "preview", "none"]), default="full", show_default=True)
@click.option("--role", type=click.Choice(["user", "assistant", "system", "tool"]), default="user", show_default=True)
@click.option("--scope", "scopes", multiple=True, help="A scope path; several are an OR.")
@click.option("--label", "labels", multiple=True, help="A label; may be given more than once.")
@click.option("--as-of", "observed_at", help="When it was said, if not now (ISO 8601).")
@as_json_option
@asks_server
def remember(
    text: str,
    session_id: str | None,
    infer: str,
    role: str,
    scopes: tuple[str, ...],
    labels: tuple[str, ...],
    observed_at: str | None,
    as_json: bool,
    *,
    memory: BlockingSpectron,
) -> None:
    """Store what was said ("-" reads it from standard input) and show what it changed."""
    said = sys.stdin.read() if text == "-" else text
    options: dict[str, Any] = {"observed_at": observed_at} if observed_at else {}
    answer = memory.remember(
        said,
        session_id=session_id,
        infer=infer,
        role=role,
        scopes=list(scopes) or None,
        labels=list(labels) or None,
        **options,
    )
    show(answer, tables.learnt(answer), as_json=as_json)


@click.command()
@click.argument("query")
@click.option("--limit", "-k", "k", type=click.IntRange(1, 50), default=10, show_default=True)
@click.option("--mode", type=click.Choice(["hybrid", "vector", "bm25", "graph"]), default="hybrid", show_default=True)
@click.option("--as-of", "asOf", help="What was known at this time.")
@click.option("--at-instant", "atInstant", help="What the server held then: a time, or position:N.")
@click.option("--valid-from", "validFrom", help="Only what was true after this time.")
@click.option("--valid-until", "validUntil", help="Only what was true before this time.")
@click.option("--label", "labels", multiple=True, help="Only rows with this label.")
@as_json_option
@asks_server
def recall(query: str, as_json: bool, *, memory: BlockingSpectron, labels: tuple[str, ...], **given: Any) -> None:
    """Find what is remembered about a question, best first."""
    options = {name: value for name, value in given.items() if value is not None}
    answer = memory.recall(query, **options, **({"labels": list(labels)} if labels else {}))
    show(answer, tables.hits(answer), as_json=as_json)


@click.command()
@click.argument("query")
@click.option("--session", "session_id", help="Ask within this session.")
@as_json_option
@asks_server
def context(query: str, session_id: str | None, as_json: bool, *, memory: BlockingSpectron) -> None:
    """Print the block of text that a prompt for this question would get."""
    answer = memory.sessions.context(session_id, query) if session_id else memory.query_context(query)
    if as_json:
        show(answer, (), as_json=True)
    else:
        click.echo(answer["context"])


@click.command()
@click.argument("message")
@click.option("--session", "session_id", help="The session; default: a new one.")
@click.option("--model", help="Another response model than the configured one.")
@click.option("--stream", is_flag=True, help="Print the reply as it comes.")
@as_json_option
@asks_server
def chat(
    message: str, session_id: str | None, model: str | None, stream: bool, as_json: bool, *, memory: BlockingSpectron
) -> None:
    """Talk to memory: the reply, and what was learnt from the message."""
    if not stream:
        answer = memory.chat(message, session_id=session_id, model=model)
        if not as_json:
            click.echo(answer["reply"])
    else:
        answer = {}
        for chunk in memory.chat(message, session_id=session_id, model=model, stream=True):
            if chunk["done"]:
                answer = chunk
            elif not as_json:
                click.echo(chunk["delta"], nl=False)
        if not as_json:
            click.echo()
    if as_json:
        show(answer, (), as_json=True)
    else:
        show(answer, tables.changed(answer.get("memoryUpdates") or {}), as_json=False)
        click.echo(f"(session {answer.get('sessionId')})", err=True)


@click.command()
@click.option("--as-of", "asOf", help="What was known at this time.")
@click.option("--at-instant", "atInstant", help="What the server held then: a time, or position:N.")
@as_json_option
@asks_server
def state(as_json: bool, *, memory: BlockingSpectron, **given: Any) -> None:
    """Show all that is known now, by category."""
    answer = memory.state(**{name: value for name, value in given.items() if value is not None})
    show(answer, tables.state(answer), as_json=as_json)


@click.command()
@click.argument("entity")
@click.argument("key")
@as_json_option
@asks_server
def history(entity: str, key: str, as_json: bool, *, memory: BlockingSpectron) -> None:
    """Show all versions of a fact, newest first: history person/alice job_title."""
    answer = memory.transport.send(Request("GET", f"{_entity_path(entity)}/history/{segment(key)}", repeatable=True))
    show(answer, [tables.versions(answer)], as_json=as_json)


@click.group()
def sessions() -> None:
    """List conversations, or show one."""


@sessions.command("list")
@click.option("--limit", type=click.IntRange(1, 500), default=50, show_default=True)
@as_json_option
@asks_server
def list_sessions(limit: int, as_json: bool, *, memory: BlockingSpectron) -> None:
    """List sessions, newest first."""
    answer = memory.transport.send(Request("GET", "/sessions", parameters={"limit": limit}, repeatable=True))
    show(answer, [tables.sessions(answer)], as_json=as_json)


@sessions.command("show")
@click.argument("session_id")
@as_json_option
@asks_server
def show_session(session_id: str, as_json: bool, *, memory: BlockingSpectron) -> None:
    """Show the turns of a session, oldest first."""
    answer = memory.sessions.turns(session_id, limit=500)
    show(answer, [tables.turns(answer)], as_json=as_json)


def remote_story(memory: BlockingSpectron, entity: str, key: str) -> Any:
    """The story of a fact as a server tells it: {chapters, text}."""
    return memory.transport.send(Request("GET", f"{_entity_path(entity)}/explain/{segment(key)}", repeatable=True))


def _entity_path(ref: str) -> str:
    from api.shapes import refs  # it needs more of the server than any other part here

    kind, name = refs.entity_name(ref, field="entity")
    return f"/entities/{segment(kind)}/{segment(name)}"


def show(answer: Any, shown: Iterable[Any], *, as_json: bool) -> None:
    """Print an answer: as JSON, or as what was made of it."""
    if as_json:
        click.echo(json.dumps(answer, ensure_ascii=False))
        return
    console = tables.console()
    for part in shown:
        console.print(part)
