"""How fast, how small and how even our checkpoints are; with `--peers`, beside DBOS and LangGraph's savers.

30 jobs of 12 steps, each keeping about 2 kB of JSON; ours runs through everything a night's step runs through (claim,
plan, charge, fenced checkpoint, lease), SQLite with synchronous FULL. Medians of three rounds. Peers are installed
into throw-away environments and given the same steps and the same databases, one after the other in the same run.

    python benchmarks/checkpoints.py [--peers] [--rounds 3] [--jobs 30]
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import venv
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date, timedelta
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from sqlalchemy import text  # noqa: E402

from benchmarks.peers.result import a_result  # noqa: E402
from monitor.adapters.clock import SystemClock  # noqa: E402
from monitor.adapters.db.migrate import migrate  # noqa: E402
from monitor.adapters.db.store import SqlStore  # noqa: E402
from monitor.domain.night import night_of  # noqa: E402
from monitor.domain.plan import Schedule  # noqa: E402
from monitor.domain.run import Job, Step  # noqa: E402
from monitor.durable import Call, Done, Ending, Finish, Incarnation, Plan, Tool, ToolContext, work  # noqa: E402
from monitor.ports.jobs import NewRun  # noqa: E402
from monitor.ports.store import Unit  # noqa: E402
from tests.servers import postgres_server  # noqa: E402

STEPS = 12
PEERS = {
    "dbos": ("DBOS", ["dbos", "psycopg[binary]"]),
    "langgraph": (
        "LangGraph, durability sync",
        ["langgraph", "langgraph-checkpoint-sqlite", "langgraph-checkpoint-postgres", "psycopg[binary,pool]"],
    ),
}


@dataclass(frozen=True)
class Measured:
    """One round."""

    steps_per_s: float
    cpu_ms_per_step: float
    bytes_per_step: float


Measure: TypeAlias = Callable[[str, int, int], Measured]


class Twelve:
    """A plan of twelve steps."""

    def next(self, steps: Sequence[Step]) -> Call | Finish:
        """Ask for the next."""
        return Finish() if len(steps) == STEPS else Call("page", {"n": len(steps) + 1})

    def out_of_budget(self, steps: Sequence[Step], refused: Call) -> Finish:
        """Never asked."""
        return Finish()


def page(context: ToolContext, args: dict[str, Any]) -> Done:
    """Return about 2 kB."""
    return Done(a_result(context.claim.job.id, args["n"]))


def open_job(_unit: Unit, _job: Job) -> tuple[Plan, Mapping[str, Tool]]:
    """Open any job."""
    return Twelve(), {"page": page}


def ours(url: str, jobs: int, threads: int) -> Measured:
    """Run so many jobs in a database of their own."""
    migrate(url)
    store, me, schedule = SqlStore(url, SystemClock()), Incarnation("benchmark"), Schedule()
    budgets = {f"shop-{number}": STEPS for number in range(jobs)}
    with store.write() as unit:
        night = night_of(date(2026, 1, 1), schedule)
        run, _ = unit.runs.begin(NewRun(schedule, night, "manual", "c", "p", 0, budgets, timedelta(days=3650)))
        ids = [job.id for job in unit.jobs.of_run(run.id)]
    before = _size(store)

    def one(job_id: int) -> None:
        assert work(job_id, store=store, me=me, open_job=open_job) is Ending.ENDED

    heart = threading.Thread(target=me.beat_forever, args=(store, print))
    heart.start()
    began, cpu = time.perf_counter(), time.process_time()
    if threads == 1:
        for job_id in ids:
            one(job_id)
    else:
        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(one, ids))
    spent, cpu_spent = time.perf_counter() - began, time.process_time() - cpu
    me.drain()
    heart.join()
    steps = jobs * STEPS
    kept = (_size(store) - before) / steps
    store.close()
    return Measured(steps / spent, cpu_spent * 1000 / steps, kept)


def _size(store: SqlStore) -> int:
    """Return what the database holds, without the room that is free for reuse inside a SQLite file."""
    if store.is_sqlite:
        with store.read() as unit:
            pages, free, size = (
                int(unit.tx.run(text(f"PRAGMA {name}")).scalar_one())
                for name in ("page_count", "freelist_count", "page_size")
            )
        return (pages - free) * size
    with store.writer.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.execute(text("VACUUM"))
        return int(connection.execute(text("SELECT pg_database_size(current_database())")).scalar_one())


@contextmanager
def sqlite_url() -> Iterator[str]:
    """Give the URL of a new SQLite file."""
    with tempfile.TemporaryDirectory() as directory:
        yield f"sqlite:///{directory}/monitor.sqlite3"


def medians(found: Sequence[Measured]) -> Measured:
    """Return the medians of some rounds."""
    return Measured(
        *(statistics.median(values) for values in zip(*(vars(each).values() for each in found), strict=True))
    )


def peer(python: Path, name: str, url: str, jobs: int, threads: int) -> Measured:
    """Run a peer in its own environment."""
    script = ROOT / "benchmarks" / "peers" / f"{name}_steps.py"
    command = [str(python), str(script), url, str(jobs), str(STEPS), str(threads)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=900, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{name} failed:\n{done.stderr[-2000:]}")
    return Measured(**json.loads(done.stdout.strip().splitlines()[-1]))


def environment(directory: Path, packages: Sequence[str]) -> Path:
    """Make a throw-away environment and return its interpreter."""
    venv.create(directory, with_pip=True)
    python = directory / "bin" / "python"
    install = [str(python), "-m", "pip", "install", "--quiet", "--quiet", "--disable-pip-version-check", *packages]
    subprocess.run(install, check=True, env=os.environ | {"PIP_NO_INPUT": "1"})
    return python


def line(name: str, database: str, threads: int, found: Measured) -> None:
    """Print one row of the table."""
    print(
        f"| {name} | {database} | {threads} | {found.steps_per_s:,.0f} | {1000 / found.steps_per_s:.2f} "
        f"| {found.cpu_ms_per_step:.2f} | {found.bytes_per_step:,.0f} |",
        flush=True,
    )


def main() -> None:
    """Print the tables."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--peers", action="store_true", help="install DBOS and LangGraph and measure them too")
    asked.add_argument("--rounds", type=int, default=3)
    asked.add_argument("--jobs", type=int, default=30)
    asked.add_argument("--even", type=int, nargs="*", default=[30, 300, 3000], help="jobs for the CPU per step")
    options = asked.parse_args()
    with postgres_server() as server, tempfile.TemporaryDirectory() as directory:
        databases: dict[str, Any] = {"SQLite FULL": sqlite_url, "PostgreSQL": server.database}
        systems: dict[str, Measure] = {"ours": ours}
        for name, (title, packages) in PEERS.items() if options.peers else ():
            systems[title] = partial(peer, environment(Path(directory) / name, packages), name)
        table(systems, databases, options.rounds, options.jobs)
    print("\n| jobs | CPU ms per step, SQLite | against the first |\n|---|---|---|")
    even(options.even, options.rounds)


def table(systems: Mapping[str, Measure], databases: Mapping[str, Any], count: int, jobs: int) -> None:
    """Measure every system in turn, round by round, so that a busy minute of the machine spares none of them."""
    print("| system | database | threads | steps/s | ms per step | CPU ms per step | bytes kept per step |")
    print("|---|---|---|---|---|---|---|")
    for database, opened in databases.items():
        for threads in (1, 8):
            found: dict[str, list[Measured]] = {name: [] for name in systems}
            for _ in range(count):
                for name, measure in systems.items():
                    with opened() as url:
                        found[name].append(measure(url, jobs, threads))
            told = {name: medians(measured) for name, measured in found.items()}
            for name, measured in told.items():
                line(name, database, threads, measured)
            for name, measured in told.items():
                if name != "ours":
                    times = told["ours"].steps_per_s / measured.steps_per_s
                    print(f"| ours / {name} | {database} | {threads} | {times:.2f} times | | | |", flush=True)


def even(sizes: Sequence[int], rounds: int) -> None:
    """Print how CPU per step grows with the number of jobs; medians, none of them of a cold start."""

    def once(jobs: int) -> float:
        with sqlite_url() as url:
            return ours(url, jobs, 1).cpu_ms_per_step

    once(3)
    first = None
    for jobs in sizes:
        found = statistics.median(once(jobs) for _ in range(rounds if jobs < 1_000 else 1))
        first = first or found
        print(f"| {jobs:,} | {found:.3f} | {found / first - 1:+.0%} |", flush=True)


if __name__ == "__main__":
    main()
