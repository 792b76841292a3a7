"""Where the `palimpsest` command begins: a Ctrl-C during the imports ends it, without a traceback."""

import signal
import sys
from collections.abc import Callable

INTERRUPTED = 130


def main() -> None:
    try:
        _command()()
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)


def _command() -> Callable[[], object]:
    """Import all that the command needs. Extensions that load may swallow a KeyboardInterrupt, but not a signal."""
    heeded = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if heeded:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from api.terminal.cli import main as command

    if heeded:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    return command
