"""Values put away: what comes back is what was put in, and nothing is held that nobody asks for."""

import gc
import weakref
from decimal import Decimal

from monitor.domain.catalogue import Catalogue, Competitor, Product, Watch
from monitor.domain.packing import Packed, Shelf

CATALOGUE = Catalogue(
    (Product("A", "Tasse \u00fc", "EUR", Decimal("12.90"), tags=("x", "y"), options=("Blue",)),),
    (Competitor("acme", "Acme", "https://acme.example", recipe={"price": ".p"}),),
    (Watch("acme", "A", "https://acme.example/a"),),
)


def test_a_packed_catalogue_comes_back_with_its_amounts_as_they_were_written() -> None:
    back = Packed(CATALOGUE).value()

    assert repr(back) == repr(CATALOGUE)
    assert str(back.products[0].price) == "12.90"


def test_a_shelf_gives_what_it_has_until_it_is_put_away_and_an_equal_one_afterwards() -> None:
    shelf = Shelf(CATALOGUE)
    assert shelf.value() is CATALOGUE

    shelf.put_away()
    again = shelf.value()
    assert again == CATALOGUE
    assert again is not CATALOGUE
    assert shelf.value() is again


class _Traced:
    """Something whose end can be seen."""


def test_what_is_put_away_is_not_held() -> None:
    value = _Traced()
    seen, shelf = weakref.ref(value), Shelf(value)
    del value
    shelf.put_away()
    gc.collect()
    assert seen() is None

    again = weakref.ref(shelf.value())
    assert again() is not None
    shelf.put_away()
    gc.collect()
    assert again() is None
