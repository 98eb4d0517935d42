"""Alerts on a second channel: each once, also when the mail itself is what went wrong."""

import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from monitor.adapters.notify import AppriseChannel
from monitor.domain.message import Alert, AlertKind
from monitor.errors import Misconfigured, RetryLater
from monitor.flow.tell import PAUSE, tell_channel
from tests.review_scene import Scene


@dataclass
class Chat:
    """A channel that keeps what it was told."""

    told: list[str] = field(default_factory=list)
    is_down: bool = False

    def tell(self, title: str, words: str) -> None:
        if self.is_down:
            raise RetryLater("down")
        self.told.append(f"{title}: {words}")


@pytest.fixture
def scene(sqlite_url: str) -> Iterator[Scene]:
    made = Scene(sqlite_url)
    yield made
    made.close()


def raised(scene: Scene, key: str = "mail:report:n:anna:unknown") -> None:
    with scene.store.write() as unit:
        unit.alerts.raise_once(Alert(key, AlertKind.MAIL, None, f"{key} is held", unit.now))


def test_a_held_mail_is_told_on_the_second_channel_once(scene: Scene) -> None:
    chat = Chat()
    raised(scene)

    assert [tell_channel(scene.store, chat, scene.plan) for _ in range(3)] == [1, 0, 0]
    assert chat.told == ["[Price monitor] A mail did not go out as it should: mail:report:n:anna:unknown is held"]


def test_an_alert_that_the_channel_did_not_take_is_told_later_and_the_channel_is_spared(scene: Scene) -> None:
    chat = Chat(is_down=True)
    raised(scene)
    assert tell_channel(scene.store, chat, scene.plan) == 0
    chat.is_down = False

    assert tell_channel(scene.store, chat, scene.plan) == 0
    scene.clock.forward(seconds=PAUSE.total_seconds())
    assert tell_channel(scene.store, chat, scene.plan) == 1


def test_old_alerts_are_no_news(scene: Scene) -> None:
    raised(scene)
    scene.clock.forward(hours=25)

    assert tell_channel(scene.store, Chat(), scene.plan) == 0


def test_a_channel_is_reached_over_http_and_one_that_refuses_is_said() -> None:
    got: list[dict[str, str]] = []

    class Hook(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            got.append(json.loads(self.rfile.read(int(self.headers["content-length"]))))
            self.send_response(200 if len(got) == 1 else 500)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with HTTPServer(("127.0.0.1", 0), Hook) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        channel = AppriseChannel([f"json://127.0.0.1:{server.server_address[1]}/hook"])
        channel.tell("[Acme] A mail", "is held")
        with pytest.raises(RetryLater):
            channel.tell("[Acme] A mail", "is held")
        server.shutdown()

    assert (got[0]["title"], got[0]["message"]) == ("[Acme] A mail", "is held")


def test_an_address_that_is_not_understood_is_told_by_its_place_only() -> None:
    with pytest.raises(Misconfigured, match="address 2 of 2") as refused:
        AppriseChannel(["json://127.0.0.1/hook", "secret-word"])

    assert "secret-word" not in str(refused.value)
