"""`monitor notify test` and `monitor mails`: channels and the outbox on a real config directory."""

import json
import threading
from collections.abc import Iterator
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from monitor.cli import command_line
from monitor.domain.message import MailState
from monitor.flow.post import NotHeld
from monitor.wiring import open_app

MODULES = ("setup", "notify", "mails")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A fresh config directory with nothing of this machine's environment."""
    names = ("MONITOR_CONFIG", "MONITOR_DATABASE_URL", "MONITOR_REDIS_URL", "MONITOR_SMTP_URL", "MONITOR_ALERT_URLS")
    for name in names:
        monkeypatch.delenv(name, raising=False)
    config = tmp_path / "shop"
    assert CliRunner().invoke(command_line(MODULES), ["init", str(config)]).exit_code == 0
    return config


def said(home: Path, *words: str) -> Result:
    return CliRunner().invoke(command_line(MODULES), [*words, "--config", str(home)])


class Chat(ThreadingHTTPServer):
    """A webhook on loopback that takes what is posted to /good and refuses the rest."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Call)
        self.told: list[dict[str, Any]] = []


class _Call(BaseHTTPRequestHandler):
    server: Chat

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        if self.path == "/good":
            self.server.told.append(json.loads(body))
        self.send_response(204 if self.path == "/good" else 500)
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def chat() -> Iterator[Chat]:
    with Chat() as server:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        yield server
        server.shutdown()


def test_every_channel_is_tried_and_one_that_refuses_is_named_by_its_place(
    home: Path, chat: Chat, monkeypatch: pytest.MonkeyPatch
) -> None:
    good, bad = (f"json://127.0.0.1:{chat.server_port}/{path}" for path in ("good", "bad"))
    monkeypatch.setenv("MONITOR_ALERT_URLS", good)
    tried = said(home, "notify", "test")
    assert (tried.exit_code, tried.stdout) == (0, "ok   channel 1\n")
    assert [one["message"] for one in chat.told] == ["This is a test of the alerts of the price monitor. All is well."]

    monkeypatch.setenv("MONITOR_ALERT_URLS", f"{good} {bad}")
    tried = said(home, "notify", "test", "--json")
    first, second = json.loads(tried.stdout)["channels"]
    assert (tried.exit_code, first["taken"], second["taken"]) == (1, True, False)
    assert second["error"] == "channel 2 of MONITOR_ALERT_URLS did not take the notice"


def test_without_a_channel_the_trial_says_how_to_name_one(home: Path) -> None:
    tried = said(home, "notify", "test")
    assert tried.exit_code == 1
    assert "MONITOR_ALERT_URLS" in tried.stderr


def test_what_is_held_is_listed_and_leaves_again_by_its_number(home: Path) -> None:
    assert "Nothing is held" in said(home, "mails", "held").stdout
    opened = open_app(home)
    with opened.store.write() as unit:
        unit.mails.post(
            dedupe_key="report:n:anna",
            run_id=None,
            recipient="anna@acme.example",
            subject="Night",
            content=b"mail",
            message_id="<1@a>",
            not_before=unit.now,
        )
    with opened.store.write() as unit:
        mail = unit.mails.claim(unit.mails.due(1)[0], timedelta(minutes=1))
        assert mail is not None
        unit.mails.close(mail, MailState.UNKNOWN, "no answer came")
    opened.close()

    assert "Night: no answer came" in said(home, "mails", "held").stdout
    (told,) = json.loads(said(home, "mails", "held", "--json").stdout)["messages"]
    assert (told["id"], told["state"], told["recipient"]) == (mail.id, "unknown", "anna@acme.example")
    assert "leaves again" in said(home, "mails", "resend", str(mail.id), "--by", "anna").stdout
    assert json.loads(said(home, "mails", "held", "--json").stdout) == {"messages": []}
    again = said(home, "mails", "resend", str(mail.id))
    assert (again.exit_code, type(again.exception)) == (1, NotHeld)
