"""Matches and the decisions about them; a pair is stored once, by competitor, product, page and variant."""

from collections.abc import Iterable, Sequence
from typing import Any

from sqlalchemy import Row, Select, func, select, update
from sqlalchemy.exc import IntegrityError

from monitor.adapters.db.schema import match_decisions, matches
from monitor.adapters.db.transaction import Transaction
from monitor.domain.catalogue import MatchState
from monitor.domain.match import MACHINE, Match, MatchDecision, Suggested, Suggestion
from monitor.errors import CannotSucceed

_TUPLES = ("evidence", "doubts")


class AlreadyConfirmed(CannotSucceed):
    """Another page of the same competitor is confirmed for the same product."""

    def __init__(self, match: Match, other: int | None) -> None:
        which = "the other" if other is None else f"match {other}"
        super().__init__(
            f"match {match.id}: {match.competitor} has another page confirmed for {match.sku} ({which}). Nothing was "
            f"changed; reject {which} first if this one is right"
        )
        self.match, self.other = match.id, other


class MatchTable:
    """`monitor.ports.matches.Matches` on SQL."""

    def __init__(self, tx: Transaction) -> None:
        self._tx = tx

    def suggest(self, pairs: Sequence[Suggestion]) -> Suggested:
        """Store pairs as suggested, once each."""
        counts = dict.fromkeys(Suggested.__dataclass_fields__, 0)
        for pair in pairs:
            counts[self._suggested(pair)] += 1
        return Suggested(**counts)

    def decide(self, match_id: int, state: MatchState, by: str, reason: str) -> Match | None:
        """Put a match into a state and record who did and why."""
        match = self.get(match_id)
        if match is None or (match.state is state and match.decided_at is not None):
            return match
        if state is MatchState.CONFIRMED and (other := self._confirmed(match)) is not None:
            raise AlreadyConfirmed(match, other)
        values = {"state": state, "by": by, "reason": reason, "decided_at": self._tx.now}
        changed = update(matches).where(matches.c.id == match_id, matches.c.state == match.state).values(**values)
        try:
            is_changed = self._tx.run(changed).rowcount > 0
        except IntegrityError:  # two people at the same moment: the index lets one of them
            raise AlreadyConfirmed(match, None) from None
        if is_changed:
            self._record(match_id, state, by, reason)
        return self.get(match_id)

    def get(self, match_id: int) -> Match | None:
        """Return one match with its history, or None."""
        row = self._tx.run(select(matches).where(matches.c.id == match_id)).one_or_none()
        return None if row is None else _match(row, self._history(match_id))

    def queue(
        self,
        state: MatchState | None = None,
        *,
        competitor: str | None = None,
        sku: str | None = None,
        limit: int = 100,
        offset: int = 0,
    ) -> tuple[Match, ...]:
        """Return matches, the surest first."""
        wanted = {"state": state, "competitor": competitor, "sku": sku}
        query = (
            select(matches).order_by(matches.c.score.desc(), matches.c.sku, matches.c.id).limit(limit).offset(offset)
        )
        for name, value in wanted.items():
            query = query if value is None else query.where(matches.c[name] == value)
        return self._all(query)

    def count(self) -> dict[MatchState, int]:
        """Return how many there are in each state."""
        rows = self._tx.run(select(matches.c.state, func.count().label("held")).group_by(matches.c.state)).all()
        return dict.fromkeys(MatchState, 0) | {row.state: row.held for row in rows}

    def decided(self) -> tuple[Match, ...]:
        """Return every match that somebody decided."""
        return self._all(select(matches).where(matches.c.decided_at.is_not(None)).order_by(matches.c.id))

    def confirmed_of(self, competitor: str) -> tuple[Match, ...]:
        """Return the confirmed matches of one competitor."""
        where = (matches.c.competitor == competitor, matches.c.state == MatchState.CONFIRMED)
        return self._all(select(matches).where(*where).order_by(matches.c.id))

    def _all(self, query: Select[Any]) -> tuple[Match, ...]:
        return tuple(_match(row) for row in self._tx.run(query).all())

    def _suggested(self, pair: Suggestion) -> str:
        """Store one pair and return which of the counts it adds to."""
        known = self._tx.run(select(matches).where(*_is(pair))).one_or_none()
        if known is None:
            if pair.vetoes:
                return "unchanged"
            row = _row(pair) | {"state": MatchState.SUGGESTED, "by": MACHINE, "suggested_at": self._tx.now}
            if self._tx.insert_once(matches, row):
                return "new"
            return "unchanged"
        if known.state is MatchState.CONFIRMED and pair.vetoes:
            self._reopen(known.id, pair)
            return "reopened"
        if known.state is not MatchState.SUGGESTED:
            return str(known.state.value)
        return self._renewed(known, pair)

    def _renewed(self, known: Row[Any], pair: Suggestion) -> str:
        row = _row(pair)
        if known.decided_at is not None or all(
            _plain(getattr(known, name)) == _plain(value) for name, value in row.items()
        ):
            return "unchanged"
        self._tx.run(update(matches).where(matches.c.id == known.id, matches.c.state == known.state).values(**row))
        return "renewed"

    def _reopen(self, match_id: int, pair: Suggestion) -> None:
        reason = f"opened again: {'; '.join(pair.vetoes)}"
        values = {"state": MatchState.SUGGESTED, "by": MACHINE, "reason": reason, "decided_at": self._tx.now}
        where = (matches.c.id == match_id, matches.c.state == MatchState.CONFIRMED)
        if self._tx.run(update(matches).where(*where).values(**values)).rowcount:
            self._record(match_id, MatchState.SUGGESTED, MACHINE, reason)

    def _confirmed(self, match: Match) -> int | None:
        """Return the other match that is confirmed for the same product and competitor."""
        found: int | None = self._tx.run(
            select(matches.c.id).where(
                matches.c.competitor == match.competitor,
                matches.c.sku == match.sku,
                matches.c.state == MatchState.CONFIRMED,
                matches.c.id != match.id,
            )
        ).scalar_one_or_none()
        return found

    def _record(self, match_id: int, state: MatchState, by: str, reason: str) -> None:
        row = {"match_id": match_id, "state": state, "by": by, "reason": reason, "at": self._tx.now}
        self._tx.run(match_decisions.insert().values(**row))

    def _history(self, match_id: int) -> tuple[MatchDecision, ...]:
        columns = (match_decisions.c.state, match_decisions.c.by, match_decisions.c.reason, match_decisions.c.at)
        query = select(*columns).where(match_decisions.c.match_id == match_id).order_by(match_decisions.c.id)
        return tuple(MatchDecision(**row._mapping) for row in self._tx.run(query).all())


def _is(pair: Suggestion) -> tuple[Any, ...]:
    return (
        matches.c.competitor == pair.competitor,
        matches.c.sku == pair.sku,
        matches.c.url == pair.listing.url,
        matches.c.variant == (pair.listing.variant or ""),
    )


def _row(pair: Suggestion) -> dict[str, Any]:
    listing = pair.listing
    return {
        "competitor": pair.competitor,
        "sku": pair.sku,
        "url": listing.url,
        "variant": listing.variant or "",
        "score": pair.score,
        "basis": pair.basis,
        "reason": pair.reason,
        "title": listing.title,
        "brand": listing.brand,
        "their_sku": listing.sku,
        "their_gtin": listing.gtin,
        "price": listing.price,
        "currency": listing.currency,
        "evidence": list(pair.evidence),
        "doubts": list(pair.doubts),
    }


def _match(row: Row[Any], history: Iterable[MatchDecision] = ()) -> Match:
    values = dict(row._mapping) | {name: tuple(row._mapping[name]) for name in _TUPLES}
    return Match(**values | {"variant": values["variant"] or None, "history": tuple(history)})


def _plain(value: object) -> object:
    return tuple(value) if isinstance(value, list) else value
