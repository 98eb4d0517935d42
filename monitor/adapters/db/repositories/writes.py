"""The one write of each approved version, and who may touch it.

A write is claimed by a conditional update that raises its fence; whatever is recorded later names that fence,
so a worker that was paused, or declared dead, changes nothing any more (LeaseLost). The action moves in the
same transaction as its write. Rows are locked in one order, action before write, here and where decisions
are made; otherwise two transactions could wait for each other.

One write per channel and SKU may be under way. A newer decision takes the place of an older one that has not
started (cancelled, its action superseded); one that has started is left to finish, and the newer *waits*: it can be
claimed as soon as the older has ended, and then meets whatever price that left behind.

Not promised: that writes are claimed in the order of their decisions. Each names the price it expects.
"""

from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, Select, and_, func, or_, select, text, update

from monitor.adapters.db.repositories.write_rows import (
    LOST,
    MAY_BE_DUE,
    SHOWN,
    UNDER_WAY,
    WriteRows,
    new_row,
    price_write,
)
from monitor.adapters.db.schema import actions, write_attempts, writes
from monitor.adapters.db.transaction import Transaction
from monitor.domain.action import Action, ActionState, PriceWrite, WriteState
from monitor.domain.submit import QUARANTINE, ends, outcome_of

_NOT_STARTED = (WriteState.QUEUED, WriteState.WAITING, WriteState.DRY_RUN)


class WriteTable:
    """The writes of one open transaction."""

    def __init__(self, tx: Transaction) -> None:
        self._tx = tx
        self._rows = WriteRows(tx)

    def queue(self, action: Action, *, not_before: datetime, dry_run: bool) -> PriceWrite:
        """Insert the write of an approved action, or return the one it has.

        Its uuid is its idempotency key, made here and never again.
        """
        while True:
            known = self._of_version(action)
            if known:
                return known
            self._make_room(action)
            state = WriteState.DRY_RUN if dry_run else WriteState.QUEUED
            if self._is_under_way(action):
                state = WriteState.WAITING
            self._tx.insert_once(writes, new_row(action, state, not_before, self._tx.now))

    def get(self, write_id: str) -> PriceWrite | None:
        """Return one write."""
        return self._rows.one(writes.c.id == write_id)

    def of_action(self, action_id: int) -> tuple[PriceWrite, ...]:
        """Return the writes of an action by version."""
        found = self._tx.run(select(*SHOWN).where(writes.c.action_id == action_id).order_by(writes.c.version))
        return tuple(price_write(row) for row in found)

    def before(self, write_id: str) -> dict[str, Any] | None:
        """Return what the shop said right before a write, as it was kept; None when it was not read."""
        kept: dict[str, Any] | None = self._tx.run(
            select(writes.c.before).where(writes.c.id == write_id)
        ).scalar_one_or_none()
        return kept

    def due(self, limit: int, *, only_unknown: bool = False) -> tuple[str, ...]:
        """Return what can be claimed now: see `WriteRows.claimable`. Earliest first."""
        if MAY_BE_DUE.one(self._tx, {"now": self._tx.now}) is None:
            return ()
        which = self._rows.claimable()
        if only_unknown:
            which = and_(which, writes.c.state == WriteState.UNKNOWN)
        found = self._tx.run(select(writes.c.id).where(which).order_by(writes.c.not_before).limit(limit))
        return tuple(found.scalars())

    def claim(self, write_id: str, owner: str, lease: timedelta) -> PriceWrite | None:
        """Take a due write; None when another has it or it is finished.

        An unknown write stays unknown while it is read. A write whose action is no longer approved is cancelled.
        """
        write = self.get(write_id)
        if write is None:
            return None
        action = self._rows.lock_action(write.action_id)
        taken = self._rows.take(write_id, owner, lease)
        if taken is None or taken.state is WriteState.UNKNOWN:
            return taken
        if action.version == write.version and action.state in (ActionState.APPROVED, ActionState.EXECUTING):
            self._rows.move_action(taken, ActionState.EXECUTING)
            return taken
        self.close(taken, WriteState.CANCELLED, error=f"its action is {action.state} at version {action.version}")
        return None

    def call(self, write: PriceWrite, before: dict[str, Any], lease: timedelta) -> int:
        """Commit the attempt before the call is made; return its number. Raises LeaseLost."""
        self._rows.change(
            write,
            (WriteState.CLAIMED,),
            state=WriteState.CALLING,
            before=before,
            lease_until=self._tx.now + lease,
            attempts=writes.c.attempts + 1,
        )
        last = select(func.coalesce(func.max(write_attempts.c.n), 0)).where(write_attempts.c.write_id == write.id)
        n: int = self._tx.run(last).scalar_one() + 1
        self._tx.run(write_attempts.insert().values(write_id=write.id, n=n, started_at=self._tx.now))
        return n

    def close(
        self,
        write: PriceWrite,
        state: WriteState,
        *,
        before: dict[str, Any] | None = None,
        after: dict[str, Any] | None = None,
        error: str | None = None,
        answer: str | None = None,
        quarantine: timedelta = QUARANTINE,
    ) -> None:
        """Close a claimed write and move its action accordingly, in this transaction. Raises LeaseLost.

        `unknown` and `dry_run` give it back without ending it; an unknown one is due again after `quarantine`.
        """
        self._rows.lock_action(write.action_id)
        values: dict[str, Any] = {"state": state, "after": after, "error": error, "owner": None, "lease_until": None}
        if before is not None:
            values["before"] = before
        if state is WriteState.UNKNOWN:
            values["not_before"] = self._tx.now + quarantine
        if ends(state):
            values["finished_at"] = self._tx.now
        self._rows.change(write, UNDER_WAY, **values)
        self._rows.end_attempt(write.id, state, answer)
        self._rows.move_action(write, outcome_of(state))

    def requeue(self, write: PriceWrite, not_before: datetime, error: str) -> None:
        """Give a claimed write back: same key, later. Raises LeaseLost.

        From `calling` it says that the shop was certainly not changed, so the attempt does not count.
        """
        action = self._rows.lock_action(write.action_id)
        held = self.get(write.id)
        uncounted = 1 if held and held.state is WriteState.CALLING else 0
        self._rows.change(
            write,
            UNDER_WAY,
            state=WriteState.QUEUED,
            not_before=not_before,
            error=error,
            owner=None,
            lease_until=None,
            attempts=writes.c.attempts - uncounted,
        )
        self._rows.end_attempt(write.id, WriteState.QUEUED, error)
        unknown = action.state is ActionState.UNKNOWN
        self._rows.move_action(write, ActionState.EXECUTING if unknown else ActionState.APPROVED)

    def cancel(self, action_id: int, version: int) -> bool:
        """Take a write back before it starts; False when it is too late. The caller moves the action."""
        self._rows.lock_action(action_id)
        cancelled = self._tx.run(
            update(writes)
            .where(
                writes.c.action_id == action_id,
                writes.c.version == version,
                writes.c.state.in_(_NOT_STARTED),
                writes.c.attempts == 0,
            )
            .values(state=WriteState.CANCELLED, fence=writes.c.fence + 1, finished_at=self._tx.now)
        )
        return cancelled.rowcount == 1

    def lost(self, limit: int, quarantine: timedelta = QUARANTINE) -> tuple[str, ...]:
        """Find writes whose worker died: claimed ones are queued again, calling ones become unknown; return them."""
        found = LOST.rows(self._tx, {"now": self._tx.now, "limit": limit})
        return tuple(write_id for (write_id,) in found if self._give_up(write_id, quarantine))

    def written_since(self, channel: str, since: datetime) -> int:
        """Count the calls made to a shop since then, for the hourly cap.

        Whoever counts in a write transaction holds back other counters of the channel until it ends, so that a
        cap checked in the transaction that commits the attempt is exact.
        """
        if self._tx.connection.dialect.name == "postgresql":
            self._tx.run(text("SELECT pg_advisory_xact_lock(hashtext(:name))"), {"name": f"price-writes:{channel}"})
        counted = (
            select(func.count())
            .select_from(write_attempts.join(writes, writes.c.id == write_attempts.c.write_id))
            .where(writes.c.channel == channel, write_attempts.c.started_at > since)
        )
        count: int = self._tx.run(counted).scalar_one()
        return count

    def release_dry_runs(self) -> int:
        """Queue what was approved while writes were off; return how many. What is past its time expires."""
        held = select(writes.c.id, actions.c.expires_at).join(actions).where(writes.c.state == WriteState.DRY_RUN)
        rows = self._tx.run(held).all()
        return sum(self._release(row.id, row.expires_at) for row in rows)

    def _release(self, write_id: str, expires_at: datetime) -> bool:
        write = self.get(write_id)
        if write is None:
            return False
        self._rows.lock_action(write.action_id)
        state = WriteState.QUEUED if expires_at > self._tx.now else WriteState.EXPIRED
        ended = self._tx.now if state is WriteState.EXPIRED else None
        released = self._tx.run(
            update(writes)
            .where(writes.c.id == write_id, writes.c.state == WriteState.DRY_RUN)
            .values(state=state, before=None, after=None, error=None, finished_at=ended)
        )
        if released.rowcount and ended:
            self._rows.move_action(write, ActionState.EXPIRED)
        return released.rowcount == 1 and not ended

    def _give_up(self, write_id: str, quarantine: timedelta) -> bool:
        write = self.get(write_id)
        if write is None:
            return False
        self._rows.lock_action(write.action_id)
        calling = write.state is WriteState.CALLING
        given_up = self._tx.run(
            update(writes)
            .where(writes.c.id == write_id, writes.c.fence == write.fence, writes.c.state == write.state)
            .values(
                state=WriteState.UNKNOWN if calling else WriteState.QUEUED,
                not_before=self._tx.now + quarantine if calling else self._tx.now,
                error="its worker died during the call" if calling else "its worker died before the call",
                fence=writes.c.fence + 1,
                owner=None,
                lease_until=None,
            )
        )
        if given_up.rowcount == 0:
            return False
        if calling:
            self._rows.end_attempt(write_id, WriteState.UNKNOWN, "no answer was recorded")
            self._rows.move_action(write, ActionState.UNKNOWN)
        elif write.attempts == 0:
            self._rows.move_action(write, ActionState.APPROVED)
        return True

    def withdraw(self, action: Action) -> tuple[int, ...]:
        """Cancel what was approved before a later night proposed another price, unless a call was made already."""
        proposal = action.proposal
        older = select(*SHOWN).where(
            _same_variant(action),
            writes.c.state.in_(_NOT_STARTED),
            writes.c.attempts == 0,
            writes.c.action_id < action.id,
            or_(writes.c.target_price != proposal.new_price, writes.c.currency != proposal.currency),
        )
        words = f"a later night proposed another price: action {action.id}; decide about that one"
        return self._replace(older, action, words)

    def _make_room(self, action: Action) -> None:
        older = select(*SHOWN).where(_same_variant(action), writes.c.state.in_(_NOT_STARTED))
        self._replace(older, action, f"a newer decision took its place: action {action.id} version {action.version}")

    def _replace(self, older: Select[Any], action: Action, words: str) -> tuple[int, ...]:
        replaced = []
        for row in self._tx.run(older.order_by(writes.c.action_id)).all():
            write = price_write(row)
            self._rows.lock_action(write.action_id)
            values = {"state": WriteState.CANCELLED, "error": words, "finished_at": self._tx.now}
            cancelled = self._tx.run(
                update(writes)
                .where(writes.c.id == write.id, writes.c.state.in_(_NOT_STARTED))
                .values(fence=writes.c.fence + 1, **values)
            )
            if cancelled.rowcount:
                self._rows.move_action(write, ActionState.SUPERSEDED, superseded_by=action.id)
                replaced.append(write.action_id)
        return tuple(replaced)

    def _is_under_way(self, action: Action) -> bool:
        under_way = select(writes.c.id).where(_same_variant(action), writes.c.state.in_(UNDER_WAY)).limit(1)
        return self._tx.run(under_way).first() is not None

    def _of_version(self, action: Action) -> PriceWrite | None:
        return self._rows.one(and_(writes.c.action_id == action.id, writes.c.version == action.version))


def _same_variant(action: Action) -> ColumnElement[bool]:
    proposal = action.proposal
    return and_(writes.c.channel == proposal.channel, writes.c.sku == proposal.sku)
