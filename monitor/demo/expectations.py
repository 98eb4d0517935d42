"""What the demo promises, checked against what happened. Every broken promise is one sentence."""

from collections.abc import Iterator

from monitor.demo.facts import Crash, Ending, LinkProof, Night
from monitor.demo.market import Fault, Market
from monitor.demo.market.moves import GLITCH_NIGHT
from monitor.domain.run import RunState

#: What the fault of a shop makes of its watches, at least once a night.
OUTCOMES = {
    Fault.WALL: "blocked",
    Fault.QUIET_WALL: "blocked",
    Fault.BROKEN: "failed",
    Fault.CLOSED: "robots",
    Fault.SOFT_404: "not_found",
    Fault.LARGE: "skipped_budget",
}


def broken_promises(ending: Ending, market: Market) -> Iterator[str]:
    """Yield what should have happened and did not."""
    for night in ending.nights:
        yield from _night(night, market)
    for night, morning in zip(ending.nights, ending.mornings, strict=True):
        if len(morning.subjects) != 1:
            yield f"night {night.number}: {len(morning.subjects)} mails came, one was expected: {morning.subjects}"
        if morning.applied != morning.approved:
            yield f"night {night.number}: {morning.approved} approved, {morning.applied} applied"
    if not any(morning.applied for morning in ending.mornings):
        yield "no approved price reached the shop in seven nights"
    crashes = [night.crash for night in ending.nights if night.crash]
    if len(crashes) != 1:
        yield f"{len(crashes)} processes were killed, one was expected"
    for crash in crashes:
        yield from _crash(crash)
    yield from _link(ending.link)


def _night(night: Night, market: Market) -> Iterator[str]:
    here, status = f"night {night.number}", night.status
    if status.state is not RunState.REPORTED or not status.report:
        yield f"{here}: no report, the run is {status.state}"
    if (status.jobs_total, status.jobs_ended, status.jobs_failed) != (len(market.shops), len(market.shops), 0):
        yield f"{here}: {status.jobs_ended} of {status.jobs_total} competitors ended, {status.jobs_failed} failed"
    yield from (f"{here}: {wrong}" for wrong in night.wrong)
    missing = [name for name in dict.fromkeys(OUTCOMES.values()) if not status.observations.get(name)]
    if missing:
        yield f"{here}: no watch ended as {', '.join(missing)}, and the faulty shops should have made some"
    if sum(status.observations.values()) != night.watches:
        yield f"{here}: {sum(status.observations.values())} of {night.watches} watches are accounted for"
    if not any(alert.kind == "budget" for alert in status.alerts):
        yield f"{here}: no alert about the shop that is too large for its budget"
    yield from _glitch(night, market)


def _glitch(night: Night, market: Market) -> Iterator[str]:
    if night.number != GLITCH_NIGHT:
        return
    for glitch in (move for move in market.moves if move.kind == "glitch"):
        if glitch.sku not in {held.sku for held in night.held}:
            yield f"night {night.number}: the glitch price of {glitch.shop}/{glitch.sku} was not held"
        followed = [each for each in night.proposed if each.sku == glitch.sku and each.new < each.old]
        yield from (f"night {night.number}: {each.new} was proposed for {each.sku} on a glitch" for each in followed)


def _crash(crash: Crash) -> Iterator[str]:
    if not crash.step:
        yield f"{crash.shop}: no step was under way when the process was killed"
    if crash.resumed_at != crash.step:
        yield f"{crash.shop}: killed at step {crash.step}, resumed at {crash.resumed_at or 'none'}"
    if crash.asked_again:
        yield f"asked again although their steps were finished: {', '.join(crash.asked_again)}"
    twice = [url for url, hits in crash.finished.items() if hits > 1]
    if twice:
        yield f"asked more than once before the kill: {', '.join(twice)}"


def _link(link: LinkProof) -> Iterator[str]:
    if not link.url:
        yield "the last mail has no review link"
        return
    if link.shown_status != 200 or not link.rows:
        yield f"the review link answered {link.shown_status} with {link.rows} rows"
    if not link.kept_by_get:
        yield f"showing the review page changed the price of {link.sku}"
    if link.posted_status != 303:
        yield f"sending the review form answered {link.posted_status}"
    if link.after != link.wanted or link.after == link.before:
        yield f"{link.sku}: {link.wanted} was approved, the price file has {link.after} (before: {link.before})"
