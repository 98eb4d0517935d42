"""The report as a view model: what it says about a night, in which order, and what it never says."""

import json
import re
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from email import message_from_bytes, policy
from email.message import EmailMessage

import pytest
from hypothesis import given
from hypothesis import strategies as st

from monitor.domain.action import ActionState, WriteState
from monitor.domain.catalogue import MatchState
from monitor.domain.extraction import Availability, Outcome
from monitor.domain.message import Alert, AlertKind, worth_telling
from monitor.domain.plan import MailPlan
from monitor.domain.report import NightFacts, Report, alert_subject, build, letter, message_id
from monitor.domain.report.clean import clean
from monitor.domain.report.view import Level, MoveKind, Notice
from monitor.domain.report.withheld import withheld
from monitor.domain.report.wording import age, clock, percent
from monitor.domain.run import JobState
from tests.nights import (
    BEGAN,
    MADE,
    PLAN,
    RUN,
    a_catalogue,
    a_full_night,
    a_job,
    a_night,
    a_run,
    a_span,
    a_write,
    an_action,
    an_observation,
)


def report(**changes: object) -> Report:
    return build(a_night(**changes), now=MADE)


# Subject and verdict


def test_a_quiet_night_says_so_in_subject_and_verdict() -> None:
    made = report()

    assert made.subject == "[Acme] no changes proposed (1/1 checked) - Sun 29 Nov"
    assert made.verdict == "Nothing to decide, 1 without a proposal."


def test_a_night_with_decisions_says_how_many_what_is_at_stake_and_what_failed() -> None:
    made = report(
        catalogue=a_catalogue(["TJ-40", "TJ-41", "TJ-42"]),
        actions=(an_action("TJ-40"), an_action("TJ-41", facts={"weekly_effect": "1088.49"})),
        observations=(an_observation("TJ-40"), an_observation("TJ-41")),
    )

    assert made.subject == "[Acme] 2 price decisions, EUR 1240/wk at stake, 1 check failed - Sun 29 Nov"
    assert made.verdict == "2 to decide, 1 could not be checked."


@pytest.mark.parametrize(
    ("changes", "subject"),
    [
        (
            {"run": a_run(partial=True), "jobs": (a_job(state=JobState.RUNNING),), "observations": ()},
            "[Acme] PARTIAL RUN: 1 of 1 competitor not read, no changes proposed - Sun 29 Nov",
        ),
        (
            {"observations": (an_observation(outcome=Outcome.NOT_FOUND),)},
            "[Acme] TOO LITTLE READ: 1 of 1 competitor not read, no changes proposed - Sun 29 Nov",
        ),
        (
            {"actions": (an_action(facts={"weekly_effect": None}),)},
            "[Acme] 1 price decision - Sun 29 Nov",
        ),
        (
            {"run": replace(a_run(), schedule="nightly.2", id="nightly.2-2026-11-29")},
            "[Acme] run again (2): no changes proposed (1/1 checked) - Sun 29 Nov",
        ),
    ],
)
def test_a_partial_night_is_never_dressed_up_as_no_change(changes: dict[str, object], subject: str) -> None:
    assert report(**changes).subject == subject


def test_a_night_without_a_report_is_announced_in_capitals() -> None:
    subject = alert_subject(AlertKind.DEADLINE, "Acme", a_run().local_date)

    assert subject == "[Acme] RUN DID NOT COMPLETE - Sun 29 Nov"


def test_no_text_of_a_shop_reaches_the_subject() -> None:
    hostile = "Bcc: all@evil.example\r\n\u202eFREE"
    made = report(
        actions=(an_action(title=hostile, words=hostile),),
        observations=(an_observation(words=hostile, name=hostile),),
    )

    assert made.subject == "[Acme] 1 price decision, EUR 152/wk at stake - Sun 29 Nov"
    assert made.subject.isascii()


# Data trust


def test_a_night_that_read_everything_can_be_relied_on() -> None:
    trust = report().trust

    assert (trust.level, trust.read, trust.expected, trust.coverage_pct) == (Level.GOOD, 1, 1, Decimal("100.0"))
    assert (trust.started_at, trust.finished_at) == (BEGAN, MADE)
    assert trust.failing == ()


@pytest.mark.parametrize(
    ("read", "level"),
    [(10, Level.GOOD), (9, Level.GOOD), (8, Level.WARN), (6, Level.WARN), (5, Level.BAD), (0, Level.BAD)],
)
def test_the_share_of_watches_read_decides_how_far_to_trust(read: int, level: Level) -> None:
    skus = [f"S{number}" for number in range(10)]
    made = report(catalogue=a_catalogue(skus), observations=tuple(an_observation(sku) for sku in skus[:read]))

    assert made.trust.level is level


def test_a_recipe_that_no_longer_matches_is_an_error_on_its_competitor_though_other_pages_were_read() -> None:
    words = "the recipe's price selector '.amount' matches nothing on the page; nothing else was read instead"
    made = report(
        catalogue=a_catalogue(["A", "B", "C"]),
        observations=(
            an_observation("A"),
            an_observation("B", outcome=Outcome.NO_PRICE, reason="recipe_no_match", words=words),
            an_observation("C", outcome=Outcome.NO_PRICE, reason="no_clear_price"),
        ),
    )

    assert [(one.competitor, one.why, one.read) for one in made.trust.failing] == [
        ("globex", f"{words} (1 of 3 pages)", 1)
    ]
    assert made.trust.level is not Level.GOOD
    assert [one.why for one in made.trust.gaps] == [words, "no price on the page"]
    assert [one.words for one in made.trust.unread] == ["no price on the page", "the recipe fails"]


def test_a_shop_that_spent_its_budget_on_failures_is_named_with_what_failed() -> None:
    made = report(
        catalogue=a_catalogue(["A", "B"]),
        observations=(
            an_observation("A", outcome=Outcome.SKIPPED_BUDGET, reason="budget", words="the 1 tool call was spent"),
            an_observation("B", outcome=Outcome.FAILED, reason="connect", words="nobody answers"),
        ),
    )

    assert [one.why for one in made.trust.failing] == ["nobody answers (1 of 2 pages)"]


@pytest.mark.parametrize(
    ("read", "told"),
    [
        (2, "No rival changed a price, a sale or its stock since the night before."),
        (1, "Of what was read, no rival changed a price, a sale or its stock since the night before."),
        (0, "Nothing was read this night, so nobody knows what moved."),
    ],
)
def test_of_what_was_not_read_it_is_not_said_that_nothing_moved(read: int, told: str) -> None:
    """A night that read nothing at all said that no rival had changed anything."""
    seen = [Outcome.OK] * read + [Outcome.FAILED] * (2 - read)
    made = report(
        catalogue=a_catalogue(["A", "B"]),
        observations=tuple(an_observation(sku, outcome=one) for sku, one in zip("AB", seen, strict=True)),
    )

    assert (made.market.total, made.unmoved) == (0, told)


def test_every_failing_competitor_is_named_with_its_reason_worst_first() -> None:
    shops = ["blocked", "broken", "fine", "late", "silent"]
    made = report(
        catalogue=a_catalogue(["A", "B"], shops),
        jobs=(
            a_job("blocked"),
            a_job("broken", JobState.FAILED, error=f"{RUN}/broken: its host does not exist"),
            a_job("fine"),
            a_job("late", JobState.LATE),
            a_job("silent"),
        ),
        observations=(
            an_observation("A", "blocked", Outcome.BLOCKED, words="a bot wall answered"),
            an_observation("B", "blocked", Outcome.BLOCKED, words="a bot wall answered"),
            an_observation("A", "broken"),
            an_observation("A", "fine"),
            an_observation("B", "fine", Outcome.UNCHANGED),
        ),
    )

    assert [(one.competitor, one.why, one.read, one.expected) for one in made.trust.failing] == [
        ("blocked", "a bot wall answered", 0, 2),
        ("late", "had not finished when the report was due", 0, 2),
        ("silent", "ended without a reading", 0, 2),
        ("broken", "its host does not exist", 1, 2),
    ]
    assert (made.trust.competitors_ok, made.trust.competitors) == (1, 5)
    assert [(one.words, one.count) for one in made.trust.unread] == [("not reached", 5), ("blocked by the shop", 2)]


def test_unread_watches_are_named_with_product_rival_and_reason_the_unexplained_first() -> None:
    made = report(
        catalogue=a_catalogue(["A", "B"], ["blocked", "globex"]),
        jobs=(a_job("blocked"), a_job("globex")),
        observations=(
            an_observation("A", "blocked", Outcome.BLOCKED, words="a bot wall answered"),
            an_observation("A", outcome=Outcome.NO_PRICE, words="no price was found in 3 places"),
            an_observation("B"),
        ),
    )

    assert [(one.title, one.rival, one.why) for one in made.trust.gaps] == [
        ("Trail jacket A", "Globex", "no price on the page"),
        ("Trail jacket A", "Blocked", "a bot wall answered"),
        ("Trail jacket B", "Blocked", "not reached"),
    ]


def test_the_watches_of_a_competitor_that_gave_nothing_share_a_line() -> None:
    """Its own line says why; said again for each product, it pushed the decisions off the screen of a phone."""
    skus = ["A", "B", "C", "D", "E"]
    wall = [an_observation(sku, "blocked", Outcome.BLOCKED, words="a bot wall answered") for sku in skus]
    made = report(
        catalogue=a_catalogue(skus, ["blocked", "globex"]),
        jobs=(a_job("blocked"), a_job("globex")),
        observations=(*wall, *(an_observation(sku) for sku in skus[1:]), an_observation("A", outcome=Outcome.NO_PRICE)),
    )

    first, last = made.trust.gaps
    assert (first.title, first.rival) == ("Trail jacket A", "Globex")
    assert last.title == "Trail jacket A, Trail jacket B, Trail jacket C and 2 more"
    assert (last.rival, last.why, made.trust.gaps_more) == ("Blocked", "a bot wall answered", 0)
    assert (first.is_told, last.is_told) == (False, True)


def test_of_a_shop_that_ended_the_visit_all_watches_share_a_line() -> None:
    """The page that was refused and those that were then not asked for have other words, and one reason."""
    refused, ended = "the shop refuses to show the page", "the shop refuses to show the page; nothing more was asked"
    made = report(
        catalogue=a_catalogue(["A", "B", "C"], ["blocked", "globex"]),
        jobs=(a_job("blocked"), a_job("globex")),
        observations=(
            an_observation("A", "blocked", Outcome.BLOCKED, words=refused),
            *(an_observation(sku, "blocked", Outcome.BLOCKED, reason="visit_ended", words=ended) for sku in "BC"),
            *(an_observation(sku) for sku in "ABC"),
        ),
    )

    (gap,) = made.trust.gaps
    assert (gap.title, gap.is_told) == ("Trail jacket A, Trail jacket B, Trail jacket C", True)
    assert made.trust.failing[0].why == f"{ended} (2 of 3 pages)"


def test_what_the_budget_did_not_reach_shares_a_line_behind_what_says_something() -> None:
    """Thirty such watches of one shop hid the page that is gone at another."""
    skus = ["A", "B", "C", "D", "E"]
    skipped = [an_observation(sku, "large", Outcome.SKIPPED_BUDGET) for sku in skus[1:]]
    made = report(
        catalogue=a_catalogue(skus, ["large", "globex"]),
        jobs=(a_job("large"), a_job("globex")),
        observations=(
            an_observation("A", "large"),
            *skipped,
            *(an_observation(sku) for sku in skus[1:]),
            an_observation("A", outcome=Outcome.NOT_FOUND, words="the page is gone (HTTP 404)"),
        ),
    )

    assert [(one.title, one.rival, one.why) for one in made.trust.gaps] == [
        ("Trail jacket A", "Globex", "the page is gone (HTTP 404)"),
        ("Trail jacket B, Trail jacket C, Trail jacket D and 1 more", "Large", "skipped for budget"),
    ]


def test_a_budget_that_is_spent_is_not_also_told_to_run_low() -> None:
    keys = ("budget:r:acme:80", "budget:r:globex:80", "budget:r:acme:100", "coverage:r")
    every = [Alert(key, AlertKind.BUDGET, "r", key, MADE) for key in keys]

    assert [alert.key for alert in worth_telling(every)] == list(keys[1:])


def test_at_most_ten_unread_watches_are_named_and_the_rest_is_counted() -> None:
    skus = [f"S{number:02}" for number in range(13)]
    made = report(catalogue=a_catalogue(skus), observations=(an_observation("S00"),))

    assert (len(made.trust.gaps), made.trust.gaps_more) == (10, 2)


def test_what_the_budget_did_not_reach_is_named_and_cut_with_a_count() -> None:
    skus = [f"S{number:02}" for number in range(13)]
    made = report(
        catalogue=a_catalogue(skus),
        observations=tuple(an_observation(sku, outcome=Outcome.SKIPPED_BUDGET) for sku in skus),
    )

    assert made.trust.skipped == tuple(f"globex/{sku}" for sku in skus[:10])
    assert made.trust.skipped_more == 3


def test_rejected_watches_are_not_expected_and_unvisited_competitors_neither() -> None:
    catalogue = a_catalogue(["A", "B"], ["globex", "paused"])
    watches = tuple(replace(w, match=MatchState.REJECTED) if w.sku == "B" else w for w in catalogue.watches)
    made = report(catalogue=replace(catalogue, watches=watches), observations=(an_observation("A"),))

    assert (made.trust.read, made.trust.expected) == (1, 1)


def test_a_night_that_watches_nothing_is_not_called_good() -> None:
    made = report(catalogue=a_catalogue([]), observations=(), current=())

    assert (made.trust.level, made.trust.coverage_pct) == (Level.BAD, None)


def test_the_oldest_offer_in_use_is_that_of_a_watch() -> None:
    old = a_span("99.00", days_ago=20, sku="not-watched")
    used = a_span("118.90", days_ago=3)

    assert report(current=(old, used)).trust.oldest_at == used.last_seen_at


# What needs a person


def test_proposals_come_by_money_at_stake_unknown_last_and_the_rest_is_counted() -> None:
    effects: list[str | None] = [*(f"{-number}.00" for number in range(1, 28)), None, "500.00"]
    actions = tuple(
        an_action(f"S{number:02}", facts={"weekly_effect": effect}) for number, effect in enumerate(effects)
    )

    needs = report(actions=actions).needs

    assert [row.stake for row in needs.rows[:3]] == [Decimal(500), Decimal(27), Decimal(26)]
    assert (len(needs.rows), needs.total, needs.more, needs.stake_unknown) == (25, 29, 4, 1)
    assert [(one.amount, one.currency) for one in needs.stake] == [(Decimal(878), "EUR")]
    assert [(one.amount, one.currency) for one in needs.effect] == [(Decimal(122), "EUR")]
    assert [row.effect for row in needs.rows[:2]] == [Decimal(500), Decimal(-27)]


def test_a_row_says_all_that_was_stored_with_the_proposal() -> None:
    row = report(actions=(an_action(),)).needs.rows[0]

    assert (row.old_price, row.new_price, row.change, row.change_pct) == (
        Decimal("129.00"),
        Decimal("118.90"),
        Decimal("-10.10"),
        Decimal("-7.8"),
    )
    assert (row.margin_before_pct, row.margin_after_pct, row.is_below_cost) == (Decimal("48.1"), Decimal("43.7"), False)
    assert row.rival is not None
    assert (row.rival.name, row.rival.price, row.rival.currency) == ("Globex", Decimal("118.90"), "EUR")
    assert row.rival.seen_at == BEGAN + timedelta(minutes=14)


def test_a_row_without_cost_units_or_rival_leaves_them_unknown() -> None:
    nothing = {"cost": None, "margin_pct_before": None, "margin_pct": None, "weekly_effect": None, "reference": None}
    row = report(actions=(an_action(facts=nothing),)).needs.rows[0]

    assert (row.margin_before_pct, row.margin_after_pct, row.stake, row.rival) == (None, None, None, None)
    assert not row.is_below_cost


def test_a_price_below_cost_is_marked() -> None:
    assert report(actions=(an_action(facts={"cost": "118.91"}),)).needs.rows[0].is_below_cost


def test_only_pending_proposals_wait_and_older_ones_are_counted_apart() -> None:
    decided = an_action("TJ-41", state=ActionState.REJECTED)
    older = an_action("TJ-42", run_id="nightly-2026-11-28")
    mine = an_action("TJ-40")

    made = report(actions=(mine, decided), pending=(mine, older))

    assert ([row.sku for row in made.needs.rows], made.needs.older) == (["TJ-40"], 1)
    assert "1 older proposal still waiting" in made.verdict


# What moved


def moves(*spans: tuple[object, object], catalogue: object = None) -> list[tuple[str, MoveKind, str]]:
    made = report(
        catalogue=catalogue or a_catalogue(["TJ-40"], ["globex", "initech"]),
        current=tuple(now for _, now in spans),
        earlier=tuple(before for before, _ in spans if before is not None),
    )
    return [(one.rival, one.kind, one.words) for one in made.market.moves]


def test_a_rival_that_undercuts_everybody_is_the_new_lowest() -> None:
    assert moves(
        (a_span("125.00", days_ago=4), a_span("110.00", days_ago=0)),
        (None, a_span("118.00", days_ago=9, competitor="initech")),
    ) == [("Globex", MoveKind.NEW_LOWEST, "new lowest")]


def test_a_rival_that_stays_above_the_lowest_or_is_sold_out_is_not_the_new_lowest() -> None:
    initech = a_span("118.00", days_ago=9, competitor="initech")
    sold_out = a_span("99.00", days_ago=0, availability=Availability.OUT_OF_STOCK)

    assert moves((a_span("125.00", days_ago=4), a_span("120.00", days_ago=0)), (None, initech)) == [
        ("Globex", MoveKind.DOWN, "down")
    ]
    assert moves((a_span("125.00", days_ago=4), sold_out), (None, initech)) == [
        ("Globex", MoveKind.SOLD_OUT, "sold out")
    ]


@pytest.mark.parametrize(
    ("before", "now", "kind", "words"),
    [
        ({}, {"list_price": Decimal(150)}, MoveKind.SALE_STARTED, "sale started (list price 150.00 EUR)"),
        ({"list_price": Decimal(150)}, {}, MoveKind.SALE_ENDED, "sale ended"),
        ({"availability": Availability.OUT_OF_STOCK}, {}, MoveKind.BACK_IN_STOCK, "back in stock"),
        ({}, {"availability": Availability.DISCONTINUED}, MoveKind.SOLD_OUT, "sold out"),
        ({}, {"currency": "USD"}, MoveKind.CURRENCY, "priced in USD instead of EUR"),
        ({}, {"price": Decimal(130)}, MoveKind.UP, "up"),
    ],
)
def test_sales_stock_and_currency_are_moves_too(
    before: dict[str, object], now: dict[str, object], kind: MoveKind, words: str
) -> None:
    pair = (
        replace(a_span("120.00", days_ago=4), **before),  # type: ignore[arg-type]
        replace(a_span("120.00", days_ago=0), **now),  # type: ignore[arg-type]
    )

    assert moves(pair) == [("Globex", kind, words)]


def test_first_readings_old_news_our_own_price_and_unwatched_offers_are_no_moves() -> None:
    assert (
        moves(
            (None, a_span("99.00", days_ago=0)),
            (a_span("130.00", days_ago=9, competitor="initech"), a_span("120.00", days_ago=2, competitor="initech")),
            (a_span("9.00", days_ago=9, competitor="own"), a_span("8.00", days_ago=0, competitor="own")),
            (a_span("9.00", days_ago=9, sku="gone"), a_span("8.00", days_ago=0, sku="gone")),
        )
        == []
    )


def test_the_first_night_says_that_nothing_can_have_moved_yet() -> None:
    assert report(current=(a_span("99.00", days_ago=0),)).market.is_first
    assert not report().market.is_first


# Exceptions and executions


def test_a_shop_that_does_not_answer_for_its_robots_txt_is_not_said_to_have_closed_anything() -> None:
    seen = (
        an_observation("A", outcome=Outcome.ROBOTS, reason="robots_unreachable"),
        an_observation("B", outcome=Outcome.ROBOTS, reason="robots_rules"),
        an_observation("C", outcome=Outcome.ROBOTS, reason="robots_unreachable"),
    )
    made = report(catalogue=a_catalogue(["A", "B", "C"]), observations=seen)

    assert [(one.words, one.count) for one in made.trust.unread] == [
        ("robots.txt unreachable", 2),
        ("not allowed by robots.txt", 1),
    ]


def test_alerts_come_before_products_that_could_not_be_decided_and_the_rest_is_counted() -> None:
    alert = Alert("k", AlertKind.BUDGET, RUN, "Globex spent its calls.", MADE)
    exceptions = tuple(Notice(f"cost is missing {number}", f"S{number}") for number in range(20))

    made = report(alerts=(alert,), exceptions=exceptions)

    assert [notice.sku for notice in made.notices[:2]] == [None, "S0"]
    assert (len(made.notices), made.notices_more) == (15, 6)


def test_shops_that_refuse_their_robots_txt_are_one_notice_for_each_answer_and_the_rest_is_counted() -> None:
    def refused(status: int) -> dict[str, str]:
        return {"kind": "withheld", "words": f"robots.txt itself is refused (HTTP {status})"}

    shops = [f"shop-{number}" for number in range(6)]
    results = [(shop, refused(403)) for shop in shops] + [(shops[0], refused(403)), ("late", refused(401))]
    results += [("open", {"kind": "rules", "words": "robots.txt read"})]

    told = [notice.words for notice in withheld(results, a_catalogue([], shops))]

    assert len(told) == 2
    assert told[0].startswith("late: robots.txt itself is refused (HTTP 401), so it closes nothing to us")
    assert " and 2 more: robots.txt itself is refused (HTTP 403)" in told[1]
    assert all(len(words) <= 240 for words in told)


def test_executions_show_problems_first_and_nothing_that_stood_in_the_last_report() -> None:
    before = a_night().last_report_at
    made = report(
        writes=(
            a_write(),
            a_write(finished_at=before),
            a_write(WriteState.CONFLICT, error="found 57.50 EUR"),
            a_write(WriteState.UNKNOWN, finished_at=None, created_at=before - timedelta(days=2)),
            a_write(WriteState.CANCELLED, error="a later night proposed another price"),
            a_write(WriteState.DRY_RUN, finished_at=None, created_at=before - timedelta(days=2)),
        )
    )

    assert [(one.state, one.is_problem) for one in made.executions] == [
        ("unknown", True),
        ("conflict", True),
        ("applied", False),
        ("cancelled", False),
    ]
    assert made.executions[3].words == "taken back before it was written: a later night proposed another price"
    assert made.executions[1].words == "not written, the shop's price had changed: found 57.50 EUR"


@pytest.mark.parametrize("state", WriteState)
def test_a_report_is_made_wherever_a_write_is(state: WriteState) -> None:
    made = report(writes=(a_write(state, finished_at=a_night().last_report_at + timedelta(hours=1)),))

    assert [(one.state, bool(one.words)) for one in made.executions] == [(state.value, True)]


# The whole


@pytest.mark.parametrize("facts", [a_night(), a_full_night(), a_full_night(0)], ids=["quiet", "full", "nothing"])
def test_a_report_is_the_same_after_a_round_trip_through_json(facts: NightFacts) -> None:
    made = build(facts, now=MADE)

    assert Report.from_json(json.loads(json.dumps(made.as_json()))) == made


_TRICKS = st.text(alphabet=st.sampled_from("ab \r\n\t\0\u202e\u2066\u200b\ufeff\u2028é🧥"), max_size=400)


@given(text=_TRICKS, limit=st.integers(1, 80))
def test_cleaned_text_is_one_short_line_without_hidden_characters(text: str, limit: int) -> None:
    cleaned = clean(text, limit)

    assert len(cleaned) <= limit
    assert not re.search("[\r\n\t\0\u202e\u2066\u200b\ufeff\u2028]", cleaned)
    assert clean(cleaned, limit) == cleaned


def test_cleaning_keeps_what_people_read() -> None:
    assert clean("Jacke  „Grün“ – 40 l, Größe 38½ 🧥\u200d👩", 80) == "Jacke „Grün“ – 40 l, Größe 38½ 🧥\u200d👩"
    assert clean("four words are here", 10) == "four word…"


# Words for times and shares


def test_times_are_local_and_name_their_day_when_it_is_another() -> None:
    assert clock(BEGAN, "Europe/Berlin", seen_from=MADE) == "02:00"
    assert clock(BEGAN - timedelta(hours=3), "Europe/Berlin", seen_from=MADE) == "Sat 28 Nov 23:00"


@pytest.mark.parametrize(
    ("old", "words"),
    [
        (timedelta(seconds=-5), "0 min"),
        (timedelta(minutes=59, seconds=59), "59 min"),
        (timedelta(hours=1), "1 h"),
        (timedelta(hours=47, minutes=59), "47 h"),
        (timedelta(hours=48), "2 d"),
    ],
)
def test_an_age_is_rounded_down_to_what_matters(old: timedelta, words: str) -> None:
    assert age(MADE - old, now=MADE) == words


def test_a_share_of_nothing_is_unknown_and_halves_round_up() -> None:
    assert percent(1, 0) is None
    assert percent(1, 16) == Decimal("6.3")


# The message


def sent(**changes: object) -> EmailMessage:
    plan = replace(PLAN.mail, reply_to="pricing@acme.example")
    arguments: dict[str, object] = {
        "recipient": "anna@acme.example",
        "subject": "[Acme] night",
        "message_id": message_id("report", RUN, "anna@acme.example", plan.sender),
        "at": MADE,
        "text": "24,90 €\n",
        "html": "<p>24,90 €</p>",
    }
    content = letter(plan, **(arguments | changes))  # type: ignore[arg-type]
    assert content.isascii()
    parsed = message_from_bytes(content, policy=policy.default)
    assert isinstance(parsed, EmailMessage)
    return parsed


def test_a_letter_carries_the_headers_that_keep_robots_quiet_and_people_answering() -> None:
    message = sent()

    assert str(message["From"]) == "Acme <monitor@acme.example>"
    assert str(message["Reply-To"]) == "pricing@acme.example"
    assert str(message["Auto-Submitted"]) == "auto-generated"
    assert str(message["X-Auto-Response-Suppress"]) == "All"
    assert message["Date"].datetime == MADE
    assert [part.get_content_type() for part in message.iter_parts()] == ["text/plain", "text/html"]


def test_a_long_subject_stands_beside_its_name_and_not_under_it() -> None:
    subject = "[Acme] 2 price decisions, EUR 1240/wk at stake, 1 check failed - Sun 29 Nov"
    content = letter(
        PLAN.mail, recipient="anna@acme.example", subject=subject, message_id="<1@a>", at=MADE, text="t", html="<p>t"
    )

    assert f"\r\nSubject: {subject}\r\n".encode() in content


@pytest.mark.parametrize("field", ["recipient", "subject", "message_id"])
def test_nobody_injects_a_header_by_a_line_break(field: str) -> None:
    message = sent(**{field: "x@acme.example\r\nBcc: all@evil.example\r\n\r\nbody"})

    assert message["Bcc"] is None
    body = message.get_body(("plain",))
    assert body is not None
    assert body.get_content().strip() == "24,90 €"


def test_a_sender_or_brand_with_a_line_break_injects_nothing_either() -> None:
    plan = MailPlan(sender="a@acme.example\nBcc: b@evil.example", brand="Acme\r\nX-Evil: 1")
    content = letter(plan, recipient="anna@acme.example", subject="s", message_id="<1@a>", at=MADE, text="t")
    message = message_from_bytes(content, policy=policy.default)

    assert message["Bcc"] is None
    assert message["X-Evil"] is None


def test_a_message_id_is_the_same_for_the_same_mail_and_differs_by_recipient() -> None:
    anna, again, ben = (
        message_id("report", RUN, who, "Prices <monitor@acme.example>") for who in ("anna", "anna", "ben")
    )

    assert anna == again != ben
    assert re.fullmatch(r"<report\.nightly-2026-11-29\.[0-9a-f]{12}@acme\.example>", anna)


@given(key=st.text(max_size=80), sender=st.text(max_size=60))
def test_a_message_id_is_well_formed_whatever_it_is_made_of(key: str, sender: str) -> None:
    assert re.fullmatch(r"<alert\.[A-Za-z0-9.-]*\.[0-9a-f]{12}@[A-Za-z0-9.-]+>", message_id("alert", key, "r", sender))
