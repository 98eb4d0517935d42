"""What a shop that takes several prices in one call answers: calls are by group, each price has its own answer."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import ClassVar, TypeAlias

from monitor.domain.action import PriceWrite
from monitor.domain.shop_price import ShopPrice
from monitor.errors import CannotSucceed, OutcomeUnknown, RetryLater
from monitor.ports.shop import Answer, Reading

#: Writes of one call, each with the shop's number of what it changes.
Numbered: TypeAlias = list[tuple[PriceWrite, str]]


class GroupedShop(ABC):
    """The methods of `monitor.ports.shop.Shop` about one product over those about several, and writing in groups."""

    system: ClassVar[str]  #: how messages call the shop's software

    def read(self, sku: str) -> ShopPrice | None:
        """Return the current price of one product."""
        reading = self.read_many([sku])[sku]
        if isinstance(reading, CannotSucceed):
            raise reading
        return reading

    @abstractmethod
    def read_many(self, skus: Sequence[str]) -> Mapping[str, Reading]:
        """Return the prices of several products; see `Shop.read_many`."""

    def write(self, write: PriceWrite) -> str:
        """Set one price."""
        answer = self.write_many([write]).get(write.id, OutcomeUnknown(f"{self.system}'s answer does not mention it"))
        if isinstance(answer, str):
            return answer
        raise answer

    def write_many(self, writes: Sequence[PriceWrite]) -> Mapping[str, Answer]:
        """Set several prices, one call for each group."""
        outcomes: dict[str, Answer] = {}
        try:
            groups = self._grouped(writes, outcomes)
        except (RetryLater, CannotSucceed) as failed:  # nothing was sent yet
            return {write.id: failed for write in writes}
        for group, some in groups.items():
            outcomes |= self._set(group, some)
        return outcomes

    @abstractmethod
    def _grouped(self, writes: Sequence[PriceWrite], outcomes: dict[str, Answer]) -> Mapping[str, Numbered]:
        """Return the writes by what one call can change; one that cannot be sent gets its outcome here."""

    @abstractmethod
    def _set(self, group: str, some: Numbered) -> Mapping[str, Answer]:
        """Make the call of one group; a write that its answer does not mention has no entry."""
