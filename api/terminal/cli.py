"""The `palimpsest` command. Each command is imported when it is asked for: one that only talks to a server needs no
database driver, and a shell should not wait for one."""

import sys
from importlib import import_module
from typing import Any, NoReturn

import click

from api import logs
from api.entry import interruptible
from api.errors import StartupError
from memory.errors import PalimpsestError

# Each module's commands, by the name of their function where it is not the command's own.
MODULES = {
    "processes": ("serve", "worker", "migrate", "bootstrap"),
    "events": ("log", "replay", "verify"),
    "explanation": ("explain",),
    "extraction": ("extract",),
    "past": ("diff", "export", "import", "erasures"),
    "commands": ("login", "remember", "recall", "context", "chat", "state", "history", "sessions"),
    "documents": ("documents",),
}
FUNCTIONS = {"import": "import_context"}
COMMANDS = {command: module for module, commands in MODULES.items() for command in commands}


class _Cli(click.Group):
    """Loads a command by its name, and turns the errors that an operator can do something about into one line and
    exit status 1."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in COMMANDS:
            return None
        with interruptible():
            module = import_module(f"api.terminal.{COMMANDS[cmd_name]}")
        command: click.Command = getattr(module, FUNCTIONS.get(cmd_name, cmd_name))
        return command

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except (StartupError, PalimpsestError) as error:
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
