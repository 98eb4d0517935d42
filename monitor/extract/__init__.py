"""Page bytes in, one honest reading out."""

from monitor.extract.price_text import read_price
from monitor.extract.reading import extract

__all__ = ["extract", "read_price"]
