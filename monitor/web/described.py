"""What the OpenAPI description says of our answers: an example of each, and the errors that every call can meet."""

from typing import Any

Described = dict[int | str, dict[str, Any]]

_RUN: dict[str, Any] = {
    "run": "nightly-2026-11-29",
    "date": "2026-11-29",
    "zone": "Europe/Berlin",
    "state": "reported",
    "partial": False,
    "origin": "schedule",
    "due_at": "2026-11-29T01:00:00+00:00",
    "deadline_at": "2026-11-29T04:30:00+00:00",
    "started_at": "2026-11-29T01:00:00.400000+00:00",
    "ended_at": "2026-11-29T01:09:12+00:00",
    "jobs_total": 1,
    "jobs_ended": 1,
    "jobs_failed": 0,
    "tool_calls": 3,
    "observations": {"ok": 41, "no_price": 2},
    "proposals": {"pending": 5},
    "mails": {"sent": 1},
    "report": True,
}
_JOB: dict[str, Any] = {
    "id": 7,
    "competitor": "acme",
    "kind": "competitor",
    "state": "done",
    "attempts": 1,
    "steps": 4,
    "calls_used": 3,
    "calls_limit": 12,
    "requests_used": 4,
    "started_at": "2026-11-29T01:00:01+00:00",
    "ended_at": "2026-11-29T01:01:10+00:00",
    "waits_until": None,
    "error": None,
}
_STEP: dict[str, Any] = {"seq": 1, "tool": "page", "state": "done", "attempts": 1}
_WHOLE_RUN = _RUN | {"jobs": [_JOB], "alerts": []}

#: An example of each answer, by what it is of.
EXAMPLES: dict[str, Any] = {
    "status": {
        "version": "1.0.0",
        "now": "2026-11-29T06:30:00+00:00",
        "run": _WHOLE_RUN,
        "pending_proposals": 5,
        "next_night": {"date": "2026-11-30", "due_at": "2026-11-30T01:00:00+00:00"},
        "writes_enabled": False,
    },
    "runs": {"runs": [_RUN]},
    "run": _WHOLE_RUN,
    "job": {"job": _JOB, "run": "nightly-2026-11-29", "plan": [_STEP], "observations": []},
    "health": {"status": "ok"},
}


def answers(of: str, words: str, *errors: int, status: int = 200) -> Described:
    """Return the description of an operation's answers.

    Args:
        of: a name in `EXAMPLES`.
        words: what the good answer is.
        errors: statuses of `_ERRORS` that it can give besides those of the door.
        status: of the good answer.
    """
    good = {"description": words, "content": {"application/json": {"example": EXAMPLES[of]}}}
    bad: Described = {
        code: {"description": _ERRORS[code][0], "content": _error(_ERRORS[code][1])} for code in (401, *errors)
    }
    return {status: good, **bad}


def _error(words: str) -> dict[str, Any]:
    return {"application/json": {"example": {"error": words}}}


_ERRORS = {
    401: ("A token is missing or has not this scope", "This needs a token with the scope read: …"),
    403: ("Not allowed", "Starting a night over HTTP is off. …"),
    404: ("There is no such thing", "There is no run 'nightly-1999-01-01'. …"),
    422: ("The call could not be read", "The request could not be read: query.limit: …"),
    503: ("The database does not answer", "The database does not answer at the moment. …"),
}
