"""Runs the HTTP server, or a worker, on what its command has made ready; everything stops on Ctrl-C."""

import gc
import logging
import socket

import uvicorn

from api import wiring
from api.http.app import create_app
from api.http.connections import PunctualProtocol
from api.postgres.ahead import PostgresAhead
from api.settings.config import Settings
from api.work.recovery import heads
from api.work.tasks import tasks
from api.work.worker import Worker

logger = logging.getLogger(__name__)

SHUTDOWN_GRACE_S = 10
GARBAGE_MIN = 20_000  # new objects between two looks for cycles

BANNER = """\
Palimpsest is listening on http://{host}:{port}
  context  {context}
  key      {key}
  models   {models}

Try it:

curl -s http://{host}:{port}/api/v1/{context}/facts \\
  -H 'Authorization: Bearer {key}' -H 'Content-Type: application/json' \\
  -d '{{"text": "Actually I moved to Berlin last month"}}'
"""

BANNER_OF_DELETED = """\
Palimpsest is listening on http://{host}:{port}
  context  {context} was deleted; PALIMPSEST_CONTEXT makes another, and so does the management key
  models   {models}
"""


def serve(settings: Settings, listener: socket.socket, postgres: PostgresAhead | None) -> None:
    """Serve until told to stop. Raises StartupError if the database can't be had.

    postgres: as `wiring.database_of` takes it.
    """
    with wiring.services(settings, postgres=postgres) as services:
        key = wiring.bootstrap(services)
        host, port = listener.getsockname()[:2]
        shown = {"host": f"[{host}]" if ":" in host else host, "port": port}
        told = {"context": settings.context, "key": key, "models": services.models.announced()}
        if unknown := settings.unknown:
            logger.warning("the configuration's %s means nothing here", ", ".join(unknown))
        print((BANNER if key else BANNER_OF_DELETED).format(**shown, **told), flush=True)
        _collect_seldom()
        worker = Worker(services, tasks(heads(services)))
        worker.start()
        try:
            _run(services, listener)
        finally:
            worker.stop()


def work(settings: Settings, postgres: PostgresAhead | None) -> None:
    """Do background work, beside any servers of the same database, until told to stop."""
    with wiring.services(settings, postgres=postgres) as services:
        worker = Worker(services, tasks())
        worker.start()
        try:
            worker.wait()
        finally:
            worker.stop()


def _collect_seldom() -> None:
    """What a start makes lives as long as the process, and a request leaves hardly a cycle behind: looking for those
    every 700 objects takes a twentieth of a question's time."""
    gc.freeze()
    gc.set_threshold(GARBAGE_MIN)


def _run(services: wiring.Services, listener: socket.socket) -> None:
    config = uvicorn.Config(
        create_app(services),
        log_config=None,
        access_log=False,
        timeout_graceful_shutdown=SHUTDOWN_GRACE_S,
        server_header=False,
        http=PunctualProtocol,
    )
    uvicorn.Server(config).run(sockets=[listener])
