"""The embedded Postgres with real servers: restarts, killed processes, shared homes, users, and clear refusals.

Some cases only exist for root (it hands the server to another user) or only for others; each test says
what holds there.
"""

import fcntl
import importlib.util
import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest

from api.errors import StartupError
from api.postgres import embedded_postgres, postgres_binaries
from api.postgres.ahead import PostgresAhead
from api.postgres.embedded_postgres import EmbeddedPostgres, EmbeddedPostgresError

IS_ROOT = os.geteuid() == 0
REPOSITORY = Path(__file__).resolve().parents[2]
NewServer = Callable[[Path], EmbeddedPostgres]

# Holds the server of the home in argv until its standard input ends.
HOLDER = """
import sys
from pathlib import Path
from api.postgres.embedded_postgres import EmbeddedPostgres
with EmbeddedPostgres(Path(sys.argv[1])) as server:
    print(server.start(), flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def base() -> Iterator[Path]:
    """A folder that every user can enter, unlike tmp_path."""
    folder = Path(tempfile.mkdtemp(prefix="palimpsest-test-", dir="/tmp"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


@pytest.fixture
def home(base: Path) -> Path:
    return base / "home"


@pytest.fixture(autouse=True)
def store(base: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Stands for /var/lib/palimpsest, so that tests leave nothing there."""
    monkeypatch.setattr(postgres_binaries, "STORE", base / "store")
    return base / "store"


@pytest.fixture
def new_server(base: Path, store: Path) -> Iterator[NewServer]:
    made: list[EmbeddedPostgres] = []

    def new(home: Path) -> EmbeddedPostgres:
        made.append(EmbeddedPostgres(home))
        return made[-1]

    yield new
    for server in made:
        server.stop()


def hold(home: Path) -> subprocess.Popen[str]:
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(REPOSITORY), *filter(None, sys.path)])}
    command = [sys.executable, "-c", HOLDER, str(home)]
    return subprocess.Popen(
        command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True
    )


def uri_of(holder: subprocess.Popen[str]) -> str:
    assert holder.stdout is not None
    return holder.stdout.readline().strip()


def let_go(holder: subprocess.Popen[str]) -> None:
    holder.communicate(timeout=30)
    assert holder.returncode == 0


def postmaster(home: Path) -> int:
    return int((home / "pgdata" / "postmaster.pid").read_text().split("\n")[0])


def runs(pid: int) -> bool:
    """A zombie, which only waits for its parent, does not."""
    answer = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False)
    return answer.stdout.strip() != "" and not answer.stdout.startswith("Z")


def answers(uri: str) -> bool:
    try:
        psycopg.connect(uri).close()
    except psycopg.OperationalError:
        return False
    return True


def write(uri: str, *words: str) -> None:
    with psycopg.connect(uri) as connection:
        connection.execute("CREATE TABLE IF NOT EXISTS words (word text)")
        connection.cursor().executemany("INSERT INTO words VALUES (%s)", [(word,) for word in words])


def read(uri: str) -> list[str]:
    with psycopg.connect(uri) as connection:
        return [word for (word,) in connection.execute("SELECT word FROM words ORDER BY word")]


def refusal(server: EmbeddedPostgres) -> str:
    with pytest.raises(EmbeddedPostgresError) as refused:
        server.start()
    message = str(refused.value)
    assert "\n" not in message
    assert "Traceback" not in message
    return message


def as_nobody(action: Callable[[], str]) -> str:
    """Run it in a child process of user nobody; returns its answer, or its traceback.

    A fork, not a new interpreter: nobody may be unable to reach that one.
    """
    reader, writer = os.pipe()
    nobody = pwd.getpwnam("nobody")
    child = os.fork()
    if child == 0:
        answer = ""
        try:
            os.setgroups([])
            os.setgid(nobody.pw_gid)
            os.setuid(nobody.pw_uid)
            answer = action()
        finally:
            os.write(writer, (answer or traceback.format_exc()).encode())
            os._exit(0)
    os.close(writer)
    with open(reader, encoding="utf-8") as pipe:
        answer = pipe.read()
    os.waitpid(child, 0)
    return answer


def start_or_complaint(home: Path) -> str:
    server = EmbeddedPostgres(home)
    try:
        return server.start()
    except EmbeddedPostgresError as error:
        return str(error)
    finally:
        server.stop()


def move_programs(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Have the package's programs in that folder."""
    packaged = postgres_binaries.packaged_installation()
    programs = folder / packaged.parent.name / packaged.name
    shutil.copytree(packaged, programs)
    libraries = packaged.parents[1] / f"{packaged.parent.name}.libs"
    if libraries.exists():
        shutil.copytree(libraries, folder / libraries.name)
    monkeypatch.setattr(postgres_binaries, "packaged_installation", lambda: programs)
    return programs


def fake_programs(base: Path, monkeypatch: pytest.MonkeyPatch, *, initdb: str) -> None:
    programs = base / "fake" / "bin"
    programs.mkdir(parents=True)
    (programs / "initdb").write_text(f"#!/bin/sh\n{initdb}\n")
    (programs / "initdb").chmod(0o755)
    monkeypatch.setattr(postgres_binaries, "packaged_installation", lambda: programs.parent)


def contents(folder: Path) -> dict[str, tuple[int, int]]:
    """Owner and mode of everything in it."""
    found = [folder, *folder.rglob("*")]
    return {str(path): (path.lstat().st_uid, path.lstat().st_mode) for path in found}


class TestLifetime:
    def test_rows_outlive_a_restart(self, home: Path, new_server: NewServer) -> None:
        server = new_server(home)
        uri = server.start()
        write(uri, "kept")
        assert server.start() == uri  # again is harmless
        server.stop()
        assert not answers(uri)
        assert read(server.start()) == ["kept"]

    def test_settings(self, home: Path, new_server: NewServer) -> None:
        with psycopg.connect(new_server(home).start()) as connection:
            names = ["fsync", "jit", "wal_recycle", "listen_addresses", "server_encoding", "log_min_error_statement"]
            values = [connection.execute(f"SHOW {name}").fetchone() for name in names]
            assert values == [("on",), ("off",), ("off",), ("",), ("UTF8",), ("panic",)]
            who = connection.execute("SELECT current_user, current_database(), lower('É')").fetchone()
            assert who == ("postgres", "palimpsest", "é")
            near = connection.execute("SELECT '[1,2]'::vector <=> '[1,3]'").fetchone()
            assert near is not None and near[0] == pytest.approx(0.0101, abs=1e-3)
            socket_folder = Path(connection.info.host)
        assert socket_folder.stat().st_mode & 0o777 == 0o700
        assert socket_folder.stat().st_uid == (home / "pgdata").stat().st_uid

    def test_the_server_is_out_of_our_session_and_has_none_of_our_files(
        self, home: Path, new_server: NewServer
    ) -> None:
        new_server(home).start()
        assert os.getsid(postmaster(home)) != os.getsid(0)  # so no Ctrl-C from our terminal
        files = Path(f"/proc/{postmaster(home)}/fd")
        if files.parent.exists() and IS_ROOT:
            assert not [file for file in files.iterdir() if "lock" in str(file.readlink())]
        holder = hold(home)
        uri_of(holder)
        let_go(holder)
        assert runs(postmaster(home))  # it left the server to us

    def test_no_key_of_ours_reaches_the_server(
        self, home: Path, new_server: NewServer, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("SOME_API_KEY", "secret")
        with psycopg.connect(new_server(home).start()) as connection:
            connection.execute("CREATE TABLE environment (line text)")
            connection.execute("COPY environment FROM PROGRAM 'env'")
            lines = [line for (line,) in connection.execute("SELECT line FROM environment")]
        assert "PATH=/usr/bin:/bin" in lines
        assert not [line for line in lines if "SOME_API_KEY" in line]

    def test_the_remains_of_a_crashed_initdb_go(self, home: Path, new_server: NewServer) -> None:
        remains = home / "pgdata.new-1234" / "base"
        home.mkdir()
        remains.mkdir(parents=True)
        new_server(home).start()
        assert sorted(path.name for path in home.iterdir()) == ["pgdata", "postgres-start.lock", "postgres-use.lock"]


class TestKilled:
    def test_a_killed_server_comes_back_with_every_committed_row(self, home: Path, new_server: NewServer) -> None:
        server = new_server(home)
        uri = server.start()
        for word in ("first", "second", "third"):
            write(uri, word)
            with psycopg.connect(uri):  # a backend that may live on for a moment
                os.kill(postmaster(home), signal.SIGKILL)
                assert server.start() == uri
        assert read(uri) == ["first", "second", "third"]

    def test_another_process_has_the_number_of_the_killed_server(self, home: Path, new_server: NewServer) -> None:
        server = new_server(home)
        write(server.start(), "kept")
        os.kill(postmaster(home), signal.SIGKILL)
        recorded = home / "pgdata" / "postmaster.pid"
        owner = recorded.stat().st_uid if IS_ROOT else None
        stranger = subprocess.Popen(["sleep", "60"], user=owner)
        try:
            lines = recorded.read_text().split("\n")
            recorded.write_text("\n".join([str(stranger.pid), *lines[1:]]))
            (socket_lock,) = Path(lines[4]).glob("*.lock")
            socket_lock.write_text("\n".join([str(stranger.pid), *socket_lock.read_text().split("\n")[1:]]))
            server.stop()
            assert stranger.poll() is None  # and it was not stopped in the server's place
            assert read(server.start()) == ["kept"]
        finally:
            stranger.kill()
            stranger.wait()

    def test_stop_while_the_server_recovers_from_a_killed_backend(
        self, home: Path, new_server: NewServer, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(embedded_postgres, "STOP_TIMEOUT_S", 2)  # a fast stop may hang here
        server = new_server(home)
        uri = server.start()
        write(uri, "kept")
        with psycopg.connect(uri) as connection:
            os.kill(connection.info.backend_pid, signal.SIGKILL)
            server.stop()
        assert not answers(uri)
        assert read(server.start()) == ["kept"]

    def test_the_server_of_a_killed_process_is_taken_over(self, home: Path, new_server: NewServer) -> None:
        holder = hold(home)
        uri = uri_of(holder)
        holder.kill()
        holder.communicate()
        assert answers(uri)
        before = postmaster(home)
        server = new_server(home)
        assert server.start() == uri
        assert postmaster(home) == before
        server.stop()
        assert not answers(uri)
        assert not runs(before)


class TestSharedHome:
    def test_the_last_to_leave_stops_the_server(self, home: Path, new_server: NewServer) -> None:
        holder = hold(home)
        uri = uri_of(holder)
        server = new_server(home)
        assert server.start() == uri
        let_go(holder)
        assert answers(uri)
        second = new_server(home)  # instances in one process count as well
        second.start()
        server.stop()
        assert answers(uri)
        second.stop()
        assert not answers(uri)

    def test_many_start_at_once(self, home: Path) -> None:
        holders = [hold(home) for _ in range(3)]
        uris = {uri_of(holder) for holder in holders}
        assert len(uris) == 1
        for holder in holders:
            let_go(holder)
        assert not answers(uris.pop())

    def test_a_server_whose_home_was_deleted_is_not_taken_for_the_new_one(
        self, home: Path, new_server: NewServer
    ) -> None:
        uri = new_server(home).start()
        write(uri, "deleted")
        pid = postmaster(home)
        shutil.rmtree(home)
        try:
            with psycopg.connect(new_server(home).start()) as connection:
                assert connection.execute("SELECT to_regclass('words')").fetchone() == (None,)
        finally:
            os.kill(pid, signal.SIGQUIT)  # it would notice by itself within a minute
            shutil.rmtree(str(psycopg.conninfo.conninfo_to_dict(uri)["host"]), ignore_errors=True)


class TestRefusals:
    def test_cluster_of_another_version(self, home: Path, new_server: NewServer) -> None:
        server = new_server(home)
        write(server.start(), "kept")
        server.stop()
        version = home / "pgdata" / "PG_VERSION"
        version.write_text("16\n")
        message = refusal(server)
        assert "Postgres 16" in message and "Postgres 18" in message
        version.write_text("18\n")
        assert read(server.start()) == ["kept"]

    def test_folder_that_is_no_cluster(self, home: Path, new_server: NewServer) -> None:
        new_server(home).start()
        new_server(home).stop()
        (home / "pgdata" / "PG_VERSION").rename(home / "pgdata" / "OTHER")
        try:
            assert "no Postgres cluster" in refusal(EmbeddedPostgres(home))
        finally:
            (home / "pgdata" / "OTHER").rename(home / "pgdata" / "PG_VERSION")

    def test_unwritable_home(self, base: Path) -> None:
        closed = base / "closed"
        closed.mkdir(mode=0o555)
        message = as_nobody(lambda: start_or_complaint(closed)) if IS_ROOT else start_or_complaint(closed)
        assert "no permission to write" in message and str(closed) in message and "\n" not in message
        below = closed / "home"
        message = as_nobody(lambda: start_or_complaint(below)) if IS_ROOT else start_or_complaint(below)
        assert "Permission denied" in message and str(below) in message and "\n" not in message
        assert list(closed.iterdir()) == []

    def test_home_that_is_a_file(self, home: Path) -> None:
        home.write_text("")
        assert "ot a " in refusal(EmbeddedPostgres(home))  # "Not a directory" or ours

    def test_no_programs(self, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
        assert "PALIMPSEST_DATABASE_URL" in refusal(EmbeddedPostgres(home))

    def test_programs_of_another_system(self, base: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        fake_programs(base, monkeypatch, initdb="exit 126")
        assert "do not run on this system" in refusal(EmbeddedPostgres(home))

    def test_full_disk(self, base: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        complaint = "initdb: error: could not write file: No space left on device"
        version_or_failure = f"[ $1 = --version ] && echo 'initdb 18.4' || {{ echo '{complaint}' >&2; exit 1; }}"
        fake_programs(base, monkeypatch, initdb=version_or_failure)
        assert "no space" in refusal(EmbeddedPostgres(home))
        assert not list(home.glob("pgdata*"))

    def test_cpu_without_what_pgvector_needs(
        self, home: Path, new_server: NewServer, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        server = new_server(home)
        with monkeypatch.context() as patch:
            illegal_instruction = "COPY (SELECT 1) TO PROGRAM 'kill -ILL $PPID; sleep 1'"
            patch.setattr(embedded_postgres, "PROBE_EXTENSION", illegal_instruction)
            assert "AVX2" in refusal(server)
        assert not (home / "pgdata" / "postmaster.pid").exists()  # it was not left running
        server.start()

    def test_server_that_does_not_come_up(
        self, home: Path, new_server: NewServer, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        server = new_server(home)
        with monkeypatch.context() as patch:
            patch.setattr(embedded_postgres, "START_TIMEOUT_S", 1)
            patch.setitem(embedded_postgres.SETTINGS, "shared_buffers", "nonsense")
            message = refusal(server)
        assert "within 1 s" in message and str(home / "pgdata" / "postgres.log") in message
        assert "shared_buffers" in message  # quoted from the log
        server.start()

    def test_socket_folder_made_by_someone_else(self, home: Path, new_server: NewServer) -> None:
        server = new_server(home)
        with psycopg.connect(server.start()) as connection:
            socket_folder = Path(connection.info.host)
        server.stop()
        assert not socket_folder.exists()
        elsewhere = home / "elsewhere"
        elsewhere.mkdir(mode=0o700)
        socket_folder.symlink_to(elsewhere)
        try:
            assert str(socket_folder) in refusal(server)
        finally:
            socket_folder.unlink()
        socket_folder.mkdir(mode=0o755)
        try:
            assert str(socket_folder) in refusal(server)
            assert socket_folder.stat().st_mode & 0o777 == 0o755
        finally:
            socket_folder.rmdir()


class TestUsers:
    def test_a_home_in_a_closed_folder(self, base: Path, store: Path, new_server: NewServer) -> None:
        closed = base / "closed"
        closed.mkdir(mode=0o700)
        home = closed / "home"
        server = new_server(home)
        uri = server.start()
        write(uri, "kept")
        server.stop()
        assert read(server.start()) == ["kept"]
        assert closed.stat().st_mode & 0o777 == 0o700
        data = home / "pgdata"
        if not IS_ROOT:
            assert data.is_dir() and not data.is_symlink() and not store.exists()
            return
        (private,) = store.iterdir()
        assert data.is_symlink() and data.resolve() == private / "pgdata"
        assert private.stat().st_mode & 0o777 == 0o700
        assert private.stat().st_uid == data.stat().st_uid != 0
        assert home.stat().st_uid == 0
        server.stop()
        shutil.rmtree(home)  # the data, elsewhere, must neither vanish nor come back as if nothing had happened
        assert f"ln -s {private / 'pgdata'}" in refusal(server)
        (home / "pgdata").symlink_to(private / "pgdata")
        assert read(server.start()) == ["kept"]

    def test_programs_in_a_closed_folder(
        self, base: Path, home: Path, store: Path, new_server: NewServer, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        closed = base / "closed"
        closed.mkdir(mode=0o700)
        programs = move_programs(closed, monkeypatch)
        server = new_server(home)
        with psycopg.connect(server.start()) as connection:
            path = connection.execute("SELECT setting FROM pg_config WHERE name = 'BINDIR'").fetchone()
        assert path is not None
        assert Path(path[0]).is_relative_to(store if IS_ROOT else programs)
        server.stop()
        server.start()
        if IS_ROOT:
            (private,) = store.iterdir()
            assert len(list(private.glob("programs-*"))) == 1
            assert (home / "pgdata").resolve() == private / "pgdata"

    def test_an_ordinary_user_keeps_everything_in_the_home(
        self, base: Path, home: Path, store: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        if IS_ROOT:
            # Nobody may be unable to reach our virtual environment: its programs, or modules imported only when needed.
            move_programs(base, monkeypatch)
            start_or_complaint(base / "another")
            assert not store.exists()
            home.mkdir()
            os.chown(home, pwd.getpwnam("nobody").pw_uid, -1)
            answer = as_nobody(lambda: start_or_complaint(home))
        else:
            answer = start_or_complaint(home)
        assert answer.startswith("postgresql://")
        owners = {path.lstat().st_uid for path in [home, *home.rglob("*")]}
        assert owners == {pwd.getpwnam("nobody").pw_uid if IS_ROOT else os.geteuid()}
        assert not (home / "pgdata").is_symlink() and not store.exists()

    def test_a_home_of_root_is_refused_to_an_ordinary_user(self, base: Path, home: Path, new_server: NewServer) -> None:
        if not IS_ROOT:
            home.mkdir()
            (home / "pgdata").symlink_to("/usr")
            assert "belongs to user root" in refusal(EmbeddedPostgres(home))
            return
        (base / "closed").mkdir(mode=0o755)
        other = base / "closed" / "home"
        for place in (home, other):
            if place is other:  # its data will be in the store
                (base / "closed").chmod(0o700)
            server = new_server(place)
            write(server.start(), "kept")
            server.stop()
            (base / "closed").chmod(0o755)
            before = contents(place)
            message = as_nobody(lambda place=place: start_or_complaint(place))  # type: ignore[misc]
            assert "run as the user who first used this home" in message and "\n" not in message
            assert contents(place) == before
            assert read(server.start()) == ["kept"]

    def test_a_home_of_an_ordinary_user_is_refused_to_root(self, home: Path, new_server: NewServer) -> None:
        if not IS_ROOT:
            foreign = Path("/usr")
            with pytest.raises(EmbeddedPostgresError, match="belongs to user root"):
                postgres_binaries.server_user(foreign)
            return
        data = home / "pgdata"
        data.mkdir(parents=True)
        (data / "PG_VERSION").write_text("18\n")
        os.chown(data, 54321, 54321)
        before = contents(home)
        message = refusal(new_server(home))
        assert "54321" in message and "run as the user who first used this home" in message
        assert contents(home) == before

    def test_root_keeps_to_the_user_who_has_the_data(self, home: Path, new_server: NewServer) -> None:
        new_server(home).start()
        owner = (home / "pgdata").stat().st_uid
        user = postgres_binaries.server_user(home / "pgdata")
        assert user.uid == owner
        assert user.dropped is IS_ROOT
        assert (owner != 0) and (user.uid == os.geteuid()) is not IS_ROOT


def test_starting_is_quick(home: Path, new_server: NewServer) -> None:
    server = new_server(home)
    server.start()
    server.stop()
    began = time.monotonic()
    server.start()
    assert time.monotonic() - began < 5  # about 0.1 s on a quiet machine


def test_who_leaves_before_it_is_up_need_not_wait_for_it(home: Path) -> None:
    home.mkdir()
    with open(home / "postgres-start.lock", "w", encoding="utf-8") as another_is_at_work:
        fcntl.flock(another_is_at_work, fcntl.LOCK_EX)
        began = time.monotonic()
        with PostgresAhead(home) as ahead:
            pass
        assert time.monotonic() - began < 5
    with pytest.raises(StartupError, match="given up"):
        ahead.url()
    assert not (home / "pgdata").exists()


def test_one_that_comes_up_ahead_is_stopped_by_who_wanted_it(home: Path) -> None:
    with PostgresAhead(home) as ahead:
        write(ahead.url(), "kept")
        uri = ahead.url()
    assert not answers(uri)
    assert not (home / "pgdata" / "postmaster.pid").exists()
