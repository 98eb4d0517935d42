"""A value that an object works out once."""

import threading

from monitor.domain.made_once import made_once


class _Counted:
    def __init__(self) -> None:
        self.made = 0

    @made_once
    def value(self) -> int:
        """How often it was made."""
        self.made += 1
        return self.made


def test_it_is_worked_out_when_it_is_first_asked_for_and_kept() -> None:
    one, other = _Counted(), _Counted()

    assert (one.made, one.value, one.value, one.made) == (0, 1, 1, 1)
    assert other.made == 0
    assert _Counted.value.__doc__ == "How often it was made."


def test_a_value_that_raises_is_worked_out_again() -> None:
    class Failing:
        is_ready = False

        @made_once
        def value(self) -> str:
            if not self.is_ready:
                raise LookupError
            return "there"

    one = Failing()
    try:
        assert one.value
    except LookupError:
        one.is_ready = True

    assert one.value == "there"


def test_no_object_waits_while_another_works_its_value_out() -> None:
    asked, go_on = threading.Event(), threading.Event()

    class Slow:
        def __init__(self, waits: bool) -> None:
            self.waits = waits

        @made_once
        def value(self) -> bool:
            asked.set()
            return not self.waits or go_on.wait(10)

    slow, quick, found = Slow(waits=True), Slow(waits=False), []
    busy = threading.Thread(target=lambda: found.append(slow.value))
    busy.start()
    assert asked.wait(10)

    other = threading.Thread(target=lambda: found.append(quick.value))
    other.start()
    other.join(10)
    came_first = list(found)
    go_on.set()
    busy.join(10)

    assert came_first == [True]
    assert found == [True, True]
