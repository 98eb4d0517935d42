"""What calls to a shop's own API have in common: the address, the limits, JSON without floats, and who is to blame."""

import json
from collections.abc import Mapping
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any
from urllib.parse import urlsplit

from monitor.adapters.http import Answer, CallRules, Unanswered
from monitor.domain.action import PriceWrite
from monitor.domain.address import UrlRefused, target
from monitor.domain.money import Money, UnreadableAmount, plain_amount
from monitor.domain.pacing import UnreadableHeader, delay_asked
from monitor.domain.page import MissReason
from monitor.errors import CannotSucceed, Misconfigured, OutcomeUnknown, RetryLater

#: Total time of one call; a lease of a write is several times as long.
DEADLINE = timedelta(seconds=30)
#: A catalogue page of a hundred products is some hundred kilobytes.
MAX_ANSWER_BYTES = 10_000_000
_REFUSED_HERE = frozenset({MissReason.REFUSED_ADDRESS, MissReason.REFUSED_URL})
_SHOWN = 200


def base_address(url: str, *, key: str = "shop.url") -> str:
    """Return the address of a shop without a path or a trailing slash.

    Raises:
        Misconfigured: not an address, or plain http to another machine, where it would carry the key in clear.
    """
    try:
        host = target(url).host
    except UrlRefused as refused:
        raise Misconfigured([f"{key} in monitor.toml: {refused}"]) from None
    parts = urlsplit(url)
    if parts.scheme != "https" and host not in ("127.0.0.1", "localhost", "::1"):
        raise Misconfigured([f"{key} in monitor.toml: {url} would carry the shop's key in clear; write https://{host}"])
    return f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/')}"


def rules_for(base: str, deadline: timedelta) -> CallRules:
    """Return the limits of a call; the operator wrote the address, so exactly that one may be private."""
    return CallRules(
        deadline=deadline,
        silence=deadline,
        max_wire_bytes=MAX_ANSWER_BYTES,
        max_body_bytes=MAX_ANSWER_BYTES,
        allow_addresses=frozenset({target(base).authority}),
    )


def json_of(answer: Answer) -> Any:
    """Return the JSON of an answer, numbers with a fraction as Decimal; None when it is none."""
    try:
        return json.loads(answer.body, parse_float=Decimal)
    except (ValueError, RecursionError):
        return None


def silence(unanswered: Unanswered, *, is_write: bool) -> RetryLater | CannotSucceed | OutcomeUnknown:
    """Say what no answer means: once a write has left, the shop may have acted on it."""
    if unanswered.reason in _REFUSED_HERE:
        return CannotSucceed(unanswered.words)
    return OutcomeUnknown(unanswered.words) if is_write and unanswered.sent else RetryLater(unanswered.words)


def unclear(words: str, *, is_write: bool) -> RetryLater | OutcomeUnknown:
    """Say what an answer means that tells neither yes nor no."""
    return OutcomeUnknown(words) if is_write else RetryLater(words)


def asked_to_wait(headers: Mapping[str, str], now: datetime) -> datetime | None:
    """Return when the shop wants to be asked again; None when it does not say so readably."""
    value = headers.get("retry-after")
    try:
        return None if value is None else now + delay_asked(value, now=now)
    except UnreadableHeader:
        return None


def shown(text: object) -> str:
    """Return what a shop said, on one line and short."""
    return " ".join(str(text).split())[:_SHOWN]


def status_words(who: str, answer: Answer) -> str:
    """Return the status and the beginning of the body."""
    text = shown(answer.body[:_SHOWN].decode("utf-8", "replace"))
    return f"{who} answered {answer.status}" + (f" ({text})" if text else "")


def amount_in(value: object) -> Decimal | None:
    """Return an amount that an API gave as text or number; None for null, an empty text and anything unreadable."""
    if isinstance(value, bool) or value is None or value == "":
        return None
    try:
        return plain_amount(format(value, "f") if isinstance(value, Decimal) else str(value))
    except UnreadableAmount:
        return None


def too_exact(write: PriceWrite, places: int) -> str | None:
    """Say that an amount has more decimals than the shop keeps."""
    for amount in (write.target_price, write.compare_at):
        exponent = amount.normalize().as_tuple().exponent if amount is not None else 0
        if isinstance(exponent, int) and -exponent > places:
            exact = Money(amount or write.target_price, write.currency)
            return f"the approved price {exact} has more than the {places} decimals that the shop keeps"
    return None
