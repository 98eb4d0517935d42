"""A night on which a third of the market drips: real sockets, real threads, the real loop."""

import itertools
import json
import re
from collections.abc import Iterator
from contextlib import ExitStack
from datetime import timedelta
from decimal import Decimal
from pathlib import Path

import pytest

from monitor.domain.run import RunState
from monitor.settings.create import create
from monitor.wiring import open_app, run_night
from tests.rawshop import RawShop, answer
from tests.visits import product_page

DEADLINE_S = 3
#: Two more than there are dripping shops, so that the healthy ones have to share what these leave.
THREADS = 12


@pytest.fixture
def shops() -> Iterator[list[RawShop]]:
    """Ten shops that send a byte now and then for ever, then twenty that answer."""
    with ExitStack() as street:
        opened = [street.enter_context(RawShop()) for _ in range(30)]
        for shop in opened[:10]:
            shop.routes["/p/rope"] = shop.drip(itertools.chain(_letters(), itertools.repeat(b".")), every_s=0.1)
        for shop in opened[10:]:
            shop.routes["/p/rope"] = answer(product_page("149.00"))
        yield opened


def _letters() -> Iterator[bytes]:
    return (bytes([one]) for one in b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<!doctype html>")


@pytest.mark.slow
def test_ten_dripping_shops_do_not_delay_twenty_healthy_ones(shops: list[RawShop], tmp_path: Path) -> None:
    sites = [
        {
            "site": f"{'drip' if number < 10 else 'well'}-{number}",
            "base_url": f"http://{shop.authority}",
            "lang": "en",
            "currency": "EUR",
            "pages": [{"id": f"rope-{number}", "url": shop.url("/p/rope")}],
        }
        for number, shop in enumerate(shops)
    ]
    (tmp_path / "market.json").write_text(json.dumps(sites))
    create(tmp_path / "config", manifest=tmp_path / "market.json")
    settings = tmp_path / "config" / "monitor.toml"
    text = settings.read_text().replace("threads = 32", f"threads = {THREADS}")
    settings.write_text(re.sub(r"(?m)^page_deadline_s = .*$", f"page_deadline_s = {DEADLINE_S}", text))
    app = open_app(tmp_path / "config", environ={})
    try:
        run = run_night(app)
        with app.store.read() as unit:
            jobs = {job.key: job for job in unit.jobs.of_run(run.id)}
            seen = {one.competitor: one for one in unit.observations.of_run(run.id)}
            steps = {key: unit.jobs.steps(job.id) for key, job in jobs.items()}
    finally:
        app.close()

    dripping, healthy = ([key for key in seen if key.startswith(name)] for name in ("drip", "well"))
    assert (len(dripping), len(healthy), run.state) == (10, 20, RunState.REPORTED)
    assert {(seen[key].outcome.value, seen[key].price) for key in healthy} == {("ok", Decimal("149.00"))}
    assert {(seen[key].outcome.value, seen[key].reason, seen[key].price) for key in dripping} == {
        ("failed", "deadline", None)
    }
    assert all(f"after {DEADLINE_S} s" in seen[key].words for key in dripping)
    last = max(steps[key][-1].ended_at or run.started_at for key in healthy)
    first = min(steps[key][-1].ended_at or run.started_at for key in dripping)
    assert last < first  # every healthy shop was read before the first dripping one was given up
    longest = max((steps[key][-1].ended_at or run.started_at) - steps[key][-1].started_at for key in dripping)
    assert longest < timedelta(seconds=DEADLINE_S + 2)
