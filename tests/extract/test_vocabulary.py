"""A sieve may let too much through; what it drops is never looked at again."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from monitor.extract.availability import _SPOKEN
from monitor.extract.buy_words import BUY, BUY_SIEVE
from monitor.extract.needles import every
from monitor.extract.vocabulary import Sieve, Vocabulary, any_of

#: Labels that buy, in scripts with and without spaces between words, and letters that stand around them.
_LABELS = (
    "add to cart",
    "in den warenkorb",
    "köp",
    "įdėti į krepšelį",
    "купить",
    "αγορά στο καλάθι",
    "カートに入れる",
    "구매하기",
)
_AROUND = st.text(alphabet="a é9€-.(\nxщδ語값", max_size=12)


@given(before=_AROUND, label=st.sampled_from(_LABELS), after=_AROUND)
def test_a_sieve_lets_every_text_through_that_holds_a_phrase(before: str, label: str, after: str) -> None:
    text = f"\n{before}{label}{after}"
    if BUY.found(text):
        assert list(BUY_SIEVE.places(text, 0, len(text)))
        assert BUY_SIEVE.passes(text[1:])


@pytest.mark.parametrize(
    "phrase", ["sold out", "ausverkauft", "épuisé", "нет в наличии", "在庫切れ", "품절", "in stock"]
)
def test_the_places_of_a_sieve_ascend_and_hold_that_of_the_phrase(phrase: str) -> None:
    text = f"\nin stock? {phrase}, 已售完 {phrase}"
    sieve = Sieve(*(vocabulary for vocabulary, _ in _SPOKEN))

    places = list(sieve.places(text, 0, len(text)))

    assert places == sorted(places)
    assert set(every(text, phrase)) <= set(places)
    assert list(sieve.places(text, 11, len(text))) == [place for place in places if place >= 11]


def test_letters_before_a_phrase_hide_it_and_other_signs_do_not() -> None:
    sieve = Sieve(Vocabulary("add to cart"))

    assert not sieve.passes("xadd to cart")
    assert sieve.passes("(add to cart")
    assert sieve.passes("add to cart")


#: Phrases that begin with a letter, with one that may be missing, with a sign and with a group.
_PHRASES = ("save more", "s?ave", r"\+ tax", "(?:a|b)c", "ab", "abc", "a", r"\.c", "s+x")


@given(text=st.text(alphabet="abcsvex+. mortx", max_size=20))
def test_a_vocabulary_finds_what_its_phrases_find_in_the_order_in_which_they_are_written(text: str) -> None:
    plainly = re.search("|".join(f"(?:{phrase})" for phrase in _PHRASES if phrase[0] == "a"), text)
    found = Vocabulary("|".join(phrase for phrase in _PHRASES if phrase[0] == "a"), whole=False).found(text)
    assert found == (plainly.group() if plainly else None)

    every_start = {m.start() for phrase in _PHRASES for m in re.finditer(f"(?={phrase})", text)}
    first = re.search(any_of(_PHRASES), text)
    assert (first.start() if first else None) == min(every_start, default=None)
