"""Chromium by Playwright, from its start to its end. Used by one thread, the browser's own; `showing` has one page."""

import contextlib
import os
import shutil
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from monitor.adapters.fetch.memory import is_driver, tree_of
from monitor.adapters.fetch.proxy import Trip
from monitor.adapters.fetch.showing import Showing
from monitor.domain.page import Miss, Page

if TYPE_CHECKING:
    from playwright.sync_api import Browser

#: Names under which systems install Chromium.
_NAMES = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome", "chrome")
_ARGS = (
    "--disable-quic",
    "--dns-prefetch-disable",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-extensions",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--js-flags=--max-old-space-size=256",
    "--renderer-process-limit=2",
    "--blink-settings=imagesEnabled=false",
)
#: What of the driver's own choice would open windows that nobody asked for.
_NOT_ITS_OWN = ["--disable-popup-blocking"]


@dataclass(frozen=True, slots=True)
class BrowserLimits:
    """What a browser may use."""

    executable: str = ""  #: empty: the first Chromium on the path
    url: str = ""  #: of a browser that runs on this machine already (DevTools); empty: start one
    memory_bytes: int = 1_200_000_000  #: resident, of all its processes
    page_bytes: int = 30_000_000  #: received for one page, scripts included


class NoBrowser(Exception):
    """There is no browser to be had; the words say what to install."""


def executable(named: str) -> str:
    """Return the path of a Chromium.

    Raises:
        NoBrowser: the one that is named is not there, or none is installed.
    """
    found = named if named and os.access(named, os.X_OK) else None
    found = found or (None if named else next(filter(None, map(shutil.which, _NAMES)), None))
    if found is None:
        where = f"{named} is no program" if named else "no Chromium was found on the path"
        raise NoBrowser(f"{where}; install one, or name it in monitor.toml: browser.executable")
    return found


class Chromium:
    """A running browser, from `with` to its end.

    Args:
        limits: what it may use.
        proxy_port: of the guarded proxy on loopback.
        agent: the User-Agent header.
    """

    def __init__(self, limits: BrowserLimits, proxy_port: int, agent: str) -> None:
        self._limits, self._proxy_port, self._agent = limits, proxy_port, agent
        self.pid: int | None = None

    def __enter__(self) -> Self:
        try:
            from playwright.sync_api import sync_playwright
        except ImportError:
            raise NoBrowser("fetch = \"browser\" needs the extra: pip install 'price-monitor[browser]'") from None
        program = "" if self._limits.url else executable(self._limits.executable)
        before = set(tree_of(os.getpid()))
        manager = sync_playwright()
        self._driver = manager.start()
        _quiet(manager)
        try:
            self._browser = self._opened(self._driver, program)
        except Exception:
            self._driver.stop()
            raise
        started = [pid for pid in tree_of(os.getpid()) if pid not in before and is_driver(pid)]
        self.pid = started[0] if started and not self._limits.url else None
        return self

    def _opened(self, driver: Any, program: str) -> "Browser":
        if self._limits.url:
            joined: Browser = driver.chromium.connect_over_cdp(self._limits.url)
            return joined
        started: Browser = driver.chromium.launch(
            executable_path=program,
            args=[*_ARGS, "--proxy-bypass-list=<-loopback>"],
            ignore_default_args=_NOT_ITS_OWN,
            proxy=self._proxy,
            chromium_sandbox=os.geteuid() != 0,
        )
        return started

    @property
    def _proxy(self) -> dict[str, str]:
        return {"server": f"http://127.0.0.1:{self._proxy_port}", "bypass": "<-loopback>"}

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        for close in (self._browser.close, self._driver.stop):
            with contextlib.suppress(Exception):  # it may have been killed; there is nothing left to close then
                close()

    @property
    def version(self) -> str:
        """Of the browser, `120.0.6099.224`."""
        return self._browser.version

    @property
    def is_alive(self) -> bool:
        """Whether it can show another page."""
        return self._browser.is_connected()

    def visit(self, url: str, trip: Trip) -> Page | Miss:
        """Show a page and return it as its scripts left it."""
        return Showing(url, trip, self._agent).run(self._browser, self._proxy if self._limits.url else None)


def _quiet(manager: Any) -> None:
    """Keep the driver from writing a traceback for every request that was open when its browser was killed."""
    loop = getattr(manager, "_loop", None)
    if loop is not None:
        loop.set_exception_handler(lambda *_: None)
