"""From observations and history to offers: the newest good reading of each watch counts."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest

from monitor.domain.catalogue import Catalogue, Competitor, MatchState, Watch
from monitor.domain.extraction import Availability, Outcome
from monitor.domain.observation import OWN, Observation, Span
from monitor.domain.pricing import Offer, decisions, offers_from
from tests.domain.pricing.builders import a_product, rules

NOW = datetime(2026, 11, 29, 4, 0, tzinfo=UTC)
ACME = Competitor(id="acme", name="Acme Ltd", base_url="https://acme.example")


def a_catalogue(**product: object) -> Catalogue:
    watch = Watch("acme", "MUG-1", "https://acme.example/mug")
    return Catalogue((a_product(**product),), (ACME,), (watch,))


def seen(price: str | None = "24.90", *, outcome: Outcome = Outcome.OK, **facts: object) -> Observation:
    told: dict[str, object] = {"availability": Availability.IN_STOCK, "currency": "EUR", "evidence": "sha-1"}
    return Observation(
        run_id="2026-11-29",
        competitor="acme",
        sku="MUG-1",
        url="https://acme.example/mug",
        outcome=outcome,
        reason="",
        words="",
        observed_at=NOW - timedelta(hours=2),
        price=Decimal(price) if price else None,
        **(told | facts),
    )


def a_span(price: str = "26.00", *, hours_ago: int = 26, competitor: str = "acme") -> Span:
    last = NOW - timedelta(hours=hours_ago)
    return Span(competitor, "MUG-1", Decimal(price), "EUR", None, Availability.IN_STOCK, last, last)


def offer(*observations: Observation, spans: tuple[Span, ...] = (), **more: object) -> Offer | None:
    found = offers_from(a_catalogue(), observations, spans, now=NOW, **more)
    return found["MUG-1"][0] if found else None


def test_an_observation_becomes_an_offer_with_its_age_and_evidence() -> None:
    found = offer(seen())

    assert found == Offer(
        seller="acme",
        price=Decimal("24.90"),
        currency="EUR",
        age=timedelta(hours=2),
        match=MatchState.CONFIRMED,
        in_stock=True,
        name="Acme Ltd",
        seen_at=NOW - timedelta(hours=2),
        url="https://acme.example/mug",
        evidence="sha-1",
    )


@pytest.mark.parametrize(
    ("availability", "in_stock"),
    [
        (Availability.IN_STOCK, True),
        (Availability.OUT_OF_STOCK, False),
        (Availability.PREORDER, False),
        (Availability.BACKORDER, False),
        (Availability.DISCONTINUED, False),
        (Availability.UNKNOWN, None),
    ],
)
def test_only_what_can_be_had_now_is_in_stock(availability: Availability, in_stock: bool | None) -> None:
    found = offer(seen(availability=availability))

    assert found is not None
    assert found.in_stock is in_stock


def test_tonight_counts_before_history() -> None:
    found = offer(seen("24.90"), spans=(a_span("26.00"),))

    assert found is not None
    assert found.price == Decimal("24.90")


@pytest.mark.parametrize("outcome", [Outcome.FAILED, Outcome.BLOCKED, Outcome.SKIPPED_BUDGET, Outcome.NO_PRICE])
def test_a_watch_that_could_not_be_read_keeps_its_last_reading_which_ages(outcome: Outcome) -> None:
    found = offer(seen(None, outcome=outcome), spans=(a_span("27.00", hours_ago=50), a_span("26.00")))

    assert found is not None
    assert (found.price, found.age, found.in_stock) == (Decimal("26.00"), timedelta(hours=26), True)


def test_a_page_that_is_gone_sells_nothing_whatever_it_asked_yesterday() -> None:
    found = offer(seen(None, outcome=Outcome.NOT_FOUND), spans=(a_span(),))

    assert found is not None
    assert found.in_stock is False


def test_a_page_confirmed_as_unchanged_is_fresh() -> None:
    found = offer(seen(None, outcome=Outcome.UNCHANGED), spans=(a_span("26.00", hours_ago=50),))

    assert found is not None
    assert (found.price, found.age) == (Decimal("26.00"), timedelta(hours=2))


def test_a_watch_that_was_never_read_has_no_offer() -> None:
    assert offer(seen(None, outcome=Outcome.FAILED)) is None


def test_our_own_history_is_no_rival() -> None:
    assert offer(spans=(a_span(competitor=OWN),)) is None


def test_a_suspicious_reading_is_held() -> None:
    found = offer(seen(), held={("acme", "MUG-1")})

    assert found is not None
    assert found.held


def test_a_watch_shows_the_product_in_our_own_pack() -> None:
    """Otherwise a twelve-pack matched by a person would be compared at twelve times its price."""
    catalogue = a_catalogue(units=12)
    found = offers_from(catalogue, [seen("24.90")], now=NOW)

    (decision,) = decisions(catalogue, found, rules(), now=NOW)

    assert decision.price == Decimal("24.90")


def test_every_product_gets_a_decision_also_without_an_offer() -> None:
    catalogue = a_catalogue()

    (decision,) = decisions(catalogue, {}, rules(), now=NOW)

    assert decision.reason == "TOO_FEW_OFFERS"


def test_the_time_since_our_last_change_is_counted_to_now() -> None:
    catalogue, resting = a_catalogue(), rules(guardrails={"cooldown_hours": "24"})
    found = offers_from(catalogue, [seen()], now=NOW)

    def reason(hours: int) -> str | None:
        changed = {"MUG-1": NOW - timedelta(hours=hours)}
        (decision,) = decisions(catalogue, found, resting, changed_at=changed, now=NOW)
        return decision.reason

    assert reason(23) == "COOL_DOWN"
    assert reason(24) is None


def test_a_suggested_match_feeds_nothing() -> None:
    suggested = Watch("acme", "MUG-1", "https://acme.example/mug", match=MatchState.SUGGESTED)
    catalogue = Catalogue((a_product(),), (ACME,), (suggested,))

    (decision,) = decisions(catalogue, offers_from(catalogue, [seen()], now=NOW), rules(), now=NOW)

    assert [one.code for one in decision.ignored] == ["NOT_CONFIRMED"]
