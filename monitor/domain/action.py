"""Proposed price changes from the night that proposed them to the shop that has them.

A pending action is stored under its action key `{run}:{channel}:{sku}`. What is decided is one
version of it: a changed target is version n+1 of the same action, never a second action.
"""

import hashlib
import json
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from enum import StrEnum
from typing import Any

from monitor.domain.money import amount_text
from monitor.domain.shop_price import CompareAt, CompareAtAction


class ActionState(StrEnum):
    """Where one version of an action is."""

    PENDING = "pending"  #: waits for a person
    APPROVED = "approved"  #: a person said yes; waits for the undo window
    REJECTED = "rejected"  #: a person said no
    SNOOZED = "snoozed"  #: put off until a date
    EXPIRED = "expired"  #: nobody decided, or nobody wrote it, in time
    SUPERSEDED = "superseded"  #: a later night proposed again
    CANCELLED = "cancelled"  #: taken back within the undo window
    EXECUTING = "executing"  #: being written
    APPLIED = "applied"  #: written and read back
    APPLIED_NOOP = "applied_noop"  #: the shop had this price already
    CONFLICT = "conflict"  #: the shop's price was not the one the decision was based on
    FAILED = "failed"  #: the shop refused
    UNKNOWN = "unknown"  #: sent, and no clear answer; settled by reading
    TARGET_GONE = "target_gone"  #: the shop does not have this product


#: Listed arrows; any other move is refused.
ARROWS: dict[ActionState, frozenset[ActionState]] = {
    ActionState.PENDING: frozenset(
        {
            ActionState.APPROVED,
            ActionState.REJECTED,
            ActionState.SNOOZED,
            ActionState.EXPIRED,
            ActionState.SUPERSEDED,
        }
    ),
    ActionState.SNOOZED: frozenset({ActionState.PENDING, ActionState.EXPIRED, ActionState.SUPERSEDED}),
    ActionState.APPROVED: frozenset(
        {
            ActionState.CANCELLED,
            ActionState.EXECUTING,
            ActionState.EXPIRED,
            ActionState.SUPERSEDED,
        }
    ),
    ActionState.EXECUTING: frozenset(
        {
            ActionState.APPLIED,
            ActionState.APPLIED_NOOP,
            ActionState.CONFLICT,
            ActionState.FAILED,
            ActionState.UNKNOWN,
            ActionState.TARGET_GONE,
            ActionState.APPROVED,
        }
    ),
    ActionState.CONFLICT: frozenset({ActionState.PENDING}),  # as the next version, from the shop's price
    ActionState.UNKNOWN: frozenset(
        {
            ActionState.APPLIED,
            ActionState.CONFLICT,
            ActionState.FAILED,
            ActionState.EXECUTING,
        }
    ),
}


def may_move(old: ActionState, new: ActionState) -> bool:
    """Say whether an action may go from one state to the other."""
    return new in ARROWS.get(old, frozenset())


@dataclass(frozen=True, slots=True)
class Proposal:
    """What a night proposes for one product, with everything the manager is shown about it."""

    run_id: str
    channel: str
    sku: str
    title: str
    currency: str
    old_price: Decimal
    new_price: Decimal
    rule_id: str
    words: str  #: why, in one line
    facts: dict[str, Any]  #: JSON values: cost, margins, limits, reference offer, trail, evidence, observed_at
    expires_at: datetime

    @property
    def action_key(self) -> str:
        """Return the key under which it is stored once."""
        key = action_key(self.run_id, self.channel, self.sku)
        given_back = self.facts.get("revert_of")
        return key if given_back is None else f"{key}:revert-{given_back}"

    @property
    def content_hash(self) -> str:
        """Return the hash that a form binds to: whoever decides has seen exactly this."""
        shown = [
            self.channel,
            self.sku,
            self.currency,
            amount_text(self.old_price, self.currency),
            amount_text(self.new_price, self.currency),
            self.rule_id,
            self.facts.get("evidence"),
            self.facts.get("compare_at"),
            self.facts.get("compare_at_change"),
            self.facts.get("tax_included"),
        ]
        return hashlib.sha256(json.dumps(shown, separators=(",", ":")).encode()).hexdigest()


def action_key(run_id: str, channel: str, sku: str) -> str:
    """Return `{run}:{channel}:{sku}`, unique for ever."""
    return f"{run_id}:{channel}:{sku}"


@dataclass(frozen=True, slots=True)
class Action:
    """A stored proposal and where it is."""

    id: int
    version: int
    state: ActionState
    content_hash: str
    proposal: Proposal
    created_at: datetime
    decided_at: datetime | None = None
    snoozed_until: datetime | None = None
    superseded_by: int | None = None

    @property
    def figures(self) -> dict[str, Any]:
        """Return what a person was shown, as JSON values: it is kept with the decision."""
        shown = self.proposal
        return {
            "sku": shown.sku,
            "title": shown.title,
            "channel": shown.channel,
            "currency": shown.currency,
            "old_price": amount_text(shown.old_price, shown.currency),
            "new_price": amount_text(shown.new_price, shown.currency),
            "rule_id": shown.rule_id,
            "words": shown.words,
            "facts": shown.facts,
            "content_hash": self.content_hash,
        }


class Verb(StrEnum):
    """What a person can decide about an action."""

    APPROVE = "approve"
    REJECT = "reject"
    SNOOZE = "snooze"
    CANCEL = "cancel"  #: takes an approval back within the undo window
    REVERT = "revert"  #: wants the price from before an applied change again
    RENEW = "renew"  #: wants the same target proposed on top of what the shop charges now


@dataclass(frozen=True, slots=True)
class Actor:
    """Who decided, and by which way."""

    kind: str  #: `link`, `cli`, `webhook`, `user`
    name: str  #: the address a link was sent to, the login, the webhook's own name
    link: str | None = None  #: the link's id
    address: str | None = None  #: network prefix the request came from
    agent: str | None = None  #: user agent, shortened
    session: str | None = None  #: who was signed in, when somebody was
    nonce: str | None = None  #: hash of the form's number, or the id of the webhook's message


@dataclass(frozen=True, slots=True)
class Decision:
    """One recorded decision; append-only."""

    id: int
    action_id: int
    version: int
    verb: Verb
    actor: Actor
    reason: str | None
    figures: dict[str, Any]  #: what was shown when it was decided
    batch: str  #: decisions of one form post share it
    decided_at: datetime


class WriteState(StrEnum):
    """Where the one write of an approved version is."""

    QUEUED = "queued"  #: waits for the undo window or its turn
    WAITING = "waiting"  #: decided while an older write of the same product was under way; takes its turn after it
    CLAIMED = "claimed"  #: a worker reads the shop's price
    CALLING = "calling"  #: the attempt row is committed, the call may be under way
    APPLIED = "applied"
    APPLIED_NOOP = "applied_noop"
    CONFLICT = "conflict"
    FAILED = "failed"
    UNKNOWN = "unknown"
    CANCELLED = "cancelled"
    EXPIRED = "expired"
    TARGET_GONE = "target_gone"
    DRY_RUN = "dry_run"  #: writes are switched off: recorded, not sent; queued again when switched on


@dataclass(frozen=True, slots=True)
class PriceWrite:
    """The one write of one approved version."""

    id: str  #: uuid
    action_id: int
    version: int
    channel: str
    sku: str
    currency: str
    target_price: Decimal
    expected_price: Decimal
    idempotency_key: str
    state: WriteState
    not_before: datetime
    fence: int
    attempts: int
    error: str | None
    created_at: datetime
    finished_at: datetime | None
    compare_at_action: CompareAtAction = CompareAtAction.KEEP
    compare_at: Decimal | None = None  #: with `set`
    is_compare_at_known: bool = False  #: whether it was known when this was decided
    expected_compare_at: Decimal | None = None
    tax_included: bool | None = None  #: how the approved price was meant; None: nobody said

    @property
    def compare_at_change(self) -> CompareAt:
        """Return what becomes of the compare-at price."""
        return CompareAt(self.compare_at_action, self.compare_at)
