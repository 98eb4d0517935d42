"""What kind of page its own scripts say it is: `"pageType": "category"`, as shops tell the services that measure them.

Asked only of a page that declares no price. One that states several kinds, as a table of all of them does, states none.
"""

import re
from enum import Enum, auto
from itertools import islice

from monitor.extract.document import Document
from monitor.extract.needles import every

#: Bytes at the start and at the end of a page that are searched: of 68 real pages that state it, 65 do so there.
HEAD, TAIL = 64_000, 36_000
MAX_STATED = 40  #: places that are read

#: How `pageType`, `page_type`, `data-page-type` and `ecomm_pagetype` go on behind their first letter, and what
#: BigCommerce starts its scripts with.
_SPELLED = (b"ageType", b"agetype", b"age_type", b"age-type", b"age_Type", b"AGE_TYPE", b"AGETYPE", b"tencilBootstrap(")
LONGEST = 120  #: bytes in which such a word and what it states stand
_FOLDED = bytes.maketrans(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ", b"abcdefghijklmnopqrstuvwxyz")
_DROPPED = b"-_\\"  #: the last one escapes a script within a script
_QUOTE = rb"(?:[\"']|&quot;|&#34;)"
_KIND = re.compile(
    rb"(?:pagetype" + _QUOTE + rb"?(?:\s{0,3}[:=]|\s{1,3}content ?=)|stencilbootstrap\()\s{0,3}" + _QUOTE
    + rb"([a-z0-9][\w /.:]{1,39})" + _QUOTE
)  # fmt: skip
_NO_LETTER = re.compile(r"[^a-z0-9]")
_PAGE = re.compile(r"(?:page|pg|view)$")


class Stated(Enum):
    """The kinds of pages that are told apart."""

    PRODUCT = auto()  #: one product
    LIST = auto()  #: a category, a search, a brand, the first page of a shop
    OWN = auto()  #: a cart, a checkout, an account, an order
    ARTICLE = auto()  #: an article or a post
    GONE = auto()  #: the page of an error
    OTHER = auto()  #: called so: what it is beside is not believed either


_NAMES = {
    Stated.PRODUCT: "product products productdetail productdetails pdp item catalogproduct",
    Stated.LIST: "category categories subcategory collection collections listcollections search searchresult"
    " searchresults plp listing list productlist productlisting catalog catalogcategory home brand department"
    " kategorie categorie categoria startseite",
    Stated.OWN: "cart basket viewcart checkout account login order orderconfirmation purchase",
    Stated.ARTICLE: "article blog blogpost post news editorial",
    Stated.GONE: "404 error error404 notfound",
    Stated.OTHER: "other",
}
_KINDS = {name: kind for kind, names in _NAMES.items() for name in names.split()}


def stated_kind(document: Document) -> Stated | None:
    """Return the only kind of page that the scripts of a page state, None where they state none or several."""
    markup = document.encoded
    if len(markup) > HEAD + TAIL:
        markup = markup[:HEAD] + b"\n" + markup[-TAIL:]
    places = (at for spelling in _SPELLED for at in islice(every(markup, spelling), MAX_STATED))
    folded = (markup[max(0, at - 1) : at + LONGEST].translate(_FOLDED, _DROPPED) for at in places)
    kinds = {_KINDS.get(_plain(found[1])) for near in folded if (found := _KIND.match(near))} - {None}
    return kinds.pop() if len(kinds) == 1 else None


def _plain(name: bytes) -> str:
    plain = _NO_LETTER.sub("", name.decode("latin-1"))
    return _PAGE.sub("", plain) or plain
