"""Accuracy on the pages of a corpus after what they declare has been taken away.

    python benchmarks/extraction_bare.py CORPUS

A corpus is what `extraction.py` reads. Most pages declare their price, so that the readers of the other places rest on
a few pages; here each kind of declaration is taken out of every page that has it, and the same labels are asked again.
Pages whose price stood nowhere else, or that draw it by script, cannot be read then and count as misses. Prints one
JSON object per kind: `pages` that had it, and the shares of `extraction.py`. A page with a wrong price is named.
"""

import argparse
import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from extraction import Labelled, accuracy, corpus_pages, ours

_VALUE = rb"(?:=(?:\"[^\"]*\"|'[^']*'|[^\s>]*))?(?=[\s/>])"
_JSON_LD = re.compile(rb"<script[^>]*ld\+json[^>]*>.*?</script>", re.DOTALL | re.IGNORECASE)
_SCRIPT = re.compile(rb"<script.*?</script>", re.DOTALL | re.IGNORECASE)
_ITEM = re.compile(rb"\s(?:itemprop|itemscope|itemtype|itemid|typeof)" + _VALUE, re.IGNORECASE)
_PRICE_META = re.compile(rb"<meta[^>]*(?:price|amount|twitter:data)[^>]*>", re.IGNORECASE)


def _everything(body: bytes) -> bytes:
    return _PRICE_META.sub(b"", _ITEM.sub(b"", _JSON_LD.sub(b"", body)))


TAKEN: dict[str, Callable[[bytes], bytes]] = {
    "nothing": bytes,
    "json-ld": lambda body: _JSON_LD.sub(b"", body),
    "microdata": lambda body: _ITEM.sub(b"", body),
    "scripts": lambda body: _SCRIPT.sub(b"", body),
    "all that is declared": _everything,
}


def bare(pages: list[Labelled], take: Callable[[bytes], bytes]) -> list[Labelled]:
    """Return the pages that have something to take, without it; all of them when nothing is taken."""
    without = [replace(page, body=take(page.body)) for page in pages]
    return [new for old, new in zip(pages, without, strict=True) if new.body != old.body] or without


def main() -> None:
    """Print one line for each kind of declaration."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=Path)
    every = [page for page in corpus_pages(parser.parse_args().corpus) if "html" in (page.content_type or "html")]
    for name, take in TAKEN.items():
        pages = bare(every, take)
        answers = [ours(page.body, page.url, page.content_type) for page in pages]
        misread = [p.url for p, a in zip(pages, answers, strict=True) if a[0] == "ok" and a[1] not in p.prices]
        print(json.dumps({"taken": name, "pages": len(pages), **accuracy(pages, answers), "misread": misread}))


if __name__ == "__main__":
    main()
