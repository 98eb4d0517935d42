"""A whole night in one thread, so that its commits come in the same order every time; runs in a child of `zygote`.

It is the production code throughout: the wiring's `App`, its sweep, its broker, its errands. Only the threads are
missing. `Boundaries` counts the commits that changed something and signals this very process at one of them, so
that new code is covered by itself and no list of places is kept anywhere.
"""

import os
import re
import signal
import sqlite3
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date, timedelta
from pathlib import Path
from typing import Any
from unittest.mock import patch

from sqlalchemy import Engine, PoolProxiedConnection, event, make_url

from monitor.adapters.broker import QUEUE
from monitor.adapters.db.store import SqlStore
from monitor.adapters.http.client import Client, trusting_context
from monitor.domain.action import ActionState, Actor, Verb
from monitor.domain.message import MailState
from monitor.domain.review import Choice
from monitor.domain.run import ENDED, RunState
from monitor.durable import Incarnation
from monitor.errors import RetryLater
from monitor.flow import sweep
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
#: Nobody rings again because this machine is slow, or two nights would not make the same commits; time that passes in
#: the tables is longer.
_PATIENCE = timedelta(minutes=20)


@dataclass(frozen=True)
class Order:
    """What a child is asked to do."""

    config: str
    environ: dict[str, str]
    log: str
    day: str  #: the local date of the night, which does not change while a sweep goes on past midnight
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

    def watch(self, engine: Engine) -> None:
        """Count the commits of an engine."""
        commit: Callable[[Any], None] = engine.dialect.do_commit
        changed = (_Traced if engine.dialect.name == "sqlite" else _Told)(engine)

        def counted(connection: Any) -> None:
            words = changed.words()
            if not words:
                commit(connection)
                return
            self.seen.append(", ".join(words))
            self._reached("before")
            commit(connection)
            self._reached("after")

        engine.dialect.do_commit = counted  # type: ignore[method-assign]  # no event follows a commit

    def _reached(self, side: str) -> None:
        if len(self.seen) == self._order.commit and side == self._order.side:
            os.kill(os.getpid(), self._order.signal)


class _Told:
    """What an open transaction changed, as SQLAlchemy tells it: all there is on PostgreSQL."""

    def __init__(self, engine: Engine) -> None:
        self._changed: list[str] = []
        event.listen(engine, "begin", lambda _connection: self._changed.clear())
        event.listen(engine, "after_cursor_execute", self._executed)

    def _executed(self, _connection: object, cursor: Any, statement: str, *_: object) -> None:
        if statement.startswith(_CHANGES) and cursor.rowcount != 0:
            self._changed += (f"{verb} {table}".lower() for verb, table in _CHANGE.findall(statement))

    def words(self) -> list[str]:
        """Return it and begin anew."""
        told, self._changed = self._changed, []
        return told


class _Traced:
    """What an open transaction changed, as SQLite itself tells it: checkpoints go to the driver past SQLAlchemy."""

    def __init__(self, engine: Engine) -> None:
        self._changed: list[str] = []
        self._statement = ""  #: under way or just ended
        self._total = 0  #: rows this connection had changed when that began
        begin: Callable[[Any], None] = engine.dialect.do_begin

        def begun(connection: PoolProxiedConnection) -> None:
            driver = connection.driver_connection
            assert isinstance(driver, sqlite3.Connection)
            if not driver.in_transaction:  # else a statement of SQLAlchemy's joins the one that is open
                self._begun(driver)
            begin(connection)

        engine.dialect.do_begin = begun  # type: ignore[method-assign]  # no event tells of one that the store begins

    def _begun(self, driver: sqlite3.Connection) -> None:
        self._driver = driver
        self._changed.clear()
        self._statement, self._total = "", driver.total_changes
        driver.set_trace_callback(self._traced)

    def _traced(self, statement: str) -> None:
        self._ended()
        self._statement = statement

    def _ended(self) -> None:
        before, self._total = self._total, self._driver.total_changes
        change = _CHANGE.match(self._statement)
        if change is not None and self._total != before:
            self._changed.append(" ".join(change.groups()).lower())

    def words(self) -> list[str]:
        """Return it and begin anew."""
        self._traced("")
        told, self._changed = self._changed, []
        return told


def work(order: Order) -> list[str]:
    """Run or resume the night of an order to its end and return its commits."""
    app = _opened(order)
    lease = timedelta(seconds=order.lease_s)
    app = replace(app, me=Incarnation("chaos", lease=lease, fence_after=lease * 2 / 3))
    boundaries = Boundaries(order)
    boundaries.watch(app.store.writer)
    with patch.object(sweep, "SILENT_FOR", _PATIENCE):
        _night(app, order)
    seen = list(boundaries.seen)
    app.close()
    return seen


#: What a zygote has compiled and read already: statements, templates, certificates; its children inherit it.
_warm: dict[str, Any] = {}


def warm_up(order: Order) -> None:
    """Run a night in this process and keep what it compiled, but no connection."""
    app = _opened(order)
    _warm.update(store=app.store, renderer=app.renderer, templates=app.templates, trusted=trusting_context())
    _night(app, order)
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
        Client=lambda: Client(ssl_context=_warm["trusted"]),
    ):
        return open_app(Path(order.config), environ=order.environ, role="chaos")


def _night(app: App, order: Order) -> None:
    give_up_at = time.monotonic() + order.patience_s
    working = Working(app)
    consumer = app.broker.consume(QUEUE, prefetch=1, timeout=20)
    working.sweep()  # registers this incarnation
    app.begin("manual", date.fromisoformat(order.day))
    while time.monotonic() < give_up_at:
        message = next(consumer)
        if message is not None:
            app.me.beat(app.store)
            with suppress(RetryLater):  # stopped for longer than the lease: Dramatiq logs it, and the sweep rings again
                app.work(*message.args)
            consumer.ack(message)
            continue
        _approve(app)
        with suppress(RetryLater):  # the threads of `Working` say so and try again
            app.errands()
        if _is_over(app):
            return
        _let_time_pass(app)
        working.sweep()
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
