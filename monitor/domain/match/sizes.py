"""Whether two quantities can be of the same thing.

Total amounts are compared: packs times size, and packs times pieces. Where only one title says a size nothing
contradicts; where one says a pack and the other nothing, the other is one. Within one system of units amounts are
compared exactly; between litres and fluid ounces 2 % is left for rounding (12 fl oz is sold as 355 ml).
"""

from fractions import Fraction

from monitor.domain.match.quantity import Quantity, Size

#: The share that converting and rounding between systems of units may cost.
ROUNDING = Fraction(2, 100)
_GRAMS = Fraction("28.349523125")
_MILLILITRES = Fraction("29.5735295625")


def contradiction(one: Quantity, other: Quantity) -> str | None:
    """Return in words why two quantities cannot be of the same thing, None when they can."""
    if one.sizes and other.sizes and _totals_agree(one, other):
        return None if one.pack_count == other.pack_count or _is_total(one, other) else _packs(one, other)
    if _pieces_explain(one, other):
        return None
    if one.pack_count != other.pack_count:
        return _packs(one, other)
    if one.pieces and other.pieces and not one.pieces & other.pieces:
        return f"the count differs: {_counts(one)} here, {_counts(other)} there"
    if one.dimensions and other.dimensions and not one.dimensions & other.dimensions:
        return f"the dimensions differ: {', '.join(one.dimensions)} here, {', '.join(other.dimensions)} there"
    for kind in _kinds(one) & _kinds(other):
        mine, theirs = _of(one, kind), _of(other, kind)
        alone = [a for a in mine if not any(_same(a, b) for b in theirs)]
        if alone and any(not any(_same(a, b) for a in mine) for b in theirs):
            return f"the size differs: {shown(one, kind)} here, {shown(other, kind)} there"
    return None


def shown(quantity: Quantity, kind: str) -> str:
    """Return the sizes of one kind as people write them."""
    return " / ".join(sorted(f"{_number(each.amount)} {each.kind}" for each in _of(quantity, kind)))


def _packs(one: Quantity, other: Quantity) -> str:
    return f"the pack differs: {one.pack_count} here, {other.pack_count} there"


def _counts(quantity: Quantity) -> str:
    return ", ".join(str(each) for each in sorted(quantity.pieces))


def _kinds(quantity: Quantity) -> set[str]:
    """Return what kinds of size are said; an ounce is of weight and of volume."""
    return {kind for each in quantity.sizes for kind in (("g", "ml") if each.is_either else (each.kind,))}


def _of(quantity: Quantity, kind: str) -> list[Size]:
    found = [each for each in quantity.sizes if each.kind == kind]
    if kind in ("g", "ml"):
        found += [each for each in quantity.sizes if each.is_either]
    return found


def _amounts(size: Size) -> tuple[tuple[str, Fraction], ...]:
    if size.is_either:
        return (("oz", size.amount), ("g", size.amount * _GRAMS), ("ml", size.amount * _MILLILITRES))
    return ((size.kind, size.amount),)


def _same(one: Size, other: Size, packs: tuple[int, int] = (1, 1)) -> bool:
    """Say whether two sizes are the same amount, each times its packs."""
    for kind, amount in _amounts(one):
        for other_kind, other_amount in _amounts(other):
            if kind != other_kind:
                continue
            a, b = amount * packs[0], other_amount * packs[1]
            slack = max(a, b) * ROUNDING if one.is_us != other.is_us else 0
            if abs(a - b) <= slack:
                return True
    return False


def _totals_agree(one: Quantity, other: Quantity) -> bool:
    """Say whether one title gives the size of the unit with its packs and the other that of all of it."""
    if one.pack_count == other.pack_count:
        return False
    packs = (one.pack_count, other.pack_count)
    return any(_same(a, b, packs) for a in one.sizes for b in other.sizes if a.kind in ("g", "ml", "oz", "mm"))


def _is_total(one: Quantity, other: Quantity) -> bool:
    """Say whether one of the two names no packs, so that its size is that of the whole."""
    return one.packs is None or other.packs is None


def _pieces_explain(one: Quantity, other: Quantity) -> bool:
    """Say whether `20 Stück` on one page are the `20 bags` of the other."""
    return (one.packs in other.pieces and other.packs is None) or (other.packs in one.pieces and one.packs is None)


def _number(amount: Fraction) -> str:
    return f"{float(amount):.6g}"
