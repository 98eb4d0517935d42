"""Single checks of competitors' pages, from an opened app."""

from monitor.flow.check import Checks
from monitor.flow.collect import Limits
from monitor.wiring.app import App


def checks_of(app: App) -> Checks:
    """Return what reads one page on demand, by the operator's files as they were when this process began."""
    settings = app.settings
    return Checks(app.store, app.fetcher, settings.catalogue, Limits().agent, settings.fetch.max_body_bytes)
