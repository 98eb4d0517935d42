"""In which order runs are read: by local date and, because a night may be run again, by when each began."""

from sqlalchemy import func

from monitor.adapters.db.schema import runs

_AGE = (runs.c.local_date, runs.c.started_at, func.length(runs.c.id), runs.c.id)  # nightly.9 before nightly.10

FIRST_BEGUN_FIRST = _AGE
LAST_BEGUN_FIRST = tuple(column.desc() for column in _AGE)
