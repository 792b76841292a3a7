"""Commands over the log of this machine's database: what changed, moving a context, and erasures."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO
from uuid import UUID

import click

from api.errors import StartupError
from api.ids import moment
from api.settings.config import from_env
from api.shapes import differences
from memory.erasing import Asked
from memory.errors import Conflict, InvalidRequest, NotFound
from memory.events import ContentErased
from memory.log import Connection
from projections import changes, transfer
from projections.access import every_scope_set
from projections.reading import Reader, snapshot

if TYPE_CHECKING:
    from api.wiring import Services

CONTEXT = click.option("--context", "context_id", help="Default: PALIMPSEST_CONTEXT.")
JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON.")

ERASURES = """
SELECT context_id, position FROM events WHERE topic = 'ContentErased' ORDER BY context_id, position
"""
ERASED_HASHES = "SELECT position, hash FROM events WHERE context_id = %s AND position = ANY(%s)"
STILL_THERE = """
SELECT position, hash FROM events WHERE context_id = %s AND position = ANY(%s) AND payload IS NOT NULL
"""


@click.command()
@click.argument("begin")
@click.argument("end", required=False)
@CONTEXT
@JSON
def diff(begin: str, end: str | None, context_id: str | None, as_json: bool) -> None:
    """Tell what changed after BEGIN and up to END (default: now): positions or RFC 3339 times.

    + learnt, ~ corrected, - ended, x erased.
    """
    context = context_id or from_env().context
    with _opened() as (services, connection), snapshot(connection):
        log = services.log
        _require(connection, context)
        after = differences.position_of(log, connection, context, begin, field="BEGIN")
        until = log.head(connection, context)
        if end:
            until = min(until, differences.position_of(log, connection, context, end, field="END"))
        generation, seen = every_scope_set(connection, context)
        found = changes.between(log, Reader(connection.cursor(), context, generation, seen), after, until)
    if as_json:
        click.echo(json.dumps(differences.shown(found, after, until)))
    else:
        for line in differences.told(found):
            click.echo(line)


@click.command()
@CONTEXT
@click.option("--output", required=True, type=click.Path(dir_okay=False, path_type=Path), help="The file to write.")
@click.option("--without-bytes", is_flag=True, help="Leave out the files of documents: their text stands in the log.")
@JSON
def export(context_id: str | None, output: Path, without_bytes: bool, as_json: bool) -> None:
    """Write a context to a file of JSON lines: all events with their chain, vectors, files. No keys of providers."""
    context = context_id or from_env().context
    lines = 0
    with _opened() as (services, connection), new_file(output) as file:
        for line in transfer.exported(services.log, connection, context, files=not without_bytes):
            file.write(line)
            lines += 1
    told = {"context": context, "lines": lines, "file": str(output)}
    click.echo(json.dumps(told) if as_json else f"{context}: {lines} lines written to {output}")


@click.command("import")
@click.argument("source", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@CONTEXT
@JSON
def import_context(source: Path, context_id: str | None, as_json: bool) -> None:
    """Read an exported context into an empty one, which is made if need be. A damaged file is refused whole."""
    context = context_id or from_env().context

    def read() -> Iterator[bytes]:
        with source.open("rb") as file:
            yield from file

    with _opened() as (services, connection):
        moved = transfer.imported(services.log, connection, context, read)
    told = {"context": context, "events": moved.events, "vectors": moved.vectors, "parts": moved.parts}
    shown = f"{context}: {moved.events} events, {moved.vectors} vectors, {moved.parts} parts of files"
    click.echo(json.dumps(told) if as_json else shown)


@click.command()
@click.option("--scrub", is_flag=True, help="Clean the disk of what was erased; needs the database owner's rights.")
@click.option("--export", "target", type=click.Path(dir_okay=False, path_type=Path), help="Write them to a file.")
@click.option(
    "--apply",
    "source",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Carry the erasures of a file out here, as on a restored backup.",
)
@JSON
def erasures(scrub: bool, target: Path | None, source: Path | None, as_json: bool) -> None:
    """List erasures, or clean the disk of them, or carry them over to a restored backup."""
    with _opened() as (services, connection):
        if source is not None:
            applied = apply_erasures(services, connection, source)
            click.echo(json.dumps({"erased": applied}) if as_json else f"{applied} contents erased")
        if scrub:
            from api.work.scrubbing import scrub as scrub_disk

            done = scrub_disk(services.database.url)
            click.echo(json.dumps({"scrubbed": len(done)}) if as_json else f"the disk is clean of {len(done)} erasures")
        if target is not None:
            lines = [json.dumps(one) for one in erasures_told(services, connection)]
            try:
                target.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
            except OSError as error:
                raise StartupError(f"{target} can't be written: {error.strerror}") from error
            click.echo(json.dumps({"erasures": len(lines)}) if as_json else f"{len(lines)} erasures in {target}")
        if not (scrub or target or source):
            for one in erasures_told(services, connection):
                shown = {name: value for name, value in one.items() if name != "events"}
                click.echo(json.dumps(shown) if as_json else f"{one['context']}  {one['at']}  {one['reason']}")


def erasures_told(services: "Services", connection: Connection) -> Iterator[dict[str, Any]]:
    """Every erasure with the positions and hashes of what it took: a backup of the log has the same hashes."""
    for context_id, position in connection.execute(ERASURES).fetchall():
        (one,) = services.log.at(connection.cursor(), context_id, [position])
        assert isinstance(one.event, ContentErased)
        taken = [at for first, last in one.event.ranges for at in range(first, last + 1)]
        hashes = connection.execute(ERASED_HASHES, [context_id, taken]).fetchall()
        yield {
            "context": context_id,
            "erasure": str(one.event.erasure_id),
            "reason": one.event.reason,
            "at": moment(one.recorded_at),
            "principal": str(one.origin.principal_id) if one.origin.principal_id else None,
            "query_digest": one.event.query_digest,
            "events": [[at, row_hash.hex()] for at, row_hash in hashes],
        }


def apply_erasures(services: "Services", connection: Connection, source: Path) -> int:
    """Erase here what a file says was erased elsewhere, as far as it is the same event. Returns how many."""
    erased = 0
    for one in _read_erasures(source):
        there = connection.execute(STILL_THERE, [one.context_id, list(one.hashes)]).fetchall()
        positions = [at for at, row_hash in there if one.hashes[at] == row_hash]
        if not positions:
            continue
        try:
            with services.log.writing(one.context_id) as writing:
                erased += services.erasing.erase(writing, positions, one.asked)
        except NotFound:
            continue
    return erased


@dataclass(frozen=True, slots=True)
class _Erasure:
    """One line of a file of erasures. hashes: of the events that it took, by position."""

    context_id: str
    asked: Asked
    hashes: dict[int, bytes]


def _read_erasures(source: Path) -> list[_Erasure]:
    """Raises InvalidRequest for any other file."""
    try:
        lines = map(json.loads, source.read_text(encoding="utf-8").splitlines())
        return [
            _Erasure(
                str(one["context"]),
                Asked(
                    UUID(one["erasure"]),
                    UUID(one["principal"]) if one["principal"] else None,
                    str(one["reason"]),
                    one["query_digest"],
                ),
                {int(at): bytes.fromhex(row_hash) for at, row_hash in one["events"]},
            )
            for one in lines
        ]
    except (ValueError, KeyError, TypeError, AttributeError, OSError) as error:
        raise InvalidRequest(f"{source} is no file of erasures") from error


@contextmanager
def new_file(path: Path) -> Iterator[BinaryIO]:
    """A file that was not there, and is not if writing it fails. Raises StartupError if it can't be made."""
    try:
        file = path.open("xb")
    except OSError as error:
        raise StartupError(f"{path} can't be written: {error.strerror}") from error
    try:
        with file:
            yield file
    except BaseException:
        path.unlink()
        raise


@contextmanager
def _opened() -> Iterator[tuple["Services", Connection]]:
    from api import wiring

    with wiring.services(from_env()) as services, services.database.connect() as connection:
        yield services, connection


def _require(connection: Connection, context_id: str) -> None:
    found = connection.execute("SELECT 1 FROM contexts WHERE context_id = %s AND deleted_at IS NULL", [context_id])
    if found.fetchone() is None:
        raise Conflict(f"there is no context {context_id!r}")
