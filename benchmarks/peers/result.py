"""What every measured step returns: a reading as a night keeps it, about 2 kB as JSON, hardly compressible."""

import hashlib
from typing import Any

#: Hex digits in one result; with the rest about 2,000 bytes.
_DIGITS = 1_800


def a_result(job: int | str, step: int) -> dict[str, Any]:
    """Return the result of one step, different for each."""
    digits = ""
    while len(digits) < _DIGITS:
        digits += hashlib.sha256(f"{job}/{step}/{len(digits)}".encode()).hexdigest()
    return {
        "url": f"https://shop-{job}.example/products/trail-jacket-{step}",
        "outcome": "ok",
        "price": f"{119 + step}.90",
        "currency": "EUR",
        "evidence": [{"source": "json-ld", "text": digits[:_DIGITS]}],
    }
