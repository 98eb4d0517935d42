"""Amounts that running text mentions: what firms earn, what a prize brings, what something else costs.

News, talk and descriptions are full of them, near a heading and with nothing else around. None of it is a rule against
a price: a page that declares one, or has a control that buys, is judged as if this module were not there.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from monitor.domain.extraction import Role
from monitor.extract.names import votes_together
from monitor.extract.standing import MENTIONED, Seen
from monitor.extract.vocabulary import Vocabulary
from monitor.extract.words import PRICE_LABEL

#: Directly behind a number it counts thousands or more.
SCALE_AFTER = Vocabulary(
    r"millions?|millionen?|millones|mill[oó]n|milhões|milhão|milion[ie]|milionów|miliony?|miljoen|miljon(?:er|ia)?|mio|mln",
    r"mrd|mld|bn|billions?|billones|billionen|trillions?|milliarden?|milliards?|miliard\w*|miljard\w*|millió|milliárd",
    r"миллион\w*|миллиард\w*|млн|млрд|crores?|lakhs?|lacs?",
    r"億|亿|万|萬|억|만",
    head=r"^[-\s]?",
    tail=r"(?![a-zäöüа-я])",
    whole=False,
)
_LETTER_AFTER = re.compile(r"[MmBb](?![^\W_])")  #: directly behind a number, as in `$95M`
WORDS, ON_EACH_SIDE = 12, 3  #: of a sentence around an amount that it only mentions, together and at least
LOOKED_AT = 240  #: characters on each side

_WORD = re.compile(r"[^\W\d_]{2,}")


def is_scaled(after: str, then: str) -> bool:
    """Say whether an amount is counted in thousands or more.

    Args:
        after: what stands behind it, as written.
        then: the words of it that stand on its line, in lower case.
    """
    return _LETTER_AFTER.match(after) is not None or SCALE_AFTER.found(then) is not None


def without_mentions(judged: Sequence[Seen], text: str) -> list[Seen]:
    """Mark amounts of a page without a control that buys that a sentence only mentions.

    Args:
        judged: the amounts, in document order.
        text: visible, with a newline where a block begins.
    """
    return [replace(s, role=Role.OTHER, reason=MENTIONED) if _is_mentioned(s, text) else s for s in judged]


def _is_mentioned(s: Seen, text: str) -> bool:
    """Say whether words of its own paragraph stand before an amount and behind it, none of which calls it a price."""
    if s.role is not Role.CURRENT or "price" in votes_together(s.place.names[:2]) or PRICE_LABEL.found(s.label[-40:]):
        return False
    start, end = s.amount.start, s.amount.end
    before = text[max(0, start - LOOKED_AT) : start].rsplit("\n", 1)[-1]
    behind = text[end : end + LOOKED_AT].split("\n", 1)[0]
    said = len(_WORD.findall(before)), len(_WORD.findall(behind))
    return min(said) >= ON_EACH_SIDE and sum(said) >= WORDS
