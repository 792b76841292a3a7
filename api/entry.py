"""Where the `palimpsest` command begins: a Ctrl-C during the imports is a Ctrl-C, not a traceback."""

import sys

INTERRUPTED = 130


def main() -> None:
    try:
        from api.cli import main as command

        command()
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
