"""Find where the page's own product stands: its name, and the controls that buy it."""

import re

from monitor.extract.document import Document
from monitor.extract.facts import Facts, agreement
from monitor.extract.visible import Anchor

BUY = re.compile(
    r"add\s*(?:item\s*)?to\s*(?:my\s*|your\s*|shopping\s*)?(?:cart|bag|basket|trolley|order)|buy\s*(?:it\s*)?now|^\s*buy\s*$|^\s*add\s*$|purchase|order\s*now|shop\s*now|place\s*(?:a\s*)?bid|bid\s*now|"
    r"in\s*den\s*(?:waren|einkaufs)\w+|jetzt\s*kaufen|^kaufen|bestellen|ajouter\s*au\s*panier|ajouter|acheter|j'achète|"
    r"(?:añadir|agregar)\s*(?:al|a\s*la)\s*\w+|comprar|adicionar|aggiungi\s*al\s*carrello|acquista|compra|toevoegen|winkel(?:wagen|mand)|lägg\s*i|köp|læg\s*i|køb|kjøp|lisää|osta\b|"
    r"do\s*koszyka|kup\s*teraz|do\s*ko[šs][íi]k[ua]|koupit|kúpiť|v\s*košarico|dodaj|u\s*košaricu|купить|в\s*корзину|добав|купи|kosárba|kosár|megvesz|καλάθι|sepete|ostukorvi|groz[āa]|krepšel|"
    r"カート|購入|加入購物車|立即購買|直接購買|我要購買|加入购物车|구매|장바구니|thêm\s*vào|mua\s*ngay|הוסף|קנה|pre-?order|pré-?commander|vorbestellen|add-to-cart|addtocart|addtobag|buynow",
    re.IGNORECASE,
)


def is_disabled(attributes: dict[str, str | None]) -> bool:
    """Say whether a control cannot be used."""
    names = f"{attributes.get('class') or ''}".lower()
    return (
        "disabled" in attributes
        or attributes.get("aria-disabled") == "true"
        or bool(re.search(r"(?:^|\s)(?:is-)?disabled(?:\s|$)", names))
    )


def find_anchor(document: Document, facts: Facts, name: str | None) -> Anchor:
    """Return the place of the product whose declared name is `name`, if it has one."""
    heading = _heading(document, facts, name)
    around = frozenset(document.place(heading).ids) if heading is not None else frozenset()
    buys = []
    for offset, control in document.controls:
        attributes = control.attributes
        label = (
            attributes.get("value")
            or attributes.get("title")
            or attributes.get("aria-label")
            or attributes.get("alt")
            or ""
        )
        if control.tag == "button":
            label = f"{control.text(deep=True, separator=' ')[:200]} {label} {attributes.get('name') or ''}"
        label += f" {attributes.get('id') or ''} {attributes.get('class') or ''}"[:200]
        if BUY.search(label) and not is_disabled(attributes):
            buys.append(offset)
    if not buys:
        buys = _linked_buys(document)
    return Anchor(heading, around, tuple(buys[:50]))


def _linked_buys(document: Document) -> list[int]:
    """Return offsets of short texts that read like a buy button, for shops that use links."""
    found = []
    for start, node in zip(document.starts, document.nodes, strict=True):
        text = node.text_content or ""
        if len(text) < 60 and BUY.search(text.strip()) and len(text.strip()) < 40:
            found.append(start)
            if len(found) >= 50:
                break
    return found


def _heading(document: Document, facts: Facts, name: str | None) -> int | None:
    wanted = [t for t in (name, facts.og_title, facts.title) if t]
    best: tuple[float, int] | None = None
    for text, offset in facts.headings:
        score = max((agreement(text, t) for t in wanted), default=0.0) + (
            0.3 if name and agreement(text, name) > 0.6 else 0
        )
        if len(text) < 4:
            score -= 0.5
        if best is None or score > best[0]:
            best = (score, offset)
    if best and (best[0] >= 0.4 or not name):
        return best[1]
    for candidate in wanted:
        offset = document.text.find(candidate[:60])
        if offset >= 0:
            return offset
    return best[1] if best else None
