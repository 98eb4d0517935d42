"""Our own shop, in memory: what it charges, what was changed, and how it misbehaves when told to.

`Books` is the shop behind both `FakeShop` (the port itself) and the HTTP receiver of `tests.receiver`, so that a test
counts logical changes in one place whichever way they arrive.
"""

import threading
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from enum import StrEnum

from monitor.adapters.shops.one_by_one import OneByOne
from monitor.domain.action import PriceWrite
from monitor.domain.money import Money
from monitor.domain.shop_price import KEEP, CompareAt, CompareAtAction, ShopPrice
from monitor.errors import CannotSucceed, OutcomeUnknown, RetryLater
from monitor.ports.shop import Answer, ProductGone


class Fault(StrEnum):
    """How one call goes wrong; used up from the left, one for each call that changes a price."""

    NONE = "none"  #: this one goes well
    HANG_AFTER_COMMIT = "hang_after_commit"  #: changed, and no answer comes
    ERROR_BEFORE = "error_before"  #: 500, nothing changed
    ERROR_AFTER = "error_after"  #: changed, then 500
    RESET = "reset"  #: the connection breaks before anything was changed
    LATE = "late"  #: no answer; changed only when `land` is called
    SILENT_NOOP = "silent_noop"  #: says yes, changes nothing
    THROTTLE = "throttle"  #: 429, nothing changed
    REFUSE = "refuse"  #: 422, nothing changed
    DRIFT = "drift"  #: changed, and somebody else changes it again before it is read back
    THROTTLE_200 = "throttle_200"  #: Shopify: 200 that says throttled, nothing changed
    HTML_502 = "html_502"  #: changed, and a proxy answers with a page
    TRUNCATED = "truncated"  #: changed, and the answer breaks off
    FORGOTTEN = "forgotten"  #: nothing changed, and the last item is missing in the answer
    STALE_READ = "stale_read"  #: changed, but the next reading still shows the old price
    EXPIRED_TOKEN = "expired_token"  #: 401 until a new token is asked for, nothing changed


class Books:
    """Prices by SKU, with a key remembered for each change so that a repeat changes nothing."""

    def __init__(self, **prices: str) -> None:
        self.prices = {sku.replace("_", "-"): Money(Decimal(price), "EUR") for sku, price in prices.items()}
        self.compare_at: dict[str, Decimal | None] = {}  # what it does not hold, this shop does not tell
        self.changes: list[tuple[str, Money]] = []
        self.keys: set[str] = set()
        self.calls: list[str] = []
        self.faults: deque[Fault] = deque()
        self.late: list[tuple[str, str, Money, CompareAt]] = []
        self._lock = threading.Lock()

    def fault(self, key: str) -> Fault:
        """Count a call and return how it goes."""
        with self._lock:
            self.calls.append(key)
            return self.faults.popleft() if self.faults else Fault.NONE

    def change(self, key: str, sku: str, price: Money, compare_at: CompareAt = KEEP) -> None:
        """Set a price unless this key did so before."""
        with self._lock:
            if key not in self.keys:
                self.keys.add(key)
                self.prices[sku] = price
                self.changes.append((sku, price))
                if compare_at.action is not CompareAtAction.KEEP:
                    self.compare_at[sku] = compare_at.amount

    def told(self, sku: str) -> ShopPrice | None:
        """Return what a reader is told."""
        price = self.prices.get(sku)
        return price and ShopPrice(price, self.compare_at.get(sku), sku in self.compare_at)

    def land(self) -> None:
        """Let what was under way arrive."""
        while self.late:
            self.change(*self.late.pop(0))

    def somebody_sets(self, sku: str, price: str, currency: str = "EUR") -> None:
        """Change a price behind the program's back."""
        self.prices[sku] = Money(Decimal(price), currency)


class FakeShop(OneByOne):
    """The port `Shop` over `Books`."""

    reads = True

    def __init__(self, books: Books) -> None:
        self.books = books
        self.is_closed = False  #: nobody answers, neither reading nor writing
        self.refuses_reading = False

    def read(self, sku: str) -> ShopPrice | None:
        """Return the price in the books."""
        if self.is_closed:
            raise RetryLater("the fake shop is closed")
        if self.refuses_reading:
            raise CannotSucceed("the fake shop refuses to be read")
        return self.books.told(sku)

    def write(self, write: PriceWrite) -> str:
        """Change the books, or fail as the next fault says."""
        if self.is_closed:
            raise RetryLater("the fake shop is closed")
        fault = self.books.fault(write.idempotency_key)
        if fault is Fault.THROTTLE:
            raise RetryLater("too many calls")
        if fault is Fault.REFUSE:
            raise CannotSucceed("the fake shop does not like this price")
        if write.sku not in self.books.prices:
            raise ProductGone(f"the fake shop has no {write.sku}")
        change = (write.idempotency_key, write.sku, Money(write.target_price, write.currency), write.compare_at_change)
        if fault is Fault.LATE:
            self.books.late.append(change)
        if fault not in (Fault.ERROR_BEFORE, Fault.RESET, Fault.LATE, Fault.SILENT_NOOP):
            self.books.change(*change)
        if fault is Fault.DRIFT:
            self.books.somebody_sets(write.sku, "1.23", write.currency)
        if fault in (Fault.NONE, Fault.SILENT_NOOP, Fault.DRIFT):
            return "set"
        raise OutcomeUnknown(f"no clear answer ({fault})")


class BatchShop(FakeShop):
    """A shop that takes several prices in one call and answers about each, or forgets to."""

    max_batch = 50

    def __init__(self, books: Books, *, gone: Iterable[str] = (), forgotten: Iterable[str] = ()) -> None:
        super().__init__(books)
        self.batches: list[list[str]] = []
        self.gone, self.forgotten = set(gone), set(forgotten)

    def write_many(self, writes: Sequence[PriceWrite]) -> Mapping[str, Answer]:
        """Take all but those that are gone, and say nothing about the forgotten ones, which are not changed either."""
        self.batches.append(sorted(write.sku for write in writes))
        taken = [write for write in writes if write.sku not in self.gone | self.forgotten]
        answers = dict(super().write_many(taken))
        return answers | {w.id: ProductGone(f"the fake shop has no {w.sku}") for w in writes if w.sku in self.gone}
