"""The price file belongs to the operator: one price changes, every other byte stays, at any moment it is whole."""

import multiprocessing
import os
import threading
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from monitor.adapters.clock import SystemClock
from monitor.adapters.shops import PriceFile
from monitor.adapters.shops import price_file as module
from monitor.domain.money import Money
from monitor.domain.shop_price import ShopPrice
from monitor.errors import CannotSucceed, MonitorError, RetryLater
from monitor.ports.shop import ShopConflict
from tests.contracts.test_shop import a_write
from tests.review_scene import SetClock

EUR_2490 = ShopPrice(Money(Decimal("24.90"), "EUR"))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "prices.csv"


@pytest.fixture
def shop(path: Path) -> PriceFile:
    return PriceFile(path, SetClock())


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_everything_but_the_price_and_the_time_stays_as_it_was(shop, path, ending, mark):
    before = [
        f'{mark}sku,title,"price",currency,updated_at,note',
        'Z-9,"Socks, blue",5.00,EUR,2026-01-01,"said ""hi"""',
        "",
        "A-1,Jacket, 27.9 ,EUR,,",
        'B-2,"two\nlines",  1.00,EUR,x,last',
    ]
    path.write_bytes(ending.join(before).encode())

    shop.write(a_write())

    before[3] = "A-1,Jacket,24.90,EUR,2026-11-29T06:30:00+00:00,"
    assert path.read_bytes() == ending.join(before).encode()


@settings(max_examples=50, deadline=None)  # a disk that syncs has no deadline
@given(cells=st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\x00"), max_size=8), min_size=1))
def test_the_other_cells_of_the_row_come_back_as_they_were(tmp_path_factory, cells):
    path = tmp_path_factory.mktemp("any") / "prices.csv"
    names = ",".join(f"c{number}" for number in range(len(cells)))
    quoted = ",".join('"' + cell.replace('"', '""') + '"' for cell in cells)
    path.write_bytes(f"sku,price,currency,{names}\r\nA-1,27.90,EUR,{quoted}\r\nB-2,1.00,EUR,{quoted}\r\n".encode())

    PriceFile(path, SystemClock()).write(a_write())

    table = module._PriceTable.of("prices.csv", path.read_bytes().decode())
    assert [record.cells[3:] for record in table.records[1:]] == [tuple(cells)] * 2
    assert PriceFile(path, SystemClock()).read("A-1") == EUR_2490
    assert path.read_bytes().endswith(f"B-2,1.00,EUR,{quoted}\r\n".encode())


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "is empty; its first line must name the columns sku, price, currency"),
        ("sku;price;currency\nA-1;1;EUR\n", "line 1: needs the column 'sku' once, separated by commas"),
        ("sku,price\nA-1,27.90\n", "line 1: needs the column 'currency' once"),
        ("sku,price,currency,price\n", "line 1: needs the column 'price' once"),
        ("sku,price,currency\nB,1,EUR\nA-1,27,90,EUR\n", "line 3: 4 cells where the header names 3 columns"),
        ("sku,price,currency\nA-1,€27,EUR\n", "line 2, column price: '€27' is not an amount"),
        ("sku,price,currency\nA-1,27.90,Euro\n", "line 2, column currency: 'EURO' is no code such as EUR"),
        ("sku,price,currency\nA-1,27.90,EUR\nA-1,28.90,EUR\n", "A-1 is on lines 2, 3; keep one"),
        ('sku,price,currency\n"A"-1,27.90,EUR\n', "line 2: the quotes of this record are not right"),
    ],
)
def test_a_file_that_cannot_be_understood_is_named_with_its_line_and_left_alone(shop, path, text, words):
    path.write_text(text, encoding="utf-8")

    for ask in (lambda: shop.read("A-1"), lambda: shop.write(a_write())):
        with pytest.raises(CannotSucceed) as raised:
            ask()
        assert words in str(raised.value)
        assert str(path) in str(raised.value)
    assert path.read_text(encoding="utf-8") == text


def test_a_mistake_in_another_row_does_not_hold_up_this_one(shop, path):
    path.write_text("sku,price,currency\nB,free,EUR\nC,1,2,3\nA-1,27.90,EUR\n", encoding="utf-8")

    shop.write(a_write())

    assert path.read_text(encoding="utf-8") == "sku,price,currency\nB,free,EUR\nC,1,2,3\nA-1,24.90,EUR\n"


def test_a_file_in_another_encoding_is_refused(shop, path):
    path.write_bytes("sku,price,currency\nÄ-1,1,EUR\n".encode("latin-1"))

    with pytest.raises(CannotSucceed, match="byte 19 is not UTF-8"):
        shop.read("A-1")


def test_a_file_that_is_not_there_says_what_to_do(shop, path):
    with pytest.raises(CannotSucceed, match=r"is not there; create it with the columns sku, price, currency"):
        shop.read("A-1")
    assert not path.exists()


def test_a_price_that_changed_between_reading_and_writing_is_not_overwritten(shop, path):
    path.write_text("sku,price,currency\nA-1,26.00,EUR\n", encoding="utf-8")

    with pytest.raises(ShopConflict, match=r"line 2: A-1 has 26\.00 EUR; nothing was changed"):
        shop.write(a_write())
    assert shop.read("A-1") == ShopPrice(Money(Decimal(26), "EUR"))


def test_the_currency_is_part_of_the_comparison(shop, path):
    path.write_text("sku,price,currency\nA-1,27.90,USD\n", encoding="utf-8")

    with pytest.raises(ShopConflict, match=r"A-1 has 27\.90 USD"):
        shop.write(a_write())


def test_a_new_file_is_made_once_and_never_replaced(tmp_path):
    path = tmp_path / "var" / "prices.csv"
    shop = PriceFile(path, SetClock())

    assert shop.create([("A-1", Money(Decimal("27.9"), "EUR")), ("J,1", Money(Decimal(5980), "JPY"))])
    assert path.read_text(encoding="utf-8") == (
        "sku,price,currency,updated_at\n"
        "A-1,27.90,EUR,2026-11-29T06:30:00+00:00\n"
        '"J,1",5980,JPY,2026-11-29T06:30:00+00:00\n'
    )
    assert not shop.create([("A-1", EUR_2490)])
    assert shop.read("A-1") == ShopPrice(Money(Decimal("27.9"), "EUR"))


def test_a_file_that_was_made_without_a_row_is_made_anew_and_a_person_s_is_not(shop, path):
    """An import that came after the file left every product out of it, and every approved price unwritten."""
    assert shop.create([])
    assert shop.create([("A-1", Money(Decimal("27.9"), "EUR"))])
    assert shop.read("A-1") is not None

    path.write_text("sku,price,currency\n", encoding="utf-8")

    assert not shop.create([("A-1", Money(Decimal("27.9"), "EUR"))])


def test_mode_and_symbolic_link_stay(shop, path, tmp_path):
    real = tmp_path / "elsewhere.csv"
    real.write_text("sku,price,currency\nA-1,27.90,EUR\n", encoding="utf-8")
    real.chmod(0o640)
    path.symlink_to(real)

    shop.write(a_write())

    assert path.is_symlink()
    assert real.stat().st_mode & 0o777 == 0o640
    assert "24.90" in real.read_text(encoding="utf-8")


def test_a_disk_that_fails_leaves_the_old_file_whole_and_nothing_beside_it(shop, path, monkeypatch):
    text = "sku,price,currency\nA-1,27.90,EUR\n"
    path.write_text(text, encoding="utf-8")

    def fail(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(module.os, "fsync", fail)
    with pytest.raises(RetryLater, match="was left as it is: No space left on device"):
        shop.write(a_write())

    assert path.read_text(encoding="utf-8") == text
    assert sorted(each.name for each in path.parent.iterdir()) == ["prices.csv", "prices.csv.lock"]


def test_a_reader_never_sees_half_a_file(shop, path):
    rows = "".join(f"S-{number},1.00,EUR\n" for number in range(500))
    path.write_text(f"sku,price,currency\nA-1,27.90,EUR\n{rows}", encoding="utf-8")
    sizes, done = set(), threading.Event()

    def look() -> None:
        while not done.is_set():
            sizes.add(len(path.read_bytes()))

    reader = threading.Thread(target=look)
    reader.start()
    price = "27.90"
    for cents in range(10, 40):
        shop.write(a_write(new=f"24.{cents}", old=price))
        price = f"24.{cents}"
    done.set()
    reader.join()

    assert sizes == {path.stat().st_size}


@pytest.mark.slow
def test_processes_that_write_at_once_lose_no_change(path):
    skus = [f"A-{number}" for number in range(4)]
    path.write_text("sku,price,currency\n" + "".join(f"{sku},10.00,EUR\n" for sku in skus), encoding="utf-8")
    fork = multiprocessing.get_context("fork")
    gate, failures = fork.Barrier(len(skus)), fork.SimpleQueue()
    writers = [fork.Process(target=_write_ten, args=(path, sku, gate, failures)) for sku in skus]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join(timeout=60)

    assert failures.empty()
    assert [PriceFile(path, SystemClock()).read(sku) for sku in skus] == [ShopPrice(Money(Decimal("20.00"), "EUR"))] * 4


def _write_ten(path, sku, gate, failures):
    shop = PriceFile(path, SystemClock())
    gate.wait(timeout=60)
    for euros in range(10, 20):
        try:
            shop.write(a_write(sku, new=f"{euros + 1}.00", old=f"{euros}.00", key=f"{sku}-{euros}"))
        except MonitorError as failed:
            failures.put(str(failed))
            os._exit(1)
