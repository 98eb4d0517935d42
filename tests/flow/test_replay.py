"""Stored nights decided again: the simulation of other rules, and the explanation of one product."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import date
from decimal import Decimal
from typing import Any

import pytest

from monitor.domain.extraction import Outcome
from monitor.domain.pricing import rules_from_text
from monitor.domain.run import Run, RunState
from monitor.durable import Done, Incarnation, InOrder, work
from monitor.flow.begin import begin
from monitor.flow.explain import NothingToExplain, explain
from monitor.flow.holds import NothingHeld, accept, held_readings
from monitor.flow.propose import propose
from monitor.flow.simulate import simulate
from tests.core_scene import opened
from tests.flow.test_propose import CALM, RULES, Nights
from tests.nights import a_catalogue

BEAT = """
[[rules]]
id = "beat"
priority = 1
target = {reference = "lowest", adjust_percent = "-10"}
guardrails = {max_decrease_pct = "15"}
"""


class Reported(Nights):
    """Nights that end with a synthesis, as real ones do."""

    def synthesised(self, run: Run) -> Run:
        """Propose in a step of the run's synthesis job, and close the run."""

        def proposing(context: Any, _args: Any) -> Done:
            return Done(propose(self.store, run, self.plan, self.catalogue))

        with self.store.write() as unit:
            unit.runs.start_synthesis(run.id, partial=False)
            job = unit.jobs.find(run.id, "")
        assert job is not None
        me = Incarnation("test")
        work(job.id, store=self.store, me=me, open_job=lambda _u, _j: (InOrder(("propose",)), {"propose": proposing}))
        with self.store.write() as unit:
            unit.runs.close(run.id, RunState.REPORTED)
        return run

    def night(self, read: Mapping[str, str | Outcome]) -> dict[str, str]:
        run = self.synthesised(self.observed(read))
        return self.targets(run)

    def again(self, rules: str | None = None, since: date | None = None) -> dict[str, Any]:
        found = simulate(self.store, rules_from_text(rules or self.rules, where="draft.toml"), since=since)
        assert json.loads(json.dumps(found)) == found
        return found

    def why(self, sku: str, day: date | None = None) -> dict[str, Any]:
        found = explain(self.store, sku, day=day)
        assert json.loads(json.dumps(found)) == found
        return found


@pytest.fixture
def nights(migrated_url: str) -> Iterator[Reported]:
    store = opened(migrated_url)
    yield Reported(store)
    store.close()


#: Nights with everything in them: a calm one, a glitch, a failure, a change of ours, a sale that lasts.
LIFE: tuple[dict[str, str | Outcome], ...] = (
    dict(CALM),
    CALM | {"acme/A": "12.00"},
    CALM | {"acme/A": Outcome.FAILED, "globex/B": "120.00"},
    CALM | {"globex/A": "80.00"},
    CALM | {"globex/A": "80.00", "acme/B": Outcome.NOT_FOUND},
)


def lived(nights: Reported) -> list[dict[str, str]]:
    found = []
    for number, read in enumerate(LIFE):
        if number == 2:
            nights.ours("B", "131.00")
        found.append(nights.night(read))
    return found


def test_the_rules_of_then_lead_to_the_proposals_of_then(nights: Reported) -> None:
    """The replay folds history anew; any difference from what the nights did would show here."""
    stored = lived(nights)

    again = nights.again()

    proposed: dict[str, dict[str, Decimal]] = {night["date"]: {} for night in again["nights"]}
    for one in again["proposals"]:
        proposed[one["date"]][one["sku"]] = Decimal(one["proposed"])
    assert list(proposed.values()) == [{sku: Decimal(price) for sku, price in night.items()} for night in stored]
    compared = again["totals"]["compared_with_then"]
    assert compared == {"same": sum(map(len, stored)), "other_price": 0, "only_now": 0, "only_then": 0}


def test_other_rules_are_counted_and_compared_and_nothing_is_stored(nights: Reported) -> None:
    products = (replace(one, weekly_units=Decimal(2)) for one in nights.catalogue.products)
    nights.catalogue = replace(nights.catalogue, products=tuple(products))
    nights.night(CALM)
    nights.night(CALM)
    with nights.store.read() as unit:
        before = unit.actions.pending()

    found = nights.again(BEAT)

    totals = found["totals"]
    assert [night["proposals"] for night in found["nights"]] == [2, 2]
    assert (totals["nights"], totals["proposals"], totals["distinct"], totals["down"]) == (2, 4, 2, 4)
    assert totals["bound"] == {"MAX_DECREASE": 2}  # A at 108.00 is held at 109.65
    assert totals["margin_effect"] == {"EUR": "-129.00"}
    assert totals["compared_with_then"] == {"same": 0, "other_price": 2, "only_now": 2, "only_then": 0}
    assert Decimal(totals["index_after"]) < Decimal(totals["index_before"])
    with nights.store.read() as unit:
        assert unit.actions.pending() == before


def test_a_simulation_can_begin_later_and_still_knows_what_was_before(nights: Reported) -> None:
    lived(nights)

    found = nights.again(since=date(2026, 12, 2))

    assert [night["date"] for night in found["nights"]] == ["2026-12-02", "2026-12-03"]
    assert found["nights"][0]["held"] == 1  # 80.00 after 125.00, which only the nights before know
    assert found["totals"]["compared_with_then"]["other_price"] == 0


def test_a_night_that_was_run_once_more_is_simulated_once_as_it_ended(nights: Reported) -> None:
    """Three tries of a recipe counted as three nights, and their margin three times."""
    first = nights.synthesised(nights.observed(CALM | {"acme/A": "110.00"}))
    second, _ = begin(nights.store, nights.plan, nights.catalogue, origin="manual", day=first.local_date, again=True)
    with nights.store.write() as unit:
        for key, what in (CALM | {"acme/A": "112.00"}).items():
            unit.observations.record(nights._seen(second, key, what))
    nights.synthesised(second)

    found = nights.again()

    assert [night["date"] for night in found["nights"]] == [first.local_date.isoformat()]
    proposed = {one["sku"]: Decimal(one["proposed"]) for one in found["proposals"]}
    assert proposed == {sku: Decimal(price) for sku, price in nights.targets(second).items()}


def test_without_a_night_there_is_nothing_to_simulate(nights: Reported) -> None:
    assert nights.again()["totals"]["nights"] == 0
    assert nights.again()["totals"]["index_before"] is None


def test_a_proposal_is_explained_from_its_evidence_to_its_rounding(nights: Reported) -> None:
    nights.rules = BEAT
    nights.night(CALM)

    found = nights.why("A")

    assert (found["outcome"], found["price"], found["own_price"]) == ("propose", "109.65", "129.00")
    assert [line["step"] for line in found["steps"]] == list(range(1, 13))
    told = {line["name"]: line["words"] for line in found["steps"]}
    assert told["offers"].startswith("Usable by price, for our pack, in EUR: Acme 120.00, Globex 125.00.")
    assert "Target 108.0000" in told["target"]
    assert told["clamp"] == "Moved to 109.65 by MAX_DECREASE."
    assert [(one["competitor"], one["price"], one["held"]) for one in found["readings"]] == [
        ("acme", "120.00", None),
        ("globex", "125.00", None),
    ]
    assert (found["stored"]["price"], found["stored"]["same"], found["stored"]["version"]) == ("109.65", True, 1)


def test_every_night_is_explained_as_it_was(nights: Reported) -> None:
    stored = lived(nights)

    for number, proposed in enumerate(stored):
        for sku in ("A", "B"):
            found = nights.why(sku, date(2026, 11, 29 + number) if number < 2 else date(2026, 12, number - 1))
            price = None if found["price"] is None else Decimal(found["price"])
            assert price == (Decimal(proposed[sku]) if sku in proposed else None)
            assert found["stored"] is None or found["stored"]["same"]
    glitch = nights.why("A", date(2026, 11, 30))
    held = next(one for one in glitch["readings"] if one["competitor"] == "acme")["held"]
    assert held["code"] == "SCALE"


def test_a_none_is_explained_down_to_the_step_that_ended_it(nights: Reported) -> None:
    nights.night(CALM)

    found = nights.why("B")

    assert (found["outcome"], found["reason"], found["stored"]) == ("none", "NO_CHANGE", None)
    assert found["steps"][-1] == {
        "step": 11,
        "name": "ends here",
        "words": "NO_CHANGE: The lowest in-stock rival (Acme) is at 129.00, which leads to the price you have.",
    }


def test_what_a_guard_stopped_is_explained_with_the_price_that_it_stopped(nights: Reported) -> None:
    nights.rules = BEAT + "[run]\nmax_proposals = 1\n"
    nights.night(CALM)

    found = nights.why("B")

    assert found["reason"] == "RUN_CAP"
    assert found["steps"][-1]["name"] == "guards of the night"
    assert [line["step"] for line in found["steps"]] == list(range(1, 14))


def test_before_the_first_night_nothing_can_be_explained(nights: Reported) -> None:
    with pytest.raises(NothingToExplain, match="No night has run yet"):
        nights.why("A")


@pytest.mark.parametrize(
    ("sku", "day", "said"),
    [("a", None, "did you mean A?"), ("A", date(2020, 1, 1), "There is no night of 2020-01-01. `monitor runs`")],
)
def test_what_is_not_there_is_named(nights: Reported, sku: str, day: date | None, said: str) -> None:
    nights.night(CALM)

    with pytest.raises(NothingToExplain) as refused:
        nights.why(sku, day)
    assert said in str(refused.value)


def test_a_filler_is_held_until_a_person_accepts_it(nights: Reported) -> None:
    nights.night(CALM)
    odd = CALM | {"acme/A": "9999"}
    assert [nights.night(odd), nights.night(odd)] == [{"A": "125"}] * 2
    (held,) = held_readings(nights.store)
    assert (held["competitor"], held["sku"], held["code"]) == ("acme", "A", "PLACEHOLDER")
    assert held["url"] == "https://acme.example/A"

    (done,) = accept(nights.store, "acme", "A", by="anna")

    assert done["price"] == "9999.00"
    nights.night(odd)
    assert held_readings(nights.store) == []


def test_only_what_is_held_can_be_accepted(nights: Reported) -> None:
    nights.night(CALM)

    with pytest.raises(NothingHeld) as refused:
        accept(nights.store, "acme", "A", by="anna")
    assert "holds no reading acme/A" in str(refused.value)


def test_a_whole_shop_that_shifts_waits_for_a_person(nights: Reported) -> None:
    shops = ("acme", "globex")
    nights.catalogue = a_catalogue(skus=("A", "B", "C", "D"), competitors=shops)
    before = {f"{shop}/{sku}": "120.00" for shop in shops for sku in "ABCD"}
    nights.night(before)
    shifted = before | {f"acme/{sku}": "96.00" for sku in "ABCD"}

    assert [nights.night(shifted) for _ in range(3)] == [dict.fromkeys("ABCD", "120")] * 3
    assert {one["code"] for one in held_readings(nights.store)} == {"SITE_SHIFT"}

    assert len(accept(nights.store, "acme", "*", by="anna")) == 4
    assert nights.night(shifted) == dict.fromkeys("ABCD", "96")


def test_the_rules_are_those_of_the_night_and_not_of_today(nights: Reported) -> None:
    nights.rules = RULES
    nights.night(CALM)
    nights.rules = BEAT

    assert nights.why("A")["rule"] == "match-lowest"
