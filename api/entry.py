"""Where the `palimpsest` command begins: a Ctrl-C during imports ends it, without a traceback."""

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager

INTERRUPTED = 130


def main() -> None:
    try:
        with interruptible():
            from api.terminal.cli import main as command
        command()
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)


@contextmanager
def interruptible() -> Iterator[None]:
    """For imports: extensions that load may swallow a KeyboardInterrupt, but not a signal."""
    heeded = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if heeded:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        yield
    finally:
        if heeded:
            signal.signal(signal.SIGINT, signal.default_int_handler)
