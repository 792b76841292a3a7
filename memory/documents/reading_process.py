"""The process that reads one file: it limits itself before it looks at a byte of it.

Run as `python -m memory.documents.reading_process TYPE`, the file on standard input. It answers in
lines of JSON on standard output: `{"stage": …}` while it works, then `{"contents": …}` or
`{"unreadable": reason}`. Whatever the file does to it, only this process ends.
"""

import os
import resource
import signal
import sys

import msgspec

MEMORY_BYTES_MAX = 1536 * 1024 * 1024
CPU_S_MAX = 120
FILE_BYTES_MAX = 64 * 1024 * 1024
PR_SET_PDEATHSIG = 1  # of <sys/prctl.h>


class Stage(msgspec.Struct, frozen=True, kw_only=True):
    """done, of: how far the stage is, in its own units; 0 where that is not known."""

    stage: str
    done: int = 0
    of: int = 0


def end_with_parent() -> None:
    """From now on this process is killed when the one that started it ends, where the system knows how to."""
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def limit() -> None:
    """Take from this process what a hostile file could use."""
    for what, most in (
        (resource.RLIMIT_AS, MEMORY_BYTES_MAX),
        (resource.RLIMIT_CPU, CPU_S_MAX),
        (resource.RLIMIT_FSIZE, FILE_BYTES_MAX),
        (resource.RLIMIT_CORE, 0),
    ):
        _, hard = resource.getrlimit(what)
        resource.setrlimit(what, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))
    os.nice(5)  # requests come first


def main() -> None:
    """Read standard input as the type that is the only argument."""
    end_with_parent()
    limit()
    from memory.documents.blocks import Unreadable
    from memory.documents.contents import contents

    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints is no answer
    shown = ("", -1)

    def stage(name: str, done: int, of: int) -> None:
        nonlocal shown
        step = (name, done * 20 // of if of else 0)
        if step != shown:
            shown = step
            _answer(Stage(stage=name, done=done, of=of))

    def _answer(value: object) -> None:
        out.write(msgspec.json.encode(value) + b"\n")
        out.flush()

    try:
        _answer({"contents": contents(sys.stdin.buffer.read(), sys.argv[1], stage)})
    except Unreadable as error:
        _answer({"unreadable": str(error)})
    except (MemoryError, RecursionError):
        _answer({"unreadable": "reading the document takes more memory than a document may"})


if __name__ == "__main__":
    main()
