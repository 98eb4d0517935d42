"""Proposals, observations and history as tables for people's own tools, one row each.

Amounts are exact and carry the digits of their currency, instants are in UTC with their offset. Nothing is computed
here that mail, page and API do not say as well.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from monitor.domain.action import Action
from monitor.domain.money import amount_text
from monitor.domain.observation import Observation, Span
from monitor.domain.report.cells import text_cell

Cell = str | int | None

PROPOSALS = (
    *("id", "version", "state", "run", "channel", "sku", "title", "currency", "old_price", "new_price", "change_pct"),
    *("weekly_effect", "rule", "why", "expires_at", "decided_at", "decision", "decided_price", "comment"),
    "content_hash",
)
OBSERVATIONS = (
    *("run", "competitor", "sku", "url", "outcome", "reason", "observed_at", "price", "currency", "list_price"),
    *("availability", "shipping", "name", "words", "evidence"),
)
HISTORY = (
    *("sku", "competitor", "price", "currency", "list_price", "availability", "first_seen_at", "last_seen_at"),
    *("first_run", "last_run"),
)


@dataclass(frozen=True, slots=True)
class Table:
    """A table on its way out; every row has one cell for each column."""

    name: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]


def proposals_table(actions: Iterable[Action]) -> Table:
    """Return proposals with three empty columns for whoever decides them in a spreadsheet."""
    rows = []
    for action in actions:
        shown = action.proposal
        effect = shown.facts.get("weekly_effect")
        change = (shown.new_price - shown.old_price) * 100 / shown.old_price if shown.old_price else None
        rows.append(
            (
                *(action.id, action.version, action.state.value, shown.run_id, shown.channel, shown.sku, shown.title),
                *(shown.currency, _amount(shown.old_price, shown.currency), _amount(shown.new_price, shown.currency)),
                None if change is None else str(round(change, 2)),
                *(None if effect is None else str(effect), shown.rule_id, shown.words, _time(shown.expires_at)),
                *(_time(action.decided_at), None, None, None, action.content_hash),
            )
        )
    return Table("proposals", PROPOSALS, tuple(rows))


def observations_table(observations: Iterable[Observation]) -> Table:
    """Return what a night learnt, one row for each watch."""
    rows = (
        (
            *(
                seen.run_id,
                seen.competitor,
                seen.sku,
                seen.url,
                seen.outcome.value,
                seen.reason,
                _time(seen.observed_at),
            ),
            *(_amount(seen.price, seen.currency), seen.currency, _amount(seen.list_price, seen.currency)),
            *(seen.availability.value, _amount(seen.shipping, seen.currency), seen.name, seen.words, seen.evidence),
        )
        for seen in observations
    )
    return Table("observations", OBSERVATIONS, tuple(rows))


def history_table(spans: Iterable[Span]) -> Table:
    """Return price history, one row for each stretch in which nothing changed."""
    rows = (
        (
            *(span.sku, span.competitor, _amount(span.price, span.currency), span.currency),
            *(_amount(span.list_price, span.currency), span.availability.value),
            *(_time(span.first_seen_at), _time(span.last_seen_at), span.first_run_id, span.last_run_id),
        )
        for span in spans
    )
    return Table("history", HISTORY, tuple(rows))


def guarded(cell: Cell) -> str:
    """Return a cell as CSV text that no spreadsheet takes for a formula; numbers, also negative ones, stay.

    >>> guarded("=1+1"), guarded("-4.50"), guarded("-20% Tee"), guarded(None)
    ("'=1+1", '-4.50', "'-20% Tee", '')
    """
    text = "" if cell is None else str(cell)
    is_number = text[1:].replace(".", "", 1).isdecimal() and text.isascii() and text[0] in "+-"
    shown = text_cell(text)
    is_harmless = text.isprintable() and not shown.startswith("'")
    return text if is_number or is_harmless else shown


def _amount(amount: Decimal | None, currency: str | None) -> str | None:
    return None if amount is None else amount_text(amount, currency)


def _time(when: datetime | None) -> str | None:
    return None if when is None else when.isoformat()
