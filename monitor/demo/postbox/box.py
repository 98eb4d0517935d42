"""The postbox as one thing to open and close."""

import threading
from pathlib import Path
from socketserver import BaseServer
from types import TracebackType

from monitor.demo.postbox.letters import Letter, Letters
from monitor.demo.postbox.pages import PostboxPages
from monitor.demo.postbox.smtp import SmtpSink


class Postbox:
    """Takes and shows mail; use it as a context manager."""

    def __init__(self, directory: Path) -> None:
        self._letters = Letters(directory)
        self._sink = SmtpSink(self._letters.keep)
        self._pages = PostboxPages(self._letters)
        self._threads = [_serving(self._sink), _serving(self._pages)]

    def __enter__(self) -> "Postbox":
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for server in (self._sink, self._pages):
            server.shutdown()
            server.server_close()
        for thread in self._threads:
            thread.join(5)

    @property
    def smtp_url(self) -> str:
        """What `MONITOR_SMTP_URL` names."""
        return f"smtp://127.0.0.1:{self._sink.port}"

    @property
    def url(self) -> str:
        """Where the mails are shown."""
        return f"http://127.0.0.1:{self._pages.server_address[1]}/"

    def letters(self) -> tuple[Letter, ...]:
        """Return the mails, oldest first."""
        return self._letters.all()

    def page_of(self, letter: Letter) -> str:
        """Return where one mail is shown."""
        return f"{self.url}{letter.number}"


def _serving(server: BaseServer) -> threading.Thread:
    return threading.Thread(target=server.serve_forever, args=(0.1,), name=type(server).__name__, daemon=True)
