"""Microdata and RDFa of a page, turned into the same nested objects JSON-LD has.

An item is read from its own properties only; properties of an item inside belong to that item.
Source: WHATWG HTML section 5.2 (microdata), RDFa Lite 1.1.
"""

from typing import Any

from selectolax.lexbor import LexborHTMLParser, LexborNode

MAX_ITEMS = 400  #: items read per page
MAX_PROPERTIES = 4000  #: property elements read per page
CLIMBED = 60  #: ancestors looked at to find the item a property belongs to

_VALUE_ATTRIBUTE = {
    "meta": "content", "link": "href", "a": "href", "area": "href", "img": "src", "source": "src", "time": "datetime",
    "data": "value", "meter": "value", "object": "data", "input": "value",
}  # fmt: skip


def _value(node: LexborNode, key: str) -> str:
    attributes = node.attributes
    content = attributes.get("content")
    if content:
        return content
    name = _VALUE_ATTRIBUTE.get(node.tag or "")
    if name and attributes.get(name) and not (name == "href" and key in ("name", "price", "brand", "sku")):
        return attributes.get(name) or ""
    return node.text(deep=True, separator=" ")[:2000]


def items(tree: LexborHTMLParser) -> list[dict[str, Any]]:
    """Return the top items of a page in document order."""
    found = _read(tree, "[itemscope]", "[itemprop]", "itemtype", "itemprop")
    if not found and tree.css_first("[typeof]") is not None:
        found = _read(tree, "[typeof]", "[property]", "typeof", "property")
    return found


def _read(tree: LexborHTMLParser, scopes: str, properties: str, type_name: str, key_name: str) -> list[dict[str, Any]]:
    built: dict[int, dict[str, Any]] = {}
    elements = tree.css(scopes)[:MAX_ITEMS]
    for element in elements:
        kind = (element.attributes.get(type_name) or "").split()
        built[element.mem_id] = {
            "@type": kind,
            "@id": element.attributes.get("itemid") or element.attributes.get("resource"),
        }
    inside: set[int] = set()
    for node in tree.css(properties)[:MAX_PROPERTIES]:
        owner = _owner(node, built)
        target = built[owner] if owner is not None else {}
        own = built.get(node.mem_id)
        if own is not None and owner is not None:
            inside.add(node.mem_id)
        for key in (node.attributes.get(key_name) or "").split()[:4]:
            value: Any = own if own is not None else _value(node, key)
            if value not in ("", None):
                target.setdefault(key.rsplit("/", 1)[-1], []).append(value)
    return [built[e.mem_id] for e in elements if e.mem_id not in inside]


def _owner(node: LexborNode, built: dict[int, dict[str, Any]]) -> int | None:
    above = node.parent
    for _ in range(CLIMBED):
        if above is None:
            return None
        if above.mem_id in built:
            return above.mem_id
        above = above.parent
    return None
