"""The server's own log: what happened and where, without the words of anybody.

A traceback ends in the message of its error, and messages quote what they are about: a driver shows the whole row
that it could not write. So at the default level an error is told by its type, its place in the code and, of the
database, the names of what was violated.
"""

import logging
import sys
import threading
import traceback
from copy import copy
from types import TracebackType
from typing import TextIO

logger = logging.getLogger(__name__)

FORMAT = "%(asctime)s %(levelname)s %(name)s: %(message)s"

ExcInfo = tuple[type[BaseException], BaseException, TracebackType | None] | tuple[None, None, None]


class WordlessFormatter(logging.Formatter):
    """Shows errors without their messages, in tracebacks and within a line."""

    def format(self, record: logging.LogRecord) -> str:
        record = copy(record)
        record.exc_text = None  # another formatter may have left its own
        if isinstance(record.args, tuple):
            record.args = tuple(_told(one) if isinstance(one, BaseException) else one for one in record.args)
        return super().format(record)

    def formatException(self, ei: ExcInfo) -> str:  # noqa: N802 (the library's name)
        if ei[1] is None:
            return ""
        return "\n".join(_lines(ei[1], seen=set()))


def configure(*, verbose: bool) -> None:
    """Log warnings and errors without words; verbose: everything, with the messages of errors."""
    level = logging.INFO if verbose else logging.WARNING
    logging.basicConfig(level=level, handlers=[handler(sys.stderr, verbose=verbose)])
    threading.excepthook = _log_thread


def handler(stream: TextIO, *, verbose: bool) -> logging.Handler:
    made = logging.StreamHandler(stream)
    made.setFormatter(logging.Formatter(FORMAT) if verbose else WordlessFormatter(FORMAT))
    return made


def _log_thread(args: threading.ExceptHookArgs) -> None:
    """Whatever ends a thread is logged like any error; the interpreter would print its message."""
    if args.exc_value is not None and not isinstance(args.exc_value, SystemExit):
        name = args.thread.name if args.thread else "unknown"
        logger.error("thread %s failed", name, exc_info=args.exc_value)


def _lines(error: BaseException, *, seen: set[int]) -> list[str]:
    """As the interpreter shows an error and those it came from, each by what `_told` says of it."""
    seen.add(id(error))
    lines: list[str] = []
    before = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    if before is not None and id(before) not in seen:
        lines += [*_lines(before, seen=seen), "", "After that:", ""]
    lines.append("Traceback (most recent call last):")
    lines += [line.rstrip("\n") for line in traceback.format_list(traceback.extract_tb(error.__traceback__))]
    lines.append(_told(error))
    if isinstance(error, BaseExceptionGroup):
        for number, one in enumerate(error.exceptions, start=1):
            lines += ["", f"{number} of {len(error.exceptions)}:", *_lines(one, seen=seen)]
    return lines


def _told(error: BaseException) -> str:
    # Errors are rare, and a command that only asks a server should not load these for them.
    import psycopg

    from api.errors import StartupError
    from api.postgres.postgres_binaries import EmbeddedPostgresError
    from projections.recall.embedding import EmbeddingUnavailable

    if isinstance(error, StartupError | EmbeddedPostgresError | EmbeddingUnavailable):
        return str(error)  # written here, it quotes nobody
    name = f"{type(error).__module__}.{type(error).__qualname__}".removeprefix("builtins.")
    if isinstance(error, ImportError | OSError):  # of modules and files
        return f"{name}: {error}"
    if not isinstance(error, psycopg.Error):
        return name
    diagnosis = error.diag
    known = {
        "state": diagnosis.sqlstate,
        "schema": diagnosis.schema_name,
        "table": diagnosis.table_name,
        "column": diagnosis.column_name,
        "constraint": diagnosis.constraint_name,
    }
    told = ", ".join(f"{what} {value}" for what, value in known.items() if value)
    return f"{name} ({told})" if told else name
