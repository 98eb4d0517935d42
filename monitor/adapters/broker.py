"""Dramatiq as a doorbell: a message carries one job id and may be lost, doubled or late without harm.

Its own retries, delays, time limits, results and groups are all off: the jobs table and the sweep do that
(Dramatiq redelivers after minutes when a worker is killed, and loses delayed messages with their worker).
Embedded, the broker and a real Worker live in this process; distributed, the broker is Redis or Valkey (see
`redis_broker`).
"""

import contextlib
import math
import os
import threading
import time
import traceback
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import dramatiq
from dramatiq import Broker, Middleware, Worker
from dramatiq.brokers.stub import StubBroker

#: The queue of every job.
QUEUE = "jobs"
#: The one actor.
ACTOR = "work"
#: How long the bell rests after a ring that failed; the sweep rings again for what it missed.
REST_S = 5.0
#: A wake-up that waits in this process is not rung again for so long; after that it is taken for lost.
FORGET_S = 30.0
#: How often a thread without work looks whether it is to end, in milliseconds: sixty of them that do it ten times a
#: second take a fiftieth of a core for it.
_LOOK_UP_MS = 250


class Hooks(Middleware):
    """Tells our process when its Dramatiq worker starts, has to stop, and has stopped."""

    def __init__(
        self, on_start: Callable[[], None], on_stop: Callable[[], None], on_stopped: Callable[[], None]
    ) -> None:
        self._on_start, self._on_stop, self._on_stopped = on_start, on_stop, on_stopped

    def after_worker_boot(self, broker: Broker, worker: Worker) -> None:
        """Start what a working process needs beside its threads.

        Dramatiq logs and forgets what a hook raises, and the worker would go on without a heartbeat. So a start that
        fails ends the process: loudly, and whoever supervises it starts another.
        """
        try:
            self._on_start()
        except BaseException:
            traceback.print_exc()
            os._exit(1)

    def before_worker_shutdown(self, broker: Broker, worker: Worker) -> None:
        """Ask the loops to give their jobs back at their next checkpoint."""
        self._on_stop()

    def after_worker_shutdown(self, broker: Broker, worker: Worker) -> None:
        """Leave, now that no loop is left."""
        self._on_stopped()


def embedded_broker() -> Broker:
    """Return a broker inside this process; what it holds is lost at exit, and the sweep rings again."""
    return StubBroker(middleware=[])


def declare(broker: Broker, work: Callable[[int], Any]) -> None:
    """Declare the one actor: work on a job."""

    @dramatiq.actor(actor_name=ACTOR, queue_name=QUEUE, broker=broker)
    def run(job_id: int) -> None:
        work(job_id)


class BrokerBell:
    """Rings by sending a message; after a failure it rests, so that a broker that hangs holds up no sweep.

    With more jobs than threads, those in line are rung for again before their turn comes. Inside this process it is
    known how many messages are on their way, so a second one is left out: each would be one more claim in vain.
    """

    def __init__(self, broker: Broker, on_error: Callable[[str], None]) -> None:
        self._broker, self._on_error = broker, on_error
        self._is_here = isinstance(broker, StubBroker)
        self._in_line: dict[int, float] = {}  # until when each is not rung again
        self._rests_until = -math.inf
        self.is_unheard = False  #: the last ring did not reach the broker

    def heard(self, job_id: int) -> None:
        """Note that a worker of this process has got the message, so that the job may be rung again."""
        self._in_line.pop(job_id, None)

    def ring(self, job_id: int) -> None:
        """Ask some worker to claim this job; never raises."""
        now = time.monotonic()
        if now < self._rests_until or (now < self._in_line.get(job_id, -math.inf) and self._are_all_there()):
            return
        if self._is_here:
            self._in_line[job_id] = now + FORGET_S
        message: dramatiq.Message[Any] = dramatiq.Message(
            queue_name=QUEUE, actor_name=ACTOR, args=(job_id,), kwargs={}, options={}
        )
        try:
            self._broker.enqueue(message)
            self.is_unheard = False
        except (dramatiq.errors.BrokerConnectionError, OSError) as unreachable:
            self._rests_until = time.monotonic() + REST_S
            self.is_unheard = True
            self._on_error(str(unreachable))

    def _are_all_there(self) -> bool:
        """Say whether as many messages are on their way as should be; else one was lost, and nobody can say which."""
        if self._broker.queues[QUEUE].unfinished_tasks >= len(self._in_line):
            return True
        self._in_line.clear()
        return False


class EmbeddedWorker:
    """The threads of an embedded working process."""

    def __init__(self, broker: Broker, threads: int) -> None:
        self._worker = Worker(broker, worker_threads=threads, worker_timeout=_LOOK_UP_MS)
        self._stopped = threading.Event()

    def start(self) -> None:
        """Start the threads."""
        self._worker.start()

    def stop(self, timeout_s: float = 25.0) -> None:
        """Wait for the steps under way and end the threads."""
        if not self._stopped.is_set():
            self._stopped.set()
            with contextlib.suppress(RuntimeError):
                self._worker.stop(timeout=int(timeout_s * 1000))


class StandIn:
    """Threads that work on due jobs while the broker cannot be reached; a job that another has is left to it."""

    def __init__(self, work: Callable[[int], Any], threads: int, on_error: Callable[[Exception], None]) -> None:
        self._work, self._on_error = work, on_error
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="stand-in")
        self._free = threading.Semaphore(threads)

    def take(self, job_ids: Iterable[int]) -> None:
        """Work on as many of these as there are free threads; returns at once."""
        for job_id in job_ids:
            if not self._free.acquire(blocking=False):
                return
            self._pool.submit(self._one, job_id)

    def _one(self, job_id: int) -> None:
        try:
            self._work(job_id)
        except Exception as failed:  # as in a worker of the broker: the lease ends, and the sweep recovers the job
            self._on_error(failed)
        finally:
            self._free.release()

    def stop(self) -> None:
        """Wait for the steps under way."""
        self._pool.shutdown(wait=True)
