"""Templates into HTML and text; the only module that knows Jinja2 and the CSS inliner.

Autoescape is on for everything but `.txt`, and an unknown name in a template is an error. Nothing is loaded from
the network: mail has its styles inlined from the template itself.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import jinja2

from monitor import __version__
from monitor.domain.message import Alert
from monitor.domain.money import amount_text
from monitor.domain.report import Report, wording
from monitor.domain.report.clean import clean
from monitor.domain.report.subject import ALERT_HEADLINES
from monitor.ports.messages import Picture, Rendered, ReviewLink

#: Gmail cuts a message at about 102 kB of HTML and hides the rest, the footer first.
MAX_MAIL_BYTES = 90_000

_ALERT_LIMIT = 1000
#: So many pieces of a template go out together: some rows of a long page.
_PIECES = 200


class Templates:
    """The templates of some folders, the first that has a name wins."""

    def __init__(self, folders: Sequence[Path]) -> None:
        self._folders = tuple(folders)
        self._environment = jinja2.Environment(
            loader=jinja2.FileSystemLoader([str(folder) for folder in folders]),
            autoescape=jinja2.select_autoescape(enabled_extensions=("html",), default_for_string=True, default=False),
            undefined=jinja2.StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            keep_trailing_newline=True,
        )
        self._environment.globals["version"] = __version__
        self._environment.filters.update(_FILTERS)

    def __reduce__(self) -> "tuple[type[Templates], tuple[tuple[Path, ...]]]":
        """Pickle as its folders: a child process reads them again."""
        return Templates, (self._folders,)

    def render(self, name: str, values: Mapping[str, Any]) -> str:
        """Return a template filled with values."""
        return self._environment.get_template(name).render(values)

    def warm(self, *names: str) -> None:
        """Compile templates before anybody waits for them."""
        for name in names:
            self._environment.get_template(name)

    def stream(self, name: str, values: Mapping[str, Any]) -> Iterator[str]:
        """Yield a template filled with values in parts, while the iterators among them are read."""
        stream = self._environment.get_template(name).stream(values)
        stream.enable_buffering(_PIECES)
        yield from stream


class JinjaRenderer:
    """`monitor.ports.messages.Renderer` on the templates `email.html`, `email.txt`, `report.html` and `alert.*`."""

    def __init__(self, templates: Templates, *, max_mail_bytes: int = MAX_MAIL_BYTES) -> None:
        self._templates = templates
        self._max_mail_bytes = max_mail_bytes

    def mail(self, report: Report, link: ReviewLink | None = None, pictures: Sequence[Picture] = ()) -> Rendered:
        """Return the morning mail, shortened until no mail program clips it; without a link it has no button."""
        values = _values(report) | {"link": link, "pictures": {one.name: one for one in pictures}}
        html = _inlined(self._templates.render("email.html", values))
        if len(html.encode()) > self._max_mail_bytes and report.needs.rows:
            return self.mail(report.shortened(), link, pictures)
        return Rendered(html, self._templates.render("email.txt", values))

    def page(self, report: Report) -> str:
        """Return the report as a page to be stored; it carries nothing personal."""
        return self._templates.render("report.html", _values(report) | {"link": None, "pictures": {}})

    def fresh_link(self, link: ReviewLink) -> Rendered:
        """Return the mail with a link that somebody asked for because theirs was over."""
        values = {"link": link}
        return Rendered(
            _inlined(self._templates.render("fresh.html", values)), self._templates.render("fresh.txt", values)
        )

    def alert(self, alert: Alert, brand: str, zone: str) -> Rendered:
        """Return the mail of an alert."""
        values = {
            "alert": alert,
            "brand": clean(brand, 40),
            "headline": ALERT_HEADLINES[alert.kind],
            "words": clean(alert.words, _ALERT_LIMIT),
            "raised": f"{alert.raised_at.astimezone(ZoneInfo(zone)):%Y-%m-%d %H:%M}",
            "zone": zone,
        }
        html = _inlined(self._templates.render("alert.html", values))
        return Rendered(html, self._templates.render("alert.txt", values))


def _values(report: Report) -> dict[str, Any]:
    return {
        "report": report,
        "clock": partial(wording.clock, zone=report.zone, seen_from=report.made_at),
        "age": partial(wording.age, now=report.made_at),
    }


def _inlined(html: str) -> str:
    """Move the styles to the elements, because mail programs drop style sheets; media queries stay where they are."""
    import css_inline  # here: 2 MB that a worker who collects has no use for

    inliner = css_inline.CSSInliner(keep_at_rules=True, load_remote_stylesheets=False)
    return inliner.inline(html)


_FILTERS: dict[str, Any] = {
    "amount": amount_text,
    "money": wording.money,
    "signed_money": wording.signed_money,
    "rate": wording.rate,
    "signed_rate": wording.signed_rate,
    "day": wording.day,
    "counted": wording.counted,
}
