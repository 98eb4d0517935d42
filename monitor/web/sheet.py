"""Loads what a review link shows, in one consistent read.

A sheet holds the proposals of the link's night and what still waits from earlier nights, each with its
decisions and, while it can still be taken back, its write.
"""

from dataclasses import dataclass
from datetime import datetime

from monitor.domain.action import Action, ActionState, Decision, PriceWrite, WriteState
from monitor.domain.review import RowResult, row_result
from monitor.flow.review import REVIEW, VIEW, is_over
from monitor.ports.review import Link, Signer
from monitor.ports.store import Store, Unit

#: States of a write that has not started.
_WAITING = frozenset({WriteState.QUEUED, WriteState.WAITING, WriteState.DRY_RUN})


@dataclass(frozen=True, slots=True)
class SheetRow:
    """One proposal and what became of it so far."""

    action: Action
    decisions: tuple[Decision, ...]
    write: PriceWrite | None  #: only while the approval can be taken back


@dataclass(frozen=True, slots=True)
class Sheet:
    """What a link shows."""

    link: Link
    is_over: bool
    rows: tuple[SheetRow, ...]
    now: datetime


def find_link(store: Store, signer: Signer, token: str) -> Link | None:
    """Return the link behind a token, to decide or to show only; None for whatever is not one of ours."""
    return find_review_link(store, signer, token) or _found(store, signer.read(token, VIEW), VIEW)


def find_review_link(store: Store, signer: Signer, token: str) -> Link | None:
    """Return the link behind a token if it is one to decide, over or not."""
    return _found(store, signer.read(token, REVIEW), REVIEW)


def _found(store: Store, link_id: str | None, purpose: str) -> Link | None:
    if link_id is None:
        return None
    with store.read() as unit:
        link = unit.links.get(link_id)
    return link if link is not None and link.purpose.partition("/")[0] == purpose else None


def shared_link(store: Store, link: Link) -> Link | None:
    """Return the link of the same reader and night that only shows, while it is open."""
    with store.read() as unit:
        of_run, now = unit.links.of_run(link.run_id), unit.now
    mine = (one for one in of_run if one.purpose == VIEW and one.recipient == link.recipient)
    return next((one for one in mine if not is_over(one, now)), None)


def open_sheet(store: Store, link: Link) -> Sheet:
    """Return what the link shows now; writes nothing."""
    with store.read() as unit:
        return Sheet(link, is_over(link, unit.now), _rows(unit, _shown(unit, link)), unit.now)


def _shown(unit: Unit, link: Link) -> tuple[Action, ...]:
    of_run = unit.actions.of_run(link.run_id)
    if is_over(link, unit.now):
        return of_run
    return (*of_run, *unit.actions.pending(besides=link.run_id))


def batch_rows(store: Store, link: Link, batch: str) -> tuple[tuple[RowResult, SheetRow | None], ...] | None:
    """Return the stored results of a form with their rows as they are now, or None when there is no such form."""
    with store.read() as unit:
        stored = unit.links.results(link.id, batch)
        if stored is None:
            return None
        results = tuple(map(row_result, stored))
        actions = tuple(action for result in results if (action := unit.actions.get(result.action_id)))
        rows = {row.action.id: row for row in _rows(unit, actions)}
        return tuple((result, rows.get(result.action_id)) for result in results)


def _rows(unit: Unit, actions: tuple[Action, ...]) -> tuple[SheetRow, ...]:
    decisions = unit.actions.decisions_of(action.id for action in actions)
    return tuple(SheetRow(action, decisions.get(action.id, ()), _open_write(unit, action)) for action in actions)


def _open_write(unit: Unit, action: Action) -> PriceWrite | None:
    if action.state is not ActionState.APPROVED:
        return None
    writes = (write for write in unit.writes.of_action(action.id) if write.version == action.version)
    return next((write for write in writes if write.state in _WAITING), None)
