"""Each kind of catalogue answer as a file with what it must give: a folder for each adapter, no adapter without."""

import json
from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from monitor.domain.catalogue import Watch
from monitor.domain.listing import Answer, Listing
from monitor.extract.platforms import ADAPTERS
from monitor.extract.platforms.matching import Shelf, find, keys_of, variant_of

HERE = Path(__file__).parent
CASES = sorted(HERE.glob("*/*.expected.json"))
_OF_THE_WATCH = ("url", "variant", "their_sku", "their_gtin")


def _name(case: Path) -> str:
    return f"{case.parent.name} {case.name.removesuffix('.expected.json')}"


def _read(case: Path, wanted: frozenset[str] | None = None) -> tuple[dict[str, Any], Listing]:
    expected = json.loads(case.read_text(encoding="utf-8"))
    stem = case.name.removesuffix(".expected.json")
    (file,) = (path for path in case.parent.glob(f"{stem}.*") if path != case)
    at = datetime.fromisoformat(expected.get("at", "2026-11-29T02:00:00+00:00"))
    answer = Answer(file.read_bytes(), at, url=expected.get("asked", ""), wanted=wanted)
    return expected, ADAPTERS[case.parent.name].read(answer)


def _watches(expected: dict[str, Any]) -> list[tuple[Watch, dict[str, Any]]]:
    facts = expected.get("watches", ())
    return [(Watch("rival", f"OUR-{n}", **{k: f[k] for k in _OF_THE_WATCH if k in f}), f) for n, f in enumerate(facts)]


def test_every_adapter_has_a_folder_of_answers_and_every_folder_an_adapter() -> None:
    assert {case.parent.name for case in CASES} == set(ADAPTERS)


@pytest.mark.parametrize("case", CASES, ids=_name)
def test_an_answer_is_read_whole_or_says_why_not(case: Path) -> None:
    expected, listing = _read(case)

    assert (listing.problem.value if listing.problem else None) == expected.get("problem")
    assert len(listing.items) == expected.get("items", 0)
    assert listing.more is expected.get("more", False)
    assert listing.cursor == expected.get("cursor")
    assert expected.get("words", "") in listing.words
    assert expected.get("warnings", "") in " | ".join(listing.warnings)
    assert bool(listing.warnings) is ("warnings" in expected)
    assert expected.get("loss", "") in listing.loss
    assert bool(listing.loss) is ("loss" in expected)
    assert dict(listing.learned).items() >= expected.get("learned", {}).items()


@pytest.mark.parametrize("case", [case for case in CASES if "watches" in case.read_text()], ids=_name)
def test_every_watch_gets_what_the_answer_says_of_it(case: Path) -> None:
    expected, listing = _read(case)
    adapter = ADAPTERS[case.parent.name]
    for watch, facts in _watches(expected):
        slug = adapter.slug_of(watch.url)
        found = find(
            Shelf(listing.items),
            watch,
            expected.get("currency"),
            platform=adapter.name,
            slug=slug,
            variant_id=facts.get("variation_id"),
        )
        if facts["outcome"] is None:
            assert found is None, watch.url
            continue
        assert found is not None, watch.url
        wanted = {name: value for name, value in facts.items() if name not in (*_OF_THE_WATCH, "note", "variation_id")}
        followed = variant_of(Shelf(listing.items), watch, slug)
        got = {"follow": followed[1] if followed else None} if "follow" in wanted else {}
        assert wanted.pop("words", "") in found.words
        for money in ("price", "list_price"):
            if wanted.get(money) is not None:
                wanted[money] = Decimal(wanted[money])
        assert got | {name: getattr(found, name) for name in wanted if name not in got} == wanted, watch.url


@pytest.mark.parametrize("case", [case for case in CASES if case.parent.name == "feed"], ids=_name)
def test_a_feed_that_is_read_for_some_watches_gives_them_what_the_whole_feed_gives(case: Path) -> None:
    """Rows of no watch are thrown away while the file is read, so that a large feed costs no memory."""
    expected, whole = _read(case)
    watches = [watch for watch, _ in _watches(expected)]

    _, part = _read(case, keys_of(watches))

    assert part.problem == whole.problem
    for watch in watches:
        of_part = find(Shelf(part.items), watch, "EUR", platform="feed")
        assert of_part == find(Shelf(whole.items), watch, "EUR", platform="feed")


@given(
    body=st.one_of(st.binary(max_size=300), st.text(max_size=300).map(str.encode)), name=st.sampled_from([*ADAPTERS])
)
def test_no_answer_makes_a_reader_raise(body: bytes, name: str) -> None:
    listing = ADAPTERS[name].read(Answer(body, datetime(2026, 11, 29, tzinfo=UTC)))

    assert listing.problem is not None or isinstance(listing.items, tuple)


_KEYS = (
    *("products", "product", "variants", "id", "handle", "slug", "prices", "price", "currency_minor_unit", "data"),
    *("items", "edges", "node", "site", "sku", "price_range", "minimum_price", "final_price", "value", "options"),
    *("currencyCode", "variations", "attributes", "price_currency"),
)
_json = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 10**15) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(_KEYS),
            inner,
            max_size=5,
        )
    ),
    max_leaves=30,
)


@given(value=_json, name=st.sampled_from(["shopify", "woocommerce", "magento", "bigcommerce"]))
def test_json_of_any_shape_gives_items_without_a_made_up_price(value: Any, name: str) -> None:
    body = json.dumps(value).encode()

    listing = ADAPTERS[name].read(Answer(body, datetime(2026, 11, 29, tzinfo=UTC)))

    prices = [v.price for item in listing.items for v in item.variants if v.price is not None]
    assert all(price > 0 for price in prices)
    again = ADAPTERS[name].read(replace(Answer(body, datetime(2026, 11, 29, tzinfo=UTC)), url="x"))
    assert [item.id for item in again.items] == [item.id for item in listing.items]
