"""People who sign in, as a browser does it: load the form, send it, keep the cookies."""

from dataclasses import dataclass, field
from typing import Any

import httpx

from monitor.domain.access import Role
from monitor.web.app import create_app
from tests.review_scene import Scene
from tests.web.conftest import QUICK, Forms, TestClient, context_of

PASSWORD = "four quiet words here"
SAME = {"sec-fetch-site": "same-origin"}


def add_user(scene: Scene, name: str = "anna", role: Role = Role.APPROVER, password: str = PASSWORD) -> None:
    """Add somebody who may sign in."""
    with scene.store.write() as unit:
        assert unit.access.add_user(name, role, QUICK.hashed(password))


@dataclass
class Browser:
    """One browser with its cookies."""

    scene: Scene
    base: str = "http://127.0.0.1:8080"
    given: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        app = create_app(context_of(self.scene, **self.given))
        self.client = TestClient(app, base_url=self.base, follow_redirects=False)

    def get(self, path: str, **headers: str) -> httpx.Response:
        """Load a page."""
        answer: httpx.Response = self.client.get(path, headers=headers)
        return answer

    def send(self, path: str, form: dict[str, Any], headers: dict[str, str] | None = None) -> httpx.Response:
        """Send a form as a page of ours does, unless told otherwise."""
        answer: httpx.Response = self.client.post(path, data=form, headers=SAME if headers is None else headers)
        return answer

    def sign_in(self, name: str = "anna", password: str = PASSWORD, target: str = "/") -> httpx.Response:
        """Load the sign-in page and send it."""
        page = self.get(f"/sign-in?next={target}")
        form = Forms(page.text).as_rendered()
        return self.send("/sign-in", form | {"name": name, "password": password})

    def form_token(self) -> str:
        """Return the token that the forms of the account page carry."""
        return Forms(self.get("/account").text).as_rendered()["form_token"][0]
