"""The cookies of one visit.

A jar lives as long as one visit and knows one host per cookie: nothing a shop sets is seen by another host, by
another competitor or by the next night, and no market or currency chosen by a cookie can stick. A cookie is
there only so that a shop that redirects to set one can be read at all. One that chooses a market is not even sent
back within the visit, unless the shop redirects to the very same address to set it and shows nothing without.

Simpler than RFC 6265 where it may be: `Domain` is ignored (every cookie is host-only), and `Expires` only
counts when it lies in the past.
"""

import re
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from monitor.domain.address import Target

#: Most cookies of one host, and most characters of one cookie; more are dropped (RFC 6265, section 6.1).
MOST_COOKIES, MOST_CHARACTERS = 50, 4096

#: Names of cookies that choose a market: those of Shopify, Magento, of currency plugins and of cross-border services.
_MARKET = re.compile(
    r"currency|country|\Alocali[sz]ation\Z|\Aglobale_|\A(?:store|market|region|geo)(?:[-_]?(?:code|view|id))?\Z",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class _Cookie:
    value: str
    path: str
    is_secure: bool


@dataclass(slots=True)
class Jar:
    """Cookies by host, name and path."""

    _kept: dict[str, dict[tuple[str, str], _Cookie]] = field(default_factory=dict)

    def header(self, to: Target) -> str:
        """Return the Cookie header for a request, "" when there is nothing to send."""
        path = _path(to)
        fitting = [
            (name, cookie)
            for (name, _), cookie in self._kept.get(to.host, {}).items()
            if _covers(cookie.path, path) and (to.scheme == "https" or not cookie.is_secure)
        ]
        fitting.sort(key=lambda pair: -len(pair[1].path))
        return "; ".join(f"{name}={cookie.value}" for name, cookie in fitting)

    def keep(self, to: Target, set_cookies: tuple[str, ...], *, now: datetime, insists: bool = False) -> None:
        """Take in the Set-Cookie headers of one answer.

        Args:
            to: what was asked for.
            set_cookies: each header as received.
            now: what `Expires` is held against.
            insists: the answer is a redirect to the same address, so that the shop shows nothing without its cookies.
        """
        kept = self._kept.setdefault(to.host, {})
        for line in set_cookies:
            pair, _, rest = line.partition(";")
            name, equals, value = (part.strip() for part in pair.partition("="))
            if not equals or not name or len(line) > MOST_CHARACTERS or (_MARKET.search(name) and not insists):
                continue
            attributes = _attributes(rest)
            path = attributes.get("path", "")
            path = path if path.startswith("/") else _path(to).rpartition("/")[0] or "/"
            if _is_over(attributes, now):
                kept.pop((name, path), None)
            elif len(kept) < MOST_COOKIES or (name, path) in kept:
                kept[name, path] = _Cookie(value, path, "secure" in attributes)


def _attributes(rest: str) -> dict[str, str]:
    pairs = (part.partition("=") for part in rest.split(";"))
    return {name.strip().lower(): value.strip() for name, _, value in pairs}


def _is_over(attributes: dict[str, str], now: datetime) -> bool:
    max_age = attributes.get("max-age", "")
    if max_age.lstrip("-").isdecimal():
        return int(max_age[:18]) <= 0
    try:
        until = parsedate_to_datetime(attributes["expires"].replace("-", " "))
    except (KeyError, ValueError, IndexError, TypeError, OverflowError):
        return False
    return (until if until.tzinfo else until.replace(tzinfo=UTC)) <= now


def _covers(cookie_path: str, path: str) -> bool:
    """RFC 6265, section 5.1.4."""
    return path == cookie_path or path.startswith(cookie_path.rstrip("/") + "/")


def _path(to: Target) -> str:
    return "/" + to.url.split("//", 1)[1].partition("/")[2].partition("?")[0]
