"""The operator's files and environment, as one frozen value or one error that names every problem.

`load()` reads `monitor.toml`, `competitors.toml`, `rules.toml`, `catalogue.csv`, `watches.csv` and `.env`
from a config directory. Keys, accepted forms and defaults are in `sections` and `competitors`; variables
in `environment`. A stage of the night never sees Settings: it gets `Settings.plan` and `Settings.catalogue`,
which are values of the domain.
"""

from monitor.settings.create import create
from monitor.settings.environment import LogForm, Secrets, Smtp, Tls
from monitor.settings.load import find, load
from monitor.settings.model import Settings, Storage
from monitor.settings.shop import ShopKind

__all__ = ["LogForm", "Secrets", "Settings", "ShopKind", "Smtp", "Storage", "Tls", "create", "find", "load"]
