"""Decide prices: rules and offers in, for each product one decision out, exact and explained.

The map, in the order in which a night uses it:

- `rule`, `reading`, `guard_reading`: what rules can say, and reading them from `rules.toml` with every problem named.
- `market`: from the night's observations to the offers for each product, and a decision for each product.
- `offers`: which offers count, and for how much. `bounds`, `endings`: limits and price endings.
- `decide`: the twelve steps; `codes`: the codes they leave behind. `exact`: fractions, rounded only on request.
- `guards`, `breakers`, `own`: what the night as a whole may do, and when its proposals need a second look. `night`:
  all of it together. `flags`: remarks on a proposal.
- `words`, `quiet`, `wording`: a decision in one line of English. `facts`: what a person is shown about it.
- `cases`: decision tables, worked examples that are run against all of this. `fields`: reading tables.

The semantics are written down in `docs/pricing.md`. Nothing here does input or output or looks at a clock.
"""

from monitor.domain.anomaly import WatchKey
from monitor.domain.pricing.breakers import NIGHTS_COMPARED, Coverage, tripped
from monitor.domain.pricing.codes import EXCEPTIONS, GUARDS, BreakerCode, Note, OfferCode, Reason
from monitor.domain.pricing.decide import Decision, Tripped, decide
from monitor.domain.pricing.facts import (
    by_money_at_stake,
    change_pct,
    facts_of,
    largest_first,
    margin_pct,
    proposal_of,
    weekly_effect,
)
from monitor.domain.pricing.flags import Remarks, remarks_on
from monitor.domain.pricing.guards import Circumstances, guarded_together
from monitor.domain.pricing.market import decisions, offers_from
from monitor.domain.pricing.night import (
    NightDecisions,
    NightFacts,
    PartDecisions,
    Whole,
    decide_night,
    decide_part,
    glance_at,
    whole_of,
)
from monitor.domain.pricing.offers import Offer
from monitor.domain.pricing.reading import read_rules, rules_from_text
from monitor.domain.pricing.rule import ExchangeRates, Rule, Rules
from monitor.domain.pricing.words import ignored_in_words, in_words

__all__ = [
    "EXCEPTIONS",
    "GUARDS",
    "NIGHTS_COMPARED",
    "BreakerCode",
    "Circumstances",
    "Coverage",
    "Decision",
    "ExchangeRates",
    "NightDecisions",
    "NightFacts",
    "Note",
    "Offer",
    "OfferCode",
    "PartDecisions",
    "Reason",
    "Remarks",
    "Rule",
    "Rules",
    "Tripped",
    "WatchKey",
    "Whole",
    "by_money_at_stake",
    "change_pct",
    "decide",
    "decide_night",
    "decide_part",
    "decisions",
    "facts_of",
    "glance_at",
    "guarded_together",
    "ignored_in_words",
    "in_words",
    "largest_first",
    "margin_pct",
    "offers_from",
    "proposal_of",
    "read_rules",
    "remarks_on",
    "rules_from_text",
    "tripped",
    "weekly_effect",
    "whole_of",
]
