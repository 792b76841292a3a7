"""Postgres inside Palimpsest: started by the first process that uses a home, stopped by the last one.

In the home: `pgdata` (the cluster, or a link to it) and two lock files. Every user of the server holds a shared lock on
`postgres-use.lock`, so the one who gets it exclusively is the last. Locks end with their process, however it ends.
Nobody logs in: the socket's folder is open to the server's user and root only, who own the data anyway.
"""

import errno
import fcntl
import hashlib
import os
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import psycopg

from .postgres_binaries import ENVIRONMENT, EmbeddedPostgresError, Places, ServerUser, initialise, server_user, settle

__all__ = ["EmbeddedPostgres", "EmbeddedPostgresError"]

DATABASE = "palimpsest"
START_TIMEOUT_S = 60
STOP_TIMEOUT_S = 30
LOCK_TIMEOUT_S = 2 * START_TIMEOUT_S  # another process may be at work inside it
POLL_S = 0.025
CRASHES_MAX = 2  # the first may be a chance, such as the server killed at that moment
RELAUNCH_S = 0.25  # a launch fails while children of a killed server still run
LOG_TAIL_BYTES = 16_384
# Modes of stopping. The second loses no commit either, only takes a recovery at the next start. It is there because a
# fast stop hangs Postgres 18.4 for ever if it comes while the server recovers from the crash of one of its processes.
AS_USUAL = ("fast", "immediate")
AT_ONCE = ("immediate",)
SOCKET_PARENT = Path("/tmp")  # not TMPDIR: all processes must agree on it, and a socket's path has 107 bytes at most
SETTINGS = {
    "listen_addresses": "",
    "port": "5432",  # only a part of the socket's name
    "unix_socket_permissions": "0700",
    "max_connections": "100",
    "shared_buffers": "512MB",  # holds what a search touches of some 100,000 memories; only what is used takes memory
    "jit": "off",
    "autovacuum_naptime": "10s",  # tables of a new installation are measured soon
    "wal_recycle": "off",
    "timezone": "UTC",
    "log_timezone": "UTC",
    # Statements, parameters and the DETAIL of an error hold what users said.
    "log_error_verbosity": "terse",
    "log_min_error_statement": "panic",
    "log_parameter_max_length_on_error": "0",
}
# The server outlives the shell, so that it is no child of ours; $0 is the log.
LAUNCH_SCRIPT = 'umask 077; "$@" >>"$0" 2>&1 &'
PROBE_EXTENSION = "SELECT '[1,2]'::vector <=> '[1,3]'"


class EmbeddedPostgres:
    """The Postgres of one home; also a context manager. Not for use by several threads at once, but for `give_up`."""

    def __init__(self, home: Path) -> None:
        self.home = Path(os.path.realpath(home))
        self._cluster: _Cluster | None = None
        self._use_lock: int | None = None
        self._given_up = threading.Event()

    def start(self) -> str:
        """Start the server, or attach to it where it runs; again after a crash, bring it back.

        Returns a libpq URI over the Unix socket: superuser `postgres`, database `palimpsest`, with pgvector.
        Raises EmbeddedPostgresError (one line) if that is impossible, at the latest after 60 s of trying.
        """
        try:
            user = server_user(self.home / "pgdata")
            _make_home(self.home, user)
            with _exclusive(self.home / "postgres-start.lock", self._given_up):
                return self._start(user)
        except OSError as error:
            raise EmbeddedPostgresError(_advice(self.home, error)) from error

    def give_up(self) -> None:
        """Let a start that waits in another thread fail; once one has succeeded, and to `stop`, it is nothing."""
        self._given_up.set()

    def stop(self) -> None:
        """Stop the server unless another process (or another instance) uses it; nothing if not started."""
        if self._use_lock is None:
            return
        try:
            with _exclusive(self.home / "postgres-start.lock"):
                self._leave(AS_USUAL)
        except OSError as error:
            raise EmbeddedPostgresError(_advice(self.home, error)) from error
        finally:
            self._release()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def _start(self, user: ServerUser) -> str:
        if self._use_lock is None:
            self._use_lock = _open_lock(self.home / "postgres-use.lock")
            fcntl.flock(self._use_lock, fcntl.LOCK_SH)  # at once: exclusive locks are tried inside the start lock only
        try:
            self._cluster = _Cluster(user, settle(self.home, user), self._given_up)
            initialise(self._cluster.places, user)
            self._cluster.bring_up()
            return self._cluster.uri(DATABASE)
        except _StillDown:
            self._release()  # not stopped: it may be replaying its log, and would have to begin again
            raise
        except BaseException:
            self._leave(AT_ONCE)
            raise

    def _leave(self, modes: Sequence[str]) -> None:
        try:
            if self._cluster is not None and self._use_lock is not None and _lock(self._use_lock, fcntl.LOCK_EX):
                self._cluster.stop(modes)
        finally:
            self._release()

    def _release(self) -> None:
        if self._use_lock is not None:
            os.close(self._use_lock)
        self._use_lock = self._cluster = None


class _StillDown(EmbeddedPostgresError):
    """The server did not answer in time, but may yet."""


# What a start that was killed asked for may come to be while the next one asks for it.
_MADE_MEANWHILE = (psycopg.errors.UniqueViolation, psycopg.errors.DuplicateDatabase)


@dataclass(frozen=True, slots=True)
class _Cluster:
    """One data folder, with the programs and the user that serve it."""

    user: ServerUser
    places: Places
    given_up: threading.Event

    @property
    def data(self) -> Path:
        return self.places.data

    @property
    def log(self) -> Path:
        return self.data / "postgres.log"

    @property
    def socket_folder(self) -> Path:
        # With the cluster's own identifier: a server whose home was deleted must not pass for the one of a new home.
        with open(self.data / "global" / "pg_control", "rb") as control:
            identity = os.fsencode(self.data) + control.read(8)
        return SOCKET_PARENT / f"palimpsest-{hashlib.sha1(identity, usedforsecurity=False).hexdigest()[:16]}"

    def uri(self, database: str) -> str:
        return f"postgresql://postgres@/{database}?host={self.socket_folder}&port={SETTINGS['port']}"

    def bring_up(self) -> None:
        """Return when the server answers and the database is ready. Raises _StillDown at the deadline."""
        deadline = time.monotonic() + START_TIMEOUT_S
        log_start = self.log.stat().st_size if self.log.exists() else 0
        self.user.claim_folder(self.socket_folder)
        for attempt in range(1, CRASHES_MAX + 1):
            self._await_answer(deadline, log_start)
            try:
                self._prepare()
                return
            except psycopg.Error as error:
                if isinstance(error, _MADE_MEANWHILE) and attempt < CRASHES_MAX:
                    continue
                if error.sqlstate is not None and not error.sqlstate.startswith("57"):  # 57: it is going down
                    raise EmbeddedPostgresError(
                        f"Postgres cannot prepare its database ({error.diag.message_primary}): see {self.log}"
                    ) from error
                if attempt == CRASHES_MAX:
                    raise EmbeddedPostgresError(
                        "Postgres crashes on pgvector, whose build needs a CPU with AVX2: use another machine, or set"
                        f" PALIMPSEST_DATABASE_URL; {self._last_words(log_start)}"
                    ) from error

    def stop(self, modes: Sequence[str]) -> None:
        """Stop the server if it runs, by the first of these modes that works. Raises EmbeddedPostgresError if none."""
        if not self._runs():
            return
        for mode in modes:
            options = (f"--mode={mode}", "--wait", f"--timeout={STOP_TIMEOUT_S}")
            self.user.run(self.places.programs / "pg_ctl", "stop", "-D", self.data, *options)
            if not self._runs():  # else pg_ctl might next signal a stranger with a recycled number
                if not any(self.socket_folder.iterdir()):
                    self.socket_folder.rmdir()
                return
        raise EmbeddedPostgresError(
            f"Postgres (process {self._recorded_pid()}) does not stop: see {self.log}, then kill that process"
        )

    def _await_answer(self, deadline: float, log_start: int) -> None:
        next_launch = 0.0
        while not self._answers():
            now = time.monotonic()
            _go_on(self.given_up)
            if now > deadline:
                raise _StillDown(
                    f"Postgres did not come up within {START_TIMEOUT_S} s: try again; {self._last_words(log_start)}"
                )
            if now >= next_launch and not self._runs():
                self._launch()
                next_launch = now + RELAUNCH_S
            time.sleep(POLL_S)

    def _answers(self) -> bool:
        with suppress(psycopg.OperationalError):
            psycopg.connect(self.uri("postgres"), connect_timeout=5).close()
            return True
        return False

    def _launch(self) -> None:
        environment = dict(ENVIRONMENT)
        if (dead := self._recorded_pid()) is not None:
            # Postgres refuses to start while the process that postmaster.pid names exists, and a killed server exists
            # as a zombie until it is reaped, or its number may be a stranger's by now. Postgres does not mind its
            # grandparent's number; that children of the killed server are gone, it makes sure by other means.
            environment["PG_GRANDPARENT_PID"] = str(dead)
        settings = SETTINGS | {"unix_socket_directories": str(self.socket_folder)}
        options = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
        shell = ("/bin/sh", "-c", LAUNCH_SCRIPT, self.log)
        self.user.run(*shell, self.places.programs / "postgres", "-D", self.data, *options, environment=environment)

    def _prepare(self) -> None:
        with psycopg.connect(self.uri("postgres"), autocommit=True) as connection:
            if connection.execute("SELECT FROM pg_database WHERE datname = %s", [DATABASE]).rowcount == 0:
                connection.execute(f"CREATE DATABASE {DATABASE}")
        with psycopg.connect(self.uri(DATABASE)) as connection:  # one transaction: no extension that does not work
            connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
            connection.execute(PROBE_EXTENSION)

    def _runs(self) -> bool:
        """Whether the process in postmaster.pid is this cluster's server: no zombie, no stranger of that number."""
        with suppress(OSError):
            if (pid := self._recorded_pid()) is None:
                return False
            if sys.platform != "linux":
                os.kill(pid, 0)
                return True
            arguments = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")  # of a zombie: empty
            return arguments[1:3] == [b"-D", os.fsencode(self.data)]
        return False

    def _recorded_pid(self) -> int | None:
        try:
            return int((self.data / "postmaster.pid").read_text(encoding="utf-8").split("\n", 1)[0])
        except (FileNotFoundError, ValueError):
            return None

    def _last_words(self, log_start: int) -> str:
        """The last thing that went wrong since the log had that size, else its last line."""
        try:
            with open(self.log, "rb") as log:
                log.seek(max(log_start, self.log.stat().st_size - LOG_TAIL_BYTES))
                lines = log.read().decode(errors="replace").split("\n")
        except FileNotFoundError:
            lines = []
        spoken = [line for line in lines if line.strip()]
        fatal = [line for line in spoken if "FATAL:" in line or "PANIC:" in line or "by signal" in line]
        return f"its log {self.log} ends: {(fatal or spoken or ['(nothing)'])[-1].strip()}"


def _make_home(home: Path, user: ServerUser) -> None:
    try:
        home.mkdir(mode=0o700, parents=True)
        if user.dropped:
            home.chmod(0o711)  # the server's user must get through to its folder
    except FileExistsError:
        if not home.is_dir():
            raise NotADirectoryError(errno.ENOTDIR, "not a folder", str(home)) from None
    if not os.access(home, os.W_OK | os.X_OK):
        raise PermissionError(errno.EACCES, "no permission to write", str(home))


def _go_on(given_up: threading.Event | None) -> None:
    if given_up is not None and given_up.is_set():
        raise EmbeddedPostgresError("the start was given up")


@contextmanager
def _exclusive(path: Path, given_up: threading.Event | None = None) -> Iterator[None]:
    descriptor = _open_lock(path)
    try:
        deadline = time.monotonic() + LOCK_TIMEOUT_S
        while not _lock(descriptor, fcntl.LOCK_EX):
            _go_on(given_up)
            if time.monotonic() > deadline:
                raise EmbeddedPostgresError(f"another process holds {path}: see what it waits for, and end it")
            time.sleep(POLL_S)
        yield
    finally:
        os.close(descriptor)


def _open_lock(path: Path) -> int:
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)


def _lock(descriptor: int, kind: int) -> bool:
    with suppress(BlockingIOError):
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
        return True
    return False


def _advice(home: Path, error: OSError) -> str:
    what = (error.strerror or str(error)) + (f" ({error.filename})" if error.filename else "")
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return f"no space for Postgres in {home}: {what}; free some, or choose another PALIMPSEST_HOME"
    return f"Postgres cannot use {home}: {what}; choose a PALIMPSEST_HOME that you can write to"
