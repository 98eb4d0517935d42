"""Work out price responses and store each once, as a pending action under its action key.

Everything is decided from what the run froze and observed, so running it again proposes the same and stores
nothing twice. A night that a later one has overtaken proposes nothing, and one that was run again withdraws what it
proposed before, nobody decided and it does not propose any more. Odd readings are held and feed nothing; the guards
of the night take away what all proposals together may not do. What the rules could not decide because our own data
is wrong, what is held and what a guard took away comes back as exceptions for the report.
"""

from collections.abc import Collection, Mapping
from itertools import chain
from typing import Any

from monitor.domain.action import Action, ActionState, Proposal
from monitor.domain.amend import inputs_of
from monitor.domain.anomaly import Held, WatchKey, held_json
from monitor.domain.catalogue import Catalogue
from monitor.domain.holds import hold_name, to_forget, to_remember
from monitor.domain.message import Alert, AlertKind
from monitor.domain.night import earlier_names
from monitor.domain.noticed import noticed
from monitor.domain.overtaken import doubted, still_open
from monitor.domain.plan import NightPlan
from monitor.domain.pricing import Coverage
from monitor.domain.run import Run
from monitor.domain.standing import portfolio, unpacked
from monitor.flow.propose.found import Found
from monitor.flow.propose.night import decided, night_of
from monitor.flow.propose.told import told
from monitor.ports.store import Store, Unit

#: States of an approval whose price is still on its way.
_UNDER_WAY = frozenset({ActionState.APPROVED, ActionState.EXECUTING, ActionState.UNKNOWN})


def propose(store: Store, run: Run, plan: NightPlan, catalogue: Catalogue) -> dict[str, Any]:
    """Store the night's proposals.

    Returns:
        What the checkpoint keeps: how many products were decided and proposed, how many each guard stopped, the held
        readings with their evidence, and as exceptions, each `{"sku", "words"}`, what a person should know.
    """
    with store.read() as unit:  # all that is read, because it is much and the heartbeat waits for whoever writes
        night = night_of(unit, run, plan, catalogue)
        found = decided(unit, night)
    figures = portfolio(chain.from_iterable(map(unpacked, found.standings)))
    with store.write() as unit:
        unit.standings.keep(chain.from_iterable(map(unpacked, found.standings)), figures)
        later = unit.runs.later(run)
        taken = {action.proposal.sku for one in later for action in unit.actions.of_run(one.id)}
        proposals, overtaken = still_open(found.proposals, later, taken)
        written = sum(_store(unit, plan, proposal) for proposal in proposals)
        withdrawn = _withdraw(unit, run, {one.sku for one in proposals})
        _remember(unit, tuple(one.held for one in found.held), night.standing)
        _check_coverage(unit, run, plan, night.coverage)
        _tell_tripped(unit, run, found)
        for alert in noticed(run, plan.notify, catalogue, found.signs, unit.now):
            unit.alerts.raise_once(alert)
    checkpoint = {"products": found.products, "proposals": len(proposals), "written": written, **told(found)}
    return checkpoint | {"exceptions": [*overtaken, *withdrawn, *checkpoint["exceptions"]]}


def _is_answered(unit: Unit, plan: NightPlan, last: Action) -> bool:
    """Say whether exactly this was decided and stands: rejected lately, put off until later, or approved already."""
    if last.state is ActionState.SNOOZED:
        return last.snoozed_until is not None and last.snoozed_until > unit.now
    if last.state is ActionState.REJECTED:
        return last.decided_at is not None and unit.now < last.decided_at + plan.review.quiet_after_reject
    return last.state in _UNDER_WAY and last.proposal.expires_at > unit.now


def _store(unit: Unit, plan: NightPlan, proposal: Proposal) -> bool:
    """Store a proposal, or keep the one of an earlier night that says the same; say whether a new one was written."""
    last = unit.actions.last_of(proposal.channel, proposal.sku, besides=proposal.run_id)
    if last is not None and inputs_of(last.proposal) == inputs_of(proposal):
        is_waiting = last.state is ActionState.PENDING and last.proposal.expires_at > unit.now
        if _is_answered(unit, plan, last) or (is_waiting and unit.actions.refresh(last, proposal)):
            return False
    action, is_written = unit.actions.propose(proposal)
    if is_written:
        unit.actions.supersede(action)
        unit.writes.withdraw(action)
    return is_written


def _withdraw(unit: Unit, run: Run, proposed: Collection[str]) -> list[dict[str, Any]]:
    """Close what a night proposed when it was run before, nobody decided, and it does not propose any more.

    Returns:
        As notices what somebody approved and it does not propose any more: a decision stays until a person takes it
        back, but they should know.
    """
    before = [unit.runs.of_date(name, run.local_date) for name in earlier_names(run.schedule)]
    if not before:
        return []
    kept = {action.id for action in unit.actions.of_run(run.id)}
    earlier = {action.id: action for one in before if one is not None for action in unit.actions.of_run(one.id)}
    gone = [action for action in earlier.values() if action.id not in kept]
    for action in gone:
        if action.state is ActionState.PENDING:
            unit.actions.move(action.id, action.version, ActionState.PENDING, ActionState.SUPERSEDED)
    return [doubted(action) for action in gone if action.state in _UNDER_WAY and action.proposal.sku not in proposed]


def _remember(unit: Unit, held: tuple[Held, ...], standing: Mapping[WatchKey, Held]) -> None:
    """Keep the holds that only a person can settle, and drop those that hold nothing any more."""
    for one in to_remember(held, standing):
        unit.shops.learn(one.competitor, hold_name(one.sku), held_json(one))
    for competitor, sku in to_forget(held, standing):
        unit.shops.learn(competitor, hold_name(sku), {})


def _check_coverage(unit: Unit, run: Run, plan: NightPlan, coverage: Coverage) -> None:
    read, watched = coverage.read, coverage.watched
    if not watched or read * 100 >= watched * plan.min_coverage_pct:
        return
    share = f"Only {read} of {watched} watches were" if read else f"None of {watched} watches was"
    words = (
        f"{share} read in the night of {run.local_date}, below the "
        f"{plan.min_coverage_pct} % that report.min_coverage_pct asks for. The report names the shops that failed."
    )
    unit.alerts.raise_once(Alert(f"coverage:{run.id}", AlertKind.COVERAGE, run.id, words, unit.now))


def _tell_tripped(unit: Unit, run: Run, found: Found) -> None:
    """Raise an alert when a breaker asks for a second look."""
    asked = found.looked_at_twice
    if not asked:
        return
    whose = "1 proposed change needs" if asked == 1 else f"{asked} proposed changes need"
    words = (
        f"{'. '.join(one.words for one in found.tripped)}. {whose} a second look in the night of {run.local_date}: "
        "each is approved by itself, not with others at once. run.breaker in rules.toml sets the limits."
    )
    unit.alerts.raise_once(Alert(f"breaker:{run.id}", AlertKind.BREAKER, run.id, words, unit.now))
