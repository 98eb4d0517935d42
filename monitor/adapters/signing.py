"""Signs review links with itsdangerous and derives their codes from the same secret keys.

A token carries the link's id and purpose and nothing else; expiry, recipient and revocation are in the
database, so clocks of several hosts need not agree. A token has several spellings that verify (the last
base64 character has unused bits), hence nothing may be keyed by its text: `read` gives the id.

Keys are listed oldest first: the last one signs, every one verifies, so a key is changed by adding
a new one and removed when the last link signed with it has expired.
"""

import hashlib
import hmac
from collections.abc import Sequence

from itsdangerous import BadData, URLSafeTimedSerializer

from monitor.errors import Misconfigured

#: Shortest secret that is accepted, in characters.
MIN_KEY_LENGTH = 32

#: Longest token that is looked at; ours have about 110 characters.
_MAX_TOKEN = 400


class LinkSigner:
    """`monitor.ports.review.Signer` on itsdangerous and HMAC-SHA-256."""

    def __init__(self, keys: Sequence[str]) -> None:
        """Take the secret keys, the newest last.

        Raises:
            Misconfigured: no key, or one shorter than `MIN_KEY_LENGTH`.
        """
        if not keys or any(len(key) < MIN_KEY_LENGTH for key in keys):
            raise Misconfigured(
                [
                    f"MONITOR_SECRET_KEYS: every key needs at least {MIN_KEY_LENGTH} characters and one key is needed; "
                    "`monitor init` writes one. Several are separated by commas, the newest last."
                ]
            )
        self._keys = tuple(keys)

    def sign(self, link_id: str, purpose: str) -> str:
        """Return the token that stands in a link."""
        token = self._serializer(purpose).dumps({"j": link_id, "p": purpose})
        return token if isinstance(token, str) else token.decode()

    def read(self, token: str, purpose: str) -> str | None:
        """Return the link's id, or None for anything that was not signed here for this purpose."""
        if len(token) > _MAX_TOKEN or not token.isascii():
            return None
        try:
            payload = self._serializer(purpose).loads(token)
        except BadData:
            return None
        if not isinstance(payload, dict) or payload.get("p") != purpose:
            return None
        link_id = payload.get("j")
        return link_id if isinstance(link_id, str) else None

    def code(self, link_id: str, kept: str | None = None) -> str:
        """Return the link's six digits; with `kept`, those whose hash was stored, whichever key made them."""
        codes = [self._code(key, link_id) for key in reversed(self._keys)]
        if kept is None:
            return codes[0]
        return next((code for code in codes if self.is_code(link_id, kept, code)), codes[0])

    def code_hash(self, link_id: str, code: str) -> str:
        """Return the keyed hash under which a code is stored."""
        return self._code_hash(self._keys[-1], link_id, code)

    def is_code(self, link_id: str, kept: str, code: str) -> bool:
        """Say in constant time whether `code` is the one whose hash was kept."""
        matches = [hmac.compare_digest(self._code_hash(key, link_id, code), kept) for key in self._keys]
        return any(matches)

    def digest(self, nonce: str) -> str:
        """Return the hash under which a form's nonce is stored."""
        return hashlib.sha256(nonce.encode()).hexdigest()

    def seal(self, purpose: str, text: str) -> str:
        """Return a keyed hash that shows that this text was given out here for this purpose."""
        return _mac(self._keys[-1], "seal", purpose, text).hex()

    def is_seal(self, purpose: str, text: str, given: str) -> bool:
        """Say in constant time whether `given` is such a hash, whichever key made it."""
        made = [_mac(key, "seal", purpose, text).hex() for key in self._keys]
        matches = [hmac.compare_digest(one.encode(), given.encode()) for one in made]
        return any(matches)

    def _serializer(self, purpose: str) -> URLSafeTimedSerializer:
        return URLSafeTimedSerializer(
            list(self._keys),
            salt=f"price-monitor/{purpose}/v1",
            signer_kwargs={"digest_method": hashlib.sha256, "key_derivation": "hmac"},  # defaults: SHA-1, concatenation
        )

    @staticmethod
    def _code(key: str, link_id: str) -> str:
        number = int.from_bytes(_mac(key, "code", link_id)[:8], "big") % 1_000_000
        return f"{number:06d}"

    @staticmethod
    def _code_hash(key: str, link_id: str, code: str) -> str:
        return _mac(key, "code hash", link_id, code).hex()


def _mac(key: str, *parts: str) -> bytes:
    return hmac.new(key.encode(), "\0".join(parts).encode(), hashlib.sha256).digest()
