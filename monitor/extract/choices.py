"""Amounts in the labels of boxes and buttons to choose with: what may be added, and what was not chosen."""

from selectolax.lexbor import LexborNode

from monitor.extract.document import Document, Place
from monitor.extract.vocabulary import plain
from monitor.extract.words import ONCE_BEFORE

LABELLED = 5  #: elements around an amount of which one may be the label
GROUPED = 4  #: elements around a label of which one may hold all choices of its kind


def other_choice(document: Document, offset: int, place: Place, said: str) -> str | None:
    """Return in words why the amount in a label is not the price, None when it may be.

    Args:
        document: the page.
        offset: where the amount stands.
        place: the elements around it.
        said: the words before it; whoever buys once, beside a subscription, pays what stands behind them.
    """
    label = _label(document.node_at(offset)) if "label" in place.tags[:LABELLED] else None
    if label is None or ONCE_BEFORE.found(plain(said)):
        return None
    if label.css_first('input[type="checkbox"]') is not None:
        return "the surcharge of an option"
    radio = label.css_first('input[type="radio"]')
    if radio is not None and "checked" not in radio.attributes and _one_is_chosen(label, radio.attributes.get("name")):
        return "a choice that was not made"
    return None


def _label(node: LexborNode | None) -> LexborNode | None:
    for _ in range(LABELLED):
        node = node.parent if node is not None else None
        if node is not None and node.tag == "label":
            return node
    return None


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
