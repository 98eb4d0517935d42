"""Nights as the report sees them: builders whose defaults are a quiet night in Berlin, all of it good."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

from monitor.domain.action import Action, ActionState, PriceWrite, Proposal, WriteState
from monitor.domain.catalogue import Catalogue, Competitor, Product, Watch
from monitor.domain.extraction import Availability, Outcome
from monitor.domain.observation import Observation, Span
from monitor.domain.plan import MailPlan, NightPlan, Schedule
from monitor.domain.report import NightFacts
from monitor.domain.report.executions import Written
from monitor.domain.run import Job, JobKind, JobState, Run, RunState
from monitor.domain.standing import Portfolio, Standing
from monitor.ports.messages import Picture

RUN = "nightly-2026-11-29"
BEGAN = datetime(2026, 11, 29, 1, 0, tzinfo=UTC)  #: 02:00 in Berlin
MADE = datetime(2026, 11, 29, 2, 41, tzinfo=UTC)  #: 03:41 in Berlin
PLAN = NightPlan(
    schedule=Schedule(zone="Europe/Berlin"),
    mail=MailPlan(recipients=("anna@acme.example",), sender="monitor@acme.example", brand="Acme"),
)


def a_run(**changes: Any) -> Run:
    """A run whose competitors have all ended."""
    run = Run(
        id=RUN,
        schedule="nightly",
        local_date=date(2026, 11, 29),
        zone="Europe/Berlin",
        state=RunState.SYNTHESISING,
        due_at=BEGAN,
        deadline_at=datetime(2026, 11, 29, 4, 30, tzinfo=UTC),
        partial=False,
        open_jobs=0,
        origin="schedule",
        started_at=BEGAN,
        ended_at=None,
        catalogue_hash="catalogue",
        settings_hash="plan",
    )
    return replace(run, **changes)


def a_job(competitor: str = "globex", state: JobState = JobState.DONE, **changes: Any) -> Job:
    """A competitor's job that has ended."""
    job = Job(
        id=1,
        run_id=RUN,
        kind=JobKind.COMPETITOR,
        key=competitor,
        state=state,
        attempts=1,
        next_seq=2,
        calls_used=1,
        calls_limit=12,
        requests_used=1,
        fence=1,
        owner=None,
        lease_until=None,
        run_at=BEGAN,
        error=None,
        started_at=BEGAN,
        ended_at=MADE,
    )
    return replace(job, **changes)


def an_observation(
    sku: str = "TJ-40", competitor: str = "globex", outcome: Outcome = Outcome.OK, **changes: Any
) -> Observation:
    """What was read of one watch."""
    seen = Observation(
        run_id=RUN,
        competitor=competitor,
        sku=sku,
        url=f"https://{competitor}.example/{sku}",
        outcome=outcome,
        reason="declared_and_shown" if outcome is Outcome.OK else outcome.value,
        words="" if outcome is Outcome.OK else f"the shop said {outcome.value}",
        observed_at=BEGAN + timedelta(minutes=14),
        price=Decimal("118.90") if outcome is Outcome.OK else None,
        currency="EUR" if outcome is Outcome.OK else None,
    )
    return replace(seen, **changes)


def a_span(price: str, *, days_ago: int, sku: str = "TJ-40", competitor: str = "globex", **changes: Any) -> Span:
    """A stretch of history; `days_ago` 0 began tonight."""
    first = BEGAN + timedelta(minutes=14) - timedelta(days=days_ago)
    span = Span(competitor, sku, Decimal(price), "EUR", None, Availability.IN_STOCK, first, first)
    return replace(span, **changes)


def an_action(
    sku: str = "TJ-40",
    old: str = "129.00",
    new: str = "118.90",
    *,
    state: ActionState = ActionState.PENDING,
    facts: dict[str, Any] | None = None,
    **changes: Any,
) -> Action:
    """A proposed price change with everything known about it; `changes` are of the proposal."""
    known = {
        "cost": "67.00",
        "margin_pct_before": "48.1",
        "margin_pct": "43.7",
        "weekly_effect": "-151.50",
        "reference": {
            "kind": "lowest",
            "amount": "118.90",
            "currency": "EUR",
            "offers": [
                {
                    "seller": "globex",
                    "name": "Globex",
                    "price": "118.90",
                    "currency": "EUR",
                    "seen_at": (BEGAN + timedelta(minutes=14)).isoformat(),
                }
            ],
        },
    }
    proposal = Proposal(
        run_id=RUN,
        channel="shop",
        sku=sku,
        title=f"Trail jacket {sku}",
        currency="EUR",
        old_price=Decimal(old),
        new_price=Decimal(new),
        rule_id="match",
        words="Match the lowest in-stock rival: Globex 118.90 EUR (seen 02:14).",
        facts=known | (facts or {}),
        expires_at=BEGAN + timedelta(hours=48),
    )
    proposal = replace(proposal, **changes)
    identity = int.from_bytes(sku.encode()[-3:], "big")
    return Action(identity, 1, state, proposal.content_hash, proposal, MADE)


def a_write(state: WriteState = WriteState.APPLIED, **changes: Any) -> Written:
    """An approved action of the night before and its write."""
    action = an_action("TJ-30", "59.00", "54.90", state=ActionState.APPLIED)
    write = PriceWrite(
        id="5d0f1f2c",
        action_id=action.id,
        version=1,
        channel="shop",
        sku="TJ-30",
        currency="EUR",
        target_price=Decimal("54.90"),
        expected_price=Decimal("59.00"),
        idempotency_key="k",
        state=state,
        not_before=BEGAN,
        fence=1,
        attempts=1,
        error=None,
        created_at=BEGAN - timedelta(hours=17),
        finished_at=BEGAN - timedelta(hours=16),
    )
    return Written(action, replace(write, **changes))


def a_catalogue(skus: Sequence[str] = ("TJ-40",), competitors: Sequence[str] = ("globex",)) -> Catalogue:
    """Every product watched at every competitor."""
    return Catalogue(
        products=tuple(Product(sku, f"Trail jacket {sku}", "EUR", Decimal("129.00")) for sku in skus),
        competitors=tuple(Competitor(key, key.capitalize(), f"https://{key}.example") for key in competitors),
        watches=tuple(Watch(key, sku, f"https://{key}.example/{sku}") for key in competitors for sku in skus),
    )


def a_night(**changes: Any) -> NightFacts:
    """One competitor, one product, read and unchanged."""
    facts = NightFacts(
        run=a_run(),
        plan=PLAN,
        catalogue=a_catalogue(),
        jobs=(a_job(),),
        observations=(an_observation(),),
        current=(a_span("118.90", days_ago=9, last_seen_at=BEGAN + timedelta(minutes=14)),),
        earlier=(),
        actions=(),
        pending=(),
        alerts=(),
        exceptions=(),
        writes=(),
        last_report_at=BEGAN - timedelta(hours=22),
    )
    return replace(facts, **changes)


def a_full_night(proposals: int = 6) -> NightFacts:
    """A night with something in every section, for looking at and for weighing."""
    from monitor.domain.message import Alert, AlertKind
    from monitor.domain.report.view import Notice

    skus = [f"TJ-{number:03}" for number in range(max(40, proposals))]
    shops = ["globex", "initech", "umbrella", "hooli", "stark"]
    catalogue = a_catalogue(skus, shops)
    names = dict(
        zip(
            skus,
            ["Trail jacket, women, 40 l, moss green", "Merino base layer 150", "Storm shell 3-layer"],
            strict=False,
        )
    )
    products = tuple(replace(p, title=names.get(p.sku, p.title)) for p in catalogue.products)
    seen = [
        an_observation(sku, shop, _outcome_of(shop, number))
        for shop in shops
        for number, sku in enumerate(skus)
        if not (shop == "hooli" and number > 30)
    ]
    rules = [
        "Match the lowest in-stock rival: Globex 118.90 EUR (seen 02:14).",
        "1.0 % below the median of 4 rivals, 61.40 EUR; raised to 62.90 EUR to keep a margin of 40 %.",
        "Follow Initech 89.00 EUR (seen 02:31); held at 92.65, at most 5 % up in one change.",
    ]
    actions = tuple(
        an_action(
            sku,
            f"{129 - number % 37}.00",
            f"{120 - number % 37 + (14 if number % 4 == 1 else 0)}.90",
            title=names.get(sku, f"Trail jacket {sku}"),
            words=rules[number % 3],
            facts={"weekly_effect": None if number % 9 == 8 else f"{-9 - number * 3 % 151}.40"},
        )
        for number, sku in enumerate(skus[:proposals])
    )
    moves = [
        (
            a_span("139.00", days_ago=9, sku=skus[0]),
            a_span("118.90", days_ago=0, sku=skus[0], list_price=Decimal("139.00")),
        ),
        (
            a_span("45.00", days_ago=3, sku=skus[1], competitor="initech"),
            a_span("49.90", days_ago=0, sku=skus[1], competitor="initech"),
        ),
        (
            a_span("210.00", days_ago=7, sku=skus[2], competitor="stark"),
            a_span("210.00", days_ago=0, sku=skus[2], competitor="stark", availability=Availability.OUT_OF_STOCK),
        ),
    ]
    rest = tuple(a_span("125.00", days_ago=2, sku=skus[0], competitor=shop) for shop in ("initech", "stark"))
    return a_night(
        run=a_run(),
        catalogue=replace(catalogue, products=products),
        jobs=(
            a_job("globex"),
            a_job("initech"),
            a_job("umbrella"),
            a_job(
                "hooli",
                JobState.FAILED,
                error=f"{RUN}/hooli: no page came back in 3 attempts, the shop's host does not exist",
            ),
            a_job("stark"),
        ),
        observations=tuple(seen),
        current=tuple(now for _, now in moves) + rest,
        earlier=tuple(before for before, _ in moves),
        actions=actions,
        pending=(*actions, an_action("TJ-900", run_id="nightly-2026-11-28")),
        alerts=(
            Alert(
                "budget:x",
                AlertKind.BUDGET,
                RUN,
                "Stark: all 12 tool calls were spent, 3 watches come first tomorrow.",
                MADE,
            ),
        ),
        exceptions=(
            Notice("Your minimum 62.00 EUR is above your maximum 59.00 EUR; correct the catalogue.", "TJ-017"),
            Notice("Cost is missing and the rule keeps a margin; add it to the catalogue.", "TJ-022"),
        ),
        writes=(
            a_write(),
            a_write(WriteState.CONFLICT, error="expected 59.00 EUR, found 57.50 EUR"),
            a_write(WriteState.DRY_RUN, finished_at=None, created_at=BEGAN - timedelta(hours=3)),
        ),
    )


def _outcome_of(shop: str, number: int) -> Outcome:
    if shop == "umbrella":
        return Outcome.BLOCKED
    if shop == "stark" and number % 13 == 12:
        return Outcome.SKIPPED_BUDGET
    return Outcome.NOT_FOUND if number % 17 == 16 else Outcome.OK


def a_partial_night() -> NightFacts:
    """A full night whose report was made at its deadline, one competitor still on its way."""
    full = a_full_night()
    jobs = tuple(replace(job, state=JobState.LATE) if job.key == "stark" else job for job in full.jobs)
    seen = tuple(one for one in full.observations if one.competitor != "stark")
    return replace(full, run=a_run(partial=True), jobs=jobs, observations=seen)


def mail_pictures(bodies: Mapping[str, bytes], *, width: int, height: int) -> tuple[Picture, ...]:
    """The pictures of a mail, of one size."""
    return tuple(
        Picture(name, f"What the {name} chart shows, in words.", width, height, bodies[name]) for name in bodies
    )


def a_compared_night() -> NightFacts:
    """A full night with the figures over all products and products that may earn more."""
    full = a_full_night()
    skus = ("TJ-010", "TJ-011")
    cheap = tuple(
        Standing(
            run_id=RUN,
            sku=sku,
            title=f"Trail jacket {sku}",
            currency="EUR",
            own=Decimal("80.00"),
            lowest=Decimal("90.00"),
            lowest_seller="globex",
            median=Decimal("95.00"),
            position=1,
            usable=4,
            tracked=5,
            weekly_units=Decimal(3),
        )
        for sku in skus
    )
    whole = Portfolio(
        products=40,
        compared=31,
        index=Decimal("103.4"),
        index_plain=Decimal("102.9"),
        lowest_pct=Decimal("38.7"),
        red_pct=Decimal("12.9"),
        cheap=2,
        tracked=155,
        usable=120,
    )
    return replace(full, standings=cheap, portfolio=whole)


#: The nights that a mail is looked at for.
NIGHTS = {
    "quiet": a_night(),
    "partial": a_partial_night(),
    "full": a_compared_night(),
    "big": a_full_night(500),
}
