"""GET /api/actions and GET /exports/…: what is stored, as JSON for programs and as files for people."""

from typing import Any

from fastapi import APIRouter
from starlette.responses import JSONResponse, Response

from monitor.adapters.table_file import FORMS
from monitor.domain.action import Action, ActionState
from monitor.domain.money import amount_text
from monitor.domain.review import second_look
from monitor.web.context import Context
from monitor.web.described import answers
from monitor.web.pages import problem
from monitor.wiring.exports import KINDS, NothingToExport, exported

_STATES = tuple(state.value for state in ActionState)


def listing_routes(context: Context) -> APIRouter:
    """Return the routes."""
    router = APIRouter()

    @router.get(
        "/api/actions",
        summary="What waits for a person, or the proposals of a run or a product",
        responses=answers("actions", "Proposals with their states", 404, 422, 503),
    )
    def actions(run: str = "", sku: str = "", state: str = "", limit: int = 200) -> Response:
        if state and state not in _STATES:
            return problem(422, f"state {state[:40]!r} is none of {', '.join(_STATES)}.")
        return _actions(context, run, sku, state, max(1, min(limit, 1000)))

    @router.get("/exports/{kind}.{form}", include_in_schema=False)
    def export(kind: str, form: str, run: str | None = None, sku: str | None = None) -> Response:
        if kind not in KINDS or form not in FORMS:
            words = f"There are exports of {', '.join(KINDS)}, each as {', '.join(FORMS)}: /exports/proposals.xlsx."
            return problem(404, words)
        try:
            made = exported(context.store, kind, form, run=run, sku=sku)
        except NothingToExport as nothing:
            return problem(404, f"{nothing}.")
        name = "".join(char if char.isascii() and (char.isalnum() or char in "-_.") else "_" for char in made.name)
        disposition = f'attachment; filename="{name}"'
        return Response(made.body, media_type=made.media_type, headers={"Content-Disposition": disposition})

    return router


def _actions(context: Context, run: str, sku: str, state: str, limit: int) -> Response:
    with context.store.read() as unit:
        if run and unit.runs.get(run) is None:
            return problem(404, f"There is no run {run[:80]!r}. GET /api/runs lists the ones there are.")
        found = unit.actions.of_run(run) if run else unit.actions.of_sku(sku) if sku else unit.actions.pending()
    chosen = [one for one in found if (not sku or one.proposal.sku == sku) and (not state or one.state.value == state)]
    return JSONResponse({"actions": [action_json(one) for one in chosen[:limit]], "total": len(chosen)})


def action_json(action: Action) -> dict[str, Any]:
    """Return a proposal as the API gives it."""
    shown = action.proposal

    def money(amount: Any) -> str | None:
        return None if amount is None else amount_text(amount, shown.currency)

    return {
        "action": shown.action_key,
        "id": action.id,
        "version": action.version,
        "state": action.state.value,
        "run": shown.run_id,
        "sku": shown.sku,
        "title": shown.title,
        "currency": shown.currency,
        "old_price": money(shown.old_price),
        "new_price": money(shown.new_price),
        "rule": shown.rule_id,
        "why": shown.words,
        "second_look": list(second_look(action)),
        "expires_at": shown.expires_at.isoformat(),
        "decided_at": None if action.decided_at is None else action.decided_at.isoformat(),
    }
