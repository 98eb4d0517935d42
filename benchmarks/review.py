"""How long the review page of many proposals takes, as a browser on this machine meets it over a real server.

    python benchmarks/review.py [--rows 500] [--loads 20]

Prints the time to the first byte and to the last, the size, and what a decision about all rows takes. The shop's prices
come from a shop that takes a second for each answer: the page must not wait for it.
"""

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit

from monitor.domain.action import Proposal
from monitor.domain.money import Money
from monitor.domain.shop_price import ShopPrice
from monitor.ports.shop import Reading
from monitor.web.app import create_app
from monitor.web.serve import REVIEW_TEMPLATES
from monitor.web.shop_prices import ShopPrices

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tests.review_scene import Scene, SetClock, a_proposal  # noqa: E402
from tests.web.conftest import TEMPLATES, Forms, context_of  # noqa: E402
from tests.web.running import running  # noqa: E402

#: What the page must reach.
LIMIT_MS = 200


class SlowShop:
    """A shop that takes a second for each answer."""

    reads, max_batch = True, 100

    def read_many(self, skus: Sequence[str]) -> Mapping[str, Reading]:
        """Return a price for each, late."""
        time.sleep(1)
        return {sku: self.read(sku) for sku in skus}

    def read(self, sku: str) -> ShopPrice:
        """Return a price."""
        return ShopPrice(Money(a_proposal(sku).old_price, "EUR"))


def proposals(count: int, expires_at: datetime) -> list[Proposal]:
    """Return proposals with the facts that a real night gives them."""
    return [
        a_proposal(f"SKU-{n:04}", expires_at=expires_at, facts=_facts(n), title=f"Travel mug, 0.{n % 9}5 l")
        for n in range(count)
    ]


def _facts(n: int) -> dict[str, Any]:
    offers = [
        {
            "seller": f"rival-{m:02}",
            "name": f"Rival {m:02} Outdoor GmbH",
            "price": "26.90",
            "currency": "EUR",
            "shipping": "4.90",
            "in_stock": True,
            "seen_at": datetime.now(UTC).isoformat(),
            "url": f"https://rival-{m:02}.example/products/{n}",
            "evidence": "ab" * 32,
        }
        for m in range(8)
    ]
    limits = {"lower": {"code": "MIN_PRICE", "amount": "20.00"}, "upper": {"code": "MSRP", "amount": "39.00"}}
    return {
        "cost": "12.50",
        "compare_at": "29.90",
        "weekly_effect": str(-n),
        "limits": limits,
        "reference": {"offers": offers[:3]},
        "offers": offers,
        "evidence": ["ab" * 32],
        "observed_at": datetime.now(UTC).isoformat(),
    }


def load(url: str) -> tuple[float, float, bytes]:
    """Return the milliseconds to the first and to the last byte of the body, and the body."""
    parts = urlsplit(url)
    connection = HTTPConnection(parts.netloc, timeout=60)
    began = time.perf_counter()
    connection.request("GET", parts.path)
    answer = connection.getresponse()
    first = answer.read(1)
    to_first = time.perf_counter() - began
    body = first + answer.read()
    to_last = time.perf_counter() - began
    connection.close()
    assert answer.status == 200, answer.status
    return to_first * 1000, to_last * 1000, body


def decide(url: str, body: bytes, code: str) -> float:
    """Approve every row and return the milliseconds that it took."""
    form: dict[str, Any] = Forms(body.decode()).as_rendered() | {"all": "approve", "code": code}
    parts = urlsplit(url)
    connection = HTTPConnection(parts.netloc, timeout=120)
    began = time.perf_counter()
    fields = urlencode(form, doseq=True)
    connection.request("POST", f"{parts.path}/decide", fields, {"Content-Type": "application/x-www-form-urlencoded"})
    answer = connection.getresponse()
    answer.read()
    took = time.perf_counter() - began
    connection.close()
    assert answer.status == 303, answer.status
    return took * 1000


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=500)
    parser.add_argument("--loads", type=int, default=20)
    wanted = parser.parse_args()
    TEMPLATES.warm(*REVIEW_TEMPLATES)  # as `monitor up` does when it starts
    with tempfile.TemporaryDirectory() as folder:
        scene = Scene(f"sqlite:///{folder}/monitor.sqlite3", SetClock(datetime.now(UTC)))
        scene.propose(*proposals(wanted.rows, scene.clock.now() + timedelta(days=2)))
        link = scene.link()
        path = urlsplit(link.url).path
        prices = ShopPrices(SlowShop(), scene.clock)  # type: ignore[arg-type]  # only reads
        with running(create_app(context_of(scene, shop_prices=prices))) as base:
            loads = [load(base + path) for _ in range(wanted.loads)]
            took = decide(base + path, loads[-1][2], link.code)
        scene.close()
    firsts, lasts = sorted(each[0] for each in loads), sorted(each[1] for each in loads)
    print(f"rows                     {wanted.rows}")
    print(f"page                     {len(loads[-1][2]) / 1000:.0f} kB")
    print(f"first byte, first load   {loads[0][0]:.0f} ms   (limit {LIMIT_MS} ms)")
    print(f"first byte, median       {statistics.median(firsts):.0f} ms")
    print(f"first byte, worst        {firsts[-1]:.0f} ms of {wanted.loads} loads")
    print(f"last byte, median        {statistics.median(lasts):.0f} ms")
    print(f"approve all rows         {took:.0f} ms")


if __name__ == "__main__":
    main()
