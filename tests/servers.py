"""Starts `palimpsest serve` as its own process, as a user would."""

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType

import httpx

from api.postgres.embedded_postgres import EmbeddedPostgres

COMMAND = Path(sys.executable).with_name("palimpsest")
START_TIMEOUT_S = 60


@contextmanager
def public_folder() -> Iterator[Path]:
    """A temporary folder that every user may enter, unlike pytest's own when run as root."""
    folder = Path(tempfile.mkdtemp(prefix="palimpsest-test-"))
    folder.chmod(0o755)
    try:
        yield folder / "home"
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def environment(home: Path, **settings: str) -> dict[str, str]:
    """A clean environment for a palimpsest process."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PALIMPSEST_")}
    return {**kept, "PALIMPSEST_HOME": str(home), **{f"PALIMPSEST_{name}": value for name, value in settings.items()}}


class ServerProcess:
    """`palimpsest serve` on a free port; a context manager that stops it as Ctrl-C would."""

    def __init__(self, home: Path, **settings: str) -> None:
        self.home = home
        self.port = int(settings.get("BIND", f"127.0.0.1:{free_port()}").rpartition(":")[2])
        self.settings = {"BIND": f"127.0.0.1:{self.port}", **settings}
        self.context = settings.get("CONTEXT", "dev")
        self.output: list[str] = []
        self.key = ""
        self.process: subprocess.Popen[str] | None = None
        self._reader: threading.Thread | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def database_url(self) -> str:
        """Of the embedded Postgres, for one who may read every table."""
        return EmbeddedPostgres(self.home).start()

    @property
    def pid(self) -> int:
        assert self.process is not None
        return self.process.pid

    def start(self) -> "ServerProcess":
        """Start and wait until /health answers. Raises AssertionError with the output if it does not."""
        self.process = subprocess.Popen(
            [str(COMMAND), "serve"],
            env=environment(self.home, **self.settings),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        self._reader = threading.Thread(target=self._read, args=(self.process,), daemon=True)
        self._reader.start()
        deadline = time.monotonic() + START_TIMEOUT_S
        while time.monotonic() < deadline and self.process.poll() is None:
            try:
                if httpx.get(f"{self.url}/api/v1/health", timeout=5).status_code == 200:
                    self.key = self._printed_key()
                    return self
            except httpx.TransportError:
                time.sleep(0.02)
        raise AssertionError("the server did not start:\n" + "".join(self.output))

    def stop(self) -> int:
        """Ctrl-C; returns the exit status."""
        assert self.process is not None
        self.process.send_signal(signal.SIGINT)
        return self._ended()

    def kill(self) -> None:
        """kill -9; the embedded Postgres lives on."""
        assert self.process is not None
        self.process.kill()
        self._ended()

    def client(self, *, timeout: float = 60) -> httpx.Client:
        """A client at the context's base with its key."""
        return httpx.Client(
            base_url=f"{self.url}/api/v1/{self.context}",
            headers={"Authorization": f"Bearer {self.key}"},
            timeout=timeout,
        )

    def command(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run another `palimpsest` command on the same home."""
        return run_command(self.home, *arguments, **self.settings)

    def __enter__(self) -> "ServerProcess":
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.process is not None and self.process.poll() is None:
            self.stop()

    def _ended(self) -> int:
        """Wait for the end, take in the last of the output, and return the exit status."""
        assert self.process is not None
        status = self.process.wait(60)
        if self._reader is not None:
            self._reader.join(10)
        return status

    def _read(self, process: subprocess.Popen[str]) -> None:
        assert process.stdout is not None
        with process.stdout:
            self.output.extend(process.stdout)

    def _printed_key(self) -> str:
        if "API_KEY" in self.settings:
            return self.settings["API_KEY"]
        deadline = time.monotonic() + 5
        while time.monotonic() < deadline:
            found = re.search(r"^  key +(\S+)", "".join(self.output), re.MULTILINE)
            if found:
                return found[1]
            time.sleep(0.02)
        raise AssertionError("no key was printed:\n" + "".join(self.output))


def run_command(home: Path, *arguments: str, **settings: str) -> subprocess.CompletedProcess[str]:
    """Run a `palimpsest` command to its end."""
    return subprocess.run(
        [str(COMMAND), *arguments],
        env=environment(home, **settings),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
