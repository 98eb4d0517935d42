"""Steps during which the process died: real processes, killed; on both databases."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from monitor.adapters.alone import MOST_AT_ONCE, Alone, AloneLimits, fork_the_stem
from monitor.adapters.clock import SystemClock
from monitor.adapters.db.store import SqlStore
from monitor.domain.durability import Cause
from monitor.domain.run import Job, JobState, Run, Step, StepState
from monitor.durable import Call, DiedAlone, Done, Ending, Finish, Incarnation, Plan, Tool, ToolContext, work
from monitor.errors import CannotSucceed, LeaseLost, RetryLater
from monitor.ports.store import Unit
from tests.acceptance.programs import until
from tests.core_scene import begun, job_of, steps_of

ALONE = Alone(AloneLimits(memory_bytes=600_000_000, processor_s=6, wall_s=100))
#: Nothing renews it here, and on a busy machine a process takes long to start.
LEASE = timedelta(minutes=2)


def poison() -> int:
    """Kill whichever process runs this, as a page does that makes a parser run wild."""
    os.kill(os.getpid(), signal.SIGKILL)
    return 0


def innocent(note: str) -> int:
    """Kill the process twice, for reasons that are not the page's, then work."""
    before = Path(note)
    deaths = int(before.read_text()) if before.exists() else 0
    if deaths < 2:
        before.write_text(str(deaths + 1))
        os.kill(os.getpid(), signal.SIGKILL)
    return os.getpid()


def hungry() -> int:
    """Ask for more memory than a child may have."""
    return len(b"x" * 2_000_000_000)


def busy() -> None:
    """Never end, and use the processor."""
    while True:
        pass


def asleep() -> None:
    """Never end."""
    time.sleep(60)


def refusing() -> None:
    """Raise an error whose constructor wants more than words."""
    raise LeaseLost("nightly/acme", 3)


def odd() -> None:
    """Raise an error that cannot be pickled."""

    class LocalError(CannotSucceed):
        pass

    raise LocalError("not here")


class Three:
    """A plan of three pages, the second of which is dangerous."""

    def next(self, steps: Sequence[Step]) -> Call | Finish:
        """Ask for the next."""
        return Finish() if len(steps) == 3 else Call("page", {"n": len(steps) + 1})

    def out_of_budget(self, steps: Sequence[Step], refused: Call) -> Finish:
        """End."""
        return Finish()


def opener(what: str, note: str) -> Any:
    """Return what opens a job whose second step calls something dangerous."""

    def page(context: ToolContext, args: dict[str, Any]) -> Done:
        if args["n"] != 2:
            return Done({"pid": os.getpid()})
        return Done({"pid": context.call(poison) if what == "poison" else context.call(innocent, note)})

    def open_job(_unit: Unit, _job: Job) -> tuple[Plan, Mapping[str, Tool]]:
        return Three(), {"page": page}

    return open_job


def worked_in_a_process(store: SqlStore, run: Run, what: str, note: Path) -> int:
    """Work on acme's job in a process of its own, have its death noticed, and return how it ended."""
    url, job_id = store.url.render_as_string(hide_password=False), job_of(store, run).id
    begin = f"from tests.durable.test_suspect import main; main({url!r}, {job_id}, {what!r}, {str(note)!r})"
    command = [sys.executable, "-c", begin]
    ended = subprocess.run(command, cwd=Path(__file__).parents[2], timeout=60, check=False)
    with store.write() as unit:
        for worker in [row.id for row in unit.workers.all()]:
            unit.jobs.recover_from(worker, Cause.DIED)
            unit.workers.remove(worker)
    return ended.returncode


def main(url: str, job_id: int, what: str, note: str) -> None:
    """Be a worker."""
    store, me = SqlStore(url, SystemClock()), Incarnation("test", lease=LEASE, fence_after=LEASE)
    with store.write() as unit:
        unit.workers.register(me.id, "test", "host", os.getpid())
    ending = work(job_id, store=store, me=me, open_job=opener(what, note), alone=ALONE)
    sys.exit(0 if ending is Ending.ENDED else 1)


@pytest.fixture
def store(migrated_url: str) -> Any:
    made = SqlStore(migrated_url, SystemClock())
    yield made
    made.close()


@pytest.mark.slow
def test_a_page_that_kills_its_process_is_marked_failed_when_it_kills_a_child_alone(
    store: SqlStore, tmp_path: Path
) -> None:
    run = begun(store)

    codes = [worked_in_a_process(store, run, "poison", tmp_path / "n") for _ in range(3)]

    assert codes == [-signal.SIGKILL, -signal.SIGKILL, 0]
    first, second, third = steps_of(store, run)
    assert [step.state for step in (first, second, third)] == [StepState.DONE, StepState.ERROR, StepState.DONE]
    assert "ended by SIGKILL" in str(second.error)
    assert (second.attempts, job_of(store, run).state, job_of(store, run).calls_used) == (3, JobState.DONE, 5)


@pytest.mark.slow
def test_a_step_that_is_not_to_blame_is_never_given_up(store: SqlStore, tmp_path: Path) -> None:
    run = begun(store)

    codes = [worked_in_a_process(store, run, "innocent", tmp_path / "n") for _ in range(3)]

    assert codes == [-signal.SIGKILL, -signal.SIGKILL, 0]
    first, second, third = (step.result or {} for step in steps_of(store, run))
    assert first["pid"] not in (second["pid"], third["pid"])  # another process began
    assert second["pid"] != third["pid"]  # the suspect step ran alone, the one after it did not
    with store.read() as unit:
        counted = unit.metrics.counted(since=None, run_id=run.id)
    assert len(counted.waits) == 2


@pytest.mark.slow
@pytest.mark.parametrize(
    ("function", "words"),
    [
        (poison, "ended by SIGKILL"),
        (hungry, "600 MB of memory"),
        (busy, "6 s of processor time"),
    ],
)
def test_a_child_that_dies_or_passes_a_limit_is_named(function: Any, words: str) -> None:
    with pytest.raises(DiedAlone, match=words):
        ALONE(function)


@pytest.mark.slow
def test_a_child_that_hangs_is_ended() -> None:
    with pytest.raises(DiedAlone, match="did not end within 1 s"):
        Alone(AloneLimits(wall_s=1))(asleep)


@pytest.mark.slow
def test_what_the_function_raises_arrives() -> None:
    with pytest.raises(RetryLater, match="fence 3"):
        ALONE(refusing)
    with pytest.raises(CannotSucceed, match="not here"):
        ALONE(odd)
    with pytest.raises(ZeroDivisionError):
        ALONE(divmod, 1, 0)


@pytest.mark.slow
def test_what_a_child_prints_does_not_mix_with_its_answer() -> None:
    assert ALONE(print, "hello") is None


def bereaved(note: str) -> int:
    """Kill whoever began this child, once."""
    mark = Path(note)
    if not mark.exists():
        mark.touch()
        os.kill(os.getppid(), signal.SIGKILL)
    return os.getppid()


@pytest.mark.slow
def test_each_call_has_a_child_and_all_come_from_one_process() -> None:
    assert ALONE(os.getpid) != ALONE(os.getpid)
    assert ALONE(os.getppid) == ALONE(os.getppid) != os.getpid()


@pytest.mark.slow
def test_a_call_whose_beginner_was_killed_is_made_by_another(tmp_path: Path) -> None:
    """That it was killed says nothing about the page."""
    before = ALONE(os.getppid)

    assert ALONE(bereaved, str(tmp_path / "killed")) != before
    assert ALONE(divmod, 7, 2) == (3, 1)


def forking() -> None:
    """Fork the stem, name it and this process as a child of it sees them, and be killed."""
    fork_the_stem()
    begun_by = ALONE(os.getppid)
    assert ALONE(os.getppid) == begun_by
    print(os.getpid(), begun_by, flush=True)
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.slow
def test_a_forked_stem_serves_its_process_and_ends_with_it() -> None:
    """Nobody started an interpreter for it: it has the command line of the process that it was forked from."""
    command = [sys.executable, "-c", "from tests.durable.test_suspect import forking; forking()"]
    with subprocess.Popen(command, cwd=Path(__file__).parents[2], stdout=subprocess.PIPE, text=True) as owner:
        assert owner.stdout is not None
        told = owner.stdout.readline()
        begun_by = Path(f"/proc/{told.split()[1]}")
        with suppress(FileNotFoundError):  # it may have ended by now
            assert "forking" in (begun_by / "cmdline").read_text() or not (begun_by / "cmdline").read_text()

    assert owner.returncode == -signal.SIGKILL
    assert told.split()[0] == str(owner.pid) != told.split()[1]
    until(lambda: not begun_by.exists())


def files() -> int:
    """Count the files that are open here."""
    return len(list(Path("/dev/fd").iterdir()))


@pytest.mark.slow
def test_a_child_has_no_file_of_its_neighbours() -> None:
    """A pipe of another call that stayed open here would keep that call from ending."""
    with ThreadPoolExecutor(MOST_AT_ONCE) as pool:
        alone = list(pool.map(lambda _: ALONE(files), range(MOST_AT_ONCE)))
    assert max(alone) <= 5  # the standard three, the answer, and the directory that is listed


def marked(folder: str, name: str) -> int:
    """Say that this child runs, wait a little, and return how many ran at that time."""
    mark = Path(folder) / name
    mark.touch()
    time.sleep(0.5)
    beside = len(list(Path(folder).iterdir()))
    mark.unlink()
    return beside


@pytest.mark.slow
def test_after_a_crash_only_a_few_children_run_at_once(tmp_path: Path) -> None:
    alone = Alone()
    with ThreadPoolExecutor(3 * MOST_AT_ONCE) as pool:
        beside = list(pool.map(lambda n: alone(marked, str(tmp_path), str(n)), range(3 * MOST_AT_ONCE)))
    assert len(beside) == 3 * MOST_AT_ONCE
    assert max(beside) <= MOST_AT_ONCE
