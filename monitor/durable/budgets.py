"""Says when a budget runs low and when it is spent, once per level.

Charging is the store's (`Jobs.checkpoint`, `Jobs.reserve_tokens`): every start is paid, also the repeat after a crash,
so a crash loop cannot spend more than the budget. Here only the alerts are raised, in the same transaction.
"""

from monitor.domain.budget import crossed
from monitor.domain.message import Alert, AlertKind
from monitor.domain.run import Claim, Job
from monitor.durable.plan import Call
from monitor.ports.store import Unit


def tell_calls(unit: Unit, job: Job, call: Call, *, spent: int) -> None:
    """Raise an alert when a call takes its job's budget past four fifths and the rest will not do.

    A visit that needs eleven calls and has twelve is no news. What a refused call left unread, the plan tells itself.
    """
    after, limit = spent + call.cost, job.calls_limit
    if call.needs is not None and call.needs - call.cost <= limit - after:
        return
    reached = crossed(spent, after, limit)
    for level in () if 100 in reached else reached:
        more = "" if call.needs is None else f", and up to {call.needs - call.cost} more are wanted"
        words = f"{job.name}: {after} of its {limit} tool calls are spent ({after * 100 // limit} %){more}."
        key = f"budget:{job.run_id}:{job.key}:{level}"
        unit.alerts.raise_once(Alert(key, AlertKind.BUDGET, job.run_id, words, unit.now))


def reserve_tokens(unit: Unit, claim: Claim, tokens: int) -> bool:
    """Reserve tokens for a model call and tell when the night's cap runs low or refuses.

    Returns:
        Whether the call may be made. `settle_tokens` says afterwards what it really used.
    """
    run_id = claim.job.run_id
    if not unit.jobs.reserve_tokens(claim, tokens):
        use = unit.jobs.token_use(run_id)
        words = f"a model call of {claim.job.name} was refused; what needs no model goes on"
        _tell_tokens(unit, run_id, 100, f"{use.spent} of {use.cap} model tokens are spent, and {words}.")
        return False
    _tell_crossed(unit, run_id, more=tokens)
    return True


def settle_tokens(unit: Unit, claim: Claim, reserved: int, used: int) -> None:
    """Turn a reservation into what the call used, and tell when it used so much more that the cap runs low.

    Raises:
        LeaseLost: another worker has the job; the reservation stays spent.
    """
    unit.jobs.settle_tokens(claim, reserved, used)
    _tell_crossed(unit, claim.job.run_id, more=used - reserved)


def _tell_crossed(unit: Unit, run_id: str, *, more: int) -> None:
    use = unit.jobs.token_use(run_id)
    for level in crossed(use.spent - more, use.spent, use.cap):
        _tell_tokens(unit, run_id, level, f"{use.spent} of {use.cap} model tokens are spent.")


def _tell_tokens(unit: Unit, run_id: str, level: int, words: str) -> None:
    alert = Alert(f"budget:{run_id}:tokens:{level}", AlertKind.BUDGET, run_id, f"{run_id}: {words}", unit.now)
    unit.alerts.raise_once(alert)
