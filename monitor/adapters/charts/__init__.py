"""Charts from one specification each: PNG for mails, SVG for pages without scripts, the browser's own drawing.

Drawing holds up to 190 MB, so it happens in a child process that ends when nobody has asked for a while.
"""

from monitor.adapters.charts.artist import Artist

__all__ = ["Artist"]
