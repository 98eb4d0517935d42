"""Work out price responses; `stage` says what and how.

- `night`: what one night decides from, read and decided some products at a time. `found`: what comes of it.
- `stage`: storing it. `told`: what a person should know of it.
"""

from monitor.flow.propose.stage import propose

__all__ = ["propose"]
