"""The whole demo: set up, seven nights with their mornings, one kill, the review link, and then serve."""

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random

from monitor.demo.child import own_environment, quiet
from monitor.demo.expectations import broken_promises
from monitor.demo.facts import Ending, LinkProof, Morning, Night
from monitor.demo.link import follow
from monitor.demo.market import MarketServer, market_of
from monitor.demo.market.moves import NIGHTS, Move
from monitor.demo.mornings import Reader
from monitor.demo.nights import Scene
from monitor.demo.place import ZONE, make_place
from monitor.demo.postbox import Postbox
from monitor.demo.show import Show
from monitor.domain.action import Action
from monitor.domain.money import Money
from monitor.domain.night import latest_due
from monitor.domain.plan import Schedule
from monitor.errors import Misconfigured
from monitor.web.serve import server_of
from monitor.wiring import App, Working, open_app
from monitor.wiring.leaving import until_asked

#: The last simulated morning is the latest one that lies in the past, so that afterwards the real clock fits.
_MORNING_AFTER = timedelta(hours=5, minutes=10)


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the command line asked for."""

    directory: Path
    seed: int = 1
    port: int = 0  #: of the web pages; 0 is any free one
    is_once: bool = False  #: end after the summary


def run_demo(wanted: Wanted, show: Show) -> bool:
    """Run the demo and say whether it kept all its promises.

    Raises:
        KeyboardInterrupt: asked to end; everything it started has ended.
        Misconfigured: the directory holds a configuration already, or the port is taken.
        NightDied: the process of a night ended without a report.
    """
    began = time.monotonic()
    market = market_of(wanted.seed)
    with (
        _listening(wanted.port) as listener,
        MarketServer(market) as server,
        Postbox(wanted.directory / "mail") as postbox,
    ):
        status_url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        make_place(wanted.directory, server, smtp_url=postbox.smtp_url, public_url=status_url)
        show.market(market, postbox.url, str(wanted.directory))
        scene = Scene(wanted.directory, server, Schedule(zone=ZONE))
        nights, mornings = _seven(scene, postbox, wanted.seed, show)
        with _working(wanted.directory, listener) as app:
            ending = Ending(wanted.directory, nights, mornings, _followed(app, postbox), time.monotonic() - began)
            ending = replace(ending, problems=tuple(broken_promises(ending, market)))
            last = postbox.letters()[-1] if postbox.letters() else None
            show.summary(
                ending,
                mail_url=postbox.page_of(last) if last else postbox.url,
                status_url=f"{status_url}/",
                mail_file=str(last.path) if last else "no mail came",
                is_once=wanted.is_once,
            )
            if not wanted.is_once:
                show.serving(str(wanted.directory))
                until_asked()
    return not ending.problems


def _seven(scene: Scene, postbox: Postbox, seed: int, show: Show) -> tuple[tuple[Night, ...], tuple[Morning, ...]]:
    reader = Reader(scene, postbox, Random(f"reader {seed}"))
    last = latest_due(datetime.now(UTC) - _MORNING_AFTER, scene.schedule).local_date
    nights, mornings = [], []
    for number in range(1, NIGHTS + 1):
        day = last - timedelta(days=NIGHTS - number)
        with show.night(number, f"{day:%A %Y-%m-%d}", _news(scene, number)) as progress:
            night = scene.run(number, day, is_killed=number == NIGHTS, progress=progress, killed=show.killed)
        show.night_done(night)
        morning = reader.morning(day, decides=number < NIGHTS)
        show.morning_done(morning)
        nights.append(night)
        mornings.append(morning)
    return tuple(nights), tuple(mornings)


def _news(scene: Scene, number: int) -> tuple[Move, ...]:
    """Return what is new on the market tonight; what ends is named as such."""
    moves = scene.server.market.moves
    ended = (replace(move, kind=f"{move.kind} over") for move in moves if move.last == number - 1)
    return (*(move for move in moves if move.first == number), *ended)


def _followed(app: App, postbox: Postbox) -> LinkProof:
    letters = postbox.letters()
    if not letters:
        return LinkProof("", 0, 0, 0, "", "", "", "", kept_by_get=True)

    def action(number: int) -> Action | None:
        with app.store.read() as unit:
            return unit.actions.get(number)

    def price(sku: str) -> Money | None:
        found = app.shop.read(sku)
        return None if found is None else found.price

    return follow(letters[-1], price=price, action=action)


@contextmanager
def _listening(port: int) -> Iterator[socket.socket]:
    """Take the port of the web pages before anything else, since the links in the mails name it."""
    with socket.socket() as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind(("127.0.0.1", port))
        except OSError as taken:
            raise Misconfigured(
                [f"--port {port}: {taken.strerror}; nothing was started. Leave --port out to take a free one"]
            ) from None
        listener.listen(128)
        yield listener


@contextmanager
def _working(directory: Path, listener: socket.socket) -> Iterator[App]:
    """Work like `monitor up` does, by the real clock, with the web pages on the socket that is open already."""
    app = open_app(directory, environ=own_environment(), role="demo")
    quiet()
    working, web = Working(app, threads=2), server_of(app)
    thread = threading.Thread(target=web.run, args=([listener],), name="web", daemon=True)
    try:
        working.start()
        thread.start()
        yield app
    finally:
        web.should_exit = True
        thread.join(10)
        working.stop()
        app.close()
