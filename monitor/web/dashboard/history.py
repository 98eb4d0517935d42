"""One product's history: for its page, its charts and the API, which all show the same figures.

Each is given what it shows and no more: the nights of two years are most of what there is to read, and only the API and
the chart of the index tell of them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any, TypeAlias

from monitor.domain.action import Action
from monitor.domain.catalogue import Product
from monitor.domain.money import amount_text, rounded
from monitor.domain.observation import OWN, Observation, Span
from monitor.domain.picture import Changed, Tables, history_tables
from monitor.domain.report.clean import clean
from monitor.domain.run import Run
from monitor.domain.standing import Standing
from monitor.ports.store import Store, Unit
from monitor.web.dashboard.known import Known, known

#: A product's standing by local date, oldest first.
Nights: TypeAlias = tuple[tuple[date, Standing], ...]

#: Windows that a history can be shown for, in days, with their words.
WINDOWS = {30: "30 days", 90: "90 days", 365: "1 year", 730: "2 years"}
DEFAULT_DAYS = 90
#: How far back a program may ask.
MAX_DAYS = 3650


@dataclass(frozen=True, slots=True)
class History:
    """The prices of one product."""

    sku: str
    title: str
    currency: str
    now: datetime
    days: int
    product: Product | None  #: None when the newest catalogue does not have it any more
    standing: Standing | None  #: of the newest night that was decided
    spans: tuple[Span, ...]  #: oldest first, ours among them
    changes: tuple[Changed, ...]
    known: Known
    changed: Changed | None  #: what we wrote since the newest night took its catalogue; it is in force now
    held: Mapping[str, str]  #: why tonight's reading at a competitor is on probation, by competitor

    @property
    def since(self) -> datetime:
        """Where the window begins."""
        return self.now - timedelta(days=self.days)

    @property
    def latest(self) -> Mapping[str, Span]:
        """The newest span of each seller, ours under `own`."""
        return {span.competitor: span for span in self.spans}

    def tables(self, zone: str) -> Tables:
        """Return what the history chart draws, in the times of a zone."""
        latest = self.latest
        held = frozenset((key, latest[key].first_seen_at) for key in self.held if key in latest)
        return history_tables(self.spans, self.known.names, self.changes, self.currency, held, zone)


@dataclass(frozen=True, slots=True)
class Dossier:
    """What the page of one product shows."""

    history: History
    readings: tuple[Observation, ...]  #: the newest of each competitor, whatever came of it
    actions: tuple[Action, ...]  #: newest first


def history(store: Store, sku: str, days: int = DEFAULT_DAYS) -> History | None:
    """Return a product's history, or None when nothing was ever known of it."""
    with store.read() as unit:
        return _history(unit, sku, days)


def history_by_night(store: Store, sku: str, days: int = DEFAULT_DAYS) -> tuple[History, Nights] | None:
    """Return a product's history and its nights, or None when nothing was ever known of it."""
    with store.read() as unit:
        found = _history(unit, sku, days)
        return None if found is None else (found, unit.standings.of_sku(sku, found.since.date()))


def nights(store: Store, sku: str, days: int = DEFAULT_DAYS) -> Nights:
    """Return where a product stood, night by night; nothing of one that nothing is known of."""
    with store.read() as unit:
        return unit.standings.of_sku(sku, (unit.now - timedelta(days=days)).date())


def dossier(store: Store, sku: str, days: int = DEFAULT_DAYS) -> Dossier | None:
    """Return what is known of a product, or None when nothing ever was."""
    with store.read() as unit:
        found = _history(unit, sku, days)
        if found is None:
            return None
        sellers = found.known.rivals_of(sku) | {span.competitor for span in found.spans}
        return Dossier(found, unit.past.latest_readings(sku, sellers), unit.actions.of_sku(sku))


def _history(unit: Unit, sku: str, days: int) -> History | None:
    since = unit.now - timedelta(days=days)
    context = known(unit)
    run_id = unit.standings.latest()
    standing = unit.standings.find(run_id, sku) if run_id else None
    spans = unit.observations.spans(sku, since=since)
    product, changes = context.catalogue.product(sku), unit.past.changes(sku)
    if product is None and standing is None and not spans and not unit.observations.spans(sku):
        return None
    return History(
        sku=sku,
        title=_title(sku, product, standing),
        currency=_currency(product, standing, spans),
        now=unit.now,
        days=days,
        product=product,
        standing=standing,
        spans=spans,
        changes=tuple(one for one in changes if one.at >= since),
        known=context,
        changed=_in_force(changes, context.run, product),
        held=_held(unit, context.run.id, sku) if context.run is not None else {},
    )


def _in_force(changes: Sequence[Changed], run: Run | None, product: Product | None) -> Changed | None:
    """Return the last price that we wrote after a night took its catalogue, which therefore has an older one."""
    if run is None or product is None:
        return None
    later = (one for one in changes if one.at > run.started_at and one.currency == product.currency)
    return max(later, key=lambda one: one.at, default=None)


def _held(unit: Unit, run_id: str, sku: str) -> dict[str, str]:
    """Return, by competitor, why a night holds its reading of a product, from what the synthesis kept."""
    synthesis = unit.jobs.find(run_id, "")
    steps = unit.jobs.steps(synthesis.id) if synthesis is not None else ()
    return {
        str(one["competitor"]): clean(str(one.get("words", "")), 200)
        for step in steps
        if step.result
        for one in step.result.get("held", ())
        if one.get("sku") == sku
    }


def history_json(found: History, by_night: Nights) -> dict[str, Any]:
    """Return a history as the API gives it: money as decimal strings, times in ISO 8601 with offset."""
    names = found.known.names
    return {
        "sku": found.sku,
        "title": found.title,
        "currency": found.currency,
        "days": found.days,
        "standing": None if found.standing is None else _standing_json(found.standing),
        "offers": [_span_json(span, names) for span in found.spans],
        "changes": [
            {
                "at": one.at.isoformat(),
                "old_price": amount_text(one.old, one.currency),
                "new_price": amount_text(one.new, one.currency),
                "currency": one.currency,
            }
            for one in found.changes
        ],
        "nights": [{"date": day.isoformat()} | _standing_json(one) for day, one in by_night],
    }


def _span_json(span: Span, names: Mapping[str, str]) -> dict[str, Any]:
    return {
        "seller": None if span.competitor == OWN else span.competitor,
        "name": "our price" if span.competitor == OWN else names.get(span.competitor, span.competitor),
        "price": amount_text(span.price, span.currency),
        "currency": span.currency,
        "list_price": None if span.list_price is None else amount_text(span.list_price, span.currency),
        "availability": span.availability.value,
        "first_seen_at": span.first_seen_at.isoformat(),
        "last_seen_at": span.last_seen_at.isoformat(),
        "first_run": span.first_run_id,
        "last_run": span.last_run_id,
    }


def _standing_json(one: Standing) -> dict[str, Any]:
    def text(amount: Any) -> str | None:
        return None if amount is None else amount_text(rounded(amount, one.currency), one.currency)

    return {
        "run": one.run_id,
        "own": text(one.own),
        "lowest": text(one.lowest),
        "lowest_seller": one.lowest_seller,
        "median": text(one.median),
        "index": None if one.index is None else str(one.index),
        "position": one.position,
        "usable_offers": one.usable,
        "tracked_offers": one.tracked,
        "reason": one.reason,
    }


def _title(sku: str, product: Product | None, standing: Standing | None) -> str:
    if product is not None:
        return product.title
    return sku if standing is None else standing.title


def _currency(product: Product | None, standing: Standing | None, spans: tuple[Span, ...]) -> str:
    if product is not None:
        return product.currency
    if standing is not None:
        return standing.currency
    own = [span.currency for span in spans if span.competitor == OWN] or [span.currency for span in spans]
    return own[-1] if own else ""
