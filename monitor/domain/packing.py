"""Values put away in little room: what a night needs once is not held all night in full.

Thirty thousand watches with their products take 25 MB as objects and 1 MB packed. Packed are values of this process
only, never what came from a database or from anybody else: whoever unpacks bytes runs what they say.
"""

import pickle
from gzip import GzipFile
from io import BytesIO
from typing import Generic, TypeVar

T = TypeVar("T")


class Packed(Generic[T]):
    """One value of this process."""

    __slots__ = ("_body",)

    def __init__(self, value: T) -> None:
        body = BytesIO()
        with GzipFile(fileobj=body, mode="wb", compresslevel=1) as into:  # never all of it unpacked beside the value
            pickle.dump(value, into, pickle.HIGHEST_PROTOCOL)
        self._body = body.getvalue()

    def value(self) -> T:
        """Return an equal value, to the last digit of its amounts; another object each time."""
        with GzipFile(fileobj=BytesIO(self._body)) as body:
            value: T = pickle.load(body)  # noqa: S301 - made by this object, in this process
        return value


class Shelf(Generic[T]):
    """A value that is held in full from when it is asked for until it is put away."""

    __slots__ = ("_held", "_packed")

    def __init__(self, value: T) -> None:
        self._held: T | None = value
        self._packed: Packed[T] | None = None

    def value(self) -> T:
        """Return the value; whoever keeps it holds it, whatever is put away."""
        held = self._held
        if held is None:
            assert self._packed is not None  # noqa: S101 - packed before it was let go
            held = self._held = self._packed.value()
        return held

    def put_away(self) -> None:
        """Hold the value packed until it is asked for again. Threads may ask and put away at once."""
        if self._packed is None:
            self._packed = Packed(self.value())
        self._held = None
