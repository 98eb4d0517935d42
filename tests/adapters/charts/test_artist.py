"""Charts drawn by the real child process: every chart in every form, and a child that fails, hangs or dies."""

import os
import re
import signal
import struct
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from monitor import resources
from monitor.adapters.charts import Artist
from monitor.domain.picture import Chart, Form, Theme
from monitor.ports.charts import ChartFailed

pytestmark = pytest.mark.slow

TABLES: dict[Chart, dict[str, list[dict[str, Any]]]] = {
    Chart.HISTORY: {
        "stretches": [
            {
                "seller": "Acme Home",
                "own": False,
                "from": "2026-11-01T02:00:00+00:00",
                "to": "2026-11-20T02:00:00+00:00",
                "until": "2026-11-20T02:00:00+00:00",
                "once": False,
                "price": 12.9,
                "text": "12.90 EUR",
                "kind": "sold out",
                "stock": "out of stock",
                "night": "nightly-2026-11-20",
            }
        ],
        "turns": [],
        "changes": [],
    },
    Chart.STANDING: {"nights": [{"night": "2026-11-01", "index": 101.5, "place": "2 of 4"}]},
    Chart.PORTFOLIO: {"nights": [{"night": "2026-11-01", "index": 101.5, "lowest": 40.0}]},
    Chart.SPREAD: {"steps": [{"from": -5, "to": 0, "products": 3}]},
    Chart.STRIP: {
        "proposals": [{"title": "Mug", "place": 0, "from": 100, "to": 95.0, "text": "12.90 → 12.25 EUR"}],
        "offers": [{"title": "Mug", "place": 0, "at": 94.0, "seller": "Acme Home"}],
    },
}


@pytest.fixture(scope="module")
def artist() -> Iterator[Artist]:
    artist = Artist(idle_s=60)
    yield artist
    artist.close()


@pytest.mark.parametrize("chart", list(Chart))
def test_every_chart_is_drawn_in_every_form(artist: Artist, chart: Chart) -> None:
    svg = artist.draw(chart, TABLES[chart], Form.SVG, theme=Theme.DARK).decode()
    assert svg.startswith("<svg")
    assert "<script" not in svg
    png = artist.draw(chart, TABLES[chart], Form.PNG, width=300, height=120)
    assert png.startswith(b"\x89PNG")
    width, _height = struct.unpack(">II", png[16:24])
    assert width >= 600  # twice the size in pixels, and room for the axes
    kept = resources.find(f"templates/web/static/{chart}.dark.json").read_text()
    assert all(f'"name":"{table}"' in kept for table in TABLES[chart])


def test_the_dots_of_a_first_night_lie_whole_inside_their_plot(artist: Artist) -> None:
    """At the very edge, where a plot that can be moved is cut off, they could hardly be seen."""
    first, last = "2026-11-29T02:00:00+00:00", "2026-11-29T02:00:01+00:00"
    seen = TABLES[Chart.HISTORY]["stretches"][0] | {"once": True, "kind": "regular"}
    night = [
        seen | {"from": first, "to": first, "until": first, "price": 46.0},
        seen | {"from": last, "to": last, "until": last, "price": 44.0},
    ]

    tables = TABLES[Chart.HISTORY] | {"stretches": night}
    svg = artist.draw(Chart.HISTORY, tables, Form.SVG, width=400, height=200).decode()

    (marks,) = re.findall(r'role-mark layer_2_marks".*?</g>', svg)
    dots = [(float(x), float(y)) for x, y in re.findall(r"translate\(([\d.]+),([\d.]+)\)", marks)]
    assert len(dots) == 2
    assert all(5 <= x <= 395 and 4 <= y <= 196 for x, y in dots), dots


@pytest.mark.parametrize("chart", list(Chart))
def test_a_chart_of_nothing_is_an_empty_chart(artist: Artist, chart: Chart) -> None:
    empty = {name: [] for name in TABLES[chart]}
    assert artist.draw(chart, empty, Form.SVG).startswith(b"<svg")


def test_what_cannot_be_drawn_is_said_and_the_next_chart_is_drawn(artist: Artist) -> None:
    with pytest.raises(ChartFailed, match="The spread chart could not be drawn"):
        artist.draw(Chart.SPREAD, TABLES[Chart.SPREAD], "gif")  # type: ignore[arg-type]
    assert artist.draw(Chart.SPREAD, TABLES[Chart.SPREAD], Form.SVG, width=111)


def test_a_child_that_died_is_replaced_and_one_that_hangs_is_ended() -> None:
    artist = Artist(deadline_s=30)
    try:
        artist.draw(Chart.SPREAD, {"steps": []}, Form.SVG)
        child = artist._child
        assert child is not None
        os.kill(child.pid, signal.SIGKILL)
        child.wait()
        assert artist.draw(Chart.STANDING, {"nights": []}, Form.SVG)

        hanging = artist._child
        assert hanging is not None
        assert hanging.pid != child.pid
        os.kill(hanging.pid, signal.SIGSTOP)
        artist._deadline_s = 0.2
        with pytest.raises(ChartFailed, match="took too long and was ended"):
            artist.draw(Chart.PORTFOLIO, {"nights": []}, Form.SVG)
        assert hanging.poll() == -signal.SIGKILL
    finally:
        artist.close()


def test_threads_share_one_child_and_it_ends_when_nobody_asks() -> None:
    artist = Artist(idle_s=0.2)
    with ThreadPoolExecutor(4) as pool:
        drawn = list(
            pool.map(lambda width: artist.draw(Chart.SPREAD, {"steps": []}, Form.SVG, height=width), range(100, 108))
        )
    assert len(set(drawn)) == 8
    child = artist._child
    if child is not None:
        assert child.wait(timeout=30) == -signal.SIGKILL
    assert artist._child is None


def test_what_the_browser_draws_with_is_what_the_lock_pins(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-m", "monitor.adapters.charts.bundle", str(tmp_path)], check=True)
    old = [
        made.name
        for made in sorted(tmp_path.iterdir())
        if resources.find(f"templates/web/static/{made.name}").read_bytes() != made.read_bytes()
    ]
    assert not old, "run `make charts`"
