"""Our own shop: reading prices, writing approved ones, and what may be between the two."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Protocol, TypeAlias, runtime_checkable

from monitor.domain.action import PriceWrite
from monitor.domain.shop_price import ShopPrice, ShopProduct
from monitor.errors import CannotSucceed, MonitorError, RetryLater


class ShopConflict(CannotSucceed):
    """The shop compared and refused: its price is not the one that the write expects. Nothing was changed."""


class ProductGone(CannotSucceed):
    """The shop does not have this product. Nothing was changed."""


class AccessRefused(RetryLater):
    """The shop does not let us in: a token, a scope, a frozen shop. Nothing was changed, and a person must act.

    Not the end of a write: it waits until access is back or its proposal expires.
    """


#: A price, None for a product that the shop does not have, or why this one cannot be read.
Reading: TypeAlias = ShopPrice | CannotSucceed | None

#: The shop's words when it took a price, or what `Shop.write` would have raised.
Answer: TypeAlias = str | MonitorError


class Shop(Protocol):
    """Our own shop, where approved prices are written."""

    reads: bool  #: False: the shop cannot be asked for a price, and its answer to a write is all there is
    max_batch: int  #: so many prices go well together; 1 for a shop that takes them one by one

    def read(self, sku: str) -> ShopPrice | None:
        """Return the current price, uncached; None when the shop does not have this product. Safe to repeat.

        Raises:
            RetryLater: the shop did not answer; AccessRefused: it does not let us in.
            CannotSucceed: this price cannot be read at all.
        """

    def read_many(self, skus: Sequence[str]) -> Mapping[str, Reading]:
        """Return the current prices of several products, each SKU with its own outcome. Raises RetryLater."""

    def objection(self, write: PriceWrite, current: ShopPrice) -> str | None:
        """Return why this shop would not do what a write means at this price, None when it would. Asks nobody."""

    def write(self, write: PriceWrite) -> str:
        """Set the absolute price under the write's idempotency key; return the shop's answer in words.

        Raises:
            RetryLater: definitely not written (nobody answered the connection, throttled).
            ShopConflict, ProductGone, CannotSucceed: definitely refused.
            OutcomeUnknown: the request left and no clear answer came; only reading tells.
        """

    def write_many(self, writes: Sequence[PriceWrite]) -> Mapping[str, Answer]:
        """Set several prices, each with its own outcome by the write's id. Never raises one of ours.

        A write that the shop's answer does not mention has no entry; whoever asked takes it for unknown.
        """


@runtime_checkable
class OtherMarkets(Protocol):
    """A shop that may have fixed prices for other markets, which a change of its own price leaves as they are."""

    def fixed_elsewhere(self, skus: Sequence[str]) -> Mapping[str, tuple[str, ...]]:
        """Return, for the products that have some, where and what: `Market US: 29.00 USD`. Raises RetryLater."""


class ShopListing(Protocol):
    """A shop that can list what it sells."""

    def products(self) -> Iterator[ShopProduct]:
        """Yield every variant that has a SKU, page by page. Raises RetryLater, CannotSucceed."""


class ShopRefs(Protocol):
    """Remembers under which number a shop keeps which SKU, so that a price is read by number and not by search."""

    def get(self, skus: Iterable[str]) -> dict[str, str]:
        """Return the known numbers."""

    def put(self, refs: Mapping[str, str]) -> None:
        """Remember these, in place of what was known."""

    def forget(self, sku: str) -> None:
        """Forget one that turned out to be wrong."""
