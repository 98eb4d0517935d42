"""When a job that was left rings for the next ones, whose turn it is to write, and how Python runs meanwhile."""

import gc
import sys
import threading

from monitor.adapters.db.turn import Turn
from monitor.wiring.interpreter import SWITCH_S, THRESHOLDS, tuned
from monitor.wiring.rounds import Rounds


def test_half_of_the_rung_jobs_are_left_before_it_is_rung_again() -> None:
    rounds = Rounds()
    assert rounds.is_due()

    rounds.rang(6)
    assert [rounds.is_due() for _ in range(4)] == [False, False, False, True]


def test_the_last_jobs_of_a_night_each_ring_so_that_its_report_waits_for_nobody() -> None:
    rounds = Rounds()
    for count in (1, 0):
        rounds.rang(count)
        assert rounds.is_due()
        assert rounds.is_due()


def test_every_night_ends_with_a_ring_however_many_jobs_it_has() -> None:
    """Whoever leaves the last job must ring, or the synthesis waits for the sweep."""
    for jobs in range(1, 200):
        rounds, queued, is_due = Rounds(), jobs, False
        for _ in range(jobs + 1):
            is_due = rounds.is_due()
            if is_due:
                rounds.rang(min(queued, 16))
                queued -= min(queued, 16)
        assert queued == 0
        assert is_due, jobs


def test_an_urgent_turn_comes_before_those_that_waited_longer() -> None:
    turn, order = Turn(), []
    has_begun, may_end = threading.Event(), threading.Event()

    def hold() -> None:
        with turn.taken():
            has_begun.set()
            may_end.wait(5)

    def take(name: str, *, urgent: bool) -> None:
        with turn.taken(urgent=urgent):
            order.append(name)

    holder = threading.Thread(target=hold)
    holder.start()
    assert has_begun.wait(5)
    patient = [threading.Thread(target=take, args=(str(n),), kwargs={"urgent": False}) for n in range(8)]
    for thread in patient:
        thread.start()
    first = threading.Thread(target=take, args=("urgent",), kwargs={"urgent": True})
    first.start()
    while not turn.is_awaited:
        threading.Event().wait(0.001)
    may_end.set()
    for thread in (holder, first, *patient):
        thread.join(5)

    assert order[0] == "urgent"
    assert len(order) == 9


def test_one_writes_at_a_time() -> None:
    turn, inside, most = Turn(), [0], [0]

    def work(*, urgent: bool) -> None:
        for _ in range(200):
            with turn.taken(urgent=urgent):
                inside[0] += 1
                most[0] = max(most[0], inside[0])
                inside[0] -= 1

    threads = [threading.Thread(target=work, kwargs={"urgent": n == 0}) for n in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)

    assert most == [1]


def test_a_working_process_leaves_the_interpreter_as_it_found_it() -> None:
    gc.unfreeze()  # of what the tests keep from the collector, which gets it back at the end
    before = (sys.getswitchinterval(), gc.get_threshold(), gc.get_freeze_count())
    back = tuned()
    during = (sys.getswitchinterval(), gc.get_threshold(), gc.get_freeze_count() > before[2])
    back()
    after = (sys.getswitchinterval(), gc.get_threshold(), gc.get_freeze_count())
    gc.freeze()

    assert during == (SWITCH_S, THRESHOLDS, True)
    assert after == before
