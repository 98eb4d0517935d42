"""The product as its users have it: a config directory, and commands that run as processes of their own.

Nothing of the package is called in this process except to read what a command left in the database.
"""

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, TypeVar

from monitor.adapters.clock import SystemClock
from monitor.adapters.db.store import SqlStore
from monitor.domain.run import Job, JobKind, JobState, Run, Step, StepState
from monitor.settings import create
from tests.market import Market
from tests.servers import SmtpServer

CHECKOUT = Path(__file__).parents[2]
#: Our own price of every product of a market whose pages all say 95.00.
OURS = {"price": "100.00", "min_price": "80.00", "max_price": "120.00"}
Found = TypeVar("Found")


def until(ask: Callable[[], Found], timeout_s: float = 120, *, beside: "Program | None" = None) -> Found:
    """Ask until the answer is true and return it; a busy machine gets a generous deadline."""
    give_up_at = time.monotonic() + timeout_s
    while True:
        answer = ask()
        if answer:
            return answer
        assert time.monotonic() < give_up_at, f"it never came true; the log beside it:\n{beside.log if beside else ''}"
        time.sleep(0.02)


class Program:
    """A process with its children, in a process group of its own; what it says goes to a file."""

    def __init__(self, command: Sequence[str], *, cwd: Path, env: dict[str, str], log: Path) -> None:
        self._log = log
        with log.open("ab") as said:
            self.process = subprocess.Popen(
                command,
                cwd=cwd,
                env=env | {"PYTHONFAULTHANDLER": "1"},
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=said,
                start_new_session=True,
            )

    @property
    def log(self) -> str:
        """What it said so far."""
        return self._log.read_text("utf-8", errors="replace")

    @property
    def is_alive(self) -> bool:
        """Whether it still runs."""
        return self.process.poll() is None

    def children(self) -> list[int]:
        """Return the process ids of its children."""
        listed = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children")
        return [int(pid) for pid in listed.read_text().split()]

    def group(self) -> list[int]:
        """Return every living process of its group."""
        return [pid for pid, group in _groups() if group == self.process.pid]

    def kill(self) -> None:
        """SIGKILL for the whole group, as when a host's container is stopped hard."""
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait(timeout=30)

    def terminate(self) -> None:
        """SIGTERM for the process itself, as a service manager sends it."""
        self.process.send_signal(signal.SIGTERM)

    def wait(self, timeout_s: float = 120) -> int:
        """Wait for its end and return its exit code."""
        try:
            return self.process.wait(timeout=timeout_s)
        except subprocess.TimeoutExpired:
            self.process.send_signal(signal.SIGABRT)  # so that it says where each of its threads stands
            with suppress(subprocess.TimeoutExpired):
                self.process.wait(timeout=10)
            raise AssertionError(f"it did not end:\n{self.log}") from None


def _groups() -> Iterator[tuple[int, int]]:
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            with suppress(OSError):
                state, _, group = (entry / "stat").read_text().rpartition(")")[2].split()[:3]
                if state != "Z":
                    yield int(entry.name), int(group)


@dataclass
class Place:
    """A config directory with its environment, and the commands run on it."""

    home: Path
    env: dict[str, str] = field(default_factory=dict)
    programs: list[Program] = field(default_factory=list)

    @property
    def config(self) -> Path:
        """The config directory."""
        return self.home / "shop"

    @property
    def environment(self) -> dict[str, str]:
        """The environment of its commands: that of this process without any of our variables, and its own."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("MONITOR_", "PYTEST_"))}
        return {**kept, "MONITOR_CONFIG": str(self.config), **self.env}

    def run(self, *words: str, timeout_s: float = 120) -> "subprocess.CompletedProcess[str]":
        """Run a command to its end."""
        return subprocess.run(
            [sys.executable, "-m", "monitor", *words],
            cwd=self.home,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=timeout_s,
            check=False,
        )

    def facts(self, *words: str, code: int = 0) -> Any:
        """Run a command with `--json` and return what it printed; its standard output must be that and no more."""
        ended = self.run(*words, "--json")
        assert ended.returncode == code, ended.stderr + ended.stdout
        return json.loads(ended.stdout)

    def start(self, *words: str) -> Program:
        """Start a command of `monitor`."""
        return self.start_command(sys.executable, "-m", "monitor", *words)

    def start_command(self, *command: str) -> Program:
        """Start any command."""
        log = self.home / f"{len(self.programs)}.log"
        program = Program(command, cwd=self.home, env=self.environment, log=log)
        self.programs.append(program)
        return program

    def set(self, file: str, key: str, value: str) -> None:
        """Set a key of a file; it stands there once, commented out or not."""
        path = self.config / file
        text, found = re.subn(rf"(?m)^(# )?{key} = .*$", f"{key} = {value}", path.read_text("utf-8"), count=1)
        assert found == 1, f"{file} has no {key}"
        path.write_text(text, "utf-8")

    @property
    def secrets(self) -> dict[str, str]:
        """What `init` wrote into .env."""
        lines = (self.config / ".env").read_text("utf-8").splitlines()
        return dict(line.split("=", 1) for line in lines if line.startswith("MONITOR_"))

    @property
    def url(self) -> str:
        """The URL of its database."""
        return self.env.get("MONITOR_DATABASE_URL") or f"sqlite:///{self.config / 'var' / 'monitor.sqlite3'}"

    @contextmanager
    def store(self) -> Iterator[SqlStore]:
        """Open its database."""
        store = SqlStore(self.url, SystemClock())
        try:
            yield store
        finally:
            store.close()

    def stop(self) -> None:
        """Kill what still runs."""
        for program in self.programs:
            program.kill()


@contextmanager
def place_for(market: Market, home: Path) -> Iterator[Place]:
    """Yield a place whose competitors are the shops of a market; pages that a test holds may take long.

    Every price of such a market is below ours, which would trip a breaker, and then nothing is approved with others.
    """
    manifest = home / "market.json"
    manifest.write_text(json.dumps(market.manifest(**OURS)), "utf-8")
    create(home / "shop", manifest=manifest)
    place = Place(home)
    place.set("monitor.toml", "page_deadline_s", "280")
    place.set("rules.toml", "down_pct", '"100"')
    place.set("rules.toml", "median_change_pct", '"100"')
    try:
        yield place
    finally:
        place.stop()


def mail_at_once(place: Place, smtp: SmtpServer) -> None:
    """Have its reports mailed when they are ready: the night was due hours ago, and so was the morning."""
    due = datetime.now(UTC) - timedelta(hours=3)
    place.env["MONITOR_SMTP_URL"] = smtp.url
    place.set("monitor.toml", "recipients", '["anna@brand.example"]')
    place.set("monitor.toml", "charts", "false")  # drawing has tests of its own, and costs seconds a night
    place.set("monitor.toml", "at", f'"{due:%H:%M}"')
    place.set("monitor.toml", "not_before", f'"{due + timedelta(minutes=1):%H:%M}"')
    place.set("monitor.toml", "deadline", f'"{due + timedelta(hours=6):%H:%M}"')


@dataclass(frozen=True)
class Night:
    """What a night left in the database."""

    run: Run
    jobs: tuple[Job, ...]
    steps: dict[str, tuple[Step, ...]]  #: by competitor

    @property
    def running(self) -> frozenset[str]:
        """Competitors whose job is running."""
        return frozenset(job.key for job in self.jobs if job.state is JobState.RUNNING)

    def started(self) -> dict[tuple[str, int], str]:
        """Steps that were started and not closed, with the URL they ask for."""
        return {
            (key, step.seq): str(step.args.get("url"))
            for key, steps in self.steps.items()
            for step in steps
            if step.state is StepState.STARTED
        }

    def repeated(self) -> dict[tuple[str, int], str]:
        """Steps that were started more than once."""
        return {
            (key, step.seq): str(step.args.get("url"))
            for key, steps in self.steps.items()
            for step in steps
            if step.attempts > 1
        }


def last_night(store: SqlStore) -> Night:
    """Read the newest night."""
    with store.read() as unit:
        (run,) = unit.runs.latest()
        jobs = unit.jobs.of_run(run.id)
        visits = [job for job in jobs if job.kind is JobKind.COMPETITOR]
        return Night(run, jobs, {job.key: unit.jobs.steps(job.id) for job in visits})


def counted(store: SqlStore, *tables: str) -> dict[str, int]:
    """Count the rows of tables."""
    with store.reader.begin() as connection:
        return {table: connection.exec_driver_sql(f"SELECT count(*) FROM {table}").scalar_one() for table in tables}
