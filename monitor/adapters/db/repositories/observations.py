"""Readings by night and the price history made of them.

History grows with changes: an `ok` reading that equals the latest span of its watch only moves that span's
last-seen time; anything else opens a new span. Other outcomes never touch history.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import datetime
from decimal import Decimal
from itertools import starmap
from sys import intern
from typing import Any

from sqlalchemy import BindParameter, ColumnElement, Select, and_, bindparam, case, func, literal, null, select, update

from monitor.adapters.db.inserting import Inserting, replacing
from monitor.adapters.db.prepared import Prepared
from monitor.adapters.db.schema import observations, spans
from monitor.adapters.db.transaction import Transaction
from monitor.domain.extraction import RECIPE_FAILED, Availability, Outcome
from monitor.domain.observation import OWN, Observation, Span
from monitor.domain.visit import NOT_ASKED

#: Products that are asked for, and rows that are fetched, together.
_AT_ONCE = 500
_FIELDS = tuple(Observation.__dataclass_fields__)
#: The columns in the order of the fields, so that a row is their values.
_READ = tuple(observations.c[name] for name in _FIELDS)
#: What a report needs: of those that say a price not what they say, unless a recipe that failed has left a word.
_IS_SAID = and_(observations.c.outcome == Outcome.OK, observations.c.reason.not_in(sorted(RECIPE_FAILED)))
_SHORT = tuple(
    case((_IS_SAID, literal("")), else_=column)
    if name == "words"
    else case((_IS_SAID, null()), else_=column)
    if column.nullable
    else column
    for name, column in zip(_FIELDS, _READ, strict=True)
)
_SPANS = tuple(spans.c[name] for name in Span.__dataclass_fields__)
_KEYS = ("run_id", "competitor", "sku")
_RECORD = Inserting(observations, _FIELDS, replacing(_KEYS, (name for name in _FIELDS if name not in _KEYS)))

#: What makes two readings the same stretch of history.
_OFFER = ("price", "currency", "list_price", "availability")
_SPAN = ("competitor", "sku", *_OFFER, "first_seen_at", "last_seen_at", "first_run_id", "last_run_id")
_OPEN = Inserting(spans, _SPAN)


def _given(name: str) -> BindParameter[Any]:
    return bindparam(name, type_=spans.c[name].type)


_LATEST = (
    select(func.max(spans.c.id))
    .where(spans.c.competitor == _given("competitor"), spans.c.sku == _given("sku"))
    .correlate(None)
    .scalar_subquery()
)
_SAME = Prepared(
    update(spans)
    .where(spans.c.id == _LATEST, *(spans.c[name].is_not_distinct_from(_given(name)) for name in _OFFER))
    .values(
        last_seen_at=case(
            (spans.c.last_seen_at > _given("last_seen_at"), spans.c.last_seen_at), else_=_given("last_seen_at")
        ),
        last_run_id=_given("last_run_id"),
    )
)


def _remembered() -> Select[Any]:
    """Return the name and the currency of each SKU's newest `ok` reading at one competitor."""
    ok = (observations.c.competitor == bindparam("competitor"), observations.c.outcome == Outcome.OK)
    at = func.max(observations.c.observed_at).label("at")
    newest = select(observations.c.sku, at).where(*ok).group_by(observations.c.sku).subquery()
    same = (observations.c.sku == newest.c.sku) & (observations.c.observed_at == newest.c.at)
    columns = (observations.c.sku, observations.c.name, observations.c.currency)
    return select(*columns).where(*ok).join(newest, same)


# Written once: what every visit asks when it begins.
_REMEMBERED = Prepared(_remembered())
_TRIED = Prepared(
    select(observations.c.sku, func.max(observations.c.observed_at))
    .where(
        observations.c.competitor == bindparam("competitor"),
        observations.c.run_id != bindparam("this_run"),
        *(observations.c.reason != reason for reason in sorted(NOT_ASKED)),
    )
    .group_by(observations.c.sku)
)


class ObservationTable:
    """`monitor.ports.history.Observations` on SQL."""

    def __init__(self, tx: Transaction) -> None:
        self._tx = tx

    def record(self, observation: Observation) -> None:
        """Store the reading of one watch in one run; a repeat replaces it."""
        _RECORD.hits(self._tx, {name: getattr(observation, name) for name in _FIELDS})
        if observation.outcome is Outcome.OK and observation.price is not None and observation.currency is not None:
            offer = {name: getattr(observation, name) for name in _OFFER}
            self._move(observation.run_id, observation.competitor, observation.sku, offer, observation.observed_at)

    def record_own(self, run_id: str, sku: str, price: Decimal, currency: str, at: datetime) -> None:
        """Move our own price history."""
        offer = {"price": price, "currency": currency, "list_price": None, "availability": Availability.UNKNOWN}
        self._move(run_id, OWN, sku, offer, at)

    def _move(self, run_id: str, competitor: str, sku: str, offer: dict[str, Any], at: datetime) -> None:
        """Let the latest span of a watch reach until now when it is the same offer, else open the next one."""
        row = {"competitor": competitor, "sku": sku, **offer, "first_seen_at": at, "last_seen_at": at}
        row |= {"first_run_id": run_id, "last_run_id": run_id}
        if _SAME.hits(self._tx, row) != 1:
            _OPEN.hits(self._tx, row)

    def of_run(
        self, run_id: str, competitor: str | None = None, *, skus: Sequence[str] | None = None
    ) -> tuple[Observation, ...]:
        """Return a run's observations, or those of one competitor or of some products, by competitor and SKU."""
        query = select(*_READ).where(observations.c.run_id == run_id)
        if competitor is not None:
            query = query.where(observations.c.competitor == competitor)
        if skus is not None:
            query = query.where(observations.c.sku.in_(skus))
        query = query.order_by(observations.c.competitor, observations.c.sku)
        return tuple(starmap(_observation, self._tx.run(query).yield_per(_AT_ONCE)))

    def outcomes(self, run_id: str) -> Iterator[Observation]:
        """Yield a run's observations, those that say a price without what they read."""
        mine = (observations.c.run_id == run_id,)
        query = select(*_SHORT).where(*mine).order_by(observations.c.competitor, observations.c.sku)
        yield from starmap(_observation, self._tx.run(query).yield_per(_AT_ONCE))

    def latest_at(self, run_id: str) -> datetime | None:
        """Return when a run observed something last; None when it has observed nothing."""
        query = select(func.max(observations.c.observed_at)).where(observations.c.run_id == run_id)
        found: datetime | None = self._tx.run(query).scalar_one()
        return found

    def skus(self, run_ids: Sequence[str]) -> frozenset[str]:
        """Return every SKU that has a history or was observed in one of these runs."""
        read = select(observations.c.sku).where(observations.c.run_id.in_(run_ids))
        return frozenset(intern(sku) for (sku,) in self._tx.run(select(spans.c.sku).union(read)))

    def spans(self, sku: str, competitor: str | None = None, *, since: datetime | None = None) -> tuple[Span, ...]:
        """Return the history of a product, oldest first."""
        conditions: list[ColumnElement[bool]] = [spans.c.sku == sku]
        if competitor is not None:
            conditions.append(spans.c.competitor == competitor)
        if since is not None:
            conditions.append(spans.c.last_seen_at >= since)
        query = select(*_SPANS).where(*conditions).order_by(spans.c.first_seen_at, spans.c.id)
        return tuple(starmap(_span, self._tx.run(query)))

    def spans_of(self, skus: Sequence[str], competitor: str | None = None) -> Iterator[Span]:
        """Yield the histories of many products, product by product, each oldest first."""
        mine = () if competitor is None else (spans.c.competitor == competitor,)
        for start in range(0, len(skus), _AT_ONCE):
            these = spans.c.sku.in_(skus[start : start + _AT_ONCE])
            query = select(*_SPANS).where(these, *mine).order_by(spans.c.sku, spans.c.first_seen_at, spans.c.id)
            yield from starmap(_span, self._tx.run(query))

    def histories(self, competitor: str) -> dict[str, tuple[Span, ...]]:
        """Return, by SKU, the whole history of one competitor, oldest first."""
        query = (
            select(*_SPANS)
            .where(spans.c.competitor == competitor)
            .order_by(spans.c.sku, spans.c.first_seen_at, spans.c.id)
        )
        found: dict[str, list[Span]] = defaultdict(list)
        for span in starmap(_span, self._tx.run(query)):
            found[span.sku].append(span)
        return {sku: tuple(history) for sku, history in found.items()}

    def readings(self, sku: str) -> tuple[Observation, ...]:
        """Return every observation of a product, oldest first."""
        query = select(*_READ).where(observations.c.sku == sku)
        return tuple(
            starmap(_observation, self._tx.run(query.order_by(observations.c.observed_at, observations.c.competitor)))
        )

    def name_before(self, run_id: str, competitor: str, sku: str) -> str | None:
        """Return how the page of a watch named its product when it was last read `ok` in another run."""
        this = (observations.c.competitor == competitor, observations.c.sku == sku, observations.c.run_id != run_id)
        query = select(observations.c.name).where(*this, observations.c.outcome == Outcome.OK)
        row = self._tx.run(query.order_by(observations.c.observed_at.desc()).limit(1)).one_or_none()
        return None if row is None else row.name

    def current(self, skus: Sequence[str] | None = None, *, besides: str | None = None) -> tuple[Span, ...]:
        """Return the latest span of each (competitor, SKU), or of all competitors but one."""
        newest = select(func.max(spans.c.id)).group_by(spans.c.competitor, spans.c.sku)
        if skus is not None:
            newest = newest.where(spans.c.sku.in_(skus))
        if besides is not None:
            newest = newest.where(spans.c.competitor != besides)
        query = select(*_SPANS).where(spans.c.id.in_(newest)).order_by(spans.c.sku, spans.c.competitor)
        return tuple(starmap(_span, self._tx.run(query).yield_per(_AT_ONCE)))

    def changed_at(self, competitor: str) -> dict[str, datetime]:
        """Return when the offer of each SKU last changed; one that is as it was first seen is left out."""
        query = (
            select(spans.c.sku, func.max(spans.c.first_seen_at).label("changed"))
            .where(spans.c.competitor == competitor)
            .group_by(spans.c.sku)
            .having(func.count() > 1)
        )
        return {row.sku: row.changed for row in self._tx.run(query).all()}

    def last_good(self, competitor: str) -> dict[str, datetime]:
        """Return when each SKU was last read `ok` at one competitor."""
        query = (
            select(spans.c.sku, func.max(spans.c.last_seen_at).label("seen"))
            .where(spans.c.competitor == competitor)
            .group_by(spans.c.sku)
        )
        return {row.sku: row.seen for row in self._tx.run(query).all()}

    def last_tried(self, competitor: str, before_run: str) -> dict[str, datetime]:
        """Return when each SKU was last asked for in other runs."""
        asked = {"competitor": competitor, "this_run": before_run}
        return dict(_TRIED.rows(self._tx, asked))

    def remembered(self, competitor: str) -> dict[str, tuple[str | None, str]]:
        """Return, by SKU, the product name and the currency of the last `ok` reading."""
        rows = _REMEMBERED.rows(self._tx, {"competitor": competitor})
        return {sku: (name, currency) for sku, name, currency in rows}


# Ids and addresses are kept as the one text there is: a synthesis holds each of them in tens of thousands of rows.


def _observation(
    run_id: str, competitor: str, sku: str, url: str, outcome: Any, reason: str, *rest: Any
) -> Observation:
    return Observation(intern(run_id), intern(competitor), intern(sku), intern(url), outcome, intern(reason), *rest)


def _span(competitor: str, sku: str, price: Any, currency: str, *rest: Any) -> Span:
    list_price, availability, first, last, *runs = rest
    begun, seen = map(intern, runs)
    return Span(
        intern(competitor), intern(sku), price, intern(currency), list_price, availability, first, last, begun, seen
    )
