"""Every candidate of a page with its verdict and the reason in words, so that a person can follow the choice."""

from collections.abc import Sequence
from decimal import Decimal

from monitor.domain.extraction import Evidence, Outcome, Role, Verdict
from monitor.extract.currency import Locale
from monitor.extract.former import Choice
from monitor.extract.identity import Declared
from monitor.extract.standing import Seen

MAX_EVIDENCE = 40


def evidence(
    choice: Choice, declared: Sequence[Declared], seen: Sequence[Seen], locale: Locale
) -> tuple[Evidence, ...]:
    """Return every candidate with its verdict, declared ones first, then the shown ones by score."""
    every = [choice.declared] if choice.declared and choice.declared not in declared else []
    out = [_of_declared(d, choice) for d in [*every, *declared[:15]]]
    ranked = sorted(seen, key=lambda s: -s.score)[: MAX_EVIDENCE - len(out)]
    return tuple(out + [_of_seen(s, choice, locale) for s in ranked])


def _verdict(value: Decimal, chosen: bool, choice: Choice, why: str) -> tuple[Verdict, str]:
    if choice.outcome is not Outcome.OK:
        return Verdict.REJECTED, choice.words
    if chosen:
        return Verdict.CHOSEN, choice.words
    if value == choice.price:
        return Verdict.AGREES, "the same amount"
    return Verdict.REJECTED, why


def _of_declared(d: Declared, choice: Choice) -> Evidence:
    chosen = d is choice.declared and d.value == choice.price
    verdict, reason = _verdict(
        d.value, chosen, choice, "only for members" if d.member else "not the amount shown as the price"
    )
    role = Role.MEMBER if d.member else Role.RANGE_END if d.range_end else Role.CURRENT
    return Evidence(d.source, d.text[:200], d.value, d.currency, role, verdict, reason)


def _of_seen(s: Seen, choice: Choice, locale: Locale) -> Evidence:
    label = next((n.split()[0] for n in s.place.names[:4] if n.strip()), s.place.tags[0] if s.place.tags else "body")
    declared = choice.declared is not None and choice.declared.value == choice.price
    chosen = s is choice.seen and s.value == choice.price and not declared
    why = s.reason if s.role is not Role.CURRENT else "stands less clearly as the price than the chosen amount"
    verdict, reason = _verdict(s.value, chosen, choice, why)
    if choice.outcome is not Outcome.OK and s.role is not Role.CURRENT:
        reason = s.reason
    currency = s.amount.currency or locale.meaning(s.amount.sign)
    return Evidence(f"visible {label}"[:80], s.text[:200], s.value, currency, s.role, verdict, reason)
