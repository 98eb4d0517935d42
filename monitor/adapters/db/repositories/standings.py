"""Where our prices stand, by night."""

from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from itertools import islice, starmap
from typing import Any

from sqlalchemy import ColumnElement, Float, and_, case, cast, func, or_, select

from monitor.adapters.db.repositories.run_order import FIRST_BEGUN_FIRST, LAST_BEGUN_FIRST
from monitor.adapters.db.schema import portfolios, runs, standings
from monitor.adapters.db.transaction import Transaction
from monitor.domain.snapshot import from_plain, to_plain
from monitor.domain.standing import CHEAP_PCT, RED_ZONE_PCT, Portfolio, Standing
from monitor.ports.standings import By, Wanted

_FIELDS = tuple(Standing.__dataclass_fields__)
_ROW = standings.c
#: Rows that are written together; a night of ten thousand products at once would take 10 MB more.
_AT_ONCE = 500
#: The columns in the order of the fields, so that a row is their values.
_READ = tuple(_ROW[name] for name in _FIELDS)
#: Every product that a rule proposes a price for.
PROPOSED = "proposed"


class StandingTable:
    """`monitor.ports.standings.Standings` on SQL."""

    def __init__(self, tx: Transaction) -> None:
        self._tx = tx

    def keep(self, rows: Iterable[Standing], portfolio: Portfolio) -> None:
        """Store a night's standings once."""
        left = iter(rows)
        some = list(islice(left, _AT_ONCE))
        night = {"run_id": some[0].run_id, "figures": to_plain(portfolio)} if some else {}
        if not some or not self._tx.insert_once(portfolios, night):
            return
        while some:
            self._tx.run(standings.insert(), [{name: getattr(row, name) for name in _FIELDS} for row in some])
            some = list(islice(left, _AT_ONCE))

    def page(self, run_id: str, wanted: Wanted, *, limit: int, offset: int = 0) -> tuple[tuple[Standing, ...], int]:
        """Return some of a night's products in order, and how many there are in all."""
        conditions = [_ROW.run_id == run_id, *_conditions(wanted)]
        total = self._tx.run(select(func.count()).select_from(standings).where(*conditions)).scalar_one()
        query = select(*_READ).where(*conditions).order_by(*_order(wanted.by)).limit(limit).offset(offset)
        return tuple(starmap(Standing, self._tx.run(query))), total

    def latest(self) -> str | None:
        """Return the newest night that has standings."""
        query = select(runs.c.id).join(portfolios, portfolios.c.run_id == runs.c.id)
        return self._tx.run(query.order_by(*LAST_BEGUN_FIRST).limit(1)).scalar_one_or_none()

    def find(self, run_id: str, sku: str) -> Standing | None:
        """Return one product's standing in one night."""
        query = select(*_READ).where(_ROW.run_id == run_id, _ROW.sku == sku)
        return next(starmap(Standing, self._tx.run(query)), None)

    def of_run(self, run_id: str) -> tuple[Standing, ...]:
        """Return every standing of a night, by SKU."""
        return tuple(self.each(run_id))

    def each(self, run_id: str) -> Iterator[Standing]:
        """Yield every standing of a night, by SKU, some hundred held at a time."""
        query = select(*_READ).where(_ROW.run_id == run_id).order_by(_ROW.sku)
        yield from starmap(Standing, self._tx.run(query).yield_per(_AT_ONCE))

    def of_sku(self, sku: str, since: date | None = None) -> tuple[tuple[date, Standing], ...]:
        """Return a product's standings by local date, oldest first."""
        query = select(runs.c.local_date, *_READ).join(runs, runs.c.id == _ROW.run_id).where(_ROW.sku == sku)
        if since is not None:
            query = query.where(runs.c.local_date >= since)
        found = self._tx.run(query.order_by(*FIRST_BEGUN_FIRST)).all()
        return tuple(zip((row.local_date for row in found), starmap(Standing, (row[1:] for row in found)), strict=True))

    def portfolios(self, since: date | None = None) -> tuple[tuple[date, Portfolio], ...]:
        """Return the figures over all products by local date, oldest first."""
        query = select(runs.c.local_date, portfolios.c.figures).join(runs, runs.c.id == portfolios.c.run_id)
        if since is not None:
            query = query.where(runs.c.local_date >= since)
        return tuple(
            (row.local_date, _portfolio(row.figures)) for row in self._tx.run(query.order_by(*FIRST_BEGUN_FIRST))
        )

    def portfolio(self, run_id: str) -> Portfolio | None:
        """Return the figures of one night."""
        found = self._tx.run(select(portfolios.c.figures).where(portfolios.c.run_id == run_id)).scalar_one_or_none()
        return None if found is None else _portfolio(found)

    def reasons(self, run_id: str) -> Mapping[str, int]:
        """Count a night's products by why nothing is proposed."""
        query = select(_ROW.reason, func.count().label("count")).where(_ROW.run_id == run_id).group_by(_ROW.reason)
        return {row.reason or PROPOSED: row._mapping["count"] for row in self._tx.run(query)}


def _conditions(wanted: Wanted) -> list[ColumnElement[bool]]:
    found: list[ColumnElement[bool]] = []
    if wanted.words:
        columns = (_ROW.sku, _ROW.title, _ROW.brand, _ROW.category)
        found += [
            or_(*(func.lower(column).contains(word, autoescape=True) for column in columns))
            for word in wanted.words.lower().split()[:8]
        ]
    if wanted.reason:
        found.append(_ROW.reason.is_(None) if wanted.reason == PROPOSED else _ROW.reason == wanted.reason)
    if wanted.seller:
        found.append(_ROW.lowest_seller == wanted.seller)
    zones: dict[str, ColumnElement[bool]] = {
        "red": _number(_ROW.own) * 100 > _number(_ROW.lowest) * (100 + RED_ZONE_PCT),
        "lowest": _number(_ROW.own) <= _number(_ROW.lowest),
        "cheap": _number(_ROW.own) * 100 < _number(_ROW.lowest) * (100 - CHEAP_PCT),
        "alone": _ROW.usable == 0,
    }
    return found + ([zones[wanted.zone]] if wanted.zone in zones else [])


def _order(by: By) -> tuple[ColumnElement[Any], ...]:
    ratio = _number(_ROW.own) / func.nullif(_number(_ROW.median), 0.0)
    stake = case(
        (
            and_(_ROW.weekly_units.is_not(None), _number(_ROW.own) > _number(_ROW.lowest)),
            _number(_ROW.own) * _number(_ROW.weekly_units),
        ),
        else_=0.0,
    )
    title = (func.lower(_ROW.title), _ROW.sku)
    return {
        By.STAKE: (stake.desc(), *title),
        By.INDEX: (func.coalesce(ratio, 0.0).desc(), *title),
        By.CHEAP: (func.coalesce(ratio, 1e9), *title),
        By.TITLE: title,
    }[by]


def _number(column: ColumnElement[Any]) -> ColumnElement[Any]:
    """The stored integer as a float: only compared and sorted by, never shown."""
    return cast(column, Float)


def _portfolio(figures: Any) -> Portfolio:
    found = from_plain(Portfolio, "figures of a night", figures)
    assert isinstance(found, Portfolio)  # noqa: S101 - narrows the type for mypy
    return found
