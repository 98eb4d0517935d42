"""A market of small shops on loopback: pages with JSON-LD, a counter per path, and requests that can be held.

Each shop is an address of its own, as a competitor is. A night that must be killed in the middle is not timed: every
shop holds its page requests from the n-th on, so that a test knows which requests were under way, kills, and lets the
market go on.
"""

import json
import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from decimal import Decimal
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

_PAGE = """<!doctype html><html lang="en"><head><title>{name}</title>
<script type="application/ld+json">{facts}</script></head>
<body><h1>{name}</h1><p class="price">{price} {currency}</p><button>Add to cart</button></body></html>"""


@dataclass
class Goods:
    """What one page of a shop sells."""

    sku: str
    price: Decimal
    currency: str = "EUR"
    in_stock: bool = True

    def page(self) -> bytes:
        """Return the product page."""
        name = f"Product {self.sku}"
        stock = "InStock" if self.in_stock else "OutOfStock"
        offer = {"@type": "Offer", "price": str(self.price), "priceCurrency": self.currency}
        offer["availability"] = f"https://schema.org/{stock}"
        facts = {"@context": "https://schema.org", "@type": "Product", "name": name, "sku": self.sku, "offers": offer}
        page = _PAGE.format(name=name, facts=json.dumps(facts), price=self.price, currency=self.currency)
        return page.encode()


class Shop(ThreadingHTTPServer):
    """One shop on a free port."""

    daemon_threads = True
    request_queue_size = 64

    def __init__(self, market: "Market", name: str, goods: dict[str, Goods]) -> None:
        super().__init__(("127.0.0.1", 0), _Visit)
        self.market, self.name, self.goods = market, name, goods

    @property
    def address(self) -> str:
        """Host and port."""
        return f"127.0.0.1:{self.server_port}"

    @property
    def url(self) -> str:
        """Where it is."""
        return f"http://{self.address}"

    def handle_error(self, *_: Any) -> None:
        """A visitor that was killed is what several tests are about."""


class _Visit(BaseHTTPRequestHandler):
    server: Shop
    protocol_version = "HTTP/1.1"
    timeout = 300

    def do_GET(self) -> None:
        goods = self.server.goods.get(self.path)
        if self.path == "/robots.txt":
            self.server.market.count(self.server.name, self.path, is_page=False)
            self._answer(200, b"User-agent: *\nDisallow: /private\n", "text/plain")
            return
        held = self.server.market.count(self.server.name, self.path, is_page=True)
        self.send_response(404 if goods is None else 200)
        if held is not None:
            self._dawdle(held)
        self._finish(b"<h1>Not found</h1>" if goods is None else goods.page(), "text/html; charset=utf-8")

    def _dawdle(self, held: int) -> None:
        """Keep a visitor waiting who leaves a shop that says nothing: one letter of a header after the other."""
        self.flush_headers()
        self.wfile.write(b"X-Patience: ")
        while not self.server.market.is_released(held, within_s=1):
            self.wfile.write(b".")
        self.wfile.write(b"\r\n")

    def _answer(self, status: int, body: bytes, kind: str) -> None:
        self.send_response(status)
        self._finish(body, kind)

    def _finish(self, body: bytes, kind: str) -> None:
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


@dataclass
class Market:
    """Shops, what was asked of them, and the brake."""

    shops: int = 4
    pages: int = 5
    delay_s: float = 0.0  #: how long each page takes
    open: list[Shop] = field(default_factory=list)
    hits: Counter[tuple[str, str]] = field(default_factory=Counter)  #: requests by shop and path, robots.txt too

    def __post_init__(self) -> None:
        self._guard = threading.Condition()
        self._held_from: dict[str, int] | None = None
        self._held: list[tuple[str, str]] = []
        self._releases = 0
        for number in range(1, self.shops + 1):
            self.open.append(Shop(self, f"shop-{number}", self._goods(number)))
        # Looking whether to end, fifty times a second, costs thirty shops a tenth of a core.
        often = {"poll_interval": 0.01 * max(self.shops, 2)}
        for shop in self.open:
            threading.Thread(target=shop.serve_forever, kwargs=often, daemon=True).start()

    def _goods(self, shop: int) -> dict[str, Goods]:
        skus = (f"S{shop}P{page}" for page in range(1, self.pages + 1))
        return {f"/p/{sku.lower()}": Goods(sku, Decimal("95.00")) for sku in skus}

    def __enter__(self) -> "Market":
        return self

    def __exit__(self, *_: object) -> None:
        self.release()
        with ThreadPoolExecutor(len(self.open)) as pool:
            list(pool.map(Shop.shutdown, self.open))
        for shop in self.open:
            shop.server_close()

    def manifest(self, **page: str) -> list[dict[str, Any]]:
        """Return the manifest of this market; `page` is added to every page, such as our own price."""
        return [
            {
                "site": shop.name,
                "base_url": shop.url,
                "lang": "en",
                "currency": "EUR",
                "pages": [{"id": goods.sku, "url": shop.url + path, **page} for path, goods in shop.goods.items()],
            }
            for shop in self.open
        ]

    @property
    def paths(self) -> Iterator[tuple[str, str]]:
        """Every page there is."""
        return ((shop.name, path) for shop in self.open for path in shop.goods)

    def count(self, shop: str, path: str, *, is_page: bool) -> int | None:
        """Count a request; return the number of the release it has to wait for, or None when it is answered now."""
        with self._guard:
            self.hits[shop, path] += 1
            self._guard.notify_all()
            if is_page and self._held_from is not None and self._asked(shop) >= self._held_from[shop]:
                self._held.append((shop, path))
                self._guard.notify_all()
                return self._releases + 1
        time.sleep(self.delay_s if is_page else 0)
        return None

    def is_released(self, number: int, *, within_s: float) -> bool:
        """Wait for a release, but not for long."""
        with self._guard:
            return self._guard.wait_for(lambda: self._releases >= number, timeout=within_s)

    @property
    def page_hits(self) -> int:
        """How many pages were asked for."""
        return sum(count for (_, path), count in self.hits.items() if path != "/robots.txt")

    def _asked(self, shop: str) -> int:
        return sum(count for (name, path), count in self.hits.items() if name == shop and path != "/robots.txt")

    def hold_from(self, hits: int) -> None:
        """Let every shop answer no page from its n-th page request on, counted from now."""
        with self._guard:
            self._held_from = {shop.name: self._asked(shop.name) + hits for shop in self.open}

    def held(self, count: int, timeout_s: float = 120) -> list[tuple[str, str]]:
        """Wait until so many requests are held and return them."""
        with self._guard:
            arrived = self._guard.wait_for(lambda: len(self._held) >= count, timeout=timeout_s)
            assert arrived, f"only {len(self._held)} of {count} requests came: {self._held}, {dict(self.hits)}"
            return list(self._held)

    def release(self) -> None:
        """Answer again, the held requests too."""
        with self._guard:
            self._held_from = None
            self._held.clear()
            self._releases += 1
            self._guard.notify_all()

    def wait_for_pages(self, hits: int, timeout_s: float = 120) -> None:
        """Wait until so many pages were asked for."""
        with self._guard:
            arrived = self._guard.wait_for(lambda: self.page_hits >= hits, timeout=timeout_s)
        assert arrived, f"only {self.page_hits} of {hits} pages were asked for: {dict(self.hits)}"
