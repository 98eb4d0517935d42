"""Microdata and RDFa of a page, turned into the same nested objects JSON-LD has.

An item is read from its own properties only; properties of an item inside belong to that item.
Source: WHATWG HTML section 5.2 (microdata), RDFa Lite 1.1.
"""

from collections.abc import Mapping
from typing import Any

from selectolax.lexbor import LexborHTMLParser, LexborNode

MAX_ITEMS = 400  #: items read per page
MAX_PROPERTIES = 4000  #: property elements read per page
CLIMBED = 60  #: ancestors looked at to find the item a property belongs to

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


def items(tree: LexborHTMLParser, markup: str) -> list[dict[str, Any]]:
    """Return the top items of a page in document order."""
    found = _read(tree, "[itemscope]", "[itemprop]", "itemtype", "itemprop") if "itemscope" in markup else []
    if not found and "typeof=" in markup and tree.css_first("[typeof]") is not None:
        found = _read(tree, "[typeof]", "[property]", "typeof", "property")
    return found


def _read(tree: LexborHTMLParser, scopes: str, properties: str, type_name: str, key_name: str) -> list[dict[str, Any]]:
    built: dict[int, dict[str, Any]] = {}
    elements = [(e.mem_id, e.attributes) for e in tree.css(scopes)[:MAX_ITEMS]]
    for identity, attributes in elements:
        kind = (attributes.get(type_name) or "").split()
        built[identity] = {"@type": kind, "@id": attributes.get("itemid") or attributes.get("resource")}
    inside: set[int] = set()
    owners: dict[int, int | None] = {}
    for node in tree.css(properties)[:MAX_PROPERTIES] if built else []:
        attributes = node.attributes
        owner = _owner(node, built, owners)
        if owner is None:
            continue
        own = built.get(node.mem_id)
        if own is not None:
            inside.add(node.mem_id)
        for key in (attributes.get(key_name) or "").split()[:4]:
            value: Any = own if own is not None else _value(node, key, attributes)
            if value not in ("", None):
                built[owner].setdefault(key.rsplit("/", 1)[-1], []).append(value)
    return [built[identity] for identity, _ in elements if identity not in inside]


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
    owners.update(dict.fromkeys(passed, owner))
    return owner
