"""What a run froze, read and parsed once per content and process: a night has thousands of jobs and one catalogue."""

import threading
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Generic, TypeVar

from monitor.domain.catalogue import Catalogue, Watch
from monitor.domain.packing import Packed
from monitor.domain.plan import NightPlan
from monitor.domain.run import Run
from monitor.domain.snapshot import catalogue_from_bytes, plan_from_json
from monitor.ports.store import Unit
from monitor.wiring.interpreter import give_back

T = TypeVar("T")

#: Contents kept of each kind: the run under way, the one before it, and a late one.
_MOST = 3


@dataclass(slots=True)
class _Parsed(Generic[T]):
    """Parsed contents by their hash; one thread parses, the others wait for it."""

    parse: Callable[[bytes], T]
    _kept: "OrderedDict[str, T]" = field(default_factory=OrderedDict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def of(self, unit: Unit, run: Run, digest: str) -> T:
        """Return what a blob holds.

        Raises:
            LookupError: the blob is not in the database.
        """
        with self._lock:
            if digest not in self._kept:
                self._kept[digest] = self.parse(_body(unit, run, digest))
                give_back()  # the text and the first reading of it, tens of megabytes of ten thousand watches
                while len(self._kept) > _MOST:
                    self._kept.popitem(last=False)
            return self._kept[digest]


def _body(unit: Unit, run: Run, digest: str) -> bytes:
    body = unit.blobs.get(digest)
    if body is None:
        raise LookupError(f"{run.id}: what it froze (blob {digest}) is not in the database")
    return body


#: Parts of catalogues, by competitor, that are held in full: those whose jobs waited last and go on soon.
_MOST_SHARES = 100


class _Shares:
    """What of one catalogue each competitor's job works on, packed; the last ones asked for also in full."""

    def __init__(self, whole: Catalogue) -> None:
        self._packed = {share.competitors[0].id: Packed(share) for share in _shares_of(whole)}
        self._lately = lru_cache(_MOST_SHARES)(self._unpacked)

    def of(self, competitor: str) -> Catalogue | None:
        return self._lately(competitor) if competitor in self._packed else None

    def _unpacked(self, competitor: str) -> Catalogue:
        return self._packed[competitor].value()


def _shares_of(whole: Catalogue) -> Iterator[Catalogue]:
    watches: dict[str, list[Watch]] = defaultdict(list)
    for watch in whole.watches:
        watches[watch.competitor].append(watch)
    products = {product.sku: product for product in whole.products}
    for competitor in whole.competitors:
        here = tuple(watches[competitor.id])
        sold = dict.fromkeys(watch.sku for watch in here)
        yield Catalogue(tuple(products[sku] for sku in sold if sku in products), (competitor,), here)


_plans = _Parsed(lambda body: plan_from_json(body.decode()))
_shares = _Parsed(lambda body: _Shares(catalogue_from_bytes(body)))


def frozen_plan(unit: Unit, run: Run) -> NightPlan:
    """Return the plan that a run froze."""
    return _plans.of(unit, run, run.settings_hash)


def frozen_catalogue(unit: Unit, run: Run) -> Catalogue:
    """Return the catalogue that a run froze, read anew: whole it is needed once a night.

    Raises:
        LookupError: it is not in the database.
    """
    return catalogue_from_bytes(_body(unit, run, run.catalogue_hash))


def frozen_share(unit: Unit, run: Run, competitor: str) -> Catalogue:
    """Return what of its catalogue one competitor's job works on: that shop, its watches and their products.

    Raises:
        LookupError: the run knows no such competitor.
    """
    share = _shares.of(unit, run, run.catalogue_hash).of(competitor)
    if share is None:
        raise LookupError(f"{run.id}: the catalogue that it froze has no competitor {competitor!r}")
    return share
