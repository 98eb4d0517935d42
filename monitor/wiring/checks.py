"""Single checks of competitors' pages, from an opened app."""

from monitor.domain.catalogue import Catalogue
from monitor.flow.check import Checks
from monitor.flow.collect import Limits
from monitor.wiring.app import App


def checks_of(app: App) -> Checks:
    """Return what reads one page on demand, by the operator's files as a night that begins now would read them."""

    def catalogue() -> Catalogue:
        settings, _ = app.files.now()
        return settings.catalogue

    return Checks(app.store, app.fetcher, catalogue, Limits().agent, app.settings.fetch.max_body_bytes)
