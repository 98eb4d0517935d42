"""Two years of nights, written straight into a database: what a long-used monitor looks like from the inside.

Deterministic from its seed. Prices walk, now and then they go on sale or sell out; our own follow some weeks later.
Used by `benchmarks/web.py`, and small by tests of the pages.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

from sqlalchemy import Connection, Table, insert

from monitor.adapters.db import schema
from monitor.adapters.db.store import SqlStore
from monitor.domain.action import Action, ActionState, Proposal, Verb, WriteState
from monitor.domain.catalogue import Catalogue, Competitor, Product, Watch
from monitor.domain.extraction import Availability, Outcome
from monitor.domain.observation import OWN
from monitor.domain.plan import NightPlan
from monitor.domain.run import JobKind, JobState, RunState
from monitor.domain.snapshot import catalogue_to_json, plan_to_json, to_plain
from monitor.domain.standing import Standing, portfolio

_ROWS = 20_000
_WORDS = ("Enamel", "Oak", "Linen", "Steel", "Glass", "Copper", "Wool", "Cork")
_THINGS = ("mug", "teapot", "tray", "towel", "bottle", "pan", "blanket", "board")


@dataclass(frozen=True, slots=True)
class Size:
    """How much to write."""

    products: int = 1_000
    competitors: int = 30
    rivals_each: int = 6  #: competitors that sell each product
    nights: int = 730
    last: date = date(2026, 11, 28)
    seed: int = 1


def write_years(store: SqlStore, size: Size, plan: NightPlan) -> Catalogue:
    """Fill a database that has its tables and nothing else; return the catalogue of the last night."""
    chance = random.Random(size.seed)
    catalogue = _catalogue(size, chance)
    with store.write() as unit:
        texts = (plan_to_json(plan), catalogue_to_json(catalogue))
        settings_hash, catalogue_hash = (unit.blobs.put(text.encode()) for text in texts)
    with store.writer.begin() as connection:
        _Years(connection, size, catalogue, chance).write(settings_hash, catalogue_hash)
    return catalogue


class _Years:
    def __init__(self, connection: Connection, size: Size, catalogue: Catalogue, chance: random.Random) -> None:
        self._connection, self._size, self._random = connection, size, chance
        self._rows: dict[Table, list[dict[str, Any]]] = {}
        self._catalogue = catalogue
        self._own = {product.sku: product.price for product in self._catalogue.products}
        self._offers: dict[tuple[str, str], dict[str, Any]] = {}
        self._spans: dict[tuple[str, str], dict[str, Any]] = {}
        self._products = {product.sku: product for product in self._catalogue.products}
        self._watches: dict[str, list[Watch]] = {}
        for watch in self._catalogue.watches:
            self._watches.setdefault(watch.sku, []).append(watch)

    def write(self, *hashes: str) -> None:
        """Write every night; the hashes are of its frozen settings and catalogue."""
        first = self._size.last - timedelta(days=self._size.nights - 1)
        for index in range(self._size.nights):
            self._night(first + timedelta(days=index), index, *hashes)
        for span in self._spans.values():
            self._add(schema.spans, span)
        for table in list(self._rows):
            self._flush(table)

    def _night(self, day: date, index: int, settings_hash: str, catalogue_hash: str) -> None:
        run_id, due = f"nightly-{day.isoformat()}", datetime(day.year, day.month, day.day, 1, tzinfo=UTC)
        self._connection.execute(
            insert(schema.runs),
            [
                {
                    "id": run_id,
                    "schedule": "nightly",
                    "local_date": day,
                    "zone": "Europe/Berlin",
                    "state": RunState.REPORTED,
                    "due_at": due,
                    "deadline_at": due + timedelta(hours=3, minutes=30),
                    "partial": False,
                    "open_jobs": 0,
                    "origin": "schedule",
                    "catalogue_hash": catalogue_hash,
                    "settings_hash": settings_hash,
                    "token_cap": 0,
                    "started_at": due,
                    "ended_at": due + timedelta(minutes=40),
                }
            ],
        )
        for competitor in self._catalogue.competitors:
            self._job(run_id, competitor.id, due)
        standing = [self._product(run_id, sku, due, index) for sku in self._products]
        for one in standing:
            self._add(schema.standings, {name: getattr(one, name) for name in Standing.__dataclass_fields__})
        self._add(schema.portfolios, {"run_id": run_id, "figures": to_plain(portfolio(standing))})

    def _job(self, run_id: str, key: str, due: datetime) -> None:
        self._add(
            schema.jobs,
            {
                "run_id": run_id,
                "kind": JobKind.COMPETITOR,
                "key": key,
                "state": JobState.FAILED if self._random.random() < 0.01 else JobState.DONE,
                "run_at": due,
                "attempts": 1,
                "next_seq": 5,
                "calls_used": self._random.randint(2, 12),
                "calls_limit": 12,
                "requests_used": self._random.randint(3, 20),
                "started_at": due,
                "ended_at": due + timedelta(seconds=self._random.randint(20, 2_000)),
            },
        )

    def _product(self, run_id: str, sku: str, due: datetime, index: int) -> Standing:
        product, amounts = self._products[sku], []
        for watch in self._watches.get(sku, ()):
            outcome = Outcome.OK if self._random.random() < 0.965 else self._random.choice(_UNREAD)
            offer = self._moved(watch.competitor, sku, product.price)
            seen = due + timedelta(seconds=self._random.randint(5, 2_000))
            self._observe(run_id, watch, outcome, offer, seen)
            if outcome is Outcome.OK:
                self._span(run_id, watch.competitor, sku, offer, seen)
                if offer["availability"] is not Availability.OUT_OF_STOCK:
                    amounts.append((offer["price"], watch.competitor))
        is_last = index == self._size.nights - 1
        if not is_last and self._random.random() < 0.01:
            self._change(run_id, product, due, amounts)
        own = {"price": self._own[sku], "list_price": None, "availability": Availability.UNKNOWN}
        self._span(run_id, OWN, sku, own, due)
        if is_last and self._random.random() < 0.05 and amounts:
            self._pending(run_id, product, due, min(amounts)[0])
        return _standing(run_id, product, self._own[sku], sorted(amounts), len(self._watches.get(sku, ())))

    def _moved(self, competitor: str, sku: str, around: Decimal) -> dict[str, Any]:
        """Let an offer move in about one night of twenty."""
        offer = self._offers.get((competitor, sku))
        if offer is None or self._random.random() < 0.05:
            near = offer["price"] if offer else around * Decimal(str(round(self._random.uniform(0.85, 1.2), 3)))
            pull = 1 + (float(around) / float(near) - 1) * 0.2
            price = max(Decimal("0.99"), near * Decimal(str(round(pull * self._random.uniform(0.95, 1.05), 4))))
            price = price.quantize(Decimal("0.01"))
            sale = (price * Decimal("1.2")).quantize(Decimal("0.01")) if self._random.random() < 0.15 else None
            gone = self._random.random() < 0.08
            offer = {
                "price": price,
                "list_price": sale,
                "availability": Availability.OUT_OF_STOCK if gone else Availability.IN_STOCK,
            }
            self._offers[competitor, sku] = offer
        return offer

    def _observe(self, run_id: str, watch: Watch, outcome: Outcome, offer: dict[str, Any], seen: datetime) -> None:
        is_read = outcome is Outcome.OK
        self._add(
            schema.observations,
            {
                "run_id": run_id,
                "competitor": watch.competitor,
                "sku": watch.sku,
                "url": watch.url,
                "outcome": outcome,
                "reason": "" if is_read else "wall",
                "words": "" if is_read else "A bot wall answered instead of the shop.",
                "observed_at": seen,
                "price": offer["price"] if is_read else None,
                "currency": "EUR" if is_read else None,
                "list_price": offer["list_price"] if is_read else None,
                "availability": offer["availability"] if is_read else Availability.UNKNOWN,
                "shipping": None,
                "name": f"{watch.sku} at {watch.competitor}" if is_read else None,
                "evidence": None,
            },
        )

    def _span(self, run_id: str, seller: str, sku: str, offer: dict[str, Any], seen: datetime) -> None:
        span = self._spans.get((seller, sku))
        if span is not None and all(span[name] == value for name, value in offer.items()):
            span["last_seen_at"], span["last_run_id"] = seen, run_id
            return
        if span is not None:
            self._add(schema.spans, span)
        first = {"competitor": seller, "sku": sku, "currency": "EUR", "first_seen_at": seen, "first_run_id": run_id}
        self._spans[seller, sku] = first | offer | {"last_seen_at": seen, "last_run_id": run_id}

    def _change(self, run_id: str, product: Product, due: datetime, amounts: list[tuple[Decimal, str]]) -> None:
        """Approve and apply a change of ours, as the monitor would have."""
        old, new = self._own[product.sku], min(amounts)[0] if amounts else product.price
        if new == old:
            return
        action = self._action(run_id, product, due, old, new, ActionState.APPLIED)
        decided = due + timedelta(hours=6)
        number = self._connection.execute(insert(schema.actions).returning(schema.actions.c.id), action).scalar_one()
        decision = {"action_id": number, "version": 1, "verb": Verb.APPROVE, "actor_kind": "link", "figures": {}}
        self._add(
            schema.decisions,
            decision | {"actor_name": "anna@acme.example", "batch": f"{run_id}", "decided_at": decided},
        )
        write = {
            "id": f"{run_id}:{product.sku}",
            "action_id": number,
            "version": 1,
            "channel": "shop",
            "sku": product.sku,
            "currency": "EUR",
            "target_price": new,
            "expected_price": old,
            "idempotency_key": f"{run_id}:{product.sku}",
            "state": WriteState.APPLIED,
            "not_before": decided,
            "attempts": 1,
            "created_at": decided,
            "finished_at": decided + timedelta(minutes=2),
        }
        self._add(schema.writes, write)
        self._own[product.sku] = new

    def _pending(self, run_id: str, product: Product, due: datetime, lowest: Decimal) -> None:
        new = (lowest - Decimal("0.01")).quantize(Decimal("0.01"))
        if new > 0 and new != self._own[product.sku]:
            action = self._action(run_id, product, due, self._own[product.sku], new, ActionState.PENDING)
            self._connection.execute(insert(schema.actions), action)

    def _action(
        self, run_id: str, product: Product, due: datetime, old: Decimal, new: Decimal, state: ActionState
    ) -> dict[str, Any]:
        facts = {"evidence": [], "weekly_effect": str((new - old) * (product.weekly_units or 0)), "offers": []}
        words = "Lowest usable offer less 0.01."
        expires = due + timedelta(days=400)
        proposal = Proposal(
            run_id, "shop", product.sku, product.title, "EUR", old, new, "match-lowest", words, facts, expires
        )
        stored = Action(0, 1, state, proposal.content_hash, proposal, due)
        return {
            "key": proposal.action_key,
            "run_id": run_id,
            "channel": "shop",
            "sku": product.sku,
            "version": 1,
            "state": state,
            "content_hash": stored.content_hash,
            "title": product.title,
            "currency": "EUR",
            "old_price": old,
            "new_price": new,
            "rule_id": "match-lowest",
            "words": words,
            "facts": facts,
            "expires_at": expires,
            "created_at": due + timedelta(minutes=40),
            "decided_at": None if state is ActionState.PENDING else due + timedelta(hours=6),
        }

    def _add(self, table: Table, row: dict[str, Any]) -> None:
        rows = self._rows.setdefault(table, [])
        rows.append(row)
        if len(rows) >= _ROWS:
            self._flush(table)

    def _flush(self, table: Table) -> None:
        # In the order of dependence: what refers to a run or an action comes after it, and both are written at once.
        rows, self._rows[table] = self._rows[table], []
        if rows:
            self._connection.execute(insert(table), rows)


_UNREAD = (Outcome.BLOCKED, Outcome.FAILED, Outcome.NOT_FOUND, Outcome.SKIPPED_BUDGET)


def _catalogue(size: Size, chance: random.Random) -> Catalogue:
    competitors = tuple(
        Competitor(id=f"shop-{n:02}", name=f"Shop {n:02}", base_url=f"https://shop-{n:02}.example", currency="EUR")
        for n in range(1, size.competitors + 1)
    )
    products = tuple(_products(size, chance))
    watches = tuple(
        Watch(rival.id, product.sku, f"{rival.base_url}/p/{product.sku.lower()}")
        for product in products
        for rival in chance.sample(competitors, min(size.rivals_each, len(competitors)))
    )
    return Catalogue(products, competitors, watches)


def _products(size: Size, chance: random.Random) -> Iterator[Product]:
    for n in range(1, size.products + 1):
        price = Decimal(str(round(chance.uniform(5, 180), 2)))
        yield Product(
            sku=f"SKU-{n:04}",
            title=f"{_WORDS[n % 8]} {_THINGS[n // 8 % 8]} {n}",
            currency="EUR",
            price=price,
            brand="Acme",
            category=("Kitchen", "Bath", "Living")[n % 3],
            cost=(price * Decimal("0.55")).quantize(Decimal("0.01")),
            weekly_units=Decimal(chance.randint(0, 60)),
        )


def _standing(run_id: str, product: Product, own: Decimal, offers: list[tuple[Decimal, str]], tracked: int) -> Standing:
    amounts = [amount for amount, _ in offers]
    middle = (amounts[(len(amounts) - 1) // 2] + amounts[len(amounts) // 2]) / 2 if amounts else None
    return Standing(
        run_id=run_id,
        sku=product.sku,
        title=product.title,
        currency=product.currency,
        own=own,
        lowest=amounts[0] if amounts else None,
        lowest_seller=offers[0][1] if offers else None,
        median=middle,
        position=1 + sum(amount < own for amount in amounts) if amounts else None,
        usable=len(amounts),
        tracked=tracked,
        weekly_units=product.weekly_units,
        brand=product.brand,
        category=product.category,
        rule="match-lowest",
        reason=None if amounts and own > amounts[0] else "IN_BAND",
    )
