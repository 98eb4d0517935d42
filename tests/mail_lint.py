"""Find in the HTML of a mail what Outlook and Gmail drop, or what loads something from elsewhere.

Rules, by what each program documents and what is measured of it (caniemail.com): Outlook draws with Word, which knows
no flex, grid, position, background images and SVG, takes padding on cells only, and needs the width of an image as an
attribute; Gmail drops forms, scripts, linked and imported styles, and a whole `<style>` over 8192 characters.
`<style>` may hold only what can be lost: other widths, dark mode, and Outlook.com's own dark mode.
"""

import re
from collections.abc import Iterator

from selectolax.lexbor import LexborHTMLParser, LexborNode

_DROPPED = (
    *("script", "form", "input", "button", "select", "textarea", "link", "base", "svg"),
    *("canvas", "video", "audio", "iframe", "object", "embed", "picture", "source"),
)
_STYLE = re.compile(
    r"(?P<flex>\b(?:inline-)?flex\b)|(?P<grid>\b(?:inline-)?grid\b)|(?P<position>(?<![\w-])position\s*:)"
    r"|(?P<background_image>background-image)|(?P<url>url\()|(?P<import>@import)|(?P<float>(?<![\w-])float\s*:)"
    r"|(?P<variable>var\()|(?P<calculation>calc\()|(?P<unit>\d(?:rem|vw|vh)\b)|(?P<colour>\b(?:rgba|hsla?)\()"
    r"|(?P<transform>(?<![\w-])transform\s*:)|(?P<animation>animation)",
    re.IGNORECASE,
)
_RULE = re.compile(r"([^{}]+)\{[^{}]*\}")
_AT_RULE = re.compile(r"@media \((?:max-width: \d+px|prefers-color-scheme: dark)\) \{(?:[^{}]*\{[^{}]*\})*\s*\}")
_MAX_STYLE = 8192


def findings(html: str) -> list[str]:
    """Return what would be lost of a mail, each as the rule and the place; empty when nothing is."""
    tree = LexborHTMLParser(html)
    return [
        *(f"<{tag}>" for tag in _DROPPED for _ in tree.css(tag)),
        *(found for node in tree.css("[style]") for found in _inline(node)),
        *(found for node in tree.css("style") for found in _sheet(node.text())),
        *(found for node in tree.css("img") for found in _image(node)),
        *(f"remote: {name}={value[:60]}" for name, value in _remote(tree)),
        *(f"address: {value[:60]}" for value in _addresses(tree) if not re.match(r"https?://|mailto:", value)),
        *(f"handler: {name}" for node in tree.css("*") for name in node.attributes if name.startswith("on")),
    ]


def _inline(node: LexborNode) -> Iterator[str]:
    style = node.attributes["style"] or ""
    yield from _unknown(style)
    if "!important" in style:
        yield f"!important inline on <{node.tag}>"
    if re.search(r"(?<!-)padding", style) and node.tag not in ("td", "th", "body") and not _has_mso_padding(node):
        yield f"padding on <{node.tag}>"


def _has_mso_padding(node: LexborNode) -> bool:
    """A link that fills its cell, which gives the same padding to Outlook."""
    cell = node.parent
    return node.tag == "a" and cell is not None and "mso-padding-alt" in (cell.attributes.get("style") or "")


def _sheet(css: str) -> Iterator[str]:
    yield from _unknown(css)
    if len(css) > _MAX_STYLE:
        yield f"<style> of {len(css)} characters"
    for rule in _RULE.finditer(_AT_RULE.sub("", css)):
        selector = rule[1].strip()
        if not selector.startswith(("[data-ogsc]", "[data-ogsb]")):
            yield f"only in <style>: {selector}"


def _unknown(css: str) -> Iterator[str]:
    for found in _STYLE.finditer(css):
        yield f"style: {found.lastgroup}"


def _image(node: LexborNode) -> Iterator[str]:
    if not (node.attributes.get("alt") or "").strip():
        yield "<img> without alt"
    if not (node.attributes.get("width") or "").isdigit():
        yield "<img> without width"


def _remote(tree: LexborHTMLParser) -> Iterator[tuple[str, str]]:
    for node in tree.css("[src], [background], [srcset], [poster]"):
        for name in ("src", "background", "srcset", "poster"):
            value = node.attributes.get(name)
            if value is not None and not value.startswith("cid:"):
                yield name, value


def _addresses(tree: LexborHTMLParser) -> Iterator[str]:
    return (node.attributes.get("href") or "" for node in tree.css("a"))
