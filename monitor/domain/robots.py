"""What a shop's robots.txt asks of us (RFC 9309), and what its absence means.

The shop's file is authoritative. An operator can refuse paths that it leaves open, and with a reason that is logged
every night ask for paths that it closes, or ignore it whole.

Matching is protego's (longest rule wins, `Allow` on a tie, `*` and `$`); on top of it: a byte order mark is dropped, an
HTML page counts as an empty file, only the first 500 kB count, and a group is ours only when its product token is ours
exactly (protego also takes a prefix: `price` for `price-monitor`). A group that names both us and `*` is read together
with the other `*` groups: its author put us with everybody.

Sources: RFC 9309 sections 2.2 and 2.3; google/robotstxt tests; scrapy/scrapy#6195 (byte order mark).
"""

import codecs
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from enum import StrEnum
from functools import lru_cache
from typing import Any
from urllib.parse import quote, urlsplit

from protego import Protego

from monitor.domain.address import UrlRefused, target
from monitor.domain.page import Miss, MissReason, Page

#: Bytes of a robots.txt that are read; RFC 9309, section 2.5, asks for at least 500 KiB.
MAX_BYTES = 512_000

#: Longest crawl delay that is kept; more would not fit a night's budget and is reported instead.
MAX_CRAWL_DELAY = timedelta(seconds=30)

#: How long a copy may be used; RFC 9309, section 2.4.
MAX_AGE = timedelta(hours=24)

_USER_AGENT = re.compile(r"user[- ]?agent\s*:?\s*(.*)", re.IGNORECASE)
_TOKEN = re.compile(r"[A-Za-z0-9_-]+|\*")
_SITE_WIDE = re.compile(r"(?:sitemaps?|site-map|host)\b", re.IGNORECASE)
#: What ends a list of user agents; with the misspellings protego takes. Unknown lines end nothing.
_RULE = re.compile(
    r"(?:allow|dis?s?al+[oa]w|dissalow|diasllow|crawl[- ]delay|request[- ]rate|visit[- ]time)\b", re.IGNORECASE
)
_DELAY = re.compile(
    r"(crawl[- ]delay\s*:?\s*(?=[.,]?[0-9])[0-9]*)[.,]?([0-9]*)\s*(?:[^\s0-9.,#-][^0-9#]*)?(?:#.*)?", re.IGNORECASE
)
#: What Python takes for the end of a line and the RFC does not.
_NO_LINE_END = re.compile("[\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
#: A page; a comment alone makes none, since caches put theirs before real rules too.
_HTML = re.compile(r"\s*(?:<!--(?:(?!-->).)*-->\s*)*<(?:!doctype|html|head|body|\?xml)", re.IGNORECASE | re.DOTALL)
#: Stands for every group that is not ours; no product token contains it.
_OTHERS = "~"


class RobotsKind(StrEnum):
    """What is known of a shop's robots.txt."""

    RULES = "rules"  #: a file was read; it may be empty
    ABSENT = "absent"  #: 4xx: there is none, everything is allowed
    WITHHELD = "withheld"  #: 401 or 403: everything is allowed as well, and the report says so
    UNREACHABLE = "unreachable"  #: 5xx or no answer: nothing is fetched this run


#: Reason of what was not asked for, because nobody could tell whether it may be.
UNREACHABLE = f"robots_{RobotsKind.UNREACHABLE.value}"


@dataclass(frozen=True, slots=True)
class RobotsVerdict:
    """The answer of one robots.txt, good for 24 hours."""

    kind: RobotsKind
    words: str  #: for the report
    text: str = ""
    refuse: tuple[str, ...] = ()  #: paths that the operator never asks for, whatever the file allows
    allow: tuple[str, ...] = ()  #: paths that the operator asks for although the file closes them
    is_ignored: bool = False  #: the operator ignores the file; `refuse` holds all the same

    def as_set(self, refuse: tuple[str, ...], allow: tuple[str, ...]) -> "RobotsVerdict":
        """Return the verdict with what the operator set for the competitor."""
        return replace(self, refuse=refuse, allow=allow)

    def is_refused(self, url: str) -> bool:
        """Say whether the operator's own setting closes a URL."""
        return bool(self.refuse) and _any_matches(self.refuse, _as_sent(url))

    def allows(self, url: str, agent: str) -> bool:
        """Say whether `agent` (a product token, in any case) may fetch `url`; robots.txt itself always."""
        url = _as_sent(url)
        if self.is_refused(url):
            return False
        if self.is_ignored:
            return True
        if self.kind is RobotsKind.UNREACHABLE:
            return urlsplit(url).path == "/robots.txt"
        return _rules(self.text, _token(agent)).can_fetch(url, _token(agent)) or _any_matches(self.allow, url)

    def asked_delay(self, agent: str) -> timedelta | None:
        """Return the Crawl-delay of our group as written, or None."""
        seconds = _rules(self.text, _token(agent)).crawl_delay(_token(agent))
        return None if seconds is None else timedelta(seconds=min(seconds, 86_400.0))

    def crawl_delay(self, agent: str) -> timedelta:
        """Return the delay to keep between two requests: what is asked, at most 30 seconds."""
        return min(self.asked_delay(agent) or timedelta(0), MAX_CRAWL_DELAY)

    def sitemaps(self) -> tuple[str, ...]:
        """Return the sitemap URLs in file order, each once."""
        return tuple(dict.fromkeys(Protego.parse(self.text).sitemaps))

    def as_json(self) -> dict[str, str]:
        """Return the form a checkpoint keeps."""
        return {"kind": self.kind.value, "words": self.words, "text": self.text}

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> "RobotsVerdict":
        """Read back what `as_json` wrote."""
        return cls(RobotsKind(stored["kind"]), str(stored["words"]), str(stored["text"]))


def ignored(refuse: tuple[str, ...] = ()) -> RobotsVerdict:
    """Return what stands for the robots.txt of a competitor whose operator ignores it."""
    return RobotsVerdict(RobotsKind.ABSENT, "robots.txt is ignored, as set", refuse=refuse, is_ignored=True)


@lru_cache(maxsize=4096)
def robots_url(url: str) -> str:
    """Return where the robots.txt of this URL's host lies.

    >>> robots_url("https://alpkontor.example/p/rope-60?x=1")
    'https://alpkontor.example/robots.txt'
    """
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}/robots.txt"


def verdict(answer: Page | Miss) -> RobotsVerdict:
    """Read what came back for a robots.txt: a file, none, or nothing that can be trusted.

    A redirect chain that is too long counts as absent (RFC 9309, section 2.3.1.2). 401 and 403 close nothing
    either, and are told. A 429 counts as a shop that cannot answer now: it did ask us to stay away.
    """
    if isinstance(answer, Miss):
        if answer.reason in (MissReason.REDIRECTS, MissReason.REDIRECTED_AWAY):
            return RobotsVerdict(RobotsKind.ABSENT, f"robots.txt is not to be had: {answer.words}")
        return RobotsVerdict(RobotsKind.UNREACHABLE, f"robots.txt unreachable: {answer.words}")
    status = answer.status
    if 200 <= status < 300:
        text = robots_text(answer.body)
        return RobotsVerdict(RobotsKind.RULES, "robots.txt read" if text else "robots.txt is empty", text)
    if status in (401, 403):
        return RobotsVerdict(RobotsKind.WITHHELD, f"robots.txt itself is refused (HTTP {status})")
    if 300 <= status < 500 and status != 429:
        return RobotsVerdict(RobotsKind.ABSENT, f"there is no robots.txt (HTTP {status})")
    return RobotsVerdict(RobotsKind.UNREACHABLE, f"robots.txt unreachable (HTTP {status})")


def robots_text(body: bytes) -> str:
    """Decode a robots.txt as the RFC says; the line that the size limit cuts is dropped; HTML is empty."""
    cut = body[:MAX_BYTES]
    if len(body) > MAX_BYTES:
        cut = cut[: max(cut.rfind(b"\n"), 0)]
    # a mark may stand inside, where two files were joined
    text = cut.decode(_coding_of(cut), "replace").replace("\ufeff", "").replace("\x00", "")
    text = _NO_LINE_END.sub(lambda found: quote(found.group()), text)
    return "" if _HTML.match(text) else text.strip()


def _coding_of(body: bytes) -> str:
    """Return UTF-8, as the RFC has it, unless the first bytes are the mark that Windows puts before UTF-16."""
    return "utf-16" if body.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) else "utf-8"


def _as_sent(url: str) -> str:
    """Return an address as it is asked for, so that `/open/../closed` is judged by where it leads."""
    try:
        return target(url).url
    except UrlRefused:
        return url


def _token(agent: str) -> str:
    found = _TOKEN.match(agent.strip())
    return found.group().lower() if found else "*"


def _any_matches(paths: tuple[str, ...], url: str) -> bool:
    return bool(paths) and not _closing(paths).can_fetch(url, "*")


@lru_cache(maxsize=128)
def _closing(paths: tuple[str, ...]) -> Protego:
    return Protego.parse("\n".join(("User-agent: *", *(f"Disallow: {path}" for path in paths))))


@lru_cache(maxsize=128)
def _rules(text: str, token: str) -> Protego:
    return Protego.parse("\n".join(_for_us(text.splitlines(), token)))


def _for_us(lines: list[str], token: str) -> Iterator[str]:
    """Rename the groups so that protego's prefix match can only find the exact one."""
    together = any({token, "*"} <= names for names in _groups(lines))
    for line in lines:
        name = _agent_of(line)
        if name is None:
            if _RULE.match(line.strip()) or _SITE_WIDE.match(line.strip()):
                delay = _DELAY.fullmatch(line.strip())
                yield f"{delay.group(1)}.{delay.group(2) or 0}" if delay else line
        elif name == token or (name == "*" and together):
            yield f"User-agent: {token}"
        else:
            yield f"User-agent: {name if name == '*' else _OTHERS}"


def _groups(lines: list[str]) -> Iterator[set[str]]:
    names: set[str] = set()
    is_open = False
    for line in lines:
        name = _agent_of(line)
        if name is not None:
            names = names if is_open else set()
            is_open = True
            names.add(name)
            yield names
        elif _RULE.match(line.strip()):
            is_open = False


def _agent_of(line: str) -> str | None:
    """Return the product token of a `User-agent` line in lower case, "" when it has none, None elsewhere."""
    found = _USER_AGENT.fullmatch(line.partition("#")[0].strip())
    if not found:
        return None
    token = _TOKEN.match(found.group(1))
    return token.group().lower() if token else ""
