"""What speaks to the outside world, opened as the settings name it: shops, mail server, webhook, locks of processes."""

from monitor import __version__
from monitor.adapters.db.store import SqlStore
from monitor.adapters.fetch import BrowserLimits, HttpFetcher, user_agent
from monitor.adapters.http import Client
from monitor.adapters.liveness import AdvisoryLocks, FileLocks
from monitor.adapters.mail import SmtpMailer, SmtpServer, Tls
from monitor.adapters.notify import EventWebhook
from monitor.ports.world import Clock
from monitor.settings import Settings


def fetcher_of(settings: Settings, client: Client) -> HttpFetcher:
    """Return what visits shops."""
    agent = user_agent(__version__, settings.fetch.contact)
    return HttpFetcher(client, agent, browser=browser_limits(settings))


def browser_limits(settings: Settings) -> BrowserLimits:
    """Return what a browser may use."""
    section = settings.browser
    return BrowserLimits(section.executable, section.url or "", section.memory_mb * 1_000_000)


def open_fetcher(settings: Settings | None = None) -> HttpFetcher:
    """Return a fetcher on its own, for `monitor check URL`; without settings it says nothing of whose it is."""
    return HttpFetcher(Client(), user_agent(__version__, "")) if settings is None else fetcher_of(settings, Client())


def liveness_of(settings: Settings, store: SqlStore) -> FileLocks | AdvisoryLocks:
    """Return how deaths are seen on this database."""
    if settings.storage.is_embedded:
        return FileLocks(settings.storage.path.with_name(settings.storage.path.name + ".locks"))
    return AdvisoryLocks(store.writer)


def events_of(settings: Settings, client: Client, clock: Clock) -> EventWebhook | None:
    """Return who is told of a run's end, or None."""
    url, agent = settings.webhooks.run_finished, user_agent(__version__, settings.fetch.contact)
    return None if url is None else EventWebhook(url, settings.secrets.events, client, clock, agent=agent)


def mailer_of(settings: Settings) -> SmtpMailer | None:
    """Return the mail server, or None when none is configured."""
    smtp = settings.smtp
    if smtp is None:
        return None
    return SmtpMailer(SmtpServer(smtp.host, smtp.port, Tls(smtp.tls.value), smtp.user, smtp.password))
