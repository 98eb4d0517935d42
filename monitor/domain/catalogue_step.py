"""What a finished step of the catalogue tool says, as the plan of a visit reads it."""

from collections.abc import Mapping, Sequence
from typing import Any

from monitor.domain.asking import Asked
from monitor.domain.listing import Problem
from monitor.domain.run import Step, StepState


def has_failed(step: Step, result: Mapping[str, Any]) -> bool:
    """Say whether a catalogue call counts against the adapter; being told what to ask instead does not."""
    return _problem(step, result) in (Problem.OFF, Problem.PASSING, Problem.CLOSED)


def failure(calls: Sequence[tuple[Step, Mapping[str, Any]]]) -> str:
    """Return what the last catalogue call that failed says, in words."""
    failed = [str(result.get("words") or step.error or "") for step, result in calls if has_failed(step, result)]
    return f"its catalogue failed: {(failed[-1].strip().splitlines() or [''])[-1]}"


def _problem(step: Step, result: Mapping[str, Any]) -> Problem | None:
    """Return why a catalogue call gave nothing; a shop that asks for time may answer afterwards."""
    if step.state is StepState.ERROR or result.get("waited"):
        return Problem.PASSING
    return Problem(result["failed"]) if result.get("failed") else None


def asked_in(step: Step, result: Mapping[str, Any]) -> Asked:
    """Return the catalogue call that a finished step made."""
    return Asked(
        about=str(step.args["about"]),
        page=int(step.args["page"]),
        skus=tuple(step.args["skus"]),
        read=tuple(result.get("read", ())),
        told=tuple(result.get("told", ())),
        more=bool(result.get("more")),
        cursor=result.get("cursor"),
        failed=_problem(step, result),
    )
