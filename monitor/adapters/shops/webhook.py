"""A shop behind a signed HTTP call, as Standard Webhooks 1.0.0 describes it.

`POST {url}` with `webhook-id` (the write's key, the same in every repeat), `webhook-timestamp` (this attempt),
`webhook-signature` (`v1,` and base64 of HMAC-SHA-256 over `{id}.{timestamp}.{body}`, one per secret) and the same key
as `Idempotency-Key`. A repeat carries the same bytes. What answers mean is in `docs/shops.md`; in short: a clear
refusal has changed nothing, a 5xx or silence after the request left may have, and only reading tells.

`GET {read_url}` is asked for the current price; without it the receiver's answer to a write is all there is.
Redirects are not followed. The operator wrote both addresses, so exactly those may be private.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any
from urllib.parse import quote, urlencode
from uuid import uuid4

from monitor.adapters.http import Answer, CallRules, Client, Unanswered
from monitor.adapters.shops.one_by_one import OneByOne
from monitor.adapters.shops.signature import keys_of, signed
from monitor.domain.action import PriceWrite
from monitor.domain.address import UrlRefused, target
from monitor.domain.money import Money, UnreadableAmount, amount_text, is_currency, plain_amount
from monitor.domain.pacing import UnreadableHeader, delay_asked
from monitor.domain.page import MissReason
from monitor.domain.shop_price import ShopPrice
from monitor.errors import CannotSucceed, Misconfigured, OutcomeUnknown, RetryLater
from monitor.ports.shop import ProductGone, ShopConflict
from monitor.ports.world import Clock

#: Total time of one call; customary for webhooks are 15 to 30 seconds.
DEADLINE = timedelta(seconds=20)
#: The price is expected in a few hundred bytes.
MAX_ANSWER_BYTES = 64_000
_REFUSED_HERE = frozenset({MissReason.REFUSED_ADDRESS, MissReason.REFUSED_URL})
_GONE = frozenset({"not_found", "gone", "unknown_sku"})
_PENDING = frozenset({"accepted", "pending", "queued"})
_REFUSED = frozenset({"failed", "error", "rejected", "invalid"})


class WebhookShop(OneByOne):
    """`monitor.ports.review.Shop` on a signed webhook."""

    def __init__(
        self,
        url: str,
        secrets: Sequence[str],
        client: Client,
        clock: Clock,
        *,
        read_url: str | None = None,
        agent: str = "price-monitor",
        deadline: timedelta = DEADLINE,
    ) -> None:
        """Take the addresses and the signing secrets, all of which sign.

        Args:
            read_url: where the price is asked, with `{sku}` in it or else `sku` added to its query.
            deadline: total time of one call.

        Raises:
            Misconfigured: an address or a secret is not one.
        """
        self.reads = read_url is not None
        self._url, self._read_url = url, read_url
        self._keys = keys_of(secrets)
        self._client, self._clock, self._agent = client, clock, agent
        self._rules = CallRules(
            deadline=deadline,
            max_wire_bytes=MAX_ANSWER_BYTES,
            max_body_bytes=MAX_ANSWER_BYTES,
            allow_addresses=frozenset(_authority(each) for each in (url, read_url) if each),
        )

    def read(self, sku: str) -> ShopPrice | None:
        """Ask the receiver for the current price."""
        if self._read_url is None:
            raise CannotSucceed("this webhook offers no reading; set shop.read_url in monitor.toml if it can")
        headers = signed(self._keys, f"read_{uuid4()}", self._clock.now(), b"")
        answer = self._send("GET", _reading(self._read_url, sku), headers | {"cache-control": "no-cache"})
        if isinstance(answer, Unanswered):
            raise self._unread(answer)
        if answer.status == 429 or answer.status >= 500:
            raise RetryLater(_status_words(answer), not_before=self._asked(answer))
        said = _said(answer)
        if _status(said) in _GONE and (answer.status == 404 or answer.status < 300):
            return None
        if not 200 <= answer.status < 300:
            raise CannotSucceed(f"the price of {sku} cannot be read: {_status_words(answer)}")
        return _price(said, sku)

    def write(self, write: PriceWrite) -> str:
        """Send the absolute price under the write's key."""
        body = price_change(write)
        headers = signed(self._keys, write.idempotency_key, self._clock.now(), body)
        headers |= {"idempotency-key": f'"{write.idempotency_key}"', "content-type": "application/json"}
        answer = self._send("POST", self._url, headers, body)
        if isinstance(answer, Unanswered):
            raise self._unwritten(answer)
        said = _said(answer)
        if _status(said) == "conflict" and _amount(said.fields.get("current_price")) == write.target_price:
            return "it had this price already"
        if 200 <= answer.status < 300:
            return _taken(answer, said, write)
        raise self._refusal(answer, said, write)

    def _send(self, method: str, url: str, headers: Mapping[str, str], body: bytes = b"") -> Answer | Unanswered:
        sent = {"accept": "application/json", "user-agent": self._agent, **headers}
        return self._client.send(method, url, headers=sent, body=body, rules=self._rules)

    def _unread(self, silence: Unanswered) -> RetryLater | CannotSucceed:
        return CannotSucceed(silence.words) if silence.reason in _REFUSED_HERE else RetryLater(silence.words)

    def _unwritten(self, silence: Unanswered) -> RetryLater | CannotSucceed | OutcomeUnknown:
        return OutcomeUnknown(silence.words) if silence.sent else self._unread(silence)

    def _refusal(self, answer: Answer, said: "_Said", write: PriceWrite) -> Exception:
        words = _status_words(answer)
        if answer.status in (425, 429):
            return RetryLater(words, not_before=self._asked(answer))
        if answer.status >= 500 or answer.status == 408:
            return OutcomeUnknown(words)
        if answer.status == 409:
            return _conflict(said, write) if _status(said) == "conflict" else OutcomeUnknown(words)
        if answer.status == 404 and _status(said) in _GONE:
            return ProductGone(f"the receiver has no {write.sku}; nothing was changed")
        return CannotSucceed(f"{words}; nothing was changed")

    def _asked(self, answer: Answer) -> datetime | None:
        """Return when the receiver wants to be asked again; None when it does not say so readably."""
        value, now = answer.headers.get("retry-after"), self._clock.now()
        try:
            return None if value is None else now + delay_asked(value, now=now)
        except UnreadableHeader:
            return None


@dataclass(frozen=True, slots=True)
class _Said:
    """The JSON object of an answer; empty for any other body."""

    fields: Mapping[str, Any]


def price_change(write: PriceWrite) -> bytes:
    """Return the body of a call. It depends on the write alone, so that a repeat under its key is the same bytes."""
    document = {
        "type": "price.change.requested",
        "timestamp": write.created_at.isoformat(),
        "data": {
            "write_id": write.id,
            "proposal_id": write.action_id,
            "version": write.version,
            "channel": write.channel,
            "sku": write.sku,
            "currency": write.currency,
            "expected_price": amount_text(write.expected_price, write.currency),
            "new_price": amount_text(write.target_price, write.currency),
            **({} if write.tax_included is None else {"tax_included": write.tax_included}),
            "compare_at": write.compare_at_change.as_json(write.currency),
        },
    }
    return json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode()


def _authority(url: str) -> str:
    try:
        return target(url).authority
    except UrlRefused as refused:
        raise Misconfigured([f"shop.url and shop.read_url in monitor.toml: {refused}"]) from None


def _reading(read_url: str, sku: str) -> str:
    if "{sku}" in read_url:
        return read_url.replace("{sku}", quote(sku, safe=""))
    return f"{read_url}{'&' if '?' in read_url else '?'}{urlencode({'sku': sku})}"


def _said(answer: Answer) -> _Said:
    try:
        document = json.loads(answer.body, parse_float=Decimal, parse_int=Decimal)
    except (ValueError, RecursionError):
        return _Said({})
    return _Said(document if isinstance(document, dict) else {})


def _status(said: _Said) -> str:
    return str(said.fields.get("status", "")).strip().lower()


def _status_words(answer: Answer) -> str:
    text = " ".join(answer.body[:200].decode("utf-8", "replace").split())
    return f"the receiver answered {answer.status}" + (f" ({text})" if text else "")


def _price(said: _Said, sku: str) -> ShopPrice | None:
    fields = said.fields
    if fields.get("sku", sku) != sku:
        raise CannotSucceed(f"asked for {sku}, the receiver answered about {str(fields['sku'])[:80]!r}")
    if "price" in fields and fields["price"] is None:
        return None
    amount, currency = _amount(fields.get("price")), fields.get("currency")
    if amount is None or not isinstance(currency, str) or not is_currency(currency):
        raise CannotSucceed(
            f"the price of {sku} cannot be read: answer with a JSON object such as "
            '{"sku": "A-1", "price": "24.90", "currency": "EUR"}'
        )
    tax = fields.get("tax_included")
    return ShopPrice(
        Money(amount, currency),
        _beside(fields, sku),
        tells_compare_at="compare_at" in fields,
        tax_included=tax if isinstance(tax, bool) else None,
    )


def _beside(fields: Mapping[str, Any], sku: str) -> Decimal | None:
    told = fields.get("compare_at")
    amount = _amount(told)
    if told is not None and amount is None:
        raise CannotSucceed(
            f"the compare-at price of {sku} cannot be read: answer with a decimal string, null, or leave it out"
        )
    return amount


def _amount(value: object) -> Decimal | None:
    if not isinstance(value, str | Decimal):
        return None
    try:
        return plain_amount(value if isinstance(value, str) else format(value, "f"))
    except UnreadableAmount:
        return None


def _taken(answer: Answer, said: _Said, write: PriceWrite) -> str:
    """Return the words of a 2xx, or raise what its body says instead."""
    status, words = _status(said), _status_words(answer)
    if status == "conflict":
        raise _conflict(said, write)
    if status in _GONE:
        raise ProductGone(f"the receiver has no {write.sku}; nothing was changed")
    if status in _REFUSED:
        raise CannotSucceed(f"{words}; nothing was changed")
    if status in _PENDING or (answer.status == 202 and not status):
        raise OutcomeUnknown(f"{words}: not done yet")
    set_price = said.fields.get("price")
    if set_price is not None and _amount(set_price) != write.target_price:
        raise OutcomeUnknown(f"{words}: not the price that was sent, {amount_text(write.target_price, write.currency)}")
    return status or "delivered"


def _conflict(said: _Said, write: PriceWrite) -> ShopConflict:
    current = said.fields.get("current_price") or "another price"
    return ShopConflict(f"the receiver has {current} for {write.sku}; nothing was changed")
