"""Give each amount of a table's row the words at the head of its own column.

In the text of a page all heads stand before all amounts, so that the words before the first amount are the last
column's head, and those before the others none. Asked only for amounts of one row that no words part.
"""

from collections.abc import Sequence
from itertools import islice, pairwise

from selectolax.lexbor import LexborNode

from monitor.extract.amounts import Amount
from monitor.extract.document import Document, Place
from monitor.extract.own_words import digit_offset

NEAR = 12  #: characters between two amounts of one row at most
LONGEST = 40  #: characters of a head
MOST = 20  #: cells of a row that are looked at
INSIDE = 4  #: elements around an amount of which one may be its cell
_CELLS = frozenset({"td", "th"})


def column_heads(document: Document, found: Sequence[Amount]) -> dict[int, str]:
    """Return the heads of columns by where the amounts below them start; those that have none are left out."""
    heads: dict[int, str] = {}
    for one, two in pairwise(found):
        if two.start - one.end > NEAR:
            continue
        between = document.text[one.end : two.start]
        if "\n" not in between or any(map(str.isalnum, between)):
            continue
        places = [document.place(digit_offset(document.text, amount)) for amount in (one, two)]
        if not _in_one_row(*places):
            continue
        for amount in (one, two):
            if amount.start not in heads and (head := _head(document, amount)):
                heads[amount.start] = head
    return heads


def _in_one_row(one: Place, two: Place) -> bool:
    """Say whether two amounts stand in different cells of one row."""
    mine, other = (next((i for i, tag in enumerate(p.tags[:INSIDE]) if tag in _CELLS), None) for p in (one, two))
    if mine is None or other is None:
        return False
    return one.ids[mine] != two.ids[other] and one.ids[mine + 1 : mine + 2] == two.ids[other + 1 : other + 2]


def _head(document: Document, amount: Amount) -> str | None:
    cell = document.node_at(digit_offset(document.text, amount))
    while cell is not None and cell.tag not in _CELLS:
        cell = cell.parent
    row = cell.parent if cell is not None else None
    part = row.parent if row is not None else None
    if cell is None or row is None or part is None:
        return None
    table = part if part.tag == "table" else part.parent
    first = table.css_first("tr") if table is not None else None
    if first is None or first.mem_id == row.mem_id:
        return None
    cells, heads = _cells(row), _cells(first)
    at = next((i for i, each in enumerate(cells) if each.mem_id == cell.mem_id), None)
    if at is None or len(cells) != len(heads):
        return None
    said = " ".join(heads[at].text(deep=True, separator=" ").split())
    return said if said and len(said) <= LONGEST and not any(map(str.isdigit, said)) else None


def _cells(row: LexborNode) -> list[LexborNode]:
    return list(islice((node for node in row.iter() if node.tag in _CELLS), MOST))
