"""Passwords as argon2id hashes; the only module that knows argon2.

Parameters are those that OWASP's password storage cheat sheet asks for at least (19 MiB, two passes, one lane). A hash
takes some 20 ms and its memory; at most a few are made at once, so that a flood of tries cannot exhaust this process.
"""

import secrets
import threading
from functools import cached_property

from argon2 import PasswordHasher
from argon2.exceptions import Argon2Error, InvalidHashError

_AT_ONCE = 2


class Argon2Passwords:
    """`monitor.ports.access.Passwords` on argon2id."""

    def __init__(self, *, memory_kib: int = 19_456, passes: int = 2) -> None:
        self._hasher = PasswordHasher(time_cost=passes, memory_cost=memory_kib, parallelism=1)
        self._room = threading.BoundedSemaphore(_AT_ONCE)

    def hashed(self, password: str) -> str:
        """Return the encoded hash with its parameters and salt."""
        with self._room:
            return self._hasher.hash(password)

    def is_right(self, stored: str | None, password: str) -> bool:
        """Compare in constant time; a name that nobody has takes as long as a wrong password."""
        try:
            with self._room:
                return self._hasher.verify(stored or self._nobody, password) and stored is not None
        except (Argon2Error, InvalidHashError):
            return False

    def is_outdated(self, stored: str) -> bool:
        """Say whether it was made with other parameters."""
        return self._hasher.check_needs_rehash(stored)

    @cached_property
    def _nobody(self) -> str:
        return self._hasher.hash(secrets.token_urlsafe(24))
