"""Reads a file in a process of its own, whose end, whatever it is, harms nobody else."""

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import threading

import msgspec

from memory.documents.blocks import Unreadable
from memory.documents.contents import Contents, Stage

WALL_S_MAX = 300
# One numeric thread: more only take address space, which is limited.
THREADS = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
# What a reading process needs of ours, and nothing more: keys of providers stand in the environment too.
INHERITED = ("PATH", "HOME", "LANG", "LC_ALL", "LC_CTYPE", "TMPDIR", "LD_LIBRARY_PATH", "TESSDATA_PREFIX")


class _Line(msgspec.Struct):
    stage: str | None = None
    done: int = 0
    of: int = 0
    contents: Contents | None = None
    unreadable: str | None = None


_decoder = msgspec.json.Decoder(_Line)


def read(data: bytes, kind: str, stage: Stage = lambda name, done, of: None) -> Contents:
    """The contents of a file of a media type. stage: called as the reading process tells how far it is.

    Raises Unreadable with a reason to show: the file's, or that it took too long or too much memory.
    """
    with tempfile.TemporaryFile() as file:
        file.write(data)
        file.seek(0)
        process = subprocess.Popen(
            [sys.executable, "-I", "-m", "memory.documents.reading_process", kind],
            stdin=file,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment(),
            start_new_session=True,  # so that what it starts ends with it
        )
    clock = threading.Timer(WALL_S_MAX, _kill, [process])
    clock.daemon = True
    clock.start()
    try:
        assert process.stdout is not None
        for line in process.stdout:
            said = _decoder.decode(line)
            if said.unreadable is not None:
                raise Unreadable(said.unreadable)
            if said.contents is not None:
                return said.contents
            if said.stage is not None:
                stage(said.stage, said.done, said.of)
        timed_out = not clock.is_alive()
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        _kill(process)
        raise Unreadable(_end(process.wait(), timed_out=timed_out))
    except msgspec.DecodeError as error:
        raise Unreadable("reading the document failed") from error
    finally:
        clock.cancel()
        _kill(process)
        if process.stdout is not None:
            process.stdout.close()
        process.wait()


def environment() -> dict[str, str]:
    """Of the reading process."""
    return {name: os.environ[name] for name in INHERITED if name in os.environ} | THREADS


def _kill(process: "subprocess.Popen[bytes]") -> None:
    """The process, and what it has started and left behind. Until it is waited for, no other group has its number."""
    if process.returncode is None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)


def _end(status: int, *, timed_out: bool) -> str:
    if timed_out or status == -signal.SIGXCPU:
        return "reading the document takes longer than a document may"
    if status == -signal.SIGKILL:
        return "reading the document was stopped, most likely for the memory that it took"
    return "reading the document failed: its file is damaged"
