"""The model of approved prices, played for a while (`make model`: for 20,000 steps), and two of its findings."""

from hypothesis import HealthCheck, settings

from monitor.domain.action import ActionState, WriteState
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
