"""A newcomer with the README: own shop, own product, first report, approval, changed price; commands and files only."""

import csv
from collections.abc import Iterator
from contextlib import suppress
from decimal import Decimal
from pathlib import Path

import httpx
import pytest

from tests.acceptance.programs import Place, until
from tests.market import Market
from tests.servers import free_port

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

PRODUCTS = """sku,title,price,min_price,max_price
TR-41,"Trail boot, size 41",129.00,99.00,149.00
SK-2P,Hiking socks (2 pairs),24.90,19.90,29.90
"""


@pytest.fixture
def market() -> Iterator[Market]:
    """One competitor with two products."""
    with Market(shops=1, pages=2) as opened:
        boot, socks = opened.open[0].goods.values()
        boot.price, socks.price = Decimal("119.90"), Decimal("24.90")
        yield opened


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    """An empty directory, and no configuration anywhere."""
    made = Place(tmp_path)
    yield made
    made.stop()


def said(place: Place, *words: str, code: int = 0) -> str:
    """Run a command and return what it wrote for a person."""
    ended = place.run(*words)
    assert ended.returncode == code, f"monitor {' '.join(words)}:\n{ended.stdout}{ended.stderr}"
    assert "Traceback" not in ended.stderr
    return ended.stdout + ended.stderr


def test_from_an_empty_directory_to_a_changed_price(market: Market, place: Place) -> None:
    """What each command prints is enough to go on; no file is written but those that the README names."""
    (shop,) = market.open
    said(place, "init", "shop", "--zone", "Europe/Berlin", "--currency", "EUR")
    _name_the_competitor(place, market)
    (place.home / "products.csv").write_text(PRODUCTS, "utf-8")
    watches = [("alpkontor", sku, shop.url + path) for sku, path in zip(("TR-41", "SK-2P"), shop.goods, strict=True)]
    (place.home / "watches.csv").write_text(
        "competitor,sku,url\n" + "".join(f"{','.join(row)}\n" for row in watches), "utf-8"
    )

    assert "2 added" in said(place, "catalogue", "import", "products.csv")
    assert "2 added" in said(place, "watches", "import", "watches.csv")
    said(place, "doctor")
    checked = said(place, "check", watches[0][2])
    assert "119.90" in checked
    assert "EUR" in checked

    summary = said(place, "run")
    assert "reported" in summary
    assert "1 competitor, 2 tool calls, 2 watches" in summary
    assert "1 proposal;" in summary
    assert "http://127.0.0.1:8080/runs/nightly-" in summary
    assert "dry run" in summary
    assert "reported" in said(place, "status")
    assert "Trail boot" in said(place, "actions")
    (action,) = place.facts("actions")["actions"]
    assert (action["sku"], action["old_price"], action["new_price"]) == ("TR-41", "129.00", "119.90")
    assert "119.90" in action["why"]

    assert "Trail boot" in _report(place, action["run"])

    place.set("monitor.toml", "undo_window_s", "0")
    _enable_writes(place)
    said(place, "approve", str(action["id"]), "--by", "anna")
    assert place.facts("actions")["actions"] == []
    assert "dry run" not in said(place, "run")

    assert _prices(place) == {"TR-41": "119.90", "SK-2P": "24.90"}
    (action,) = place.facts("actions", "--sku", "TR-41")["actions"]
    assert action["state"] == "applied"
    said(place, "run")
    assert _prices(place) == {"TR-41": "119.90", "SK-2P": "24.90"}
    assert set(market.hits.values()) == {1, 2}, "the check and one night, whatever came after"


def test_an_approval_with_writes_off_changes_no_price_and_says_so(market: Market, place: Place) -> None:
    """Until the operator switches writes on, everything is a dry run that is recorded."""
    (shop,) = market.open
    said(place, "init", "shop", "--zone", "Europe/Berlin", "--currency", "EUR")
    _name_the_competitor(place, market)
    (place.home / "products.csv").write_text(PRODUCTS, "utf-8")
    (place.home / "watches.csv").write_text(
        f"competitor,sku,url\nalpkontor,TR-41,{shop.url}{next(iter(shop.goods))}\n", "utf-8"
    )
    said(place, "catalogue", "import", "products.csv")
    said(place, "watches", "import", "watches.csv")
    place.set("monitor.toml", "undo_window_s", "0")
    said(place, "run")

    said(place, "approve", "--all")
    assert "dry run: what you approve is recorded and not written" in said(place, "run")

    assert _prices(place) == {"TR-41": "129.00", "SK-2P": "24.90"}


def _name_the_competitor(place: Place, market: Market) -> None:
    (shop,) = market.open
    with (place.config / "competitors.toml").open("a", encoding="utf-8") as file:
        file.write(
            f'\n[[competitor]]\nid = "alpkontor"\nname = "Alpkontor"\nbase_url = "{shop.url}"\ncurrency = "EUR"\n'
            f'delay_s = 0\nallow_addresses = ["{shop.address}"]\n'
        )


def _report(place: Place, run: str) -> str:
    """Open the report in the browser: serve, get, stop."""
    port = free_port()
    web = place.start("web", "--port", str(port))

    def page() -> str:
        with suppress(httpx.TransportError):
            return httpx.get(f"http://127.0.0.1:{port}/runs/{run}/report", timeout=60).raise_for_status().text
        return ""

    shown = until(page, beside=web)
    web.terminate()
    assert web.wait() == 0, web.log
    return shown


def _enable_writes(place: Place) -> None:
    file = place.config / "monitor.toml"
    text = file.read_text("utf-8")
    assert "[writes]\nenabled = false" in text
    file.write_text(text.replace("[writes]\nenabled = false", "[writes]\nenabled = true"), "utf-8")


def _prices(place: Place) -> dict[str, str]:
    with (place.config / "var" / "prices.csv").open(encoding="utf-8", newline="") as file:
        return {row["sku"]: row["price"] for row in csv.DictReader(file)}
