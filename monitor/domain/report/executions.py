"""What became of approved prices since the last report, problems first."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from monitor.domain.action import Action, PriceWrite, WriteState
from monitor.domain.report.clean import clean
from monitor.domain.report.needs import SKU_LIMIT, TITLE_LIMIT
from monitor.domain.report.view import Execution

MAX_EXECUTIONS = 15
_WORDS_LIMIT = 160

_WORDS = {
    WriteState.QUEUED: "approved, waits for its turn",
    WriteState.WAITING: "approved, waits until an earlier price of the product is settled",
    WriteState.CLAIMED: "being written",
    WriteState.CALLING: "being written",
    WriteState.APPLIED: "written and read back",
    WriteState.APPLIED_NOOP: "the shop had this price already",
    WriteState.CONFLICT: "not written, the shop's price had changed",
    WriteState.FAILED: "failed",
    WriteState.UNKNOWN: "sent without a clear answer, being settled by reading",
    WriteState.CANCELLED: "taken back before it was written",
    WriteState.EXPIRED: "not written, its time had passed",
    WriteState.TARGET_GONE: "not written",
    WriteState.DRY_RUN: "dry run, nothing was written",
}
_PROBLEMS = frozenset(
    {WriteState.CONFLICT, WriteState.FAILED, WriteState.UNKNOWN, WriteState.EXPIRED, WriteState.TARGET_GONE}
)


@dataclass(frozen=True, slots=True)
class Written:
    """An approved action and one of its writes."""

    action: Action
    write: PriceWrite

    @property
    def at(self) -> datetime:
        """When it ended, or was queued."""
        return self.write.finished_at or self.write.created_at

    def is_news(self, since: datetime) -> bool:
        """Say whether it is still under way or ended after `since`; a dry run is told once, not every morning."""
        is_open = self.write.finished_at is None and self.write.state is not WriteState.DRY_RUN
        return is_open or self.at > since


def executions_of(writes: Iterable[Written], *, since: datetime) -> tuple[Execution, ...]:
    """Return what happened after `since` and what is still open, problems first, then by time.

    Args:
        since: when the last report was made; what ended before stood in it.
    """
    shown = sorted((one for one in writes if one.is_news(since)), key=_problems_first)
    return tuple(_execution(one) for one in shown)


def _problems_first(one: Written) -> tuple[bool, datetime, str]:
    return (one.write.state not in _PROBLEMS, one.at, one.write.sku)


def _execution(one: Written) -> Execution:
    write, words = one.write, _WORDS[one.write.state]
    is_problem = write.state in _PROBLEMS
    why = write.error if is_problem or write.state is WriteState.CANCELLED else None
    return Execution(
        sku=clean(write.sku, SKU_LIMIT),
        title=clean(one.action.proposal.title, TITLE_LIMIT),
        currency=write.currency,
        old_price=write.expected_price,
        new_price=write.target_price,
        state=write.state.value,
        words=clean(f"{words}: {why}" if why else words, _WORDS_LIMIT),
        at=one.at,
        is_problem=is_problem,
    )
