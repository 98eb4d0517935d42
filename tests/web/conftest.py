"""A web application over a scene, asked without a network unless a test starts a server."""

import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from html.parser import HTMLParser
from typing import Any

import httpx
import pytest

from monitor.adapters.passwords import Argon2Passwords
from monitor.adapters.render import JinjaRenderer, Templates
from monitor.domain.run import Run
from monitor.resources import find_all
from monitor.web.app import create_app
from monitor.web.context import Context
from tests.review_scene import Scene

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # it would rather have the continuation of httpx, which is not ours to choose here
    from starlette.testclient import TestClient

TOKEN = "token-of-the-api"

TEMPLATES = Templates(find_all("templates"))

#: As few passes over as little memory as the library takes; what is slow about a password is not what is tested.
QUICK = Argon2Passwords(memory_kib=8, passes=1)


def context_of(scene: Scene, **other: Any) -> Context:
    """Return the context of a scene; a night begun over the API is the scene's."""
    given: dict[str, Any] = {
        "store": scene.store,
        "plan": scene.plan,
        "signer": scene.signer,
        "templates": TEMPLATES,
        "renderer": JinjaRenderer(TEMPLATES),
        "begin": lambda _origin: scene.run,
        "passwords": QUICK,
        "api_token": TOKEN,
        "min_form_age": timedelta(0),
    }
    return Context(**(given | other))


@dataclass
class Field:
    """One control of a form."""

    name: str
    value: str
    kind: str
    is_on: bool


class Forms(HTMLParser):
    """The forms of a page, as a program sees them that presses what it finds."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.actions: list[str] = []
        self.fields: list[Field] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag == "form":
            self.actions.append(given.get("action") or "")
        if tag in ("input", "button") and given.get("name"):
            kind = given.get("type") or ("submit" if tag == "button" else "text")
            self.fields.append(Field(str(given["name"]), given.get("value") or "", kind, "checked" in given))

    def as_rendered(self) -> dict[str, list[str]]:
        """Return what a browser sends when nothing was touched."""
        sent: dict[str, list[str]] = {}
        for each in self.fields:
            if each.kind not in ("radio", "checkbox") or each.is_on:
                sent.setdefault(each.name, []).append(each.value)
        return sent


@dataclass
class Site:
    """The application with a client, and what a reader of the review page does."""

    scene: Scene
    client: Any = field(init=False)

    def __post_init__(self) -> None:
        self.open()

    def open(self, **other: Any) -> None:
        """Open the application afresh, with other parts of its context."""
        app = create_app(context_of(self.scene, **other))
        self.client = TestClient(app, base_url="http://127.0.0.1:8080", follow_redirects=False)

    def path(self, **who: Any) -> str:
        """Return the path of the review link of a recipient."""
        return self.scene.link(**who).url.removeprefix("http://127.0.0.1:8080")

    def form(self, path: str) -> dict[str, list[str]]:
        """Load the review page and return its form with nothing touched."""
        answer = self.client.get(path)
        assert answer.status_code == 200, answer.text
        return Forms(answer.text).as_rendered()

    def send(self, path: str, form: dict[str, Any], **headers: str) -> httpx.Response:
        """Post a form."""
        answer: httpx.Response = self.client.post(f"{path}/decide", data=form, headers=headers)
        return answer

    def decide(self, path: str, verb: str, *ids: int, **more: str) -> httpx.Response:
        """Load the page, choose and send."""
        form: dict[str, Any] = self.form(path) | {f"verb-{number}": verb for number in ids} | more
        return self.send(path, form)

    def counts(self) -> dict[str, Any]:
        """Return how many rows the tables have that a request could fill, and how often links were opened."""
        tables = ("decisions", "writes", "nonces", "runs", "jobs", "mails", "links")
        with self.scene.store.writer.begin() as connection:
            counted = {t: connection.exec_driver_sql(f"SELECT count(*) FROM {t}").scalar_one() for t in tables}
            opened = connection.exec_driver_sql("SELECT coalesce(sum(get_count), 0) FROM links").scalar_one()
        return counted | {"opened": opened}


def words(page: str) -> str:
    """Return the text of a page without its tags."""
    return " ".join(re.sub(r"<[^>]+>", " ", page).split())


@pytest.fixture
def sqlite_url(own_sqlite_url: str) -> str:
    """A file that has every table already: making them takes longer than most tests here."""
    return own_sqlite_url


@pytest.fixture
def scene(sqlite_url: str) -> Iterator[Scene]:
    """A night on SQLite whose clock is set."""
    made = Scene(sqlite_url)
    yield made
    made.close()


@pytest.fixture
def site(scene: Scene) -> Site:
    """The application over it."""
    return Site(scene)


@dataclass
class Begun:
    """Counts how often a night was begun, and returns the same run each time, as `begin` does."""

    run: Run
    origins: list[str] = field(default_factory=list)

    def __call__(self, origin: str) -> Run:
        self.origins.append(origin)
        return self.run
