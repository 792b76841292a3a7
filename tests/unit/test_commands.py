"""The table of commands, each of which is loaded when it is asked for."""

import subprocess
import sys

import click
import pytest

from api.terminal import cli

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
