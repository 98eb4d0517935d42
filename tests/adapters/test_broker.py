"""Dramatiq as a doorbell, in this process and over a real Valkey: rings arrive, may be lost, and never raise."""

import threading
import time
from collections.abc import Callable

import pytest
import redis
from dramatiq import Worker

from monitor.adapters.broker import (
    QUEUE,
    BrokerBell,
    EmbeddedWorker,
    Hooks,
    declare,
    embedded_broker,
)
from monitor.adapters.redis_broker import ping, redis_broker
from monitor.errors import RetryLater

PATIENCE_S = 20.0
#: A port below those that anybody is given, so that nothing listens there.
NOBODY = "redis://:secret@127.0.0.1:1/0"


def wait_for(happened: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        if happened():
            return True
        time.sleep(0.01)
    return False


@pytest.fixture
def complaints() -> list[str]:
    return []


def test_a_ring_reaches_the_embedded_worker(complaints: list[str]) -> None:
    broker, worked, rung = embedded_broker(), [], threading.Event()

    def work(job_id: int) -> None:
        worked.append(job_id)
        if len(worked) == 3:
            rung.set()

    declare(broker, work)
    bell, worker = BrokerBell(broker, complaints.append), EmbeddedWorker(broker, threads=2)
    worker.start()
    for job_id in (7, 8, 9):
        bell.ring(job_id)

    assert rung.wait(PATIENCE_S)
    worker.stop()
    worker.stop()  # a second time changes nothing
    broker.close()
    assert sorted(worked) == [7, 8, 9]
    assert complaints == []


def test_a_job_that_raises_is_not_tried_again_by_the_broker(complaints: list[str]) -> None:
    """Retries are the domain's and the sweep's; the next message still finds its worker."""
    broker, worked, rung = embedded_broker(), [], threading.Event()

    def work(job_id: int) -> None:
        worked.append(job_id)
        if job_id == 2:
            rung.set()
        raise ZeroDivisionError

    declare(broker, work)
    worker = EmbeddedWorker(broker, threads=1)
    worker.start()
    bell = BrokerBell(broker, complaints.append)
    bell.ring(1)
    bell.ring(2)

    assert rung.wait(PATIENCE_S)
    worker.stop()
    broker.close()
    assert worked == [1, 2]


def test_a_job_in_line_is_not_rung_twice_and_may_be_again_once_it_was_heard(complaints: list[str]) -> None:
    """With more jobs than threads the sweep rings again and again for those that wait for their turn."""
    broker, worked, rung = embedded_broker(), [], threading.Event()
    bell = BrokerBell(broker, complaints.append)

    def work(job_id: int) -> None:
        bell.heard(job_id)
        worked.append(job_id)
        if job_id == 9:
            rung.set()
        if len(worked) == 1:
            bell.ring(7)
            bell.ring(9)

    declare(broker, work)
    bell.ring(7)
    bell.ring(7)
    worker = EmbeddedWorker(broker, threads=1)
    worker.start()

    assert rung.wait(PATIENCE_S)
    worker.stop()
    broker.close()
    assert worked == [7, 7, 9]


def test_a_wake_up_that_was_lost_inside_the_process_is_rung_again(complaints: list[str]) -> None:
    """A job whose message was lost waited two minutes for its worker, and so did the night."""
    broker = embedded_broker()
    declare(broker, complaints.append)
    told, lost = broker.enqueue, [True]
    broker.enqueue = lambda message, **how: message if lost and lost.pop() else told(message, **how)
    bell = BrokerBell(broker, complaints.append)

    bell.ring(7)
    assert broker.queues[QUEUE].qsize() == 0, "it was lost"
    bell.ring(7)
    bell.ring(7)

    assert broker.queues[QUEUE].qsize() == 1
    broker.close()


def test_stopping_waits_for_the_step_under_way() -> None:
    broker, events = embedded_broker(), []
    begun, may_end = threading.Event(), threading.Event()

    def work(_job_id: int) -> None:
        begun.set()
        may_end.wait(PATIENCE_S)
        events.append("step ended")

    declare(broker, work)
    worker = EmbeddedWorker(broker, threads=1)
    worker.start()
    BrokerBell(broker, events.append).ring(1)
    assert begun.wait(PATIENCE_S)

    def stop() -> None:
        worker.stop()
        events.append("stopped")

    stopping = threading.Thread(target=stop)
    stopping.start()
    may_end.set()
    stopping.join(PATIENCE_S)
    broker.close()

    assert events == ["step ended", "stopped"]


@pytest.mark.slow
def test_a_ring_crosses_valkey_and_the_hooks_tell_the_life_of_the_worker(redis_url: str, complaints: list[str]) -> None:
    life: list[str] = []
    worked: list[int] = []
    sender, receiver = redis_broker(redis_url), redis_broker(redis_url)
    receiver.add_middleware(
        Hooks(lambda: life.append("start"), lambda: life.append("stop"), lambda: life.append("stopped"))
    )
    declare(sender, lambda _job_id: None)
    declare(receiver, worked.append)
    BrokerBell(sender, complaints.append).ring(42)
    worker = Worker(receiver, worker_threads=1, worker_timeout=100)
    worker.start()

    assert wait_for(lambda: worked == [42])
    worker.stop()
    sender.close()
    receiver.close()
    assert life == ["start", "stop", "stopped"]
    assert complaints == []


@pytest.mark.slow
def test_a_message_is_an_id_without_options_that_broker_would_act_on(redis_url: str, complaints: list[str]) -> None:
    broker = redis_broker(redis_url)
    declare(broker, lambda _job_id: None)
    BrokerBell(broker, complaints.append).ring(42)

    consumer = broker.consume(QUEUE, timeout=1000)
    message = next(found for found in consumer if found is not None)
    consumer.close()

    assert (message.args, message.kwargs, message.options.keys() - {"redis_message_id"}) == ((42,), {}, set())
    broker.close()


@pytest.mark.slow
def test_a_ring_that_nobody_hears_is_told_and_never_raised(complaints: list[str]) -> None:
    broker = redis_broker(NOBODY)
    declare(broker, lambda _job_id: None)

    bell = BrokerBell(broker, complaints.append)

    bell.ring(1)
    bell.ring(2)

    assert len(complaints) == 1  # the second one was not even tried: a broker that hangs must not hold up a sweep
    broker.close()


@pytest.mark.slow
def test_the_bell_rings_again_after_its_rest(
    redis_url: str, complaints: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    broker = redis_broker(redis_url)
    declare(broker, lambda _job_id: None)
    bell = BrokerBell(broker, complaints.append)
    working = broker.enqueue

    def hang_up(*_: object) -> None:
        raise OSError("connection reset")

    monkeypatch.setattr("monitor.adapters.broker.REST_S", 0.05)
    monkeypatch.setattr(broker, "enqueue", hang_up)
    bell.ring(1)
    monkeypatch.setattr(broker, "enqueue", working)

    def rung() -> bool:
        bell.ring(2)
        with redis.Redis.from_url(redis_url) as client:
            return bool(client.exists(f"dramatiq:{QUEUE}"))

    assert wait_for(rung)
    assert complaints == ["connection reset"]
    broker.close()


def test_the_doctor_learns_who_answers(redis_url: str) -> None:
    assert ping(redis_url).startswith("Valkey ")


def test_the_doctor_learns_that_nobody_answers_without_seeing_the_password() -> None:
    with pytest.raises(RetryLater) as silence:
        ping(NOBODY)

    assert "127.0.0.1:1/0 does not answer" in str(silence.value)
    assert "secret" not in str(silence.value)
