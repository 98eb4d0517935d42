"""A shop of any platform that answers as the platform does, in memory or on loopback, and nights that visit it.

It keeps the platform's own rules: 250 products on a page of Shopify's list, a hundred named products for
WooCommerce and Magento, a token for BigCommerce. Prices follow from the number of a product, so that a test knows
them all; `tax` is what pages add to the catalogue's prices, and `broken` names the endpoints that fail.
"""

import json
import re
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self
from urllib.parse import parse_qs, unquote, urlsplit

from monitor.adapters.db.store import SqlStore
from monitor.domain.catalogue import Catalogue, Competitor, Product, RobotsPolicy, Watch
from monitor.domain.observation import Observation
from monitor.domain.page import FetchRules, Miss, Page
from monitor.domain.plan import NightPlan, Schedule
from monitor.domain.run import Job, Step
from monitor.durable import Ending, Incarnation, Plan, Tool, work
from monitor.flow import collect
from monitor.flow.begin import begin
from monitor.ports.store import Unit
from monitor.ports.world import Fetcher
from tests.core_scene import SetClock

TOKEN = "eyJ0eXAiOiJKV1QiLCJhbGciOiJ.eyJjaWQiOjEsImNvcnMiOlsi.c2lnbmF0dXJlc2lnbmF0dXJl"
MARKS = {
    "shopify": '<script>Shopify.shop="a.myshopify.com";Shopify.currency={"active":"%s"}</script>',
    "woocommerce": '<link rel="stylesheet" href="/wp-content/plugins/woocommerce/a.css"><!-- %s -->',
    "magento": '<script type="text/x-magento-init">{}</script><!-- %s -->',
    "bigcommerce": f'<script>var BCData={{}};var storefront_api={{"token":"{TOKEN}"}}</script><!-- %s -->',
    "feed": "<!-- %s -->",
    "pages": "<!-- %s -->",
}
Said = tuple[int, dict[str, str], bytes]


@dataclass
class CatalogueShop:
    """A shop with `count` products, `thing-0` onwards."""

    platform: str
    count: int = 40
    origin: str = "https://rival.example"
    currency: str = "EUR"
    tax: Decimal = Decimal(1)  #: what pages show is the catalogue's price times this
    broken: dict[str, int] = field(default_factory=dict)  #: status by part of an address: `{"products.json": 404}`
    sold_out: set[int] = field(default_factory=set)
    silent: dict[int, str] = field(default_factory=dict)  #: whose pages tell no price, and what they say instead
    on_offer: dict[int, str] = field(default_factory=dict)  #: what the feed says of a price in place of it
    sized: set[int] = field(default_factory=set)  #: WooCommerce products in the sizes s and l, which costs one more
    page_size: int = 100  #: most products of one Magento answer
    only_post: bool = False
    robots: bytes = b"User-agent: *\nDisallow: /cart\n"
    asked: list[str] = field(default_factory=list)

    def price(self, n: int) -> Decimal:
        """Return what the catalogue says of a product."""
        return Decimal(1000 + n).scaleb(-2)

    def shown(self, n: int) -> Decimal:
        """Return what its page says."""
        return (self.price(n) * self.tax).quantize(Decimal("0.01"))

    def path(self, n: int) -> str:
        """Return where its page is."""
        return {"shopify": f"/products/thing-{n}", "magento": f"/thing-{n}.html"}.get(self.platform, f"/p/thing-{n}/")

    def watch(self, n: int, **known: Any) -> Watch:
        """Return a watch of a product."""
        return Watch("rival", f"S{n:04}", self.origin + self.path(n), **known)

    def respond(self, method: str, target: str, body: bytes = b"") -> Said:
        """Answer one request."""
        self.asked.append(target)
        parts = urlsplit(target)
        fault = next((status for part, status in self.broken.items() if part in target), None)
        if fault is not None:
            return fault, {}, b"<html><body>no</body></html>"
        if parts.path == "/robots.txt":
            return 200, {"content-type": "text/plain"}, self.robots
        query = {name: values[-1] for name, values in parse_qs(parts.query).items()}
        answers: dict[str, Callable[[str, str, dict[str, str], bytes], Said | None]] = {
            "shopify": self._shopify,
            "woocommerce": self._woocommerce,
            "magento": self._magento,
            "bigcommerce": self._bigcommerce,
            "feed": self._feed,
        }
        found = answers.get(self.platform, lambda *_: None)(method, parts.path, query, body)
        return found or self._page(parts.path)

    def _page(self, path: str) -> Said:
        n = self._number(path)
        if n is None or path.rstrip("/") != self.path(n).rstrip("/"):
            return 404, {}, b"<h1>Not found</h1>"
        name, stock = f"Thing {n}", "OutOfStock" if n in self.sold_out else "InStock"
        offer = {"@type": "Offer", "price": str(self.shown(n)), "priceCurrency": self.currency}
        offer["availability"] = f"https://schema.org/{stock}"
        if n in self.silent:
            body = (
                f"<h1>{name}</h1><p>{self.silent[n]}</p>" if self.silent[n] else f"<h1>{name}</h1><button>Buy</button>"
            )
            page = f"<html><head><title>{name}</title></head><body>{body}</body></html>"
            return 200, {"content-type": "text/html; charset=utf-8"}, page.encode()
        facts = {"@context": "https://schema.org", "@type": "Product", "name": name, "sku": f"T-{n}", "offers": offer}
        mark = MARKS[self.platform].replace("%s", self.currency)
        head = f'<title>{name}</title><script type="application/ld+json">{json.dumps(facts)}</script>{mark}'
        page = f"<html><head>{head}</head><body><h1>{name}</h1><p>{self.shown(n)} {self.currency}</p></body></html>"
        return 200, {"content-type": "text/html; charset=utf-8"}, page.encode()

    def _number(self, text: str) -> int | None:
        found = re.search(r"thing-([0-9]+)", text)
        return int(found.group(1)) if found and int(found.group(1)) < self.count else None

    def _shopify(self, _method: str, path: str, query: dict[str, str], _body: bytes) -> Said | None:
        if path == "/products.json":
            limit, page = min(int(query.get("limit", 30)), 250), int(query.get("page", 1))
            if limit * page > 25_000:
                return 400, {}, b'{"errors":"Page * Limit exceeds the 25000 limit."}'
            listed = range(min((page - 1) * limit, self.count), min(page * limit, self.count))
            return _json({"products": [self._shopify_product(n, str(self.price(n))) for n in listed]})
        n = self._number(path)
        if path.endswith(".js") and n is not None:
            return _json(self._shopify_product(n, int(self.price(n) * 100)))
        return None

    def _shopify_product(self, n: int, price: str | int) -> dict[str, Any]:
        variant = {"id": 5000 + n, "title": "Default Title", "sku": f"T-{n}", "price": price}
        variant |= {"compare_at_price": None, "available": n not in self.sold_out}
        return {"id": 9000 + n, "handle": f"thing-{n}", "title": f"Thing {n}", "vendor": "V", "variants": [variant]}

    def _woocommerce(self, _method: str, path: str, query: dict[str, str], _body: bytes) -> Said | None:
        api = "/wc/store/v1/products"
        if path != f"/wp-json{api}" and query.get("rest_route") != api:
            return None
        size = int(query.get("per_page", 10))
        if size > 100:
            return 400, {}, b'{"code":"rest_invalid_param","message":"per_page"}'
        wanted = [self._number(slug) for slug in query["slug"].split(",")] if "slug" in query else None
        wanted = [int(one) - 300 for one in query["include"].split(",")] if "include" in query else wanted
        if query.get("type") == "variation":
            asked = [int(one) - 10_000 for one in query["include"].split(",")]
            return _json([self._woocommerce_size(one // 2, one % 2) for one in asked])
        page = int(query.get("page", 1))
        found = (
            [n for n in wanted if n is not None and 0 <= n < self.count] if wanted is not None else range(self.count)
        )
        headers = {"x-wp-total": str(len(found)), "x-wp-totalpages": str(-(-len(found) // size))}
        listed = list(found)[(page - 1) * size : page * size]
        status, kind, body = _json([self._woocommerce_product(n) for n in listed])
        return status, kind | headers, body

    def _woocommerce_product(self, n: int) -> dict[str, Any]:
        digits = str(int(self.price(n) * 100))
        prices = {"price": digits, "regular_price": digits, "sale_price": digits, "price_range": None}
        prices |= {"currency_code": self.currency, "currency_minor_unit": 2}  # type: ignore[dict-item]  # as it is
        known = {"id": 300 + n, "slug": f"thing-{n}", "name": f"Thing {n}", "type": "simple", "sku": f"T-{n}"}
        where = {"permalink": self.origin + self.path(n), "prices": prices, "on_sale": False, "is_purchasable": True}
        product = known | where | {"is_in_stock": n not in self.sold_out, "variations": []}
        if n in self.sized:
            prices["price_range"] = {"min_amount": digits, "max_amount": str(int(digits) + 100)}  # type: ignore[assignment]
            sizes = [{"id": 10_000 + 2 * n + k, "attributes": [{"name": "Size", "value": "sl"[k]}]} for k in (0, 1)]
            product |= {"type": "variable", "variations": sizes}
        return product

    def _woocommerce_size(self, n: int, large: int) -> dict[str, Any]:
        digits, size = str(int(self.price(n) * 100) + 100 * large), "sl"[large]
        prices = {"price": digits, "regular_price": digits, "currency_code": self.currency, "price_range": None}
        known = {"id": 10_000 + 2 * n + large, "slug": f"thing-{n}-{size}", "name": f"Thing {n}", "type": "variation"}
        where = {"permalink": f"{self.origin}{self.path(n)}?attribute_pa_size={size}", "parent": 300 + n}
        return known | where | {"prices": prices | {"currency_minor_unit": 2}, "sku": "", "is_in_stock": True}

    def _magento(self, method: str, path: str, query: dict[str, str], body: bytes) -> Said | None:
        if path != "/graphql":
            return None
        if self.only_post and method != "POST":
            return 405, {}, b"<html>POST only</html>"
        sent = json.loads(body) if method == "POST" else query
        question, given = sent["query"], sent.get("variables") or "{}"
        variables = given if isinstance(given, dict) else json.loads(given)
        (size,) = (int(one) for one in re.findall(r"pageSize:(\d+)", question))
        if size > self.page_size:
            return _json({"errors": [{"message": f"Maximum pageSize is {self.page_size}"}], "data": {"products": None}})
        page = int(re.findall(r"currentPage:(\d+)", question)[0])
        found = [self._number(key) for key in variables["k"]] if "k" in variables else list(range(self.count))
        items = [self._magento_product(n) for n in found if n is not None]
        info = {"current_page": page, "total_pages": -(-len(items) // size)}
        return _json({"data": {"products": {"page_info": info, "items": items[(page - 1) * size : page * size]}}})

    def _magento_product(self, n: int) -> dict[str, Any]:
        money = {"value": float(self.price(n)), "currency": self.currency}
        prices = {
            "minimum_price": {"regular_price": money, "final_price": money},
            "maximum_price": {"final_price": money},
        }
        stock = "OUT_OF_STOCK" if n in self.sold_out else "IN_STOCK"
        known = {"__typename": "SimpleProduct", "uid": f"U{n}", "sku": f"T-{n}", "name": f"Thing {n}"}
        return known | {"url_key": f"thing-{n}", "stock_status": stock, "price_range": prices}

    def _bigcommerce(self, method: str, path: str, _query: dict[str, str], body: bytes) -> Said | None:
        if path != "/graphql" or method != "POST":
            return None
        question = json.loads(body)["query"]
        if "entityIds" in question:
            asked = re.findall(r"\d+", question.split("entityIds:[")[1].split("]")[0])
            edges = [{"node": self._bigcommerce_product(int(one) - 700)} for one in asked]
            site: dict[str, Any] = {"products": {"pageInfo": {"hasNextPage": False}, "edges": edges}}
        elif "route(" in question:
            asked = re.findall(r'(p\d+):route\(path:"([^"]+)"', question)
            numbers = {name: self._number(where) for name, where in asked}
            site = {name: {"node": None if n is None else self._bigcommerce_product(n)} for name, n in numbers.items()}
        else:
            start = int((re.findall(r'after:"(\d+)"', question) or ["0"])[0])
            listed = range(start, min(start + 50, self.count))
            info = {"hasNextPage": start + 50 < self.count, "endCursor": str(start + 50)}
            edges = [{"node": self._bigcommerce_product(n)} for n in listed]
            site = {"products": {"pageInfo": info, "edges": edges}}
        return _json({"data": {"site": {"settings": {"tax": {"pdp": "INC"}}, **site}}})

    def _bigcommerce_product(self, n: int) -> dict[str, Any]:
        money = {"value": float(self.price(n)), "currencyCode": self.currency}
        prices = {"price": money, "basePrice": money, "priceRange": {"min": money, "max": money}}
        known = {"entityId": 700 + n, "sku": f"T-{n}", "name": f"Thing {n}", "path": self.path(n), "prices": prices}
        return known | {"inventory": {"isInStock": n not in self.sold_out}, "availabilityV2": {"status": "Available"}}

    def _feed(self, _method: str, path: str, _query: dict[str, str], _body: bytes) -> Said | None:
        if path != "/feed.xml":
            return None
        items = "".join(
            f"<item><g:id>T-{n}</g:id><g:title>Thing {n}</g:title><g:link>{self.origin}{self.path(n)}</g:link>"
            f"<g:price>{self.on_offer.get(n, f'{self.price(n)} {self.currency}')}</g:price></item>"
            for n in range(self.count)
        )
        names = 'xmlns:g="http://base.google.com/ns/1.0"'
        return 200, {"content-type": "application/xml"}, f"<rss {names}><channel>{items}</channel></rss>".encode()


def _json(value: Any) -> Said:
    return 200, {"content-type": "application/json; charset=utf-8"}, json.dumps(value).encode()


@dataclass
class Visits:
    """Nights at one shop, in memory: the store, the loop and the readers are the real ones."""

    store: SqlStore
    clock: SetClock
    shop: CatalogueShop
    watches: tuple[Watch, ...] = ()
    settings: dict[str, Any] = field(default_factory=dict)
    products: tuple[Product, ...] = ()
    day: date = date(2026, 11, 28)
    on_wait: Callable[[], None] = lambda: None
    fetcher: Fetcher | None = None  #: instead of the shop in memory

    @property
    def competitor(self) -> Competitor:
        """The shop as its operator entered it; without robots.txt unless a test says otherwise."""
        feed = {"feed": f"{self.shop.origin}/feed.xml"} if self.shop.platform == "feed" else {}
        common = {"delay": timedelta(0), "jitter": 0.0, "robots": RobotsPolicy.IGNORE} | feed | self.settings
        return Competitor("rival", "Rival", self.shop.origin, **common)  # type: ignore[arg-type]  # of mixed types

    def fetch(self, url: str, rules: FetchRules) -> Page | Miss:
        """Be the fetcher."""
        if self.fetcher is not None:
            return self.fetcher.fetch(url, rules)
        target = url.removeprefix(self.shop.origin)
        method = "GET" if rules.post is None else "POST"
        status, headers, body = self.shop.respond(method, target, rules.post or b"")
        return Page(url, url, status, headers, body, 1)

    def open_job(self, unit: Unit, job: Job) -> tuple[Plan, Mapping[str, Tool]]:
        """Open a job as the wiring does."""
        todo = collect.assignment_of(unit, job, self.catalogue, "pricebot")
        return collect.Collecting(todo), collect.Visitor(todo, self.store, self, collect.Limits("pricebot")).tools()

    @property
    def catalogue(self) -> Catalogue:
        """Our products, this shop and its watches."""
        skus = dict.fromkeys(watch.sku for watch in self.watches)
        named = {product.sku: product for product in self.products}
        products = tuple(named.get(sku) or Product(sku, sku, "EUR", Decimal(15)) for sku in skus)
        return Catalogue(products, (self.competitor,), self.watches)

    def night(self) -> "Told":
        """Let the next night pass and return what came of it."""
        self.day += timedelta(days=1)
        due = datetime(self.day.year, self.day.month, self.day.day, 1, 0, tzinfo=UTC)
        self.clock.at = max(due, self.clock.at)
        self.shop.asked.clear()
        plan = NightPlan(schedule=Schedule(zone="Europe/Berlin"))
        run, _ = begin(self.store, plan, self.catalogue, origin="schedule", day=self.day)
        while True:
            with self.store.read() as unit:
                job = unit.jobs.find(run.id, "rival")
            assert job is not None
            ending = work(job.id, store=self.store, me=Incarnation("test"), open_job=self.open_job)
            if ending is not Ending.DEFERRED:
                assert ending is Ending.ENDED, ending
                break
            with self.store.read() as unit:
                again = unit.jobs.get(job.id)
            assert again is not None
            self.on_wait()
            self.clock.at = again.run_at
        return told_of(self.store, run.id, tuple(self.shop.asked))

    def with_watches(self, *numbers: int, **known: Any) -> Self:
        """Watch these products."""
        self.watches = (*self.watches, *(self.shop.watch(n, **known) for n in numbers))
        return self


@dataclass(frozen=True)
class Told:
    """What came of one night."""

    run_id: str
    asked: tuple[str, ...]
    seen: Mapping[str, Observation]
    steps: tuple[Step, ...]
    calls: int
    alerts: tuple[str, ...]
    facts: Mapping[str, Any]

    @property
    def outcomes(self) -> dict[str, tuple[str, str]]:
        """Outcome and reason by SKU."""
        return {sku: (one.outcome.value, one.reason) for sku, one in self.seen.items()}

    @property
    def ways(self) -> list[str]:
        """The tools, catalogue calls by the way they asked: `["page", "slug"]`."""
        return [str(step.args.get("about", step.tool)) for step in self.steps]


def told_of(store: SqlStore, run_id: str, asked: tuple[str, ...]) -> Told:
    """Read what a night left in the store."""
    with store.read() as unit:
        job = unit.jobs.find(run_id, "rival")
        assert job is not None
        seen = {one.sku: one for one in unit.observations.of_run(run_id)}
        alerts = tuple(alert.words for alert in unit.alerts.of_run(run_id))
        return Told(run_id, asked, seen, unit.jobs.steps(job.id), job.calls_used, alerts, unit.shops.facts("rival"))


class Served:
    """The same shop on a free loopback port."""

    def __init__(self, shop: CatalogueShop) -> None:
        self.shop = shop
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(shop))
        self._server.daemon_threads = True
        shop.origin = f"http://127.0.0.1:{self._server.server_port}"

    @property
    def address(self) -> str:
        """Host and port."""
        return self.shop.origin.removeprefix("http://")

    def __enter__(self) -> Self:
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(5)


def _handler(shop: CatalogueShop) -> type[BaseHTTPRequestHandler]:
    class Visit(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _answer(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length") or 0))
            status, headers, answer = shop.respond(self.command, unquote_plus_path(self.path), body)
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        do_GET = do_POST = _answer  # noqa: N815 - names of the library

        def log_message(self, *_: Any) -> None:
            """Say nothing."""

    return Visit


def unquote_plus_path(target: str) -> str:
    """Return a request target with its path as people write it; the query stays as it is."""
    path, mark, query = target.partition("?")
    return unquote(path) + mark + query


def copied(shop: CatalogueShop, **changes: Any) -> CatalogueShop:
    """Return the same shop with something changed and no requests so far."""
    return replace(shop, asked=[], **changes)
