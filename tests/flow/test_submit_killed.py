"""A worker process is killed between the attempt and the answer; the next one finds out what became of it."""

import multiprocessing
import os
import signal
from datetime import timedelta

import pytest

from monitor.adapters.clock import SystemClock
from monitor.adapters.db.store import SqlStore
from monitor.adapters.http import Client
from monitor.adapters.shops import WebhookShop
from monitor.domain.action import ActionState, WriteState
from monitor.flow.submit import submit_due
from tests.fake_shop import Books, Fault
from tests.receiver import SECRET, Receiver
from tests.write_scene import WriteScene

pytestmark = pytest.mark.slow


@pytest.fixture
def scene(migrated_url):
    scene = WriteScene(migrated_url)
    yield scene
    scene.close()


def _shop(receiver: Receiver) -> WebhookShop:
    return WebhookShop(
        receiver.url, [SECRET], Client(), SystemClock(), read_url=receiver.url, deadline=timedelta(seconds=30)
    )


def _work(url: str, receiver_url: str, plan) -> None:
    shop = WebhookShop(
        receiver_url, [SECRET], Client(), SystemClock(), read_url=receiver_url, deadline=timedelta(seconds=30)
    )
    submit_due(SqlStore(url, SystemClock()), shop, plan, "worker-that-dies", SystemClock())
    os._exit(0)


@pytest.mark.parametrize(
    ("fault", "calls"),
    [
        (Fault.HANG_AFTER_COMMIT, 1),  # the shop changed the price and could not say so
        (Fault.LATE, 2),  # the shop had not changed it, and never does for this call
    ],
)
def test_killed_during_the_call_the_price_is_changed_exactly_once(scene, fault, calls):
    with Receiver(Books(A_1="27.90")) as receiver:
        receiver.books.faults.append(fault)
        write = scene.approve()
        fork = multiprocessing.get_context("fork")
        worker = fork.Process(target=_work, args=(scene.url, receiver.url, scene.plan))
        worker.start()
        assert receiver.arrived.wait(60), "the call reached the shop"
        assert worker.pid is not None
        os.kill(worker.pid, signal.SIGKILL)
        worker.join(30)

        assert worker.exitcode == -signal.SIGKILL
        assert scene.state(write) is WriteState.CALLING
        shop = _shop(receiver)
        states = []
        for _ in range(6):
            scene.pass_time(seconds=121)
            states += [result.state for result in scene.submit(shop)]

        assert states == [WriteState.QUEUED, WriteState.APPLIED][-calls:]
        assert scene.action_state(write) is ActionState.APPLIED
        assert (len(receiver.books.calls), len(receiver.books.changes)) == (calls, 1)
        assert len(set(receiver.books.calls)) == 1
        assert [alert.key.rpartition(":")[2] for alert in scene.alerts()] == ["unknown"]


@pytest.mark.parametrize(
    ("fault", "state", "changes"),
    [
        (Fault.HANG_AFTER_COMMIT, WriteState.APPLIED, 1),
        (Fault.ERROR_BEFORE, WriteState.APPLIED, 1),
        (Fault.ERROR_AFTER, WriteState.APPLIED, 1),
        (Fault.RESET, WriteState.APPLIED, 1),
        (Fault.SILENT_NOOP, WriteState.FAILED, 0),  # its receiver replays the empty yes for the key, as it must
        (Fault.THROTTLE, WriteState.APPLIED, 1),
        (Fault.DRIFT, WriteState.CONFLICT, 1),
    ],
)
def test_over_real_http_each_fault_ends_with_one_change_or_a_person_told(own_sqlite_url, fault, state, changes):
    scene = WriteScene(own_sqlite_url)
    with Receiver(Books(A_1="27.90")) as receiver:
        receiver.books.faults.append(fault)
        write = scene.approve()
        shop = WebhookShop(
            receiver.url, [SECRET], Client(), SystemClock(), read_url=receiver.url, deadline=timedelta(seconds=1)
        )
        for _ in range(10):
            scene.submit(shop)
            scene.pass_time(minutes=20)

        assert scene.state(write) is state
        assert len(receiver.books.changes) == changes
        assert len(set(receiver.books.calls)) == 1
    scene.close()
