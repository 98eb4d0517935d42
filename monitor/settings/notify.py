"""`[notify]` and `[webhooks]` of monitor.toml: what alerts are raised about, who hears of them, and of a run's end."""

from typing import Annotated, Any

from pydantic import BeforeValidator

from monitor.domain.message import AlertKind
from monitor.domain.plan import NotifyPlan
from monitor.settings.forms import WebAddress, list_of, quiet_window, shown, whole
from monitor.settings.toml_file import Section


def _kinds(value: Any) -> tuple[AlertKind, ...]:
    known = [kind.value for kind in AlertKind]
    if not isinstance(value, list) or any(item not in known for item in value):
        raise ValueError(
            f"{shown(value)} is not a list of kinds of alerts; write some of {', '.join(map(repr, known))}"
        )
    return tuple(AlertKind(item) for item in dict.fromkeys(value))


class NotifySection(Section):
    kinds: Annotated[tuple[AlertKind, ...], BeforeValidator(_kinds)] = tuple(AlertKind)
    quiet_hours: Annotated[tuple[str, ...], list_of(quiet_window)] = ()
    min_sites: Annotated[int, whole(0, 1_000)] = 1
    min_map: Annotated[int, whole(0, 100_000)] = 1
    min_stock: Annotated[int, whole(0, 100_000)] = 1

    def plan(self) -> NotifyPlan:
        """Return it as a run freezes it."""
        return NotifyPlan(**self.model_dump())


class WebhooksSection(Section):
    run_finished: WebAddress | None = None
