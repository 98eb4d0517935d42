"""Nights gone by, read for pages, exports and the command line."""

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from sqlalchemy import ColumnElement, Row, and_, case, func, select

from monitor.adapters.db.repositories.run_order import LAST_BEGUN_FIRST
from monitor.adapters.db.schema import actions, decisions, jobs, observations, renewals, runs, writes
from monitor.adapters.db.transaction import Transaction
from monitor.domain.action import Verb, WriteState
from monitor.domain.extraction import Outcome
from monitor.domain.observation import Observation
from monitor.domain.past import Executed, NightLine, ShopNight
from monitor.domain.picture import Changed
from monitor.domain.run import ENDED, JobKind
from monitor.domain.unread import READ, Result, counted_kinds


class PastTable:
    """`monitor.ports.past.Past` on SQL."""

    def __init__(self, tx: Transaction) -> None:
        self._tx = tx

    def latest_readings(self, sku: str, competitors: Collection[str]) -> tuple[Observation, ...]:
        """Return the newest reading of a product at each of these competitors."""
        mine = (observations.c.competitor.in_(sorted(competitors)), observations.c.sku == sku)
        newest = (
            select(observations.c.competitor, func.max(observations.c.observed_at).label("at"))
            .where(*mine)
            .group_by(observations.c.competitor)
            .subquery()
        )
        same = (observations.c.competitor == newest.c.competitor) & (observations.c.observed_at == newest.c.at)
        query = select(observations).join(newest, same).where(*mine).order_by(observations.c.competitor)
        found = {row.competitor: Observation(**row._mapping) for row in self._tx.run(query)}
        return tuple(found.values())

    def nights(self, limit: int, offset: int = 0) -> tuple[NightLine, ...]:
        """Return the newest nights in short."""
        newest = select(runs).order_by(*LAST_BEGUN_FIRST).limit(limit).offset(offset)
        found = self._tx.run(newest).all()
        ids = [row.id for row in found]
        is_visit = (jobs.c.kind == JobKind.COMPETITOR, jobs.c.run_id.in_(ids))
        ended = func.sum(case((jobs.c.state.in_(sorted(ENDED)), 1), else_=0)).label("ended")
        counts = select(jobs.c.run_id, func.count().label("n"), ended).where(*is_visit).group_by(jobs.c.run_id)
        visits = {row.run_id: (row.n, row.ended) for row in self._tx.run(counts)}
        proposals: Counter[str] = Counter()
        for table in (actions, renewals):
            proposed = select(table.c.run_id, func.count().label("n")).where(table.c.run_id.in_(ids))
            proposals.update({row.run_id: row.n for row in self._tx.run(proposed.group_by(table.c.run_id))})
        return tuple(_line(row, *visits.get(row.id, (0, 0)), proposals[row.id]) for row in found)

    def outcomes(self, run_id: str) -> Mapping[Outcome, int]:
        """Count the readings of one night by outcome."""
        query = select(observations.c.outcome, func.count().label("n")).where(observations.c.run_id == run_id)
        return {row.outcome: row.n for row in self._tx.run(query.group_by(observations.c.outcome))}

    def results(self, run_id: str) -> Mapping[str, tuple[Result, ...]]:
        """Return what came of the watches of each competitor in one night."""
        kinds = (observations.c.competitor, observations.c.outcome, observations.c.reason)
        told = func.min(observations.c.words).label("words")
        query = select(*kinds, func.count().label("n"), told).where(observations.c.run_id == run_id).group_by(*kinds)
        found: dict[str, list[Result]] = defaultdict(list)
        for row in self._tx.run(query):
            found[row.competitor].append(Result(row.outcome, row.reason, row.n, row.words))
        return {competitor: tuple(each) for competitor, each in found.items()}

    def shop_nights(self, competitor: str, limit: int) -> tuple[ShopNight, ...]:
        """Return a competitor's newest nights, newest first."""
        return self._nights(jobs.c.key == competitor, limit)

    def shops_of(self, run_id: str) -> tuple[ShopNight, ...]:
        """Return every competitor's part of one night."""
        return tuple(sorted(self._nights(jobs.c.run_id == run_id, None), key=lambda one: one.competitor))

    def _nights(self, which: ColumnElement[bool], limit: int | None) -> tuple[ShopNight, ...]:
        query = (
            select(jobs, runs.c.local_date)
            .join(runs, runs.c.id == jobs.c.run_id)
            .where(jobs.c.kind == JobKind.COMPETITOR, which)
            .order_by(*LAST_BEGUN_FIRST)
            .limit(limit)
        )
        found = self._tx.run(query).all()
        readings = self._readings({row.run_id for row in found}, {row.key for row in found})
        return tuple(_night(row, readings[row.run_id, row.key]) for row in found)

    def _readings(
        self, run_ids: set[str], competitors: set[str]
    ) -> Mapping[tuple[str, str], list[tuple[Outcome, str, int]]]:
        """Count readings by run and competitor, by outcome and reason."""
        columns = (observations.c.run_id, observations.c.competitor, observations.c.outcome, observations.c.reason)
        query = (
            select(*columns, func.count().label("n"))
            .where(observations.c.run_id.in_(sorted(run_ids)), observations.c.competitor.in_(sorted(competitors)))
            .group_by(*columns)
        )
        found: dict[tuple[str, str], list[tuple[Outcome, str, int]]] = defaultdict(list)
        for row in self._tx.run(query):
            found[row.run_id, row.competitor].append((row.outcome, row.reason, row.n))
        return found

    def changes(self, sku: str) -> tuple[Changed, ...]:
        """Return the prices of a product that the monitor wrote."""
        query = (
            select(writes)
            .where(writes.c.sku == sku, writes.c.state == WriteState.APPLIED, writes.c.finished_at.is_not(None))
            .order_by(writes.c.finished_at)
        )
        return tuple(
            Changed(row.finished_at, row.expected_price, row.target_price, row.currency) for row in self._tx.run(query)
        )

    def executed(
        self, *, sku: str = "", states: Sequence[WriteState] = (), limit: int = 50, offset: int = 0
    ) -> tuple[tuple[Executed, ...], int]:
        """Return some of what was approved and executed, newest first, and how much there is in all."""
        conditions: list[ColumnElement[bool]] = []
        if sku:
            conditions.append(writes.c.sku == sku)
        if states:
            conditions.append(writes.c.state.in_(states))
        total = self._tx.run(select(func.count()).select_from(writes).where(*conditions)).scalar_one()
        approved = and_(
            decisions.c.action_id == writes.c.action_id,
            decisions.c.version == writes.c.version,
            decisions.c.verb == Verb.APPROVE,
        )
        query = (
            select(writes, actions.c.title, actions.c.run_id, decisions.c.actor_name)
            .join(actions, actions.c.id == writes.c.action_id)
            .outerjoin(decisions, approved)
            .where(*conditions)
            .order_by(writes.c.created_at.desc(), writes.c.id)
            .limit(limit)
            .offset(offset)
        )
        return tuple(_executed(row) for row in self._tx.run(query)), total


def _line(row: Row[Any], total: int, ended: int, proposals: int) -> NightLine:
    return NightLine(row.id, row.local_date, row.state, row.partial, int(ended), total, proposals)


def _night(row: Row[Any], readings: Sequence[tuple[Outcome, str, int]]) -> ShopNight:
    outcomes: Counter[Outcome] = Counter()
    for outcome, _, count in readings:
        outcomes[outcome] += count
    return ShopNight(
        run_id=row.run_id,
        local_date=row.local_date,
        competitor=row.key,
        state=row.state,
        outcomes=outcomes,
        calls_used=row.calls_used,
        calls_limit=row.calls_limit,
        requests_used=row.requests_used,
        started_at=row.started_at,
        ended_at=row.ended_at,
        error=row.error,
        unread=counted_kinds(one for one in readings if one[0] not in READ),
    )


def _executed(row: Row[Any]) -> Executed:
    return Executed(
        action_id=row.action_id,
        version=row.version,
        run_id=row.run_id,
        sku=row.sku,
        title=row.title,
        currency=row.currency,
        old_price=row.expected_price,
        new_price=row.target_price,
        state=row.state,
        words=row.error or (row.after or {}).get("words"),
        by=row.actor_name,
        created_at=row.created_at,
        finished_at=row.finished_at,
    )
