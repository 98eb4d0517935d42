"""What was not read of a shop, counted and told by its commonest reason."""

import pytest

from monitor.domain.extraction import Outcome
from monitor.domain.unread import Rest, Result, counted_kinds, in_full, kind_words, why_unread

READ = Result(Outcome.OK, "declared", 4, "declared by the page")


@pytest.mark.parametrize(
    ("results", "words"),
    [
        ([], ""),
        ([READ, Result(Outcome.UNCHANGED, "not_modified", 1, "")], ""),
        ([READ, Result(Outcome.NO_PRICE, "empty", 1, "long words of a page")], "1 of 5 not read: no price on the page"),
        ([Result(Outcome.NO_PRICE, "recipe_no_match", 3, "the recipe fails")], "3 of 3 not read: the recipe fails"),
        (
            [Result(Outcome.FAILED, "dns", 1, "no such name."), Result(Outcome.BLOCKED, "refused", 2, "refused (403)")],
            "3 of 3 not read: refused (403)",
        ),
        (
            [Result(Outcome.SKIPPED_BUDGET, "budget", 2, "spent"), Result(Outcome.FAILED, "a", 2, "nobody answers")],
            "4 of 4 not read: nobody answers",
        ),
        (
            [Result(Outcome.NO_PRICE, "empty", 1, ""), Result(Outcome.NO_PRICE, "recipe_wrong", 1, "it has no price")],
            "2 of 2 not read: it has no price",
        ),
    ],
)
def test_what_was_not_read_is_counted_and_told_by_its_commonest_reason(results: list[Result], words: str) -> None:
    """Of two that are as common a failing recipe is told: it is for a person to mend."""
    assert Rest.of(results).words == words


def test_a_recipe_that_fails_is_no_page_without_a_price() -> None:
    assert kind_words(Outcome.NO_PRICE, "recipe_no_match") == "the recipe fails"
    assert kind_words(Outcome.NO_PRICE, "no_clear_price") == "no price on the page"


@pytest.mark.parametrize(
    ("outcome", "reason", "words"),
    [
        (Outcome.AMBIGUOUS, "range", "several prices, none certain"),
        (Outcome.AMBIGUOUS, "currency_changed", "another currency than so far"),
        (Outcome.ROBOTS, "robots_unreachable", "robots.txt unreachable"),
        (Outcome.ROBOTS, "refused_by_setting", "left out by refuse"),
        (Outcome.SKIPPED_BUDGET, "quiet_hours", "left for quiet hours"),
        (Outcome.FAILED, "request_cap", "skipped for request_cap"),
        (Outcome.UNCHANGED, "not_modified", "read"),
        (Outcome.FAILED, "deadline", "no page came back"),
        (Outcome.FAILED, "maintenance", "closed for maintenance"),
        (Outcome.FAILED, "tls", "bad certificate"),
    ],
)
def test_what_came_back_is_called_by_its_reason_where_the_outcome_gives_a_wrong_idea(
    outcome: Outcome, reason: str, words: str
) -> None:
    assert kind_words(outcome, reason) == words


@pytest.mark.parametrize(
    ("reason", "told"), [("quiet_hours", "the quiet hours last until 8"), ("budget", "skipped for budget")]
)
def test_what_waits_for_the_end_of_quiet_hours_is_not_said_to_be_skipped_for_budget(reason: str, told: str) -> None:
    assert why_unread(Outcome.SKIPPED_BUDGET, reason, "the quiet hours last until 8.") == told


def test_a_night_is_summed_up_by_what_was_read_and_then_by_what_came_most_often() -> None:
    """A shop that is switched off has closed nothing: its readings were summed up as "robots"."""
    seen = [
        (Outcome.ROBOTS, "robots_unreachable", 3),
        (Outcome.OK, "declared", 1),
        (Outcome.UNCHANGED, "not_modified", 1),
        (Outcome.ROBOTS, "robots_rules", 1),
    ]

    counts = counted_kinds(seen)

    assert list(counts.items()) == [("read", 2), ("robots.txt unreachable", 3), ("not allowed by robots.txt", 1)]


@pytest.mark.parametrize(
    ("outcome", "reason", "words", "told"),
    [
        (Outcome.OK, "declared", "declared by the page", "read"),
        (Outcome.NO_PRICE, "empty", "", "no price on the page"),
        (Outcome.FAILED, "dns", "no such name", "no page came back: no such name"),
        (
            Outcome.ROBOTS,
            "robots_unreachable",
            "robots.txt unreachable (HTTP 503)",
            "robots.txt unreachable (HTTP 503)",
        ),
    ],
)
def test_what_came_back_is_not_said_twice(outcome: Outcome, reason: str, words: str, told: str) -> None:
    assert in_full(outcome, reason, words) == told
