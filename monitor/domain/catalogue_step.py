"""What a finished step of the catalogue tool says, as the plan of a visit reads it."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from monitor.domain.asking import Asked
from monitor.domain.listing import Problem
from monitor.domain.proof import unproven
from monitor.domain.robots import robots_url
from monitor.domain.run import Step, StepState


def has_failed(step: Step, result: Mapping[str, Any]) -> bool:
    """Say whether a catalogue call counts against the adapter; being told what to ask instead does not."""
    return _problem(step, result) in (Problem.OFF, Problem.PASSING, Problem.CLOSED)


def uselessness(calls: Sequence[tuple[Step, Mapping[str, Any]]]) -> str:
    """Return why a catalogue that answered is of no use, in words; "" while it has one watch, or was not asked."""
    if not calls or any(result.get("read") or result.get("told") for _, result in calls):
        return ""
    if unproven(calls):
        return "its catalogue names no currency, and no page that it lists told the price to prove it by"
    noted = next((str(result["words"]) for _, result in calls if result.get("words")), "")
    return "; ".join(filter(None, ("its catalogue has none of the watches", noted)))


def failure(calls: Sequence[tuple[Step, Mapping[str, Any]]]) -> str:
    """Return what the last catalogue call that failed says, in words."""
    failed = [str(result.get("words") or step.error or "") for step, result in calls if has_failed(step, result)]
    return f"its catalogue failed: {last_line(failed[-1])}"


def last_line(error: str | None) -> str:
    """Return the last line of what a step says went wrong, which names it."""
    return ((error or "").strip().splitlines() or ["the step says nothing"])[-1]


def closed_in(steps: Iterable[tuple[Step, Mapping[str, Any]]], platform: str, places: Iterable[str]) -> frozenset[str]:
    """Return the endpoints of a platform that the robots.txt of these places closes to us."""
    where = {robots_url(place) for place in places}
    every = (result.get("closed", ()) for step, result in steps if str(step.args.get("url")) in where)
    prefix = f"{platform} "
    return frozenset(name.removeprefix(prefix) for names in every for name in names if name.startswith(prefix))


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
        first=result.get("first"),
        failed=_problem(step, result),
    )
