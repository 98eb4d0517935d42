"""GTINs compared as what they identify: the same item, a case of it, or another one.

Written with 8, 12, 13 or 14 digits, a GTIN is the same number padded to 14. Its first digit, the indicator, is 0 for
the item itself; 1 to 8 is a case of it, which is sold for another price and is never equal; 9 is of variable weight.
Numbers that a shop gives out itself (prefixes 02, 04, 20 to 29) or that are coupons identify nothing elsewhere.

Source: GS1 General Specifications, sections 1.4 and 7.9.
"""

import re
from dataclasses import dataclass
from enum import StrEnum

from stdnum import ean

_DAMAGED = re.compile(r"\d(?:[.,]\d+)?[eE]\+?\d+")


class Relation(StrEnum):
    """How two GTINs stand to each other."""

    SAME = "same"  #: the same item
    PACK = "pack"  #: one is a case of the other
    OTHER = "other"  #: different items


@dataclass(frozen=True, slots=True)
class Gtin:
    """A valid number that identifies one trade item everywhere."""

    digits: str  #: always 14

    @property
    def indicator(self) -> int:
        """0 for the item, 1 to 8 for a case of it, 9 for variable weight."""
        return int(self.digits[0])

    @property
    def item(self) -> str:
        """The 12 digits that an item and the cases of it share: neither indicator nor check digit."""
        return self.digits[1:13]


class NoGtin(ValueError):
    """A text is not a GTIN that identifies an item everywhere."""


def read_gtin(text: str) -> Gtin:
    """Return the GTIN in a cell or on a page, repaired where a spreadsheet dropped leading zeros.

    Raises:
        NoGtin: with the reason.
    """
    cleaned = re.sub(r"[\s\-\u2010-\u2015.']", "", re.sub(r"\.0+$", "", text.strip()))
    if _DAMAGED.fullmatch(text.strip()):
        raise NoGtin(f"{text!r} was rounded by a spreadsheet and its digits are lost")
    if not (cleaned.isascii() and cleaned.isdigit()) or not 6 <= len(cleaned) <= 14:
        raise NoGtin(f"{text!r} is not 8, 12, 13 or 14 digits")
    digits = _valid(cleaned)
    if digits is None:
        raise NoGtin(f"{text!r} has a wrong check digit")
    if reason := _local(digits):
        raise NoGtin(f"{text!r} {reason}")
    return Gtin(digits)


def gtin_or_none(text: str | None) -> Gtin | None:
    """Return the GTIN of a text, None when there is none."""
    try:
        return read_gtin(text) if text else None
    except NoGtin:
        return None


def relation(one: Gtin, other: Gtin) -> Relation:
    """Say how two GTINs stand to each other."""
    if one.digits == other.digits:
        return Relation.SAME
    is_case = one.indicator != other.indicator and 9 not in (one.indicator, other.indicator)
    return Relation.PACK if is_case and one.item == other.item else Relation.OTHER


def expanded_upc_e(digits: str) -> str | None:
    """Return the UPC-A that a UPC-E of 8 digits stands for, None when it is none.

    >>> expanded_upc_e("01234565")
    '012345000065'
    """
    if len(digits) != 8 or digits[0] not in "01":
        return None
    system, body, check = digits[0], digits[1:7], digits[7]
    last = body[5]
    if last in "012":
        middle = f"{body[:2]}{last}0000{body[2:5]}"
    elif last == "3":
        middle = f"{body[:3]}00000{body[3:5]}"
    elif last == "4":
        middle = f"{body[:4]}00000{body[4]}"
    else:
        middle = f"{body[:5]}0000{last}"
    upc = f"{system}{middle}{check}"
    return upc if ean.is_valid(upc) else None


def _valid(digits: str) -> str | None:
    """Return the 14 digits when the check digit is right, also after restoring dropped zeros."""
    for width in (8, 12, 13, 14):
        if len(digits) <= width and ean.is_valid(padded := digits.zfill(width)):
            return padded.zfill(14)
        if width == 8 and len(digits) == 8 and (upc := expanded_upc_e(digits)):
            return upc.zfill(14)
    return None


def _local(digits: str) -> str | None:
    """Return why a valid number identifies nothing outside one shop, None when it does."""
    if not digits.strip("0"):
        return "is all zeros"
    if digits.startswith("000000"):  # a GTIN-8, whose prefixes are others
        return "is given out by one shop for itself" if digits[6] in "02" else None
    prefix = digits[1:4]
    if prefix[:2] in ("02", "04") or prefix[0] == "2":
        return "is given out by one shop for itself"
    return "is a coupon" if prefix[:2] in ("05", "99") or prefix in ("981", "982", "983", "984") else None
