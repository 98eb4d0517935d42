"""Starts processes that have everything imported: `python -m tests.chaos.zygote` forks a child per order.

Importing the program takes seconds, a sweep over every boundary needs hundreds of processes. The zygote has
imported everything, holds no connection and no thread, and each child is a real process that a real SIGKILL ends.
"""

import gc
import json
import os
import resource
import subprocess
import sys
import traceback
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from tests.chaos.serial import Order, warm_up, work

CHECKOUT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Ended:
    """How a child ended."""

    code: int  #: exit code, or minus the number of the signal
    commits: tuple[str, ...]  #: what each commit changed; empty when it was killed


class Zygote:
    """The process that forks, from outside."""

    def __init__(self, log: Path) -> None:
        with log.open("ab") as said:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tests.chaos.zygote"],
                cwd=CHECKOUT,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=said,
                text=True,
            )

    def warm_up(self, order: Order) -> None:
        """Have it run a night by itself, so that its children find everything compiled."""
        self._ask({"warm_up": asdict(order)})

    def start(self, order: Order) -> int:
        """Start a child and return its process id."""
        return int(self._ask({"start": asdict(order)})["pid"])

    def wait(self, pid: int) -> Ended:
        """Wait for the end of a child."""
        said = self._ask({"wait": pid})
        return Ended(said["code"], tuple(said["commits"]))

    def run(self, order: Order) -> Ended:
        """Start a child and wait for its end."""
        return self.wait(self.start(order))

    def _ask(self, question: dict[str, Any]) -> dict[str, Any]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(question) + "\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        assert answer, "the zygote died; see its log"
        said: dict[str, Any] = json.loads(answer)
        return said

    def close(self) -> None:
        """End it."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait(30)
        self._process.stdout.close()


def _fork(order: Order) -> tuple[int, int]:
    readable, writable = os.pipe()
    pid = os.fork()
    if pid:
        os.close(writable)
        return pid, readable
    code = 1
    try:
        _say_to(order.log)
        commits = work(order)
        os.write(writable, json.dumps(commits).encode())
        code = 0
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(code)


def _say_to(log: str) -> None:
    said = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    nothing = os.open(os.devnull, os.O_RDONLY)
    for theirs, ours in ((nothing, 0), (said, 1), (said, 2)):
        os.dup2(theirs, ours)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _wait(pid: int, readable: int) -> dict[str, Any]:
    with os.fdopen(readable, "rb") as pipe:
        said = pipe.read()
    _, status = os.waitpid(pid, 0)
    return {"code": os.waitstatus_to_exitcode(status), "commits": json.loads(said or "[]")}


def main() -> None:
    """Answer one question per line."""
    pipes: dict[int, int] = {}
    for line in sys.stdin:
        question = json.loads(line)
        if "start" in question:
            pid, pipes_end = _fork(Order(**question["start"]))
            pipes[pid] = pipes_end
            answer: dict[str, Any] = {"pid": pid}
        elif "warm_up" in question:
            warm_up(Order(**question["warm_up"]))
            gc.freeze()  # what children share need not be looked through, and stays shared
            answer = {}
        else:
            answer = _wait(question["wait"], pipes.pop(question["wait"]))
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
