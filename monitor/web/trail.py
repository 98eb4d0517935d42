"""The record of a proposal told in order of time, for the command line and the audit page."""

from datetime import datetime

from monitor.domain.action import Decision
from monitor.domain.money import Money
from monitor.ports.audit import Trail, WriteTrail
from monitor.ports.store import Unit

#: Digits of the largest number that every database keeps.
_MOST_DIGITS = 18


def trails_of(unit: Unit, named: str, limit: int) -> tuple[Trail, ...]:
    """Return the trail of the action of this number or key; else those of the product of this SKU, newest first."""
    is_number = named.isascii() and named.isdecimal() and len(named) <= _MOST_DIGITS
    one = unit.audit.of_action(int(named) if is_number else named)
    return (one,) if one is not None else unit.audit.of_sku(named, limit)


def evidence_of(trail: Trail) -> tuple[str, ...]:
    """Return the hashes of the readings that a proposal rests on."""
    return tuple(str(each) for each in trail.action.proposal.facts.get("evidence") or ())


def story(trail: Trail) -> list[tuple[datetime, str]]:
    """Return every later run that proposed the same, every decision and every call of a trail, in order of time."""
    told = [(at, f"proposed again by {run}; the words and evidence are its own now") for at, run in trail.renewals]
    told += [(decision.decided_at, decision_line(decision)) for decision in trail.decisions]
    for write in trail.writes:
        told += _calls(write)
    return sorted(told, key=lambda one: one[0])


def decision_line(decision: Decision) -> str:
    """Return who decided what, by which way, and on which figures."""
    actor, figures = decision.actor, decision.figures
    way = {"link": "by link", "cli": "at the command line", "webhook": "by webhook", "user": "signed in"}
    parts = [
        f"{decision.verb.value} of version {decision.version} by {actor.name} {way.get(actor.kind, actor.kind)}",
        f"at {figures.get('old_price')} → {figures.get('new_price')} {figures.get('currency')}" if figures else "",
        f"link {actor.link}" if actor.link else "",
        f"{'message' if actor.kind == 'webhook' else 'form'} {actor.nonce[:12]}" if actor.nonce else "",
        f"session {actor.session[:12]}" if actor.session else "",
        f"from {actor.address}" if actor.address else "",
        f"because {decision.reason!r}" if decision.reason else "",
    ]
    return ", ".join(part for part in parts if part)


def _calls(trail: WriteTrail) -> list[tuple[datetime, str]]:
    write = trail.write
    price = Money(write.target_price, write.currency)
    told = [(write.created_at, f"write of {price} queued under key {write.idempotency_key}")]
    for attempt in trail.attempts:
        answer = f": {attempt.answer}" if attempt.answer and attempt.answer != attempt.outcome else ""
        told.append((attempt.started_at, f"call {attempt.n}, {attempt.outcome or 'no answer kept'}{answer}"))
    if write.finished_at is not None:
        seen = [
            f"{word} {reading.get('price')} {reading.get('currency')}"
            for word, reading in (("before it the shop said", trail.before), ("after it", trail.after))
            if reading and reading.get("price")
        ]
        ending = ", ".join(
            [f"write {write.state.value.replace('_', ' ')}", *seen, *([write.error] if write.error else [])]
        )
        told.append((write.finished_at, ending))
    return told
