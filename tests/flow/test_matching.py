"""The review queue: stored once, decided by a person, remembered, opened again when a page contradicts."""

from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal

import pytest

from monitor.adapters.clock import SystemClock
from monitor.adapters.db.store import SqlStore
from monitor.domain.catalogue import Catalogue, Competitor, MatchState, Product, Watch
from monitor.domain.match import Basis, Listing, Suggested
from monitor.errors import CannotSucceed
from monitor.flow.matching import NoSuchMatch, decide, suggest, suggest_watches

CATALOGUE = Catalogue(
    (
        Product("A", "Trail Mug 16 oz", "EUR", Decimal(20), brand="Ridge", gtin="4006381333931"),
        Product("B", "Camp Stove", "EUR", Decimal(50), brand="Ridge"),
    ),
    (Competitor("acme", "Acme", "https://acme.example"),),
    (),
)
MUG = Listing("https://acme.example/mug", "Ridge Trail Mug 16oz", gtin="4006381333931")
STOVE = Listing("https://acme.example/stove", "Ridge Camp Stove")


@pytest.fixture
def store(migrated_url: str) -> Iterator[SqlStore]:
    """An empty migrated database, once of each kind."""
    opened = SqlStore(migrated_url, SystemClock())
    yield opened
    opened.close()


def queue(store: SqlStore, state: MatchState | None = None):
    with store.read() as unit:
        return unit.matches.queue(state)


def test_suggesting_again_stores_nothing_twice(store):
    assert suggest(store, CATALOGUE, "acme", [MUG, STOVE]) == Suggested(new=2)
    assert suggest(store, CATALOGUE, "acme", [MUG, STOVE]) == Suggested(unchanged=2)
    assert [(each.sku, each.state, each.basis, each.by) for each in queue(store)] == [
        ("A", MatchState.SUGGESTED, Basis.GTIN, "machine"),
        ("B", MatchState.SUGGESTED, Basis.TITLE, "machine"),
    ]


@pytest.mark.parametrize(
    ("match", "variant", "expected"),
    [
        (MatchState.CONFIRMED, None, Suggested(new=1, confirmed=1)),
        (MatchState.REJECTED, None, Suggested(new=1, rejected=1)),
        (MatchState.SUGGESTED, None, Suggested(new=2)),
        (MatchState.CONFIRMED, "red", Suggested(new=2)),  # of a page with several another one
    ],
)
def test_what_watches_csv_says_of_a_page_is_not_asked_again(store, match, variant, expected):
    """Rejecting such a suggestion, to have it out of the queue, would have ended a watch that a person entered."""
    watch = Watch("acme", "A", MUG.url, match=match, variant=variant)

    assert suggest(store, replace(CATALOGUE, watches=(watch,)), "acme", [MUG, STOVE]) == expected


def test_a_decision_is_kept_with_who_when_and_why(store):
    suggest(store, CATALOGUE, "acme", [MUG, STOVE])
    mug, stove = queue(store)

    decide(store, [mug.id], MatchState.CONFIRMED, "ada", "same picture")
    decide(store, [stove.id], MatchState.REJECTED, "bob", "other model")

    assert suggest(store, CATALOGUE, "acme", [MUG, STOVE]) == Suggested(confirmed=1, rejected=1)
    with store.read() as unit:
        found = unit.matches.get(mug.id)
        counts = unit.matches.count()
    assert [(each.state, each.by, each.reason) for each in found.history] == [
        (MatchState.CONFIRMED, "ada", "same picture")
    ]
    assert (found.state, found.by, found.reason, found.decided_at == found.history[0].at) == (
        MatchState.CONFIRMED,
        "ada",
        "same picture",
        True,
    )
    assert counts == {MatchState.CONFIRMED: 1, MatchState.SUGGESTED: 0, MatchState.REJECTED: 1}


def test_deciding_the_same_again_records_nothing(store):
    suggest(store, CATALOGUE, "acme", [MUG])
    (mug,) = queue(store)

    for _ in range(3):
        (found,) = decide(store, [mug.id], MatchState.CONFIRMED, "ada", "same")

    assert len(found.history) == 1


def test_a_second_page_of_one_shop_cannot_be_confirmed_too(store):
    second = Listing("https://acme.example/mug-2", "Ridge Trail Mug 16oz", gtin="4006381333931")
    suggest(store, CATALOGUE, "acme", [MUG, second])
    one, other = queue(store)
    decide(store, [one.id], MatchState.CONFIRMED, "ada", "same")

    with pytest.raises(CannotSucceed, match=rf"\(match {one.id}\). Nothing was changed; reject match {one.id} first"):
        decide(store, [other.id], MatchState.CONFIRMED, "ada", "same")

    decide(store, [one.id], MatchState.REJECTED, "ada", "old page")
    assert decide(store, [other.id], MatchState.CONFIRMED, "ada", "same")[0].state is MatchState.CONFIRMED


def test_several_are_decided_together_or_not_at_all(store):
    suggest(store, CATALOGUE, "acme", [MUG])
    (mug,) = queue(store)

    with pytest.raises(NoSuchMatch, match="there is no match 999"):
        decide(store, [mug.id, 999], MatchState.CONFIRMED, "ada", "same")

    assert queue(store)[0].state is MatchState.SUGGESTED


def test_a_confirmed_page_that_becomes_another_pack_is_opened_again(store):
    suggest(store, CATALOGUE, "acme", [MUG])
    (mug,) = queue(store)
    decide(store, [mug.id], MatchState.CONFIRMED, "ada", "same")
    changed = Listing(MUG.url, "Ridge Trail Mug 16oz 6-pack", gtin=MUG.gtin)

    assert suggest(store, CATALOGUE, "acme", [changed]) == Suggested(reopened=1)

    with store.read() as unit:
        found = unit.matches.get(mug.id)
    assert (found.state, found.by) == (MatchState.SUGGESTED, "machine")
    assert found.reason == "opened again: the pack differs: 1 here, 6 there"
    assert [each.by for each in found.history] == ["ada", "machine"]


def test_what_a_person_confirmed_in_spite_of_stays_confirmed(store):
    watch = Watch("acme", "A", "https://acme.example/blue", MatchState.SUGGESTED)
    odd = Listing(watch.url, "Ridge Trail Mug 12 oz")
    suggest(store, CATALOGUE, "acme", [Listing(watch.url, "Ridge Trail Mug 16 oz")])
    (match,) = queue(store)
    decide(store, [match.id], MatchState.CONFIRMED, "ada", "they print it wrong")

    assert suggest(store, CATALOGUE, "acme", [odd]) == Suggested(reopened=1)
    decide(store, [match.id], MatchState.CONFIRMED, "ada", "still the same")
    assert queue(store)[0].state is MatchState.CONFIRMED


def test_watches_that_are_only_suggested_join_the_queue(store):
    watch = Watch("acme", "A", "https://acme.example/a", MatchState.SUGGESTED)
    entered = Watch("acme", "B", "https://acme.example/b")
    catalogue = Catalogue(CATALOGUE.products, CATALOGUE.competitors, (watch, entered))

    assert suggest_watches(store, catalogue) == Suggested(new=1)
    (found,) = queue(store)
    assert (found.sku, found.basis, found.reason) == ("A", Basis.PERSON, "suggested in watches.csv")


def test_the_queue_can_be_narrowed(store):
    suggest(store, CATALOGUE, "acme", [MUG, STOVE])

    with store.read() as unit:
        assert [each.sku for each in unit.matches.queue(sku="B")] == ["B"]
        assert unit.matches.queue(competitor="other") == ()
        assert [each.sku for each in unit.matches.queue(limit=1, offset=1)] == ["B"]
