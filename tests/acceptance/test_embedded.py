"""`monitor run` as a process: its contract, and what is left when it is killed, stopped or started twice."""

import json
import time
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.programs import OURS, Place, counted, last_night, mail_at_once, place_for
from tests.market import Market
from tests.servers import SmtpServer

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

KEYS = {"run", "date", "state", "jobs", "tool_calls", "observations", "proposals", "watches"}
WATCH_KEYS = {
    "sku",
    "competitor",
    "url",
    "outcome",
    "reason",
    "price",
    "currency",
    "list_price",
    "availability",
}


@pytest.fixture
def market() -> Iterator[Market]:
    """Four shops of five pages."""
    with Market() as opened:
        yield opened


@pytest.fixture
def place(market: Market, tmp_path: Path, smtp: SmtpServer) -> Iterator[Place]:
    """A config directory for that market that mails at once."""
    with place_for(market, tmp_path) as made:
        mail_at_once(made, smtp)
        yield made


def assert_ended_once(place: Place, smtp: SmtpServer, facts: dict[str, Any], proposals: int = 20) -> None:
    """The whole night is there, once: report, mail, pending actions, observations."""
    assert facts["state"] == "reported"
    assert {watch["outcome"] for watch in facts["watches"]} == {"ok"}
    assert facts["proposals"] == proposals
    with place.store() as store:
        rows = counted(store, "runs", "reports", "mails", "actions", "observations")
        with store.reader.begin() as connection:
            keys = connection.exec_driver_sql("SELECT key FROM actions").scalars().all()
    assert rows == {"runs": 1, "reports": 1, "mails": 1, "actions": proposals, "observations": 20}
    assert len(set(keys)) == proposals
    assert len(smtp.messages) == 1


def test_run_prints_its_contract_and_a_second_run_asks_for_nothing(
    market: Market, tmp_path: Path, smtp: SmtpServer
) -> None:
    """From `init --manifest` to the mail, by commands alone; the night that has its report is only shown."""
    place = Place(tmp_path)
    manifest = tmp_path / "market.json"
    manifest.write_text(json.dumps(market.manifest(**OURS)), "utf-8")
    made = place.facts("init", str(place.config), "--manifest", str(manifest))
    assert (made["competitors"], made["products"], made["watches"]) == (4, 20, 20)
    mail_at_once(place, smtp)

    facts = place.facts("run", "--config", str(place.config))

    assert facts.keys() == KEYS
    assert all(type(facts[name]) is int for name in ("jobs", "tool_calls", "observations", "proposals"))
    assert (facts["jobs"], facts["tool_calls"], facts["observations"]) == (4, 20, 20)
    assert facts["run"] == f"nightly-{facts['date']}"
    assert all(watch.keys() == WATCH_KEYS for watch in facts["watches"])
    assert {(watch["price"], watch["currency"], watch["list_price"]) for watch in facts["watches"]} == {
        ("95.00", "EUR", None)
    }
    assert {watch["availability"] for watch in facts["watches"]} == {"in_stock"}
    assert_ended_once(place, smtp, facts)
    before = dict(market.hits)

    assert place.facts("run", "--config", str(place.config)) == facts
    assert dict(market.hits) == before
    assert_ended_once(place, smtp, facts)


def test_a_night_killed_again_and_again_goes_on_where_it_was(market: Market, place: Place, smtp: SmtpServer) -> None:
    """SIGKILL with requests under way, also of the resumed run: each repeats only the calls that were under way."""
    kills, repeats = 0, 0
    for _ in range(3):
        market.hold_from(2)
        program = place.start("run", "--json")
        under_way = market.held(4)
        time.sleep(0.3)  # a request that is not held would show itself now
        program.kill()
        kills += 1
        with place.store() as store:
            left = last_night(store)
        urls = {f"{shop.url}{path}" for shop in market.open for name, path in under_way if name == shop.name}
        assert set(left.started().values()) == urls, "each running job died in exactly one started step"
        repeats += len(under_way)
        interrupted = left.started()
        market.release()
    facts = place.facts("run")

    assert_ended_once(place, smtp, facts)
    with place.store() as store:
        night = last_night(store)
    assert interrupted.items() <= night.repeated().items(), "resumed at the same competitor and step"
    assert sum(step.attempts - 1 for steps in night.steps.values() for step in steps) == repeats
    assert max(market.hits.values()) <= 1 + kills
    assert sum(count - 1 for count in market.hits.values()) == repeats <= kills * len(market.open)
    print(f"\n{kills} kills, {repeats} calls repeated, {market.page_hits} page requests for {len(list(market.paths))}")


def test_sigterm_ends_a_run_after_the_steps_under_way(market: Market, place: Place, smtp: SmtpServer) -> None:
    """The jobs are given back at a checkpoint, so that nothing is asked for or charged twice."""
    market.delay_s = 0.3
    program = place.start("run", "--json")
    market.wait_for_pages(6)
    asked_at = time.monotonic()
    program.terminate()
    code = program.wait()
    took = time.monotonic() - asked_at
    print(f"\nended {took:.2f} s after SIGTERM with exit code {code}")
    assert "Traceback" not in program.log
    assert code not in (0, 2), "an interrupted night is no success and no mistake of the operator"
    with place.store() as store:
        left = last_night(store)
        assert left.started() == {}
        assert left.running == frozenset()
        assert counted(store, "workers", "recoveries") == {"workers": 0, "recoveries": 0}
        assert max(job.attempts for job in left.jobs) <= 1

    facts = place.facts("run")

    assert_ended_once(place, smtp, facts)
    assert facts["tool_calls"] == 20
    assert set(market.hits.values()) == {1}


def test_a_second_working_process_is_refused_and_readers_are_not(market: Market, place: Place) -> None:
    """One SQLite file has one working process; commands that read work beside it."""
    market.hold_from(1)
    program = place.start("run")
    market.held(4)

    for command in (("run", "--json"), ("up",)):
        refused = place.run(*command)
        assert refused.returncode == 2
        assert f"another working process (pid {program.process.pid})" in refused.stderr
        assert "Traceback" not in refused.stderr
        assert refused.stdout == ""
    beside = place.facts("status")
    assert beside["run"]["state"] == "collecting"
    assert place.run("doctor").returncode in (0, 1)
    assert place.facts("actions") == {"actions": []}

    market.release()
    assert program.wait() == 0, program.log
    assert set(market.hits.values()) == {1}


def test_rules_edited_in_the_night_do_not_change_its_plan(market: Market, place: Place) -> None:
    """The run froze its rules when it began; the next night has the new ones."""
    market.hold_from(2)
    program = place.start("run", "--json")
    market.held(4)
    place.set("rules.toml", "adjust_amount", '"-5.00"')
    program.kill()
    market.release()

    place.facts("run")
    tonight = place.facts("actions")["actions"]
    assert {action["new_price"] for action in tonight} == {"95.00"}

    tomorrow = place.facts("run", "--date", _next_day(place))
    assert tomorrow["proposals"] == 20
    fresh = place.facts("actions", "--run", tomorrow["run"])["actions"]
    assert {action["new_price"] for action in fresh} == {"90.00"}


def _next_day(place: Place) -> str:
    with place.store() as store:
        return (last_night(store).run.local_date + timedelta(days=1)).isoformat()
