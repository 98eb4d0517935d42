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
    "readings": {"read": 41, "no price on the page": 2},
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
    "watches_asked": 43,
    "watches_read": 41,
    "unread_words": "2 of 43 not read: no price on the page",
}
_STEP: dict[str, Any] = {"seq": 1, "tool": "page", "state": "done", "attempts": 1}
_ACTION: dict[str, Any] = {
    "action": "nightly-2026-11-29:shop:A-1",
    "id": 12,
    "version": 1,
    "state": "pending",
    "run": "nightly-2026-11-29",
    "sku": "A-1",
    "title": "Trail shoe 41",
    "currency": "EUR",
    "old_price": "27.90",
    "new_price": "26.90",
    "rule": "match-lowest",
    "why": "Acme has it for EUR 26.90.",
    "expires_at": "2026-12-01T01:00:00+00:00",
    "decided_at": None,
}
_STANDING: dict[str, Any] = {
    "run": "nightly-2026-11-29",
    "own": "27.90",
    "lowest": "26.90",
    "lowest_seller": "acme",
    "median": "27.40",
    "index": "101.8",
    "position": 3,
    "usable_offers": 4,
    "tracked_offers": 5,
    "reason": None,
}
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
        "writing": "off",
        "stopped": None,
    },
    "runs": {"runs": [_RUN]},
    "run": _WHOLE_RUN,
    "job": {"job": _JOB, "run": "nightly-2026-11-29", "plan": [_STEP], "observations": []},
    "health": {"status": "ok"},
    "check": {
        "url": "https://acme.example/p/1",
        "competitor": "acme",
        "sku": "A-1",
        "outcome": "ok",
        "reason": "structured",
        "words": "two sources agree",
        "price": "26.90",
        "currency": "EUR",
        "list_price": None,
        "availability": "in_stock",
        "name": "Trail shoe 41",
        "requests": 2,
        "took_s": 3.412,
    },
    "actions": {"actions": [_ACTION], "total": 1},
    "history": {
        "sku": "A-1",
        "title": "Trail shoe 41",
        "currency": "EUR",
        "days": 90,
        "standing": _STANDING,
        "offers": [
            {
                "seller": "acme",
                "name": "Acme",
                "price": "26.90",
                "currency": "EUR",
                "list_price": None,
                "availability": "in_stock",
                "first_seen_at": "2026-11-20T01:03:00+00:00",
                "last_seen_at": "2026-11-29T01:03:00+00:00",
                "first_run": "nightly-2026-11-20",
                "last_run": "nightly-2026-11-29",
            }
        ],
        "changes": [],
        "nights": [{"date": "2026-11-29"} | _STANDING],
    },
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


def events_answers() -> Described:
    """Return the description of a stream of a run's progress."""
    shown = 'event: progress\ndata: {"run": "nightly-2026-11-29", "state": "collecting", "jobs_ended": 3}\n\n'
    good = {"description": "Events until the run ends", "content": {"text/event-stream": {"example": shown}}}
    return {200: good, 404: {"description": _ERRORS[404][0], "content": _error(_ERRORS[404][1])}}


def _error(words: str) -> dict[str, Any]:
    return {"application/json": {"example": {"error": words}}}


_ERRORS = {
    401: ("A token is missing or has not this scope", "This needs a token with the scope read: …"),
    403: ("Not allowed", "Starting a night over HTTP is off. …"),
    404: ("There is no such thing", "There is no run 'nightly-1999-01-01'. …"),
    409: ("Nothing to do it with", "The night of 2026-11-29 has nothing to visit: …"),
    413: ("The body is too large", "The body is larger than 10000 bytes. Nothing was done."),
    422: ("The call could not be read", "The request could not be read: query.limit: …"),
    429: ("Too often", "acme: the 12 checks of a day are spent. …"),
    503: ("The database does not answer", "The database does not answer at the moment. …"),
}
