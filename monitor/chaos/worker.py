"""A working process of the chaos run, and the nursery that forks them: `python -m monitor.chaos.worker DIR`.

Importing the program takes a second or more, and a chaos run kills a thousand processes. The nursery imports
everything once, keeps no thread and no connection, and forks; each worker is a real process that a real SIGKILL ends.

The broker is misled on the way: with `bell`, wake-ups are lost and doubled as drawn.
"""

import json
import os
import subprocess
import sys
import time
import traceback
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from datetime import timedelta
from pathlib import Path
from random import Random
from typing import Any

from monitor.adapters.alone import fork_the_stem
from monitor.chaos.memory import Greedy
from monitor.chaos.storm import insist
from monitor.demo.child import own_environment
from monitor.wiring import Working, open_app

#: Of the wake-ups of a misled broker, how many are lost and how many come twice.
_LOST, _DOUBLED = 0.05, 0.25


@dataclass(frozen=True, slots=True)
class Wish:
    """What a worker is started with."""

    directory: str
    log: str
    environ: Mapping[str, str]
    ahead_s: float = 0.0
    bell: int = 0  #: seed of the misled broker; 0: it is told the truth


def _work(wish: Wish) -> None:
    fork_the_stem()  # after a few kills most steps are suspect, and importing the program again costs a second
    app = open_app(
        Path(wish.directory),
        environ={**own_environment(), **wish.environ},
        role="chaos",
        ahead=timedelta(seconds=wish.ahead_s),
    )
    # The actor was declared for this very App, so that it is changed and not replaced.
    object.__setattr__(app, "fetcher", Greedy(app.fetcher))
    if wish.bell:
        told = app.broker.enqueue
        app.broker.enqueue = _misled(told, Random(wish.bell))  # type: ignore[method-assign]  # a broken broker
    working = Working(app, threads=app.settings.worker.threads, stands_in=app.settings.redis_url is not None)
    working.start()
    insist(lambda: app.begin("chaos"))
    nursery = os.getppid()
    while os.getppid() == nursery:  # whoever started us may be killed too
        time.sleep(0.5)


def _misled(enqueue: Callable[..., Any], rng: Random) -> Callable[..., Any]:
    def ring(message: Any, **how: Any) -> Any:
        drawn = rng.random()
        if drawn < _LOST:
            return message
        if drawn < _LOST + _DOUBLED:
            enqueue(message, **how)
        return enqueue(message, **how)

    return ring


class Nursery:
    """The forking process, from outside.

    Args:
        log: where it says what went wrong; temporary files stand beside it, since whoever is killed leaves some.
    """

    def __init__(self, log: Path) -> None:
        scratch = log.with_name("tmp")
        scratch.mkdir(exist_ok=True)
        with log.open("ab") as said:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "monitor.chaos.worker"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=said,
                text=True,
                env={**own_environment(), "TMPDIR": str(scratch)},
            )

    def start(self, wish: Wish) -> int:
        """Fork a worker and return its process id."""
        return int(self._ask({"start": asdict(wish)}))

    def wait(self, pid: int) -> int:
        """Wait for the end of a worker and return its exit code."""
        return int(self._ask({"wait": pid}))

    def poll(self, pid: int) -> int | None:
        """Return the exit code of a worker that ended by itself, None while it lives; ask once about one that ended."""
        answer = self._ask({"poll": pid}).strip()
        return int(answer) if answer else None

    def _ask(self, question: dict[str, Any]) -> str:
        if self._process.stdin is None or self._process.stdout is None:
            raise RuntimeError("the nursery was started without pipes")
        self._process.stdin.write(json.dumps(question) + "\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        if not answer:
            raise RuntimeError("the nursery died; its log is beside the config directory")
        return answer

    def close(self) -> None:
        """End it; its workers have ended before."""
        if self._process.stdin is not None:
            self._process.stdin.close()
        if self._process.stdout is not None:
            self._process.stdout.close()
        self._process.wait(30)


def _forked(wish: Wish) -> int:
    pid = os.fork()
    if pid:
        return pid
    try:
        said = os.open(wish.log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        nothing = os.open(os.devnull, os.O_RDWR)
        for theirs, ours in ((nothing, 0), (nothing, 1), (said, 2)):
            os.dup2(theirs, ours)
        _work(wish)
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(1)


def main() -> None:
    """Answer one question per line until the asker is gone."""
    for line in sys.stdin:
        question = json.loads(line)
        answer: int | str
        if "start" in question:
            answer = _forked(Wish(**question["start"]))
        elif "poll" in question:
            pid, status = os.waitpid(question["poll"], os.WNOHANG)
            answer = os.waitstatus_to_exitcode(status) if pid else ""
        else:
            answer = os.waitstatus_to_exitcode(os.waitpid(question["wait"], 0)[1])
        sys.stdout.write(f"{answer}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
