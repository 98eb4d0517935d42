"""What `monitor doctor` asks of the outside world: each probe says what answers, or raises what is wrong."""

import os
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

from monitor import __version__
from monitor.adapters.clock import SystemClock
from monitor.adapters.db.revision import HEAD, stored_revision
from monitor.adapters.db.store import SqlStore
from monitor.adapters.fetch import user_agent
from monitor.domain.catalogue import Showing
from monitor.domain.lock import WriteStop
from monitor.errors import Misconfigured, MonitorError
from monitor.settings import Settings, ShopKind
from monitor.wiring.app import prepare_tables
from monitor.wiring.channels import channels_of
from monitor.wiring.outside import browser_limits, mailer_of
from monitor.wiring.own_shop import shop_words

Probe = Callable[[], str]


def probes(settings: Settings) -> dict[str, Probe]:
    """Return the probes by name; none of them changes anything."""
    return {
        "database": lambda: _database(settings),
        "broker": lambda: _broker(settings),
        "smtp": lambda: _smtp(settings),
        "shop": lambda: _shop(settings),
        "notify": lambda: _notify(settings),
        "public_url": lambda: _public_url(settings),
        **browser_probe(settings),
    }


def browser_probe(settings: Settings) -> dict[str, Probe]:
    """Return what starts a browser, when a shop that is visited needs one."""
    shops = [shop.id for shop in settings.catalogue.competitors if shop.enabled and shop.fetch is Showing.BROWSER]
    return {"browser": lambda: _browser(settings, shops)} if shops else {}


def write_stop(settings: Settings) -> WriteStop | None:
    """Return who threw the kill switch, None while writes may go on or nothing can be read; changes nothing."""
    if settings.storage.is_embedded and not settings.storage.path.exists():
        return None
    store = SqlStore(settings.storage.database_url, SystemClock())
    try:
        if stored_revision(store) != HEAD:
            return None
        with store.read() as unit:
            return unit.holds.stop()
    except MonitorError:
        return None  # the probe of the database tells what is wrong with it
    finally:
        store.close()


def _database(settings: Settings) -> str:
    if settings.storage.is_embedded and not settings.storage.path.exists():
        return _first_run(settings.storage.path)
    store = SqlStore(settings.storage.database_url, SystemClock())
    try:
        name, found = store.ping(), stored_revision(store)
        if found != HEAD and settings.storage.is_embedded:
            return f"{name} answers; the next start brings its tables from {found or 'none'} to {HEAD}"
        prepare_tables(settings, store)
    finally:
        store.close()
    return f"{name} answers, its schema is current"


def _first_run(database: Path) -> str:
    """Say that the file is yet to be made; raises Misconfigured when this user cannot make it."""
    _can_be_made("storage.path", database)
    return f"SQLite, {database} is made by the first run"


def _can_be_made(key: str, file: Path) -> None:
    nearest = next(parent for parent in file.parents if parent.exists())
    if not nearest.is_dir() or not os.access(nearest, os.W_OK | os.X_OK):
        raise Misconfigured([f"{key}: {file} cannot be made, because {nearest} takes no new files"])


def _broker(settings: Settings) -> str:
    if settings.redis_url is None:
        if not settings.storage.is_embedded:
            raise Misconfigured(
                ["MONITOR_REDIS_URL is not set, but the database is PostgreSQL: name a Redis or Valkey server too"]
            )
        return "inside the process"
    from monitor.adapters.redis_broker import ping  # as in `broker_of`

    return f"{ping(settings.redis_url)} answers"


def _smtp(settings: Settings) -> str:
    mailer = mailer_of(settings)
    if mailer is None:
        return "no mail server set (MONITOR_SMTP_URL); reports are stored only"
    return f"answers: {mailer.probe()}"


def _notify(settings: Settings) -> str:
    channels = channels_of(settings)
    return channels.probe() if channels else "no channel set (MONITOR_ALERT_URLS); alerts are mailed and shown only"


def _shop(settings: Settings) -> str:
    if settings.shop.kind is ShopKind.PRICE_FILE and not settings.price_file.exists():
        _can_be_made("shop.path", settings.price_file)
    return shop_words(settings)


def _browser(settings: Settings, shops: list[str]) -> str:
    from monitor.adapters.fetch.chromium import Chromium, NoBrowser  # as rarely needed as the extra

    try:
        with Chromium(browser_limits(settings), 9, user_agent(__version__, "")) as started:
            return f"Chromium {started.version} starts, for {', '.join(shops)}"
    except NoBrowser as missing:
        raise Misconfigured([f"{', '.join(shops)} cannot be read: {missing}"]) from None


def _public_url(settings: Settings) -> str:
    url = settings.plan.review.public_url
    parts = urlsplit(url)
    if parts.scheme == "http" and parts.hostname not in ("127.0.0.1", "localhost", "::1"):
        raise Misconfigured([f"review.public_url {url}: use https, the links in the mail carry the right to decide"])
    return f"links begin with {url}"
