"""Give each amount of a row the words at the head of its own column.

In the text of a page all heads stand before all amounts, so that the words before the first amount are the last
column's head, and those before the others none. Asked only for amounts that no words part: those of a table's row, and
those of a block behind one with as many parts that calls prices.
"""

from collections.abc import Sequence
from itertools import islice, pairwise

from selectolax.lexbor import LexborNode

from monitor.extract.amounts import Amount
from monitor.extract.document import Document
from monitor.extract.own_words import digit_offset
from monitor.extract.vocabulary import plain
from monitor.extract.words import LIST_BEFORE, MEMBER_AROUND, PRICE_LABEL

NEAR = 12  #: characters between two amounts of one row at most
LONGEST = 40  #: characters of a head
MOST = 20  #: cells of a row that are looked at
INSIDE = 5  #: elements around an amount of which one may be the row
_CELLS = frozenset({"td", "th"})


def column_heads(document: Document, found: Sequence[Amount]) -> dict[int, str]:
    """Return the heads of columns by where the amounts below them start; those that have none are left out."""
    heads: dict[int, str] = {}
    rows: dict[int, dict[int, str]] = {}  # what is said over each, asked once
    for pair in pairwise(found):
        if pair[1].start - pair[0].end > NEAR or _are_parted(document.text[pair[0].end : pair[1].start]):
            continue
        offsets = [digit_offset(document.text, amount) for amount in pair]
        ids = [document.place(offset).ids[:INSIDE] for offset in offsets]
        row = next((identity for identity in ids[0] if identity in ids[1]), None)
        if row is not None and row not in rows:
            rows[row] = _heads(document.node_at(offsets[0]), row)
        over = rows.get(row, {}) if row is not None else {}
        for amount, around in zip(pair, ids, strict=True):
            head = next((over[identity] for identity in around if identity in over), None)
            if head:
                heads[amount.start] = head
    return heads


def _are_parted(between: str) -> bool:
    """Say whether words stand between two amounts, or nothing that begins another element."""
    return "\n" not in between or any(map(str.isalnum, between))


def _heads(node: LexborNode | None, identity: int) -> dict[int, str]:
    """Return the heads by the identity of the cell that each stands over, for the row that holds a text."""
    row = node
    while row is not None and row.mem_id != identity:
        row = row.parent
    first = _first(row) if row is not None else None
    if row is None or first is None:
        return {}
    cells, heads = _cells(row), _cells(first)
    if len(cells) != len(heads) or len(cells) < 2:
        return {}
    said = [" ".join(head.text(deep=True, separator=" ").split()) for head in heads]
    if any(len(s) > LONGEST or any(map(str.isdigit, s)) for s in said):
        return {}
    if row.tag != "tr" and not any(_calls_price(plain(s)) for s in said):
        return {}
    return {cell.mem_id: s for cell, s in zip(cells, said, strict=True) if s}


def _first(row: LexborNode) -> LexborNode | None:
    """Return the row of heads: the first one of its table, else the element before it."""
    if row.tag == "tr":
        part = row.parent
        table = part.parent if part is not None and part.tag != "table" else part
        first = table.css_first("tr") if table is not None else None
        return first if first is not None and first.mem_id != row.mem_id else None
    before = row.prev
    while before is not None and (before.tag or "-").startswith("-"):  # a text or a comment
        before = before.prev
    return before if before is not None and before.tag == row.tag else None


def _calls_price(said: str) -> bool:
    return any(words.found(said) for words in (PRICE_LABEL, LIST_BEFORE, MEMBER_AROUND))


def _cells(row: LexborNode) -> list[LexborNode]:
    elements = (node for node in row.iter() if row.tag != "tr" or node.tag in _CELLS)
    return list(islice(elements, MOST))
