"""The keys of signed outgoing calls as Standard Webhooks 1.0.0 describes them.

Source: standard-webhooks/standard-webhooks, `spec/standard-webhooks.md`.
"""

import base64
import binascii
from collections.abc import Sequence

from monitor.domain.standard_webhook import signed
from monitor.errors import Misconfigured

__all__ = ["keys_of", "signed"]

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
