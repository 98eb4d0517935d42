"""The outside world as the program sees it: small Protocols, implemented in `adapters/`.

`world` is shops, mail and clocks; `store` is the database with `jobs`, `history`, `review` and `messages`
as its parts. A call that is safe to repeat says so; everything else is guarded by an intent row that is
committed first. No library's exception crosses a port.
"""

from monitor.ports.store import Effect, Store, Unit
from monitor.ports.world import Clock, Doorbell, Fetcher

__all__ = ["Clock", "Doorbell", "Effect", "Fetcher", "Store", "Unit"]
