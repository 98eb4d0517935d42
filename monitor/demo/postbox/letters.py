"""Kept mails: one `.eml` file each, in the order in which they came."""

import email
import threading
from dataclasses import dataclass
from email.message import EmailMessage
from email.policy import default
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Letter:
    """One mail as it came in."""

    number: int  #: from 1
    path: Path
    message: EmailMessage

    @property
    def subject(self) -> str:
        """The subject as a reader sees it."""
        return str(self.message["Subject"] or "(no subject)")

    @property
    def text(self) -> str:
        """The text part, empty when there is none."""
        return self._part("plain")

    @property
    def html(self) -> str:
        """The HTML part, empty when there is none."""
        return self._part("html")

    def _part(self, kind: str) -> str:
        part = self.message.get_body((kind,))
        return "" if part is None else str(part.get_content())

    def inline(self, content_id: str) -> tuple[str, bytes] | None:
        """Return type and bytes of the picture with this Content-ID, or None."""
        for part in self.message.walk():
            if part.get("Content-ID", "").strip("<> ") == content_id and part.get_content_maintype() == "image":
                return part.get_content_type(), bytes(part.get_payload(decode=True) or b"")
        return None


class Letters:
    """The mails in a directory; threads may add and read at the same time."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self._lock = threading.Lock()
        self._kept: list[Letter] = []

    def keep(self, body: bytes) -> Letter:
        """Keep a mail."""
        with self._lock:
            number = len(self._kept) + 1
            path = self.directory / f"{number:02}.eml"
            self.directory.mkdir(parents=True, exist_ok=True)
            path.write_bytes(body)
            letter = Letter(number, path, email.message_from_bytes(body, policy=default))
            self._kept.append(letter)
            return letter

    def all(self) -> tuple[Letter, ...]:
        """Return the mails, oldest first."""
        with self._lock:
            return tuple(self._kept)

    def find(self, number: int) -> Letter | None:
        """Return one mail."""
        return next((letter for letter in self.all() if letter.number == number), None)
