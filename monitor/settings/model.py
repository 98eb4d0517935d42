"""Settings: what the operator decided, checked and frozen.

`plan` and `catalogue` are the domain's values, which a run freezes; the other parts are for wiring only.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from monitor.domain.catalogue import Catalogue
from monitor.domain.packing import Shelf
from monitor.domain.plan import NightPlan
from monitor.domain.retention import Retention
from monitor.settings.browser import BrowserSection
from monitor.settings.environment import LogForm, Secrets, Smtp
from monitor.settings.notify import WebhooksSection
from monitor.settings.sections import FetchSection, WorkerSection
from monitor.settings.shop import ShopSection
from monitor.settings.shown import ShownSetting
from monitor.settings.web import ApprovalWebhookSection, WebSection


@dataclass(frozen=True, slots=True)
class Storage:
    """Where things are kept, as absolute paths."""

    path: Path  #: the SQLite file, used when no database is named in the environment
    var: Path  #: other files the program writes
    database_url: str = field(repr=False)  #: a SQLAlchemy URL without a driver: `sqlite:///…` or `postgresql://…`

    @property
    def is_embedded(self) -> bool:
        """Whether the database is the SQLite file."""
        return self.database_url.startswith("sqlite")


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything the operator decided, checked; the parts a stage needs are domain values."""

    config_dir: Path
    plan: NightPlan
    shelf: Shelf[Catalogue] = field(repr=False)  #: the catalogue; see `catalogue`
    fetch: FetchSection
    browser: BrowserSection
    shop: ShopSection
    price_file: Path  #: `shop.path`, absolute
    web: WebSection
    approval_webhook: ApprovalWebhookSection
    webhooks: WebhooksSection
    worker: WorkerSection
    storage: Storage
    secrets: Secrets
    smtp: Smtp | None
    redis_url: str | None = field(repr=False)
    log: LogForm
    retention: Retention
    shown: tuple[ShownSetting, ...]  #: monitor.toml as it is in force, for people
    robots_reasons: Mapping[str, str]  #: by competitor whose robots.txt is ignored

    @property
    def catalogue(self) -> Catalogue:
        """Our products, the competitors and what is watched, as the files say."""
        return self.shelf.value()
