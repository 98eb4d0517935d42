"""In which order watches are asked for: nobody starves, and what is worth most comes first of what is equally old."""

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from decimal import Decimal

from monitor.domain.catalogue import Product, Watch

#: Readings this close together are of one night.
ONE_NIGHT = timedelta(hours=12)


def in_turn(
    watches: Iterable[Watch], tried: Mapping[str, datetime], worth: Mapping[str, Decimal] | None = None
) -> tuple[Watch, ...]:
    """Order watches: never tried first, then the longest untried by nights; of one night the most valuable first.

    Equals keep the order in which they were tried, and those never tried their order in the file.

    Args:
        watches: of one competitor, in file order.
        tried: when each SKU was last asked for.
        worth: what each SKU is worth, see `worth_of`; a SKU without is worth nothing.
    """
    latest = max(tried.values(), default=None)
    value = worth or {}

    def turn(watch: Watch) -> tuple[bool, int, Decimal, timedelta]:
        at = tried.get(watch.sku)
        ago = timedelta(0) if at is None or latest is None else latest - at
        return at is not None, -(ago // ONE_NIGHT), -value.get(watch.sku, Decimal(0)), -ago

    return tuple(sorted(watches, key=turn))


def worth_of(product: Product) -> Decimal:
    """Return what a week of a product brings in; where nobody knows how many are sold, one is taken."""
    return product.price * (product.weekly_units if product.weekly_units is not None else Decimal(1))
