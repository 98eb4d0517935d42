"""Microdata and RDFa of a page, turned into the same nested objects JSON-LD has.

An item is read from its own properties only; properties of an item inside belong to that item.
Source: WHATWG HTML section 5.2 (microdata), RDFa Lite 1.1.
"""

import re
from collections.abc import Mapping
from itertools import islice
from typing import Any

from selectolax.lexbor import LexborHTMLParser, LexborNode

from monitor.extract.declared import PRODUCT_TYPES, READ, property_name
from monitor.extract.document import Document
from monitor.extract.needles import every

MAX_ITEMS = 400  #: items read per page
MAX_PROPERTIES = 4000  #: property elements read per page
CLIMBED = 60  #: ancestors looked at to find the item a property belongs to

#: What follows the name of the attribute where the type is one that may be sold; spaces are passed once (`+`), for a
#: page can be made of them.
_SOLD = re.compile(
    rb"[\s=]{0,99}+[\"']?+[^\"'<>]{0,200}?(?:%s)" % "|".join(sorted(PRODUCT_TYPES)).encode(), re.IGNORECASE
)
_VALUE_ATTRIBUTE = {
    "meta": "content", "link": "href", "a": "href", "area": "href", "img": "src", "source": "src", "time": "datetime",
    "data": "value", "meter": "value", "object": "data", "input": "value",
}  # fmt: skip


def _value(node: LexborNode, key: str, attributes: Mapping[str, str | None]) -> str:
    content = attributes.get("content")
    if content:
        return content
    name = _VALUE_ATTRIBUTE.get(node.tag or "")
    if name and attributes.get(name) and not (name == "href" and key in ("name", "price", "brand", "sku")):
        return attributes.get(name) or ""
    return node.text(deep=True, separator=" ")[:2000]


def items(document: Document, *, rdfa: bool) -> list[dict[str, Any]]:
    """Return the top items of a page in document order; those of RDFa when there are no others and `rdfa` asks.

    None is returned of a page none of whose items is, by its type, for sale.
    """
    encoded, tree = document.encoded, document.tree
    found = _read(tree, "itemscope", "itemtype", "itemprop") if _is_sold(encoded, b"itemtype") else []
    if rdfa and not found and _is_sold(encoded, b"typeof="):
        found = _read(tree, "typeof", "typeof", "property")
    return found


def _is_sold(markup: bytes, attribute: bytes) -> bool:
    """Say whether one of the first MAX_ITEMS elements with a type has one that may be sold, by the letters alone."""
    return any(_SOLD.match(markup, at + len(attribute)) for at in islice(every(markup, attribute), MAX_ITEMS))


def _read(tree: LexborHTMLParser, scope: str, type_name: str, key_name: str) -> list[dict[str, Any]]:
    """Return the top items; elements come in document order, so that the item around a property is known before it."""
    built: dict[int, dict[str, Any]] = {}
    inside: set[int] = set()
    owners: dict[int, int | None] = {}
    left = MAX_PROPERTIES
    for node in tree.css(f"[{scope}],[{key_name}]"):
        identity, attributes, own = node.mem_id, node.attributes, None
        if identity in built:
            continue  # an element that both selectors find is listed twice
        if scope in attributes and len(built) < MAX_ITEMS:
            kind = (attributes.get(type_name) or "").split()
            own = {"@type": kind, "@id": attributes.get("itemid") or attributes.get("resource")}
        if built and key_name in attributes and left:
            left -= 1
            owner = _owner(node, built, owners)
            if owner is not None:
                _add(built[owner], attributes[key_name] or "", node, attributes, own)
                if own is not None:
                    inside.add(identity)
        if own is not None:
            built[identity] = own
    return [item for identity, item in built.items() if identity not in inside]


def _add(
    item: dict[str, Any], keys: str, node: LexborNode, attributes: Mapping[str, str | None], own: dict[str, Any] | None
) -> None:
    """Give a property to its item under each of its names: the item that the element is itself, or a text that is read.

    The text of a description would have to be put together from all that stands in it.
    """
    for key in keys.split()[:4]:
        if own is None and property_name(key) not in READ:
            continue
        value: Any = own if own is not None else _value(node, key, attributes)
        if value not in ("", None):
            item.setdefault(key.rsplit("/", 1)[-1], []).append(value)


def _owner(node: LexborNode, built: Mapping[int, Any], owners: dict[int, int | None]) -> int | None:
    """Return the nearest item around a property; `owners` remembers the answer for each element passed."""
    passed: list[int] = []
    owner: int | None = None
    above = node.parent
    while above is not None and len(passed) < CLIMBED:
        identity = above.mem_id
        if identity in built or identity in owners:
            owner = identity if identity in built else owners[identity]
            break
        passed.append(identity)
        above = above.parent
    for identity in passed:
        owners[identity] = owner
    return owner
