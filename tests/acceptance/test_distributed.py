"""The distributed way to run, all of it real processes: scheduler, two workers and the web on PostgreSQL and Valkey."""

import html
import re
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

import httpx
import pytest

from monitor.adapters.db.migrate import migrate
from monitor.chaos.postgres import OwnPostgres, own_postgres
from monitor.domain.run import RunState
from tests.acceptance.programs import (
    CHECKOUT,
    Place,
    Program,
    counted,
    last_night,
    mail_at_once,
    place_for,
    until,
)
from tests.fake_shop import Books
from tests.market import Market
from tests.receiver import SECRET, Receiver
from tests.servers import PostgresServer, SmtpServer, ValkeyServer, free_port, started_valkey

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1200)]


@pytest.fixture
def market() -> Iterator[Market]:
    """Six shops of four pages."""
    with Market(shops=6, pages=4) as opened:
        yield opened


@pytest.fixture
def place(market: Market, tmp_path: Path) -> Iterator[Place]:
    """A config directory for that market, whose links lead to a port of its own."""
    with place_for(market, tmp_path) as made:
        port = free_port()
        made.env["dramatiq_queue_prefetch"] = "4"
        made.set("monitor.toml", "port", str(port))
        made.set("monitor.toml", "public_url", f'"http://127.0.0.1:{port}"')
        yield made


class Hosts:
    """The processes of a place, as an operator starts them."""

    def __init__(self, place: Place) -> None:
        self.place = place
        self.url = re.findall(r'(?m)^public_url = "(.*)"', (place.config / "monitor.toml").read_text("utf-8"))[0]

    def web(self) -> Program:
        """Start the web and wait until it answers."""
        program = self.place.start("web")
        until(self._answers, beside=program)
        return program

    def _answers(self) -> bool:
        with suppress(httpx.TransportError):
            return httpx.get(f"{self.url}/readyz", timeout=10).status_code == 200
        return False

    def scheduler(self) -> Program:
        """Start the cron process and wait until it is at work."""
        started = self.place.start_command(sys.executable, str(CHECKOUT / "scheduler.py"))
        until(lambda: self._registered("scheduler") >= 1, beside=started)
        return started

    def workers(self, count: int = 2) -> list[Program]:
        """Start workers of four threads each and wait until all of them are at work."""
        command = (sys.executable, "-m", "dramatiq", "monitor.worker", "--processes", "1", "--threads", "4")
        started = [self.place.start_command(*command) for _ in range(count)]
        until(lambda: self._registered("worker") >= count, beside=started[0])
        return started

    def _registered(self, role: str) -> int:
        with self.place.store() as store, store.read() as unit:
            return sum(row.role == role for row in unit.workers.all())

    def begin(self) -> httpx.Response:
        """Start tonight's run over the API."""
        token = self.place.secrets["MONITOR_API_TOKEN"]
        headers = {"Authorization": f"Bearer {token}"}
        return httpx.post(f"{self.url}/api/runs", headers=headers, timeout=60)

    def status(self, run: str) -> dict[str, Any]:
        """Ask the API how far a run is."""
        answer: dict[str, Any] = httpx.get(f"{self.url}/api/runs/{run}", timeout=60).json()
        return answer


def busy(place: Place, workers: list[Program]) -> dict[Program, list[int]]:
    """Return which jobs each worker has, for the workers that have any."""
    with place.store() as store, store.read() as unit:
        pids = {row.id: row.pid for row in unit.workers.all()}
    with place.store() as store:
        owners = {job.id: pids.get(job.owner or "") for job in last_night(store).jobs if job.owner}
    found = {worker: [job for job, pid in owners.items() if pid in worker.group()] for worker in workers}
    return {worker: jobs for worker, jobs in found.items() if jobs}


def test_a_night_on_several_hosts_ends_when_one_is_killed_and_changes_a_price_once(
    market: Market, place: Place, postgres_url: str, redis_url: str, smtp: SmtpServer
) -> None:
    """Begun twice over the API, a worker killed in mid-run, mailed, approved through the link by twenty posts."""
    books = Books(**{goods.sku: "100.00" for shop in market.open for goods in shop.goods.values()})
    with Receiver(books) as erp:
        _distribute(place, postgres_url, redis_url)
        mail_at_once(place, smtp)
        _write_to(place, erp)
        hosts = Hosts(place)
        assert place.facts("migrate")["after"] == place.facts("migrate")["before"]
        hosts.web()
        workers = hosts.workers()
        market.hold_from(2)

        with ThreadPoolExecutor(2) as pool:
            first, second = pool.map(lambda _: hosts.begin(), range(2))
        assert (first.status_code, second.status_code) == (202, 202)
        run = first.json()["run"]
        assert second.json()["run"] == run
        hosts.scheduler()

        market.held(6)
        with place.store() as store:
            assert counted(store, "runs") == {"runs": 1}
        _kill_one(place, market, workers)
        until(lambda: hosts.status(run)["state"] == "reported", beside=workers[1])
        _assert_ended_once(place, market)
        until(lambda: smtp.messages, beside=workers[1])
        _approve_at_once(place, smtp, erp)
        assert len(smtp.messages) == 1


def _distribute(place: Place, database: str, redis: str) -> None:
    place.env |= {"MONITOR_DATABASE_URL": database, "MONITOR_REDIS_URL": redis}


def _write_to(place: Place, erp: Receiver) -> None:
    place.env["MONITOR_SHOP_SECRET"] = SECRET
    place.set("monitor.toml", "kind", '"webhook"')
    place.set("monitor.toml", "url", f'"{erp.url}"')
    place.set("monitor.toml", "read_url", f'"{erp.url}?sku={{sku}}"')
    place.set("monitor.toml", "undo_window_s", "0")
    writes = place.config / "monitor.toml"
    writes.write_text(
        writes.read_text("utf-8").replace("[writes]\nenabled = false", "[writes]\nenabled = true"), "utf-8"
    )


def _kill_one(place: Place, market: Market, workers: list[Program]) -> None:
    """Kill the busier worker with everything in it, let the market go on and say how soon others had its jobs."""
    shares = until(lambda: (found := busy(place, workers)) and sum(map(len, found.values())) == 6 and found)
    victim, jobs = max(shares.items(), key=lambda each: len(each[1]))
    victim.kill()
    killed_at = time.time()
    market.release()

    def resumed() -> list[int]:
        with place.store() as store, store.reader.begin() as connection:
            query = "SELECT resumed_at FROM recoveries WHERE resumed_at IS NOT NULL"
            return [value for (value,) in connection.exec_driver_sql(query)]

    until(lambda: len(resumed()) == len(jobs), beside=workers[1])
    took = [f"{micros / 1_000_000 - killed_at:.2f}" for micros in resumed()]
    print(f"\nkilled a worker of {len(jobs)} jobs; claimed by the other after {', '.join(took)} s")


def _assert_ended_once(place: Place, market: Market) -> None:
    with place.store() as store:
        night = last_night(store)
        rows = counted(store, "runs", "reports", "mails", "actions", "observations", "recoveries")
    repeats = rows.pop("recoveries")
    assert rows == {"runs": 1, "reports": 1, "mails": 1, "actions": 24, "observations": 24}
    assert not night.run.partial
    assert sum(count - 1 for count in market.hits.values()) == repeats == len(night.repeated())
    assert max(market.hits.values()) <= 2


def _approve_at_once(place: Place, smtp: SmtpServer, erp: Receiver) -> None:
    """Open the mailed link, choose one row and send that form twenty times at once."""
    body = smtp.messages[0].get_body(("plain",))
    assert body is not None
    (link,) = set(re.findall(r"http://127\.0\.0\.1:\d+/a/\S+", body.get_content()))
    page = httpx.get(link, timeout=60).text
    fields = _hidden_fields(page)
    chosen = fields["row"][0].split(":")[0]
    form = fields | {f"verb-{chosen}": ["approve"]}
    time.sleep(1.2)  # a form that comes back sooner was not read by a person

    with ThreadPoolExecutor(20) as pool:
        answers = list(pool.map(lambda _: httpx.post(f"{link}/decide", data=form, timeout=90), range(20)))

    assert {answer.status_code for answer in answers} == {303}, [answer.text[:300] for answer in answers]
    assert len({answer.headers["location"] for answer in answers}) == 1
    until(lambda: erp.books.changes)
    until(lambda: _state(place, int(chosen)) == "applied")
    with place.store() as store:
        assert counted(store, "decisions", "writes") == {"decisions": 1, "writes": 1}
    assert len(erp.bodies) == len(erp.books.changes) == 1


def _state(place: Place, action: int) -> str:
    with place.store() as store, store.read() as unit:
        found = unit.actions.get(action)
    assert found is not None
    return found.state.value


def _hidden_fields(page: str) -> dict[str, list[str]]:
    fields: dict[str, list[str]] = {}
    for tag in re.findall(r"<input[^>]*>", page):
        given = {name: html.unescape(value) for name, value in re.findall(r'(\w[\w-]*)="([^"]*)"', tag)}
        if given.get("type") == "hidden":
            fields.setdefault(given["name"], []).append(given["value"])
    return fields


class OwnServers:
    """PostgreSQL and Valkey of one test, which it may stop and start again where they were."""

    def __init__(self, stack: ExitStack, postgres: OwnPostgres) -> None:
        self._postgres = postgres
        admin = PostgresServer(postgres.home)
        self.database_url = admin.url(admin.create())
        admin.close()
        self._valkey = started_valkey()
        stack.callback(lambda: self._valkey.stop())
        self.redis_url = f"{self._valkey.connection_url}/0"

    def restart_postgres(self) -> None:
        """Stop it, which cuts whoever is connected, leave it off for a moment, and start it again."""
        self._postgres.restart(crash=False, away_s=1)

    def flush_valkey(self) -> None:
        """Lose every message."""
        with self._valkey.client() as client:
            client.flushall()

    def restart_valkey(self) -> None:
        """Stop it, lose what it had, leave it off for a moment, and start another on its port."""
        port = self._valkey.port
        self._valkey.stop()
        time.sleep(3)
        self._valkey = ValkeyServer(port=port)
        self._valkey.start()


@contextmanager
def own_servers() -> Iterator[OwnServers]:
    """Start servers that nobody else uses."""
    with own_postgres() as postgres, ExitStack() as stack:
        yield OwnServers(stack, postgres)


def test_a_night_ends_although_its_servers_are_restarted_and_flushed(market: Market, place: Place) -> None:
    """PostgreSQL restarted with calls under way, Valkey flushed, then restarted: every page is read, once reported."""
    with own_servers() as own:
        _distribute(place, own.database_url, own.redis_url)
        migrate(own.database_url)
        hosts = Hosts(place)
        hosts.web()
        workers = hosts.workers()
        hosts.scheduler()
        market.hold_from(2)
        run = hosts.begin().json()["run"]
        market.held(6)
        own.restart_postgres()
        own.flush_valkey()
        market.release()
        market.hold_from(2)
        market.held(6)
        own.restart_valkey()
        market.release()
        released_at = time.monotonic()

        until(lambda: _is_reported(hosts, run), 150, beside=workers[0])

        took = time.monotonic() - released_at
        print(f"\nreported {took:.2f} s after the last restart; {sum(market.hits.values())} requests for 30 addresses")
        assert all(worker.is_alive for worker in workers), "no worker ended because of it"
        with place.store() as store:
            assert counted(store, "runs", "reports", "actions", "observations") == {
                "runs": 1,
                "reports": 1,
                "actions": 24,
                "observations": 24,
            }
            assert not last_night(store).run.partial
            with store.reader.begin() as connection:
                outcomes = connection.exec_driver_sql("SELECT DISTINCT outcome FROM observations").scalars().all()
        assert outcomes == ["ok"]
        for program in place.programs:
            program.terminate()
        assert {program.wait() for program in place.programs} == {0}, [each.log for each in place.programs]
        assert all("background_failed" not in program.log for program in place.programs)


def _is_reported(hosts: Hosts, run: str) -> bool:
    with suppress(httpx.TransportError):
        return hosts.status(run).get("state") == RunState.REPORTED
    return False


def test_a_worker_and_a_scheduler_of_a_wrong_configuration_say_what_is_wrong_and_no_more(
    place: Place, postgres_url: str, redis_url: str
) -> None:
    _distribute(place, postgres_url, redis_url)
    place.set("monitor.toml", "tool_calls", '"many"')
    worker = (sys.executable, "-m", "dramatiq", "monitor.worker", "--processes", "1", "--threads", "1")

    for command in (worker, (sys.executable, str(CHECKOUT / "scheduler.py"))):
        program = place.start_command(*command)

        assert program.wait() != 0
        assert "monitor.toml, budget.tool_calls (line 14): 'many' is not a whole number from 1 to 1000" in program.log
        assert "Traceback" not in program.log


def test_a_night_begun_by_hand_outlives_a_restart_of_its_database(market: Market, place: Place) -> None:
    """It ended with an error when PostgreSQL was away for a second, and the night lay there until somebody looked."""
    with own_servers() as own:
        place.env["MONITOR_DATABASE_URL"] = own.database_url
        migrate(own.database_url)
        market.hold_from(2)
        night = place.start("run")
        market.held(4)
        own.restart_postgres()
        market.release()

        assert night.wait() == 0, night.log
        with place.store() as store:
            assert counted(store, "runs", "reports", "observations") == {"runs": 1, "reports": 1, "observations": 24}
