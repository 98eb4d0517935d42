"""Stage review: decisions about one product that meet, in one form or one after the other."""

from collections.abc import Iterator
from datetime import date, timedelta
from decimal import Decimal

import pytest
from sqlalchemy import event

from monitor.domain.action import Action, ActionState, Verb
from monitor.domain.review import Choice, RowOutcome, RowResult
from monitor.flow.review import decide
from monitor.flow.submit import submit_due
from tests.fake_shop import Books, FakeShop
from tests.review_scene import AT, BY_ANNA, Scene, a_proposal, a_run, choice


@pytest.fixture
def scene(own_sqlite_url: str) -> Iterator[Scene]:
    made = Scene(own_sqlite_url)
    made.writes(undo_window=timedelta(0))
    yield made
    made.close()


def decided(scene: Scene, *choices: Choice) -> list[RowResult]:
    return list(decide(scene.store, scene.plan, BY_ANNA, choices))


def applied(scene: Scene, shop: FakeShop, new: str, *, night: int, **other: object) -> Action:
    """Propose and approve another price of A-1 on top of what the shop charges, and write it."""
    scene.clock.forward(hours=1)
    old = str(shop.books.prices["A-1"].amount)
    with scene.store.write() as unit:
        run = a_run(unit, date(2026, 11, night))
        proposal = a_proposal(old=old, new=new, run_id=run.id, expires_at=AT + timedelta(days=9), **other)
        action, _ = unit.actions.propose(proposal)
    decided(scene, choice(action))
    submitted(scene, shop)
    assert scene.action(action.id).state is ActionState.APPLIED
    return scene.action(action.id)


def submitted(scene: Scene, shop: FakeShop) -> None:
    submit_due(scene.store, shop, scene.plan, "w1", scene.clock)


def test_of_two_changes_of_a_product_only_the_later_is_given_back_and_the_earlier_says_why(scene: Scene) -> None:
    shop = FakeShop(Books(A_1="27.90"))
    first = applied(scene, shop, "24.90", night=29)
    second = applied(scene, shop, "23.90", night=30)

    earlier, later = decided(scene, choice(first, Verb.REVERT), choice(second, Verb.REVERT))

    assert (earlier.outcome, later.outcome) == (RowOutcome.REFUSED, RowOutcome.DECIDED)
    assert earlier.words == (
        f"A later change was applied: 24.90 EUR → 23.90 EUR (proposal {second.id}). Give that one back first."
    )
    submitted(scene, shop)
    assert shop.books.prices["A-1"].amount == Decimal("24.90")


def test_the_earlier_change_is_given_back_once_the_later_one_is(scene: Scene) -> None:
    shop = FakeShop(Books(A_1="27.90"))
    first, second = applied(scene, shop, "24.90", night=29), applied(scene, shop, "23.90", night=30)

    for action in (second, first):
        scene.clock.forward(minutes=1)
        (result,) = decided(scene, choice(action, Verb.REVERT))
        assert result.outcome is RowOutcome.DECIDED
        submitted(scene, shop)

    assert shop.books.prices["A-1"].amount == Decimal("27.90")


def test_a_price_that_was_given_back_says_so_however_often_it_is_asked_for(scene: Scene) -> None:
    shop = FakeShop(Books(A_1="27.90"))
    action = applied(scene, shop, "24.90", night=29)
    decided(scene, choice(action, Verb.REVERT))
    submitted(scene, shop)

    (again,) = decided(scene, choice(action, Verb.REVERT))

    assert again.outcome is RowOutcome.ALREADY
    assert again.words.startswith("The old price was asked for before: 24.90 EUR → 27.90 EUR. Approved and applied")


def test_of_two_approvals_of_a_product_at_once_the_replaced_one_is_not_called_approved(scene: Scene) -> None:
    """A conflict that was proposed afresh waits beside what a later night proposed."""
    shop = FakeShop(Books(A_1="26.50"))
    (old,) = scene.propose(a_proposal(expires_at=AT + timedelta(days=9)))
    decided(scene, choice(old))
    submitted(scene, shop)
    with scene.store.write() as unit:
        run = a_run(unit, date(2026, 11, 30))
        new, _ = unit.actions.propose(a_proposal(old="26.50", new="25.90", run_id=run.id))
    decided(scene, choice(scene.action(old.id), Verb.RENEW))

    replaced, kept = decided(scene, choice(scene.action(old.id)), choice(new))

    assert (replaced.outcome, kept.outcome) == (RowOutcome.REFUSED, RowOutcome.DECIDED)
    assert f"proposal {new.id} is about the same product, was decided with it and replaces it" in replaced.words
    submitted(scene, shop)
    assert [str(price) for _, price in shop.books.changes] == ["25.90 EUR"]


LOWER, UPPER = {"code": "MIN_PRICE", "amount": "24.00"}, {"code": "MAX_PRICE", "amount": "27.00"}


@pytest.mark.parametrize(
    ("before", "kept"),
    [
        ("26.00", {"lower": LOWER, "upper": UPPER}),
        ("27.90", {"lower": LOWER, "upper": None}),  # it was charged before, above what the rule allows now
        ("23.00", {"lower": None, "upper": UPPER}),
    ],
)
def test_a_price_given_back_keeps_the_limits_of_its_rule_that_it_is_within(
    scene: Scene, before: str, kept: dict[str, object]
) -> None:
    shop = FakeShop(Books(A_1=before))
    action = applied(scene, shop, "25.00", night=29, facts={"limits": {"lower": LOWER, "upper": UPPER}})

    decided(scene, choice(action, Verb.REVERT))

    with scene.store.read() as unit:
        given_back = unit.actions.of_sku("A-1")[0]
    assert given_back.proposal.facts["limits"] == kept
    submitted(scene, shop)
    assert shop.books.prices["A-1"].amount == Decimal(before)


def test_a_price_given_back_that_met_a_conflict_is_edited_within_the_limits_only(scene: Scene) -> None:
    shop = FakeShop(Books(A_1="26.00"))
    action = applied(scene, shop, "25.00", night=29, facts={"limits": {"lower": LOWER, "upper": UPPER}})
    decided(scene, choice(action, Verb.REVERT))
    shop.books.somebody_sets("A-1", "25.50")
    submitted(scene, shop)
    with scene.store.read() as unit:
        given_back = unit.actions.of_sku("A-1")[0]
    assert given_back.state is ActionState.CONFLICT
    decided(scene, choice(given_back, Verb.RENEW))

    (result,) = decided(scene, choice(scene.action(given_back.id), price="23.50"))

    assert result.outcome is RowOutcome.REFUSED
    assert "is below the lowest price that its rule allows, 24.00 EUR" in result.words


@pytest.mark.parametrize(("days", "is_told"), [(1, False), (7, True)])
def test_whoever_puts_a_proposal_off_beyond_its_time_is_told_what_comes_instead(
    scene: Scene, days: int, is_told: bool
) -> None:
    (action,) = scene.propose()

    (result,) = decided(scene, choice(action, Verb.SNOOZE, until=AT + timedelta(days=days)))

    assert result.outcome is RowOutcome.DECIDED
    told = "Its own time passes before, on 2026-12-01 at 07:30, so it does not come back by itself"
    assert (told in result.words) is is_told


def test_an_approval_repeated_after_its_price_was_given_back_names_whoever_approved(scene: Scene) -> None:
    shop = FakeShop(Books(A_1="27.90"))
    action = applied(scene, shop, "24.90", night=29)
    with scene.store.write() as unit:
        unit.actions.note(action, Verb.REVERT, BY_ANNA, batch="b", reason=None)
        approved_at = unit.actions.decisions(action.id)[0].decided_at
    scene.clock.forward(hours=1)

    (result,) = decided(scene, choice(action))

    assert (result.outcome, result.at) == (RowOutcome.ALREADY, approved_at)


def test_rows_are_looked_up_together_however_many_a_form_has(scene: Scene) -> None:
    asked: list[str] = []
    event.listen(scene.store.writer, "before_cursor_execute", lambda _c, _u, text, *_: asked.append(text))

    results = decided(scene, *(Choice(1000 + n, 1, "0" * 64, Verb.APPROVE) for n in range(12_000)))

    assert {result.outcome for result in results} == {RowOutcome.REFUSED}
    assert len(asked) < 10
