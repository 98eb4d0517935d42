"""`monitor discover` put together: the shop as its operator entered it, and the same guarded fetcher as at night."""

import time
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from difflib import get_close_matches

from monitor.domain.catalogue import Competitor
from monitor.domain.discovery import Discovery
from monitor.errors import Misconfigured
from monitor.flow.collect import Limits
from monitor.flow.collect.discover import discover
from monitor.flow.collect.outside import LOOK_DEADLINE, Surroundings
from monitor.wiring.app import App

#: HTTP requests allowed for each tool call, as in the budget of a night.
REQUESTS_PER_CALL = 2


def look_through(
    app: App, competitor: str, calls: int | None, say: Callable[[str], None], deadline: timedelta = LOOK_DEADLINE
) -> Discovery:
    """Look through one competitor's shop.

    Args:
        app: opened.
        competitor: its id.
        calls: the budget of tool calls, instead of the competitor's own.
        say: is told what is asked for, before it is.
        deadline: of the whole look; what was found until then is returned.

    Raises:
        Misconfigured: there is no such competitor.
    """
    shop = _named(app, competitor)
    if calls is not None:
        shop = replace(shop, tool_calls=calls, request_cap=max(shop.request_cap, REQUESTS_PER_CALL * calls))
    fetch = app.settings.fetch
    limits = Limits(
        page_deadline=fetch.page_deadline_s, max_body_bytes=fetch.max_body_bytes, max_feed_bytes=fetch.max_feed_bytes
    )
    return discover(
        shop, app.settings.catalogue, Surroundings(app.store, app.fetcher, limits, time.sleep, say, deadline)
    )


def _named(app: App, competitor: str) -> Competitor:
    shops = {shop.id: shop for shop in app.settings.catalogue.competitors}
    if competitor in shops:
        return shops[competitor]
    near = get_close_matches(competitor, shops, n=1)
    meant = f" Did you mean {near[0]!r}?" if near else ""
    listed = ", ".join(sorted(shops)) or "none"
    raise Misconfigured([f"{competitor!r} is no id of competitors.toml; there is: {listed}.{meant}"])
