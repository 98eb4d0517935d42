"""What the web side needs, filled in once by the wiring."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Protocol

from monitor.domain.plan import NightPlan
from monitor.domain.run import Run
from monitor.ports.review import Signer
from monitor.ports.store import Store
from monitor.web.shop_prices import ShopPrices


class Templates(Protocol):
    """Fills in the templates of `templates/`. Escapes in HTML and refuses a name that it is not given."""

    def render(self, name: str, values: Mapping[str, Any]) -> str:
        """Return a template filled with values."""


@dataclass(frozen=True, slots=True)
class Context:
    """Everything that a request may reach."""

    store: Store
    plan: NightPlan
    signer: Signer
    templates: Templates
    begin: Callable[[str], Run]  #: begins the night that is due, or returns it; is told what began it, here `api`
    api_token: str | None = None  #: what POST /api/runs asks for; None: nobody may
    min_form_age: timedelta = timedelta(seconds=1)  #: a form that comes back sooner was not read by a person
    shop_prices: ShopPrices | None = None  #: what our shop charges now; None: not shown
