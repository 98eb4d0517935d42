"""Parts of a round: each has its turn, and what fails is told."""

import pytest

from monitor.durable import every_part
from monitor.errors import StoreUnavailable


class Parts:
    """Notes which had their turn."""

    def __init__(self) -> None:
        self.done: list[str] = []

    def well(self) -> None:
        self.done.append("well")

    def broken(self) -> None:
        self.done.append("broken")
        raise ValueError("a defect")

    def away(self) -> None:
        self.done.append("away")
        raise StoreUnavailable("the database is away")


def test_what_comes_after_a_defect_is_done_and_the_defect_told() -> None:
    parts = Parts()

    with pytest.raises(ValueError, match="a defect"):
        every_part(parts.broken, parts.well)

    assert parts.done == ["broken", "well"]


def test_several_defects_are_told_together() -> None:
    parts = Parts()

    with pytest.raises(ExceptionGroup, match="2 of 3 parts failed, done: 1, left: 0") as told:
        every_part(parts.broken, parts.well, parts.broken)

    assert [str(each) for each in told.value.exceptions] == ["a defect", "a defect"]


def test_a_database_that_is_away_is_asked_once_a_round() -> None:
    parts = Parts()

    with pytest.raises(StoreUnavailable):
        every_part(parts.well, parts.away, parts.well)

    assert parts.done == ["well", "away"]


def test_a_defect_is_told_though_the_database_goes_away_behind_it() -> None:
    parts = Parts()

    with pytest.raises(ExceptionGroup, match="2 of 3 parts failed, done: 0, left: 1") as told:
        every_part(parts.broken, parts.away, parts.well)

    assert [str(each) for each in told.value.exceptions] == ["a defect", "the database is away"]
    assert parts.done == ["broken", "away"]
