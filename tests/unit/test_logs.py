"""The server's log tells where something failed, and no words of anybody."""

import io
import logging
import threading

import psycopg
import pytest

from api import logs
from api.errors import StartupError

WORD = "Squirrelword"


def logged(error: BaseException, *, verbose: bool = False) -> str:
    stream = io.StringIO()
    handler = logs.handler(stream, verbose=verbose)
    try:
        raise error
    except BaseException as caught:
        info = (type(caught), caught, caught.__traceback__)
        handler.handle(logging.LogRecord("here", logging.ERROR, __file__, 1, "it failed", None, info))
    return stream.getvalue()


def chained() -> Exception:
    try:
        raise ValueError(WORD)
    except ValueError as cause:
        try:
            raise KeyError(WORD) from cause
        except KeyError as error:
            return error


ERRORS = {
    "plain": ValueError(f"can't read {WORD!r}"),
    "chained": chained(),
    "group": ExceptionGroup(WORD, [ValueError(WORD), psycopg.errors.UniqueViolation(WORD)]),
    "database": psycopg.errors.NotNullViolation(f"DETAIL: Failing row contains ({WORD})"),
}


@pytest.mark.parametrize("error", ERRORS.values(), ids=ERRORS)
def test_a_traceback_names_types_and_places_without_messages(error: Exception) -> None:
    text = logged(error)
    assert WORD not in text
    assert type(error).__name__ in text
    assert "it failed" in text and "test_logs.py" in text
    assert WORD in logged(error, verbose=True)


def test_what_led_to_an_error_is_told_first() -> None:
    text = logged(chained())
    assert text.index("ValueError") < text.index("After that") < text.rindex("KeyError")


def test_an_error_that_is_its_own_cause_ends() -> None:
    error = ValueError(WORD)
    error.__cause__ = KeyError()
    error.__cause__.__context__ = error
    assert logged(error).count("Traceback") == 2


def test_a_thread_that_fails_is_logged_alike(caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threading, "excepthook", logs._log_thread)
    monkeypatch.setattr(logs.logger, "disabled", False)  # a tool in another test silences loggers
    thread = threading.Thread(target=lambda: [][0], name="failing")
    thread.start()
    thread.join()
    assert [record.getMessage() for record in caplog.records] == ["thread failing failed"]


def test_an_error_within_a_line_is_told_alike_unless_the_message_is_our_own() -> None:
    stream = io.StringIO()
    handler = logs.handler(stream, verbose=False)
    for error in (ValueError(WORD), StartupError("no room on the disk"), FileNotFoundError(2, "missing", "/etc/x")):
        handler.handle(logging.LogRecord("here", logging.WARNING, __file__, 1, "kept back: %s", (error,), None))
    first, second, third = stream.getvalue().splitlines()
    assert first.endswith("kept back: ValueError")
    assert second.endswith("kept back: no room on the disk")
    assert "/etc/x" in third


def test_what_another_handler_made_of_the_error_is_not_taken() -> None:
    stream = io.StringIO()
    try:
        raise ValueError(WORD)
    except ValueError as error:
        record = logging.LogRecord("here", logging.ERROR, __file__, 1, "it failed", None, (ValueError, error, None))
    logging.Formatter().format(record)
    logs.handler(stream, verbose=False).handle(record)
    assert WORD not in stream.getvalue()
