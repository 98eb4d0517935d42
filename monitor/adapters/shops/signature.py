"""Signatures of outgoing calls as Standard Webhooks 1.0.0 describes them.

Source: standard-webhooks/standard-webhooks, `spec/standard-webhooks.md`.
"""

import base64
import binascii
import hashlib
import hmac
from collections.abc import Sequence
from datetime import datetime

from monitor.errors import Misconfigured

_SECRET_PREFIX = "whsec_"  # noqa: S105 - the public prefix of the form
_LEAST_KEY_BYTES, _MOST_KEY_BYTES = 24, 64


def keys_of(secrets: Sequence[str]) -> tuple[bytes, ...]:
    """Return the bytes of `whsec_…` secrets.

    Raises:
        Misconfigured: not that form, or shorter or longer than 24 to 64 bytes; never quotes the secret.
    """
    keys = tuple(_key(secret) for secret in secrets)
    if not keys or any(key is None for key in keys):
        raise Misconfigured(
            [
                f"MONITOR_SHOP_SECRET: write {_SECRET_PREFIX} and the base64 of {_LEAST_KEY_BYTES} to "
                f"{_MOST_KEY_BYTES} random bytes; `monitor init` makes one"
            ]
        )
    return tuple(key for key in keys if key is not None)


def _key(secret: str) -> bytes | None:
    if not secret.startswith(_SECRET_PREFIX):
        return None
    try:
        key = base64.b64decode(secret.removeprefix(_SECRET_PREFIX), validate=True)
    except (binascii.Error, ValueError):
        return None
    return key if _LEAST_KEY_BYTES <= len(key) <= _MOST_KEY_BYTES else None


def signed(keys: Sequence[bytes], message_id: str, at: datetime, body: bytes) -> dict[str, str]:
    """Return the three headers of one attempt."""
    timestamp = str(int(at.timestamp()))
    content = b".".join((message_id.encode(), timestamp.encode(), body))
    marks = (base64.b64encode(hmac.digest(key, content, hashlib.sha256)).decode() for key in keys)
    return {
        "webhook-id": message_id,
        "webhook-timestamp": timestamp,
        "webhook-signature": " ".join(f"v1,{mark}" for mark in marks),
    }
