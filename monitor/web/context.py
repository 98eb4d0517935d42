"""What the web side needs, filled in once by the wiring."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, Protocol

from monitor.domain.plan import NightPlan
from monitor.domain.run import Run
from monitor.flow.check import Checks
from monitor.ports.access import Passwords
from monitor.ports.charts import Charts
from monitor.ports.messages import Renderer
from monitor.ports.review import Signer
from monitor.ports.store import Store
from monitor.settings.shown import ShownSetting
from monitor.web.origin import Network
from monitor.web.shop_prices import ShopPrices


@dataclass(frozen=True, slots=True)
class Approver:
    """A program that may decide by a signed call."""

    name: str  #: what is recorded
    secrets: tuple[str, ...] = field(repr=False)  #: `whsec_` and base64; any of them may have signed
    may_approve: bool = False  #: false: it may reject, put off and take back only


class Templates(Protocol):
    """Fills in the templates of `templates/`. Escapes in HTML and refuses a name that it is not given."""

    def render(self, name: str, values: Mapping[str, Any]) -> str:
        """Return a template filled with values."""

    def stream(self, name: str, values: Mapping[str, Any]) -> Iterator[str]:
        """Yield a template filled with values, in parts."""


@dataclass(frozen=True, slots=True)
class Context:
    """Everything that a request may reach."""

    store: Store
    plan: NightPlan
    signer: Signer
    templates: Templates
    begin: Callable[[str], Run]  #: begins the night that is due, or returns it; is told what began it, here `api`
    passwords: Passwords
    renderer: Renderer
    api_token: str | None = None  #: a token of the environment with every scope; None: only stored ones
    min_form_age: timedelta = timedelta(seconds=1)  #: a form that comes back sooner was not read by a person
    shop_prices: ShopPrices | None = None  #: what our shop charges now; None: not shown
    charts: Charts | None = None  #: draws pictures for browsers without scripts; None: none are shown
    settings: tuple[ShownSetting, ...] = ()  #: as they are in force, for people
    is_loopback: bool = True  #: whether only this machine can connect
    proxies: tuple[Network, ...] = ()  #: whose word about who connects is believed
    user_header: str | None = None  #: in which such a proxy names who is signed in with it
    approver: Approver | None = None  #: the program that may decide by POST /api/approvals
    begin_one: Callable[[str, str], Run] | None = None  #: begins a run of one competitor
    runs_secrets: tuple[str, ...] = field(default=(), repr=False)  #: `whsec_` and base64, verify POST /api/runs
    checks: Checks | None = None  #: reads a page of a competitor on demand; None: such calls answer 404
    now: Callable[[], NightPlan] | None = None  #: the plan at this moment; None: as it was at the start

    @property
    def plan_now(self) -> NightPlan:
        """The plan with how prices are written, and who gets mail, at this moment."""
        return self.plan if self.now is None else self.now()

    @property
    def is_https(self) -> bool:
        """Whether readers reach the pages over https, as `review.public_url` says."""
        return self.plan.review.public_url.lower().startswith("https:")

    @property
    def cookie_name(self) -> str:
        """The name of the session's cookie; browsers keep the prefix to this host and to https."""
        return "__Host-monitor" if self.is_https else "monitor"
