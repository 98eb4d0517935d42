"""When a budget is worth telling: at four fifths, and when it is spent."""

#: Shares of a budget, in percent, at which somebody should know; each is told once.
LEVELS_PCT = (80, 100)


def crossed(before: int, after: int, limit: int) -> tuple[int, ...]:
    """Return the levels that spending from `before` to `after` of `limit` reached, lowest first."""
    if limit <= 0:
        return ()
    return tuple(level for level in LEVELS_PCT if before * 100 < level * limit <= after * 100)
