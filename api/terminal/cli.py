"""The `palimpsest` command: thin over the same services that the server uses."""

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, NoReturn

import click
import msgspec

from api import logs
from api.errors import StartupError
from api.ids import moment, parse_session, ulid
from api.postgres.database import lagging_contexts
from api.settings.config import from_env
from api.terminal import extraction, history, story
from api.terminal.commands import COMMANDS, client_of, remote_story
from api.terminal.documents import documents
from api.terminal.progress import event_progress
from memory.errors import PalimpsestError
from memory.known import EntityName
from memory.recorded import StoredRow
from memory.values import attribute_key, entity_type, name_key
from projections import rebuild, verification
from projections.access import every_scope_set
from projections.event_filter import EventFilter
from projections.reading import Reader, snapshot
from projections.table import READ_MODELS_VERSION

if TYPE_CHECKING:
    from api.wiring import Services

EVENT_LIMIT = 100


class _Cli(click.Group):
    """Turns the errors that an operator can do something about into one line and exit status 1."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except (StartupError, PalimpsestError, rebuild.RebuildBusy) as error:
            _fail(str(error))


def _fail(line: str) -> NoReturn:
    click.echo(f"palimpsest: {line}", err=True)
    sys.exit(1)


@click.group(cls=_Cli)
@click.option(
    "-v",
    "--verbose",
    is_flag=True,
    help="Log what is being done, with the words of errors.",
)
def main(verbose: bool) -> None:
    """Palimpsest: a memory server in which nothing is ever overwritten."""
    logs.configure(verbose=verbose)


@main.command()
def serve() -> None:
    """Start the server, with the embedded Postgres unless PALIMPSEST_DATABASE_URL is set."""
    from api import server  # not for commands that only talk to a server

    server.serve(from_env())


@main.command()
def worker() -> None:
    """Do background work only. `serve` does it too; more workers may run beside it."""
    from api import server

    server.work(from_env())


@main.command()
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def migrate(as_json: bool) -> None:
    """Bring the schema up to date and rebuild read models of an older version."""
    from api import wiring

    with wiring.services(from_env(), rebuild_lagging=False) as services, services.database.connect() as connection:
        lagging = lagging_contexts(connection, READ_MODELS_VERSION)
        for context_id in lagging:
            rebuild.rebuild(services.log, connection, context_id)
        if as_json:
            click.echo(json.dumps({"log_guard": services.database.log_guard, "rebuilt": lagging}))
        else:
            click.echo(f"The schema is up to date; {len(lagging)} contexts rebuilt.")


@main.command()
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def bootstrap(as_json: bool) -> None:
    """Make the context of PALIMPSEST_CONTEXT and its key, if missing, and print them."""
    from api import wiring

    settings = from_env()
    with wiring.services(settings) as services:
        key = wiring.bootstrap(services)
        if key is None:
            raise StartupError(f"context {services.settings.context!r} was deleted, and its id is not given again")
    if as_json:
        click.echo(json.dumps({"context": settings.context, "api_key": key}))
    else:
        click.echo(f"context  {settings.context}\nkey      {key}")


@main.command()
@click.option("--context", "context_id", help="Default: PALIMPSEST_CONTEXT.")
@click.option("--session", help="Only events of this session.")
@click.option("--entity", help="Only events about this entity, as <type>/<name>.")
@click.option("--topic", help="Only events of this type, such as AttributeAsserted.")
@click.option("--after", type=int, default=0, help="Only events after this position.")
@click.option("--limit", type=int, default=EVENT_LIMIT, show_default=True, help="At most so many; 0 for all.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object a line.")
def log(
    context_id: str | None,
    session: str | None,
    entity: str | None,
    topic: str | None,
    after: int,
    limit: int,
    as_json: bool,
) -> None:
    """Print the events of a context, oldest first."""
    settings = from_env()
    context_id = context_id or settings.context
    entity_name = _entity_name(entity) if entity else None
    wanted = EventFilter(session_id=parse_session(session) if session else None, topic=topic, entity=entity_name)
    with _all_or_one(context_id) as (services, connection, _):
        for row in wanted.matching(services.log, connection, context_id, after=after, limit=limit or None):
            click.echo(json.dumps(_event_json(row)) if as_json else _event_line(row))


@main.command()
@click.option("--context", "context_id", help="Only this context; default: all.")
@click.option("--compare", is_flag=True, help="Change nothing; list what would be decided otherwise today.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def replay(context_id: str | None, compare: bool, as_json: bool) -> None:
    """Rebuild the read models from the log, beside live writes."""
    if compare:
        _compare(context_id, as_json=as_json)
        return
    with _all_or_one(context_id) as (services, connection, contexts):
        rebuilt = {}
        for context, position in contexts.items():
            with event_progress(f"replay {context}", total=position, quiet=as_json) as progress:
                rebuilt[context] = rebuild.rebuild(services.log, connection, context, progress=progress)
    if as_json:
        click.echo(json.dumps({"events": rebuilt}))
    else:
        for context, events in rebuilt.items():
            click.echo(f"{context}: {events} events replayed")


def _compare(context_id: str | None, *, as_json: bool) -> None:
    from api.terminal.comparison import compared

    count = 0
    with _all_or_one(context_id) as (services, connection, contexts):
        for context, position in contexts.items():
            with event_progress(f"compare {context}", total=position, quiet=as_json) as progress:
                for one in compared(services, connection, context, progress):
                    count += 1
                    told = {
                        "context": context,
                        "position": one.position,
                        "turnId": ulid(one.turn_id),
                        "then": [[event.TOPIC, msgspec.to_builtins(event)] for event in one.then],
                        "now": [[event.TOPIC, msgspec.to_builtins(event)] for event in one.now],
                    }
                    click.echo(json.dumps(told) if as_json else _difference_lines(told))
    if not as_json:
        click.echo(f"{count} turns would be decided otherwise today")


def _difference_lines(told: dict[str, Any]) -> str:
    lines = [f"{told['context']}: position {told['position']}, turn {told['turnId']}"]
    lines += [f"  - {topic} {json.dumps(content)}" for topic, content in told["then"]]
    lines += [f"  + {topic} {json.dumps(content)}" for topic, content in told["now"]]
    return "\n".join(lines)


@main.command()
@click.option("--context", "context_id", help="Only this context; default: all.")
@click.option("--quick", is_flag=True, help="Chain, decoding and counts only, in one pass.")
@click.option("--since", "digest", help="A digest printed earlier: prove that nothing before it has changed.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def verify(context_id: str | None, quick: bool, digest: str | None, as_json: bool) -> None:
    """Prove that the log is whole and that the read models follow from it.

    Prints a digest of all heads. Kept elsewhere and given back by --since, it proves that nothing before it was
    changed since, but what was erased, which is listed.
    """
    results = []
    kept = verification.kept_heads(digest) if digest else {}
    with _all_or_one(context_id) as (services, connection, contexts):
        for context, position in contexts.items():
            total = position if quick else 2 * position
            with event_progress(f"verify {context}", total=total, quiet=as_json) as progress:
                results.append(
                    verification.verify(
                        services.log, connection, context, quick=quick, kept=kept.get(context), progress=progress
                    )
                )
    if as_json:
        told = [{**asdict(one), "digest": verification.heads_digest([one])} for one in results]
        click.echo(json.dumps(told))
    else:
        for one in results:
            click.echo(f"{one.context_id}: {one.events} events, {one.problem or 'all good'}, head {one.head_hash[:16]}")
            before = kept[one.context_id][0] if one.context_id in kept else None
            for erasure in one.erasures:
                if before is not None and erasure.first <= before:
                    click.echo(f"  erased at {erasure.position} ({erasure.reason}): {erasure.events} contents")
        for gone in sorted(kept.keys() - {one.context_id for one in results}) if context_id is None else ():
            click.echo(f"{gone}: deleted since the digest was made")
        if not any(one.problem for one in results):
            click.echo(f"digest {verification.heads_digest(results)}")
    if any(one.problem for one in results):
        sys.exit(1)


@main.command()
@click.option("--pending", is_flag=True, help="Understand the turns that are not understood yet, those given up too.")
@click.option("--again", is_flag=True, help="Read turns that are understood once more, by another model.")
@click.option("--model", help="With --again: provider/model, such as openai/gpt-4o.")
@click.option("--session", help="With --again: only turns of this session.")
@click.option("--since", help="With --again: only turns said at this RFC 3339 time or later.")
@click.option("--dry-run", is_flag=True, help="With --again: only tell how many turns, and what they may cost.")
@click.option("--yes", is_flag=True, help="With --again: do not ask before it costs money.")
@click.option("--context", "context_id", help="Default: PALIMPSEST_CONTEXT.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def extract(pending: bool, again: bool, context_id: str | None, as_json: bool, **options: Any) -> None:
    """Understand turns by hand: those that wait, or old ones again with a better model."""
    if pending == again:
        _fail("say either --pending or --again")
    with _all_or_one(context_id or from_env().context) as (services, _, contexts):
        ((context, position),) = contexts.items()
        if pending:
            extraction.understand_pending(services, context, position, as_json=as_json)
        else:
            extraction.read_again(services, context, as_json=as_json, **options)


@main.command()
@click.argument("entity")
@click.argument("key")
@click.option("--context", "--context-id", "context_id", help="Default: PALIMPSEST_CONTEXT.")
@click.option("--url", help="Ask this server, instead of the database of this machine.")
@click.option("--api-key", help="A key of the context, for --url.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def explain(entity: str, key: str, context_id: str | None, url: str | None, api_key: str | None, as_json: bool) -> None:
    """Tell the history of a fact: explain person/alice job_title."""
    if url or api_key:
        with client_of(url, api_key, context_id) as memory:
            told = remote_story(memory, entity, key)
        click.echo(json.dumps(told["chapters"]) if as_json else told["text"])
        return
    name = _entity_name(entity)
    with _all_or_one(context_id or from_env().context) as (_, connection, contexts), snapshot(connection):
        cursor = connection.cursor()
        (context,) = contexts
        generation, seen = every_scope_set(connection, context)
        chapters = story.chapters(Reader(cursor, context, generation, seen), name, attribute_key(key))
    if not chapters:
        _fail(f"nothing is known of {key} of {entity}")
    if as_json:
        click.echo(json.dumps(chapters))
    else:
        click.echo("\n".join(story.told(chapters)))


for client_command in (*COMMANDS, documents, *history.COMMANDS):
    main.add_command(client_command)


def _entity_name(ref: str) -> EntityName:
    kind, separator, name = ref.removeprefix("entity:").partition("/")
    if not separator:
        _fail("an entity is named <type>/<name>, such as person/alice")
    return entity_type(kind), name_key(name)


CONTEXTS = "SELECT context_id, position FROM contexts WHERE deleted_at IS NULL ORDER BY context_id"


@contextmanager
def _all_or_one(context_id: str | None) -> Iterator[tuple["Services", Any, dict[str, int]]]:
    """Services, a connection, and the asked contexts with their positions."""
    from api import wiring

    with wiring.services(from_env()) as services, services.database.connect() as connection:
        contexts = {name: int(position) for name, position in connection.execute(CONTEXTS)}
        if context_id is not None:
            if context_id not in contexts:
                _fail(f"there is no context {context_id!r}")
            contexts = {context_id: contexts[context_id]}
        yield services, connection, contexts


def _event_json(row: StoredRow) -> dict[str, Any]:
    return {
        "context": row.originator_id,
        "position": row.originator_version,
        "topic": row.topic,
        "version": row.schema_version,
        "recordedAt": moment(row.recorded_at),
        "observedAt": moment(row.observed_at),
        "turnId": row.turn_id and ulid(row.turn_id),
        "sessionId": row.session_id and ulid(row.session_id),
        "principalId": row.principal_id and ulid(row.principal_id),
        "scopeSetId": str(row.scope_set_id) if row.scope_set_id else None,
        "payload": json.loads(row.state) if row.payload_salt is not None else None,
        "hash": row.hash.hex(),
    }


def _event_line(row: StoredRow) -> str:
    payload = row.state.decode() if row.payload_salt is not None else "(erased)"
    return f"{row.originator_version:>8}  {row.recorded_at:%Y-%m-%d %H:%M:%S}  {row.topic:<22} {payload}"
