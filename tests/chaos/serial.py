"""A whole night in one thread, so that its commits come in the same order every time; runs in a child of `zygote`.

It is the production code throughout: the wiring's `App`, its sweep, its broker, its errands. Only the threads are
missing. `Boundaries` counts the commits that changed something and signals this very process at one of them, so
that new code is covered by itself and no list of places is kept anywhere.
"""

import os
import re
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from typing import Any
from unittest.mock import patch

from sqlalchemy import Connection, Engine, event, make_url

from monitor.adapters.broker import QUEUE
from monitor.adapters.db.store import SqlStore
from monitor.domain.action import ActionState, Actor, Verb
from monitor.domain.message import MailState
from monitor.domain.review import Choice
from monitor.domain.run import ENDED, RunState
from monitor.durable import Incarnation
from monitor.errors import RetryLater
from monitor.flow.review import decide
from monitor.wiring import App, Working, open_app
from monitor.wiring import app as wiring

#: Longer than the leases of mails and writes and the quarantine of an unclear call.
_A_WHILE = timedelta(minutes=25)
#: What time moves; a store's clock on PostgreSQL cannot be set.
_TIMES = (
    "jobs.woken_at",
    "jobs.lease_until",
    "writes.not_before",
    "writes.lease_until",
    "write_attempts.started_at",
    "mails.not_before",
    "mails.lease_until",
)
#: How a statement begins that changes something; on PostgreSQL one may consist of several.
_CHANGES = ("INSERT", "UPDATE", "DELETE", "WITH")
_CHANGE = re.compile(r"\b(INSERT(?= INTO)|UPDATE|DELETE(?= FROM))(?: INTO| FROM)? (?!SET\b)(\w+)")


@dataclass(frozen=True)
class Order:
    """What a child is asked to do."""

    config: str
    environ: dict[str, str]
    log: str
    commit: int = 0  #: signal at the n-th commit that changes something; 0: never
    side: str = "before"  #: of the commit
    signal: int = signal.SIGKILL
    lease_s: float = 15.0
    patience_s: float = 60.0


class Boundaries:
    """Counts commits that changed something, and stops the process at the wanted one."""

    def __init__(self, order: Order) -> None:
        self._order = order
        self.seen: list[str] = []  #: what each commit changed, in words
        self._changed: list[str] = []
        self._total: int | None = None

    def watch(self, engine: Engine) -> None:
        """Count the commits of an engine."""
        commit: Callable[[Any], None] = engine.dialect.do_commit

        def counted(connection: Any) -> None:
            if not self._changed or (self._total is not None and _total(connection) == self._total):
                commit(connection)
                return
            self.seen.append(", ".join(self._changed))
            self._changed.clear()
            self._reached("before")
            commit(connection)
            self._reached("after")

        engine.dialect.do_commit = counted  # type: ignore[method-assign]  # no event follows a commit
        event.listen(engine, "begin", self._begun)
        event.listen(engine, "after_cursor_execute", self._executed)

    def _begun(self, connection: Connection) -> None:
        self._changed.clear()
        self._total = _total(connection.connection)

    def _executed(self, _c: object, cursor: Any, statement: str, *_: object) -> None:
        # SQLite counts the rows of a RETURNING only when they are read.
        if statement.startswith(_CHANGES) and (cursor.rowcount != 0 or "RETURNING" in statement):
            self._changed += (f"{verb} {table}".lower() for verb, table in _CHANGE.findall(statement))

    def _reached(self, side: str) -> None:
        if len(self.seen) == self._order.commit and side == self._order.side:
            os.kill(os.getpid(), self._order.signal)


def _total(connection: Any) -> int | None:
    """Return how many rows a connection to SQLite has changed so far; PostgreSQL does not say."""
    return getattr(connection, "total_changes", None)


def work(order: Order) -> list[str]:
    """Run or resume the night of an order to its end and return its commits."""
    app = _opened(order)
    lease = timedelta(seconds=order.lease_s)
    app = replace(app, me=Incarnation("chaos", lease=lease, fence_after=lease * 2 / 3))
    boundaries = Boundaries(order)
    boundaries.watch(app.store.writer)
    _night(app, time.monotonic() + order.patience_s)
    seen = list(boundaries.seen)
    app.close()
    return seen


#: What a zygote has compiled already, statements and templates; its children inherit it.
_warm: dict[str, Any] = {}


def warm_up(order: Order) -> None:
    """Run a night in this process and keep what it compiled, but no connection."""
    app = _opened(order)
    _warm.update(store=app.store, renderer=app.renderer, templates=app.templates)
    _night(app, time.monotonic() + order.patience_s)
    app.liveness.forget(app.me.id)
    app.close()


def _opened(order: Order) -> App:
    if not _warm:
        return open_app(Path(order.config), environ=order.environ, role="chaos")
    store: SqlStore = _warm["store"]
    url = make_url(order.environ["MONITOR_DATABASE_URL"])
    if not store.is_sqlite:  # a SQLite file keeps its place, a PostgreSQL database has a name of its own each time
        event.listen(store.writer, "do_connect", lambda _d, _r, _args, words: words.update(dbname=url.database))
    with patch.multiple(
        wiring,
        SqlStore=lambda _url, _clock: store,
        Templates=lambda _folders: _warm["templates"],
        JinjaRenderer=lambda _templates: _warm["renderer"],
    ):
        return open_app(Path(order.config), environ=order.environ, role="chaos")


def _night(app: App, give_up_at: float) -> None:
    working = Working(app)
    consumer = app.broker.consume(QUEUE, prefetch=1, timeout=20)
    while time.monotonic() < give_up_at:
        working.sweep()  # registers this incarnation the first time
        app.begin("manual")
        message = next(consumer)
        if message is not None:
            app.me.beat(app.store)
            with suppress(RetryLater):  # stopped for longer than the lease: Dramatiq logs it, and the sweep rings again
                app.work(*message.args)
            consumer.ack(message)
        _approve(app)
        with suppress(RetryLater):  # the threads of `Working` say so and try again
            app.errands()
        if _is_over(app):
            return
        if message is None:
            _let_time_pass(app)
    raise TimeoutError("the night did not end")


def _approve(app: App) -> None:
    with app.store.read() as unit:
        pending = unit.actions.pending()
    choices = [Choice(one.id, one.version, one.content_hash, Verb.APPROVE, None) for one in pending]
    if choices:
        decide(app.store, app.plan, Actor("cli", "anna"), choices)


_ON_THEIR_WAY = (ActionState.PENDING, ActionState.APPROVED, ActionState.EXECUTING, ActionState.UNKNOWN)


def _is_over(app: App) -> bool:
    with app.store.read() as unit:
        (run,) = unit.runs.latest()
        if run.state is not RunState.REPORTED or any(job.state not in ENDED for job in unit.jobs.of_run(run.id)):
            return False
        if any(action.state in _ON_THEIR_WAY for action in unit.actions.of_run(run.id)):
            return False
        mails = unit.mails.of_run(run.id)
    return not any(mail.state in (MailState.PENDING, MailState.SENDING) for mail in mails)


def _let_time_pass(app: App) -> None:
    micros = _A_WHILE // timedelta(microseconds=1)
    with app.store.writer.connect() as connection:
        for column in _TIMES:
            table, _, name = column.partition(".")
            connection.exec_driver_sql(f"/* time */ UPDATE {table} SET {name} = {name} - {micros}")
        connection.commit()
    time.sleep(0.01)
