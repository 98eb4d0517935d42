"""Errands on a real config directory: what is broken costs itself only."""

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import cast

import pytest

from monitor.adapters.render import JinjaRenderer
from monitor.domain.message import Alert, AlertKind, Mail
from monitor.settings import create
from monitor.wiring import App, open_app


@dataclass
class Postman:
    """A mail server that takes everything."""

    taken: list[str] = field(default_factory=list)

    def send(self, mail: Mail) -> None:
        self.taken.append(mail.subject)


class NoInk:
    """Renders nothing."""

    def alert(self, alert: Alert, _brand: str, _zone: str) -> None:
        raise ValueError(f"{alert.key} cannot be rendered")


@pytest.fixture
def app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> App:
    """A process that has a report to send and an alert of last night."""
    for name in ("MONITOR_CONFIG", "MONITOR_DATABASE_URL", "MONITOR_REDIS_URL", "MONITOR_SMTP_URL"):
        monkeypatch.delenv(name, raising=False)
    create(tmp_path / "shop")
    app = open_app(tmp_path / "shop")
    with app.store.write() as unit:
        unit.alerts.raise_once(Alert("deadline:n", AlertKind.DEADLINE, None, "It is late.", unit.now))
        unit.mails.post(
            dedupe_key="report:n",
            run_id=None,
            recipient="anna@acme.example",
            subject="Night",
            content=b"Subject: Night\r\n\r\nmorning",
            message_id="<1@a>",
            not_before=unit.now,
        )
    return app


def test_an_alert_that_cannot_be_rendered_does_not_keep_the_report(app: App) -> None:
    """It would have kept every mail of a day, until the alert was no news any more."""
    postman = Postman()
    plan = replace(app.settings.plan, mail=replace(app.settings.plan.mail, recipients=("anna@acme.example",)))
    broken = replace(
        app,
        settings=replace(app.settings, plan=plan),
        mailer=postman,
        renderer=cast("JinjaRenderer", NoInk()),
    )

    with pytest.raises(ValueError, match="deadline:n cannot be rendered"):
        broken.errands()

    assert postman.taken == ["Night"]
    app.close()
