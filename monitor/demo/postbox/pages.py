"""The postbox in the browser: a list of mails, one mail, its HTML part in a sandbox.

GET /                 the list
GET /3                the mail, HTML part (when there is one) in a frame, headers above it
GET /3/text           the mail with its text part
GET /3/html           what the frame shows
GET /3/part/<cid>     a picture inside it
"""

from collections.abc import Mapping
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, cast
from urllib.parse import quote, unquote

from monitor.demo.postbox.letters import Letter, Letters

#: A mail may not run scripts, load anything from elsewhere or post forms; its links open in a tab of their own.
_SANDBOX = "allow-popups allow-popups-to-escape-sandbox"
_MAIL_POLICY = f"default-src 'none'; img-src 'self' data:; style-src 'unsafe-inline'; sandbox {_SANDBOX}"
_OWN_POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-src 'self'; base-uri 'none'; form-action 'none'"

_STYLE = """
:root{color-scheme:light dark}
body{font:16px/1.5 system-ui,sans-serif;margin:0 auto;max-width:60rem;padding:1rem;color:#1b2430;background:#fff}
a{color:#0a58ca}
h1{font-size:1.25rem}
ol{list-style:none;padding:0}
li{border-top:1px solid #d8dee6}
li a{display:flex;flex-direction:column-reverse;padding:.6rem .25rem;text-decoration:none}
li a:hover,li a:focus-visible{background:#eef3fa}
li span{color:#5b6675;font-size:.875rem}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.1rem 1rem;margin:0 0 1rem}
dt{color:#5b6675}
dd{margin:0;overflow-wrap:anywhere}
nav{display:flex;gap:1rem;margin-bottom:1rem}
iframe{width:100%;height:75vh;border:1px solid #d8dee6;background:#fff}
pre{white-space:pre-wrap;overflow-wrap:anywhere;border:1px solid #d8dee6;padding:1rem}
@media (prefers-color-scheme:dark){
body{color:#e5e9ef;background:#14181d}a{color:#8ab8ff}li,iframe,pre{border-color:#39424e}
li a:hover,li a:focus-visible{background:#1f2630}li span,dt{color:#a4afbd}}
"""


class PostboxPages(ThreadingHTTPServer):
    """Serves the pages on a free loopback port."""

    daemon_threads = True

    def __init__(self, letters: Letters) -> None:
        super().__init__(("127.0.0.1", 0), _Pages)
        self.letters = letters


class _Pages(BaseHTTPRequestHandler):
    timeout = 30

    def do_GET(self) -> None:
        """Answer with a page."""
        letters = cast(PostboxPages, self.server).letters
        first, _, rest = self.path.partition("?")[0].strip("/").partition("/")
        if not first:
            self._send(list_page(letters.all()))
            return
        letter = letters.find(int(first)) if first.isascii() and first.isdecimal() and len(first) < 6 else None
        if letter is None:
            self._send(_page("Not here", "<h1>There is no such mail</h1><p><a href='/'>All mails</a></p>"), status=404)
        else:
            self._letter(letter, rest)

    def _letter(self, letter: Letter, rest: str) -> None:
        if rest == "html":
            self._send(framed(letter), policy=_MAIL_POLICY)
        elif rest.startswith("part/"):
            found = letter.inline(unquote(rest.removeprefix("part/")))
            self._send_bytes(*(found or ("text/plain", b"")), status=200 if found else 404)
        else:
            self._send(letter_page(letter, as_text=rest == "text" or not letter.html))

    def _send(self, page: str, *, status: int = 200, policy: str = _OWN_POLICY) -> None:
        headers = {"Content-Security-Policy": policy}
        self._send_bytes("text/html; charset=utf-8", page.encode(), status=status, headers=headers)

    def _send_bytes(self, kind: str, body: bytes, *, status: int, headers: Mapping[str, str] | None = None) -> None:
        self.send_response(status)
        sent = {"Content-Type": kind, "Content-Length": str(len(body)), "X-Content-Type-Options": "nosniff"}
        for name, value in (sent | {"Cache-Control": "no-store"} | dict(headers or {})).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing: what is shown is nobody's progress."""


def _page(title: str, body: str) -> str:
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{_STYLE}</style></head><body>{body}</body></html>"
    )


def list_page(letters: tuple[Letter, ...]) -> str:
    """Return the list, the newest mail first."""
    rows = "".join(
        f'<li><a href="/{letter.number}"><span>{escape(str(letter.message["Date"]))}</span> '
        f"{escape(letter.subject)}</a></li>"
        for letter in reversed(letters)
    )
    return _page("Postbox", f"<h1>Postbox of the demo: {len(letters)} mails</h1><ol>{rows}</ol>")


def letter_page(letter: Letter, *, as_text: bool) -> str:
    """Return one mail with its headers and one of its parts."""
    headers = "".join(
        f"<dt>{name}</dt><dd>{escape(str(letter.message[name] or ''))}</dd>" for name in ("From", "To", "Date")
    )
    body = f'<iframe src="/{letter.number}/html" title="The mail" sandbox="{_SANDBOX}"></iframe>'
    if as_text:
        body = f"<pre>{escape(letter.text)}</pre>"
    other = f'<a href="/{letter.number}">HTML</a>' if as_text else f'<a href="/{letter.number}/text">Text</a>'
    kept = f"<dt>File</dt><dd>{escape(str(letter.path))}</dd>"
    return _page(
        letter.subject,
        f'<nav><a href="/">All mails</a> {other}</nav><h1>{escape(letter.subject)}</h1><dl>{headers}{kept}</dl>{body}',
    )


def framed(letter: Letter) -> str:
    """Return the HTML part as the frame shows it: pictures from here, links into a tab of their own."""
    html = letter.html
    for part in letter.message.walk():
        content_id = str(part.get("Content-ID", "")).strip("<> ")
        if content_id:
            html = html.replace(f"cid:{content_id}", f"/{letter.number}/part/{quote(content_id, safe='')}")
    head, mark, rest = html.partition("<head>")
    base = '<base target="_blank">'
    return f"{head}{mark}{base}{rest}" if mark else base + html
