"""Commands about documents: upload and watch them being read, list, show, search, delete."""

import json
import time
from pathlib import Path
from typing import Any

import click
import httpx
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from api.client.errors import Unreachable
from api.client.requests import Request, content_of, segment
from api.client.spectron import BlockingSpectron
from api.client.transport import BlockingTransport
from api.terminal import tables
from api.terminal.commands import as_json_option, asks_server, show

STAGES = ("queued", "extracting", "chunking", "embedding", "keywording", "extracting_nodes", "ready")
LOOK_S = 0.2
UPLOAD_TIMEOUT_S = 300.0


@click.group()
def documents() -> None:
    """Upload documents, watch them being read, list and search them."""


@documents.command("upload")
@click.argument("files", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--title", help="The title; default: the name of the file.")
@click.option("--source", help="Where it comes from; default: the name of the file.")
@click.option("--scope", "scopes", multiple=True, help="A scope path; several are an OR.")
@click.option("--label", "labels", multiple=True, help="A label; may be given more than once.")
@click.option("--observed-at", "observedAt", help="When what it says was so (RFC 3339).")
@click.option("--own-date", "observedAtHeader", help="Take that time from the document's own header, as creationdate.")
@click.option("--watch", is_flag=True, help="Wait until each is ready, with a progress bar.")
@as_json_option
@asks_server
def upload(
    files: tuple[Path, ...],
    scopes: tuple[str, ...],
    labels: tuple[str, ...],
    watch: bool,
    as_json: bool,
    *,
    memory: BlockingSpectron,
    **given: Any,
) -> None:
    """Add documents. With --watch, a document that can't be read ends the command with status 1."""
    metadata = {name: value for name, value in given.items() if value is not None}
    metadata |= {"scopes": list(scopes)} if scopes else {}
    metadata |= {"labels": list(labels)} if labels else {}
    answers = [_sent(memory, path, metadata) for path in files]
    found = answers
    if watch:
        found = _watched(memory, [answer["id"] for answer in answers], quiet=as_json)
    if as_json:
        click.echo(json.dumps(found, ensure_ascii=False))
    else:
        named = [{"title": path.name, **one} for path, one in zip(files, found, strict=True)]
        show(named, [tables.documents(named)], as_json=False)
    if any(one["status"] == "failed" for one in found):
        raise SystemExit(1)


def _sent(memory: BlockingSpectron, path: Path, metadata: dict[str, Any]) -> Any:
    """The answer to an upload. Read from the disk as it goes, and not by `send`, whose bodies are JSON."""
    form = {"metadata": json.dumps(metadata)}
    assert isinstance(memory.transport, BlockingTransport)
    try:
        with path.open("rb") as file:
            sent = memory.transport.http.post(
                "/documents", data=form, files={"file": (path.name, file)}, timeout=UPLOAD_TIMEOUT_S
            )
    except httpx.TransportError as error:
        raise Unreachable(str(error)) from error
    return content_of(sent)


def _watched(memory: BlockingSpectron, ids: list[str], *, quiet: bool) -> list[Any]:
    """The documents once all are ready or failed; a bar each meanwhile."""
    progress = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.fields[stage]}"),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=Console(stderr=True),
        disable=quiet,
    )
    with progress:
        bars = {one: progress.add_task(one, total=len(STAGES) - 1, stage="queued") for one in ids}
        while True:
            found = [_document(memory, one) for one in ids]
            for one, shown in zip(ids, found, strict=True):
                status = str(shown["status"])
                at = shown.get("progress") or {}
                share = at["done"] / at["of"] if at.get("of") else 0.0
                place = STAGES.index(status) if status in STAGES else 0
                detail = f"{status} {share:.0%}" if share else status
                progress.update(bars[one], completed=place + share, stage=detail, description=shown["title"])
            if all(shown["status"] in ("ready", "failed") for shown in found):
                return found
            time.sleep(LOOK_S)


@documents.command("list")
@click.option("--status", help="Only documents at this stage, such as ready or failed.")
@click.option("--limit", type=click.IntRange(1, 500), default=50, show_default=True)
@as_json_option
@asks_server
def list_documents(status: str | None, limit: int, as_json: bool, *, memory: BlockingSpectron) -> None:
    """List documents, newest first."""
    parameters = {"limit": limit, **({"status": status} if status else {})}
    answer = memory.transport.send(Request("GET", "/documents", parameters=parameters, repeatable=True))
    show(answer, [tables.documents(answer["documents"])], as_json=as_json)


@documents.command("show")
@click.argument("document_id")
@as_json_option
@asks_server
def show_document(document_id: str, as_json: bool, *, memory: BlockingSpectron) -> None:
    """Show a document and its chunks."""
    found = _document(memory, document_id)
    path = f"/documents/{segment(document_id)}/chunks"
    chunks = memory.transport.send(Request("GET", path, parameters={"limit": 500}, repeatable=True))["chunks"]
    show({**found, "chunks": chunks}, [*tables.nested(found), tables.chunks(chunks)], as_json=as_json)


@documents.command("query")
@click.argument("query")
@click.option("--limit", "-k", "k", type=click.IntRange(1, 50), default=5, show_default=True)
@click.option(
    "--mode",
    type=click.Choice(["hybrid", "vector", "bm25", "hybrid_graph"]),
    default="hybrid",
    show_default=True,
)
@as_json_option
@asks_server
def query(query: str, k: int, mode: str, as_json: bool, *, memory: BlockingSpectron) -> None:
    """Find passages of documents, best first."""
    body = {"query": query, "k": k, "mode": mode}
    answer = memory.transport.send(Request("POST", "/documents/query", body, repeatable=True))
    show(answer, [tables.found_chunks(answer["results"])], as_json=as_json)


@documents.command("delete")
@click.argument("document_id")
@asks_server
def delete(document_id: str, *, memory: BlockingSpectron) -> None:
    """Delete a document: nobody finds it any more."""
    memory.transport.send(Request("DELETE", f"/documents/{segment(document_id)}"))
    click.echo(f"deleted {document_id}")


def _document(memory: BlockingSpectron, document_id: str) -> Any:
    return memory.transport.send(Request("GET", f"/documents/{segment(document_id)}", repeatable=True))
