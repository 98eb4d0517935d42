"""A night's fetching, reading and checkpointing, beside the plain floor in the same run.

    python benchmarks/night.py [--competitors 30,300,3000] [--rounds 3] [--pages FOLDER]
    python benchmarks/night.py --parts [--pages FOLDER]

Shops answer after 200 ms. Ours is the real night on SQLite (synchronous FULL): claim, robots.txt, slot, budget, guarded
request, extraction, evidence, checkpoint, from its first request until the last competitor has ended. The floor fetches
the same pages with httpx in as many threads and parses each with selectolax, and does nothing else: no limits, no
extraction, nothing stored. Each runs in a process of its own on one core, the shops on another where there is one;
`CPU ms` is all of that process, its threads included, after a first page has been read, so that start-up is not
counted as pages. Medians of the rounds.

`--parts` says where the milliseconds go: the parts of one page's path, each measured alone on the same pages.
"""

import argparse
import gzip
import json
import os
import resource
import ssl
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

#: Watches of one competitor, which is calls of one competitor.
WATCHES = 10
THREADS = 64
LIMITS = {"of the floor": 0.5, "pages/s": 150.0, "CPU ms": 6.5, "RSS MB": 200.0, "evenness": 0.25}


@dataclass(frozen=True)
class Measured:
    """One run over all pages."""

    pages: int
    wall_s: float
    cpu_s: float
    rss_mb: float
    good: int  #: pages that gave what was wanted of them

    @property
    def per_s(self) -> float:
        """Pages per second of wall time."""
        return self.pages / self.wall_s

    @property
    def cpu_ms(self) -> float:
        """Milliseconds of CPU per page."""
        return 1000 * self.cpu_s / self.pages


def address_of(shop: int) -> str:
    """Return a loopback address for each shop."""
    return f"127.{1 + shop // 62500}.{1 + shop // 250 % 250}.{1 + shop % 250}"


def urls_of(shop: int, port: int) -> list[str]:
    """Return a shop's pages."""
    return [f"http://{address_of(shop)}:{port}/p/{shop * WATCHES + n}" for n in range(WATCHES)]


@contextmanager
def slow_shops(pages: str | None, delay_ms: int = 200) -> Iterator[int]:
    """Run the shops and yield their port."""
    command = [sys.executable, str(ROOT / "benchmarks/slow_shops.py"), "--delay-ms", str(delay_ms)]
    command += ["--pages", pages] if pages else []
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as shops:
        _pin(shops.pid, 1)
        assert shops.stdout is not None
        assert shops.stdin is not None
        try:
            yield int(shops.stdout.readline())
        finally:
            shops.stdin.close()


def _pin(pid: int, core: int) -> None:
    cores = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(pid, {cores[core % len(cores)]})


# --- the floor --------------------------------------------------------------------------------------------------


def floor(port: int, competitors: int) -> Measured:
    """Fetch and parse every page with httpx in threads."""
    import httpx
    from selectolax.lexbor import LexborHTMLParser

    work: SimpleQueue[str] = SimpleQueue()
    for n in range(WATCHES):
        for shop in range(competitors):
            work.put(urls_of(shop, port)[n])
    parsed: list[int] = []
    trust = ssl.create_default_context()  # one for all, else making 64 of them would be most of a short run

    def fetch_all() -> None:
        good = 0
        with httpx.Client(timeout=10, trust_env=False, verify=trust) as client:
            while True:
                try:
                    url = work.get_nowait()
                except Empty:
                    parsed.append(good)
                    return
                tree = LexborHTMLParser(client.get(url).text)
                good += tree.css_first("h1") is not None

    return _measured(competitors * WATCHES, lambda: _in_threads(fetch_all), lambda: sum(parsed))


def _in_threads(body: Any) -> None:
    threads = [threading.Thread(target=body) for _ in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def _measured(pages: int, run: Any, good: Any) -> Measured:
    cpu, wall = time.process_time(), time.monotonic()
    run()
    cpu, wall = time.process_time() - cpu, time.monotonic() - wall
    return Measured(pages, wall, cpu, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000, good())


# --- ours -------------------------------------------------------------------------------------------------------


def night(port: int, competitors: int) -> Measured:
    """Run the real night and stop counting when its last competitor has ended."""
    from monitor.domain.extraction import Outcome
    from monitor.domain.run import Run, RunState
    from monitor.wiring.app import open_app
    from monitor.wiring.working import run_night

    with tempfile.TemporaryDirectory() as folder:
        making = [sys.executable, __file__, "--configure", folder, "--port", str(port)]  # its memory is no worker's
        subprocess.run([*making, "--competitors", str(competitors)], check=True)
        os.environ["MONITOR_LOG"] = "json"
        app = open_app(Path(folder))
        warm_up()
        began = (time.process_time(), time.monotonic())
        ended: list[tuple[float, float]] = []

        def on_tick(run: Run) -> None:
            if run.state is not RunState.COLLECTING and not ended:
                ended.append((time.process_time(), time.monotonic()))

        run = run_night(app, on_tick=on_tick)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000
        with app.store.read() as unit:
            read = sum(seen.outcome is Outcome.OK for seen in unit.observations.of_run(run.id))
        app.close()
    cpu, wall = (after - before for after, before in zip(ended[0], began, strict=True))
    return Measured(competitors * WATCHES, wall, cpu, peak, read)


def warm_up() -> None:
    """Read one page, so that what a process loads once is not counted as pages."""
    from benchmarks.slow_shops import made_pages
    from monitor.domain.address import registrable
    from monitor.extract import extract

    registrable("www.shop.example")
    extract(made_pages()[0], "http://127.0.0.1/p/0", "text/html; charset=utf-8")


def configure(folder: Path, port: int, competitors: int) -> None:
    """Write a config directory that watches every page, with its database as on every night but the first."""
    shops = [
        {
            "site": f"shop-{shop}",
            "base_url": f"http://{address_of(shop)}:{port}",
            "lang": "en",
            "currency": "EUR",
            "pages": [{"id": f"S{shop}-{n}", "url": url} for n, url in enumerate(urls_of(shop, port))],
        }
        for shop in range(competitors)
    ]
    manifest = folder / "market.json"
    manifest.write_text(json.dumps(shops))
    command = [sys.executable, "-m", "monitor", "init", str(folder), "--manifest", str(manifest)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=ROOT)
    settings = folder / "monitor.toml"
    settings.write_text(settings.read_text().replace("threads = 32", f"threads = {THREADS}"))
    migrating = [sys.executable, "-m", "monitor", "migrate", "--config", str(folder)]
    subprocess.run(migrating, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=ROOT)


# --- side by side -----------------------------------------------------------------------------------------------


def in_a_process(what: str, port: int, competitors: int) -> Measured:
    """Measure one thing in a process of its own."""
    command = [sys.executable, __file__, "--alone", what, "--port", str(port), "--competitors", str(competitors)]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True)
    return Measured(**json.loads(done.stdout.splitlines()[-1]))


def median_of(rounds: list[Measured]) -> Measured:
    """Return the round with the median CPU per page."""
    return sorted(rounds, key=lambda one: one.cpu_ms)[len(rounds) // 2]


def compare(port: int, sizes: list[int], rounds: int) -> None:
    """Measure both at every size, in turn, and print the table."""
    print(f"{'':<22} {'pages':>6} {'pages/s':>8} {'CPU ms/page':>12} {'pages/CPU s':>12} {'RSS MB':>7} {'good':>6}")
    by_size: dict[int, tuple[Measured, Measured]] = {}
    for size in sizes:
        pairs = [(in_a_process("floor", port, size), in_a_process("night", port, size)) for _ in range(rounds)]
        plain, ours = (median_of(list(column)) for column in zip(*pairs, strict=True))
        by_size[size] = plain, ours
        _print_row(f"floor, {size} shops", plain)
        _print_row(f"ours, {size} shops", ours)
    print()
    _print_verdicts(by_size)


def _print_row(name: str, one: Measured) -> None:
    print(
        f"{name:<22} {one.pages:>6} {one.per_s:>8.0f} {one.cpu_ms:>12.2f} {1000 / one.cpu_ms:>12.0f} "
        f"{one.rss_mb:>7.0f} {one.good:>6}",
        flush=True,
    )


def _print_verdicts(by_size: dict[int, tuple[Measured, Measured]]) -> None:
    plain, ours = by_size[max(by_size, key=lambda size: -abs(size - 300))]
    each = [pair[1].cpu_ms for pair in by_size.values()]
    rows = (
        ("pages per CPU second, of the floor", plain.cpu_ms / ours.cpu_ms, ">=", LIMITS["of the floor"]),
        ("pages/s on one core", ours.per_s, ">=", LIMITS["pages/s"]),
        ("CPU ms per page", ours.cpu_ms, "<=", LIMITS["CPU ms"]),
        ("resident MB, largest", max(pair[1].rss_mb for pair in by_size.values()), "<=", LIMITS["RSS MB"]),
        ("CPU per page, largest spread over sizes", max(each) / min(each) - 1, "<=", LIMITS["evenness"]),
    )
    for name, got, sign, limit in rows:
        is_met = got >= limit if sign == ">=" else got <= limit
        print(f"{name:<42} {got:>8.2f}   {sign} {limit:<6g} {'met' if is_met else 'NOT MET'}")


# --- where the milliseconds go ----------------------------------------------------------------------------------


def print_parts(folder: str | None) -> None:
    """Measure the parts of one page's path alone, in CPU time of one thread, and print them."""
    from selectolax.lexbor import LexborHTMLParser

    from benchmarks.slow_shops import pages_of
    from monitor.adapters.http.decode import read_body
    from monitor.domain.extraction import Hints
    from monitor.domain.page import Page
    from monitor.flow.collect.read import read_page

    pages = pages_of(Path(folder) if folder else None)
    url, headers, hints = "http://127.0.0.1/p/1", {"content-type": "text/html; charset=utf-8"}, [Hints(currency="EUR")]
    packed = [gzip.compress(page, 6) for page in pages]
    parts: list[tuple[str, Callable[[int], object]]] = [
        ("parse alone (selectolax)", lambda n: LexborHTMLParser(pages[n].decode("utf-8", "replace"))),
        ("undo gzip, bounded", lambda n: read_body([packed[n]], "gzip", cap=5_000_000, may_cut=False, place="")),
        ("read the page, parse included", lambda n: read_page(Page(url, url, 200, headers, pages[n], 1), hints)),
        ("slot, budget, evidence, observation, checkpoint", checkpointing()),
    ]
    print(f"{len(pages)} pages, {sum(map(len, pages)) / len(pages) / 1000:.0f} kB on average")
    for name, part in parts:
        print(f"{name:<50} {1000 * statistics.mean(_best(part, n) for n in range(len(pages))):>7.2f} ms")
    with slow_shops(folder, 0) as port:
        print(f"{'request by the guarded client, gzip included':<50} {1000 * requesting(port, len(pages)):>7.2f} ms")


def _best(part: Callable[[int], object], n: int) -> float:
    spent = []
    for _ in range(3):
        began = time.thread_time()
        part(n)
        spent.append(time.thread_time() - began)
    return min(spent)


def requesting(port: int, pages: int) -> float:
    """Return the CPU seconds of one request, undoing gzip included."""
    from monitor.adapters.http import Answer, CallRules, Client

    client, allowed = Client(), CallRules(allow_addresses=frozenset({f"127.0.0.1:{port}"}))
    began = time.thread_time()
    for n in range(pages):
        assert isinstance(client.send("GET", f"http://127.0.0.1:{port}/p/{n}", rules=allowed), Answer)
    spent = (time.thread_time() - began) / pages
    client.close()
    return spent


def checkpointing() -> Callable[[int], object]:
    """Return what stores one page's step: everything in the transaction between two requests."""
    from monitor.adapters.clock import SystemClock
    from monitor.adapters.db.migrate import migrate
    from monitor.adapters.db.store import SqlStore
    from monitor.domain.extraction import Outcome
    from monitor.domain.night import night_of
    from monitor.domain.observation import Observation
    from monitor.domain.pacing import Slot
    from monitor.domain.plan import Schedule
    from monitor.ports.jobs import Begun, Closed, NewRun

    url = f"sqlite:///{tempfile.mkdtemp()}/parts.sqlite3"
    migrate(url)
    store, lease = SqlStore(url, SystemClock()), timedelta(hours=1)
    with store.write() as unit:
        night = night_of(date(2026, 11, 29), Schedule())
        run, _ = unit.runs.begin(NewRun(Schedule(), night, "manual", "c", "p", 0, {"shop": 10**6}, timedelta(3650)))
        claim = unit.jobs.claim(unit.jobs.of_run(run.id)[0].id, "w", lease)
        assert claim is not None
        unit.jobs.checkpoint(claim, None, Begun(1, "page", {}, 1), lease)
    numbers = iter(range(1, 10**6))

    def step(n: int) -> None:
        done, sku = next(numbers), f"S{n}"
        body = json.dumps({"n": done, "candidates": ["x" * 90] * 20}).encode()
        with store.write() as unit:
            unit.jobs.checkpoint(claim, Closed(done, {"status": 200, "read": [sku]}), None, lease)
            digest = unit.blobs.put(body)
            unit.blobs.refer(run.id, claim.job.id, "evidence", digest, f"shop/{sku}")
            seen = Observation(run.id, "shop", sku, url, Outcome.OK, "r", "w", unit.now, Decimal(done), "EUR")
            unit.observations.record(seen)
            unit.shops.take_slot(Slot("shop", timedelta(0)), claim.job.id)
            unit.jobs.checkpoint(claim, None, Begun(done + 1, "page", {"url": url}, 1), lease)

    return step


def main() -> None:
    """Compare, or be one of the measured processes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--competitors", default="30,300,3000")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--pages", help="a folder of saved HTML pages to serve instead of made ones")
    parser.add_argument("--parts", action="store_true", help="say where the milliseconds of one page go")
    parser.add_argument("--alone", choices=["floor", "night"], help=argparse.SUPPRESS)
    parser.add_argument("--configure", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--port", type=int, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.configure:
        configure(args.configure, args.port, int(args.competitors))
        return
    if args.alone:
        _pin(0, 0)
        measure = floor if args.alone == "floor" else night
        print(json.dumps(asdict(measure(args.port, int(args.competitors)))))
        return
    if args.parts:
        print_parts(args.pages)
        return
    with slow_shops(args.pages) as port:
        compare(port, [int(size) for size in args.competitors.split(",")], args.rounds)


if __name__ == "__main__":
    main()
