"""Nights decided again, from what is stored of them: under the rules of then, or under other ones.

History is folded night by night from the observations, exactly as it was stored at the time; of what came before the
first night only the price histories are known. Our own prices are those that each night began with, so that nights do
not build on proposals that nobody approved.

Not known any more: what persons accepted at the time, so that a reading only a person can settle stays held.
"""

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from zoneinfo import ZoneInfo

from monitor.domain.anomaly import Held, WatchKey, may_be_odd
from monitor.domain.catalogue import Catalogue
from monitor.domain.extraction import Outcome
from monitor.domain.holds import to_forget, to_remember
from monitor.domain.observation import OWN, Observation, Span
from monitor.domain.pricing.breakers import NIGHTS_COMPARED, Coverage
from monitor.domain.pricing.exact import decimal_of
from monitor.domain.pricing.night import NightDecisions, NightFacts, decide_night
from monitor.domain.pricing.rule import Rules
from monitor.domain.run import Run


@dataclass(frozen=True, slots=True)
class PastNight:
    """What is stored of one night."""

    run: Run
    catalogue: Catalogue  #: as the run froze it
    observations: tuple[Observation, ...]


@dataclass(frozen=True, slots=True)
class ReplayedNight:
    """One night with what it decided."""

    night: PastNight
    facts: NightFacts
    found: NightDecisions


class _Recollection:
    """What was known of every watch after the nights so far."""

    def __init__(self, before: Mapping[WatchKey, tuple[Span, ...]]) -> None:
        self.spans = {key: list(spans) for key, spans in before.items() if spans}
        self.names: dict[WatchKey, str] = {}
        self.standing: dict[WatchKey, Held] = {}
        self.coverages: deque[Decimal] = deque(maxlen=NIGHTS_COMPARED)

    def read(self, seen: Observation) -> None:
        """Move the history of a watch, as the store does."""
        if seen.outcome is not Outcome.OK or seen.price is None or seen.currency is None:
            return
        offer = (seen.price, seen.currency, seen.list_price, seen.availability)
        spans, at, run_id = self.spans.setdefault((seen.competitor, seen.sku), []), seen.observed_at, seen.run_id
        last = spans[-1] if spans else None
        if last is not None and (last.price, last.currency, last.list_price, last.availability) == offer:
            # As `replace` makes it, at a third of the cost: this is done for every reading of every night.
            spans[-1] = Span(seen.competitor, seen.sku, *offer, last.first_seen_at, at, last.first_run_id, run_id)
            return
        spans.append(Span(seen.competitor, seen.sku, *offer, at, at, run_id, run_id))

    def name(self, seen: Observation) -> None:
        """Remember how a page named its product."""
        if seen.outcome is Outcome.OK and seen.name:
            self.names[seen.competitor, seen.sku] = seen.name

    def hold(self, held: tuple[Held, ...]) -> None:
        """Keep the holds that need a person until the shop shows another price."""
        for key in to_forget(held, self.standing):
            del self.standing[key]
        self.standing |= {one.key: one for one in to_remember(held, self.standing)}


def replayed(
    nights: Iterable[PastNight],
    rules: Rules | Mapping[str, Rules],
    *,
    own: Mapping[str, tuple[Span, ...]],
    before: Mapping[WatchKey, tuple[Span, ...]],
) -> Iterator[ReplayedNight]:
    """Yield each night with what the rules decide in it.

    Args:
        nights: oldest first.
        rules: for all nights, or by run.
        own: by SKU the whole history of our own price.
        before: what was known of each watch before the first night, oldest first; see `known_before`.
    """
    known = _Recollection(before)
    for night in nights:
        for seen in night.observations:
            known.read(seen)
        facts = _facts(night, rules if isinstance(rules, Rules) else rules[night.run.id], known, own)
        found = decide_night(facts)
        yield ReplayedNight(night, facts, found)
        known.coverages.append(decimal_of(facts.coverage.pct, 1))
        known.hold(found.held)
        for seen in night.observations:
            known.name(seen)


def _facts(night: PastNight, rules: Rules, known: _Recollection, own: Mapping[str, tuple[Span, ...]]) -> NightFacts:
    run = night.run
    now = max((seen.observed_at for seen in night.observations), default=run.started_at)
    current = tuple(spans[-1] for spans in known.spans.values())
    odd = [key for key, spans in known.spans.items() if may_be_odd(spans[-1], known.standing)]
    return NightFacts(
        run_id=run.id,
        day=run.local_date,
        zone=ZoneInfo(run.zone),
        now=now,
        catalogue=night.catalogue,
        rules=rules,
        observations=night.observations,
        current=current,
        history={key: tuple(known.spans[key]) for key in odd},
        own={sku: tuple(span for span in spans if span.first_seen_at <= now) for sku, spans in own.items()},
        standing=dict(known.standing),
        names=dict(known.names),
        coverage=Coverage.of(night.catalogue, _visited(night), night.observations, known.coverages),
    )


def _visited(night: PastNight) -> set[str]:
    """Return the competitors that a night was to visit, as far as its catalogue and its readings tell."""
    return {one.id for one in night.catalogue.competitors if one.enabled} | {
        one.competitor for one in night.observations
    }


def known_before(spans: Iterable[Span], first: PastNight | None) -> dict[WatchKey, tuple[Span, ...]]:
    """Return what was known of each rival's watch before the first night that is replayed.

    A span that goes on into that night is cut at its first reading: when it was last seen before is not known.
    """
    found: dict[WatchKey, list[Span]] = {}
    if first is None:
        return {}
    began = min((seen.observed_at for seen in first.observations), default=first.run.started_at)
    for span in spans:
        if span.competitor != OWN and span.first_seen_at < began:
            is_later = span.last_seen_at >= began
            cut = replace(span, last_seen_at=began, last_run_id=f"{span.first_run_id}+") if is_later else span
            found.setdefault((span.competitor, span.sku), []).append(cut)
    return {key: tuple(history) for key, history in found.items()}
