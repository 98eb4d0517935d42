"""One call to a WooCommerce shop's REST API v3: keys, addresses, and what each status means.

The key and its secret go into the Authorization header over https. Some hosts strip that header; for those they may be
put into the address (`shop.auth = "query"`), where they can end up in the logs of the host.
"""

import base64
import json
from collections.abc import Iterator, Mapping
from datetime import timedelta
from typing import Any
from urllib.parse import urlencode

from monitor.adapters.http import Answer, Client, Unanswered
from monitor.adapters.shops.speaking import (
    DEADLINE,
    asked_to_wait,
    json_of,
    rules_for,
    shown,
    silence,
    status_words,
    unclear,
)
from monitor.errors import CannotSucceed, MonitorError, RetryLater
from monitor.ports.shop import AccessRefused, ProductGone
from monitor.ports.world import Clock

#: Most items of a page and of a batch; the API refuses more.
PAGE = 100
_GONE_CODES = frozenset(
    {
        "woocommerce_rest_product_invalid_id",
        "woocommerce_rest_product_variation_invalid_id",
        "woocommerce_rest_product_variation_invalid_parent",
        "woocommerce_rest_invalid_product_id",
    }
)


class WooApi:
    """Sends requests to one shop; safe to share between threads."""

    def __init__(
        self,
        base: str,
        key: str,
        secret: str,
        client: Client,
        clock: Clock,
        *,
        key_in_query: bool = False,
        agent: str = "price-monitor",
        deadline: timedelta = DEADLINE,
    ) -> None:
        self._url = f"{base}/wp-json/wc/v3"
        self._client, self._clock = client, clock
        self._rules = rules_for(base, deadline)
        self._headers = {"accept": "application/json", "user-agent": agent, "cache-control": "no-cache"}
        self._query = {"consumer_key": key, "consumer_secret": secret} if key_in_query else {}
        if not key_in_query:
            pair = base64.b64encode(f"{key}:{secret}".encode()).decode()
            self._headers["authorization"] = f"Basic {pair}"

    def get(self, path: str, **query: object) -> Any:
        """Return the JSON of one address. Raises RetryLater, AccessRefused, ProductGone, CannotSucceed."""
        return self._asked(path, query)[0]

    def pages(self, path: str, **query: object) -> Iterator[dict[str, Any]]:
        """Yield the items of every page. Raises as `get` does."""
        number = 1
        while True:
            items, total = self._asked(path, {**query, "per_page": PAGE, "page": number})
            if not isinstance(items, list):
                raise CannotSucceed(f"WooCommerce answered {path} with something that is no list")
            yield from (item for item in items if isinstance(item, dict))
            if number >= total or not items:
                return
            number += 1

    def send(self, method: str, path: str, document: Mapping[str, Any]) -> Any:
        """Send a write and return the JSON of its answer.

        Raises:
            RetryLater, AccessRefused, ProductGone, CannotSucceed: certainly not done.
            OutcomeUnknown: no clear answer.
        """
        body = json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode()
        answer = self._send(method, path, {}, body)
        return self._json(answer, path, is_write=True)

    def _asked(self, path: str, query: Mapping[str, object]) -> tuple[Any, int]:
        answer = self._send("GET", path, query)
        found = self._json(answer, path, is_write=False)
        total = answer.headers.get("x-wp-totalpages", "1") if isinstance(answer, Answer) else "1"
        return found, int(total) if total.isdecimal() else 1

    def _send(self, method: str, path: str, query: Mapping[str, object], body: bytes = b"") -> Answer | Unanswered:
        asked = urlencode({**query, **self._query})
        headers = self._headers | ({"content-type": "application/json"} if body else {})
        url = f"{self._url}{path}{'?' if asked else ''}{asked}"
        return self._client.send(method, url, headers=headers, body=body, rules=self._rules)

    def _json(self, answer: Answer | Unanswered, path: str, *, is_write: bool) -> Any:
        if isinstance(answer, Unanswered):
            raise silence(answer, is_write=is_write)
        document = json_of(answer)
        if not 200 <= answer.status < 300:
            raise self._refused(answer, document, path, is_write=is_write)
        if not isinstance(document, dict | list):
            raise unclear(f"WooCommerce answered {path} with something that is no JSON", is_write=is_write)
        return document

    def _refused(self, answer: Answer, document: Any, path: str, *, is_write: bool) -> MonitorError:
        words = status_words("WooCommerce", answer)
        if answer.status == 429:
            return RetryLater(words, not_before=asked_to_wait(answer.headers, self._clock.now()))
        if answer.status in (401, 403):
            advice = (
                "check MONITOR_WOOCOMMERCE_KEY and MONITOR_WOOCOMMERCE_SECRET, that the key may read and write, and, "
                'where the host strips the Authorization header, set shop.auth = "query"'
            )
            return AccessRefused(f"{words}; {advice}")
        if 300 <= answer.status < 400:
            return AccessRefused(f"{words}; it redirects, so write the address it redirects to into shop.url")
        if answer.status >= 500 or answer.status == 408:
            return unclear(words, is_write=is_write)
        if isinstance(document, dict) and document.get("code"):
            return item_error(document, path)
        return CannotSucceed(f"{words}; is {path} a WooCommerce shop's? Check shop.url. Nothing was changed")


def item_error(error: Mapping[str, Any], what: str) -> CannotSucceed:
    """Return what an error object means, of a whole answer or of one item of a batch: it was not changed."""
    words = shown(f"{error.get('message')} ({error.get('code')})")
    if error.get("code") in _GONE_CODES:
        return ProductGone(f"WooCommerce has no {what} any more: {words}. Nothing was changed")
    return CannotSucceed(f"WooCommerce refused {what}: {words}. Nothing was changed")
