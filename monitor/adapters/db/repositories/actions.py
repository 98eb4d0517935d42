"""Proposed price changes and the decisions about them.

Every move is a conditional UPDATE whose row count decides: of twenty identical decisions one hits
its row and appends, nineteen hit nothing. Decisions are only ever inserted (see `triggers`).
"""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Select, and_, bindparam, func, or_, select, true, update

from monitor.adapters.db.prepared import Prepared
from monitor.adapters.db.repositories.action_rows import action_of, content, decision_of
from monitor.adapters.db.schema import actions, decisions, renewals
from monitor.adapters.db.transaction import Transaction
from monitor.domain.action import Action, ActionState, Actor, Decision, Proposal, Verb, may_move

#: What each verb asks of an action and makes of it.
MOVES: dict[Verb, tuple[ActionState, ActionState]] = {
    Verb.APPROVE: (ActionState.PENDING, ActionState.APPROVED),
    Verb.REJECT: (ActionState.PENDING, ActionState.REJECTED),
    Verb.SNOOZE: (ActionState.PENDING, ActionState.SNOOZED),
    Verb.CANCEL: (ActionState.APPROVED, ActionState.CANCELLED),
}

#: What a later night that proposes the same renews of an action.
_REFRESHED = frozenset({"content_hash", "title", "words", "facts", "expires_at"})

#: Asked every second, and mostly in vain.
_IS_OVER = Prepared(
    select(actions.c.id)
    .where(
        and_(actions.c.state == ActionState.SNOOZED, actions.c.snoozed_until <= bindparam("now"))
        | and_(actions.c.state == ActionState.PENDING, actions.c.expires_at <= bindparam("now"))
    )
    .limit(1)
)


class ActionTable:
    """`monitor.ports.review.Actions` on SQL."""

    def __init__(self, tx: Transaction) -> None:
        self._tx = tx

    def propose(self, proposal: Proposal) -> tuple[Action, bool]:
        """Store a proposal under its key, once; another target while it is pending makes the next version."""
        fresh = content(proposal) | {
            "key": proposal.action_key,
            "version": 1,
            "state": ActionState.PENDING,
            "created_at": self._tx.now,
        }
        if self._tx.insert_once(actions, fresh):
            return self._stored(proposal), True
        renewed = (
            update(actions)
            .where(
                actions.c.key == proposal.action_key,
                actions.c.state == ActionState.PENDING,
                actions.c.content_hash != proposal.content_hash,
            )
            .values(content(proposal) | {"version": actions.c.version + 1})
        )
        is_written = self._tx.run(renewed).rowcount == 1
        return self._stored(proposal), is_written

    def _stored(self, proposal: Proposal) -> Action:
        stored = self.find(proposal.action_key)
        assert stored is not None  # noqa: S101 - inserted or found in this transaction
        return stored

    def supersede(self, action: Action) -> tuple[int, ...]:
        """Close older pending and snoozed actions for the same channel and SKU; return their ids."""
        closed = (
            update(actions)
            .where(
                actions.c.channel == action.proposal.channel,
                actions.c.sku == action.proposal.sku,
                actions.c.id < action.id,
                actions.c.state.in_([ActionState.PENDING, ActionState.SNOOZED]),
            )
            .values(state=ActionState.SUPERSEDED, superseded_by=action.id)
            .returning(actions.c.id)
        )
        return tuple(sorted(self._tx.run(closed).scalars()))

    def refresh(self, action: Action, proposal: Proposal) -> bool:
        """Let a later night stand behind a pending action as it was seen; False when it has moved on.

        Its evidence, words and time become the later night's, its version stays: nothing that was proposed changed.
        """
        fresh = {name: value for name, value in content(proposal).items() if name in _REFRESHED}
        same = (actions.c.version == action.version, actions.c.content_hash == action.content_hash)
        renewed = update(actions).where(actions.c.id == action.id, *same, actions.c.state == ActionState.PENDING)
        if self._tx.run(renewed.values(fresh)).rowcount != 1:
            return False
        if proposal.run_id != action.proposal.run_id:
            self._tx.insert_once(renewals, {"action_id": action.id, "run_id": proposal.run_id, "at": self._tx.now})
        return True

    def get(self, action_id: int) -> Action | None:
        """Return one action."""
        return self._one(select(actions).where(actions.c.id == action_id))

    def several(self, action_ids: Iterable[int]) -> dict[int, Action]:
        """Return actions by number, those that there are."""
        return {action.id: action for action in self._all(select(actions).where(actions.c.id.in_(list(action_ids))))}

    def find(self, key: str) -> Action | None:
        """Return the action stored under an action key."""
        return self._one(select(actions).where(actions.c.key == key))

    def of_run(self, run_id: str) -> tuple[Action, ...]:
        """Return what a run proposed, anew or again, in order of SKU."""
        return self._all(select(actions).where(_is_of(run_id)).order_by(actions.c.sku, actions.c.id))

    def pending(self, *, besides: str | None = None) -> tuple[Action, ...]:
        """Return what waits for a person and has not expired, over all runs or over all but one."""
        waiting = and_(actions.c.state == ActionState.PENDING, actions.c.expires_at > self._tx.now)
        if besides is not None:
            waiting = and_(waiting, ~_is_of(besides))
        return self._all(select(actions).where(waiting).order_by(actions.c.sku, actions.c.id))

    def of_sku(self, sku: str) -> tuple[Action, ...]:
        """Return every action of a product, newest first."""
        return self._all(select(actions).where(actions.c.sku == sku).order_by(actions.c.id.desc()))

    def last_of(self, channel: str, sku: str, *, besides: str) -> Action | None:
        """Return the newest action of a product that another run proposed."""
        others = (actions.c.channel == channel, actions.c.sku == sku, actions.c.run_id != besides)
        return self._one(select(actions).where(*others).order_by(actions.c.id.desc()).limit(1))

    def move(self, action_id: int, version: int, old: ActionState, new: ActionState) -> bool:
        """Move by compare-and-set; False when the action was not in `old` any more.

        Raises:
            ValueError: no listed arrow leads from `old` to `new`; a mistake of the caller.
        """
        if not may_move(old, new):
            raise ValueError(f"action {action_id}: no arrow from {old} to {new}; nothing was changed")
        moved = (
            update(actions)
            .where(actions.c.id == action_id, actions.c.version == version, actions.c.state == old)
            .values(state=new)
        )
        return self._tx.run(moved).rowcount == 1

    def decide(
        self,
        action: Action,
        verb: Verb,
        actor: Actor,
        *,
        batch: str,
        reason: str | None,
        until: datetime | None,
    ) -> bool:
        """Move the action as it was seen and append the decision, or return False and change nothing."""
        old, new = MOVES[verb]
        decided = (
            update(actions)
            .where(
                actions.c.id == action.id,
                actions.c.version == action.version,
                actions.c.content_hash == action.content_hash,
                actions.c.state == old,
                true() if verb is Verb.CANCEL else actions.c.expires_at > self._tx.now,
            )
            .values(state=new, decided_at=self._tx.now, snoozed_until=until if verb is Verb.SNOOZE else None)
        )
        if self._tx.run(decided).rowcount != 1:
            return False
        self._append(action, verb, actor, batch=batch, reason=reason)
        return True

    def amend(self, action: Action, proposal: Proposal, *, old: ActionState = ActionState.PENDING) -> Action | None:
        """Make the action as it was seen the next version with other content, pending; None when it has moved on."""
        values = content(proposal) | {"version": action.version + 1, "state": ActionState.PENDING}
        same = (actions.c.version == action.version, actions.c.content_hash == action.content_hash)
        amended = update(actions).where(actions.c.id == action.id, *same, actions.c.state == old)
        if self._tx.run(amended.values(values | {"decided_at": None})).rowcount != 1:
            return None
        return self.get(action.id)

    def note(self, action: Action, verb: Verb, actor: Actor, *, batch: str, reason: str | None) -> None:
        """Append what somebody asked for without moving the action."""
        self._append(action, verb, actor, batch=batch, reason=reason)

    def _append(self, action: Action, verb: Verb, actor: Actor, *, batch: str, reason: str | None) -> None:
        row: dict[str, Any] = {
            "action_id": action.id,
            "version": action.version,
            "verb": verb,
            "actor_kind": actor.kind,
            "actor_name": actor.name,
            "link": actor.link,
            "address": actor.address,
            "agent": actor.agent,
            "reason": reason,
            "figures": action.figures,
            "batch": batch,
            "nonce": actor.nonce,
            "session": actor.session,
            "decided_at": self._tx.now,
        }
        self._tx.run(decisions.insert().values(row))

    def decisions(self, action_id: int) -> tuple[Decision, ...]:
        """Return the decisions about an action, oldest first."""
        return self._decisions(decisions.c.action_id == action_id)

    def decisions_of(self, action_ids: Iterable[int]) -> dict[int, tuple[Decision, ...]]:
        """Return the decisions about several actions, each oldest first; an undecided one has no entry."""
        found: dict[int, tuple[Decision, ...]] = {}
        for decision in self._decisions(decisions.c.action_id.in_(list(action_ids))):
            found[decision.action_id] = (*found.get(decision.action_id, ()), decision)
        return found

    def batch(self, batch: str) -> tuple[Decision, ...]:
        """Return the decisions of one form post."""
        return self._decisions(decisions.c.batch == batch)

    def _decisions(self, which: ColumnElement[bool]) -> tuple[Decision, ...]:
        return tuple(map(decision_of, self._tx.run(select(decisions).where(which).order_by(decisions.c.id))))

    def expire(self, limit: int) -> tuple[int, ...]:
        """Wake snoozed actions whose date has come, then expire pending ones past their time; return the expired."""
        now = self._tx.now
        if _IS_OVER.one(self._tx, {"now": now}) is None:
            return ()
        is_rested = and_(actions.c.state == ActionState.SNOOZED, actions.c.snoozed_until <= now)
        self._close(is_rested, limit, ActionState.PENDING)
        return self._close(
            and_(actions.c.state == ActionState.PENDING, actions.c.expires_at <= now), limit, ActionState.EXPIRED
        )

    def _close(self, which: ColumnElement[bool], limit: int, new: ActionState) -> tuple[int, ...]:
        first = select(actions.c.id).where(which).order_by(actions.c.id).limit(limit).scalar_subquery()
        moved = update(actions).where(actions.c.id.in_(first), which).values(state=new).returning(actions.c.id)
        return tuple(sorted(self._tx.run(moved).scalars()))

    def counts(self, run_id: str) -> dict[ActionState, int]:
        """Return how many of a run's actions are in each state; a state that nothing is in is left out."""
        counted = select(actions.c.state, func.count()).where(_is_of(run_id)).group_by(actions.c.state)
        rows: Sequence[Any] = self._tx.run(counted).all()
        return dict(rows)

    def _one(self, query: Select[Any]) -> Action | None:
        row = self._tx.run(query).one_or_none()
        return None if row is None else action_of(row)

    def _all(self, query: Select[Any]) -> tuple[Action, ...]:
        return tuple(map(action_of, self._tx.run(query)))


def _is_of(run_id: str) -> ColumnElement[bool]:
    again = select(renewals.c.action_id).where(renewals.c.run_id == run_id)
    return or_(actions.c.run_id == run_id, actions.c.id.in_(again))
