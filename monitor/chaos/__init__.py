"""`monitor chaos`: nights on a market of its own whose workers are killed, stopped and misled at random.

market   the shops, drawn from a seed
memory   a page that takes all memory of whoever reads it
postgres a PostgreSQL of its own, to be restarted in the middle of a night
shop     our own shop, which counts what was changed, and the mail server; both fail at every phase
place    the config directory of it all, in a temporary directory
worker   a working process, and the nursery that forks them
storm    what is done to the workers, drawn from a seed
night    one night under a storm
verdict  what is right and wrong afterwards, and the figures
run      all nights, from an empty directory to the verdict

Everything that is harmed was made by the same run: it takes no configuration, and of databases only an empty one.
"""

from monitor.chaos.run import OWN, Wanted, run_chaos
from monitor.chaos.verdict import Figures

__all__ = ["OWN", "Figures", "Wanted", "run_chaos"]
