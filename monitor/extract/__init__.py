"""Page bytes in, one honest reading out: `extract`, `read_price`, and a recipe to start from.

Pure: nothing here fetches, stores or logs, and nothing leaves as an exception. `reading.py` tells the story;
`charset` and `document` make bytes a page, `declared`, `microdata`, `other_readers` and `visible` gather candidates,
`identity` finds the main product, `kinds` and `walls` say what sort of page it is, `reconcile` decides.
"""

from monitor.extract.price_text import read_price
from monitor.extract.reading import extract
from monitor.extract.suggest import suggest_recipe

__all__ = ["extract", "read_price", "suggest_recipe"]
