"""The faults of hand-made XML that leave no doubt of what is meant, mended and told."""

import html
import re
from collections.abc import Iterator
from functools import partial

from monitor.extract.charset import decoded
from monitor.extract.platforms.packed import GZIP, MAX_REPAIRED, encoding_of, unpacked

_STRAY = re.compile(r"&(?!(?:amp|lt|gt|quot|apos|#[0-9]{1,7}|#x[0-9a-fA-F]{1,6});)([A-Za-z][A-Za-z0-9]{1,31};)?")
_OPENS = re.compile(r"<!\[CDATA\[|<!--")
_CLOSES = {"<![CDATA[": "]]>", "<!--": "-->"}
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")


def repaired(body: bytes) -> tuple[bytes, list[str]]:
    """Return the file without the faults that leave no doubt of what is meant, and what was changed.

    Raises:
        UnreadableXml: the gzip file is damaged or too large.
    """
    whole = b"".join(unpacked(body, MAX_REPAIRED)) if body.startswith(GZIP) else body
    name = encoding_of(whole)
    text, others = _text_of(whole) if name is None else (whole.decode(name, "replace"), [])
    text, count = _CONTROL.subn(" ", text)
    others += [f"control characters, which XML does not allow, left out at {count} places"] if count else []
    lines: list[int] = []
    done = 0

    def mend(found: re.Match[str], at: int) -> str:
        lines.append(text.count("\n", 0, at + found.start()) + 1 if len(lines) < 3 else 0)
        entity = found.group(1)
        meant = html.unescape(f"&{entity}") if entity else ""
        return html.escape(meant, quote=False) if meant and not meant.startswith("&") else f"&amp;{entity or ''}"

    parts: list[str] = []
    for number, part in enumerate(_apart(text)):
        parts.append(part if number % 2 else _STRAY.sub(partial(mend, at=done), part))
        done += len(part)
    first = ", ".join(str(line) for line in lines if line)
    more = f" and {len(lines) - 3} more places" if len(lines) > 3 else ""
    told = [f"line {first}{more}: an & that is not written as &amp;, read as meant"] if lines else []
    bare = re.sub(r"\A(\s*<\?xml[^>]{0,200}?)\s+encoding\s*=\s*[\"'][^\"']{1,40}[\"']", r"\1", "".join(parts))
    return bare.encode("utf-8", "replace"), [*told, *others]


def _apart(text: str) -> Iterator[str]:
    """Yield in turn what is markup, and what stands in a comment or a CDATA section, each looked for once."""
    start = at = 0
    unclosed: set[str] = set()
    while found := _OPENS.search(text, at):
        end = -1 if found.group() in unclosed else text.find(_CLOSES[found.group()], found.end())
        if end < 0:
            unclosed.add(found.group())
            at = found.end()
            if len(unclosed) == len(_CLOSES):
                break
            continue
        yield text[start : found.start()]
        start = at = end + len(_CLOSES[found.group()])
        yield text[found.start() : start]
    yield text[start:]


def _text_of(whole: bytes) -> tuple[str, list[str]]:
    """Return the text of a file that says it is in UTF-8, and where it is not."""
    try:
        return whole.decode("utf-8-sig"), []
    except UnicodeDecodeError as error:
        line = whole.count(b"\n", 0, error.start) + 1
    is_other = whole.decode("utf-8", "ignore").isascii()  # nothing of it is UTF-8: then all of it is windows-1252
    text = whole.decode("cp1252", "replace") if is_other else decoded(whole, "text/xml; charset=utf-8")
    return text, [f"line {line}: not in UTF-8 as the file says, read as the encoding that fits"]
