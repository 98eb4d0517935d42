"""The model of approved prices, played for a while (`make model`: for 20,000 steps), and two of its findings."""

from collections.abc import Iterable, Mapping

import pytest
from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis.stateful import run_state_machine_as_test

from monitor.adapters.db.repositories.writes import WriteTable
from monitor.domain.action import ActionState, PriceWrite, WriteState
from monitor.domain.money import Money
from monitor.domain.shop_price import ShopPrice
from monitor.flow.submit import round as one_round
from tests.fake_shop import Fault
from tests.submit_model import SubmitModel

TestSubmitModel = SubmitModel.TestCase
TestSubmitModel.settings = settings(
    max_examples=20,
    stateful_step_count=25,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)


def test_a_worker_that_was_stopped_before_its_call_makes_none() -> None:
    """It may be declared dead meanwhile, and its call would land behind a newer decision."""
    model = SubmitModel()
    model.begin()
    model.propose_and_approve("A-1", "22.00")
    model.store.arm(3, after=lambda: model.clock.forward(seconds=40))  # after looking, claiming and the attempt

    model.work()
    assert (model.shop.log, [action.state for action in model._actions("A-1")]) == ([], [ActionState.APPROVED])

    model.clock.forward(seconds=60)
    model.work()
    assert [(sku, str(price)) for _, sku, price in model.shop.log] == [("A-1", "22")]
    model.teardown()


def test_a_price_that_was_taken_and_set_back_by_somebody_is_not_sent_a_second_time() -> None:
    """Without the shop's mark of its last change it would look as if the call had never arrived."""
    model = SubmitModel()
    model.begin()
    model.propose_and_approve("A-1", "22.00")
    model.shop.faults.append(Fault.HANG_AFTER_COMMIT)
    model.work()
    model.drift("A-1", "20.00")
    model.clock.forward(seconds=61)

    model.work()

    with model.store.read() as unit:
        (action,) = unit.actions.of_sku("A-1")
        (write,) = unit.writes.of_action(action.id)
    assert (write.state, action.state) == (WriteState.CONFLICT, ActionState.CONFLICT)
    assert "the price may have been taken and set back" in (write.error or "")
    assert [who for who, _, _ in model.shop.log] == [write.id, "somebody"]
    model.teardown()


def _without_reading(patch: pytest.MonkeyPatch) -> None:
    """Take the expected price for the one that the shop has."""

    def believed(_: object, helds: Iterable[one_round.Held]) -> Mapping[str, ShopPrice]:
        writes = [held.write for held in helds]
        return {write.sku: ShopPrice(Money(write.expected_price, write.currency)) for write in writes}

    patch.setattr(one_round, "_readings", believed)


def _without_attempts(patch: pytest.MonkeyPatch) -> None:
    """Leave no trace of a call before it is made."""

    def call(table: WriteTable, write: PriceWrite, before: dict[str, object], lease: object) -> int:
        table._rows.change(write, (WriteState.CLAIMED,), before=before)
        return 1

    patch.setattr(WriteTable, "call", call)


@pytest.mark.slow
@pytest.mark.parametrize("planted", [_without_reading, _without_attempts])
def test_the_model_finds_a_defect_that_is_planted(planted, monkeypatch: pytest.MonkeyPatch) -> None:
    planted(monkeypatch)
    rules = settings(
        max_examples=40,
        stateful_step_count=50,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        report_multiple_bugs=False,
        suppress_health_check=list(HealthCheck),
    )

    with pytest.raises(AssertionError, match="changed more than once"):
        run_state_machine_as_test(seed(1)(SubmitModel), settings=rules)
