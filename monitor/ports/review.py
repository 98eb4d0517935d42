"""Pending actions, decisions, links and writes."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Protocol

from monitor.domain.action import Action, ActionState, Actor, Decision, PriceWrite, Proposal, Verb, WriteState
from monitor.domain.submit import QUARANTINE


class Actions(Protocol):
    """Proposed price changes and the decisions about them."""

    def propose(self, proposal: Proposal) -> tuple[Action, bool]:
        """Store a proposal under its key, once.

        The same content again returns the stored action; another target while it is pending makes version n+1;
        once decided it stays as it is. The flag says whether anything was written.
        """

    def supersede(self, action: Action) -> tuple[int, ...]:
        """Close older pending and snoozed actions for the same channel and SKU; return their ids."""

    def refresh(self, action: Action, proposal: Proposal) -> bool:
        """Let a later night stand behind a pending action as it was seen; False when it has moved on.

        Its evidence, words and time become the later night's, its version stays: nothing that was proposed changed.
        """

    def get(self, action_id: int) -> Action | None:
        """Return one action."""

    def several(self, action_ids: Iterable[int]) -> dict[int, Action]:
        """Return actions by number, those that there are."""

    def find(self, key: str) -> Action | None:
        """Return the action stored under an action key."""

    def of_run(self, run_id: str) -> tuple[Action, ...]:
        """Return what a run proposed, anew or again, in order of SKU."""

    def pending(self, *, besides: str | None = None) -> tuple[Action, ...]:
        """Return what waits for a person and has not expired, over all runs or over all but one."""

    def of_sku(self, sku: str) -> tuple[Action, ...]:
        """Return every action of a product, newest first."""

    def last_of(self, channel: str, sku: str, *, besides: str) -> Action | None:
        """Return the newest action of a product that another run proposed."""

    def move(self, action_id: int, version: int, old: ActionState, new: ActionState) -> bool:
        """Move by compare-and-set; False when the action was not in `old` any more."""

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
        """Move a pending action and append the decision, or return False and change nothing.

        Only `version` and `content_hash` as seen, pending and not expired, can be decided; `cancel` asks
        for an approved one instead, and leaves its write to `Writes.cancel`.
        """

    def amend(self, action: Action, proposal: Proposal, *, old: ActionState = ActionState.PENDING) -> Action | None:
        """Make the action as it was seen the next version with other content, pending; None when it has moved on."""

    def note(self, action: Action, verb: Verb, actor: Actor, *, batch: str, reason: str | None) -> None:
        """Append what somebody asked for without moving the action."""

    def decisions(self, action_id: int) -> tuple[Decision, ...]:
        """Return the decisions about an action, oldest first."""

    def decisions_of(self, action_ids: Iterable[int]) -> dict[int, tuple[Decision, ...]]:
        """Return the decisions about several actions, each oldest first; an undecided one has no entry."""

    def counts(self, run_id: str) -> dict[ActionState, int]:
        """Return how many of a run's actions are in each state; a state that nothing is in is left out."""

    def batch(self, batch: str) -> tuple[Decision, ...]:
        """Return the decisions of one form post."""

    def expire(self, limit: int) -> tuple[int, ...]:
        """Expire pending actions past their time and wake snoozed ones; return the expired."""


class Writes(Protocol):
    """The one write of each approved version."""

    def queue(self, action: Action, *, not_before: datetime, dry_run: bool) -> PriceWrite:
        """Insert the write of an approved action, or return the one it has; its idempotency key never changes.

        It takes the place of an older write of the same product that has not started, whose action is superseded;
        one that has started is left to finish, and this one waits for it.
        """

    def get(self, write_id: str) -> PriceWrite | None:
        """Return one write."""

    def of_action(self, action_id: int) -> tuple[PriceWrite, ...]:
        """Return the writes of an action by version."""

    def before(self, write_id: str) -> dict[str, Any] | None:
        """Return what the shop said right before a write, as it was kept; None when it was not read."""

    def due(self, limit: int, *, only_unknown: bool = False) -> tuple[str, ...]:
        """Return what can be claimed: queued and due, unknown after quarantine, dry runs not yet compared.

        Args:
            only_unknown: leave out what would lead to a call; while the kill switch is thrown.
        """

    def withdraw(self, action: Action) -> tuple[int, ...]:
        """Cancel writes of older actions for the same product that have not started and want another price.

        Their actions are superseded by this one, which was proposed later; return their ids.
        """

    def claim(self, write_id: str, owner: str, lease: timedelta) -> PriceWrite | None:
        """Take a due write and move its action to executing; None when another has it or it is finished."""

    def call(self, write: PriceWrite, before: dict[str, Any], lease: timedelta) -> int:
        """Commit the attempt before the call is made; return its number. Raises LeaseLost."""

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

        As `unknown` it is given back and due again after `quarantine`; as `dry_run` it is given back until
        writes are switched on.
        """

    def requeue(self, write: PriceWrite, not_before: datetime, error: str) -> None:
        """Give a claimed write back: same key, later. From `calling`: that call changed nothing and does not count.

        Raises LeaseLost.
        """

    def cancel(self, action_id: int, version: int) -> bool:
        """Take a write back before it starts; False when it is too late. The caller moves the action."""

    def lost(self, limit: int, quarantine: timedelta = QUARANTINE) -> tuple[str, ...]:
        """Find writes whose worker died: claimed ones are queued again, calling ones become unknown; return them."""

    def written_since(self, channel: str, since: datetime) -> int:
        """Count the calls made to a shop since then; exact until this transaction ends, also among many workers."""

    def release_dry_runs(self) -> int:
        """Queue what was approved while writes were off; return how many. What is past its time expires."""


@dataclass(frozen=True, slots=True)
class Link:
    """A review link of one recipient for one run."""

    id: str
    run_id: str
    recipient: str
    purpose: str
    created_at: datetime
    expires_at: datetime
    revoked_at: datetime | None
    code_hash: str | None
    code_tries: int
    locked_until: datetime | None


class Links(Protocol):
    """Review links and the one-time numbers of their forms."""

    def issue(self, link: Link) -> Link:
        """Store a link, or return the one there is for this run, recipient and purpose."""

    def get(self, link_id: str) -> Link | None:
        """Return one link."""

    def of_run(self, run_id: str) -> tuple[Link, ...]:
        """Return the links of a run."""

    def seen(self, link_id: str) -> None:
        """Count a GET."""

    def posted(self, link_id: str) -> None:
        """Note when the first form came back."""

    def revoke(self, run_ids: Sequence[str], reason: str, *, at: datetime | None = None) -> int:
        """Revoke the links of these runs from `at` on, by default now; a later end set before gives way."""

    def revoke_of(self, recipient: str, reason: str, *, besides: str | None = None) -> int:
        """Revoke every open link to an address, or all but one; return how many decided until now."""

    def wrong_code(self, link_id: str, lock: timedelta, tries: int) -> int:
        """Count a wrong code and lock the link after `tries`; return how many there were.

        The count begins anew when a lock has passed.
        """

    def issue_nonce(self, link_id: str, digest: str, lifetime: timedelta) -> None:
        """Store the hash of a form's nonce."""

    def use_nonce(self, link_id: str, digest: str, batch: str, min_age: timedelta) -> str | None:
        """Spend a nonce: `batch` when this call spent it, the earlier batch when it was spent, else None."""

    def is_unspent(self, link_id: str, digest: str) -> bool:
        """Say whether a nonce was issued for this link and can still be spent."""

    def spent(self, link_id: str, digest: str) -> str | None:
        """Return the batch for which a nonce was spent, or None."""

    def keep_results(self, link_id: str, batch: str, results: Sequence[dict[str, Any]]) -> None:
        """Keep what became of each row of a form, so that a repeat is answered with the same page."""

    def results(self, link_id: str, batch: str) -> tuple[dict[str, Any], ...] | None:
        """Return what became of each row of a form, or None when this link has no such form."""

    def prune(self, limit: int) -> int:
        """Forget nonces past their time."""


class Signer(Protocol):
    """Signs the ids of links and derives what else must not be guessed from the same secret keys."""

    def sign(self, link_id: str, purpose: str) -> str:
        """Return the token that stands in a link: URL-safe, tells nothing but the link's id and purpose."""

    def read(self, token: str, purpose: str) -> str | None:
        """Return the link's id, or None for anything that was not signed here for this purpose."""

    def code(self, link_id: str, kept: str | None = None) -> str:
        """Return the link's six digits; `kept` is the stored hash, which finds them again after a change of keys."""

    def code_hash(self, link_id: str, code: str) -> str:
        """Return the keyed hash under which a code is stored."""

    def is_code(self, link_id: str, kept: str, code: str) -> bool:
        """Say in constant time whether `code` is the one whose hash was kept."""

    def digest(self, nonce: str) -> str:
        """Return the hash under which a form's nonce is stored."""

    def seal(self, purpose: str, text: str) -> str:
        """Return a keyed hash that shows that this text was given out here for this purpose."""

    def is_seal(self, purpose: str, text: str, given: str) -> bool:
        """Say in constant time whether `given` is such a hash, whichever key made it."""
