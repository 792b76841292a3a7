"""A Postgres of the operator's own: over TCP, with a password, as an ordinary role."""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import LiteralString

import httpx
import psycopg
import pytest
from psycopg import sql

from api.postgres import postgres_binaries
from api.postgres.database import migrate
from api.postgres.postgres_binaries import Places, ServerUser, initialise, server_user, settle
from tests.servers import ServerProcess, free_port, public_folder, run_command

ACCESS = """\
local all all trust
host all all 127.0.0.1/32 scram-sha-256
"""
ROLE_RIGHTS: dict[str, LiteralString] = {"role": "CREATEROLE", "trigger": "NOCREATEROLE"}  # by guard of the log
CHANGES: tuple[LiteralString, ...] = (
    "UPDATE palimpsest.events SET topic = 'x'",
    "UPDATE palimpsest.events SET payload = NULL, payload_salt = NULL WHERE position = 1",
    "DELETE FROM palimpsest.events",
    "DELETE FROM palimpsest.events WHERE position = 1",
    "TRUNCATE palimpsest.events",
    "TRUNCATE palimpsest.events CASCADE",
)


@dataclass(frozen=True)
class Cluster:
    """A running Postgres that asks for passwords over TCP, and for none on its socket."""

    port: int
    socket_folder: Path

    @contextmanager
    def superuser(self, database: str = "postgres") -> Iterator[psycopg.Connection[tuple[object, ...]]]:
        url = f"postgresql://postgres@/{database}?host={self.socket_folder}&port={self.port}"
        with psycopg.connect(url, autocommit=True) as connection:
            yield connection

    def url(self, role: str, password: str, database: str) -> str:
        return f"postgresql://{role}:{password}@127.0.0.1:{self.port}/{database}"

    def role(self, rights: LiteralString) -> tuple[str, str]:
        """A new ordinary role and its password."""
        name, password = f"role_{secrets.token_hex(4)}", secrets.token_hex(8)
        with self.superuser() as connection:
            connection.execute(
                sql.SQL("CREATE ROLE {} LOGIN NOSUPERUSER {} PASSWORD {}").format(
                    sql.Identifier(name), sql.SQL(rights), sql.Literal(password)
                )
            )
        return name, password

    def database(self, owner: str) -> str:
        name = f"database_{secrets.token_hex(4)}"
        with self.superuser() as connection:
            connection.execute(
                sql.SQL("CREATE DATABASE {} OWNER {}").format(sql.Identifier(name), sql.Identifier(owner))
            )
        return name

    def with_vector(self, rights: LiteralString) -> str:
        """The URL of a new database with pgvector, as its owner."""
        role, password = self.role(rights)
        database = self.database(role)
        with self.superuser(database) as connection:
            connection.execute("CREATE EXTENSION vector")
        return self.url(role, password, database)


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    with public_folder() as home, pytest.MonkeyPatch.context() as patch:
        home.mkdir()
        home.chmod(0o755)
        patch.setattr(postgres_binaries, "STORE", home.parent / "store")
        user = server_user(home / "pgdata")
        places = settle(home, user)
        initialise(places, user)
        (places.data / "pg_hba.conf").write_text(ACCESS)
        port = free_port()
        options = f"-c listen_addresses=127.0.0.1 -c port={port} -c unix_socket_directories={places.data}"
        control(places, user, "start", "-o", options, "-l", str(places.data / "log"))
        try:
            yield Cluster(port, places.data)
        finally:
            control(places, user, "stop", "--mode=immediate")


def control(places: Places, user: ServerUser, *arguments: str) -> None:
    answer = user.run(places.programs / "pg_ctl", "--wait", "-D", places.data, *arguments)
    assert answer.returncode == 0, answer.stdout + answer.stderr


@pytest.fixture
def home() -> Iterator[Path]:
    with public_folder() as folder:
        yield folder


@pytest.mark.parametrize("guard", ["role", pytest.param("trigger", marks=pytest.mark.long)])
def test_an_ordinary_role_serves_and_can_only_add_to_the_log(guard: str, cluster: Cluster, home: Path) -> None:
    url = cluster.with_vector(ROLE_RIGHTS[guard])
    server = ServerProcess(home, DATABASE_URL=url)
    with server, server.client() as client:
        health = httpx.get(f"{server.url}/api/v1/health").json()
        assert health["log_guard"] == guard
        assert health["database"] == "external"
        answer = client.post("/facts", json={"text": "I live in Lisbon."})
        assert answer.status_code == 200 and answer.json()["extraction"]["status"] == "complete"
        assert_append_only(url, guard)
        checked = server.command("verify")
        assert checked.returncode == 0, checked.stdout + checked.stderr
        key = server.key
    assert not (home / "pgdata").exists()
    with server, server.client() as client:
        assert server.key == key
        assert httpx.get(f"{server.url}/api/v1/health").json()["log_guard"] == guard
        (city,) = client.get("/entities/person/user").json()["attributes"]
        assert city["value"] == "Lisbon"
        assert client.post("/facts", json={"text": "I live in Porto."}).status_code == 200
        assert_append_only(url, guard)
    checked = run_command(home, "verify", DATABASE_URL=url)
    assert checked.returncode == 0, checked.stdout + checked.stderr


def assert_append_only(url: str, guard: str) -> None:
    """Try to change the log over connections such as the server's."""
    database = migrate(url)
    assert database.log_guard == guard
    with database.connect() as connection:
        row = connection.execute("SELECT count(*) FROM palimpsest.events").fetchone()
        assert row is not None and row[0] > 0
        for change in CHANGES:
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                connection.execute(change)
        assert connection.execute("SELECT count(*) FROM palimpsest.events").fetchone() == row
    with database.pool(size_max=1) as pool, pool.connection() as connection:
        for change in CHANGES:
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                connection.execute(change)


def test_a_role_that_may_not_use_the_applications_role_of_another_database_still_guards_its_log(
    cluster: Cluster, home: Path
) -> None:
    migrate(cluster.with_vector("CREATEROLE"))
    second_url = cluster.with_vector("CREATEROLE")  # the cluster has one role of that name, which is the first one's
    second = migrate(second_url)
    assert second.log_guard == "trigger"
    with second.connect() as connection:
        assert connection.execute("SELECT count(*) FROM palimpsest.events").fetchone() == (0,)
    assert run_command(home, "bootstrap", DATABASE_URL=second_url).returncode == 0
    assert_append_only(second_url, second.log_guard)


# --- refusals: one line each --------------------------------------------------------------------


def refusal(home: Path, url: str) -> str:
    answer = run_command(home, "serve", DATABASE_URL=url, BIND=f"127.0.0.1:{free_port()}")
    assert answer.returncode not in (0, None)
    assert answer.stdout == ""
    (line,) = answer.stderr.splitlines()
    assert line.startswith("palimpsest: ")
    return line


def test_a_server_without_pgvector_is_refused_in_one_line(cluster: Cluster, home: Path) -> None:
    role, password = cluster.role("NOCREATEROLE")
    database = cluster.database(role)
    with cluster.superuser() as connection:  # a server that has the extension nowhere
        connection.execute(
            sql.SQL("ALTER DATABASE {} SET extension_control_path = '/nonexistent'").format(sql.Identifier(database))
        )
    line = refusal(home, cluster.url(role, password, database))
    assert "pgvector" in line and "not available" in line


def test_a_role_that_may_not_install_pgvector_is_told_so_in_one_line(cluster: Cluster, home: Path) -> None:
    role, password = cluster.role("NOCREATEROLE")
    line = refusal(home, cluster.url(role, password, cluster.database("postgres")))
    assert "pgvector" in line and "permission denied" in line


@pytest.mark.long
def test_a_role_that_may_not_make_a_schema_is_told_so_in_one_line(cluster: Cluster, home: Path) -> None:
    role, password = cluster.role("NOCREATEROLE")
    database = cluster.database("postgres")
    with cluster.superuser(database) as connection:
        connection.execute("CREATE EXTENSION vector")
    assert "may not set up the schema" in refusal(home, cluster.url(role, password, database))


def test_a_wrong_password_a_wrong_role_and_a_wrong_database_are_refused_in_one_line(
    cluster: Cluster, home: Path
) -> None:
    role, password = cluster.role("NOCREATEROLE")
    for url, expected in (
        (cluster.url(role, "wrong", "postgres"), "password authentication failed"),
        (cluster.url("nobody_of_that_name", password, "postgres"), "password authentication failed"),
        (cluster.url(role, password, "no_such_database"), "no_such_database"),
    ):
        line = refusal(home, url)
        assert expected in line
        assert password not in line


def test_a_database_of_a_newer_release_is_refused_in_one_line(cluster: Cluster, home: Path) -> None:
    url = cluster.with_vector("NOCREATEROLE")
    migrate(url)
    with psycopg.connect(url) as connection:
        connection.execute("UPDATE palimpsest.alembic_version SET version_num = '9999'")
    assert "9999" in refusal(home, url)
