"""One function alone in a child process: `call` asks for the child, `stem` is the process that forks it."""

from monitor.adapters.alone.call import MOST_AT_ONCE, Alone, AloneLimits, fork_the_stem

__all__ = ["MOST_AT_ONCE", "Alone", "AloneLimits", "fork_the_stem"]
