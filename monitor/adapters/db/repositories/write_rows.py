"""Rows of writes and their actions, changed only by whoever holds them.

The conditional updates under `writes`: each names what it expects, and the row count tells whether it was so.
"""

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any
from uuid import uuid4

from sqlalchemy import ColumnElement, Integer, Row, and_, bindparam, case, exists, literal, or_, select, update
from sqlalchemy.exc import IntegrityError

from monitor.adapters.db.prepared import Prepared
from monitor.adapters.db.schema import actions, write_attempts, writes
from monitor.adapters.db.transaction import Transaction
from monitor.domain.action import Action, ActionState, PriceWrite, WriteState
from monitor.domain.shop_price import compare_at_of, expected_compare_at
from monitor.domain.submit import came_from
from monitor.errors import LeaseLost

#: A worker has it, or the shop may still be acting on it.
UNDER_WAY = (WriteState.CLAIMED, WriteState.CALLING, WriteState.UNKNOWN)
#: At most one of these per channel and SKU; the schema's unique index.
_LIVE = (WriteState.QUEUED, WriteState.DRY_RUN, *UNDER_WAY)

#: Asked every second, and mostly in vain: whether anything may be claimable.
MAY_BE_DUE = Prepared(
    select(writes.c.id)
    .where(
        writes.c.not_before <= bindparam("now"),
        or_(*(writes.c.state == state for state in (*_LIVE, WriteState.WAITING))),
    )
    .limit(1)
)
#: The writes whose worker died.
LOST = Prepared(
    select(writes.c.id)
    .where(
        or_(writes.c.state == WriteState.CLAIMED, writes.c.state == WriteState.CALLING),
        writes.c.lease_until < bindparam("now"),
    )
    .order_by(writes.c.lease_until)
    .limit(bindparam("limit", type_=Integer()))
)

SHOWN = tuple(writes.c[name] for name in PriceWrite.__dataclass_fields__)


def price_write(row: Row[Any]) -> PriceWrite:
    """Return a row of `SHOWN` as the value it is."""
    return PriceWrite(**row._mapping)


def new_row(action: Action, state: WriteState, not_before: datetime, now: datetime) -> dict[str, Any]:
    """Return the row of an approved action's write; its uuid is its idempotency key, made here and never again."""
    write_id = str(uuid4())
    proposal = action.proposal
    return {
        "id": write_id,
        "action_id": action.id,
        "version": action.version,
        "channel": proposal.channel,
        "sku": proposal.sku,
        "currency": proposal.currency,
        "target_price": proposal.new_price,
        "expected_price": proposal.old_price,
        **_terms(proposal.facts),
        "idempotency_key": write_id,
        "state": state,
        "not_before": not_before,
        "created_at": now,
    }


def _terms(facts: dict[str, Any]) -> dict[str, Any]:
    change, (is_known, before) = compare_at_of(facts), expected_compare_at(facts)
    tax = facts.get("tax_included")
    return {
        "compare_at_action": change.action,
        "compare_at": change.amount,
        "is_compare_at_known": is_known,
        "expected_compare_at": before,
        "tax_included": tax if isinstance(tax, bool) else None,
    }


class WriteRows:
    """The rows of one open transaction."""

    def __init__(self, tx: Transaction) -> None:
        self._tx = tx

    def claimable(self) -> ColumnElement[bool]:
        """Queued and due, unknown after quarantine, waiting with nothing in the way, dry runs not yet read."""
        now = self._tx.now
        other = writes.alias("other")
        in_the_way = (
            exists()
            .where(other.c.channel == writes.c.channel, other.c.sku == writes.c.sku, other.c.state.in_(_LIVE))
            .correlate(writes)
        )
        return and_(
            writes.c.not_before <= now,
            or_(
                writes.c.state == WriteState.QUEUED,
                and_(writes.c.state == WriteState.DRY_RUN, writes.c.before.is_(None)),
                and_(
                    writes.c.state == WriteState.UNKNOWN,
                    or_(writes.c.lease_until.is_(None), writes.c.lease_until <= now),
                ),
                and_(writes.c.state == WriteState.WAITING, ~in_the_way),
            ),
        )

    def take(self, write_id: str, owner: str, lease: timedelta) -> PriceWrite | None:
        """Claim a write that is claimable at this moment; an unknown one stays unknown. None when it is not."""
        taken = literal(WriteState.CLAIMED, writes.c.state.type)
        try:
            with self._tx.connection.begin_nested():
                row = self._tx.run(
                    update(writes)
                    .where(writes.c.id == write_id, self.claimable())
                    .values(
                        state=case((writes.c.state == WriteState.UNKNOWN, writes.c.state), else_=taken),
                        owner=owner,
                        lease_until=self._tx.now + lease,
                        fence=writes.c.fence + 1,
                    )
                    .returning(*SHOWN)
                ).one_or_none()
        except IntegrityError:  # a waiting one, while another of its variant became live at this moment
            return None
        return price_write(row) if row else None

    def one(self, condition: ColumnElement[bool]) -> PriceWrite | None:
        """Return the write that the condition names."""
        row = self._tx.run(select(*SHOWN).where(condition)).one_or_none()
        return price_write(row) if row else None

    def change(self, write: PriceWrite, states: Iterable[WriteState], **values: Any) -> None:
        """Change a write that is still ours. Raises LeaseLost."""
        changed = self._tx.run(
            update(writes)
            .where(writes.c.id == write.id, writes.c.fence == write.fence, writes.c.state.in_(tuple(states)))
            .values(**values)
        )
        if changed.rowcount != 1:
            raise LeaseLost(f"write {write.id}", write.fence)

    def end_attempt(self, write_id: str, outcome: WriteState, answer: str | None) -> None:
        """Close the open attempt of a write, if it has one."""
        self._tx.run(
            update(write_attempts)
            .where(write_attempts.c.write_id == write_id, write_attempts.c.ended_at.is_(None))
            .values(ended_at=self._tx.now, outcome=outcome.value, answer=answer)
        )

    def lock_action(self, action_id: int) -> Row[Any]:
        """Hold an action until the transaction ends; return its state and version."""
        locked = select(actions.c.state, actions.c.version).where(actions.c.id == action_id).with_for_update()
        return self._tx.run(locked).one()

    def move_action(self, write: PriceWrite, new: ActionState, **values: Any) -> None:
        """Move the action of a write as its end asks; a later version, or one moved by a person, stays as it is."""
        self._tx.run(
            update(actions)
            .where(
                actions.c.id == write.action_id,
                actions.c.version == write.version,
                actions.c.state.in_(came_from(new)),
            )
            .values(state=new, **values)
        )
