"""A long JSON text read value by value, so that never all of it is there as text beside its bytes.

Of thirty thousand watches the bytes take 18 MB and the text as much again. For texts whose values are objects and
strings, which say themselves where they end; a number could be cut where a piece ends.
"""

import json
from codecs import getincrementaldecoder
from typing import Any

#: Bytes that are decoded together, and characters that are always there to look at, where there are more.
_PIECE, _AHEAD = 1 << 18, 2

_scan = json.JSONDecoder().raw_decode


class JsonText:
    """A JSON text that is read from its beginning; only the piece that is looked at is decoded."""

    def __init__(self, body: bytes) -> None:
        self._body, self._next = memoryview(body), 0
        self._decode = getincrementaldecoder("utf-8")().decode
        self._piece, self._at = "", 0

    @property
    def is_read(self) -> bool:
        """Nothing is left."""
        self.begins("")
        return self._at == len(self._piece)

    def begins(self, mark: str) -> bool:
        """Say whether this comes next."""
        while len(self._piece) - self._at < _AHEAD and self._more():
            pass
        return self._piece.startswith(mark, self._at)

    def skip(self, mark: str) -> None:
        """Go on behind this; ValueError when something else comes next."""
        if not self.begins(mark):
            raise ValueError(f"expected {mark!r}")
        self._at += len(mark)

    def value(self) -> Any:
        """Return the value that comes next, and go on behind it; ValueError when none does."""
        while True:
            try:
                value, self._at = _scan(self._piece, self._at)
            except ValueError:  # cut off, or damaged: with the rest of the text it is the one or the other
                if not self._more():
                    raise
            else:
                return value

    def _more(self) -> bool:
        """Decode another piece; False when there is none."""
        if self._next >= len(self._body):
            return False
        some = self._body[self._next : self._next + _PIECE]
        self._next += len(some)
        self._piece = self._piece[self._at :] + self._decode(some, self._next >= len(self._body))
        self._at = 0
        return True
