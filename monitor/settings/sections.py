"""`monitor.toml`, section by section: keys, accepted forms and defaults.

A section that is left out has its defaults. `docs/configuration.md` says what each key does.
"""

from datetime import time, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Annotated

from pydantic import Field, model_validator

from monitor.domain.plan import (
    Budgets,
    CodeRule,
    MailPlan,
    NightPlan,
    ReviewPlan,
    Schedule,
    WritePlan,
)
from monitor.domain.retention import Retention
from monitor.settings.browser import BrowserSection
from monitor.settings.forms import (
    BaseAddress,
    ClockTime,
    MailAddress,
    MailAddresses,
    Switch,
    Zone,
    list_of,
    number,
    one_of,
    quiet_window,
    slug,
    span,
    whole,
    words,
)
from monitor.settings.notify import NotifySection, WebhooksSection
from monitor.settings.shop import ShopSection
from monitor.settings.toml_file import Section
from monitor.settings.web import ApprovalWebhookSection, WebSection


def _attachment(text: str) -> str:
    if text not in {"csv", "xlsx"}:
        raise ValueError(f'{text!r} cannot be attached; write "csv", "xlsx", both or none')
    return text


class NightSection(Section):
    name: Annotated[str, slug(40)] = "nightly"
    zone: Zone = "UTC"
    at: ClockTime = time(2, 0)
    deadline: ClockTime = time(5, 30)
    catch_up_h: Annotated[timedelta, span("hours", "1", "24")] = timedelta(hours=20)

    @model_validator(mode="after")
    def _deadline_after_begin(self) -> "NightSection":
        if self.deadline == self.at:
            raise ValueError(f"deadline and at are both {self.at:%H:%M}; a night needs time between them")
        return self


class BudgetSection(Section):
    tool_calls: Annotated[int, whole(1, 1000)] = 12
    requests: Annotated[int, whole(1, 5000)] = 24
    tokens: Annotated[int, whole(0, 10**9)] = 200_000


class PacingSection(Section):
    delay_s: Annotated[timedelta, span("seconds", "0", "3600")] = timedelta(seconds=3)
    jitter: Annotated[Decimal, number("0", "1")] = Decimal("0.2")
    quiet_hours: Annotated[tuple[str, ...], list_of(quiet_window)] = ()


class FetchSection(Section):
    contact: Annotated[str, words(200, least=0)] = ""
    page_deadline_s: Annotated[timedelta, span("seconds", "1", "300")] = timedelta(seconds=20)
    max_body_bytes: Annotated[int, whole(1_000, 100_000_000)] = 5_000_000
    max_feed_bytes: Annotated[int, whole(1_000, 500_000_000)] = 25_000_000


class MailSection(Section):
    recipients: MailAddresses = ()
    sender: MailAddress = "monitor@localhost"
    reply_to: MailAddress | None = None
    not_before: ClockTime = time(6, 30)
    brand: Annotated[str, words(60)] = "Price monitor"
    attachments: Annotated[tuple[str, ...], list_of(_attachment)] = ()
    charts: Switch = True


class ReviewSection(Section):
    public_url: BaseAddress = "http://127.0.0.1:8080"
    link_lifetime_h: Annotated[timedelta, span("hours", "1", "720")] = timedelta(hours=72)
    proposal_lifetime_h: Annotated[timedelta, span("hours", "1", "720")] = timedelta(hours=48)
    require_code: Annotated[CodeRule, one_of(CodeRule)] = CodeRule.LARGE
    large_change_pct: Annotated[Decimal, number("0", "100")] = Decimal(10)
    large_batch: Annotated[int, whole(1, 10_000)] = 20
    max_evidence_h: Annotated[timedelta, span("hours", "1", "720")] = timedelta(hours=72)
    quiet_after_reject_d: Annotated[timedelta, span("days", "0", "365")] = timedelta(days=14)


class WritesSection(Section):
    enabled: Switch = False
    undo_window_s: Annotated[timedelta, span("seconds", "0", "86400")] = timedelta(seconds=120)
    hourly_cap: Annotated[int, whole(1, 1_000_000)] = 200
    max_step_pct: Annotated[Decimal, number("0", "1000")] = Decimal(50)


class StorageSection(Section):
    path: Annotated[str, words(500)] = "var/monitor.sqlite3"
    var: Annotated[str, words(500)] = "var"


class WorkerSection(Section):
    threads: Annotated[int, whole(1, 64)] = 32


class ReportSection(Section):
    min_coverage_pct: Annotated[int, whole(0, 100)] = 60


_AGE = span("days", "1", "3650")


class RetentionSection(Section):
    step_results_days: Annotated[timedelta, _AGE] = timedelta(days=30)
    evidence_days: Annotated[timedelta, _AGE] = timedelta(days=14)
    transcripts_days: Annotated[timedelta, _AGE] = timedelta(days=30)
    letters_days: Annotated[timedelta, _AGE] = timedelta(days=30)
    nonces_days: Annotated[timedelta, _AGE] = timedelta(days=30)

    def ages(self) -> Retention:
        """Return the ages as the domain knows them."""
        return Retention(
            self.step_results_days, self.evidence_days, self.transcripts_days, self.letters_days, self.nonces_days
        )


class MonitorToml(Section):
    """The whole of `monitor.toml`."""

    night: NightSection = Field(default_factory=NightSection)
    budget: BudgetSection = Field(default_factory=BudgetSection)
    pacing: PacingSection = Field(default_factory=PacingSection)
    fetch: FetchSection = Field(default_factory=FetchSection)
    browser: BrowserSection = Field(default_factory=BrowserSection)
    mail: MailSection = Field(default_factory=MailSection)
    review: ReviewSection = Field(default_factory=ReviewSection)
    shop: ShopSection = Field(default_factory=ShopSection)
    writes: WritesSection = Field(default_factory=WritesSection)
    web: WebSection = Field(default_factory=WebSection)
    approval_webhook: ApprovalWebhookSection = Field(default_factory=ApprovalWebhookSection)
    storage: StorageSection = Field(default_factory=StorageSection)
    worker: WorkerSection = Field(default_factory=WorkerSection)
    report: ReportSection = Field(default_factory=ReportSection)
    retention: RetentionSection = Field(default_factory=RetentionSection)
    notify: NotifySection = Field(default_factory=NotifySection)
    webhooks: WebhooksSection = Field(default_factory=WebhooksSection)

    def plan(self, rules: str) -> NightPlan:
        """Return what a run freezes of these settings, with the text of rules.toml."""
        night, review, writes = self.night, self.review, self.writes
        return NightPlan(
            schedule=Schedule(night.name, night.zone, night.at, night.deadline, night.catch_up_h),
            budgets=Budgets(self.budget.tool_calls, self.budget.requests, self.budget.tokens),
            mail=MailPlan(**self.mail.model_dump()),
            review=ReviewPlan(
                public_url=review.public_url,
                link_lifetime=review.link_lifetime_h,
                proposal_lifetime=review.proposal_lifetime_h,
                require_code=review.require_code,
                large_change_pct=review.large_change_pct,
                large_batch=review.large_batch,
                max_evidence_age=review.max_evidence_h,
                quiet_after_reject=review.quiet_after_reject_d,
            ),
            writes=WritePlan(
                channel=self.shop.channel,
                enabled=writes.enabled,
                undo_window=writes.undo_window_s,
                hourly_cap=writes.hourly_cap,
                max_step_pct=writes.max_step_pct,
                tax_included=self.shop.tax_included,
            ),
            currency=self.shop.currency,
            min_coverage_pct=self.report.min_coverage_pct,
            rules=rules,
            notify=self.notify.plan(),
        )


def inside(directory: Path, path: str) -> Path:
    """Return a path of the settings, relative ones taken from the config directory."""
    return (directory / Path(path).expanduser()).resolve()
