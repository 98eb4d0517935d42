"""The codes a decision leaves behind: why nothing is proposed, why an offer did not count, what bound.

Codes are stable: reports, stored decisions and decision tables carry them. `words.py` says them in English.
"""

from enum import StrEnum


class Reason(StrEnum):
    """Why nothing is proposed."""

    NO_RULE = "NO_RULE"  #: no enabled rule is for this product
    LOCKED = "LOCKED"  #: a person froze the price
    OWN_OUT_OF_STOCK = "OWN_OUT_OF_STOCK"  #: we have nothing to sell
    ON_SALE = "ON_SALE"  #: the product is on sale
    COOL_DOWN = "COOL_DOWN"  #: our price changed too recently
    COST_MISSING = "COST_MISSING"  #: the rule needs a cost and the catalogue has none
    BOUNDS_CONFLICT = "BOUNDS_CONFLICT"  #: the product's floor is above its ceiling
    COVERAGE_LOW = "COVERAGE_LOW"  #: too few tracked offers are fresh and trusted
    TOO_FEW_OFFERS = "TOO_FEW_OFFERS"  #: fewer usable offers than the rule asks for
    REFERENCE_MISSING = "REFERENCE_MISSING"  #: the named or n-th offer is not there
    IN_BAND = "IN_BAND"  #: our price is where the rule wants it
    BELOW_FLOOR = "BELOW_FLOOR"  #: the target is below our floor and the rule does not follow
    GUARDRAIL_CONFLICT = "GUARDRAIL_CONFLICT"  #: no price keeps every limit
    NO_CHANGE = "NO_CHANGE"  #: the result is the price we have
    DIRECTION = "DIRECTION"  #: the rule may not move the price that way
    TOO_SMALL = "TOO_SMALL"  #: the change is not worth making
    DO_NOT_TOUCH = "DO_NOT_TOUCH"  #: the product is on the do-not-touch list
    EMERGENCY_CAP = "EMERGENCY_CAP"  #: the raise passes a dated emergency ceiling
    RIVAL_HELD = "RIVAL_HELD"  #: a raise while the reading of a rival waits for confirmation
    PRICE_WAR = "PRICE_WAR"  #: one more decrease after several in a row
    RUN_CAP = "RUN_CAP"  #: the night has proposed as many changes as it may
    EFFECT_CAP = "EFFECT_CAP"  #: the night has moved as much weekly margin as it may


#: Too little market data: these and only these let a rule with `fallback = "next"` pass the product on.
TOO_LITTLE_KNOWN = frozenset({Reason.COVERAGE_LOW, Reason.TOO_FEW_OFFERS, Reason.REFERENCE_MISSING})

#: A guard of the whole night stopped what one product alone would have led to; in the order in which they are asked.
GUARDS = (
    Reason.DO_NOT_TOUCH,
    Reason.EMERGENCY_CAP,
    Reason.RIVAL_HELD,
    Reason.PRICE_WAR,
    Reason.RUN_CAP,
    Reason.EFFECT_CAP,
)

#: Something is wrong with our own facts or rules, or the market was not seen: a person should look.
EXCEPTIONS = frozenset(
    {
        Reason.COST_MISSING,
        Reason.BOUNDS_CONFLICT,
        Reason.GUARDRAIL_CONFLICT,
        Reason.NO_RULE,
        Reason.COVERAGE_LOW,
    }
)


class BreakerCode(StrEnum):
    """Why proposals need a second look: the night as a whole is unlike others."""

    MARKET_BREAKER = "MARKET_BREAKER"  #: too large a share of all prices moved at once
    COMPETITOR_BREAKER = "COMPETITOR_BREAKER"  #: too large a share of one competitor's prices moved at once
    DOWN_BREAKER = "DOWN_BREAKER"  #: too large a share of our products would move down
    STEP_BREAKER = "STEP_BREAKER"  #: the median change is too large, either way
    COVERAGE_BREAKER = "COVERAGE_BREAKER"  #: far fewer watches were read than in the nights before


class OfferCode(StrEnum):
    """Why an offer did not count, in the order in which they are asked."""

    NOT_CONFIRMED = "NOT_CONFIRMED"  #: nobody confirmed that it is the same product
    CONDITION = "CONDITION"  #: not new
    SELLER_EXCLUDED = "SELLER_EXCLUDED"  #: the rule does not look at this seller
    HELD = "HELD"  #: the reading is suspicious and waits for confirmation
    STALE = "STALE"  #: the reading is too old
    OUT_OF_STOCK = "OUT_OF_STOCK"  #: cannot be bought
    STOCK_UNKNOWN = "STOCK_UNKNOWN"  #: the page does not tell
    NO_FX_RATE = "NO_FX_RATE"  #: foreign currency without an exchange rate
    SHIPPING_UNKNOWN = "SHIPPING_UNKNOWN"  #: delivery counts and is not known
    BELOW_MAP = "BELOW_MAP"  #: undercuts the minimum advertised price
    OUTLIER = "OUTLIER"  #: too far from the median


class Note(StrEnum):
    """What happened on the way to a result; `FALLBACK:<rule id>` is the one note that is not listed here."""

    MIN_PRICE = "MIN_PRICE"  #: raised to the product's minimum
    MARGIN_FLOOR = "MARGIN_FLOOR"  #: raised to keep the margin
    MAP_FLOOR = "MAP_FLOOR"  #: raised to the minimum advertised price
    MAX_DECREASE = "MAX_DECREASE"  #: lowered less than the market
    MAX_PRICE = "MAX_PRICE"  #: capped at the product's maximum
    MSRP = "MSRP"  #: capped at the suggested retail price
    MAX_INCREASE = "MAX_INCREASE"  #: raised less than the market
    NO_ENDING_FITS = "NO_ENDING_FITS"  #: no price ending lies within the limits
    COMPARE_AT_INVALID = "COMPARE_AT_INVALID"  #: the struck-through price would not be higher any more


def fallback_note(rule_id: str) -> str:
    """Return the note that a rule passed the product on."""
    return f"FALLBACK:{rule_id}"
