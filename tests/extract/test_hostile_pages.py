"""Whatever bytes come: an answer or a named refusal, soon, with bounded memory, and never an exception."""

import json
import time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from monitor.domain.extraction import Availability, Extraction, Hints, Outcome
from monitor.extract import extract
from monitor.extract.loose_json import load
from monitor.extract.reading import MAX_BODY, read_page

URL = "https://shop.example/p/thing"
#: Seconds of CPU time; three times what is promised on an idle core, because neighbours slow memory down.
SOON_S = 3.0


def _read(markup: str | bytes) -> Extraction:
    body = markup.encode("utf-8", "surrogatepass") if isinstance(markup, str) else markup
    return read_page(body[:MAX_BODY], URL, "text/html", Hints())


def _filled(piece: str, size: int = 4_000_000) -> str:
    return piece * (size // len(piece))


_PIECES = [
    "<div>",
    "<div class='price'>",
    "</div>",
    "<h1>Thing</h1>",
    "<p>",
    "$12.00",
    "12,90 €",
    "<del>",
    "</del>",
    "<b><p>",
    "<table>",
    "<li>",
    "<script type='application/ld+json'>",
    '{"@type":"Product","name":"Thing","offers":{"price":"9.50","priceCurrency":"EUR"}}',
    "</script>",
    "[[[",
    "}}}",
    "<meta property='og:price:amount' content='5'>",
    "<span itemprop='price'>",
    "itemscope",
    "\0",
    "\u202e",
    "\u200b",
    "NaN",
    "1e9",
    "-3 €",
    "Sold out",
    "<button>Add to cart</button>",
    "<!--",
    "<![CDATA[",
    "&#36;9",
    "<svg>",
    "<template>",
    "\ud800",
]


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.sampled_from(_PIECES) | st.text(max_size=12), max_size=40))
def test_no_soup_of_markup_breaks_a_reader(pieces):
    found = _read("".join(pieces))

    assert isinstance(found.outcome, Outcome)
    assert (found.price is not None) == (found.outcome is Outcome.OK)
    assert found.price is None or (found.price > 0 and found.currency is not None)


@settings(max_examples=150, deadline=None)
@given(
    st.binary(max_size=400),
    st.sampled_from([None, "text/html; charset=shift_jis", "text/html; charset=nonsense", "application/json"]),
)
def test_no_bytes_break_the_decoding(body, content_type):
    assert read_page(body, URL, content_type, Hints()).words


_JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=8)
    | st.sampled_from(["Product", "Offer", "12,90"]),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                [
                    "@type",
                    "@graph",
                    "name",
                    "offers",
                    "price",
                    "priceCurrency",
                    "hasVariant",
                    "sku",
                    "lowPrice",
                    "availability",
                    "priceSpecification",
                    "url",
                ]
            ),
            inner,
            max_size=5,
        )
    ),
    max_leaves=25,
)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(_JSON, st.integers(0, 60))
def test_no_structured_value_breaks_a_reader_even_when_it_is_cut(value, cut):
    text = json.dumps(value)
    for block in (text, text[: len(text) - cut]):
        _read(f"<h1>x</h1><script type='application/ld+json'>{block}</script>")
        read_page(block.encode(), URL, "application/json", Hints())


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=60))
def test_no_url_breaks_a_reader(url):
    body = b'<p>$5.00</p><script type=\'application/ld+json\'>{"@type":"Product","offers":{"url":"//["}}</script>'

    assert extract(body, url).reason != "unreadable"


HOSTILE = {
    "nested divs": _filled("<div>"),
    "nested and balanced": "<div>" * 40_000 + "</div>" * 40_000,
    "formatting without end": _filled("<b><p>"),
    "font tags": "".join(f"<font a{i}>" for i in range(30_000)),
    "unclosed links": _filled("<a href=x>y "),
    "nested tables": _filled("<table><tr><td>"),
    "nested lists": _filled("<li><dd>"),
    "one huge attribute": f"<h1>Thing</h1><div class='{'price ' * 700_000}'>$5.00</div>",
    "very many attributes": "<div " + " ".join(f"a{i}=1" for i in range(300_000)) + ">",
    "very many prices": "<h1>Thing</h1>" + "".join(f"<b class=price>${i}.99</b>" for i in range(45_000)),
    "100,000 offers": '<script type="application/ld+json">{"@type":"Product","name":"x","offers":['
    + ",".join(f'{{"price":{i},"priceCurrency":"EUR"}}' for i in range(100_000))
    + "]}</script>",
    "very many products": '<script type="application/ld+json">['
    + ",".join(f'{{"@type":"Product","name":"{i}"}}' for i in range(100_000))
    + "]</script>",
    "nested arrays": f'<script type="application/ld+json">{"[" * 2_000_000}</script>',
    "nested objects": '<script type="application/ld+json">' + '{"a":' * 800_000 + "</script>",
    "broken JSON": '<script type="application/ld+json">' + '{"a": "b" c, ' * 14_000 + "</script>",
    "broken JSON many times": ('<script type="application/ld+json">' + '{"a" "b", ' * 8_000 + "</script>") * 40,
    "a run of digits": "<p>" + _filled("1"),
    "digits and commas": "<p>" + _filled("1,"),
    "digit groups": "<p>" + _filled("123."),
    "currency signs": "<p>" + _filled("$"),
    "currency codes": "<p>" + _filled("USD EUR "),
    "spaces": "<p>" + " " * 4_000_000 + "$5",
    "NULs": "\0" * 4_000_000,
    "angle brackets": "<" * 4_000_000,
    "labels": "<h1>Thing</h1>" + _filled("sku sku: ref. model item# "),
    "data layers": _filled('<script>dataLayer.push({"a":{"b":'),
    "entities in JSON": '<script type="application/ld+json">' + "&amp;" * 900_000 + "</script>",
    "comments in JSON": '<script type="application/ld+json">' + "/*a*/" * 900_000 + "</script>",
    "commas in JSON": '<script type="application/ld+json">[' + "," * 190_000 + "]</script>",
    "a catalogue answer of very many variants": '{"handle":"x","variants":[' + '{"price":1},' * 300_000 + "{}]}",
    "nested state": "<h1>x</h1><p>$5</p><p>$6</p><script id=__NEXT_DATA__ type='application/json'>"
    + '{"price":{"a":' * 60_000
    + "1"
    + "}}" * 60_000
    + "</script>",
    "very many buy buttons": "<button class=price>Add to cart $5</button>" * 20_000,
    "very many inputs": '<input value="add to cart">' * 90_000,
    "very many items": '<div itemscope itemtype="http://schema.org/Product"><b itemprop=price>1</b></div>' * 20_000,
    "names of types without end": _filled("itemtype="),
    "types of spaces": _filled("itemtype" + " " * 1_000),
    "items within items": "<div itemscope itemprop=a itemtype=Product>" * 3_900 + "<b itemprop=price>5</b>",
    "very many metas": '<meta property="og:price:amount" content="5">' * 90_000,
    "very many headings": "<h1>Thing</h1>" * 30_000,
    "a long title": "<title>" + "a - b | c " * 400_000 + "</title>",
    "a long address": '<link rel=canonical href="' + "/a" * 2_000_000 + '">',
    "styles": "<h1>T</h1>" + ('<div style="' + "display:" * 2_000 + '">') * 200 + "$5",
    "attribute names of a buy control": '<p id="add-to-cart ' * 200_000,
    "keys of prices": '"price":' * 500_000,
    "keys of currencies": '"currency" ' * 450_000,
    "data layers without end": "utag_data = {" * 150_000 + "dataLayer=[{" * 150_000,
    "invisible characters": "<h1>Thing</h1><p>" + _filled("\u200b1\u200b2$", 1_500_000),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_page_ends_soon(name):
    started = time.process_time()
    found = _read(HOSTILE[name])

    assert time.process_time() - started < SOON_S
    assert found.words


def test_more_than_the_limit_is_refused_by_name():
    found = extract(b"<p>" + b"x" * MAX_BODY, URL)

    assert (found.outcome, found.reason, found.availability) == (Outcome.NO_PRICE, "too_large", Availability.UNKNOWN)


@pytest.mark.parametrize(
    ("markup", "reason"),
    [
        ("<div>" * 20_000, "too_deep"),
        ("<i>x</i>" * 60_000, "too_complex"),
        ("<p " + " a=1" * 9_000 + ">", "too_complex"),
        (" \n", "empty"),
    ],
)
def test_what_no_parser_bounds_is_refused_by_name(markup, reason):
    assert _read(markup).reason == reason


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (b"%PDF-1.7\n<< /Price (19.90 EUR) >>", "a PDF"),
        (b"\x89PNG\r\n\x1a\n", "a picture"),
        (b"PK\x03\x04word/19.90 EUR", "an archive or a workbook"),
        (b"\x1f\x8b\x08\x00", "a file packed with gzip"),
    ],
)
def test_a_file_that_is_no_page_is_named(body, kind):
    found = extract(body, URL)

    assert (found.outcome, found.reason) == (Outcome.NO_PRICE, "not_a_page")
    assert found.words == f"the answer is {kind}, not a page"


def test_a_defect_of_a_reader_is_an_answer_to_the_night(monkeypatch):
    def broken(*_: object) -> Extraction:
        raise RuntimeError("nobody foresaw this")

    monkeypatch.setattr("monitor.extract.reading.read_page", broken)
    found = extract(b"<p>", URL)

    assert (found.outcome, found.reason) == (Outcome.NO_PRICE, "unreadable")
    assert "nobody foresaw this" in found.words


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": 1,}', {"a": 1}),
        ("{'a': 'b'}", {"a": "b"}),
        ('/*<![CDATA[*/ {"a": 1} /*]]>*/', {"a": 1}),
        ('<!-- {"a": 1} -->', {"a": 1}),
        ('{"a": "x\ny"};', {"a": "x\ny"}),
        ("{&quot;a&quot;: 1}", {"a": 1}),
        ('{"a": {"b": 1}', {"a": {"b": 1}}),
        ('{"a": NaN}', {"a": None}),
        ("", None),
        ("hello", None),
    ],
)
def test_json_is_repaired_in_the_usual_ways(text, value):
    assert load(text) == value
