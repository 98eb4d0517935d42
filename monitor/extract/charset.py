"""Turn the bytes of a page into text, once, before anything is parsed.

Order: byte order mark, the Content-Type header, a `<meta charset>` in the first 4 kB, UTF-8, and at last
windows-1252. A declaration that does not fit the bytes is not believed when the bytes are valid UTF-8.
Never raises: a byte that fits nowhere becomes U+FFFD. Source of the order: WHATWG HTML, section 13.2.3.2.
"""

import codecs
import re

import stringzilla

#: Bytes looked at for a declaration; the standard asks for 1024, shops put it later.
SNIFFED_BYTES = 4096
CHECKED = 4_096  #: bytes decoded at once to see whether they are UTF-8, from one that is not ASCII on

_HEADER = re.compile(r"charset\s*=\s*[\"']?\s*([\w.:-]{2,40})", re.IGNORECASE)
_META = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([\w.:-]{2,40})", re.IGNORECASE)
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
#: Labels that mean a superset in practice. Source: WHATWG Encoding, section 4.2.
_MEANT = {
    "iso8859-1": "cp1252",
    "ascii": "cp1252",
    "iso8859-9": "cp1254",
    "shift_jis": "cp932",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "euc_kr": "cp949",
    "big5": "big5hkscs",
    "tis_620": "cp874",
    "iso8859-8": "cp1255",
}
_BEYOND_ASCII = bytes(range(0x80, 0x100))
_LEADS = bytes(range(0xC2, 0xF5))  #: with which a character of several bytes begins in UTF-8
_NOT_TEXT = frozenset({"hex", "base64", "rot13", "zlib", "bz2", "uu", "quopri", "idna", "punycode", "utf-7"})


def _codec(label: str) -> str | None:
    try:
        name = codecs.lookup(label.strip()).name
    except (LookupError, ValueError):
        return None
    if name in _NOT_TEXT or name.endswith("_escape"):
        return None
    return _MEANT.get(name, name)


def _declared(body: bytes, content_type: str | None) -> list[str]:
    labels = _HEADER.findall(content_type or "")[:1]
    found = _META.search(body[:SNIFFED_BYTES])
    if found:
        labels.append(found.group(1).decode("ascii", "replace"))
    codecs_named = [_codec(label) for label in labels]
    return [name for name in codecs_named if name and not name.startswith("utf-16")]


def as_utf8(body: bytes, content_type: str | None = None) -> bytes:
    """Return `body` in UTF-8 without mark and NULs; the same object for most pages, which are that already."""
    plain = body.removeprefix(codecs.BOM_UTF8)
    plain = plain.replace(b"\0", b"") if b"\0" in plain else plain
    if _is_utf8(plain):
        return plain
    return decoded(body, content_type).encode("utf-8", "replace")


def _is_utf8(body: bytes) -> bool:
    if body.isascii():
        return True
    view, at, size = memoryview(body), 0, len(body)
    try:
        while (at := stringzilla.find_first_of(body, _BEYOND_ASCII, at, size)) >= 0:
            at += codecs.utf_8_decode(view[at : at + CHECKED], "strict", at + CHECKED >= size)[1]
    except UnicodeDecodeError:
        return False
    return True


def decoded(body: bytes, content_type: str | None = None) -> str:
    """Return the text of `body`; NULs are dropped and line ends kept."""
    for mark, name in _MARKS:
        if body.startswith(mark):
            return body[len(mark) :].decode(name, "replace").replace("\0", "")
    for name in ["utf-8", *_declared(body, content_type)]:
        try:
            return body.decode(name).replace("\0", "")
        except (UnicodeDecodeError, LookupError):
            continue
    named = _declared(body, content_type)
    fallback = "cp1252" if not named or (named[0] == "utf-8" and b"\xef\xbf\xbd" not in body) else named[0]
    if named and _mostly_utf8(body):
        fallback = "utf-8"
    return body.decode(fallback, "replace").replace("\0", "")


def _mostly_utf8(body: bytes) -> bool:
    """Say whether only a few bytes of `body` are not UTF-8: a cut sequence, one wrong include."""
    wrong = body.decode("utf-8", "replace").count("�")
    high = len(body) - len(body.translate(None, _LEADS))
    return wrong <= max(2, high // 10)
