"""Nights of one watched shop whose every byte a test decides: real sockets, the real client, reader, loop and store.

Names resolve to public addresses and every connection ends on loopback, so `alpkontor.example` is visited as in life.
Waits are not slept: the clock is moved to their end.
"""

import json
import ssl
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

import httpcore

from monitor.adapters.db.store import SqlStore
from monitor.adapters.fetch import HttpFetcher
from monitor.adapters.http import Client, Resolver
from monitor.domain.catalogue import Catalogue, Competitor, Product, Watch
from monitor.domain.observation import Observation, Span
from monitor.domain.plan import NightPlan, Schedule
from monitor.domain.run import Job, Step
from monitor.durable import Ending, Incarnation, Plan, Tool, work
from monitor.flow import collect
from monitor.flow.begin import begin
from monitor.ports.store import Unit
from tests.core_scene import SetClock
from tests.rawshop import Names, RawShop, answer

PUBLIC = "93.184.216.34"
PATH = "/p/rope-60"
PLAN = NightPlan(schedule=Schedule(zone="Europe/Berlin"))


def product_page(
    price: str = "149.00", *, name: str = "Rope 60", sku: str = "AK-1", currency: str = "EUR", head: str = ""
) -> bytes:
    """A product page as a shop of today writes it."""
    offer = {"@type": "Offer", "price": price, "priceCurrency": currency, "availability": "https://schema.org/InStock"}
    product = {"@context": "https://schema.org", "@type": "Product", "name": name, "sku": sku, "offers": offer}
    facts = f'<script type="application/ld+json">{json.dumps(product)}</script>'
    return (
        f"<!doctype html><html lang='en'><head><title>{name} - Alpkontor</title>{facts}{head}</head>"
        f"<body><h1>{name}</h1><p class='price'>{price} {currency}</p><button>Add to cart</button></body></html>"
    ).encode()


def page(body: bytes | str, **how: Any) -> bytes:
    """The bytes of an answer."""
    return answer(body.encode() if isinstance(body, str) else body, **how)


class Street(httpcore.NetworkBackend):
    """Leads each port to a shop of its own on loopback; a port without one refuses connections."""

    def __init__(self, ports: dict[int, int]) -> None:
        self.ports = ports

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        """Connect to the shop instead."""
        to = self.ports.get(port)
        if to is None:
            raise httpcore.ConnectError("Connection refused")
        return httpcore.SyncBackend().connect_tcp("127.0.0.1", to, timeout, local_address)


@dataclass
class Night:
    """What came of one night."""

    seen: Observation
    every: dict[str, Observation]
    steps: tuple[Step, ...]
    job: Job
    asked: list[str]  #: paths of all requests, robots.txt left out
    heads: list[dict[str, str]]  #: of the same requests
    waits: list[timedelta]

    @property
    def told(self) -> tuple[str, str]:
        """Outcome and reason."""
        return self.seen.outcome.value, self.seen.reason


@dataclass
class Visits:
    """A shop, what is watched there, and its nights."""

    store: SqlStore
    clock: SetClock
    shop: RawShop
    tls: RawShop | None
    names: Names
    fetcher: HttpFetcher
    competitor: Competitor
    watches: tuple[Watch, ...] = (Watch("alpkontor", "ROPE-60", f"http://alpkontor.example{PATH}"),)
    day: date = date(2026, 11, 28)
    more: tuple[Competitor, ...] = ()
    limits: collect.Limits = field(default_factory=lambda: collect.Limits("pricebot"))

    def say(self, path: str, *what: bytes | Callable[..., None]) -> None:
        """Answer a path so; of several answers each request gets the next, the last one for ever."""
        self.shop.routes[path] = list(what) if len(what) > 1 else what[0]  # type: ignore[arg-type,assignment]

    def watch(self, *paths: str, **known: Any) -> None:
        """Watch these pages beside the first one."""
        made = (
            Watch("alpkontor", p.rsplit("/", 1)[-1].upper(), f"http://alpkontor.example{p}", **known) for p in paths
        )
        self.watches = (*self.watches, *made)

    def set(self, **changes: Any) -> None:
        """Change a setting of the competitor."""
        self.competitor = replace(self.competitor, **changes)

    @property
    def catalogue(self) -> Catalogue:
        """What the night works on."""
        skus = dict.fromkeys(watch.sku for watch in self.watches)
        products = tuple(Product(sku, sku, "EUR", Decimal(150)) for sku in skus)
        return Catalogue(products, (self.competitor, *self.more), self.watches)

    def open_job(self, unit: Unit, job: Job) -> tuple[Plan, Mapping[str, Tool]]:
        """Open a job as the wiring does."""
        todo = collect.assignment_of(unit, job, self.catalogue, self.limits.agent)
        return collect.Collecting(todo), collect.Visitor(todo, self.store, self.fetcher, self.limits).tools()

    def night(self, *, price_first: str | None = None) -> Night:
        """Let the next night pass; `price_first` lets one with this price pass before it."""
        if price_first is not None:
            before = dict(self.shop.routes)
            self.shop.routes.update({PATH: page(product_page(price_first)), "/robots.txt": page(b"")})
            assert self.night().told[0] == "ok"
            self.shop.routes.clear()
            self.shop.routes.update(before)
        self.day += timedelta(days=1)
        due = datetime(self.day.year, self.day.month, self.day.day, 1, 0, tzinfo=UTC)
        self.clock.at = max(due, self.clock.at)
        self.shop.requests.clear()
        run, _ = begin(self.store, PLAN, self.catalogue, origin="schedule", day=self.day)
        waits = self.work_on(run.id, "alpkontor")
        return self._came_of(run.id, waits)

    def work_on(self, run_id: str, competitor: str) -> list[timedelta]:
        """Work until a job has ended; return how long it waited in between."""
        waits: list[timedelta] = []
        while True:
            job = self._job(run_id, competitor)
            ending = work(job.id, store=self.store, me=Incarnation("test"), open_job=self.open_job)
            if ending is not Ending.DEFERRED:
                assert ending is Ending.ENDED
                return waits
            run_at = self._job(run_id, competitor).run_at
            waits.append(run_at - self.clock.at)
            self.clock.at = run_at

    def _job(self, run_id: str, competitor: str) -> Job:
        with self.store.read() as unit:
            job = unit.jobs.find(run_id, competitor)
        assert job is not None
        return job

    def _came_of(self, run_id: str, waits: list[timedelta]) -> Night:
        job = self._job(run_id, "alpkontor")
        with self.store.read() as unit:
            every = {seen.sku: seen for seen in unit.observations.of_run(run_id)}
            steps = unit.jobs.steps(job.id)
        heads = [_head(request) for request in self.shop.requests]
        heads = [head for head in heads if head["path"] != "/robots.txt"]
        return Night(every["ROPE-60"], every, steps, job, [head["path"] for head in heads], heads, waits)

    @property
    def history(self) -> tuple[Span, ...]:
        """The price history of the first watch."""
        with self.store.read() as unit:
            return unit.observations.spans("ROPE-60", "alpkontor")


def _head(request: bytes) -> dict[str, str]:
    first, *lines = request.partition(b"\r\n\r\n")[0].decode("latin-1").split("\r\n")
    pairs = (line.partition(": ") for line in lines)
    return {"path": first.split(" ")[1], **{name.lower(): value for name, _, value in pairs}}


@contextmanager
def visits(
    store: SqlStore, clock: SetClock, trust: ssl.SSLContext, *, tls: ssl.SSLContext | None = None
) -> Iterator[Visits]:
    """Open a shop on http, one on https when `tls` is what it shows, and the store."""
    with RawShop() as shop, RawShop(tls=tls) as secure:
        names = Names(**dict.fromkeys(("alpkontor_example", "www_alpkontor_example", "rival_test"), PUBLIC))
        street = Street({80: shop.port, 443: secure.port} if tls else {80: shop.port})
        client = Client(resolver=Resolver(names), network=street, ssl_context=trust)
        fetcher = HttpFetcher(client, "pricebot/1.0 (+https://brand.example/bot)", pause=lambda _s: None)
        competitor = Competitor("alpkontor", "Alpkontor", "http://alpkontor.example", delay=timedelta(0), jitter=0.0)
        try:
            yield Visits(store, clock, shop, secure if tls else None, names, fetcher, competitor)
        finally:
            client.close()
