"""The `[browser]` section of `monitor.toml`: how pages are shown that scripts make."""

from typing import Annotated
from urllib.parse import urlsplit

from pydantic import model_validator

from monitor.settings.forms import WebAddress, whole, words
from monitor.settings.toml_file import Section


class BrowserSection(Section):
    executable: Annotated[str, words(500, least=0)] = ""
    url: WebAddress | None = None
    memory_mb: Annotated[int, whole(300, 16_000)] = 1_200

    @model_validator(mode="after")
    def _runs_here(self) -> "BrowserSection":
        """Its traffic goes through our guard, which listens on loopback only."""
        if self.url is not None and urlsplit(self.url).hostname not in ("127.0.0.1", "localhost", "::1"):
            raise ValueError(
                f'url {self.url!r} is on another machine; a browser is joined on this one only, as "http://127.0.0.1:9222"'
            )
        return self
