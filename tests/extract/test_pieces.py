"""Digits in elements of their own are one number only where nothing else can be meant."""

import pytest

from tests.price_block import price_of


@pytest.mark.parametrize(
    "block",
    [
        "<div><b>€ 17</b><b>49</b> <i>inkl. MwSt.</i></div>",
        "<div><b>17</b><b>49</b><i>EUR</i></div>",
        "<div><b>€ 17</b><b>49</b><i>EUR</i></div>",
        "<div><b>€ 17</b><b>49</b><div>Lieferung in drei Tagen</div></div>",
        "<div>€ <b>17</b><i>,</i><b>49</b></div>",
    ],
)
def test_a_price_and_its_cents_are_put_together(block: str) -> None:
    assert price_of(block) == "17.49"


@pytest.mark.parametrize(
    ("block", "price"),
    [
        ("<div><b>€ 79</b><b class='d-none'>12</b></div>", "79"),  # not shown
        ("<div><b>12</b> <b>9,99 €</b></div>", "9.99"),  # the first one counts something
        ("<div><i>Nr. 5</i> <b>£79</b><b>12</b></div>", "79"),  # more numbers stand there
        ("<div>€ <b>32</b><b>32</b></div>", None),  # once more for who does not see, or 32.32
        ("<div><b>98</b><b>50円</b></div>", None),  # yen have no cents
        ("<div><b>459</b><i>00 zł</i></div><div>Listenpreis: 540,00 zł</div>", "459.00"),  # no price is 00
    ],
)
def test_other_numbers_beside_a_price_are_not_its_cents(block: str, price: str | None) -> None:
    assert price_of(block) == price


def test_a_former_price_and_the_new_one_are_not_one_number() -> None:
    assert price_of("<div>€ <b class='old-price'>89</b><b class='new-price'>79</b></div>") != "89.79"


@pytest.mark.parametrize(
    ("block", "price"),
    [
        ("<div><b>79,00 €</b> <i>12</i></div>", "79.00"),  # its cents are told
        ("<div><b>790 EUR</b> <i>12</i></div>", "790"),  # behind letters stand no cents
        ("<div><b>€ 79</b> <i>4,5</i></div>", "79"),  # a number of its own
        ("<div><b>79 €</b> <i>12</i></div>", None),  # 79.12, or a count
        ("<div><b class='price'>€ 79</b> <i>12</i></div>", None),
        ("<div><i>12</i> <b>1<u>.40</u> €</b></div>", None),  # not 121.40
        ("<div>€ 79<sup>1</sup></div>", "79"),  # a footnote
        ("<div>41 , 70 €</div>", "41.70"),
        ("<div>41 . 70 €</div>", "41.70"),
        ("<div>44£50</div>", "44.50"),
    ],
)
def test_a_number_behind_the_price_is_not_its_cents(block: str, price: str | None) -> None:
    assert price_of(block) == price
