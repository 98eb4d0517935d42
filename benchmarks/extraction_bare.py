"""Accuracy on the pages of a corpus after something has been taken away from them.

    python benchmarks/extraction_bare.py CORPUS

A corpus is what `extraction.py` reads. Most pages declare their price, so that the readers of the other places rest on
a few pages; here each kind of declaration is taken out of every page that has it, and the same labels are asked again.
Pages whose price stood nowhere else, or that draw it by script, cannot be read then and count as misses. Then the
names of elements become meaningless, as some build tools make them, and headings, buttons and the tags of lists and
tables plain blocks. Then the point of the price is taken out, its cents in a block of their own, and the price is drawn
digit by digit. Last the price itself is taken out wherever it stands, as where a script draws it: no other amount of
the page is the price then.

Prints one JSON object per kind: `pages` that had it, and the shares of `extraction.py`. A page with a wrong or an
invented price is named.
"""

import argparse
import json
import re
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from functools import partial
from hashlib import blake2s
from pathlib import Path

from extraction import Answer, Labelled, accuracy, corpus_pages, ours

from monitor.extract.charset import as_utf8

Take = Callable[[Labelled], bytes]

_VALUE = rb"(?:=(?:\"[^\"]*\"|'[^']*'|[^\s>]*))?(?=[\s/>])"
_JSON_LD = re.compile(rb"<script[^>]*ld\+json[^>]*>.*?</script>", re.DOTALL | re.IGNORECASE)
_SCRIPT = re.compile(rb"<script.*?</script>", re.DOTALL | re.IGNORECASE)
_ITEM = re.compile(rb"\s(?:itemprop|itemscope|itemtype|itemid|typeof)" + _VALUE, re.IGNORECASE)
_PRICE_META = re.compile(rb"<meta[^>]*(?:price|amount|twitter:data)[^>]*>", re.IGNORECASE)
_NAMES = re.compile(rb"(?<=\s)(class|id)=(?:\"([^\"]*)\"|'([^']*)')", re.IGNORECASE)
_HEADING = re.compile(rb"<(/?)h[1-6](?=[\s>])", re.IGNORECASE)
_CONTROL = re.compile(rb"<button(?=[\s>]).*?</button>|<input[^>]*>", re.DOTALL | re.IGNORECASE)
_PARTS = re.compile(
    rb"<(/?)(?:table|tbody|tr|td|th|ul|ol|li|dl|dt|dd|aside|header|footer|nav|section|article|main)(?=[\s>])",
    re.IGNORECASE,
)
#: A text between two tags, short enough to be a price and its words.
_SHOWN = re.compile(r"(?<=>)[^<>]{1,200}(?=<)")
#: What shops write between thousands.
_GROUPING = ("", ",", ".", " ", "\u00a0", "\u202f", "'", "&nbsp;", "&#160;", "&thinsp;")


def _undeclared(page: Labelled) -> bytes:
    return _PRICE_META.sub(b"", _ITEM.sub(b"", _JSON_LD.sub(b"", page.body)))


def _unnamed(page: Labelled) -> bytes:
    """Return a page that declares nothing with names of elements that mean nothing; alike stays alike."""

    def unnamed(found: re.Match[bytes]) -> bytes:
        names = (re.sub(rb"[0-9]+", b"#", name) for name in (found[2] or found[3] or b"").split())
        return found[1] + b'="' + b" ".join(b"x" + blake2s(n, digest_size=3).hexdigest().encode() for n in names) + b'"'

    return _NAMES.sub(unnamed, _SCRIPT.sub(b"", _undeclared(page)))


def written(price: Decimal) -> str:
    """Return a pattern for a price as pages write it, with the groups whole, point and cents."""
    whole, cents = int(price), int((price - int(price)) * 100)
    grouped = "|".join(re.escape(f"{whole:,}".replace(",", mark)) for mark in _GROUPING)
    ends = rf"(?P<point>\s*[.,]\s*)(?P<cents>{cents:02d}" + (rf"|{cents // 10}" if cents % 10 == 0 else "") + ")"
    return rf"(?P<whole>{grouped})(?:{ends}){'' if cents else '?'}"


def _prices(page: Labelled, body: bytes, draw: Callable[[re.Match[str]], str], *, shown: bool) -> bytes:
    """Return a page that declares nothing as UTF-8, its price written as `draw` says; in the text alone where `shown`.

    A match has the groups of `written`; the last two are None where a price without cents is written so.
    """
    text = as_utf8(body, page.content_type).decode("utf-8", "replace")
    for price in page.prices:
        number = re.compile(rf"(?<![\d.,]){written(price)}(?![\d]|[.,]\d)")
        text = _SHOWN.sub(partial(_redrawn, number, draw), text) if shown else number.sub(draw, text)
    return text.encode()


def _redrawn(number: re.Pattern[str], draw: Callable[[re.Match[str]], str], text: re.Match[str]) -> str:
    return number.sub(draw, text.group())


def _apart(found: re.Match[str]) -> str:
    return f"<div>{found['whole']}</div><div>{found['cents']}</div>" if found["cents"] else found.group()


def _unpriced(page: Labelled) -> bytes:
    """Return a page that declares nothing without its price; a page without one as it is."""
    return _prices(page, _undeclared(page), lambda _: "", shown=False) if page.prices else page.body


def _drawn(draw: Callable[[re.Match[str]], str]) -> Take:
    def taken(page: Labelled) -> bytes:
        body = _prices(page, _undeclared(page), draw, shown=True) if page.outcome == "ok" and page.prices else page.body
        plain = _prices(page, _undeclared(page), lambda found: found.group(), shown=True)
        return page.body if body == plain else body

    return taken


TAKEN: dict[str, Take] = {
    "nothing": lambda page: page.body,
    "json-ld": lambda page: _JSON_LD.sub(b"", page.body),
    "microdata": lambda page: _ITEM.sub(b"", page.body),
    "scripts": lambda page: _SCRIPT.sub(b"", page.body),
    "all that is declared": _undeclared,
    "… and names of elements": _unnamed,
    "… and headings": lambda page: _HEADING.sub(rb"<\1div", _undeclared(page)),
    "… and buttons": lambda page: _CONTROL.sub(b"", _undeclared(page)),
    "… and lists and tables": lambda page: _PARTS.sub(rb"<\1div", _undeclared(page)),
    "… and the point of the price": _drawn(_apart),
    "… and the price is drawn digit by digit": _drawn(lambda found: "".join(f"<i>{c}</i>" for c in found.group())),
    "… and the price": _unpriced,
}


def without(pages: list[Labelled], name: str) -> list[Labelled]:
    """Return the pages that have something to take, without it; all of them when nothing is taken."""
    taken = [replace(page, body=TAKEN[name](page)) for page in pages]
    taken = [new for old, new in zip(pages, taken, strict=True) if new.body != old.body] or taken
    if TAKEN[name] is not _unpriced:
        return taken
    priced = [page for page in taken if page.outcome == "ok"]
    return [replace(p, outcome="no_price", content_type="text/html; charset=utf-8") for p in priced]


def main() -> None:
    """Print one line for each kind of what was taken."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=Path)
    every = [page for page in corpus_pages(parser.parse_args().corpus) if "html" in (page.content_type or "html")]
    for name in TAKEN:
        pages = without(every, name)
        answers = [ours(page.body, page.url, page.content_type) for page in pages]
        if TAKEN[name] is _unpriced:  # a price that was written in a way not thought of here is still there
            pages, answers = _really_gone(pages, answers)
        misread = [
            f"{a[1]} {p.url}"
            for p, a in zip(pages, answers, strict=True)
            if a[0] == "ok" and (p.outcome != "ok" or a[1] not in p.prices)
        ]
        print(json.dumps({"taken": name, "pages": len(pages), **accuracy(pages, answers), "misread": misread}))


def _really_gone(pages: list[Labelled], answers: list[Answer]) -> tuple[list[Labelled], list[Answer]]:
    kept = [(p, a) for p, a in zip(pages, answers, strict=True) if a[1] not in p.prices]
    return [p for p, _ in kept], [a for _, a in kept]


if __name__ == "__main__":
    main()
