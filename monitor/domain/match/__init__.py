"""Which listing of a competitor is which of our products: found by the machine, decided by a person.

`suggestions` compares, `Match` is what is stored and decided, `with_matches` is what a night works on.
"""

from monitor.domain.match.compare import Basis, Verdict, compare
from monitor.domain.match.profile import Listing, profile_of_listing, profile_of_product
from monitor.domain.match.queue import MACHINE, Match, MatchDecision, Suggested, Suggestion, with_matches
from monitor.domain.match.suggest import LEAST_SCORE, suggestions

__all__ = [
    "LEAST_SCORE",
    "MACHINE",
    "Basis",
    "Listing",
    "Match",
    "MatchDecision",
    "Suggested",
    "Suggestion",
    "Verdict",
    "compare",
    "profile_of_listing",
    "profile_of_product",
    "suggestions",
    "with_matches",
]
