"""What scripts call the page is read in the spellings that shops use, and believed where they state one kind only."""

import pytest

from monitor.extract.document import read_document
from monitor.extract.stated import HEAD, TAIL, Stated, stated_kind


def _stated(markup: str) -> Stated | None:
    return stated_kind(read_document(markup.encode(), "https://shop.example/"))


@pytest.mark.parametrize(
    ("markup", "kind"),
    [
        ('<script>var meta = {"page":{"pageType":"collection"}};</script>', Stated.LIST),
        ("<script>dataLayer.push({ecomm_pagetype: 'searchresults'})</script>", Stated.LIST),
        ('<script>push("{\\"page_type\\":\\"PLP\\"}")</script>', Stated.LIST),
        ('<script>stencilBootstrap("category", "{}").load();</script>', Stated.LIST),
        ("<script>pageType = 'Product Detail Page'</script>", Stated.PRODUCT),
        ('<meta name="pageType" content="product">', Stated.PRODUCT),
        ('<body data-page-type="Checkout">', Stated.OWN),
        ('<div data-init="{&quot;pageType&quot;:&quot;catalog_category_view&quot;}"></div>', Stated.LIST),
        ('<script>{"pageType":"article"}</script>', Stated.ARTICLE),
        ('<script>{"pageType":"404"}</script>', Stated.GONE),
    ],
)
def test_a_page_states_its_kind(markup, kind):
    assert _stated(markup) is kind


@pytest.mark.parametrize(
    "markup",
    [
        "<script>kinds = [{pageType: 'category'}, {pageType: 'product'}]</script>",
        "<script>{ecomm_pagetype: 'other', page_type: 'category'}</script>",
        "<script>{imageType: 'product', messageType: 'cart'}</script>",
        "<script>{pageType: 'weather station'}</script>",
        "<p>pageType</p>",
    ],
)
def test_several_kinds_and_unknown_ones_state_nothing(markup):
    assert _stated(markup) in (None, Stated.OTHER)


def test_a_long_page_is_searched_at_both_ends():
    said = "<script>pageType = 'category'</script>"

    assert _stated(said + "x" * (HEAD + TAIL)) is Stated.LIST
    assert _stated("x" * (HEAD + TAIL) + said) is Stated.LIST
    assert _stated("x" * HEAD + said + "x" * TAIL) is None
