"""What a person can do about a watch that was not read, in one sentence; what passes by itself says so.

Nothing here is a way round a shop that refuses: it is asked, or left out.
"""

from monitor.domain.extraction import IN_PIECES, Outcome
from monitor.domain.robots import UNREACHABLE

_TOMORROW = "it is asked again in the next night"
_OPEN = "open the page yourself: enter its new address in watches.csv, or take the watch out"
_BY_REASON = {
    "rate_limited": f"{_TOMORROW}; a longer delay_s for this shop in competitors.toml asks it less often",
    "unavailable": _TOMORROW,
    "waiting_room": _TOMORROW,
    "maintenance": _TOMORROW,
    "server_error": _TOMORROW,
    "incomplete": _TOMORROW,
    "connect": f"{_TOMORROW}; if the shop has moved, enter its new address in competitors.toml and watches.csv",
    "deadline": f"{_TOMORROW}; if it always takes so long, raise fetch.page_deadline_s in monitor.toml",
    "too_large": "raise fetch.max_body_bytes in monitor.toml if a page of this shop is really that large",
    "tls": "only the shop can put its certificate right; until then nothing of it is believed",
    "redirected_away": "if that is the same shop, name the host in extra_hosts in competitors.toml",
    "dns": "look whether the shop has moved: competitors.toml and watches.csv name a host that does not exist",
    UNREACHABLE: f"{_TOMORROW}; open the shop yourself to see whether it is still there",
    "refused_by_setting": "take the path out of `refuse` in competitors.toml if it should be read",
    "currency_unknown": "enter the currency of this shop in competitors.toml",
    "quiet_hours": "shorten quiet_hours, or let the night begin at another hour",
    "range": "name the variant that is meant: variant, their_sku or their_gtin in watches.csv",
    IN_PIECES: "a recipe reads the text of one element, which is a piece of this price; if an attribute has all of it, "
    "write selector@attribute (docs/recipes.md), or ask the shop for a feed",
    "request_cap": "raise request_cap for this shop in competitors.toml",
}
#: What helps where a page came and no price was found on it; `monitor check` says which of them.
BROWSER_HELPS = 'if its price appears in a browser only, set fetch = "browser" for this shop in competitors.toml'
RECIPE_FAILS_HELPS = (
    "correct its recipe in competitors.toml, or take it out if the page is read right without one: docs/recipes.md"
)
RECIPE_HELPS = "if you see one clear price on the page, name its element in a recipe: docs/recipes.md"
_BY_OUTCOME = {
    Outcome.BLOCKED: "ask the shop for a feed (`feed` in competitors.toml) or for access, or take its watches out",
    Outcome.ROBOTS: "ask the shop whether it may be read (then `allow` with robots_reason), or leave it",
    Outcome.NOT_FOUND: _OPEN,
    Outcome.LISTING: _OPEN,
    Outcome.NO_PRICE: "`monitor check` with its address shows why, and a recipe to start from where there is one",
    Outcome.SKIPPED_BUDGET: "it comes first in the next night; raise tool_calls for this shop in competitors.toml",
}


def what_helps(outcome: Outcome, reason: str) -> str:
    """Return what a person can do, "" where the reason says it itself or nothing helps."""
    return _BY_REASON.get(reason) or _BY_OUTCOME.get(outcome, "")
