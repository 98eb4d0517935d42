"""A night's proposals: each stored once, from what was observed and is trusted; on both databases."""

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest

from monitor.adapters.db.store import SqlStore
from monitor.domain.action import Action, ActionState, Actor, Verb, WriteState
from monitor.domain.catalogue import Catalogue, MatchState
from monitor.domain.extraction import Availability, Outcome
from monitor.domain.message import AlertKind
from monitor.domain.noticed import noticed
from monitor.domain.observation import Observation
from monitor.domain.plan import NightPlan, NotifyPlan, Schedule
from monitor.domain.run import Run, RunState
from monitor.domain.standing import unpacked
from monitor.flow.begin import begin
from monitor.flow.propose import propose
from monitor.flow.propose.found import Found
from monitor.flow.propose.night import decided, night_of
from monitor.flow.review import decide
from monitor.ports.messages import StoredReport
from tests.core_scene import opened
from tests.nights import MADE, a_catalogue, a_run
from tests.review_scene import BY_ANNA, choice

RULES = """
[[rules]]
id = "match-lowest"
priority = 100
[rules.target]
reference = "lowest"
"""
RESTING = RULES + '[rules.guardrails]\ncooldown_hours = "72"\n'


@dataclass
class Nights:
    """Nights of one catalogue, each with the prices that a test says were read."""

    store: SqlStore
    catalogue: Catalogue = field(default_factory=lambda: a_catalogue(skus=("A", "B"), competitors=("acme", "globex")))
    rules: str = RULES
    day: date = date(2026, 11, 28)
    notify: NotifyPlan = field(default_factory=NotifyPlan)

    def __post_init__(self) -> None:
        with self.store.read() as unit:
            self.started = unit.now

    @property
    def plan(self) -> NightPlan:
        return NightPlan(schedule=Schedule(zone="Europe/Berlin"), rules=self.rules, notify=self.notify)

    def own(self, sku: str, **changes: object) -> None:
        """Change what our catalogue says of a product."""
        products = (replace(p, **changes) if p.sku == sku else p for p in self.catalogue.products)  # type: ignore[arg-type]
        self.catalogue = replace(self.catalogue, products=tuple(products))

    def ours(self, sku: str, price: str) -> None:
        """Change our own price."""
        products = (replace(p, price=Decimal(price)) if p.sku == sku else p for p in self.catalogue.products)
        self.catalogue = replace(self.catalogue, products=tuple(products))

    def noticed(self, read: Mapping[str, str | Outcome]) -> list[str]:
        """Observe, propose, and return tonight's alerts about rivals, in words after the date."""
        run = self.observed(read)
        self.proposed(run)
        kinds = {AlertKind.SITE, AlertKind.MAP, AlertKind.STOCK}
        with self.store.read() as unit:
            return [one.words.partition(", ")[2] for one in unit.alerts.of_run(run.id) if one.kind in kinds]

    def observed(self, read: Mapping[str, str | Outcome], *, shuffle: int | None = None) -> Run:
        """Begin the next night and store these readings.

        Each is `competitor/SKU` to a price (`"9.90"`, or `"9.90 gone"` when it is out of stock) or another outcome.
        """
        self.day += timedelta(days=1)
        run, _ = begin(self.store, self.plan, self.catalogue, origin="schedule", day=self.day)
        seen = [self._seen(run, key, what) for key, what in read.items()]
        if shuffle is not None:
            random.Random(shuffle).shuffle(seen)
        with self.store.write() as unit:
            for one in seen:
                unit.observations.record(one)
        return run

    def _seen(self, run: Run, key: str, what: str | Outcome) -> Observation:
        competitor, _, sku = key.partition("/")
        outcome = what if isinstance(what, Outcome) else Outcome.OK
        said, _, gone = ("" if isinstance(what, Outcome) else what).partition(" ")
        price = Decimal(said) if said else None
        available = Availability.OUT_OF_STOCK if gone else Availability.IN_STOCK
        # The history is told in nights, while PostgreSQL's clock is the real one.
        at: datetime = self.started + (self.day - date(2026, 11, 29)) + timedelta(seconds=1)
        return Observation(
            run_id=run.id,
            competitor=competitor,
            sku=sku,
            url=f"https://{competitor}.example/{sku}",
            outcome=outcome,
            reason="said",
            words="said so",
            observed_at=at,
            price=price,
            currency=None if price is None else "EUR",
            availability=available if price is not None else Availability.UNKNOWN,
        )

    def proposed(self, run: Run) -> dict[str, object]:
        return propose(self.store, run, self.plan, self.catalogue)

    def night(self, read: Mapping[str, str | Outcome]) -> dict[str, str]:
        """Observe, propose, and return what is proposed tonight, by SKU."""
        run = self.observed(read)
        self.proposed(run)
        return self.targets(run)

    def actions(self, run: Run) -> tuple[Action, ...]:
        with self.store.read() as unit:
            return unit.actions.of_run(run.id)

    def targets(self, run: Run) -> dict[str, str]:
        return {action.proposal.sku: str(action.proposal.new_price) for action in self.actions(run)}


@pytest.fixture
def nights(migrated_url: str) -> Iterator[Nights]:
    store = opened(migrated_url)
    yield Nights(store)
    store.close()


CALM = {"acme/A": "120.00", "globex/A": "125.00", "acme/B": "129.00", "globex/B": "140.00"}


def test_the_lowest_rival_is_met_and_the_reason_is_told(nights: Nights) -> None:
    run = nights.observed(CALM)
    nights.proposed(run)

    (action,) = nights.actions(run)
    assert (action.proposal.sku, action.proposal.new_price, action.state) == ("A", Decimal(120), ActionState.PENDING)
    assert action.proposal.action_key == "nightly-2026-11-29:shop:A"
    assert "Acme" in action.proposal.words


def test_a_night_that_is_begun_late_or_early_leaves_its_proposals_their_whole_time(nights: Nights) -> None:
    """Counted from when it was due, a night run by hand in the evening proposed what was over before it was read."""
    run = nights.observed(CALM)
    nights.proposed(run)

    (action,) = nights.actions(run)
    assert run.started_at != run.due_at
    assert action.proposal.expires_at == run.started_at + timedelta(hours=48)


def test_proposing_twice_stores_nothing_twice(nights: Nights) -> None:
    run = nights.observed(CALM)
    first = nights.proposed(run)
    stored = nights.actions(run)
    second = nights.proposed(run)

    assert nights.actions(run) == stored
    assert [action.version for action in stored] == [1]
    assert (first["proposals"], first["written"]) == (1, 1)
    assert (second["proposals"], second["written"]) == (1, 0)


def test_a_reading_that_comes_before_the_step_is_repeated_makes_a_new_version(nights: Nights) -> None:
    run = nights.observed(CALM)
    nights.proposed(run)
    with nights.store.write() as unit:
        unit.observations.record(nights._seen(run, "globex/A", "118.00"))
    nights.proposed(run)

    (action,) = nights.actions(run)
    assert (action.version, action.proposal.new_price) == (2, Decimal(118))


def test_the_order_of_the_readings_changes_nothing(nights: Nights) -> None:
    shops = ("acme", "globex", "hooli", "initech")
    nights.catalogue = a_catalogue(skus=("A", "B", "C"), competitors=shops)
    read = {f"{shop}/{sku}": str(110 + n) for n, (shop, sku) in enumerate((s, k) for s in shops for k in "ABC")}
    nights.night(read)  # the first night's reasons say that they are first readings
    facts = []
    for seed in range(4):
        run = nights.observed(read, shuffle=seed)
        nights.proposed(run)
        facts.append([(a.proposal.sku, a.proposal.new_price, a.proposal.words) for a in nights.actions(run)])

    assert len(facts[0]) == 3
    assert facts[1:] == facts[:1] * 3


def test_an_older_pending_proposal_is_superseded(nights: Nights) -> None:
    first = nights.observed(CALM)
    nights.proposed(first)
    second = nights.observed(CALM | {"acme/A": "119.00"})
    nights.proposed(second)

    (old,), (new,) = nights.actions(first), nights.actions(second)
    assert (old.state, old.superseded_by) == (ActionState.SUPERSEDED, new.id)
    assert new.state is ActionState.PENDING
    with nights.store.read() as unit:
        assert [action.id for action in unit.actions.pending()] == [new.id]


def test_a_later_night_that_says_the_same_keeps_the_proposal_and_renews_its_evidence(nights: Nights) -> None:
    first = nights.observed(CALM)
    nights.proposed(first)
    (old,) = nights.actions(first)
    second = nights.observed(CALM)
    nights.proposed(second)
    nights.proposed(second)

    (kept,) = nights.actions(second)
    assert (kept.id, kept.version, kept.state) == (old.id, 1, ActionState.PENDING)
    assert kept.proposal.action_key == old.proposal.action_key
    assert kept.proposal.expires_at == second.started_at + timedelta(hours=48)
    assert kept.proposal.facts["observed_at"] > old.proposal.facts["observed_at"]
    with nights.store.read() as unit:
        assert unit.actions.pending() == (kept,)
        assert unit.actions.pending(besides=second.id) == ()
        assert unit.actions.counts(second.id) == {ActionState.PENDING: 1}
        assert {one.run: one.proposals for one in unit.past.nights(2)} == {first.id: 1, second.id: 1}


def test_a_night_that_changes_its_mind_supersedes_what_it_kept(nights: Nights) -> None:
    """The step is repeated after a reading came in between."""
    nights.proposed(first := nights.observed(CALM))
    second = nights.observed(CALM)
    nights.proposed(second)
    with nights.store.write() as unit:
        unit.observations.record(nights._seen(second, "acme/A", "119.00"))
    nights.proposed(second)

    (old,) = nights.actions(first)
    assert old.state is ActionState.SUPERSEDED
    assert [(one.state, str(one.proposal.new_price)) for one in nights.actions(second)] == [
        (ActionState.SUPERSEDED, "120"),
        (ActionState.PENDING, "119"),
    ]


def test_what_is_approved_and_not_yet_written_is_not_asked_again_until_something_changes(nights: Nights) -> None:
    nights.proposed(first := nights.observed(CALM))
    (action,) = nights.actions(first)
    decide(nights.store, nights.plan, BY_ANNA, [choice(action)])

    assert nights.night(CALM) == {}
    assert [one.state for one in nights.actions(first)] == [ActionState.APPROVED]
    assert nights.night(CALM | {"acme/A": "119.00"}) == {"A": "119"}
    assert [one.state for one in nights.actions(first)] == [ActionState.SUPERSEDED]


def test_a_decided_proposal_stays_decided(nights: Nights) -> None:
    first = nights.observed(CALM)
    nights.proposed(first)
    (action,) = nights.actions(first)
    with nights.store.write() as unit:
        by = Actor("cli", "anna@example.com")
        assert unit.actions.decide(action, Verb.REJECT, by, batch="b", reason=None, until=None)
    nights.proposed(first)
    nights.proposed(nights.observed(CALM))

    assert [one.state for one in nights.actions(first)] == [ActionState.REJECTED]


@pytest.mark.parametrize("verb", [Verb.REJECT, Verb.SNOOZE])
def test_threat_54_what_was_rejected_or_put_off_is_not_asked_again_until_something_changes(
    nights: Nights, verb: Verb
) -> None:
    first = nights.observed(CALM)
    nights.proposed(first)
    (action,) = nights.actions(first)
    with nights.store.write() as unit:
        by, until = Actor("cli", "anna@example.com"), unit.now + timedelta(days=9)
        assert unit.actions.decide(action, verb, by, batch="b", reason=None, until=until)

    assert nights.night(CALM) == {}
    assert [one.state for one in nights.actions(first)] == [action_state(verb)]
    assert nights.night(CALM | {"acme/A": "119.00"}) == {"A": "119"}


def action_state(verb: Verb) -> ActionState:
    return ActionState.REJECTED if verb is Verb.REJECT else ActionState.SNOOZED


def test_a_suggested_match_feeds_nothing(nights: Nights) -> None:
    suggested = (replace(watch, match=MatchState.SUGGESTED) for watch in nights.catalogue.watches)
    nights.catalogue = replace(nights.catalogue, watches=tuple(suggested))

    assert nights.night(CALM) == {}


def test_a_glitch_feeds_nothing_and_the_next_night_forgets_it(nights: Nights) -> None:
    nights.night(CALM)
    run = nights.observed(CALM | {"acme/A": "12.00"})
    told = nights.proposed(run)

    assert nights.targets(run) == {"A": "125"}  # the other rival; neither the glitch nor the price before it
    assert [one["sku"] for one in told["exceptions"]] == ["A"]  # type: ignore[attr-defined]
    assert "held, acme" in str(told["exceptions"])
    assert nights.night(CALM) == {"A": "120"}


def test_a_real_sale_is_used_when_the_second_night_reads_it(nights: Nights) -> None:
    nights.night(CALM)
    sale = CALM | {"acme/A": "80.00"}

    assert nights.night(sale) == {"A": "125"}
    assert nights.night(sale) == {"A": "80"}


def test_no_raise_is_proposed_while_a_rival_is_held(nights: Nights) -> None:
    """The cheapest rival's odd price may be true; the next rival's higher one must not lead up meanwhile."""
    nights.ours("A", "120.00")
    nights.night(CALM)

    assert nights.night(CALM | {"acme/A": "12.00"}) == {}
    assert nights.night(CALM | {"acme/A": "122.00"}) == {"A": "122"}


def test_a_glitch_stays_held_while_its_page_cannot_be_read(nights: Nights) -> None:
    """The span of the glitch is the newest one there is; it must not be used because nobody looked again."""
    nights.night(CALM)
    nights.night(CALM | {"acme/A": "12.00"})

    assert nights.night(CALM | {"acme/A": Outcome.FAILED}) == {"A": "125"}


def test_a_rest_is_kept_after_a_change_and_not_after_the_first_night(nights: Nights) -> None:
    nights.rules = RESTING
    first = nights.night(CALM)
    second = nights.night(CALM)
    nights.ours("A", "127.00")
    after_a_change = nights.night(CALM)

    assert (first, second) == ({"A": "120"}, {"A": "120"})
    assert after_a_change == {}


def test_low_coverage_raises_one_alert_that_counts(nights: Nights) -> None:
    run = nights.observed({"acme/A": "120.00", "acme/B": Outcome.BLOCKED, "globex/A": Outcome.ROBOTS})
    nights.proposed(run)
    nights.proposed(run)

    with nights.store.read() as unit:
        (alert,) = unit.alerts.of_run(run.id)
    assert alert.kind is AlertKind.COVERAGE
    assert "1 of 4 watches" in alert.words


def test_enough_coverage_raises_none(nights: Nights) -> None:
    run = nights.observed(CALM | {"acme/B": Outcome.UNCHANGED, "globex/B": Outcome.FAILED})
    nights.proposed(run)

    with nights.store.read() as unit:
        assert unit.alerts.of_run(run.id) == ()


BREAKER = RULES + '[run.breaker]\nmarket_pct = "40"\nleast_prices = 4\n'


def test_a_night_in_which_too_much_moved_proposes_for_a_second_look_and_tells_why(nights: Nights) -> None:
    nights.rules = BREAKER
    nights.night(CALM)

    run = nights.observed({"acme/A": "118.00", "globex/A": "124.00", "acme/B": "127.00", "globex/B": "140.00"})
    told = nights.proposed(run)

    words = "All shops together moved 3 of 4 prices at once, more than 40 %"
    assert told["breakers"] == [{"code": "MARKET_BREAKER", "words": words}]
    assert nights.targets(run) == {"A": "118", "B": "127"}
    assert {action.state for action in nights.actions(run)} == {ActionState.PENDING}
    assert [action.proposal.facts["second_look"] for action in nights.actions(run)] == [told["breakers"]] * 2
    with nights.store.read() as unit:
        (alert,) = unit.alerts.of_run(run.id)
    assert alert.kind is AlertKind.BREAKER
    assert alert.words.startswith(f"{words}. 2 proposed changes need a second look in the night of 2026-11-30")


def test_coverage_is_compared_with_what_the_reports_before_said(nights: Nights) -> None:
    nights.rules = RULES + '[run.breaker]\ncoverage_drop_points = "20"\n'
    for share in ("100.0", "98.0", "100.0"):
        run = nights.observed(CALM)
        with nights.store.write() as unit:
            trust = {"trust": {"coverage_pct": share}}
            unit.reports.store(StoredReport(run.id, trust, "", "", unit.now))

    told = nights.proposed(nights.observed({"acme/A": "119.00", "acme/B": Outcome.BLOCKED, "globex/B": Outcome.FAILED}))

    ((code, words),) = [(one["code"], one["words"]) for one in told["breakers"]]  # type: ignore[attr-defined]
    assert code == "COVERAGE_BREAKER"
    assert words.startswith("25.0 % of the watches were read, against 100.0 % in the middle of the last 3 nights")


def test_what_our_own_data_makes_impossible_is_an_exception(nights: Nights) -> None:
    products = (replace(p, min_price=Decimal(90), max_price=Decimal(80)) for p in nights.catalogue.products)
    nights.catalogue = replace(nights.catalogue, products=tuple(products))

    told = nights.proposed(nights.observed(CALM))

    assert [one["sku"] for one in told["exceptions"]] == ["A", "B"]  # type: ignore[attr-defined]
    assert told["proposals"] == 0


def test_a_rival_below_our_minimum_price_is_told_when_it_falls_there_and_not_while_it_stays(nights: Nights) -> None:
    nights.own("A", map=Decimal("38.00"))
    below = "newly below your minimum price: A at Acme for EUR 37.50 (minimum EUR 38.00)."

    assert nights.noticed({"acme/A": "39.00", "globex/A": "39.00"}) == []
    assert nights.noticed({"acme/A": "37.50", "globex/A": "39.00"}) == [below]
    assert nights.noticed({"acme/A": "37.50", "globex/A": "39.00"}) == []
    assert nights.noticed({"acme/A": "37.00", "globex/A": "39.00"}) == []
    assert nights.noticed({"acme/A": "38.00", "globex/A": "39.00"}) == []
    assert nights.noticed({"acme/A": "37.50", "globex/A": "39.00"}) == [below]


def test_a_rival_out_of_stock_is_told_once_and_only_when_we_have_the_product(nights: Nights) -> None:
    nights.own("B", stock=0)
    full = {"acme/A": "39.00", "acme/B": "39.00"}
    gone = {"acme/A": "39.00 gone", "acme/B": "39.00 gone"}

    assert nights.noticed(full) == []
    assert nights.noticed(gone) == ["newly out of stock while you have it: A at Acme."]
    assert nights.noticed(gone) == []
    assert nights.noticed(full) == []
    assert nights.noticed(gone) == ["newly out of stock while you have it: A at Acme."]


def test_a_site_that_stops_answering_is_told_once_with_its_name(nights: Nights) -> None:
    down: dict[str, str | Outcome] = {"acme/A": Outcome.BLOCKED, "acme/B": Outcome.FAILED, "globex/A": "39.00"}

    assert nights.noticed({"acme/A": "39.00", "globex/A": "39.00"}) == []
    assert nights.noticed(down) == ["read the night before and not at all this night: Acme."]
    assert nights.noticed(down) == []


@pytest.mark.parametrize(("least", "told"), [(0, 0), (1, 1), (2, 1), (3, 0)])
def test_fewer_than_the_threshold_asks_for_are_not_told(nights: Nights, least: int, told: int) -> None:
    nights.notify = NotifyPlan(min_stock=least)
    nights.noticed({"acme/A": "39.00", "acme/B": "39.00"})

    assert len(nights.noticed({"acme/A": "39.00 gone", "acme/B": "39.00 gone"})) == told


def test_proposing_again_tells_no_alert_again(nights: Nights) -> None:
    nights.noticed({"acme/A": "39.00"})
    run = nights.observed({"acme/A": "39.00 gone"})

    for _ in range(2):
        nights.proposed(run)

    with nights.store.read() as unit:
        assert [alert.key for alert in unit.alerts.of_run(run.id)] == [f"coverage:{run.id}", f"stock:{run.id}"]


CAPPED = (
    RULES
    + """
[rules.guardrails]
max_decrease_pct = "20"
[run]
max_proposals = 2
[run.breaker]
competitor_pct = "30"
down_pct = "10"
least_prices = 3
[do_not_touch]
skus = ["C"]
"""
)


def test_a_night_decided_in_parts_of_any_size_comes_to_the_same(nights: Nights) -> None:
    skus, shops = "GCABFDE", ("acme", "globex", "initech", "umbrella")
    nights.catalogue = a_catalogue(skus=tuple(skus), competitors=shops)
    nights.rules = CAPPED
    nights.own("A", map=Decimal(123))
    usual = {f"{shop}/{sku}": f"{120 + ord(sku) % 7 + len(shop) % 5}.00" for shop in shops for sku in skus}
    nights.night(usual)
    nights.night(usual)
    nights.catalogue = replace(nights.catalogue, products=tuple(p for p in nights.catalogue.products if p.sku != "F"))
    tonight: dict[str, str | Outcome] = {key: usual[key] for key in usual if not key.endswith("/F")}
    tonight |= {f"acme/{sku}": str(Decimal(usual[f"acme/{sku}"]) * Decimal("0.9")) for sku in "ABCDE"}
    tonight |= {"globex/A": "122.00", "globex/B": "12.40", "globex/C": "118.00 gone", "initech/G": "115.00"}
    tonight |= {f"umbrella/{sku}": Outcome.BLOCKED for sku in skus if sku != "F"}
    run = nights.observed(tonight)
    with nights.store.read() as unit:
        night = night_of(unit, run, nights.plan, nights.catalogue)
        whole, *others = (_told(decided(unit, night, at_once=size)) for size in (100, 1, 2, 6))

    assert all(other == whole for other in others)
    assert whole["proposals"]
    assert {one.held.code.value for one in whole["held"]} >= {"SCALE", "SITE_SHIFT"}
    assert {one.code.value for one in whole["stopped"]} >= {"DO_NOT_TOUCH", "RUN_CAP"}
    assert [words.partition(", ")[2][:29] for words in whole["alerts"]] == [
        "read the night before and not",
        "newly below your minimum pric",
        "newly out of stock while you ",
    ]


def _told(found: Found) -> dict[str, Any]:
    """Return what a night comes to without the parts in which it was found."""
    plain = {name: getattr(found, name) for name in Found.__dataclass_fields__ if name not in {"standings", "signs"}}
    standings = sorted((row for part in found.standings for row in unpacked(part)), key=lambda row: row.sku)
    alerts = noticed(a_run(), NotifyPlan(), a_catalogue(), found.signs, MADE)
    return plain | {"standings": standings, "alerts": [alert.words for alert in alerts]}


def close(nights: Nights, run: Run) -> None:
    with nights.store.write() as unit:
        unit.runs.start_synthesis(run.id, partial=False)
        unit.runs.close(run.id, RunState.REPORTED)


def states(nights: Nights, run: Run) -> dict[str, ActionState]:
    return {action.proposal.sku: action.state for action in nights.actions(run)}


@pytest.mark.parametrize("is_reported", [True, False])
def test_a_night_that_a_later_one_overtook_changes_none_of_its_proposals(nights: Nights, is_reported: bool) -> None:
    """The older one was interrupted and goes on when the later one has proposed; its readings are older."""
    older = nights.observed(CALM)
    later = nights.observed(CALM | {"acme/A": "110.00"})
    nights.proposed(later)
    if is_reported:
        close(nights, later)
    before = nights.actions(later)

    told = nights.proposed(older)

    assert nights.actions(later) == before
    assert states(nights, later) == {"A": ActionState.PENDING}
    assert nights.actions(older) == ()
    assert (told["proposals"], told["written"]) == (0, 0)
    notice = told["exceptions"][0]["words"]  # type: ignore[index]
    assert notice.startswith(f"1 of 1 changes were not proposed: the later night of {later.local_date} ({later.id})")


def test_a_later_night_that_has_proposed_nothing_yet_stops_nobody(nights: Nights) -> None:
    older = nights.observed(CALM | {"acme/B": "119.00"})
    nights.observed({"acme/A": "110.00"})

    nights.proposed(older)

    assert states(nights, older)["B"] is ActionState.PENDING


def again(nights: Nights, first: Run, read: Mapping[str, str]) -> Run:
    """Run the night of `first` once more with other readings."""
    close(nights, first)
    run, _ = begin(nights.store, nights.plan, nights.catalogue, origin="manual", day=first.local_date, again=True)
    with nights.store.write() as unit:
        for key, what in read.items():
            unit.observations.record(nights._seen(run, key, what))
    nights.proposed(run)
    return run


def test_a_night_run_again_replaces_what_nobody_decided_and_leaves_what_somebody_did(nights: Nights) -> None:
    first = nights.observed(CALM | {"acme/A": "110.00", "acme/B": "115.00"})
    nights.proposed(first)
    _, two = nights.actions(first)
    decide(nights.store, nights.plan, BY_ANNA, [choice(two, Verb.REJECT)])

    second = again(nights, first, CALM | {"acme/A": "112.00", "acme/B": "115.00"})

    assert states(nights, first) == {"A": ActionState.SUPERSEDED, "B": ActionState.REJECTED}
    assert nights.targets(second) == {"A": "112"}, "the rejected price is not asked for again"
    (fresh,) = nights.actions(second)
    assert fresh.proposal.action_key.startswith("nightly.2-2026-11-29:")
    with nights.store.read() as unit:
        assert [each.id for each in unit.actions.pending()] == [fresh.id]


def test_what_a_night_run_again_does_not_propose_any_more_is_withdrawn(nights: Nights) -> None:
    """A recipe had read the wrong number; corrected, there is nothing to propose."""
    first = nights.observed(CALM | {"acme/A": "110.00"})
    nights.proposed(first)
    (wrong,) = nights.actions(first)

    second = again(nights, first, CALM | {"acme/A": "129.00", "globex/A": "135.00"})

    assert states(nights, first) == {"A": ActionState.SUPERSEDED}
    assert nights.targets(second) == {}
    (result,) = decide(nights.store, nights.plan, BY_ANNA, [choice(wrong)])
    assert result.words == "The night was run again and does not propose this any more."


def test_what_was_approved_and_a_night_run_again_does_not_propose_any_more_stays_approved_and_is_told(
    nights: Nights,
) -> None:
    first = nights.observed(CALM | {"acme/A": "110.00"})
    nights.proposed(first)
    (wrong,) = nights.actions(first)
    decide(nights.store, nights.plan, BY_ANNA, [choice(wrong)])
    close(nights, first)
    second, _ = begin(nights.store, nights.plan, nights.catalogue, origin="manual", day=first.local_date, again=True)
    with nights.store.write() as unit:
        for key, what in (CALM | {"acme/A": "129.00", "globex/A": "135.00"}).items():
            unit.observations.record(nights._seen(second, key, what))

    told = nights.proposed(second)

    assert states(nights, first) == {"A": ActionState.APPROVED}
    assert told["exceptions"] == [
        {
            "sku": "A",
            "words": "the night was run again and does not propose the approved 110.00 EUR any more. It stays "
            f"approved; take it back before it is written if it is wrong: monitor take-back {wrong.id}",
        }
    ]


def test_what_was_approved_is_not_doubted_when_a_night_run_again_proposes_it_or_another_price(nights: Nights) -> None:
    first = nights.observed(CALM | {"acme/A": "110.00"})
    nights.proposed(first)
    (one,) = nights.actions(first)
    decide(nights.store, nights.plan, BY_ANNA, [choice(one)])

    again(nights, first, CALM | {"acme/A": "110.00"})
    assert states(nights, first) == {"A": ActionState.APPROVED}
    assert "run again" not in str(nights.proposed(first))

    third = again(nights, _latest(nights), CALM | {"acme/A": "112.00"})
    assert states(nights, first) == {"A": ActionState.SUPERSEDED}, "asked again, as on any later night"
    assert nights.targets(third) == {"A": "112"}
    assert "run again" not in str(nights.proposed(third))
    with nights.store.read() as unit:
        (write,) = unit.writes.of_action(one.id)
        assert [line.run for line in unit.past.nights(9)] == [f"nightly{n}-2026-11-29" for n in (".3", ".2", "")]
        assert unit.standings.latest() == third.id
    (asked,) = nights.actions(third)
    assert (write.state, write.error) == (
        WriteState.CANCELLED,
        f"a later night proposed another price: action {asked.id}; decide about that one",
    )


def _latest(nights: Nights) -> Run:
    with nights.store.read() as unit:
        return unit.runs.latest(1)[0]


def test_the_same_proposal_of_a_night_run_again_is_kept(nights: Nights) -> None:
    first = nights.observed(CALM | {"acme/A": "110.00"})
    nights.proposed(first)
    (stored,) = nights.actions(first)

    second = again(nights, first, CALM | {"acme/A": "110.00"})

    (kept,) = nights.actions(second)
    assert (kept.id, kept.state) == (stored.id, ActionState.PENDING)


def test_the_night_before_is_found_however_often_this_one_is_run_again(nights: Nights) -> None:
    before = nights.observed(CALM)
    run = nights.observed(CALM)
    for _ in range(8):
        close(nights, run)
        run, _new = begin(nights.store, nights.plan, nights.catalogue, origin="manual", day=run.local_date, again=True)

    with nights.store.read() as unit:
        night = night_of(unit, run, nights.plan, nights.catalogue)
    assert (run.schedule, night.before) == ("nightly.9", before)
