"""Taking a catalogue in: all or nothing, once, and what cannot be bought is never taken for what can."""

from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest

from monitor.domain.intake import Intake, Kind, Listed
from monitor.errors import Misconfigured
from monitor.settings import load
from monitor.settings.create import create
from monitor.settings.intake import Wanted, apply_intake, check_catalogue, import_catalogue, imported_copy

HEADER = "Handle,Title,Option1 Value,Variant SKU,Variant Price,Variant Compare At Price,Vendor,Status\n"
TODAY = Wanted(today=date(2026, 11, 29))


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A config directory with an empty catalogue."""
    create(tmp_path / "shop")
    return tmp_path / "shop"


def export(shop: Path, text: str, name: str = "products_export.csv") -> Path:
    file = shop.parent / name
    file.write_text(text, "utf-8")
    return file


def take(shop: Path, text: str, **options):
    return import_catalogue(export(shop, text), shop, {}, wanted=TODAY, **options)


def catalogue(shop: Path):
    return {product.sku: product for product in load(shop, {}).catalogue.products}


def test_an_import_adds_what_is_for_sale_and_names_the_rest(shop):
    found = take(shop, HEADER + "cup,Cup,S,CUP-S,9.50,,Lux,active\npot,Pot,,POT,20,,Lux,draft\n")

    assert (found.changes.added, found.not_taken) == (("CUP-S",), ("POT",))
    assert list(catalogue(shop)) == ["CUP-S"]


def test_the_same_import_again_changes_and_writes_nothing(shop):
    text = HEADER + "cup,Cup,S,CUP-S,9.50,12.00,Lux,active\npot,Pot,,POT,20,,Lux,draft\n"
    take(shop, text)
    before = (shop / "catalogue.csv").stat()

    found = take(shop, text)

    assert (found.changes.is_empty, found.changes.unchanged) == (True, ("CUP-S",))
    assert (shop / "catalogue.csv").stat().st_ino == before.st_ino


def test_a_dry_run_says_the_same_and_writes_nothing(shop):
    text = HEADER + "cup,Cup,S,CUP-S,9.50,,Lux,active\n"
    before = (shop / "catalogue.csv").read_bytes()

    assert take(shop, text, dry_run=True).changes == take(shop, text, dry_run=True).changes
    assert (shop / "catalogue.csv").read_bytes() == before
    assert not imported_copy(load(shop, {}), Kind.SHOPIFY).exists()
    assert take(shop, text, dry_run=True).changes == take(shop, text).changes


def test_a_product_that_is_taken_off_sale_becomes_inactive_and_comes_back(shop):
    sold, draft = (HEADER + f"cup,Cup,S,CUP-S,9.50,,Lux,{state}\n" for state in ("active", "draft"))
    take(shop, sold)

    found = take(shop, draft)
    (difference,) = found.changes.changed["CUP-S"]

    assert (difference.field, difference.before, difference.after) == ("active", True, False)
    assert load(shop, {}).catalogue.for_sale().products == ()
    take(shop, sold)
    assert catalogue(shop)["CUP-S"].active


def test_what_the_file_does_not_say_stays(shop):
    take(shop, HEADER + "cup,Cup,S,CUP-S,9.50,12.00,Lux,active\n")
    import_catalogue(export(shop, "sku,title,price,gtin,cost,map\nCUP-S,Cup,9.50,4006381333931,3.1,8.00\n"), shop, {})

    take(shop, HEADER + "cup,Cup,S,CUP-S,10,,,active\n")

    product = catalogue(shop)["CUP-S"]
    assert (str(product.price), product.compare_at) == ("10.00", None)
    assert (product.gtin, str(product.cost), str(product.map), product.brand) == ("4006381333931", "3.1", "8.00", "Lux")


def test_one_wrong_line_leaves_everything_as_it_was(shop):
    before = (shop / "catalogue.csv").read_bytes()

    with pytest.raises(Misconfigured) as refused:
        take(shop, HEADER + "cup,Cup,S,CUP-S,9.50,,,active\npot,Pot,,POT,much,,,active\n")

    assert refused.value.problems[0].startswith("products_export.csv, line 3, price: 'much' is not an amount")
    assert refused.value.problems[-1] == "Nothing of products_export.csv was used; catalogue.csv is as it was."
    assert (shop / "catalogue.csv").read_bytes() == before


def test_the_last_imported_file_is_kept_for_the_way_back(shop):
    text = HEADER + "cup,Cup,S,CUP-S,9.50,,,active\n"
    take(shop, text)

    assert imported_copy(load(shop, {}), Kind.SHOPIFY).read_text("utf-8") == text


def test_products_that_the_file_lacks_are_named_and_stay(shop):
    take(shop, HEADER + "cup,Cup,S,CUP-S,9.50,,,active\n")

    assert take(shop, HEADER + "pot,Pot,,POT,20,,,active\n").missing == ("CUP-S",)
    assert list(catalogue(shop)) == ["CUP-S", "POT"]


def test_a_pull_from_the_shop_goes_the_same_way_as_a_file(shop):
    facts = {"title": "Cup", "currency": "EUR", "price": Decimal("9.5"), "options": ("S",)}
    pulled = Intake("shop", Kind.SHOP, listed=(Listed("CUP-S", 0, 0, facts), Listed("OLD", 0, 0, {}, "is archived")))

    assert apply_intake(pulled, shop, {}).changes.added == ("CUP-S",)
    assert apply_intake(pulled, shop, {}).changes.is_empty
    assert take(shop, HEADER + "cup,Cup,S,CUP-S,9.50,,,active\n").changes.is_empty


def test_a_check_writes_nothing_and_says_what_it_read(shop):
    before = (shop / "catalogue.csv").read_bytes()

    intake = check_catalogue(export(shop, HEADER + "cup,Cup,S,CUP-S,9.50,,,active\n"), shop, {})

    assert [each.key for each in intake.for_sale] == ["CUP-S"]
    assert (shop / "catalogue.csv").read_bytes() == before
