"""Decisions that somebody wrote into an exported table of proposals.

A row is decided when its `decision` says approve or reject; the others are left. It carries the version and the hash of
what was shown when it was exported, so a proposal that has changed since is not decided but named. Nothing is decided
from a file with a problem in it.
"""

from collections.abc import Sequence
from decimal import Decimal

from monitor.domain.action import Verb
from monitor.domain.csv_table import Row, suggestion
from monitor.domain.money import UnreadableAmount, plain_amount
from monitor.domain.review import Choice

NEEDED = ("id", "version", "content_hash", "decision")
_VERBS = {"approve": Verb.APPROVE, "approved": Verb.APPROVE, "reject": Verb.REJECT, "rejected": Verb.REJECT}


def choices_from(columns: Sequence[str], rows: Sequence[Row], name: str) -> tuple[list[Choice], list[str]]:
    """Return the choices of a table and everything wrong with it; with problems the choices are not to be used."""
    if missing := [column for column in NEEDED if column not in columns]:
        words = (
            f"{name}, line 1: the columns {', '.join(missing)} are missing; "
            "export the proposals again and keep every column"
        )
        return [], [words]
    choices: list[Choice] = []
    problems: list[str] = []
    seen: dict[int, int] = {}
    for row in rows:
        choice, wrong = _choice(row)
        problems += [f"{name}, line {row.line}, {words}" for words in wrong]
        if choice is None:
            continue
        first = seen.setdefault(choice.action_id, row.line)
        if first != row.line:
            problems.append(
                f"{name}, line {row.line}, id: {choice.action_id} is already in line {first}; keep one of the two"
            )
        choices.append(choice)
    return choices, problems


def _choice(row: Row) -> tuple[Choice | None, list[str]]:
    word = row.cells["decision"].strip().casefold()
    if not word:
        return None, []
    problems = []
    if word not in _VERBS:
        problems.append(
            f"decision: {word!r} is none{suggestion(word, _VERBS)}; write approve or reject, or leave it empty"
        )
    numbers = {column: row.cells[column].removesuffix(".0") for column in ("id", "version")}
    problems += [f"{column}: {text!r} is no number" for column, text in numbers.items() if not _is_number(text)]
    price = row.cells.get("decided_price", "")
    try:
        is_positive = not price or plain_amount(price) > Decimal(0)
    except UnreadableAmount as wrong:
        problems.append(f"decided_price: {wrong}")
    else:
        if not is_positive:
            problems.append(f"decided_price: {price!r} is not above zero")
    if problems:
        return None, problems
    verb = _VERBS[word]
    comment = row.cells.get("comment", "") or None
    price_to_set = price or None if verb is Verb.APPROVE else None
    hashed = row.cells["content_hash"]
    return Choice(int(numbers["id"]), int(numbers["version"]), hashed, verb, comment, None, price_to_set), []


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) <= 18
