"""One call to Shopify's GraphQL Admin API: token, pinned version, cost, and what each kind of answer means.

HTTP 200 means little: throttling, missing scopes and refused variants all come with it. What is said is in `errors`
and, for a mutation, in its `userErrors`, which `shopify_answers` reads. Whatever was certainly not run raises
RetryLater or CannotSucceed; what may have been run raises OutcomeUnknown when it was a write.

A retired version answers in the oldest supported one without saying so, except in the header `X-Shopify-API-Version`;
`served` remembers it for `monitor doctor`.
"""

import json
import random
import threading
import time
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from monitor.adapters.http import Answer, Client, Unanswered
from monitor.adapters.shops.shopify_token import Tokens
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
from monitor.adapters.shops.throttle import UNTOLD, Bucket, cost_of
from monitor.errors import CannotSucceed, MonitorError, RetryLater
from monitor.ports.shop import AccessRefused
from monitor.ports.world import Clock

#: The version that this program was written against; Shopify serves it until about October 2027.
API_VERSION = "2026-10"
#: Longest time that one call waits for the bucket before it is left for later.
PATIENCE = timedelta(seconds=15)
#: Up to so much is added to a wait, so that many workers do not come back together.
_JITTER_S = 0.3

_SHUT = {
    401: "the access token is not accepted; check MONITOR_SHOPIFY_TOKEN",
    402: "the shop is frozen until its bill is paid",
    403: "the app lacks a permission; it needs write_products",
    404: "there is no such shop or API version; check shop.url, the address that ends in .myshopify.com",
    423: "the shop is locked",
}
_ACCESS_CODES = frozenset({"ACCESS_DENIED", "SHOP_INACTIVE", "UNAUTHORIZED", "FORBIDDEN"})
_UNCLEAR_CODES = frozenset({"INTERNAL_SERVER_ERROR", "TIMEOUT", "SERVICE_UNAVAILABLE"})


class ShopifyApi:
    """Sends GraphQL documents to one shop; safe to share between threads."""

    def __init__(
        self,
        base: str,
        tokens: Tokens,
        client: Client,
        clock: Clock,
        *,
        version: str = API_VERSION,
        agent: str = "price-monitor",
        deadline: timedelta = DEADLINE,
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        self.version, self.served = version, version
        self._url = f"{base}/admin/api/{version}/graphql.json"
        self._tokens, self._client, self.clock, self._agent = tokens, client, clock, agent
        self._rules = rules_for(base, deadline)
        self._pause = pause
        self._bucket = Bucket()
        self._costs: dict[str, Decimal] = {}
        self._lock = threading.Lock()

    def ask(
        self, query: str, variables: Mapping[str, Any], *, is_write: bool = False, patience: timedelta = PATIENCE
    ) -> dict[str, Any]:
        """Return the `data` of an answer; waits for the bucket, and repeats what was throttled, up to `patience`.

        Raises:
            RetryLater: certainly not run, or a read without a clear answer; AccessRefused: not let in.
            CannotSucceed: the document itself is refused.
            OutcomeUnknown: a write without a clear answer.
        """
        body = json.dumps({"query": query, "variables": variables}, ensure_ascii=False, separators=(",", ":")).encode()
        left = patience - self._wait_for_room(query, patience)
        while True:
            answer = self._send(body, is_write=is_write)
            document = json_of(answer)
            self._learn(query, document, answer)
            throttled = _throttled(document)
            if throttled is None:
                return data_of(answer, document, now=self.clock.now(), is_write=is_write)
            if throttled > left:
                raise RetryLater("Shopify throttles our calls", not_before=self.clock.now() + throttled)
            left -= self._slept(throttled)

    def _wait_for_room(self, query: str, patience: timedelta) -> timedelta:
        with self._lock:
            wait = self._bucket.wait_for(self._costs.get(query, Decimal(0)), self.clock.now())
        if wait > patience:
            raise RetryLater("Shopify's bucket is empty", not_before=self.clock.now() + wait)
        return self._slept(wait) if wait else wait

    def _slept(self, wait: timedelta) -> timedelta:
        seconds = wait.total_seconds() + random.uniform(0, _JITTER_S)
        self._pause(seconds)
        return timedelta(seconds=seconds)

    def _learn(self, query: str, document: object, answer: Answer) -> None:
        cost = cost_of(document)
        self.served = answer.headers.get("x-shopify-api-version", self.served)
        with self._lock:
            self._bucket.told(cost, self.clock.now())
            if cost is not None:
                self._costs[query] = cost.requested

    def _send(self, body: bytes, *, is_write: bool) -> Answer:
        token = self._tokens.token()
        answer = self._sent(token, body)
        if isinstance(answer, Answer) and answer.status == 401 and self._tokens.refused(token):
            answer = self._sent(self._tokens.token(), body)  # a refused token has run nothing
        if isinstance(answer, Unanswered):
            raise silence(answer, is_write=is_write)
        return answer

    def _sent(self, token: str, body: bytes) -> Answer | Unanswered:
        headers = {
            "content-type": "application/json",
            "accept": "application/json",
            "user-agent": self._agent,
            "x-shopify-access-token": token,
        }
        return self._client.send("POST", self._url, headers=headers, body=body, rules=self._rules)


def data_of(answer: Answer, document: Any, *, now: datetime, is_write: bool) -> dict[str, Any]:
    """Return the `data` of an answer that was not throttled, or raise what it means instead."""
    if answer.status != 200:
        raise _no_data(answer, now, is_write=is_write)
    if not isinstance(document, dict):
        raise unclear("Shopify answered 200 with something that is no JSON object", is_write=is_write)
    if errors := document.get("errors"):
        raise _from_errors(errors, document.get("data"), is_write=is_write)
    data = document.get("data")
    if not isinstance(data, dict):
        raise unclear("Shopify answered 200 without data", is_write=is_write)
    return data


def _no_data(answer: Answer, now: datetime, *, is_write: bool) -> MonitorError:
    words = status_words("Shopify", answer)
    if answer.status in (429, 430):
        return RetryLater(words, not_before=asked_to_wait(answer.headers, now))
    if answer.status in _SHUT:
        return AccessRefused(f"{words}: {_SHUT[answer.status]}")
    if 300 <= answer.status < 400:
        return AccessRefused(f"{words}: it redirects; write the address that ends in .myshopify.com into shop.url")
    if answer.status >= 500 or answer.status == 408:
        return unclear(words, is_write=is_write)
    return CannotSucceed(f"{words}; nothing was changed")


def _throttled(document: Any) -> timedelta | None:
    """Return how long to wait when an answer says that it was throttled."""
    errors = document.get("errors") if isinstance(document, dict) else None
    if not isinstance(errors, list) or "THROTTLED" not in map(_code, errors):
        return None
    cost = cost_of(document)
    return UNTOLD if cost is None else max(cost.wait(), timedelta(milliseconds=100))


def _from_errors(errors: Any, data: Any, *, is_write: bool) -> MonitorError:
    if not isinstance(errors, list):
        return CannotSucceed(f"Shopify refused the call ({shown(errors)}); nothing was changed")
    codes = {_code(error) for error in errors}
    words = shown("; ".join(_message(error) for error in errors))
    if codes & _ACCESS_CODES:
        return AccessRefused(f"Shopify refuses access ({words}); the app needs the scope write_products")
    if codes & _UNCLEAR_CODES or data is not None:
        return unclear(f"Shopify answered with an error ({words})", is_write=is_write)
    return CannotSucceed(f"Shopify refused the call ({words}); nothing was changed")


def _code(error: Any) -> str:
    extensions = error.get("extensions") if isinstance(error, dict) else None
    return str(extensions.get("code", "")) if isinstance(extensions, dict) else ""


def _message(error: Any) -> str:
    return str(error.get("message", error)) if isinstance(error, dict) else str(error)
