"""Tokens for Shopify's Admin API: a permanent one, or one of 24 hours that is asked for when it is needed.

An app made in the shop's admin before 2026 has a permanent token. A newer app of one's own has a client id and secret,
and exchanges them for a token that lasts a day (client credentials grant). Source: shopify.dev, "Client credentials".
"""

import threading
from datetime import datetime, timedelta
from typing import Protocol
from urllib.parse import urlencode

from monitor.adapters.http import Client, Unanswered
from monitor.adapters.shops.speaking import asked_to_wait, json_of, rules_for, silence, status_words
from monitor.errors import RetryLater
from monitor.ports.shop import AccessRefused
from monitor.ports.world import Clock

#: A token is renewed so long before it ends, so that no call meets its end.
MARGIN = timedelta(minutes=5)
#: A day, when the answer does not say how long a token lasts.
LIFETIME_S = 86_399
_DEADLINE = timedelta(seconds=20)


class Tokens(Protocol):
    """Where tokens come from."""

    def token(self) -> str:
        """Return a token. Raises RetryLater, AccessRefused."""

    def refused(self, token: str) -> bool:
        """Note that a token was refused; say whether another may be had."""


class FixedToken:
    """A permanent token."""

    def __init__(self, token: str) -> None:
        self._token = token

    def token(self) -> str:
        """Return it."""
        return self._token

    def refused(self, token: str) -> bool:
        """There is no other."""
        return False


class GrantedTokens:
    """Tokens of 24 hours for a client id and its secret; one at a time for all threads."""

    def __init__(self, base: str, client_id: str, client_secret: str, client: Client, clock: Clock) -> None:
        self._url = f"{base}/admin/oauth/access_token"
        self._credentials = {"client_id": client_id, "client_secret": client_secret}
        self._client, self._clock = client, clock
        self._rules = rules_for(base, _DEADLINE)
        self._lock = threading.Lock()
        self._token: str | None = None
        self._until: datetime | None = None

    def token(self) -> str:
        """Return the token in use, or a new one when it has ended or soon will."""
        with self._lock:
            if self._token is None or self._until is None or self._clock.now() >= self._until:
                self._token, self._until = self._granted()
            return self._token

    def refused(self, token: str) -> bool:
        """Forget the refused token, unless another thread has renewed it already."""
        with self._lock:
            if token == self._token:
                self._token = None
        return True

    def _granted(self) -> tuple[str, datetime]:
        body = urlencode({"grant_type": "client_credentials", **self._credentials}).encode()
        headers = {"content-type": "application/x-www-form-urlencoded", "accept": "application/json"}
        asked_at = self._clock.now()
        answer = self._client.send("POST", self._url, headers=headers, body=body, rules=self._rules)
        if isinstance(answer, Unanswered):
            raise silence(answer, is_write=False)
        if answer.status == 429 or answer.status >= 500:
            words = status_words("Shopify", answer)
            raise RetryLater(f"no token: {words}", not_before=asked_to_wait(answer.headers, asked_at))
        said = json_of(answer)
        token = said.get("access_token") if isinstance(said, dict) else None
        if answer.status != 200 or not isinstance(token, str) or not token:
            raise AccessRefused(
                f"Shopify gave no token for the client id: it answered {answer.status}. Check "
                "MONITOR_SHOPIFY_CLIENT_ID and MONITOR_SHOPIFY_CLIENT_SECRET, and that the app is installed in the shop"
            )
        lasts = said.get("expires_in")
        seconds = lasts if isinstance(lasts, int) and not isinstance(lasts, bool) and lasts > 0 else LIFETIME_S
        return token, asked_at + max(timedelta(seconds=seconds) - MARGIN, timedelta(seconds=seconds) / 2)
