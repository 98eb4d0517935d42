"""What a shop that takes prices one by one answers when asked about several."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence

from monitor.domain.action import PriceWrite
from monitor.domain.shop_price import ShopPrice
from monitor.errors import CannotSucceed, MonitorError
from monitor.ports.shop import Answer, Reading


class OneByOne(ABC):
    """The methods of `Shop` about several products, over those about one."""

    max_batch = 1

    @abstractmethod
    def read(self, sku: str) -> ShopPrice | None:
        """Return the current price; see `Shop.read`."""

    @abstractmethod
    def write(self, write: PriceWrite) -> str:
        """Set one price; see `Shop.write`."""

    def read_many(self, skus: Sequence[str]) -> Mapping[str, Reading]:
        """Read one after the other. Raises RetryLater at the first that gets no answer."""
        found: dict[str, Reading] = {}
        for sku in skus:
            try:
                found[sku] = self.read(sku)
            except CannotSucceed as refused:
                found[sku] = refused
        return found

    def objection(self, write: PriceWrite, current: ShopPrice) -> str | None:
        """Object to nothing: the shop itself says what it refuses."""
        return None

    def write_many(self, writes: Sequence[PriceWrite]) -> Mapping[str, Answer]:
        """Write one after the other."""
        answers: dict[str, Answer] = {}
        for write in writes:
            try:
                answers[write.id] = self.write(write)
            except MonitorError as failed:
                answers[write.id] = failed
        return answers
