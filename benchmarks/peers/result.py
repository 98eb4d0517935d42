"""What every measured step returns: a reading as a night keeps it, about 2 kB as JSON, in words as shops write them."""

import hashlib
from typing import Any

_TEXT = (
    "jacket trail women green moss waterproof storm shell merino layer base litre pack hiking "
    "rain wind light warm price now only was saving in stock out of sold shipping free from "
    "delivery days size colour add to basket review rating material polyester nylon wool "
    "recycled hood pocket zip seam care wash brand model number new sale offer member code "
)
_WORDS = _TEXT.split()
#: Characters of text in one result; with the rest about 2,000 bytes.
_CHARACTERS = 1_780


def _pool() -> str:
    """Return a long text of words in no order; results are cut from it, so that making one costs nothing."""
    digests = (hashlib.sha256(str(number).encode()).digest() for number in range(1_500))
    return " ".join(_WORDS[byte % len(_WORDS)] for digest in digests for byte in digest)


_POOL = _pool()


def a_result(job: int | str, step: int) -> dict[str, Any]:
    """Return the result of one step, different for each."""
    at = (int(job) * 12 + step) * 977 % (len(_POOL) - _CHARACTERS)
    return {
        "url": f"https://shop-{job}.example/products/trail-jacket-{step}",
        "outcome": "ok",
        "price": f"{119 + step}.90",
        "currency": "EUR",
        "evidence": [{"source": "json-ld", "text": _POOL[at : at + _CHARACTERS], "verdict": "taken"}],
    }
