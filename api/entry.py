"""Where the `palimpsest` command begins: a Ctrl-C during imports ends it, without a traceback."""

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager

INTERRUPTED = 130
STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def main() -> None:
    try:
        with interruptible():
            from api.terminal.cli import main as command
        command()
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)


@contextmanager
def signals_kept() -> Iterator[None]:
    """For imports beside something that is to be ended in order: signals to stop are heeded afterwards."""
    came: list[int] = []
    heeded = [number for number in STOPPING if signal.getsignal(number) is not signal.SIG_IGN]
    former = [(number, signal.signal(number, lambda number, _: came.append(number))) for number in heeded]
    try:
        yield
    finally:
        for number, handler in former:
            signal.signal(number, handler)
    if came:
        signal.raise_signal(came[0])


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
