"""`monitor audit`: who decided what about a price, on which evidence, and what the shop answered."""

from typing import Annotated, Any

import typer

from monitor.cli.actions import action_json
from monitor.cli.options import AsJson, ConfigDir, local_time, print_json, say
from monitor.domain.access import AccessEvent
from monitor.domain.action import Decision
from monitor.domain.money import amount_text
from monitor.domain.review import STATE_WORDS, figures_words
from monitor.errors import CannotSucceed
from monitor.ports.audit import Trail, WriteTrail
from monitor.web.trail import evidence_of, story, trails_of
from monitor.wiring import open_app


class NothingKept(CannotSucceed):
    """Nothing is kept under a name."""


def register(app: typer.Typer) -> None:
    """Add the command of this module."""
    app.command(epilog="Example: monitor audit A-1 --json")(audit)


def audit(
    what: Annotated[
        str | None, typer.Argument(metavar="SKU|ACTION", help="A product, or an action by its number or its key.")
    ] = None,
    limit: Annotated[int, typer.Option(min=1, max=1000, help="Most proposals of a product.")] = 20,
    door: Annotated[
        bool, typer.Option("--door", help="Instead: who signed in, was refused, was added or removed.")
    ] = False,
    config: ConfigDir = None,
    as_json: AsJson = False,
) -> None:
    """Show the whole record of a product's prices, newest first, or of one proposal. Changes nothing.

    A number is taken for an action first and for a SKU when there is no such action.
    """
    if door == (what is not None):
        raise typer.BadParameter("name a product or an action, or use --door")
    app = open_app(config)
    try:
        with app.store.read() as unit:
            events = unit.access.events(limit) if what is None else ()
            trails = () if what is None else trails_of(unit, what, limit)
        zone = app.plan.schedule.zone
    finally:
        app.close()
    if what is None:
        _print_door(events, zone, as_json=as_json)
        return
    if not trails:
        raise NothingKept(f"Nothing is kept about {what!r}: it is neither the number or key of an action nor a SKU.")
    _print(trails, zone, as_json=as_json)


#: As far as a time and the space around it reach.
_UNDER = 26


def _print(trails: tuple[Trail, ...], zone: str, *, as_json: bool) -> None:
    if as_json:
        print_json({"trails": [trail_json(trail) for trail in trails]})
        return
    for trail in trails:
        for line in trail_lines(trail, zone):
            say(line, under=_UNDER)
        typer.echo("")


def trail_lines(trail: Trail, zone: str) -> list[str]:
    """Return a trail as lines: the proposal, then every decision and every call, in order of time."""
    action, shown = trail.action, trail.action.proposal
    lines = [
        f"{shown.action_key}  (action {action.id}, version {action.version})",
        f"  {shown.title}: {figures_words(action)}, {STATE_WORDS[action.state].lower()}",
        f"  {local_time(action.created_at, zone)}  proposed by rule {shown.rule_id}: {shown.words}",
    ]
    lines += [f"  evidence {each}" for each in evidence_of(trail)]
    return lines + [f"  {local_time(when, zone)}  {words}" for when, words in story(trail)]


def trail_json(trail: Trail) -> dict[str, Any]:
    """Return a trail as JSON: amounts are decimal strings, times ISO 8601 with offset."""
    return {
        "action": action_json(trail.action) | {"facts": _plain(trail.action.proposal.facts)},
        "renewals": [{"run": run, "at": at.isoformat()} for at, run in trail.renewals],
        "decisions": [decision_json(decision) for decision in trail.decisions],
        "writes": [_write_json(write) for write in trail.writes],
    }


def decision_json(decision: Decision) -> dict[str, Any]:
    """Return a decision as JSON, with everything that the person was shown."""
    actor = decision.actor
    return {
        "version": decision.version,
        "decision": decision.verb.value,
        "by": actor.name,
        "way": actor.kind,
        "link": actor.link,
        "nonce": actor.nonce,
        "session": actor.session,
        "network": actor.address,
        "agent": actor.agent,
        "reason": decision.reason,
        "batch": decision.batch,
        "at": decision.decided_at.isoformat(),
        "figures": _plain(decision.figures),
    }


def _write_json(trail: WriteTrail) -> dict[str, Any]:
    write = trail.write
    return {
        "id": write.id,
        "version": write.version,
        "state": write.state.value,
        "target_price": amount_text(write.target_price, write.currency),
        "expected_price": amount_text(write.expected_price, write.currency),
        "currency": write.currency,
        "idempotency_key": write.idempotency_key,
        "created_at": write.created_at.isoformat(),
        "finished_at": write.finished_at.isoformat() if write.finished_at else None,
        "before": _plain(trail.before),
        "after": _plain(trail.after),
        "error": write.error,
        "calls": [
            {
                "n": attempt.n,
                "started_at": attempt.started_at.isoformat(),
                "ended_at": attempt.ended_at.isoformat() if attempt.ended_at else None,
                "outcome": attempt.outcome,
                "answer": attempt.answer,
            }
            for attempt in trail.attempts
        ],
    }


def _plain(value: Any) -> Any:
    """Return a stored JSON value with its exact decimals as text."""
    if isinstance(value, dict):
        return {name: _plain(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value if value is None or isinstance(value, str | int | bool) else str(value)


def _print_door(events: tuple[AccessEvent, ...], zone: str, *, as_json: bool) -> None:
    if as_json:
        shown = [
            {
                "kind": event.kind.value,
                "name": event.name,
                "by": event.by,
                "at": event.at.isoformat(),
                "network": event.network,
                "agent": event.agent,
                "words": event.words,
            }
            for event in events
        ]
        print_json({"events": shown})
        return
    for event in events:
        where = f" from {event.network}" if event.network else ""
        words = f": {event.words}" if event.words else ""
        by = "" if event.by == event.name else f" by {event.by}"
        kind = event.kind.value.replace("_", " ")
        say(f"{local_time(event.at, zone)}  {kind:<18} {event.name}{by}{where}{words}", under=_UNDER)
    if not events:
        typer.echo("Nobody has come in yet.")
