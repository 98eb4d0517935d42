"""From a page to an observation: is it still the watched product, in the currency known so far?"""

from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest

from monitor.domain.answer import NoReading
from monitor.domain.catalogue import Competitor, Watch
from monitor.domain.extraction import Availability, Evidence, Extraction, Outcome, Role, Verdict
from monitor.domain.page import Page
from monitor.domain.reading import (
    Memory,
    evidence_json,
    hints_for,
    in_known_currency,
    no_observation,
    observation_of,
    trusted,
)

NOW = datetime(2026, 11, 29, 1, 14, tzinfo=UTC)
SHOP = "https://alpkontor.example"
WATCH = Watch("alpkontor", "ROPE", f"{SHOP}/p/rope-60")


def found(**changes: Any) -> Extraction:
    extraction = Extraction(
        Outcome.OK, "declared_and_shown", "read", price=Decimal("149.00"), currency="EUR", name="Rope 60"
    )
    return replace(extraction, **changes)


def page(final: str = "/p/rope-60") -> Page:
    return Page(WATCH.url, SHOP + final, 200, {}, b"", 1)


def judged(final: str, extraction: Extraction, watch: Watch = WATCH, memory: Memory | None = None) -> Extraction:
    return trusted(extraction, page(final), watch, memory or Memory("Rope 60", "EUR"))


@pytest.mark.parametrize(
    ("final", "extraction", "words"),
    [
        # F2 a: 301 to the category
        ("/ropes/", found(outcome=Outcome.LISTING, price=None, name="Ropes"), "lists several products"),
        # F2 b: 302 to the home page, which declares a product of the day
        ("/", found(name="Product of the day", price=Decimal("19.00")), "home page"),
        ("/en", found(name="Product of the day", price=Decimal("19.00")), "home page"),
        # F2 c: 301 to the successor
        ("/p/rope-60-v2", found(name="Rope 60 v2", sku="AK-9", price=Decimal("179.00")), "may be another product"),
        ("/p/other", found(outcome=Outcome.NO_PRICE, price=None, name="Other"), "may be another product"),
    ],
)
def test_a_redirect_away_from_the_product_stores_no_price(final: str, extraction: Extraction, words: str) -> None:
    refused = judged(final, extraction)

    assert (refused.outcome, refused.reason, refused.price) == (Outcome.NOT_FOUND, "redirected", None)
    assert words in refused.words
    assert SHOP + final in refused.words  # the new address is offered, not adopted


@pytest.mark.parametrize(
    ("final", "extraction", "watch", "memory"),
    [
        # F2 d: a language in front, same identifier
        ("/en/p/rope-60", found(sku="AK-1", name="Corde 60"), replace(WATCH, their_sku="AK-1"), Memory()),
        ("/en/p/rope-60", found(name="Corde 60"), WATCH, Memory("Rope 60", "EUR")),
        ("/p/rope-60/", found(), WATCH, Memory()),
        ("/p/rope-60?country=DE", found(), replace(WATCH, their_sku="AK-1"), Memory()),
        ("/ropes/p/rope-60", found(name=None), WATCH, Memory()),
        ("/item/4711", found(), WATCH, Memory("Rope 60", "EUR")),
        ("/item/4711", found(gtin="4006381333931"), replace(WATCH, their_gtin="4006381333931"), Memory()),
    ],
)
def test_a_redirect_that_keeps_the_product_is_fine(
    final: str, extraction: Extraction, watch: Watch, memory: Memory
) -> None:
    assert trusted(extraction, page(final), watch, memory) == extraction


@pytest.mark.parametrize(
    ("final", "extraction", "watch"),
    [
        ("/en/p/rope-60", found(sku="AK-9"), replace(WATCH, their_sku="AK-1")),
        ("/en/p/rope-60", found(gtin="4006381333931"), replace(WATCH, their_gtin="4012345678901")),
        ("/p/rope-60", found(), replace(WATCH, url=f"{SHOP}/p/index.html?id=7")),
    ],
)
def test_an_identifier_that_differs_speaks_against_the_address(
    final: str, extraction: Extraction, watch: Watch
) -> None:
    refused = trusted(extraction, page(final), watch, Memory())

    assert (refused.outcome, refused.reason) == (Outcome.NOT_FOUND, "redirected")


def test_a_redirect_that_drops_the_variant_is_judged_by_what_the_page_shows() -> None:
    """`?variant=2` is gone: only a number that is known tells that it still is that variant."""
    watch = replace(WATCH, url=f"{WATCH.url}?variant=2", their_sku="AK-1-L")

    assert trusted(found(sku="AK-1-S"), page(), watch, Memory()).reason == "redirected"
    assert trusted(found(), page(), watch, Memory("Rope 60", "EUR")).reason == "redirected"  # variants share a name
    assert trusted(found(sku="AK-1-L"), page(), watch, Memory()).outcome is Outcome.OK


def test_a_redirect_that_drops_the_marks_of_a_campaign_is_fine() -> None:
    watch = replace(WATCH, url=f"{WATCH.url}?utm_source=mail&srsltid=Af9&_pos=1")

    assert trusted(found(), page(), watch, Memory()) == found()


def test_a_page_not_found_with_status_200_keeps_its_own_words() -> None:
    """F2 e: no redirect, the extraction saw it."""
    gone = found(outcome=Outcome.NOT_FOUND, reason="soft_404", words="page not found (answered 200)", price=None)

    assert judged("/p/rope-60", gone) == gone
    assert judged("/elsewhere", gone) == gone


def test_another_currency_than_so_far_is_not_recorded() -> None:
    refused = judged("/p/rope-60", found(currency="USD", list_price=Decimal("199.00")))

    assert (refused.outcome, refused.reason) == (Outcome.AMBIGUOUS, "currency_changed")
    assert (refused.price, refused.list_price) == (None, None)
    assert "USD" in refused.words
    assert "EUR" in refused.words


def test_the_operator_settles_a_change_of_currency_as_the_words_say() -> None:
    dollars = found(currency="USD")

    assert in_known_currency(dollars, Memory("Rope 60", "EUR"), "USD") == dollars
    assert in_known_currency(dollars, Memory("Rope 60", "EUR"), "EUR").reason == "currency_changed"
    assert in_known_currency(dollars, Memory()) == dollars  # the first night has nothing to compare with


def test_an_amount_without_a_currency_is_no_price() -> None:
    refused = judged("/p/rope-60", found(currency=None), memory=Memory("Rope 60", None))

    assert (refused.outcome, refused.reason, refused.price) == (Outcome.AMBIGUOUS, "currency_unknown", None)


@pytest.mark.parametrize("outcome", [one for one in Outcome if one is not Outcome.OK])
def test_only_ok_carries_a_price(outcome: Outcome) -> None:
    extraction = found(outcome=outcome, list_price=Decimal("199.00"), shipping=Decimal("4.90"))

    seen = observation_of(extraction, WATCH, run_id="nightly-2026-11-29", at=NOW, evidence="h")

    assert (seen.price, seen.currency, seen.list_price, seen.shipping) == (None, None, None, None)
    assert (seen.outcome, seen.reason, seen.evidence) == (outcome, "declared_and_shown", "h")


def test_an_ok_reading_keeps_what_it_saw() -> None:
    extraction = found(list_price=Decimal("199.00"), shipping=Decimal("4.90"), availability=Availability.IN_STOCK)

    seen = observation_of(extraction, WATCH, run_id="r", at=NOW)

    assert (seen.price, seen.currency, seen.list_price) == (Decimal("149.00"), "EUR", Decimal("199.00"))
    assert (seen.shipping, seen.availability, seen.name, seen.url) == (
        Decimal("4.90"),
        Availability.IN_STOCK,
        "Rope 60",
        WATCH.url,
    )


@pytest.mark.parametrize(
    ("shown", "currency", "kept"),
    [
        ("149.12345", "EUR", "149.12"),  # computed without a tax and never rounded
        ("1.8990", "EUR", "1.8990"),  # fuel
        ("8900.00001", "JPY", "8900"),
        ("8.12345", "KWD", "8.123"),
    ],
)
def test_an_amount_with_more_decimals_than_are_kept_is_rounded(shown: str, currency: str, kept: str) -> None:
    amount = Decimal(shown)
    extraction = found(price=amount, list_price=amount, shipping=amount, currency=currency)

    seen = observation_of(extraction, WATCH, run_id="r", at=NOW)

    assert (seen.price, seen.list_price, seen.shipping) == (Decimal(kept),) * 3


def test_text_that_no_database_keeps_is_cleaned() -> None:
    """Broken JSON escapes leave NUL and half characters behind; one such page crashed its job three times."""
    seen = observation_of(found(name="Ro\ud800pe\x00 60", words="\udfff?"), WATCH, run_id="r", at=NOW)

    assert seen.name == "Ro\ufffdpe\ufffd 60"
    assert seen.words == "\ufffd?"


def test_a_watch_that_was_not_read_says_why() -> None:
    seen = no_observation(NoReading(Outcome.FAILED, "dns", "no such host"), WATCH, run_id="r", at=NOW)

    assert (seen.outcome, seen.reason, seen.words, seen.price) == (Outcome.FAILED, "dns", "no such host", None)
    assert seen.availability is Availability.UNKNOWN


def test_evidence_keeps_every_candidate_and_where_it_was_read() -> None:
    candidate = Evidence("json-ld offers.price", "149.00", Decimal("149.00"), "EUR", Role.CURRENT, Verdict.CHOSEN, "")

    kept = evidence_json(found(evidence=(candidate,)), WATCH, page("/en/p/rope-60"))

    assert kept["candidates"] == [candidate.as_json()]
    assert (kept["price"], kept["url"], kept["final_url"]) == ("149.00", WATCH.url, f"{SHOP}/en/p/rope-60")


def test_the_operators_knowledge_reaches_the_reader() -> None:
    shop = Competitor("alpkontor", "Alpkontor", SHOP, currency="EUR", language="de", recipe={"price": ".p"})
    hints = hints_for(shop, replace(WATCH, their_sku="AK-1", their_gtin="4006381333931", variant="red"))

    assert (hints.currency, hints.language, hints.sku, hints.gtin, hints.variant, hints.recipe) == (
        "EUR",
        "de",
        "AK-1",
        "4006381333931",
        "red",
        {"price": ".p"},
    )
