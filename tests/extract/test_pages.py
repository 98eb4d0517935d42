"""Each kind of page that taught the reader something, as a folder with the page and its right answer."""

import json
from decimal import Decimal
from pathlib import Path

import pytest

from monitor.domain.extraction import Extraction, Hints, Outcome, Verdict
from monitor.extract.reading import read_page

PAGES = sorted(p.parent for p in (Path(__file__).parent / "pages").glob("*/expected.json"))
_ABOUT = ("note", "url", "content_type")
_MONEY = ("price", "list_price")


def _read(folder: Path) -> tuple[Extraction, dict[str, str | None]]:
    expected = json.loads((folder / "expected.json").read_text(encoding="utf-8"))
    body = (folder / "page.html").read_bytes()
    return read_page(body, expected["url"], expected["content_type"], Hints()), expected


@pytest.mark.parametrize("folder", PAGES, ids=lambda p: p.name)
def test_a_kind_of_page_is_read_as_a_careful_reader_would(folder):
    found, expected = _read(folder)

    wanted = {k: v for k, v in expected.items() if k not in _ABOUT}
    got = {k: getattr(found, k) for k in wanted}
    for field in _MONEY:
        if wanted.get(field) is not None:
            wanted[field] = Decimal(wanted[field])
    assert got == wanted, found.words


@pytest.mark.parametrize("folder", PAGES, ids=lambda p: p.name)
def test_a_price_comes_with_the_candidate_that_was_chosen_and_none_without_an_outcome_ok(folder):
    found, _ = _read(folder)

    if found.outcome is Outcome.OK:
        chosen = {e.amount for e in found.evidence if e.verdict is Verdict.CHOSEN}
        assert chosen == {found.price}
        assert all(e.reason for e in found.evidence)
    else:
        assert (found.price, found.currency, found.list_price) == (None, None, None)
        assert not [e for e in found.evidence if e.verdict is Verdict.CHOSEN]
    assert found.words
    assert found.reason


def test_there_is_a_page_for_every_outcome_a_page_can_have():
    outcomes = {json.loads((p / "expected.json").read_text(encoding="utf-8"))["outcome"] for p in PAGES}

    assert outcomes == {"ok", "no_price", "listing", "ambiguous", "blocked", "not_found"}
    assert len(PAGES) >= 100


def test_a_page_that_declares_many_products_is_a_list_whatever_price_stands_beside_its_heading():
    folder = Path(__file__).parent / "pages" / "world_listing_itemlist_jsonld"
    expected = json.loads((folder / "expected.json").read_text(encoding="utf-8"))
    page = (folder / "page.html").read_bytes()
    offer = b'</h1><p class="product-price">EUR 12.00</p><button>Add to cart</button>'

    found = read_page(page.replace(b"</h1>", offer, 1), expected["url"], expected["content_type"], Hints())

    assert offer not in page
    assert b"</h1>" in page
    assert (found.outcome, found.words) == (
        Outcome.LISTING,
        "a list of products, not one product (8 are declared)",
    )
