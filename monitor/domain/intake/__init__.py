"""Take in our own products from the file of a shop program, a feed or our own CSV.

`read_catalogue_file` recognises the form and returns an `Intake`: what is listed, what is left out and why, and
everything wrong with the file at once. `price_update` is the way back: a file for the shop's own importer in
the headers of its export, with nothing in it but keys and the prices that change.
"""

from monitor.domain.intake.listing import Asked, Intake, Kind, LeftOut, Listed
from monitor.domain.intake.recognise import MAPPABLE, read_catalogue_file

__all__ = ["MAPPABLE", "Asked", "Intake", "Kind", "LeftOut", "Listed", "read_catalogue_file"]
