"""A price too odd to use at once is looked at again in the same night; the night waits for it as long as it may."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest

from monitor.domain.page import MissReason
from monitor.domain.plan import NightPlan, Schedule
from monitor.domain.pricing import Rules, rules_from_text
from monitor.domain.run import Job, JobState, RunState
from monitor.durable import Plan, Tool
from monitor.flow import collect
from monitor.flow.propose import propose
from monitor.ports.store import Unit
from tests.core_scene import SetClock, opened
from tests.fakes import Served
from tests.flow.test_collect import CLOUDFLARE, SHOP, Market, Night, a_page

RULES = """
[[rules]]
id = "match"
priority = 1
target = {reference = "lowest"}
"""
PLAN = NightPlan(schedule=Schedule(zone="Europe/Berlin"), rules=RULES)


@dataclass
class Doubting(Market):
    """A market whose visits look twice."""

    origin: str = "schedule"
    rules: str = RULES

    def open_job(self, unit: Unit, job: Job) -> tuple[Plan, Mapping[str, Tool]]:
        plan, tools = super().open_job(unit, job)
        todo = collect.assignment_of(unit, job, self.catalogue, "pricebot")
        run = unit.runs.get(job.run_id)
        assert run is not None
        tonight = collect.Tonight(run, self.catalogue, self.read_rules)
        return collect.looking_twice(plan, tools, todo, self.store, tonight)

    def shows(self, *answers: Served | MissReason | bytes, path: str = "/p/rope-60") -> None:
        """Answer from now on with these, one a visit, the last one for ever."""
        told = [Served(one) if isinstance(one, bytes) else one for one in answers]
        self.fetcher.say_only(SHOP + path, told)

    @property
    def read_rules(self) -> Rules:
        return rules_from_text(self.rules, where="rules.toml")

    def proposed(self, night: Night) -> dict[str, Decimal]:
        with self.store.read() as unit:
            run = unit.runs.get(night.run_id)
        assert run is not None
        propose(self.store, run, PLAN, self.catalogue)
        with self.store.read() as unit:
            return {one.proposal.sku: one.proposal.new_price for one in unit.actions.of_run(run.id)}


@pytest.fixture
def market(own_sqlite_url: str) -> Iterator[Doubting]:
    clock = SetClock(datetime(2026, 11, 28, 0, 0, tzinfo=UTC))
    store = opened(own_sqlite_url, clock)
    made = Doubting(store, clock)
    made.watch("/p/rope-60", "/p/rope-80")
    made.serve("/p/rope-60", a_page("149.00", name="Rope 60"))
    made.serve("/p/rope-80", a_page("149.00", name="Rope 80"))
    yield made
    store.close()


def looks(night: Night) -> list[str]:
    return [step.tool for step in night.steps]


def test_an_ordinary_night_judges_once_and_looks_no_second_time(market: Doubting) -> None:
    night = market.night()

    assert looks(night) == ["page", "page", "doubt"]
    assert (night.job.calls_used, night.waits) == (2, [])


def test_a_sale_that_lasts_is_confirmed_and_used_in_the_same_night(market: Doubting) -> None:
    market.night()
    market.shows(a_page("89.00", name="Rope 60"))

    night = market.night()

    assert looks(night) == ["page", "page", "doubt", "second_look"]
    assert night.waits == [timedelta(hours=2)]
    assert (night.job.state, night.job.calls_used, night.job.attempts) == (JobState.DONE, 3, 1)
    assert market.proposed(night) == {"ROPE-60": Decimal("89.00"), "ROPE-80": Decimal("149.00")}


def test_a_glitch_that_is_over_leaves_no_trace_in_the_proposal(market: Doubting) -> None:
    market.night()
    market.shows(a_page("14.90", name="Rope 60"), a_page("148.00", name="Rope 60"))

    night = market.night()

    assert night.seen["ROPE-60"].price == Decimal(148)
    assert market.proposed(night)["ROPE-60"] == Decimal("148.00")


@pytest.mark.parametrize(
    "second",
    [b"<html><body>come back later</body></html>", MissReason.CONNECT, Served(b"", 503, {"retry-after": "7200"})],
)
def test_a_second_look_that_reads_nothing_leaves_the_price_held(market: Doubting, second: Served | MissReason) -> None:
    market.night()
    market.shows(a_page("14.90", name="Rope 60"), second)

    night = market.night()

    assert looks(night)[-1] == "second_look"
    assert (night.seen["ROPE-60"].outcome, night.seen["ROPE-60"].price) == ("ok", Decimal("14.90"))
    assert market.proposed(night) == {"ROPE-80": Decimal("149.00")}


def test_without_budget_the_next_night_is_the_second_look(market: Doubting) -> None:
    market.night()
    market.shows(a_page("89.00", name="Rope 60"))
    market.shop = replace(market.shop, tool_calls=2)

    night = market.night()

    assert looks(night) == ["page", "page", "doubt"]
    assert night.alerts() == []
    assert market.proposed(night) == {"ROPE-80": Decimal("149.00")}
    assert market.proposed(market.night())["ROPE-60"] == Decimal("89.00")


def test_without_time_before_the_deadline_the_next_night_is_the_second_look(market: Doubting) -> None:
    market.rules = RULES + "[anomalies]\nsecond_look_min = '240'\n"
    market.night()
    market.shows(a_page("89.00", name="Rope 60"))

    night = market.night()

    assert looks(night) == ["page", "page", "doubt"]
    assert night.steps[-1].result == {"odd": [], "tomorrow": ["ROPE-60"]}


def test_a_night_can_do_without_second_looks(market: Doubting) -> None:
    market.rules = RULES + "[anomalies]\nsecond_look_min = '0'\n"

    assert looks(market.night()) == ["page", "page"]


def test_a_shop_that_shuts_us_out_is_not_asked_again(market: Doubting) -> None:
    market.night()
    market.shows(a_page("89.00", name="Rope 60"))
    market.shows(Served(CLOUDFLARE, 403), path="/p/rope-80")

    night = market.night()

    assert "second_look" not in looks(night)


def test_the_synthesis_waits_for_the_second_look(market: Doubting) -> None:
    market.night()
    market.shows(a_page("89.00", name="Rope 60"))
    waiting: list[RunState] = []

    def remember(_url: str) -> None:
        with market.store.read() as unit:
            waiting.append(unit.runs.open()[-1].state)

    market.during = remember
    night = market.night()

    assert waiting == [RunState.COLLECTING] * 3
    with market.store.read() as unit:
        run = unit.runs.get(night.run_id)
    assert run is not None
    assert (run.state, run.partial) == (RunState.SYNTHESISING, False)


def test_another_size_on_the_same_page_is_held_and_never_confirms_itself(market: Doubting) -> None:
    market.night()
    market.shows(a_page("139.00", name="Rope 50"))

    nights = [market.proposed(market.night()) for _ in range(3)]

    assert nights == [{"ROPE-80": Decimal("149.00")}] * 3
    market.shows(a_page("138.00", name="Rope 60"))
    assert market.proposed(market.night())["ROPE-60"] == Decimal("138.00")
