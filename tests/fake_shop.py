"""Our own shop, in memory: what it charges, what was changed, and how it misbehaves when told to.

`Books` is the shop behind both `FakeShop` (the port itself) and the HTTP receiver of `tests.receiver`, so that a test
counts logical changes in one place whichever way they arrive.
"""

import threading
from collections import deque
from decimal import Decimal
from enum import StrEnum

from monitor.domain.action import PriceWrite
from monitor.domain.money import Money
from monitor.errors import CannotSucceed, OutcomeUnknown, RetryLater
from monitor.ports.review import ProductGone


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


class Books:
    """Prices by SKU, with a key remembered for each change so that a repeat changes nothing."""

    def __init__(self, **prices: str) -> None:
        self.prices = {sku.replace("_", "-"): Money(Decimal(price), "EUR") for sku, price in prices.items()}
        self.changes: list[tuple[str, Money]] = []
        self.keys: set[str] = set()
        self.calls: list[str] = []
        self.faults: deque[Fault] = deque()
        self.late: list[tuple[str, str, Money]] = []
        self._lock = threading.Lock()

    def fault(self, key: str) -> Fault:
        """Count a call and return how it goes."""
        with self._lock:
            self.calls.append(key)
            return self.faults.popleft() if self.faults else Fault.NONE

    def change(self, key: str, sku: str, price: Money) -> None:
        """Set a price unless this key did so before."""
        with self._lock:
            if key not in self.keys:
                self.keys.add(key)
                self.prices[sku] = price
                self.changes.append((sku, price))

    def land(self) -> None:
        """Let what was under way arrive."""
        while self.late:
            self.change(*self.late.pop(0))

    def somebody_sets(self, sku: str, price: str, currency: str = "EUR") -> None:
        """Change a price behind the program's back."""
        self.prices[sku] = Money(Decimal(price), currency)


class FakeShop:
    """The port `Shop` over `Books`."""

    reads = True

    def __init__(self, books: Books) -> None:
        self.books = books
        self.is_closed = False  #: nobody answers, neither reading nor writing
        self.refuses_reading = False

    def read(self, sku: str) -> Money | None:
        """Return the price in the books."""
        if self.is_closed:
            raise RetryLater("the fake shop is closed")
        if self.refuses_reading:
            raise CannotSucceed("the fake shop refuses to be read")
        return self.books.prices.get(sku)

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
        change = (write.idempotency_key, write.sku, Money(write.target_price, write.currency))
        if fault is Fault.LATE:
            self.books.late.append(change)
        if fault not in (Fault.ERROR_BEFORE, Fault.RESET, Fault.LATE, Fault.SILENT_NOOP):
            self.books.change(*change)
        if fault is Fault.DRIFT:
            self.books.somebody_sets(write.sku, "1.23", write.currency)
        if fault in (Fault.NONE, Fault.SILENT_NOOP, Fault.DRIFT):
            return "set"
        raise OutcomeUnknown(f"no clear answer ({fault})")
