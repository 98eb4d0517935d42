"""A night that goes on when a later one has proposed or reported already, and what a night run again leaves."""

from collections.abc import Collection, Sequence
from typing import Any

from monitor.domain.action import Action, ActionState, Proposal
from monitor.domain.money import amount_text
from monitor.domain.run import Run, RunState


def still_open(
    proposals: Sequence[Proposal], later: Sequence[Run], taken: Collection[str]
) -> tuple[Sequence[Proposal], list[dict[str, Any]]]:
    """Return the proposals that no later night has overtaken, and as a notice what was left out.

    A night may be resumed after the next one has begun. What it read is older, so it must neither replace what the
    later one proposes nor stand beside it.

    Args:
        proposals: those of the older night.
        later: the runs of later nights, oldest first.
        taken: SKUs that one of them proposed for.
    """
    done = next((one for one in reversed(later) if one.state is RunState.REPORTED), None)
    still = [] if done is not None else [one for one in proposals if one.sku not in taken]
    if not later or len(still) == len(proposals):
        return proposals, []
    by = done or later[-1]
    words = (
        f"{len(proposals) - len(still)} of {len(proposals)} changes were not proposed: the later night of "
        f"{by.local_date} ({by.id}) {'has its report' if done else 'proposed for these products'} already and read "
        "newer prices. Its proposals stand."
    )
    return still, [{"sku": None, "words": words}]


def doubted(action: Action) -> dict[str, Any]:
    """Return the notice about an approval that its night, run again, does not propose any more."""
    shown = action.proposal
    amount = f"{amount_text(shown.new_price, shown.currency)} {shown.currency}"
    what = (
        f"stays approved; take it back before it is written if it is wrong: monitor take-back {action.id}"
        if action.state is ActionState.APPROVED
        else f"is being written; if it is wrong, give the old price back afterwards: monitor give-back {action.id}"
    )
    return {
        "sku": shown.sku,
        "words": f"the night was run again and does not propose the approved {amount} any more. It {what}",
    }
