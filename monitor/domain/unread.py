"""Why watches were not read, in words: for the report, the status of a night and the page of a shop."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from monitor.domain.extraction import RECIPE_FAILED, Outcome
from monitor.domain.robots import UNREACHABLE

#: What came of a watch that counts as read.
READ = frozenset({Outcome.OK, Outcome.UNCHANGED})

UNREAD_WORDS = {
    Outcome.NO_PRICE: "no price on the page",
    Outcome.LISTING: "a list instead of a product",
    Outcome.AMBIGUOUS: "several prices, none certain",
    Outcome.BLOCKED: "blocked by the shop",
    Outcome.NOT_FOUND: "page is gone",
    Outcome.FAILED: "no page came back",
    Outcome.ROBOTS: "not allowed by robots.txt",
    Outcome.SKIPPED_BUDGET: "skipped for budget",
}
#: What a watch that counts as read is called where all of a night are counted.
READ_WORD = "read"
#: Of these a reader needs no more than the kind: the page says why, and `monitor explain` shows it.
_WORDED_ALIKE = frozenset({Outcome.NO_PRICE, Outcome.SKIPPED_BUDGET})
_WHY_LIMIT = 160
RECIPE_FAILS = "the recipe fails"
#: Reasons of which their outcome gives a wrong idea.
_OF_REASON = {
    UNREACHABLE: "robots.txt unreachable",  # a shop that did not answer for its robots.txt has closed nothing
    "robots_unreadable": "robots.txt not read",
    "refused_by_setting": "left out by refuse",
    "quiet_hours": "left for quiet hours",
    "request_cap": "skipped for request_cap",
    "cut_off": "skipped for request_cap",
    "not_reached": "not reached",
    "currency_changed": "another currency than so far",
    "currency_unknown": "no currency named",
    "maintenance": "closed for maintenance",
    "unavailable": "maintenance or overload",
    "password_page": "closed to visitors",
    "tls": "bad certificate",
}


@dataclass(frozen=True, slots=True)
class Result:
    """How often one thing came of a shop's watches in one night."""

    outcome: Outcome
    reason: str
    count: int
    words: str  #: of one of them


def kind_words(outcome: Outcome, reason: str) -> str:
    """Return what came back in a word or two."""
    if outcome in READ:
        return READ_WORD
    if reason in RECIPE_FAILED:
        return RECIPE_FAILS
    return _OF_REASON.get(reason) or UNREAD_WORDS[outcome]


def why_unread(outcome: Outcome, reason: str, words: str) -> str:
    """Return why one watch was not read; what its reason calls otherwise than its outcome is told as itself."""
    kind = kind_words(outcome, reason)
    is_enough = outcome in _WORDED_ALIKE and kind == UNREAD_WORDS[outcome]
    return kind if is_enough else words.rstrip(".") or kind


def in_full(outcome: Outcome, reason: str, words: str) -> str:
    """Return what came back with its words, which may begin with it already; what was read needs none."""
    kind = kind_words(outcome, reason)
    if outcome in READ or not words:
        return kind
    return words if words.startswith(kind) else f"{kind}: {words}"


def counted_kinds(results: Iterable[tuple[Outcome, str, int]]) -> dict[str, int]:
    """Count what came back in a word or two: what was read first, then the most frequent.

    Args:
        results: outcomes with their reasons, and how often each came.
    """
    counts: Counter[str] = Counter()
    for outcome, reason, count in results:
        counts[kind_words(outcome, reason)] += count
    return dict(sorted(counts.items(), key=lambda one: (one[0] != READ_WORD, -one[1], one[0])))


def commonest(unread: Iterable[Result]) -> Result | None:
    """Return what came back most often of what was not read.

    Of two that came as often a recipe that fails is told, since a person can mend it, and what was skipped is not:
    something else spent the budget.
    """
    return max(
        unread,
        key=lambda one: (
            one.count,
            one.reason in RECIPE_FAILED,
            one.outcome is not Outcome.SKIPPED_BUDGET,
            one.reason,
        ),
        default=None,
    )


@dataclass(frozen=True, slots=True)
class Rest:
    """What of a shop's watches was read in one night, and the commonest reason of what was not."""

    asked: int = 0
    read: int = 0
    why: str = ""  #: empty while everything that was asked was read

    @classmethod
    def of(cls, results: Iterable[Result]) -> "Rest":
        """Count what came of the watches of one shop."""
        found = tuple(results)
        asked, read = (sum(one.count for one in some) for some in (found, [r for r in found if r.outcome in READ]))
        most = commonest(one for one in found if one.outcome not in READ)
        why = "" if most is None else why_unread(most.outcome, most.reason, most.words)
        return cls(asked, read, why if len(why) <= _WHY_LIMIT else f"{why[: _WHY_LIMIT - 1]}…")

    @property
    def words(self) -> str:
        """How many were not read and why: `3 of 3 not read: the recipe's selector matches nothing`."""
        unread = self.asked - self.read
        return f"{unread} of {self.asked} not read: {self.why}" if unread else ""
