"""What the door keeps: old sessions are forgotten, open ones are not, on both databases."""

from datetime import timedelta

from monitor.adapters.db.schema import sessions
from monitor.domain.access import SESSION_LIFETIME, Role
from tests.core_scene import opened

_LONG = 5 * SESSION_LIFETIME


def test_sessions_that_ended_long_ago_are_forgotten(migrated_url: str) -> None:
    store = opened(migrated_url)
    with store.write() as unit:
        assert unit.access.add_user("anna", Role.VIEWER, "hash")
        now = unit.now
        ends = {
            "open": (now + timedelta(days=1), None),
            "expired": (now - timedelta(days=1), None),
            "long-expired": (now - _LONG, None),
            "revoked": (now + timedelta(days=1), now),
            "long-revoked": (now + timedelta(days=1), now - _LONG),
        }
        for name, (expires, revoked) in ends.items():
            row = {"id": name, "user": "anna", "created_at": now, "seen_at": now}
            unit.tx.run(sessions.insert(), row | {"expires_at": expires, "revoked_at": revoked})
    with store.write() as unit:
        assert unit.access.prune(1) == 1
        assert unit.access.prune(100) == 1
        assert unit.access.prune(100) == 0
        left = set(unit.tx.run(sessions.select()).scalars())
    assert left == {"open", "expired", "revoked"}
    store.close()
