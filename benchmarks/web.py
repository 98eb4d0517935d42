"""How fast the dashboard answers when it has two years to tell of: 1,000 products, 30 competitors, 730 nights.

Prints for each page the time to the first byte (median and 95th percentile) and its weight without the chart library,
beside the limits (300 ms, 300 kB), on SQLite and PostgreSQL; then how long the history chart takes to be visible in
Chromium, beside its limit (1 s). The server is a process of its own; a quarter of nights is written row by row and
copied back in time for the rest.

    python benchmarks/web.py [--nights 730] [--products 1000] [--only sqlite|postgresql] [--keep DIR]

`--keep` leaves the filled SQLite file in a directory and takes it from there the next time. Beside each time stands the
processor time of the answering process (for the chart, of the browser): on a busy machine that is what to believe.
"""

import argparse
import os
import random
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from urllib.request import Request, urlopen

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from sqlalchemy import Connection, Table, text  # noqa: E402

from monitor.adapters.charts import Artist  # noqa: E402
from monitor.adapters.db.migrate import migrate  # noqa: E402
from monitor.adapters.db.schema import jobs, observations, portfolios, runs, spans, standings  # noqa: E402
from monitor.adapters.db.store import SqlStore  # noqa: E402
from tests.core_scene import SetClock  # noqa: E402
from tests.nights import PLAN  # noqa: E402
from tests.servers import postgres_server  # noqa: E402
from tests.years import Size, write_years  # noqa: E402

#: Nights that are written row by row; the rest is copied from them.
QUARTER = 91
LAST = date(2026, 11, 28)
NOW = datetime(2026, 11, 28, 8, tzinfo=UTC)
LIMIT_MS, LIMIT_KB, CHART_LIMIT_S = 300, 300, 1.0
_DAY_US = 86_400_000_000


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nights", type=int, default=730)
    parser.add_argument("--products", type=int, default=1_000)
    parser.add_argument("--requests", type=int, default=40)
    parser.add_argument("--only", choices=["sqlite", "postgresql"])
    parser.add_argument("--keep", type=Path, help="where the filled SQLite file stays")
    parser.add_argument("--serve", help=argparse.SUPPRESS)
    parser.add_argument("--port", type=int, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.serve:
        serve(given.serve, given.port)
        return
    with tempfile.TemporaryDirectory() as folder:
        for name, url in databases(given.keep or Path(folder), given.only):
            measure(name, url, given)


def databases(folder: Path, only: str | None) -> Iterator[tuple[str, str]]:
    """Yield each database that is asked for."""
    if only != "postgresql":
        folder.mkdir(parents=True, exist_ok=True)
        yield "SQLite", f"sqlite:///{folder / 'years.sqlite3'}"
    if only != "sqlite":
        with postgres_server() as server, server.database() as url:
            yield "PostgreSQL", url


def measure(name: str, url: str, given: argparse.Namespace) -> None:
    """Fill one database, ask for every page, and print."""
    began = time.perf_counter()
    if is_filled(url):
        migrate(url)  # it may have been kept by an older version
    else:
        fill(url, given.products, given.nights)
    print(
        f"\n{name}: {given.products} products, {given.nights} nights, filled in {time.perf_counter() - began:.0f} s; "
        f"load {os.getloadavg()[0]:.1f}\n"
    )
    print("| page | first byte p50, ms | p95, ms | limit | CPU ms each | kB | limit |")
    print("|---|---|---|---|---|---|---|")
    with served(url) as (base, pid):
        for label, paths in pages(given.products, given.requests):
            before = cpu_s([pid])
            times, size = zip(*(first_byte(base + path) for path in paths), strict=True)
            each = (cpu_s([pid]) - before) * 1000 / len(paths)
            p95 = statistics.quantiles(times, n=20)[-1]
            print(
                f"| {label} | {statistics.median(times):.0f} | {p95:.0f} | {LIMIT_MS} | {each:.0f} "
                f"| {max(size) / 1000:.0f} | {LIMIT_KB} |",
                flush=True,
            )
        seen = [chart_visible(base) for _ in range(5)]
        seconds, busy = (statistics.median(column) for column in zip(*seen, strict=True))
        print(
            f"\nHistory chart of two years visible after {seconds:.2f} s (limit {CHART_LIMIT_S} s), "
            f"{busy:.2f} s of processor time of the page's process; load {os.getloadavg()[0]:.1f}"
        )


def is_filled(url: str) -> bool:
    """Say whether a kept database is there, whole: it gets its name when it has been filled."""
    path = url.removeprefix("sqlite:///")
    return path != url and Path(path).exists() and Path(path + ".filled").exists()


def cpu_s(pids: Iterable[int]) -> float:
    """Return the processor seconds that these processes have used; one that is gone counts nothing (Linux)."""
    ticks = 0
    for pid in pids:
        try:
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].split()
        except OSError:
            continue
        ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def renderers_of(pid: int) -> list[int]:
    """Return the processes below one that draw pages (Linux)."""
    found, below = [], [pid]
    while below:
        children = Path(f"/proc/{below.pop()}/task")
        with suppress(OSError):  # one that has just ended
            for task in list(children.glob("*/children")):
                for child in map(int, task.read_text().split()):
                    below.append(child)
                    if b"--type=renderer" in Path(f"/proc/{child}/cmdline").read_bytes():
                        found.append(child)
    return found


def pages(products: int, count: int) -> Iterator[tuple[str, list[str]]]:
    """Yield what is asked for, with a product or a night of its own each time."""
    chance = random.Random(7)
    skus = [f"SKU-{chance.randint(1, products):04}" for _ in range(count)]
    nights = [(LAST - timedelta(days=chance.randint(0, 80))).isoformat() for _ in range(count)]
    yield "tonight", ["/"] * count
    yield "queue", ["/queue"] * count
    yield "products", [f"/products?page={n % 20 + 1}&by={('stake', 'index', 'title')[n % 3]}" for n in range(count)]
    yield "products, searched", [f"/products?q={('oak', 'mug+7', 'SKU-0' + str(n))[n % 3]}" for n in range(count)]
    yield "product, 90 days", [f"/products/{sku}" for sku in skus]
    yield "product, 2 years", [f"/products/{sku}?days=730" for sku in skus]
    yield "chart data, 2 years", [f"/charts/history.json?sku={sku}&days=730" for sku in skus]
    yield "history API, 2 years", [f"/api/products/{sku}/history?days=730" for sku in skus]
    yield "competitors", ["/competitors"] * count
    yield "competitor", [f"/competitors/shop-{n % 30 + 1:02}" for n in range(count)]
    yield "matches", ["/matches"] * count
    yield "executions", ["/executions"] * count
    yield "audit", [("/audit", f"/audit?q={skus[n]}")[n % 2] for n in range(count)]
    yield "settings", ["/settings"] * count
    yield "runs", [f"/runs?page={n % 15 + 1}" for n in range(count)]
    yield "run", [f"/runs/nightly-{night}" for night in nights]
    yield "job", [f"/runs/nightly-{night}/jobs/shop-{n % 30 + 1:02}" for n, night in enumerate(nights)]
    yield "status API", ["/api/status"] * count


def first_byte(url: str) -> tuple[float, int]:
    """Return milliseconds to the first byte and the size."""
    began = time.perf_counter()
    with urlopen(Request(url, headers={"Connection": "close"}), timeout=60) as answer:
        head = answer.read(1)
        spent = (time.perf_counter() - began) * 1000
        return spent, len(head + answer.read())


def chart_visible(base: str) -> tuple[float, float]:
    """Return seconds from asking for a product's page until its history is drawn, and the page's processor time.

    In a fresh browser profile: nothing of the chart is in any cache.
    """
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=os.environ.get("CHROMIUM", "/usr/bin/chromium"),
            args=["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
        )
        page = browser.new_page()
        page.goto(f"{base}/settings")  # the browser is warm, its cache has the stylesheet and no chart library
        before = cpu_s(renderers_of(os.getpid()))
        began = time.perf_counter()
        page.goto(f"{base}/products/SKU-0003?days=730", wait_until="commit")
        page.wait_for_selector("figure[data-chart=history][data-drawn]", timeout=60_000)
        spent = time.perf_counter() - began
        busy = cpu_s(renderers_of(os.getpid())) - before
        browser.close()
    return spent, busy


def free_port() -> int:
    """Return a port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port


@contextmanager
def served(url: str) -> Iterator[tuple[str, int]]:
    """Serve a database from a process of its own; yields where, and the number of the process."""
    port = free_port()
    server = subprocess.Popen([sys.executable, __file__, "--serve", url, "--port", str(port)])
    base = f"http://127.0.0.1:{port}"
    try:
        for _ in range(1200):
            try:
                first_byte(f"{base}/healthz")
                break
            except OSError:
                time.sleep(0.1)
        yield base, server.pid
    finally:
        server.terminate()
        server.wait()


def serve(url: str, port: int) -> None:
    """Be the server."""
    from types import SimpleNamespace

    from monitor.adapters.log import configure_log
    from monitor.adapters.signing import LinkSigner
    from monitor.web.app import create_app, server
    from monitor.wiring.interpreter import rarely_looked_through
    from tests.review_scene import KEY
    from tests.web.conftest import context_of

    configure_log("console")
    behind = SimpleNamespace(store=SqlStore(url, SetClock(NOW)), plan=PLAN, signer=LinkSigner([KEY]), run=None)
    app = create_app(context_of(behind, charts=Artist()))  # type: ignore[arg-type]
    rarely_looked_through()  # as `monitor web` and `monitor up` are
    server(app, "127.0.0.1", port).run()


def fill(url: str, products: int, nights: int) -> None:
    """Write the newest quarter and copy it back until there are enough nights."""
    migrate(url)
    store = SqlStore(url, SetClock(NOW))
    write_years(store, Size(products=products, nights=min(QUARTER, nights), last=LAST), PLAN)
    with store.writer.begin() as connection:
        for back in range(1, -(-nights // QUARTER)):
            _copied(connection, back * QUARTER, nights)
    with store.writer.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.execute(text("ANALYZE"))
    store.close()
    if url.startswith("sqlite:///"):
        Path(url.removeprefix("sqlite:///") + ".filled").touch()


def _copied(connection: Connection, days: int, nights: int) -> None:
    """Copy the newest quarter to so many days before."""
    ids = {
        f"nightly-{LAST - timedelta(days=n)}": f"nightly-{LAST - timedelta(days=n + days)}"
        for n in range(QUARTER)
        if n + days < nights
    }
    connection.execute(text("DROP TABLE IF EXISTS moved"))
    connection.execute(text("CREATE TEMPORARY TABLE moved (old TEXT PRIMARY KEY, new TEXT)"))
    connection.execute(text("INSERT INTO moved VALUES (:old, :new)"), [{"old": o, "new": n} for o, n in ids.items()])
    shift = days * _DAY_US
    instants = ("due_at", "deadline_at", "started_at", "ended_at")
    day = "date(local_date, :back)" if connection.dialect.name == "sqlite" else "(local_date::date + :back)::text"
    back: object = f"-{days} days" if connection.dialect.name == "sqlite" else -days
    renewed = {"id": "m.new", "local_date": day} | {name: f"t.{name} - {shift}" for name in instants}
    _insert(connection, _names(runs), "runs", "t.id", renewed, back=back)
    times = {name: f"t.{name} - {shift}" for name in ("run_at", "started_at", "ended_at")}
    _insert(connection, _names(jobs, but="id"), "jobs", "t.run_id", {"run_id": "m.new"} | times)
    seen = {"run_id": "m.new", "observed_at": f"t.observed_at - {shift}"}
    _insert(connection, _names(observations), "observations", "t.run_id", seen)
    _insert(connection, _names(standings), "standings", "t.run_id", {"run_id": "m.new"})
    _insert(connection, _names(portfolios), "portfolios", "t.run_id", {"run_id": "m.new"})
    moment = {name: f"t.{name} - {shift}" for name in ("first_seen_at", "last_seen_at")}
    _insert(
        connection,
        _names(spans, but="id"),
        "spans",
        "t.last_run_id",
        moment | {"last_run_id": "m.new", "first_run_id": "m.new"},
    )


def _names(table: Table, but: str = "") -> list[str]:
    return [column.name for column in table.columns if column.name != but]


def _insert(
    connection: Connection, columns: list[str], table: str, key: str, renewed: Mapping[str, str], **values: object
) -> None:
    chosen = ", ".join(renewed.get(name, f't."{name}"') for name in columns)
    names = ", ".join(f'"{name}"' for name in columns)
    query = f"INSERT INTO {table} ({names}) SELECT {chosen} FROM {table} t JOIN moved m ON m.old = {key}"
    connection.execute(text(query), values)


if __name__ == "__main__":
    main()
