"""Under which number the shop keeps which SKU: remembered in the database, or for as long as a process lives."""

from collections.abc import Iterable, Mapping

from monitor.ports.store import Store


class KnownRefs:
    """`monitor.ports.shop.ShopRefs` in memory."""

    def __init__(self) -> None:
        self._refs: dict[str, str] = {}

    def get(self, skus: Iterable[str]) -> dict[str, str]:
        """Return the known numbers."""
        return {sku: self._refs[sku] for sku in skus if sku in self._refs}

    def put(self, refs: Mapping[str, str]) -> None:
        """Remember these."""
        self._refs |= refs

    def forget(self, sku: str) -> None:
        """Forget one."""
        self._refs.pop(sku, None)


class StoredRefs:
    """`monitor.ports.shop.ShopRefs` in the store, for one channel; what was put is kept in memory too."""

    def __init__(self, store: Store, channel: str) -> None:
        self._store, self._channel = store, channel
        self._known = KnownRefs()

    def get(self, skus: Iterable[str]) -> dict[str, str]:
        """Return the known numbers. Raises StoreUnavailable."""
        wanted = list(skus)
        known = self._known.get(wanted)
        missing = [sku for sku in wanted if sku not in known]
        if missing:
            with self._store.read() as unit:
                self._known.put(unit.refs.get(self._channel, missing))
        return self._known.get(wanted)

    def put(self, refs: Mapping[str, str]) -> None:
        """Remember what is new. Raises StoreUnavailable."""
        known = self._known.get(refs)
        new = {sku: ref for sku, ref in refs.items() if known.get(sku) != ref}
        if new:
            with self._store.write() as unit:
                unit.refs.put(self._channel, new)
            self._known.put(new)

    def forget(self, sku: str) -> None:
        """Forget one. Raises StoreUnavailable."""
        self._known.forget(sku)
        with self._store.write() as unit:
            unit.refs.forget(self._channel, sku)
