"""The rules that a run froze, parsed once for all of its jobs."""

from functools import lru_cache

from monitor.domain.plan import NightPlan
from monitor.domain.pricing import Rules, rules_from_text


def frozen_rules(plan: NightPlan) -> Rules:
    """Return the rules of a plan; raises Misconfigured for a text that this version cannot read."""
    return _rules_from(plan.rules)


@lru_cache(maxsize=4)
def _rules_from(text: str) -> Rules:
    return rules_from_text(text, where="the rules that this run froze")
