"""What a person can do about a watch that was not read."""

import pytest

from monitor.domain.extraction import Outcome
from monitor.domain.helping import what_helps


@pytest.mark.parametrize(
    ("outcome", "reason", "words"),
    [
        (Outcome.BLOCKED, "cloudflare", "ask the shop for a feed"),
        (Outcome.BLOCKED, "refused", "ask the shop for a feed"),
        (Outcome.BLOCKED, "rate_limited", "delay_s"),
        (Outcome.ROBOTS, "robots_rules", "ask the shop whether it may be read"),
        (Outcome.ROBOTS, "robots_unreachable", "asked again in the next night"),
        (Outcome.NOT_FOUND, "redirected", "enter its new address in watches.csv"),
        (Outcome.LISTING, "listing", "enter its new address in watches.csv"),
        (Outcome.FAILED, "tls", "only the shop"),
        (Outcome.FAILED, "redirected_away", "extra_hosts"),
        (Outcome.SKIPPED_BUDGET, "budget", "raise tool_calls"),
        (Outcome.AMBIGUOUS, "range", "name the variant"),
    ],
)
def test_a_watch_that_was_not_read_says_what_helps(outcome: Outcome, reason: str, words: str) -> None:
    assert words in what_helps(outcome, reason)


def test_nothing_is_advised_where_a_price_was_read_or_the_words_say_it_themselves() -> None:
    assert [what_helps(Outcome.OK, "catalogue"), what_helps(Outcome.AMBIGUOUS, "currency_changed")] == ["", ""]
