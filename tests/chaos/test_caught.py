"""What `monitor chaos` does when it stops a worker in the moment in which nobody else can read the database."""

import fcntl
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from monitor.chaos.storm import caught
from monitor.errors import StoreUnavailable

_HOLDS_IT_SHORTLY = """
import fcntl, sys, time
held = open(sys.argv[1])
fcntl.flock(held, fcntl.LOCK_EX)
print("held", flush=True)
time.sleep(0.05)
held.close()
time.sleep(60)
"""


@pytest.fixture
def gate(tmp_path: Path) -> Path:
    """A file whose lock keeps readers out."""
    path = tmp_path / "gate"
    path.touch()
    return path


@pytest.fixture
def worker(gate: Path) -> Iterator[int]:
    """A process that keeps readers out just now, and would let them in if it might go on."""
    command = [sys.executable, "-I", "-S", "-c", _HOLDS_IT_SHORTLY, str(gate)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        yield process.pid
        process.kill()


def test_a_worker_that_was_stopped_while_it_keeps_readers_out_is_let_go_and_stopped_again(
    worker: int, gate: Path
) -> None:
    """Waiting beside it for an answer would be waiting for ever: one night in two hundred ended like that."""
    asked: list[str] = []

    def ask() -> str:
        asked.append(_state(worker))
        with gate.open() as held:
            try:
                fcntl.flock(held, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                raise StoreUnavailable("locking protocol") from None
        return "answered"

    assert caught(worker, ask) == "answered"
    assert len(asked) >= 2, "the first time it was in the way"
    assert set(asked) == {"T"}, "it stood still whenever something was asked"
    assert _state(worker) == "T", "and is left so"


def _state(pid: int) -> str:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
