"""Effects on the outside world: made once, whoever asks, and never blindly again; on both databases."""

import threading
import time
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest

from monitor import durable
from monitor.adapters.clock import SystemClock
from monitor.adapters.db.store import SqlStore
from monitor.domain.durability import EffectState
from monitor.durable import Pending, Unsettled
from monitor.errors import CannotSucceed, LeaseLost, OutcomeUnknown, RetryLater

SHORT = timedelta(milliseconds=1)
INTENT = {"to": "shop"}


class Killed(BaseException):
    """Stands for SIGKILL."""


@pytest.fixture
def store(migrated_url: str) -> Iterator[SqlStore]:
    made = SqlStore(migrated_url, SystemClock())
    yield made
    made.close()


class Shop:
    """Counts what was done to it."""

    def __init__(self, during: Any = None) -> None:
        self.calls, self._during = 0, during

    def __call__(self) -> dict[str, Any]:
        """Do it."""
        self.calls += 1
        if self._during is not None:
            self._during()
        return {"call": self.calls}


def raising(error: BaseException) -> Any:
    """Return a function that raises."""

    def fail() -> None:
        raise error

    return fail


def test_a_repeat_gets_the_stored_result(store: SqlStore) -> None:
    shop = Shop()

    assert durable.once(store, "export:1", INTENT, shop) == {"call": 1}
    assert durable.once(store, "export:1", INTENT, shop) == {"call": 1}
    assert durable.once(store, "export:2", INTENT, shop) == {"call": 2}


def test_the_intent_is_committed_before_the_action(store: SqlStore) -> None:
    seen: list[Any] = []

    def look() -> None:
        with store.read() as unit:
            seen.extend(unit.effects.open(10))

    durable.once(store, "export:1", INTENT, Shop(look))

    assert [(line.key, line.state, line.intent) for line in seen] == [("export:1", EffectState.INTENDED, INTENT)]
    with store.read() as unit:
        assert unit.effects.open(10) == ()


def test_eight_callers_at_once_do_it_once(store: SqlStore) -> None:
    shop, barrier = Shop(), threading.Barrier(8)
    got: list[Any] = []

    def call() -> None:
        barrier.wait()
        try:
            got.append(durable.once(store, "export:1", INTENT, shop))
        except Pending:
            got.append(None)

    threads = [threading.Thread(target=call) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert shop.calls == 1
    assert {"call": 1} in got
    assert all(result in ({"call": 1}, None) for result in got)


def test_a_second_caller_is_told_to_come_back(store: SqlStore) -> None:
    def ask_again() -> None:
        with pytest.raises(Pending):
            durable.once(store, "export:1", INTENT, Shop())

    assert durable.once(store, "export:1", INTENT, Shop(ask_again)) == {"call": 1}


def test_what_may_not_be_repeated_is_held_when_its_doer_died(store: SqlStore) -> None:
    with pytest.raises(Killed):
        durable.once(store, "pay:1", INTENT, Shop(raising(Killed())), lease=SHORT)
    time.sleep(0.005)
    shop = Shop()

    for _ in range(2):
        with pytest.raises(Unsettled):
            durable.once(store, "pay:1", INTENT, shop)

    assert shop.calls == 0
    with store.write() as unit:
        assert unit.effects.settle("pay:1", EffectState.DONE, result={"seen": True})
        assert not unit.effects.settle("pay:1", EffectState.DONE)
    assert durable.once(store, "pay:1", INTENT, shop) == {"seen": True}


def test_what_may_be_repeated_is_taken_over(store: SqlStore) -> None:
    with pytest.raises(Killed):
        durable.once(store, "put:1", INTENT, Shop(raising(Killed())), repeatable=True, lease=SHORT)
    time.sleep(0.005)

    assert durable.once(store, "put:1", INTENT, Shop(), repeatable=True) == {"call": 1}


def test_the_death_of_a_worker_is_seen_by_its_lock_not_waited_for(store: SqlStore) -> None:
    with pytest.raises(Killed):
        durable.once(store, "put:1", INTENT, Shop(raising(Killed())), repeatable=True, owner="w1")
    with pytest.raises(Pending):
        durable.once(store, "put:1", INTENT, Shop(), repeatable=True)

    with store.write() as unit:
        unit.workers.remove("w1")

    assert durable.once(store, "put:1", INTENT, Shop(), repeatable=True) == {"call": 1}


def test_a_zombie_learns_that_another_took_over(store: SqlStore) -> None:
    def overtaken() -> None:
        time.sleep(0.005)
        assert durable.once(store, "put:1", INTENT, Shop(), repeatable=True) == {"call": 1}

    with pytest.raises(LeaseLost):
        durable.once(store, "put:1", INTENT, Shop(overtaken), repeatable=True, lease=SHORT)


def test_late_news_settle_what_was_given_up(store: SqlStore) -> None:
    """The doer was slow, not dead; nobody did it again, so what it reports is the truth."""

    def doubted() -> None:
        time.sleep(0.005)
        with pytest.raises(Unsettled):
            durable.once(store, "pay:1", INTENT, Shop())

    assert durable.once(store, "pay:1", INTENT, Shop(doubted), lease=SHORT) == {"call": 1}
    assert durable.once(store, "pay:1", INTENT, Shop()) == {"call": 1}


@pytest.mark.parametrize(
    ("raised", "again"),
    [
        (RetryLater("busy"), None),
        (CannotSucceed("gone"), CannotSucceed),
        (OutcomeUnknown("no answer"), Unsettled),
        (ZeroDivisionError(), Unsettled),
    ],
)
def test_what_the_action_raises_decides_what_a_repeat_gets(
    store: SqlStore, raised: Exception, again: type[Exception] | None
) -> None:
    with pytest.raises(type(raised)):
        durable.once(store, "k", INTENT, Shop(raising(raised)))
    shop = Shop()

    if again is None:
        assert durable.once(store, "k", INTENT, shop) == {"call": 1}
    else:
        with pytest.raises(again):
            durable.once(store, "k", INTENT, shop)
        assert shop.calls == 0


def test_a_key_stands_for_one_intent(store: SqlStore) -> None:
    durable.once(store, "k", INTENT, Shop())

    with pytest.raises(CannotSucceed, match="a key of its own"):
        durable.once(store, "k", {"to": "elsewhere"}, Shop())
