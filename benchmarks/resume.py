"""How long the jobs of a lost worker wait for their next claim: `python benchmarks/resume.py [--kills N]`.

killed      SIGKILL, PostgreSQL and Valkey, another worker alive with a thread to spare
restarted   SIGKILL, SQLite, `monitor up`: its supervisor starts the next process, whose own start is measured too
host lost   SIGSTOP, so that the lock in PostgreSQL stays held and only the lease tells

Each time runs from the signal to the moment at which the claim is seen in the database, looked for every 20 ms.
"""

import argparse
import json
import os
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import ceil
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from monitor.adapters.clock import SystemClock
from monitor.adapters.db.migrate import migrate
from monitor.adapters.db.store import SqlStore
from monitor.chaos.storm import Watch, kill, resume, stop
from monitor.chaos.worker import Nursery, Wish
from monitor.domain.run import Job, Run, RunState
from tests.acceptance.programs import Place, Program, place_for, until
from tests.market import Market
from tests.servers import ValkeyServer, free_port, postgres_server

#: Fewer shops than the threads of one worker, so that a free thread is there whoever dies.
SHOPS, PAGES, DELAY_S, THREADS = 4, 60, 0.5, 8


class Hosts:
    """Workers on PostgreSQL and Valkey, two at a time, and nights without end for them."""

    def __init__(self, place: Place, store: SqlStore, nursery: Nursery) -> None:
        self.place, self.store, self.nursery = place, store, nursery
        self.watch = Watch(store)
        self.pids: list[int] = []
        self.nights = 0

    def begin(self) -> None:
        """Begin another night with two new workers."""
        self.nights += 1
        self.place.set("monitor.toml", "name", f'"bench-{self.nights}"')
        for pid in list(self.pids):
            self.end(pid)
        self.start()
        self.start()

    def start(self) -> None:
        """Start a worker."""
        log = str(self.place.home / "workers.log")
        env = {name: value for name, value in self.place.env.items() if name.startswith("MONITOR_")}
        self.pids.append(self.nursery.start(Wish(str(self.place.config), log, env)))

    def end(self, pid: int) -> None:
        """Kill a worker."""
        kill(pid)
        self.nursery.wait(pid)
        self.pids.remove(pid)

    def run(self) -> Run | None:
        """Return the night under way."""
        with self.store.read() as unit:
            return next((run for run in unit.runs.open() if run.schedule == f"bench-{self.nights}"), None)

    def busy(self) -> tuple[int, list[Job]]:
        """Stop a worker that has jobs, beside another that is at work too, and return it with its jobs."""
        give_up_at = time.monotonic() + 30
        while True:
            run = self.run()
            if run is None or run.state is not RunState.COLLECTING or time.monotonic() > give_up_at:
                self.begin()
                until(self.run)
                give_up_at = time.monotonic() + 30
                continue
            with self.store.read() as unit:
                registered = {row.pid for row in unit.workers.all()}
            for pid in self.pids if registered >= set(self.pids) else ():
                stop(pid)
                if jobs := self.watch.running(run.id, pid):
                    return pid, jobs
                resume(pid)
            self.watch.wait(0.1)

    def all_claimed(self) -> bool:
        """Say whether every interrupted job was claimed again."""
        return all(each.resumed_after_s is not None for each in self.watch.interrupted)


def killed(hosts: Hosts, kills: int) -> list[float]:
    """SIGKILL a worker again and again while another lives."""
    for _ in range(kills):
        pid, jobs = hosts.busy()
        hosts.watch.killed(jobs)
        hosts.end(pid)
        assert hosts.watch.wait(60, hosts.all_claimed), "a job was never claimed again"
        hosts.start()
    return _taken(hosts.watch)


def host_lost(hosts: Hosts, times: int) -> list[float]:
    """SIGSTOP a worker and wait for another to take over by the lease."""
    hosts.watch = Watch(hosts.store)
    for _ in range(times):
        pid, jobs = hosts.busy()
        hosts.watch.killed(jobs)
        assert hosts.watch.wait(60, hosts.all_claimed), "a job was never claimed again"
        hosts.end(pid)
        hosts.start()
    return _taken(hosts.watch)


def _taken(watch: Watch) -> list[float]:
    return [each.resumed_after_s for each in watch.interrupted if each.resumed_after_s is not None]


@contextmanager
def hosts_on_postgres() -> Iterator[Hosts]:
    """Start everything that the distributed way to run needs."""
    with (
        TemporaryDirectory() as name,
        postgres_server() as postgres,
        ValkeyServer() as valkey,
        Market(SHOPS, PAGES, DELAY_S) as market,
        place_for(market, Path(name)) as place,
    ):
        url = postgres.url(postgres.create())
        migrate(url)
        place.env |= {"MONITOR_DATABASE_URL": url, "MONITOR_REDIS_URL": f"{valkey.connection_url}/0"}
        _endless(place)
        nursery, store = Nursery(place.home / "nursery.log"), SqlStore(url, SystemClock())
        hosts = Hosts(place, store, nursery)
        try:
            yield hosts
        finally:
            for pid in list(hosts.pids):
                hosts.end(pid)
            nursery.close()
            store.close()


def _endless(place: Place) -> None:
    for key, value in {"tool_calls": "900", "requests": "5000", "threads": str(THREADS)}.items():
        place.set("monitor.toml", key, value)


def restarted(kills: int) -> tuple[list[float], list[float], list[float]]:
    """SIGKILL the working process of `monitor up`; return the waits, the starts, and each wait beyond its start."""
    waits, starts, beyond = [], [], []
    with TemporaryDirectory() as name, Market(SHOPS, PAGES, DELAY_S) as market, place_for(market, Path(name)) as place:
        _endless(place)
        place.set("monitor.toml", "port", str(free_port()))
        with place.store() as store:
            migrate(place.url)
            program = place.start("up")
            nights = 1
            for _ in range(kills):
                while (child := _working(program, store)) is None:
                    with store.read() as unit:
                        ended = all(run.state is not RunState.COLLECTING for run in unit.runs.latest(nights))
                    if ended and nights > 1:
                        program.kill()
                        nights += 1
                        place.set("monitor.toml", "name", f'"bench-{nights}"')
                        program = place.start("up")
                    time.sleep(0.05)
                wait, start = _restart(store, program, *child)
                waits.append(wait)
                starts.append(start)
                beyond.append(wait - start)
            program.kill()
    return waits, starts, beyond


def _working(program: Program, store: SqlStore) -> tuple[int, list[Job]] | None:
    """Return the working process and its running jobs, stopped, when there are any."""
    watch = Watch(store)
    with store.read() as unit:
        runs = [run for run in unit.runs.open() if run.state is RunState.COLLECTING]
    for pid in program.children():
        stop(pid)
        for run in runs:
            if jobs := watch.running(run.id, pid):
                return pid, jobs
        resume(pid)
    return None


def _restart(store: SqlStore, program: Program, pid: int, jobs: list[Job]) -> tuple[float, float]:
    watch = Watch(store)
    watch.killed(jobs)
    kill(pid)
    give_up_at = time.monotonic() + 120
    start: float | None = None
    while any(each.resumed_after_s is None for each in watch.interrupted):
        assert time.monotonic() < give_up_at, program.log
        if start is None and (child := next((each for each in program.children() if each != pid), None)):
            with store.read() as unit:
                if any(row.pid == child for row in unit.workers.all()):
                    start = time.monotonic() - watch.interrupted[0].killed_at
        watch.look()
        time.sleep(0.005)
    longest = max(each.resumed_after_s or 0.0 for each in watch.interrupted)
    return longest, longest if start is None else min(start, longest)


def told(taken: list[float]) -> dict[str, float]:
    """Return the distribution, in seconds; of a part that was not asked for only that it has nothing."""
    if not taken:
        return {"n": 0}
    ordered = sorted(taken)
    at = lambda percent: ordered[ceil(len(ordered) * percent / 100) - 1]  # noqa: E731
    return {
        "n": len(ordered),
        "p50_s": round(statistics.median(ordered), 2),
        "p95_s": round(at(95), 2),
        "max_s": round(ordered[-1], 2),
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=50, help="with another worker alive")
    parser.add_argument("--restarts", type=int, default=10, help="of `monitor up`")
    parser.add_argument("--stops", type=int, default=3, help="hosts lost; each takes a lease")
    asked = parser.parse_args()
    found: dict[str, Any] = {"load": os.getloadavg()[0]}
    parts: list[tuple[str, Callable[[Hosts], list[float]]]] = [
        ("killed", lambda hosts: killed(hosts, asked.kills)),
        ("host lost", lambda hosts: host_lost(hosts, asked.stops)),
    ]
    with hosts_on_postgres() as hosts:
        for name, part in parts:
            found[name] = told(part(hosts))
            print(f"{name}: {found[name]}", file=sys.stderr, flush=True)
    waits, starts, beyond = restarted(asked.restarts)
    found |= {"restarted": told(waits), "of which process start": told(starts), "beyond": told(beyond)}
    print(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
