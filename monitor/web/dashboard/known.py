"""The newest night's catalogue, which gives the pages names and watches; parsed once per content."""

from dataclasses import dataclass

from monitor.domain.catalogue import Catalogue, Competitor
from monitor.domain.report.clean import clean
from monitor.domain.run import Run
from monitor.domain.snapshot import catalogue_from_json
from monitor.ports.store import Unit

_NAME_LIMIT = 60
#: Catalogues by their hash, newest last. A hash has one content, so what is here is not read again.
_parsed: dict[str, Catalogue] = {}
_KEPT = 2


@dataclass(frozen=True, slots=True)
class Known:
    """What the newest night worked on."""

    run: Run | None  #: None before the first night
    catalogue: Catalogue
    names: dict[str, str]  #: of competitors by id, clean

    def competitor(self, key: str) -> Competitor | None:
        """Return a competitor by its id."""
        return next((one for one in self.catalogue.competitors if one.id == key), None)

    def rivals_of(self, sku: str) -> frozenset[str]:
        """Return the ids of the competitors on which a product is watched."""
        return frozenset(watch.competitor for watch in self.catalogue.watches if watch.sku == sku)


def known(unit: Unit) -> Known:
    """Return the catalogue of the newest night; an empty one before the first, or when it is not kept any more."""
    run = next(iter(unit.runs.latest(1)), None)
    catalogue = Catalogue((), (), ()) if run is None else _catalogue(unit, run.catalogue_hash)
    return Known(run, catalogue, {one.id: clean(one.name, _NAME_LIMIT) or one.id for one in catalogue.competitors})


def _catalogue(unit: Unit, digest: str) -> Catalogue:
    found = _parsed.get(digest)
    if found is None:
        body = unit.blobs.get(digest)
        if body is None:
            return Catalogue((), (), ())
        found = _parsed[digest] = catalogue_from_json(body.decode())
        for old in list(_parsed)[:-_KEPT]:
            _parsed.pop(old, None)
    return found
