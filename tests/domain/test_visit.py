"""Which request comes next in a visit, folded from what the steps so far gave."""

from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from monitor.domain.catalogue import Competitor, RobotsPolicy, Watch
from monitor.domain.extraction import Outcome
from monitor.domain.knowledge import Comparison, Known
from monitor.domain.move import Ask, Stop
from monitor.domain.run import Step, StepState
from monitor.domain.turn import in_turn
from monitor.domain.visit import CATALOGUE, MAX_RETRIES, PAGE, ROBOTS, Visit
from monitor.extract.platforms import ADAPTERS

NOW = datetime(2026, 11, 29, 1, 0, tzinfo=UTC)
#: What a page gives that could not be read and may be read later.
FAILED = {"outcome": "failed", "reason": "server_error", "words": "HTTP 500", "retry": True, "read": []}
SHOPIFY = {"platform": {"name": "shopify", "evidence": ["Shopify.shop"], "page": "p"}, "currency": "EUR"}
#: An earlier night found that the list has the prices of the pages.
COMPARED = Known(comparison=Comparison("shopify", "A", "9.90 EUR", "9.90 EUR", True, "the same", date(2026, 11, 20)))


def a_competitor(**changes: Any) -> Competitor:
    settings = {"id": "acme", "name": "Acme", "base_url": "https://acme.example", "robots": RobotsPolicy.IGNORE}
    return Competitor(**(settings | changes))


def watches(*skus: str) -> tuple[Watch, ...]:
    return tuple(Watch("acme", sku, f"https://acme.example/products/{sku}") for sku in skus)


def a_step(seq: int, ask: Ask, result: dict[str, Any] | None, error: str | None = None) -> Step:
    state = StepState.DONE if error is None else StepState.ERROR
    args = {"url": ask.url, "skus": [watch.sku for watch in ask.watches], "page": ask.page}
    args |= {} if ask.catalogue is None else {"about": ask.catalogue.about}
    cost = 0 if ask.tool == ROBOTS else 1
    return Step(seq, ask.tool, args, state, 1, cost, NOW, NOW, result, error)


def visited(
    answer: Callable[[Ask, int], dict[str, Any] | str],
    wanted: Sequence[Watch],
    competitor: Competitor | None = None,
    limit: int = 60,
    known: Known = COMPARED,
) -> tuple[list[Ask], Stop, list[Step]]:
    """Visit to the end; `answer` gives the result of the n-th call, or the words of an error."""
    steps: list[Step] = []
    asked: list[Ask] = []
    while len(asked) < limit:
        move = Visit(competitor or a_competitor(), wanted, steps, ADAPTERS, known).next()
        if isinstance(move, Stop):
            return asked, move, steps
        asked.append(move)
        said = answer(move, len(asked))
        steps.append(a_step(len(asked), move, *((None, said) if isinstance(said, str) else (said, None))))
    raise AssertionError("the visit never ends")


def reading(ask: Ask, _n: int) -> dict[str, Any]:
    """A shop where every page can be read."""
    return {"read": [watch.sku for watch in ask.watches]}


def asked_for(asked: Sequence[Ask]) -> list[str]:
    return [ask.url.rsplit("/", 1)[-1] for ask in asked]


def test_robots_txt_is_read_first_and_then_one_page_for_each_watch() -> None:
    asked, stop, _ = visited(reading, watches("A", "B"), a_competitor(robots=RobotsPolicy.OBEY))

    assert [ask.tool for ask in asked] == [ROBOTS, PAGE, PAGE]
    assert asked_for(asked) == ["robots.txt", "A", "B"]
    assert stop == Stop()


def test_nothing_is_asked_of_a_shop_without_watches() -> None:
    assert visited(reading, (), a_competitor(robots=RobotsPolicy.OBEY)) == ([], Stop(), [])


def test_one_call_answers_every_watch_of_one_address() -> None:
    small, other, large = watches("S", "B", "L")
    large = Watch("acme", "L", small.url, variant="large")

    asked, _, _ = visited(reading, (small, other, large))

    assert [[watch.sku for watch in ask.watches] for ask in asked] == [["S", "L"], ["B"]]


def test_a_failed_page_is_asked_once_more_after_all_others() -> None:
    def answer(ask: Ask, n: int) -> dict[str, Any]:
        return dict(FAILED) if n == 1 else reading(ask, n)

    asked, stop, _ = visited(answer, watches("A", "B", "C"))

    assert asked_for(asked) == ["A", "B", "C", "A"]
    assert stop == Stop()


def test_a_shop_where_everything_fails_costs_one_call_a_page_and_two_more() -> None:
    asked, stop, _ = visited(lambda _ask, _n: dict(FAILED), watches("A", "B", "C", "D"))

    assert asked_for(asked) == ["A", "B", "C", "D", "A", "B"]
    assert MAX_RETRIES == 2
    assert stop == Stop()  # each page's own step has said why; nothing is put over it


def test_a_page_that_will_not_get_better_is_asked_once() -> None:
    asked, _, _ = visited(lambda ask, n: reading(ask, n) | {"reason": "http_404"}, watches("A"))

    assert asked_for(asked) == ["A"]


def test_a_poison_page_costs_its_own_watch_and_its_error_is_told() -> None:
    def answer(ask: Ask, n: int) -> dict[str, Any] | str:
        return "the process died 3 times during this step" if n == 1 else reading(ask, n)

    asked, stop, _ = visited(answer, watches("A", "B"))

    assert asked_for(asked) == ["A", "B"]
    assert [(one.watch.sku, one.outcome, one.reason) for one in stop.unread] == [("A", Outcome.FAILED, "step_failed")]
    assert "died 3 times" in stop.unread[0].words


def test_only_the_last_line_of_a_defect_is_shown_to_people() -> None:
    trace = 'Traceback (most recent call last):\n  File "/srv/monitor/x.py"\nZeroDivisionError: division by zero\n'

    _, stop, _ = visited(lambda _ask, _n: trace, watches("A"))

    assert stop.unread[0].words == "its page could not be read: ZeroDivisionError: division by zero"


@pytest.mark.parametrize("wall_at", [1, 2])
def test_a_wall_ends_the_visit_and_names_the_rest(wall_at: int) -> None:
    def answer(ask: Ask, n: int) -> dict[str, Any]:
        wall = {"stop": "blocked", "words": "Cloudflare challenge; nothing more"} if n == wall_at else {}
        return reading(ask, n) | wall

    asked, stop, _ = visited(answer, watches("A", "B", "C"))

    assert len(asked) == wall_at
    assert {(one.outcome, one.reason, one.words) for one in stop.unread} == {
        (Outcome.BLOCKED, "visit_ended", "Cloudflare challenge; nothing more")
    }
    assert [one.watch.sku for one in stop.unread] == ["A", "B", "C"][wall_at:]


def test_a_page_that_failed_before_the_wall_keeps_its_own_reason() -> None:
    def answer(ask: Ask, n: int) -> dict[str, Any]:
        return dict(FAILED) if n == 1 else reading(ask, n) | {"stop": "blocked", "words": "wall"}

    _, stop, _ = visited(answer, watches("A", "B", "C"))

    assert [one.watch.sku for one in stop.unread] == ["C"]


def test_watches_closed_by_robots_txt_are_not_asked_for() -> None:
    def answer(ask: Ask, n: int) -> dict[str, Any]:
        return {"read": ["A"], "closed": []} if ask.tool == ROBOTS else reading(ask, n)

    asked, _, _ = visited(answer, watches("A", "B"), a_competitor(robots=RobotsPolicy.OBEY))

    assert asked_for(asked) == ["robots.txt", "B"]


def test_nothing_is_asked_when_robots_txt_could_not_be_judged() -> None:
    obeying = a_competitor(robots=RobotsPolicy.OBEY)

    asked, stop, _ = visited(lambda _ask, _n: "it broke", watches("A", "B"), obeying)

    assert asked_for(asked) == ["robots.txt"]
    assert [one.outcome for one in stop.unread] == [Outcome.ROBOTS, Outcome.ROBOTS]


def test_a_shopify_list_is_asked_for_after_the_first_page_that_shows_a_currency() -> None:
    def answer(ask: Ask, n: int) -> dict[str, Any]:
        if ask.tool == CATALOGUE:
            return {"more": True, "read": ["B", "C"]}
        return reading(ask, n) | (SHOPIFY if n == 2 else {"platform": SHOPIFY["platform"]})

    asked, stop, _ = visited(answer, watches("A", "D", "B", "C"))

    assert [ask.tool for ask in asked] == [PAGE, PAGE, CATALOGUE]
    assert asked[2].url == "https://acme.example/products.json?limit=250&page=1"
    assert stop == Stop()


def test_the_operators_currency_is_no_proof_of_what_the_list_shows() -> None:
    shop = a_competitor(platform="shopify", currency="EUR")

    asked, _, _ = visited(reading, watches("A", "B", "C"), shop)

    assert [ask.tool for ask in asked] == [PAGE, PAGE, PAGE]


def test_products_that_are_not_on_the_list_are_asked_for_by_their_handle_and_then_as_pages() -> None:
    def answer(ask: Ask, n: int) -> dict[str, Any]:
        if ask.tool == CATALOGUE:
            read = {"products.json": ["B", "C"] if ask.page == 1 else [], "d.js": ["D"]}
            return {"more": ask.page < 2, "read": next((skus for end, skus in read.items() if end in ask.url), [])}
        return reading(ask, n) | SHOPIFY

    asked, stop, _ = visited(answer, watches("A", "B", "C", "D", "E"))

    assert [ask.url.rpartition("example")[2] for ask in asked] == [
        "/products/A",
        "/products.json?limit=250&page=1",
        "/products.json?limit=250&page=2",
        "/products/d.js",
        "/products/e.js",
        "/products/E",
    ]
    assert stop == Stop()


@pytest.mark.parametrize(
    ("gave", "calls"),
    [({"failed": "off", "read": [], "words": "404"}, 1), ({"failed": "passing", "read": []}, 2), ("it broke", 2)],
)
def test_a_list_that_is_switched_off_is_asked_for_once_and_one_that_fails_twice(
    gave: dict[str, Any] | str, calls: int
) -> None:
    def answer(ask: Ask, n: int) -> dict[str, Any] | str:
        return gave if ask.tool == CATALOGUE else reading(ask, n) | SHOPIFY

    asked, stop, _ = visited(answer, watches("A", "B", "C"))

    assert [ask.tool for ask in asked] == [PAGE, *[CATALOGUE] * calls, PAGE, PAGE]
    assert stop == Stop()


def test_a_list_that_answers_nobody_does_not_eat_the_budget_of_the_pages() -> None:
    """5,000 products, five watched: single products are certain, another page of the list is a guess."""

    def answer(ask: Ask, n: int) -> dict[str, Any]:
        if ask.tool == CATALOGUE:
            return {"more": True, "read": [] if "products.json" in ask.url else [ask.watches[0].sku]}
        return reading(ask, n) | SHOPIFY

    asked, stop, _ = visited(answer, watches("A", "B", "C", "D", "E"))

    assert asked_for(asked) == ["A", "products.json?limit=250&page=1", "b.js", "c.js", "d.js", "e.js"]
    assert stop == Stop()


def test_a_list_is_read_on_when_single_pages_could_not_answer_all() -> None:
    skus = [f"S{number}" for number in range(40)]

    def answer(ask: Ask, n: int) -> dict[str, Any]:
        if ask.tool == CATALOGUE:
            return {"more": ask.page < 4, "read": [] if ask.page < 3 else skus[5:]}
        return reading(ask, n) | SHOPIFY

    asked, _, _ = visited(answer, watches(*skus))

    assert [ask.page for ask in asked if "products.json" in ask.url] == [1, 2, 3, 4]


def test_a_list_closed_by_robots_txt_is_left_alone() -> None:
    def answer(ask: Ask, n: int) -> dict[str, Any]:
        closed = ["shopify list", "shopify js"]
        return {"read": [], "closed": closed} if ask.tool == ROBOTS else reading(ask, n) | SHOPIFY

    asked, _, _ = visited(answer, watches("A", "B", "C"), a_competitor(robots=RobotsPolicy.OBEY))

    assert [ask.tool for ask in asked] == [ROBOTS, PAGE, PAGE, PAGE]


def test_one_watch_left_is_asked_for_as_a_page() -> None:
    asked, _, _ = visited(lambda ask, n: reading(ask, n) | SHOPIFY, watches("A", "B"))

    assert [ask.tool for ask in asked] == [PAGE, PAGE]


def test_what_the_budget_does_not_reach_is_named_but_not_what_was_tried() -> None:
    wanted = watches("A", "B", "C")
    first = Visit(a_competitor(), wanted, ()).next()
    assert isinstance(first, Ask)
    visit = Visit(a_competitor(), wanted, [a_step(1, first, dict(FAILED))])

    skipped = visit.skipped(1)

    assert [(one.watch.sku, one.outcome) for one in skipped] == [
        ("B", Outcome.SKIPPED_BUDGET),
        ("C", Outcome.SKIPPED_BUDGET),
    ]
    assert [watch.sku for watch in visit.left] == ["A", "B", "C"]
    assert "1 tool calls" in skipped[0].words


def test_never_tried_watches_come_first_and_then_the_longest_untried() -> None:
    tried = {"A": NOW, "C": NOW - timedelta(days=2), "E": NOW}

    assert [watch.sku for watch in in_turn(watches("A", "B", "C", "D", "E"), tried)] == ["B", "D", "C", "A", "E"]


def test_of_the_watches_of_one_night_the_most_valuable_come_first() -> None:
    tried = {"A": NOW, "B": NOW - timedelta(hours=1), "C": NOW - timedelta(days=1), "D": NOW + timedelta(minutes=9)}
    worth = {"A": Decimal(10), "B": Decimal(90), "D": Decimal(50), "F": Decimal(5)}

    turn = in_turn(watches("A", "B", "C", "D", "E", "F"), tried, worth)

    assert [watch.sku for watch in turn] == ["F", "E", "C", "B", "D", "A"]


def test_a_watch_that_always_fails_starves_no_other() -> None:
    """Twelve calls a night, thirty watches, five of them broken: in five nights every good one was read twice."""
    skus = [f"S{number:02}" for number in range(30)]
    tried: dict[str, datetime] = {}
    read = dict.fromkeys(skus, 0)
    for night in range(5):
        steps: list[Step] = []
        ordered = in_turn(watches(*skus), tried)
        while len(steps) < 12 and isinstance(ask := Visit(a_competitor(), ordered, steps).next(), Ask):
            sku = ask.watches[0].sku
            result = dict(FAILED) if sku < "S05" else reading(ask, 0)
            read[sku] += result["read"] == [sku]
            tried[sku] = NOW + timedelta(days=night, seconds=len(steps))
            steps.append(a_step(len(steps) + 1, ask, result))

    assert min(read[sku] for sku in skus[5:]) >= 1
    assert sum(read.values()) >= 5 * 12 - 5 * 2 - 2 * MAX_RETRIES


results: st.SearchStrategy[Any] = st.one_of(
    st.just("an error"),
    st.builds(
        dict,
        kind=st.sampled_from(["read", "none", "retry", "stop", "more"]),
        shopify=st.booleans(),
        closes=st.booleans(),
        count=st.integers(0, 3),
    ),
)


def _random_result(ask: Ask, drawn: Any) -> dict[str, Any] | str:
    if isinstance(drawn, str):
        return drawn
    given_to = [watch.sku for watch in ask.watches]
    result: dict[str, Any] = dict(SHOPIFY) if drawn["shopify"] else {}
    if ask.tool == CATALOGUE:
        failed = {"retry": {"failed": "passing"}, "stop": {"failed": "off"}}.get(drawn["kind"], {})
        told = given_to[drawn["count"] : drawn["count"] + 1] if drawn["kind"] == "none" else []
        return result | {"more": drawn["kind"] == "more", "read": given_to[: drawn["count"]], "told": told} | failed
    if ask.tool == ROBOTS:
        return {"read": ["B"] if drawn["count"] else [], "closed": ["shopify list"] if drawn["closes"] else []}
    if drawn["kind"] == "retry":
        return result | FAILED
    stop = {"stop": "blocked", "words": "wall"} if drawn["kind"] == "stop" else {}
    return result | {"read": given_to} | stop


@given(st.lists(results, min_size=40, max_size=40), st.booleans())
def test_a_replay_after_any_step_goes_on_with_the_same_call(drawn: list[Any], obeys: bool) -> None:
    """A resumed job folds the stored steps anew; it must ask for what the first life was about to ask for."""
    policy = RobotsPolicy.OBEY if obeys else RobotsPolicy.IGNORE
    shop, wanted = a_competitor(robots=policy, tool_calls=6), watches("A", "B", "C", "D", "E", "F", "G", "H")

    asked, stop, steps = visited(lambda ask, n: _random_result(ask, drawn[n - 1]), wanted, shop, limit=40)

    for done in range(len(steps)):
        assert Visit(shop, wanted, steps[:done], ADAPTERS, COMPARED).next() == asked[done]
    assert Visit(shop, wanted, steps, ADAPTERS, COMPARED).next() == stop
    told = {sku for step in steps for sku in (step.result or {}).get("read", ())}
    told |= {sku for step in steps for sku in (step.result or {}).get("told", ())}
    told |= {sku for step in steps if step.tool == PAGE and step.result for sku in step.args["skus"]}
    assert told | {one.watch.sku for one in stop.unread} == {watch.sku for watch in wanted}  # nobody goes unnamed
    pages = [ask.url for ask in asked if ask.tool == PAGE]
    assert len(pages) - len(set(pages)) <= MAX_RETRIES
    assert max((pages.count(url) for url in pages), default=0) <= 2
