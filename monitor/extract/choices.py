"""Amounts in the labels of boxes and buttons to choose with: what may be added, and what was not chosen."""

from selectolax.lexbor import LexborNode

from monitor.extract.anchor import is_buy
from monitor.extract.document import Document, Place
from monitor.extract.vocabulary import plain
from monitor.extract.words import ONCE_BEFORE

NOT_MADE = "a choice that was not made"  #: reason
#: What tells those who hear the page which of several buttons is chosen.
_PRESSED = 'button[aria-pressed="true"],button[aria-checked="true"],button[aria-selected="true"]'
LABELLED = 5  #: elements around an amount of which one may be the label
IN_A_ROW = 2  #: elements around a button of which one may hold all of its row
GROUPED = 4  #: elements around a label of which one may hold all choices of its kind


def other_choice(document: Document, offset: int, place: Place, said: str) -> str | None:
    """Return in words why the amount in a label or button is not the price, None when it may be.

    Args:
        document: the page.
        offset: where the amount stands.
        place: the elements around it.
        said: the words before it; whoever buys once, beside a subscription, pays what stands behind them.
    """
    if "button" in place.tags[:LABELLED]:
        return NOT_MADE if _is_beside_pressed(_around(document.node_at(offset), "button")) else None
    label = _around(document.node_at(offset), "label") if "label" in place.tags[:LABELLED] else None
    if label is None or ONCE_BEFORE.found(plain(said)):
        return None
    if label.css_first('input[type="checkbox"]') is not None:
        return "the surcharge of an option"
    radio = label.css_first('input[type="radio"]')
    if radio is not None and "checked" not in radio.attributes and _one_is_chosen(label, radio.attributes.get("name")):
        return NOT_MADE
    return None


def _around(node: LexborNode | None, tag: str) -> LexborNode | None:
    for _ in range(LABELLED):
        node = node.parent if node is not None else None
        if node is not None and node.tag == tag:
            return node
    return None


def _is_beside_pressed(button: LexborNode | None) -> bool:
    """Say whether a button that does not buy stands in a row of buttons of which another one is pressed."""
    around = button
    for _ in range(IN_A_ROW):
        around = around.parent if around is not None else None
        pressed = around.css_first(_PRESSED) if around is not None else None
        if pressed is not None:
            return button is not None and pressed.mem_id != button.mem_id and not is_buy(button)
    return False


def _one_is_chosen(label: LexborNode, name: str | None) -> bool:
    """Say whether another choice of the same name is checked."""
    around = label.parent
    for _ in range(GROUPED):
        if around is None:
            return False
        if any(r.attributes.get("name") == name for r in around.css('input[type="radio"][checked]')):
            return True
        around = around.parent
    return False
