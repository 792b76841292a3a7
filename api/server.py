"""Runs the HTTP server: socket first, then the database, then requests; everything stops on Ctrl-C."""

import gc
import logging
import signal
import socket
import sys
from types import FrameType
from typing import NoReturn

import uvicorn

from api import wiring
from api.errors import StartupError
from api.http.app import create_app
from api.http.connections import PunctualProtocol
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


def serve(settings: Settings) -> None:
    """Serve until told to stop. Raises StartupError if the port is taken or the database can't be had."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _stop)
    with _listening(settings.bind, is_shared=settings.share_port) as listener:
        try:
            with wiring.services(settings, watched=True) as services:
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
        except KeyboardInterrupt:
            pass


def work(settings: Settings) -> None:
    """Do background work, beside any servers of the same database, until told to stop."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _stop)
    try:
        with wiring.services(settings, watched=True) as services:
            worker = Worker(services, tasks())
            worker.start()
            try:
                worker.wait()
            finally:
                worker.stop()
    except KeyboardInterrupt:
        pass


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


def _listening(bind: tuple[str, int], *, is_shared: bool) -> socket.socket:
    """A listening socket. is_shared: other processes may listen on the address too; the kernel then deals out
    the connections."""
    host, port = bind
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # With the protocol named, asyncio sets TCP_NODELAY; without, each answer of a kept connection waits 40 ms.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if is_shared:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    try:
        listener.bind((host, port))
        # Bound is not taken: two processes may bind one address with SO_REUSEADDR until one listens.
        listener.listen(128)
    except OSError as error:
        listener.close()
        raise StartupError(f"can't listen on {host}:{port}: {error.strerror or error}") from error
    return listener


def _stop(number: int, _: FrameType | None) -> NoReturn:
    sys.exit(128 + number)
