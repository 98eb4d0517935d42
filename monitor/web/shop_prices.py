"""What our own shop charges now, for the review page, without letting the page wait for the shop.

Prices are read in a background thread, as many at once as the shop takes well, a product at most once a minute. A page
shows what is known with the time it was read; the executor reads again before it writes, so nothing depends
on a price shown here. A shop that does not answer leaves the last known price, or none.
"""

import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

import structlog

from monitor.domain.money import Money
from monitor.errors import MonitorError
from monitor.ports.shop import OtherMarkets, Reading, Shop
from monitor.ports.world import Clock

_FRESH = timedelta(minutes=1)
_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class SeenPrice:
    """What the shop answered for one product."""

    money: Money | None  #: None: the shop does not have this product
    seen_at: datetime
    elsewhere: tuple[str, ...] = ()  #: fixed prices of other markets, which stay as they are


class ShopPrices:
    """Remembers prices for a minute; `known` never waits and never raises."""

    def __init__(self, shop: Shop, clock: Clock) -> None:
        self._shop, self._clock = shop, clock
        self._seen: dict[str, SeenPrice] = {}
        self._asked: dict[str, datetime] = {}
        self._lock = threading.Lock()
        self._batch: threading.Thread | None = None

    def known(self, skus: Iterable[str]) -> dict[str, SeenPrice]:
        """Return the prices known by now, and start reading those that are missing or old."""
        wanted = tuple(skus)
        with self._lock:
            now = self._clock.now()
            due = tuple(sku for sku in wanted if self._asked.get(sku, now - _FRESH) <= now - _FRESH)
            if due and (self._batch is None or not self._batch.is_alive()):
                self._asked.update(dict.fromkeys(due, now))
                self._batch = threading.Thread(target=self._read, args=(due,), name="shop-prices", daemon=True)
                self._batch.start()
            return {sku: self._seen[sku] for sku in wanted if sku in self._seen}

    def settle(self, timeout_s: float = 10.0) -> None:
        """Wait for the batch under way, if there is one."""
        batch = self._batch
        if batch is not None:
            batch.join(timeout_s)

    def _read(self, skus: tuple[str, ...]) -> None:
        size = max(1, self._shop.max_batch)
        for start in range(0, len(skus), size):
            batch = skus[start : start + size]
            try:
                found = self._shop.read_many(batch)
            except MonitorError as error:
                _log.warning("shop_prices_not_read", skus=len(skus) - start, error=str(error))
                return
            self._keep({sku: found[sku] for sku in batch if sku in found}, self._elsewhere(batch))

    def _elsewhere(self, batch: tuple[str, ...]) -> Mapping[str, tuple[str, ...]]:
        """Return the fixed prices of other markets, as far as the shop tells them now."""
        if not isinstance(self._shop, OtherMarkets):
            return {}
        try:
            return self._shop.fixed_elsewhere(batch)
        except MonitorError as error:
            _log.warning("market_prices_not_read", skus=len(batch), error=str(error))
            return {}

    def _keep(self, found: Mapping[str, Reading], elsewhere: Mapping[str, tuple[str, ...]]) -> None:
        """Keep what was read; a product that cannot be read keeps its last known price."""
        now = self._clock.now()
        told = {sku: one for sku, one in found.items() if not isinstance(one, MonitorError)}
        seen = {sku: SeenPrice(one.price if one else None, now, elsewhere.get(sku, ())) for sku, one in told.items()}
        with self._lock:
            self._seen.update(seen)
