"""When the next request may start, and what a shop's "slow down" means."""

import contextlib
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from monitor.domain.pacing import (
    MAX_COOL_DOWN,
    UnreadableHeader,
    bucket_of,
    buckets_of,
    cool_down,
    delay_asked,
    next_start,
    space_between,
    with_jitter,
)

NOW = datetime(2026, 11, 29, 2, 0, tzinfo=UTC)
seconds = st.floats(0, 100_000, allow_nan=False).map(lambda s: timedelta(seconds=s))


def s(number: float) -> timedelta:
    return timedelta(seconds=number)


@pytest.mark.parametrize(
    ("url", "bucket"),
    [
        ("https://www.shop.co.uk/p/1", "shop.co.uk"),
        ("http://shop.co.uk:8080/p/1", "shop.co.uk"),
        ("https://de.alpkontor.example/p", "alpkontor.example"),
        ("https://one.myshopify.com/p", "one.myshopify.com"),
        ("https://two.myshopify.com/p", "two.myshopify.com"),
        ("https://SHOP.de./p", "shop.de"),
        ("https://straße.de/p", "xn--strae-oqa.de"),
        ("http://127.0.0.1:8001/p", "127.0.0.1:8001"),
        ("http://127.0.0.1:8002/p", "127.0.0.1:8002"),
        ("http://127.0.0.1/p", "127.0.0.1:80"),
        ("https://[2001:db8::1]/p", "[2001:db8::1]:443"),
        ("http://localhost:9000/p", "localhost:9000"),
        ("http://intranet/p", "intranet:80"),
        ("not a url", "not a url"),
    ],
)
def test_a_bucket_is_the_registrable_domain_or_the_exact_place(url: str, bucket: str) -> None:
    assert bucket_of(url) == bucket


def test_shopify_shops_share_one_more_bucket() -> None:
    assert buckets_of("https://one.myshopify.com/p", "shopify") == ("one.myshopify.com", "platform:shopify")
    assert buckets_of("https://shop.de/p", "woocommerce") == ("shop.de",)


@pytest.mark.parametrize(
    ("last", "cool", "start"),
    [
        (None, None, 0),  # nobody was there: now
        (-10, None, 0),  # long ago: now
        (-1, None, 2),  # one second ago, three seconds apart
        (0, None, 3),
        (4, None, 7),  # a slot reserved in the future: after it
        (-1, 60, 60),  # a cool-down outlasts the space
        (-1, 1, 2),  # and does not shorten it
        (None, -5, 0),  # a cool-down that is over
    ],
)
def test_the_next_request_starts_when_space_and_cool_down_are_over(
    last: float | None, cool: float | None, start: float
) -> None:
    found = next_start(
        NOW,
        last_start=None if last is None else NOW + s(last),
        space=s(3),
        cool_until=None if cool is None else NOW + s(cool),
    )

    assert found == NOW + s(start)


@given(space=seconds, delays=st.lists(seconds, min_size=1, max_size=8))
def test_slots_taken_one_after_the_other_never_overlap(space: timedelta, delays: list[timedelta]) -> None:
    now, last = NOW, None
    for delay in delays:
        now += delay
        start = next_start(now, last_start=last, space=space)
        assert start >= now
        assert last is None or start - last >= space
        last = start


def test_a_crawl_delay_widens_the_space_and_never_narrows_it() -> None:
    assert space_between(s(3), s(10)) == s(10)
    assert space_between(s(3), s(1)) == s(3)


@given(space=seconds, jitter=st.floats(0, 1), draw=st.floats(0, 1, exclude_max=True), floor=st.none() | seconds)
def test_jitter_stays_within_its_share_and_above_what_was_asked(
    space: timedelta, jitter: float, draw: float, floor: timedelta | None
) -> None:
    found = with_jitter(space, jitter, draw, at_least=floor)

    assert found >= (floor or timedelta(0))
    assert found <= max(space * (1 + jitter) + timedelta(microseconds=1), floor or timedelta(0))
    assert found >= space * (1 - jitter) - timedelta(microseconds=1)


def test_a_draw_of_one_half_changes_nothing() -> None:
    assert with_jitter(s(3), 0.2, 0.5) == s(3)
    assert (with_jitter(s(10), 0.2, 0.0), with_jitter(s(10), 0.2, 1.0)) == (s(8), s(12))


@pytest.mark.parametrize(
    ("header", "delay"),
    [
        ("120", 120),
        (" 0 ", 0),
        ("Sun, 29 Nov 2026 02:01:30 GMT", 90),
        ("Sunday, 29-Nov-26 02:01:30 GMT", 90),  # the obsolete forms of RFC 9110, section 5.6.7
        ("Sun Nov 29 02:01:30 2026", 90),
        ("Sun, 29 Nov 2026 01:00:00 GMT", 0),  # already past
        ("999999999999", 86_400),
        ("Thu, 31 Dec 2099 23:59:59 GMT", 86_400),
    ],
)
def test_a_retry_after_is_seconds_or_a_date(header: str, delay: int) -> None:
    assert delay_asked(header, now=NOW) == s(delay)


@pytest.mark.parametrize("header", ["", "soon", "-5", "1.5", "1e3", "12 s", "٣", "2026-11-29T02:01:30Z", "Sun, 99 Foo"])
def test_a_retry_after_that_is_neither_is_refused_by_name(header: str) -> None:
    with pytest.raises(UnreadableHeader, match="neither whole seconds nor an HTTP date") as caught:
        delay_asked(header, now=NOW)
    assert caught.value.text == header


@given(st.text(max_size=40))
def test_no_retry_after_breaks_the_reader(header: str) -> None:
    with contextlib.suppress(UnreadableHeader):
        assert timedelta(0) <= delay_asked(header, now=NOW) <= MAX_COOL_DOWN


@pytest.mark.parametrize(
    ("header", "is_second", "wait", "ends"),
    [
        ("30", False, 30, False),
        ("120", False, 120, False),  # two minutes are waited for
        ("121", False, 121, True),  # longer ends the visit tonight
        ("604800", False, 86_400, True),  # nobody keeps us away for more than a day
        (None, False, 60, False),  # no time given: a minute, once
        (None, True, 60, True),
        ("5", True, 5, True),  # asked twice: enough
        ("soon", False, 60, False),
    ],
)
def test_a_shop_that_asks_us_to_slow_down_is_waited_for_or_left_alone(
    header: str | None, is_second: bool, wait: int, ends: bool
) -> None:
    found = cool_down(header, now=NOW, is_second=is_second)

    assert (found.wait, found.ends_visit) == (s(wait), ends)
    assert ("nothing more" in found.words) is ends
