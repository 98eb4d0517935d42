"""A whole night whose every step is suspect: fetching, reading, proposing and reporting all work in a child alone."""

import json
import threading
from collections.abc import Iterator
from decimal import Decimal
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from typer.testing import CliRunner

from monitor.cli import command_line
from monitor.domain.extraction import Outcome
from monitor.domain.run import RunState
from monitor.durable import suspect
from monitor.wiring import open_app, run_night

_PAGE = b"""<!doctype html><html lang="en"><head><title>Trail jacket</title><script type="application/ld+json">
{"@context": "https://schema.org", "@type": "Product", "name": "Trail jacket", "offers": {"@type": "Offer",
"price": "118.90", "priceCurrency": "EUR", "availability": "https://schema.org/InStock"}}</script></head>
<body><h1>Trail jacket</h1><p class="price">118.90 EUR</p><button>Add to basket</button></body></html>"""


class _Shop(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        body = b"" if self.path == "/robots.txt" else _PAGE
        self.send_response(404 if not body else 200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def shop() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Shop)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.mark.slow
def test_every_part_of_a_night_works_alone(tmp_path: Path, shop: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(suspect, "DEATHS", 0)
    manifest, config = tmp_path / "market.json", tmp_path / "config"
    site = {"site": "acme", "base_url": shop, "lang": "en", "currency": "EUR"}
    manifest.write_text(json.dumps([site | {"pages": [{"id": "jacket", "url": f"{shop}/jacket"}]}]))
    made = CliRunner().invoke(command_line(), ["init", str(config), "--manifest", str(manifest)])
    assert made.exit_code == 0, made.output
    app = open_app(config, environ={})
    try:
        run = run_night(app)
        with app.store.read() as unit:
            (seen,) = unit.observations.of_run(run.id)
            report = unit.reports.get(run.id)
            errors = [step.error for job in unit.jobs.of_run(run.id) for step in unit.jobs.steps(job.id)]
    finally:
        app.close()
    assert errors == [None] * len(errors)
    assert (seen.outcome, seen.price, seen.currency) == (Outcome.OK, Decimal("118.90"), "EUR")
    assert run.state is RunState.REPORTED
    assert report is not None
