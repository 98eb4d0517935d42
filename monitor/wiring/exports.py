"""Exports for the command line and the web: which rows, in which form, under which name."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from monitor.adapters.table_file import FORMS, read_back, table_bytes
from monitor.domain.action import Action, ActionState
from monitor.domain.decision_file import choices_from
from monitor.domain.export import Table, history_table, observations_table, proposals_table
from monitor.domain.money import Money
from monitor.domain.report.letter import Attachment
from monitor.domain.review import Choice
from monitor.errors import CannotSucceed, Misconfigured
from monitor.ports.store import Store, Unit

#: What can be exported.
KINDS = ("proposals", "observations", "history")
#: States whose price a person said yes to and nothing has withdrawn.
APPROVED = frozenset(
    {ActionState.APPROVED, ActionState.EXECUTING, ActionState.UNKNOWN, ActionState.APPLIED, ActionState.APPLIED_NOOP}
)


class NothingToExport(CannotSucceed):
    """The run or product that was asked for is not in the database."""


@dataclass(frozen=True, slots=True)
class Exported:
    """A file on its way out."""

    name: str
    media_type: str
    body: bytes
    rows: int


def exported(
    store: Store,
    kind: str,
    form: str,
    *,
    run: str | None = None,
    sku: str | None = None,
    since: datetime | None = None,
) -> Exported:
    """Return an export as a file.

    Args:
        store: the database.
        kind: one of KINDS.
        form: `csv`, `xlsx` or `jsonl`.
        run: proposals and observations of this run; by default the latest.
        sku: only of this product.
        since: history that was seen at or after this moment.

    Raises:
        NothingToExport: there is no such run, or none at all.
    """
    with store.read() as unit:
        table, part = _table(unit, kind, run, sku, since)
    body = table_bytes(table, form)
    return Exported(f"{kind}-{part}.{form}", FORMS[form], body, len(table.rows))


def attached(run_id: str, actions: Sequence[Action], forms: Sequence[str]) -> tuple[Attachment, ...]:
    """Return the proposals of a run as files for its mail; what is written into them comes back by `monitor decide`."""
    table = proposals_table(actions)
    return tuple(
        Attachment(f"proposals-{run_id}.{form}", FORMS[form].partition(";")[0], table_bytes(table, form))
        for form in forms
    )


def decisions_from(body: bytes, name: str) -> list[Choice]:
    """Return what somebody decided in an exported table of proposals.

    Raises:
        Misconfigured: everything wrong with the file; nothing of it is to be decided.
    """
    columns, rows, wrong = read_back(body, name)
    choices, problems = choices_from(columns, rows, name) if not wrong else ([], [])
    if wrong or problems:
        raise Misconfigured([*wrong, *problems, f"Nothing of {name} was decided."])
    return choices


def approved_prices(store: Store, run: str | None = None) -> dict[str, Money]:
    """Return the approved price of each product of a run, by default the latest; raises NothingToExport."""
    with store.read() as unit:
        actions = unit.actions.of_run(_run(unit, run))
    proposals = [action.proposal for action in actions if action.state in APPROVED]
    return {shown.sku: Money(shown.new_price, shown.currency) for shown in proposals}


def _table(unit: Unit, kind: str, run: str | None, sku: str | None, since: datetime | None) -> tuple[Table, str]:
    """Return the table and what it is of, for the name of the file."""
    if kind == "history":
        spans = unit.observations.spans(sku, since=since) if sku else _every_span(unit, since)
        return history_table(spans), sku or "all"
    if sku and run is None:
        actions, seen = unit.actions.of_sku(sku), unit.observations.readings(sku)
        return (proposals_table(actions) if kind == "proposals" else observations_table(seen)), sku
    run_id = _run(unit, run)
    if kind == "proposals":
        chosen = unit.actions.of_run(run_id)
        return proposals_table(one for one in chosen if sku in (None, one.proposal.sku)), run_id
    observations = unit.observations.of_run(run_id)
    return observations_table(one for one in observations if sku in (None, one.sku)), run_id


def _every_span(unit: Unit, since: datetime | None) -> list:  # type: ignore[type-arg]  # of Span
    skus = sorted({span.sku for span in unit.observations.current()})
    return [span for sku in skus for span in unit.observations.spans(sku, since=since)]


def _run(unit: Unit, wanted: str | None) -> str:
    found = unit.runs.get(wanted) if wanted else next(iter(unit.runs.latest(1)), None)
    if found is None:
        words = f"there is no run {wanted!r}" if wanted else "there has been no night yet"
        raise NothingToExport(f"{words}; nothing was exported. `monitor runs` shows which there are")
    return found.id
