"""Standard Webhooks 1.0.0: sign a call, and say whether one is from somebody who holds a key, and recent.

The signed bytes are `{id}.{timestamp}.{body}`; `webhook-signature` holds one `v1,<base64 of HMAC-SHA-256>` per key of
the sender, so that keys can be changed one side at a time. The body counts as it came, byte for byte.

Source: the Standard Webhooks specification 1.0.0.
"""

import base64
import hashlib
import hmac
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta

#: How far the clock of the sender may be off, and for how long a copied call is worth anything.
TOLERANCE = timedelta(minutes=5)
_MAX_ID = 200


class NotSigned(ValueError):
    """A call does not prove that it comes from somebody with the key."""


def signing_keys(secrets: Iterable[str]) -> tuple[bytes, ...]:
    """Return the keys of secrets of the form `whsec_` and base64."""
    return tuple(base64.b64decode(secret.removeprefix("whsec_")) for secret in secrets)


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


def verified(keys: Iterable[bytes], headers: Mapping[str, str], body: bytes, now: datetime) -> str:
    """Return the id of a call that one of the keys signed.

    Args:
        keys: any of which may have signed it.
        headers: of the call, by lower-case name.
        body: as it came.
        now: timezone-aware.

    Raises:
        NotSigned: a header is missing, the time is too far off, or no key made the signature.
    """
    message_id, stamp = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not 0 < len(message_id) <= _MAX_ID or not message_id.isascii() or not message_id.isprintable():
        raise NotSigned("webhook-id is missing")
    if not stamp.isascii() or not stamp.isdecimal() or len(stamp) > 11:
        raise NotSigned("webhook-timestamp is no number of seconds")
    if abs(datetime.fromtimestamp(int(stamp), UTC) - now) > TOLERANCE:
        raise NotSigned(f"webhook-timestamp is more than {TOLERANCE // timedelta(minutes=1)} minutes away from now")
    content = f"{message_id}.{stamp}.".encode() + body
    given = [part[3:].encode() for part in headers.get("webhook-signature", "").split() if part.startswith("v1,")]
    made = [base64.b64encode(hmac.digest(key, content, hashlib.sha256)) for key in keys]
    matches = [hmac.compare_digest(one, other) for one in made for other in given]
    if not any(matches):
        raise NotSigned("webhook-signature was not made with a key that is known here")
    return message_id
