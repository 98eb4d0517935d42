"""What is stored. The same tables on SQLite and PostgreSQL; `migrations` builds exactly these.

Instants are UTC microseconds, amounts 1/10,000 of the currency's main unit (see `columns`).
Uniqueness is where "once" is decided: runs by (schedule, date), jobs by (run, kind, key), actions by key,
writes by (action, version), mails and alerts by their dedupe key, effects by key.
"""

from monitor.adapters.db.schema.base import metadata
from monitor.adapters.db.schema.evidence import artifacts, blobs
from monitor.adapters.db.schema.matching import match_decisions, matches
from monitor.adapters.db.schema.night import effects, jobs, recoveries, runs, steps, workers
from monitor.adapters.db.schema.people import access_events, api_tokens, sessions, throttles, users
from monitor.adapters.db.schema.proposals import actions, decisions, links, nonces, renewals
from monitor.adapters.db.schema.readings import observations, portfolios, spans, standings
from monitor.adapters.db.schema.shops import facts, hosts, kept_pages, robots
from monitor.adapters.db.schema.telling import alerts, mails, reports
from monitor.adapters.db.schema.writing import price_locks, shop_refs, write_attempts, write_stops, writes

__all__ = [
    "access_events",
    "actions",
    "alerts",
    "api_tokens",
    "artifacts",
    "blobs",
    "decisions",
    "effects",
    "facts",
    "hosts",
    "jobs",
    "kept_pages",
    "links",
    "mails",
    "match_decisions",
    "matches",
    "metadata",
    "nonces",
    "observations",
    "portfolios",
    "price_locks",
    "recoveries",
    "renewals",
    "reports",
    "robots",
    "runs",
    "sessions",
    "shop_refs",
    "spans",
    "standings",
    "steps",
    "throttles",
    "users",
    "workers",
    "write_attempts",
    "write_stops",
    "writes",
]
