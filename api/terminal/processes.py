"""Commands that run the server, or set up what it runs on. A wrong setting is told before anything is loaded."""

import json
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import TYPE_CHECKING, NoReturn

import click

from api.entry import interruptible, signals_kept
from api.errors import StartupError
from api.listening import listening
from api.settings.config import Settings, from_env

if TYPE_CHECKING:
    from api.postgres.ahead import PostgresAhead


@click.command()
def serve() -> None:
    """Start the server, with the embedded Postgres unless PALIMPSEST_DATABASE_URL is set."""
    settings = from_env()
    with (
        _until_told_to_stop(),
        listening(settings.bind, is_shared=settings.share_port) as listener,
        _postgres(settings) as postgres,
    ):
        with signals_kept():
            from api import server
        server.serve(settings, listener, postgres)


@click.command()
def worker() -> None:
    """Do background work only. `serve` does it too; more workers may run beside it."""
    settings = from_env()
    with _until_told_to_stop(), _postgres(settings) as postgres:
        with signals_kept():
            from api import server
        server.work(settings, postgres)


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def migrate(as_json: bool) -> None:
    """Bring the schema up to date and rebuild read models of an older version."""
    settings = from_env()
    with interruptible():
        from api import wiring
        from api.postgres.database import lagging_contexts
        from projections import rebuild
        from projections.table import READ_MODELS_VERSION

    with wiring.services(settings, rebuild_lagging=False) as services, services.database.connect() as connection:
        lagging = lagging_contexts(connection, READ_MODELS_VERSION)
        for context_id in lagging:
            rebuild.rebuild(services.log, connection, context_id)
        if as_json:
            click.echo(json.dumps({"log_guard": services.database.log_guard, "rebuilt": lagging}))
        else:
            click.echo(f"The schema is up to date; {len(lagging)} contexts rebuilt.")


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def bootstrap(as_json: bool) -> None:
    """Make the context of PALIMPSEST_CONTEXT and its key, if missing, and print them."""
    settings = from_env()
    with interruptible():
        from api import wiring

    with wiring.services(settings) as services:
        key = wiring.bootstrap(services)
        if key is None:
            raise StartupError(f"context {services.settings.context!r} was deleted, and its id is not given again")
    if as_json:
        click.echo(json.dumps({"context": settings.context, "api_key": key}))
    else:
        click.echo(f"context  {settings.context}\nkey      {key}")


@contextmanager
def _until_told_to_stop() -> Iterator[None]:
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _stop)
    with suppress(KeyboardInterrupt):
        yield


def _stop(number: int, _: FrameType | None) -> NoReturn:
    sys.exit(128 + number)


@contextmanager
def _postgres(settings: Settings) -> "Iterator[PostgresAhead | None]":
    """The embedded Postgres, if that is the one, already coming up while the server is imported."""
    if settings.database_url:
        yield None
        return
    with interruptible():
        from api.postgres.ahead import PostgresAhead
    with PostgresAhead(settings.home) as postgres:
        yield postgres
