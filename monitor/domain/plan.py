"""What the operator decided, as values: settings become these, and stages see only these.

A run freezes its plan when it begins, so that an edit at 03:00 changes the next night and not
the one under way. Times of day are local to `Schedule.zone`.
"""

from dataclasses import dataclass
from datetime import time, timedelta
from decimal import Decimal
from enum import StrEnum

from monitor.domain.message import AlertKind


@dataclass(frozen=True, slots=True)
class Schedule:
    """When a night is due and when its report must be out."""

    name: str = "nightly"  #: part of a run's id, `[a-z0-9-]`
    zone: str = "UTC"  #: IANA name
    at: time = time(2, 0)
    deadline: time = time(5, 30)  #: the report is made with what is there
    catch_up: timedelta = timedelta(hours=20)  #: a missed night is still begun this long after it was due


@dataclass(frozen=True, slots=True)
class Budgets:
    """What one night may spend."""

    tool_calls: int = 12  #: per competitor
    requests: int = 24  #: HTTP requests per competitor, hard cap
    tokens: int = 200_000  #: per night, for model calls


@dataclass(frozen=True, slots=True)
class MailPlan:
    """Who reads the summary, and when it may leave. No recipients: the report is only stored."""

    recipients: tuple[str, ...] = ()
    sender: str = "monitor@localhost"
    reply_to: str | None = None
    not_before: time = time(6, 30)
    brand: str = "Price monitor"  #: stands in the subject
    attachments: tuple[str, ...] = ()  #: `csv`, `xlsx`: the proposals as files
    charts: bool = True  #: up to two pictures; all that they show stands in words too


class CodeRule(StrEnum):
    """When the six digits from the mail's text are asked for."""

    LARGE = "large"  #: beyond ±10 %, below cost, or more than 20 rows at once
    ALWAYS = "always"  #: for every decision
    NEVER = "never"  #: only where the link stays inside a trusted network


@dataclass(frozen=True, slots=True)
class ReviewPlan:
    """How proposals are decided."""

    public_url: str = "http://127.0.0.1:8080"  #: absolute base of every link; never taken from a Host header
    link_lifetime: timedelta = timedelta(hours=72)
    proposal_lifetime: timedelta = timedelta(hours=48)
    require_code: CodeRule = CodeRule.LARGE
    large_change_pct: Decimal = Decimal(10)
    large_batch: int = 20
    max_evidence_age: timedelta = timedelta(hours=72)  #: older readings do not support an approval
    quiet_after_reject: timedelta = timedelta(days=14)  #: the same proposal is not made again before


@dataclass(frozen=True, slots=True)
class WritePlan:
    """How an approved price reaches the shop."""

    channel: str = "shop"  #: names the shop in action keys
    enabled: bool = False  #: false: a dry run that records what would be written
    undo_window: timedelta = timedelta(seconds=120)
    hourly_cap: int = 200
    max_step_pct: Decimal = Decimal(50)  #: the executor's own rail, whatever a rule or a person said
    tax_included: bool | None = None  #: whether our prices include tax; None: nothing is compared


@dataclass(frozen=True, slots=True)
class NotifyPlan:
    """What alerts are raised about, and which of them go to the channels of `[notify]`."""

    kinds: tuple[AlertKind, ...] = tuple(AlertKind)  #: the others stay in the report and on the pages
    quiet_hours: tuple[str, ...] = ()  #: `HH:MM-HH:MM` in the night's zone; what is raised then waits for the end
    min_sites: int = 1  #: fewest competitors that newly cannot be read; 0: never an alert
    min_map: int = 1  #: fewest new offers below our minimum advertised price; 0: never
    min_stock: int = 1  #: fewest offers newly out of stock; 0: never


@dataclass(frozen=True, slots=True)
class NightPlan:
    """Everything a run freezes besides the catalogue."""

    schedule: Schedule = Schedule()
    budgets: Budgets = Budgets()
    mail: MailPlan = MailPlan()
    review: ReviewPlan = ReviewPlan()
    writes: WritePlan = WritePlan()
    currency: str = "EUR"  #: our shop's currency
    min_coverage_pct: int = 60  #: share of watches read below which an alert is raised
    rules: str = ""  #: text of rules.toml as it was
    notify: NotifyPlan = NotifyPlan()
