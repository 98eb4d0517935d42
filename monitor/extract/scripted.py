"""Signs that the scripts of a page make what it shows, for a page on which no price was found.

A shop that is drawn in the browser sends a shell: scripts, and an empty element for them to fill, or a text that asks
for JavaScript. Neither is proof that a price would appear, so this is a hint for people and never an outcome.
"""

import re

from selectolax.lexbor import LexborHTMLParser, LexborNode

MOST_TEXT = 1_500  #: characters of visible text; a page that shows more has been made by the shop itself
MOST_EMPTY = 40  #: empty elements that are looked at
#: Kinds of scripts that are run; the others hold facts.
_RUN = frozenset({"", "module", "text/javascript", "application/javascript"})
_ASKS = re.compile(
    r"(?:enable|activate|turn on|requires?|needs?|without|aktivier\w*|activer|activez|activa|habilit\w*|attiva\w*"
    r"|schakel\w*)\b.{0,40}\b(?:javascript|js)\b|javascript\b.{0,40}(?:enabled?|required|aktivieren|einschalten"
    r"|disabled|deaktiviert)",
    re.IGNORECASE | re.DOTALL,
)


def sign_of_scripts(body: bytes) -> str | None:
    """Return in words why a page looks drawn by scripts, None when nothing says so."""
    tree = LexborHTMLParser(body)
    if tree.body is None or not any(_is_run(node) for node in tree.css("script")):
        return None
    asks = any(_ASKS.search(node.text() or "") for node in tree.css("noscript"))
    empty = _empty(tree)
    tree.strip_tags(["script", "style", "noscript", "template"])
    shown = " ".join((tree.body.text(separator=" ") or "").split())
    if len(shown) > MOST_TEXT:
        return None
    if asks:
        return "it asks for JavaScript"
    return f"scripts fill its empty element {empty}" if empty else None


def _is_run(script: LexborNode) -> bool:
    return (script.attrs.get("type") or "").strip().lower() in _RUN


def _empty(tree: LexborHTMLParser) -> str | None:
    """Return the empty element that a script of the page names, or that is all there is before the scripts."""
    scripts = " ".join(node.text() or "" for node in tree.css("script") if _is_run(node))
    outside = any(node.attrs.get("src") for node in tree.css("script") if _is_run(node))
    for node in tree.css("div[id], main[id], section[id], span[id]")[:MOST_EMPTY]:
        name = node.attrs.get("id") or ""
        if (
            name
            and not node.text().strip()
            and (outside or f'"{name}"' in scripts or f"'{name}'" in scripts or f"#{name}" in scripts)
        ):
            return f"#{name[:40]}"
    return None
