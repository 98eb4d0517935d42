"""Follows the review link of a mail as its reader would: shows the page, ticks one row, sends the form.

Plain HTTP from outside; what the price file holds is read before, in between and after.
"""

import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from html.parser import HTMLParser
from http.client import HTTPConnection
from urllib.parse import urlencode, urlsplit

from monitor.demo.facts import LinkProof
from monitor.demo.postbox import Letter
from monitor.domain.action import Action
from monitor.domain.money import Money

#: A form that comes back sooner is taken for a robot's; see `Context.min_form_age`.
_READS_S = 1.1
_LONGEST_S = 15.0
_TIMEOUT_S = 15


@dataclass(slots=True)
class _Form(HTMLParser):
    """The hidden fields of a page."""

    rows: list[str] = field(default_factory=list)
    nonce: str = ""

    def __post_init__(self) -> None:
        HTMLParser.__init__(self)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep what the form must carry."""
        given = dict(attrs)
        if tag == "input" and given.get("name") == "row":
            self.rows.append(given.get("value") or "")
        if tag == "input" and given.get("name") == "nonce":
            self.nonce = given.get("value") or ""


def link_in(letter: Letter) -> str:
    """Return the review link of a mail; empty when it has none."""
    found = re.search(r"https?://\S+/a/\S+", letter.text)
    return found[0] if found else ""


def code_in(letter: Letter) -> str:
    """Return the six digits of a mail; empty when it has none."""
    found = re.search(r"[Cc]ode[^:\n]*: *(\d{3} ?\d{3})", letter.text)
    return found[1] if found else ""


def follow(
    letter: Letter, *, price: Callable[[str], Money | None], action: Callable[[int], Action | None]
) -> LinkProof:
    """Approve the last row behind the link of a mail and wait until the shop has the price.

    Args:
        letter: the mail.
        price: reads the price file.
        action: finds a proposal by its number.
    """
    url = link_in(letter)
    if not url:
        return LinkProof("", 0, 0, 0, "", "", "", "", kept_by_get=True)
    status, page, _ = _asked("GET", url)
    form = _Form()
    form.feed(page)
    chosen = action(int(form.rows[-1].split(":")[0])) if form.rows else None
    if chosen is None:
        return LinkProof(url, status, 0, 0, "", "", "", "", kept_by_get=True)
    sku = chosen.proposal.sku
    before = Money(chosen.proposal.old_price, chosen.proposal.currency)
    wanted = Money(chosen.proposal.new_price, chosen.proposal.currency)
    kept = price(sku) == before
    time.sleep(_READS_S)
    fields = [("nonce", form.nonce), *(("row", row) for row in form.rows)]
    fields += [(f"verb-{chosen.id}", "approve"), ("code", code_in(letter))]
    posted, _, _ = _asked("POST", f"{url}/decide", urlencode(fields))
    after = _awaited(lambda: price(sku), wanted)
    return LinkProof(url, status, len(form.rows), posted, sku, str(before), str(wanted), str(after), kept_by_get=kept)


def _asked(method: str, url: str, body: str | None = None) -> tuple[int, str, str]:
    """Return status, text and the address of a redirect, which is not followed."""
    parts = urlsplit(url)
    connection = HTTPConnection(parts.netloc, timeout=_TIMEOUT_S)
    try:
        headers = {"Content-Type": "application/x-www-form-urlencoded"} if body is not None else {}
        connection.request(method, parts.path, body, headers)
        answer = connection.getresponse()
        return answer.status, answer.read().decode("utf-8", "replace"), answer.getheader("Location") or ""
    finally:
        connection.close()


def _awaited(read: Callable[[], Money | None], wanted: Money) -> Money | None:
    until = time.monotonic() + _LONGEST_S
    while (found := read()) != wanted and time.monotonic() < until:
        time.sleep(0.1)
    return found
