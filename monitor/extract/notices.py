"""Recognise what a shop shows instead of its goods: maintenance, a password, a question, a queue.

Such a page is short, names no product to machines, has nothing to put into a cart, and says in its title, its heading
or its first sentences what it is. Anything else is somebody's content and is read as such: a banner that asks for
consent over a full page hides nothing from us.
"""

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import urljoin

from monitor.extract.document import Document
from monitor.extract.facts import Facts
from monitor.extract.needles import every, holds

#: A page with more visible text than this is somebody's content.
NOTICE_TEXT = 1500
#: Characters of the text in which a notice says what it is.
_OPENING = 400

_PRODUCT_MARKS = ('"Product"', '"ProductGroup"', "schema.org/Product", 'itemprop="price"', 'content="product"')


@dataclass(frozen=True, slots=True)
class Notice:
    """What a page is instead of a product page."""

    reason: str
    words: str


@dataclass(frozen=True, slots=True)
class _Kind:
    notice: Notice
    loud: re.Pattern[str]  #: in the title or the heading
    quiet: re.Pattern[str] | None = None  #: in the first sentences


def _kind(reason: str, words: str, loud: tuple[str, ...], quiet: tuple[str, ...] = ()) -> _Kind:
    return _Kind(Notice(reason, words), _any_of(loud), _any_of(quiet) if quiet else None)


def _any_of(patterns: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(patterns), re.IGNORECASE)


#: What is said of a waiting room, whatever gave it away.
QUEUE_WORDS = "a waiting room came instead of the page: the shop lets its visitors in by turns"

_KINDS = (
    _kind(
        "password_page",
        "the shop is closed to visitors: its password page came",
        ("opening soon", "password protected", "passwortgeschützt", "protégé par (?:un )?mot de passe"),
        (
            "enter (?:the )?(?:store|shop|site)? ?using (?:a )?password",
            "protected by (?:a )?password",
            "store owner\\?",
        ),
    ),
    _kind(
        "waiting_room",
        QUEUE_WORDS,
        (
            "waiting room",
            "you are (?:now )?in (?:the )?(?:line|queue)",
            "warteraum",
            "warteschlange",
            "file d['’]attente",
            "sala de espera",
            "アクセスが(?:大変)?集中",
            "접속자가 많",
        ),
        ("your (?:estimated )?(?:wait(?:ing)? time|number in line|place in the queue)",),
    ),
    _kind(
        "location_needed",
        "the shop asks for a country or a place before it shows prices, or does not sell to ours",
        (
            "(?:choose|select|pick|change) your (?:country|region|location|store|shipping)",
            "not available in your (?:country|region)",
            "where (?:are you|should we) ship",
            "wähle(?:n sie)? (?:dein|ihr) land",
            "choisissez votre pays",
            "elige tu país",
            "scegli il tuo paese",
            "kies (?:je|uw) land",
        ),
        (
            "not (?:currently )?available (?:in|to|from) your (?:country|region|location)",
            "(?:cannot be accessed|do(?:es)? not ship) (?:in|from|to) your (?:country|region|location)",
            "in (?:ihrem|deinem) land nicht (?:verfügbar|erreichbar)",
            "enter your (?:zip|postal|post) ?code to",
        ),
    ),
    _kind(
        "age_gate",
        "the shop asks for the visitor's age before it shows the page; it was not answered",
        (
            "age (?:verification|check|gate)",
            "are you (?:over|at least|of legal)",
            "you must be (?:over|at least)",
            "altersprüfung",
            "altersverifikation",
            "bist du (?:über|schon|mindestens)",
            "sind sie (?:über|mindestens)",
            "vérification de l['’]âge",
        ),
    ),
    _kind(
        "consent_wall",
        "the shop asks for consent before it shows the page; it was not given",
        (
            "before you continue",
            r"weiter(?:lesen)? mit werbung|\bpur-?abo|consent or pay|accept(?:er)? (?:et|and) continue",
            "bevor sie (?:weiter|fortfahren)",
            "avant de continuer",
            "cookie (?:consent|wall|settings|preferences)",
            "privacy (?:settings|choices|preferences)",
            "your privacy",
            "cookie-?(?:einstellungen|hinweis)",
            "datenschutz-?einstellungen",
            "einwilligung",
        ),
    ),
    _kind(
        "login_page",
        "a page that asks visitors to log in came instead",
        (
            r"^\s*(?:log ?in|sign ?in|anmelden|einloggen|connexion|se connecter|iniciar sesión|accedi|inloggen)\b",
            "log ?in (?:to continue|required)",
            "please (?:log|sign) ?in",
        ),
    ),
    _kind(
        "parked",
        "the address belongs to no shop any more: the domain is parked or for sale",
        (
            "domain (?:name )?(?:is )?(?:for sale|may be for sale|parked|expired)",
            "buy this domain",
            "this domain",
            "domain (?:steht )?zum verkauf",
        ),
        ("(?:this|the) domain (?:name )?(?:is|may be) (?:for sale|parked|available for purchase)", "parked domain"),
    ),
    _kind(
        "maintenance",
        "the shop is closed for maintenance",
        (
            r"^\s*(?:site |shop |store |scheduled )?maintenance\s*(?:[-|:!.]|mode|work|break|in progress|$)",
            "(?:under|down for|closed for|in) (?:scheduled )?maintenance",
            r"[-|:] maintenance\s*$",
            "under construction",
            "be (?:right )?back (?:soon|shortly|in)",
            "(?:temporarily|currently|briefly) (?:closed|unavailable|offline|down)",
            r"^\s*(?:we are )?coming soon",
            r"wartungs(?:arbeiten|modus|pause)|(?:^|[-|:]\s*)wartung\s*(?:[-|:]|$)",
            "(?:gleich|bald) (?:wieder )?(?:zurück|da|für sie)",
            "technische arbeiten",
            "in onderhoud|onderhoudswerk",
            "en (?:mantenimiento|maintenance)|in manutenzione|em manutenção",
            "under vedligehold|underhåll pågår|przerwa (?:techniczna|konserwacyjna)|karbantartás alatt",
            "bakım (?:çalışması|modu)|bakımda(?:yız)?",
        ),
        (
            "scheduled maintenance",
            "maintenance (?:mode|work)",
            "wartungsarbeiten",
            "en maintenance",
            "we(?:'|’| a)re (?:updating|upgrading) (?:our|the) (?:store|shop|site)",
        ),
    ),
)
#: Where something can be put into a cart, goods are shown, whatever their name reminds of.
_BUY = re.compile(
    r"add[-_ ]?to[-_ ]?(?:cart|basket|bag)|buy now</button|in den warenkorb|ajouter au panier|al carrito|al carrello"
    r"|in winkelwagen|action=[\"'][^\"']*/cart",
    re.IGNORECASE,
)
_META = re.compile(rb"<meta\b", re.IGNORECASE)
MAX_META = 900  #: bytes of a meta tag before the word refresh, and as many behind
#: At once or after a moment; a page that stays for longer is shown.
_REFRESH = re.compile(
    r"content\s*=\s*[\"']?\s*[0-9]\b[0-9.]{0,4}\s*[;,]\s*(?:url\s*=\s*)?[\"']?([^\"'>\s]{1,2000})", re.IGNORECASE
)
#: Begins with what it looks for, so that it is found quickly, and looks back for the letter that must not stand there.
_SCRIPTED = re.compile(
    r"location(?<!\wlocation)(?:(?:\.href)?\s*=\s*[\"']([^\"'\s]{1,2000})[\"']"
    r"|\.(?:replace|assign)\(\s*[\"']([^\"'\s]{1,2000})[\"'])"
)
_PASSWORD_CLASS = re.compile(r"(?:^|[\s_-])template-password(?:$|\s)")


def notice(document: Document, facts: Facts) -> Notice | None:
    """Return what a page is instead of a product page, or None."""
    if len(document.text) > NOTICE_TEXT:
        return None
    found = _spoken(document, facts) or _sent_on(document)
    markup = document.markup if found else ""
    return None if any(mark in markup for mark in _PRODUCT_MARKS) or _BUY.search(markup) else found


def _sent_on(document: Document) -> Notice | None:
    """Tell of a page that is there only to send a browser to another one."""
    found = next((place for tag in _refreshing(document.encoded) if (place := _REFRESH.search(tag))), None)
    if not found and len(document.text) <= _OPENING and holds(document.encoded, b"ocation"):
        found = _SCRIPTED.search(document.markup)
    to = urljoin(document.url, html.unescape(next(filter(None, found.groups())))) if found else document.url
    if to.partition("#")[0] == document.url.partition("#")[0]:
        return None
    words = (
        f"the page sends visitors on to {to[:300]}, which was not followed; enter that address if it is the product's"
    )
    return Notice("sent_on", words)


def _refreshing(markup: bytes) -> Iterator[str]:
    """Yield the meta tags that name a refresh."""
    for mark in (b"efresh", b"EFRESH"):
        for at in every(markup, mark):
            start = markup.rfind(b"<", max(0, at - MAX_META), at)
            end = markup.find(b">", at, at + MAX_META)
            if end > 0 <= start and _META.match(markup, start):
                yield markup[start:end].decode("utf-8", "replace")


def _spoken(document: Document, facts: Facts) -> Notice | None:
    """Return what the title, the heading or the first sentences of a page say it is."""
    if _PASSWORD_CLASS.search(facts.body_class):
        return _KINDS[0].notice
    loud = (facts.title, *(text for text, _ in facts.headings[:2]))
    for kind in _KINDS:
        if any(kind.loud.search(text) for text in loud):
            return kind.notice
    opening = document.text[:_OPENING]
    return next((kind.notice for kind in _KINDS if kind.quiet and kind.quiet.search(opening)), None)
