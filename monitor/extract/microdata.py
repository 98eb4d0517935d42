"""Microdata and RDFa of a page, turned into the same nested objects JSON-LD has.

An item is read from its own properties only; properties of an item inside belong to that item.
Source: WHATWG HTML section 5.2 (microdata), RDFa Lite 1.1.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from selectolax.lexbor import LexborHTMLParser, LexborNode

from monitor.extract.document import Document

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


def items(document: Document, *, rdfa: bool) -> list[dict[str, Any]]:
    """Return the top items of a page in document order; those of RDFa when there are no others and `rdfa` asks."""
    encoded, tree = document.encoded, document.tree
    found = _read(tree, "itemscope", "itemtype", "itemprop") if b"itemscope" in encoded else []
    if rdfa and not found and b"typeof=" in encoded:
        found = _read(tree, "typeof", "typeof", "property")
    return found


def _read(tree: LexborHTMLParser, scope: str, type_name: str, key_name: str) -> list[dict[str, Any]]:
    built: dict[int, dict[str, Any]] = {}
    order: list[int] = []
    keyed: list[tuple[LexborNode, dict[str, str | None]]] = []
    for node in tree.css(f"[{scope}],[{key_name}]"):
        attributes = node.attributes
        if scope in attributes and len(order) < MAX_ITEMS:
            kind = (attributes.get(type_name) or "").split()
            built[node.mem_id] = {"@type": kind, "@id": attributes.get("itemid") or attributes.get("resource")}
            order.append(node.mem_id)
        if key_name in attributes and len(keyed) < MAX_PROPERTIES:
            keyed.append((node, attributes))
    inside = _fill(built, keyed, key_name) if built else set()
    return [built[identity] for identity in order if identity not in inside]


def _fill(
    built: dict[int, dict[str, Any]], keyed: Sequence[tuple[LexborNode, dict[str, str | None]]], key_name: str
) -> set[int]:
    """Give each property to its item; return the items that are properties themselves."""
    inside: set[int] = set()
    owners: dict[int, int | None] = {}
    for node, attributes in keyed:
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
    return inside


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
