"""Serves the market: every shop on a port of its own, all in one thread, every request counted.

A shop shows the night that `night` is set to. `hold` makes one shop keep one request waiting, so that the demo can kill
a worker while it is known to be in the middle of a step.
"""

import asyncio
import threading
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from types import TracebackType
from urllib.parse import parse_qs, urlsplit

from monitor.demo.goods import Good
from monitor.demo.market import pages
from monitor.demo.market.offers import Market, Offer
from monitor.demo.market.shops import Fault, Shop, Style

#: How long the slow shop takes for a page, in seconds.
SLOW_S = 1.5
#: A held request is let go after this long, whatever happens, in seconds.
_LONGEST_HOLD_S = 20.0
_MAX_HEAD = 32_768
_REASONS = {200: "OK", 403: "Forbidden", 404: "Not Found", 500: "Internal Server Error"}


@dataclass(frozen=True, slots=True)
class _Answer:
    status: int
    body: str
    kind: str = "text/html; charset=utf-8"
    after_s: float = 0.0


@dataclass(slots=True)
class Hold:
    """One request that waits: the `nth` page asked of a shop from now on."""

    shop: str
    nth: int
    reached: threading.Event
    asked: int = 0


class MarketServer:
    """The running market; use it as a context manager."""

    def __init__(self, market: Market) -> None:
        self.market = market
        self.night = 1
        self.ports: dict[str, int] = {}
        self._hits: Counter[tuple[int, str, str]] = Counter()
        self._lock = threading.Lock()
        self._loop = asyncio.new_event_loop()
        self._servers: list[asyncio.Server] = []
        self._hold: Hold | None = None
        self.notes: dict[tuple[str, str], str] = {}  #: by shop and SKU: what stands at the end of a product's page
        self._thread = threading.Thread(target=self._loop.run_forever, name="market", daemon=True)

    def __enter__(self) -> "MarketServer":
        self._thread.start()
        asyncio.run_coroutine_threadsafe(self._listen(), self._loop).result(30)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with suppress(TimeoutError):
            asyncio.run_coroutine_threadsafe(self._close(), self._loop).result(5)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(5)
        self._loop.close()

    async def _listen(self) -> None:
        for shop in self.market.shops:
            server = await asyncio.start_server(self._conversation(shop), "127.0.0.1", 0, limit=_MAX_HEAD)
            self._servers.append(server)
            self.ports[shop.id] = server.sockets[0].getsockname()[1]

    async def _close(self) -> None:
        for server in self._servers:
            server.close()
        open_ = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        for task in open_:
            task.cancel()
        await asyncio.gather(*open_, return_exceptions=True)

    def base_url(self, shop: Shop) -> str:
        """Return the address of a shop."""
        return f"http://127.0.0.1:{self.ports[shop.id]}"

    def url(self, shop: Shop, good: Good) -> str:
        """Return the address of a product's page."""
        return self.base_url(shop) + pages.address(shop, good)

    def hits(self, night: int) -> Counter[str]:
        """Return how often each address was asked for on a night."""
        bases = {shop.id: self.base_url(shop) for shop in self.market.shops}
        with self._lock:
            counted = self._hits.items()
            return Counter({bases[shop] + path: n for (on, shop, path), n in counted if on == night})

    def hold(self, shop: str, nth: int) -> Hold:
        """Let the `nth` page that is asked of a shop from now on wait; its `reached` is set when it does."""
        self._hold = Hold(shop, nth, threading.Event())
        return self._hold

    def release(self) -> None:
        """Let a held request go."""
        self._hold = None

    def _conversation(self, shop: Shop) -> Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]:
        async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            with suppress(
                ConnectionError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, asyncio.CancelledError
            ):
                head = await reader.readuntil(b"\r\n\r\n")
                await self._answer(shop, head.split(b" ", 2)[1].decode("latin-1"), writer)
            writer.close()

        return talk

    async def _answer(self, shop: Shop, target: str, writer: asyncio.StreamWriter) -> None:
        with self._lock:
            self._hits[self.night, shop.id, target] += 1
        answer = self._chosen(shop, target)
        await self._wait(shop, target, answer)
        body = answer.body.encode()
        head = (
            f"HTTP/1.1 {answer.status} {_REASONS[answer.status]}\r\nContent-Type: {answer.kind}\r\n"
            f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n"
        )
        writer.write(head.encode() + body)
        await writer.drain()

    async def _wait(self, shop: Shop, target: str, answer: _Answer) -> None:
        await asyncio.sleep(answer.after_s)
        hold = self._hold
        if hold is None or hold.shop != shop.id or target == "/robots.txt":
            return
        hold.asked += 1
        if hold.asked != hold.nth:
            return
        hold.reached.set()
        until = self._loop.time() + _LONGEST_HOLD_S
        while self._hold is hold and self._loop.time() < until:
            await asyncio.sleep(0.02)

    def _chosen(self, shop: Shop, target: str) -> _Answer:
        parts = urlsplit(target)
        if parts.path == "/robots.txt":
            return _Answer(200, f"User-agent: *\nDisallow:{' /' if shop.fault is Fault.CLOSED else ''}\n", "text/plain")
        if shop.fault in _ALWAYS:
            return _ALWAYS[shop.fault]
        if parts.path == "/products.json" and shop.style is Style.SHOPIFY:
            page = parse_qs(parts.query).get("page", ["1"])[0]
            listed = list(self._offers(shop)) if page == "1" else []
            return _Answer(200, pages.product_list(shop, listed), "application/json")
        return self._product(shop, parts.path)

    def _offers(self, shop: Shop) -> Iterator[tuple[Good, Offer]]:
        sold = self.market.rest[shop.id]
        for good in self.market.goods:
            if good.sku in sold:
                yield good, self.market.offer(shop.id, good.sku, self.night)

    def _product(self, shop: Shop, path: str) -> _Answer:
        good = self.market.good(path.rsplit("/", 1)[-1])
        if good is None or good.sku not in self.market.rest[shop.id] or path != pages.address(shop, good):
            return _Answer(404, "<!doctype html><title>404</title><h1>404</h1>")
        others = [other for other, _ in self._offers(shop) if other is not good][:4]
        offer = self.market.offer(shop.id, good.sku, self.night)
        return _Answer(
            200,
            pages.product_page(shop, good, offer, others) + self.notes.get((shop.id, good.sku), ""),
            after_s=SLOW_S if shop.fault is Fault.SLOW else 0.0,
        )


_ALWAYS = {
    Fault.WALL: _Answer(403, pages.WALL),
    Fault.QUIET_WALL: _Answer(200, pages.QUIET_WALL),
    Fault.BROKEN: _Answer(500, pages.ERROR),
}
