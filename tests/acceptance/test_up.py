"""`monitor up` as a process: a supervisor, its working process, and how both end."""

import os
import signal
import socket
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import httpx
import pytest

from monitor.domain.run import RunState
from tests.acceptance.programs import Place, Program, counted, last_night, place_for, until
from tests.market import Market
from tests.servers import free_port

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]


@pytest.fixture
def market() -> Iterator[Market]:
    """Four shops of five pages."""
    with Market() as opened:
        yield opened


@pytest.fixture
def place(market: Market, tmp_path: Path) -> Iterator[Place]:
    """A config directory for that market, with a port of its own."""
    with place_for(market, tmp_path) as made:
        made.set("monitor.toml", "port", str(free_port()))
        made.set("monitor.toml", "catch_up_h", "24")
        yield made


def port_of(place: Place) -> int:
    """Return the port that its configuration names."""
    lines = (place.config / "monitor.toml").read_text("utf-8").splitlines()
    return next(int(line.split("=")[1]) for line in lines if line.startswith("port = "))


def answers(place: Place) -> bool:
    """Say whether the web of a place answers."""
    with suppress(httpx.TransportError):
        return httpx.get(f"http://127.0.0.1:{port_of(place)}/healthz", timeout=10).json()["status"] == "ok"
    return False


def is_reported(place: Place) -> bool:
    """Say whether its newest night has a report."""
    with place.store() as store:
        return last_night(store).run.state is RunState.REPORTED


def working_child(supervisor: Program) -> int | None:
    """Return the process id of the working process, when there is one."""
    return next(iter(supervisor.children()), None)


def test_a_killed_working_process_is_started_again_and_the_night_goes_on(market: Market, place: Place) -> None:
    """SIGKILL for the child in mid-run; the supervisor starts another, which resumes and answers again."""
    market.hold_from(2)
    supervisor = place.start("up")
    under_way = market.held(4)
    until(lambda: answers(place), beside=supervisor)
    first = working_child(supervisor)
    assert first is not None
    os.kill(first, signal.SIGKILL)
    killed_at = time.monotonic()

    second = until(lambda: (child := working_child(supervisor)) != first and child, beside=supervisor)
    started = time.monotonic() - killed_at
    market.held(8)  # those under way were asked for again
    resumed = time.monotonic() - killed_at
    market.release()
    until(lambda: is_reported(place), beside=supervisor)
    until(lambda: answers(place), beside=supervisor)

    print(f"\nnew process {started:.2f} s after SIGKILL, its first repeated calls {resumed:.2f} s after")
    assert working_child(supervisor) == second, "one restart was enough"
    with place.store() as store:
        night = last_night(store)
        assert counted(store, "runs", "reports") == {"runs": 1, "reports": 1}
    assert {step.attempts for steps in night.steps.values() for step in steps} == {1, 2}
    assert len(night.repeated()) == len(under_way) == sum(count - 1 for count in market.hits.values())


@pytest.mark.parametrize("is_storm", [False, True], ids=["once", "again and again, to both"])
def test_sigterm_ends_supervisor_and_child_after_their_steps(market: Market, place: Place, *, is_storm: bool) -> None:
    """No process is left, the port is free, and the jobs were given back at a checkpoint."""
    market.delay_s = 0.5
    supervisor = place.start("up")
    market.wait_for_pages(6)
    until(lambda: answers(place), beside=supervisor)
    asked_at = time.monotonic()
    supervisor.terminate()
    for _ in range(20 * is_storm):
        time.sleep(0.02)
        for pid in (supervisor.process.pid, *supervisor.children()):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGTERM)

    assert supervisor.wait() == 0, supervisor.log
    print(f"\nended {time.monotonic() - asked_at:.2f} s after SIGTERM")
    assert supervisor.group() == []
    with socket.socket() as free:
        free.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        free.bind(("127.0.0.1", port_of(place)))
    assert "Traceback" not in supervisor.log
    with place.store() as store:
        left = last_night(store)
        assert left.started() == {}
        assert left.running == frozenset()
        assert counted(store, "workers", "recoveries") == {"workers": 0, "recoveries": 0}
    market.delay_s = 0
    assert place.facts("run")["tool_calls"] == 20
    assert set(market.hits.values()) == {1}, "nothing was asked for twice"


def test_a_child_with_a_wrong_configuration_is_not_started_again(place: Place) -> None:
    """Only a person can put that right, so the supervisor says what is wrong and ends with 2."""
    place.set("monitor.toml", "zone", '"Europe/Berlim"')
    supervisor = place.start("up")

    assert supervisor.wait() == 2
    assert supervisor.log.count("Europe/Berlim") == 1
    assert "starting it again" not in supervisor.log
    assert "Traceback" not in supervisor.log


def test_a_killed_supervisor_leaves_no_working_process(place: Place) -> None:
    """The child sees the end of the pipe its supervisor held and leaves in order, so the next `up` is not refused."""
    supervisor = place.start("up")
    until(lambda: answers(place), beside=supervisor)
    child = working_child(supervisor)
    assert child is not None
    os.kill(supervisor.process.pid, signal.SIGKILL)

    until(lambda: not Path(f"/proc/{child}").exists() or is_zombie(child))
    with place.store() as store:
        assert counted(store, "workers") == {"workers": 0}


def is_zombie(pid: int) -> bool:
    """Say whether a process has ended and only waits to be counted."""
    with suppress(FileNotFoundError):
        return Path(f"/proc/{pid}/stat").read_text("utf-8").rsplit(")", 1)[1].split()[0] == "Z"
    return True
