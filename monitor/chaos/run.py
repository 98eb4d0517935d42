"""A whole chaos run: make everything, let the nights pass, let the morning settle what was unclear, judge.

The directory is temporary and goes when all is well; after a complaint it stays, named in the timeline.
"""

import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from random import Random
from secrets import token_hex

from monitor.chaos.market import PAGES, chaos_market
from monitor.chaos.night import OPEN, Ended, Scene, StormyNight
from monitor.chaos.place import make_place
from monitor.chaos.postgres import OwnPostgres, own_postgres
from monitor.chaos.shop import MailServer, OwnShop
from monitor.chaos.storm import Storm, Timeline, Watch, insist, storm_of
from monitor.chaos.verdict import Figures, Told, complaints, figures_of
from monitor.chaos.worker import Nursery
from monitor.demo.child import own_environment, quiet
from monitor.demo.market import MarketServer
from monitor.wiring import open_app
from monitor.wiring.throwaway import prepare_throwaway

#: Asks for a PostgreSQL of this run's own.
OWN = "own"
#: Worker threads of one process.
THREADS = 8
#: Processes that work at the same time where several may.
WORKERS = 3
#: Nothing happens.
CALM = Storm((), 0, 0.0, 1, 0, is_deaf=False)
#: Longer than every lease and quarantine of a mail or a write, in seconds.
_LEAP_S = 25 * 60.0
_MORNINGS = 4


@dataclass(frozen=True, slots=True)
class Wanted:
    """What was asked for."""

    nights: int
    seed: int
    competitors: int = 30
    postgres: str | None = None  #: a URL, or `OWN` for a server that this run starts, restarts and removes
    redis: str | None = None


@dataclass(frozen=True, slots=True)
class Judged:
    """The figures, and what to say when they are not as promised."""

    figures: Figures
    complaints: tuple[str, ...]
    timeline: tuple[str, ...]


def run_chaos(wanted: Wanted, progress: Callable[[int, int], None] = lambda _night, _kills: None) -> Judged:
    """Let the nights pass and judge them.

    Args:
        progress: told after each night its number and the kills so far.

    Raises:
        Misconfigured: a given database or broker is neither empty nor left by an earlier chaos run, or there is no
            PostgreSQL on this machine to start one of our own; nothing was touched.
    """
    timeline = Timeline()
    nights: list[Ended] = []
    with ExitStack() as servers:
        own = servers.enter_context(own_postgres()) if wanted.postgres == OWN else None
        environ = _environ(wanted, own)
        home = Path(tempfile.mkdtemp(prefix="monitor-chaos-"))
        scene, shop, mail = servers.enter_context(scene_of(wanted, home, environ, timeline))
        scene.postgres = own
        for number in range(1, wanted.nights + 1):
            nights.append(StormyNight(scene, number, storm_of(wanted.seed, number, PAGES)).run())
            progress(number, sum(night.kills for night in nights))
        shop.is_calm = mail.is_calm = True
        unsettled = _settle(scene, [night.run_id for night in nights])
        told = Told(shop.changes, mail.taken, unsettled)
    wrong = tuple(complaints(nights, told))
    if not wrong:
        shutil.rmtree(home)
    else:
        timeline.tell(f"everything is kept in {home}")
    return Judged(figures_of(wanted.seed, nights, told), wrong, tuple(timeline.lines))


def _environ(wanted: Wanted, own: OwnPostgres | None) -> dict[str, str]:
    url = own.url if own is not None else wanted.postgres
    if url is None:
        return {}
    prepare_throwaway(url, wanted.redis)
    broker = {"MONITOR_REDIS_URL": wanted.redis} if wanted.redis else {}
    return {"MONITOR_DATABASE_URL": url, **broker}


@contextmanager
def scene_of(
    wanted: Wanted, home: Path, environ: dict[str, str], timeline: Timeline
) -> Iterator[tuple[Scene, OwnShop, MailServer]]:
    """Open market, shop, mail server, config directory and nursery, and close them again."""
    market = chaos_market(wanted.seed, wanted.competitors, wanted.nights)
    with ExitStack() as opened:
        prices = {good.sku: good.price for good in market.goods}
        shop = opened.enter_context(OwnShop(prices, Random(f"chaos shop {wanted.seed}"), timeline.tell))
        opened.callback(shop.shutdown)
        mail = opened.enter_context(MailServer(Random(f"chaos mail {wanted.seed}"), timeline.tell))
        opened.callback(mail.shutdown)
        server = opened.enter_context(MarketServer(market))
        directory = home / "config"
        make_place(directory, server, shop, mail, threads=THREADS)
        nursery = Nursery(home / "nursery.log")
        opened.callback(nursery.close)
        app = open_app(directory, environ={**own_environment(), **environ}, role="chaos")
        opened.callback(app.close)
        quiet()
        scene = Scene(directory, environ, app, server, nursery, timeline, WORKERS if environ else 1, token_hex(3))
        opened.callback(scene.end_all)
        yield scene, shop, mail


def _settle(scene: Scene, run_ids: list[str]) -> tuple[str, ...]:
    """Let the time pass that unclear calls are given, and return what is still open then.

    A SQLite store asks this host's clock, which a worker may be told to run ahead; PostgreSQL asks its own.
    """
    watch = Watch(scene.app.store)
    is_embedded = scene.app.store.is_sqlite
    for morning in range(1, _MORNINGS + 1):
        if not _open(scene, run_ids):
            break
        scene.timeline.tell(f"calm, morning {morning}: {', '.join(_open(scene, run_ids))}")
        scene.start(CALM, ahead_s=_LEAP_S * morning if is_embedded else 0.0)
        watch.wait(15.0 if is_embedded else 80.0, lambda: not _open(scene, run_ids))
        scene.end_all()
    return tuple(_open(scene, run_ids))


def _open(scene: Scene, run_ids: list[str]) -> list[str]:
    return insist(partial(_still_open, scene, run_ids))


def _still_open(scene: Scene, run_ids: list[str]) -> list[str]:
    with scene.app.store.read() as unit:
        return [
            f"{run_id}: {action.proposal.sku} is still {action.state.value}"
            for run_id in run_ids
            for action in unit.actions.of_run(run_id)
            if action.state.value in OPEN
        ]
