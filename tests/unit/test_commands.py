"""The table of commands, each of which is loaded when it is asked for."""

import subprocess
import sys
from pathlib import Path

import click
import pytest

from api.errors import StartupError
from api.terminal import cli
from api.terminal.past import new_file

CLIENT = "import sys, api.terminal.cli as cli; cli.main.get_command(None, 'recall'); print('psycopg' in sys.modules)"


@pytest.mark.parametrize("name", sorted(cli.COMMANDS))
def test_a_command_is_found_under_its_name_and_tells_what_it_does(name: str) -> None:
    command = cli.main.get_command(click.Context(cli.main), name)
    assert command is not None
    assert command.name == name
    assert command.help


def test_an_unknown_command_is_none() -> None:
    assert cli.main.get_command(click.Context(cli.main), "nonsense") is None


def test_a_command_that_only_asks_a_server_loads_no_database_driver() -> None:
    done = subprocess.run([sys.executable, "-c", CLIENT], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_a_file_that_was_not_finished_is_not_left_behind(tmp_path: Path) -> None:
    target = tmp_path / "export.jsonl"
    with pytest.raises(TypeError), new_file(target) as file:
        file.writelines([b"half", None])  # type: ignore[list-item]
    assert not target.exists()
    with new_file(target) as file:
        file.write(b"whole")
    for path in (target, tmp_path / "nowhere" / "x"):
        with pytest.raises(StartupError, match="can't be written"), new_file(path):
            pass
    assert target.read_bytes() == b"whole"
