"""Accuracy on the pages of a corpus after their price has been drawn as other shops draw theirs.

    python benchmarks/extraction_redrawn.py CORPUS [--form NAME]

A corpus is what `extraction.py` reads. Each page of a product that is read right although all that it declares has been
taken out is asked again with its price in other elements: the sign in one of its own, the cents raised, the sign as the
point, the amount twice; alone and behind a number that is no money, on the same line. Nothing is named. The price and
its currency are the same as before.

Prints one JSON object per form and number: how many pages were asked, how many were read right, wrong, or not at all.
Left out are pages whose price has its sign in several words, and, where cents are drawn, those whose price has none.
"""

import argparse
import json
import re
from collections import Counter
from pathlib import Path

from extraction import ours
from extraction_beside import Shown, asked

#: With `{s}` the sign, `{n}` the number, `{w}` its whole part, `{p}` its point, `{c}` its cents, `{m}` it with each
#: of its marks in an element, `{a}` all as it stood: where the sign stands before the number, and where behind.
FORMS = {
    "sign in an element": ("<bdi><i>{s}</i>{n}</bdi>", "<bdi>{n}<i>{s}</i></bdi>"),
    "sign and number in elements": ("<i>{s}</i><b>{n}</b>", "<b>{n}</b> <i>{s}</i>"),
    "a comment between them": ("{s}<!-- -->{n}", "{n}<!-- --> <!-- -->{s}"),
    "said twice": ("<i>{a}</i><b>{a}</b>",) * 2,
    "a label before": ("<i>Price:</i> <b>{a}</b>",) * 2,
    "a footnote": ("{a}<sup>1</sup>",) * 2,
    "a star": ("{a}*",) * 2,
    "cents raised": ("{s}{w}<sup>{c}</sup>", "{w}<sup>{c}</sup> {s}"),
    "sign and cents raised": ("<sup>{s}</sup>{w}<sup>{c}</sup>", "{w}<sup>{c} {s}</sup>"),
    "sign over the cents": ("{w}<sup>{s}</sup><sub>{c}</sub>",) * 2,
    "point and cents in an element": ("{s}{w}<i>{p}{c}</i>", "{w}<i>{p}{c}</i> {s}"),
    "each in an element": ("<i>{s}</i><b>{w}</b><i>{p}</i><b>{c}</b>", "<b>{w}</b><i>{p}</i><b>{c}</b><i>{s}</i>"),
    "each mark in an element": ("<i>{s}</i>{m}", "{m}<i>{s}</i>"),
    "point left with the whole": ("<i>{s}</i><b>{w}{p}</b><b>{c}</b>", "<b>{w}{p}</b><b>{c}</b><i>{s}</i>"),
    "sign as the point": ("{w}{s}{c}",) * 2,
    "sign as the point, in elements": ("<b>{w}</b><i>{s}</i><b>{c}</b>",) * 2,
    "spaces around the point": ("{s} {w} {p} {c}", "{w} {p} {c} {s}"),
}
NUMBERS = {"nothing": "", "a count": "<i>12</i> ", "a rating": "<i>4.5</i> ", "a place": "<i>No. 7</i> "}
_NUMBER = re.compile(r"\d[\d.,\s]*\d|\d")
_MARK = re.compile(r"[.,]")
_CENTS = re.compile(r"([.,])(\d{2})$")


def drawn(amount: str, form: str) -> str | None:
    """Return an amount in another form, None where it has no cents to draw or its sign is several words."""
    found = _NUMBER.search(amount)
    if found is None:
        return None
    number, before, behind = found.group(), amount[: found.start()].strip(), amount[found.end() :].strip()
    sign = before or behind
    if (before and behind) or not sign or " " in sign or "\xa0" in sign:
        return None
    cents = _CENTS.search(number)
    template = FORMS[form][0 if before else 1]
    if cents is None and "{c}" in template:
        return None
    parts = {"w": number[: cents.start()], "p": cents.group(1), "c": cents.group(2)} if cents else {}
    marked = f"<b>{_MARK.sub(lambda mark: f'</b><i>{mark.group()}</i><b>', number)}</b>"
    return template.format(s=sign, n=number, a=amount, m=marked, **parts)


def redrawn(at: Shown, form: str, number: str) -> bytes | None:
    """Return the page with its price in another form behind a number, None where that cannot be."""
    out, end = [], 0
    for begins, ends, amount in at.places:
        element = at.text[begins:ends]
        start, made = element.rfind(amount), drawn(amount, form)
        if start < 0 or made is None:
            return None
        out += [at.text[end:begins], NUMBERS[number], element[:start], made, element[start + len(amount) :]]
        end = ends
    return "".join([*out, at.text[end:]]).encode()


def main() -> None:
    """Print one line for each form and number."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--form", choices=list(FORMS))
    wanted = parser.parse_args()
    pages = [(at, ours(at.text.encode(), at.page.url, "text/html; charset=utf-8")[2]) for at in asked(wanted.corpus)]
    for form in [wanted.form] if wanted.form else FORMS:
        for number in NUMBERS:
            counts: Counter[str] = Counter()
            misread = []
            for at, currency in pages:
                page = redrawn(at, form, number)
                if page is None:
                    continue
                outcome, price, read_in = ours(page, at.page.url, "text/html; charset=utf-8")
                is_right = price in at.page.prices and read_in == currency
                told = "silent" if outcome != "ok" else "right" if is_right else "wrong"
                counts[told] += 1
                misread += [f"{price} {read_in} {at.page.url}"] if told == "wrong" else []
            told_of = {name: counts[name] for name in ("right", "wrong", "silent")}
            asked_of = sum(counts.values())
            print(json.dumps({"form": form, "behind": number, "pages": asked_of, **told_of, "misread": misread}))


if __name__ == "__main__":
    main()
