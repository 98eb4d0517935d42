"""The composition root: the only package that knows every adapter.

`open_app` puts settings and adapters together; `Working` adds the threads of a working process; `probes` are
the checks of `monitor doctor`. What is embedded and what is distributed is decided here and nowhere else: a SQLite
file and a broker inside the process, unless the environment names PostgreSQL and Redis.
"""

from monitor.wiring.app import App, open_app
from monitor.wiring.outside import open_fetcher
from monitor.wiring.own_shop import without_row
from monitor.wiring.probes import probes, write_stop
from monitor.wiring.working import Working, run_night

__all__ = ["App", "Working", "open_app", "open_fetcher", "probes", "run_night", "without_row", "write_stop"]
