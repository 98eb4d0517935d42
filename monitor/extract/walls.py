"""Recognise bot walls, empty shells and pages that say they are gone, whatever their status was.

A wall is the body of the page: its title, its challenge container or form, and little else. A healthy page
that merely carries a bot manager's script has a shop's worth of text and is no wall.
"""

import re

from monitor.extract.document import Document
from monitor.extract.facts import Facts

#: A page with more visible text than this is somebody's content, not a wall.
WALL_TEXT = 3000
MAX_MARKUP = 300_000  #: bytes searched for a vendor's marks

#: Vendors by what only their walls carry, lower case.
_WALLS: tuple[tuple[str, tuple[str, ...]], ...] = (
    (
        "cloudflare",
        (
            "_cf_chl_opt",
            "cf-chl-",
            "cf_chl_",
            "cf-challenge",
            "challenge-error-title",
            "/cdn-cgi/l/chk_",
            "cf-browser-verification",
            "cf-error-details",
            "cf-turnstile-response",
            "challenge-platform",
        ),
    ),
    ("datadome", ("captcha-delivery.com", "datadome", "var dd={")),
    ("imperva", ("_incapsula_resource", "incapsula incident", "imperva")),
    (
        "akamai",
        ("errors.edgesuite.net", "reference&#32;&#35;", "reference #", "sec-if-cpt", "bm-verify", "access denied</h1>"),
    ),
    ("aws_waf", ("awswaf", "aws-waf", "gokuprops", "captcha-container")),
    ("perimeterx", ("px-captcha", "_pxappid", "perimeterx", "human-challenge", "press & hold", "press &amp; hold")),
    ("kasada", ("kpsdk", "ips.js?")),
    ("anubis", ("anubis_challenge", "within.website/x/cmd/anubis")),
    ("ddos_guard", ("ddos-guard",)),
    ("sucuri", ("sucuri_cloudproxy", "sucuri website firewall")),
    ("shape", ("istlwashere", "_imp_apg_r_")),
    (
        "captcha",
        (
            "google.com/recaptcha",
            "g-recaptcha",
            "hcaptcha.com",
            "h-captcha",
            "captchacharacters",
            "validatecaptcha",
            "smartcaptcha",
        ),
    ),
)
_WALL_WORDS = re.compile(
    r"attention required|just a moment|please wait\.\.\.|access (?:to this page has been )?denied"
    r"|are you (?:a )?(?:human|robot)|verify(?:ing)? (?:that )?you are (?:a )?human|"
    r"pardon our interruption|checking your browser|security check|bot (?:detection|check|protection)"
    r"|unusual traffic|automated access|robot check|captcha|not a robot|too many requests|(?:enter"
    r"|type) the characters you see|"
    r"you have been blocked|request (?:blocked|unsuccessful)|human verification|making sure you.{0,8}not a bot"
    r"|ddos|enable javascript and cookies to continue|"
    r"forbidden|zugriff verweigert|accès refusé|accesso negato|проверка браузера|доступ (?:ограничен|запрещен)"
    r"|вы не робот|nur einen moment|un momento|einen moment",
    re.IGNORECASE,
)
_GONE = re.compile(
    r"\b404\b|not\s*found|can'?t\s*(?:be\s*found|find)|cannot\s*(?:be\s*found|find)"
    r"|couldn['’]?t\s*(?:be\s*found|find)|no\s*longer\s*exists?|does(?:n['’]t|\s*not)\s*exist"
    r"|page\s*(?:is\s*)?(?:missing|gone|unavailable)|"
    r"nicht\s*gefunden|gibt\s*es\s*(?:leider\s*)?nicht|existiert\s*nicht|introuvable|n['’]existe\s*(?:pas"
    r"|plus)|non\s*trouvée"
    r"|no\s*(?:se\s*)?encontr|no\s*existe|não\s*(?:foi\s*)?encontrad|non\s*trovat|niet\s*gevonden|"
    r"hittades\s*inte|ikke\s*funnet|ikke\s*fundet|ei\s*löytynyt|nie\s*znaleziono|nie\s*istnieje|nenalezen"
    r"|nenájden|не\s*найден"
    r"|nem\s*található|ni\s*bilo\s*mogoče|nije\s*pronađen|bulunamadı|找不到|見つかりません|찾을\s*수\s*없",
    re.IGNORECASE,
)
_GONE_CLASS = re.compile(
    r"(?:^|[\s_-])(?:error-?404|404|template-404|page-?not-?found|not-?found|cms-no-route|pagenotfound|page-404"
    r"|pnf)(?:$|[\s_-])"
)
_GONE_PATH = re.compile(r"/(?:404|page-404|not-?found|pagenotfound|error-?404)(?:[./?#]|$)", re.IGNORECASE)


def wall(document: Document, facts: Facts) -> str | None:
    """Return the vendor of the wall this page is, `unnamed_wall` when its words say so, or None."""
    size = len(document.text)
    if size > WALL_TEXT:
        return None
    heading = " ".join(text for text, _ in facts.headings[:2])
    spoken = bool(_WALL_WORDS.search(f"{facts.title} {heading}"))
    words = spoken or bool(_WALL_WORDS.search(document.text[:1500]))
    if spoken or (size < 1200 and words) or size < 250:
        vendor = _vendor(document)
        if vendor and (words or _is_shell(document)):
            return vendor
    if spoken and size < 1200 and not facts.metas.get("og:type") and document.tree.css_first("nav") is None:
        return "unnamed_wall"
    return None


def _vendor(document: Document) -> str | None:
    lowered = document.encoded[:MAX_MARKUP].lower().decode("utf-8", "replace")
    return next((name for name, signs in _WALLS if any(sign in lowered for sign in signs)), None)


def _is_shell(document: Document) -> bool:
    """Say whether the page offers nothing of its own: no product data, no pictures, hardly a link."""
    tree = document.tree
    return (
        len(tree.css("a[href]")) < 4
        and len(tree.css("img")) < 4
        and tree.css_first('script[type*="ld+json"]') is None
        and not any(mark in document.encoded for mark in (b"__NEXT_DATA__", b'"price"', b"itemprop"))
    )


def heading_says_gone(facts: Facts) -> bool:
    """Say whether the heading alone calls the page or its product missing; enough where no price is found."""
    return bool(_GONE.search(" ".join(text for text, _ in facts.headings[:2])[:160]))


def says_gone(facts: Facts) -> bool:
    """Say whether title, heading, body class or canonical address call this page missing."""
    heading = " ".join(text for text, _ in facts.headings[:2])
    votes = 0
    votes += bool(_GONE.search(facts.title[:160]))
    votes += bool(_GONE.search(heading[:160]))
    votes += bool(_GONE_CLASS.search(facts.body_class))
    votes += bool(_GONE_PATH.search(facts.canonical or ""))
    votes += bool(_GONE_PATH.search(facts.url))
    return votes >= 2 or (
        votes == 1 and bool(_GONE.fullmatch(facts.title.strip()) or _GONE_CLASS.search(facts.body_class))
    )
