"""What makes decisions and the record of the door append-only: the database itself refuses to change or remove one.

The migrations and the tests run these statements; each tuple is one dialect's, in order. Retention
never touches these tables: they are small, and they are why a price changed.
"""


def append_only(table: str) -> dict[str, tuple[str, ...]]:
    """Return what makes a table append-only, by SQLAlchemy's name of the dialect."""
    refusal = f"{table} are append-only: record a new {table.rstrip('s')} instead".replace("_", " ")
    sqlite = tuple(
        f"CREATE TRIGGER {table}_refuse_{verb} BEFORE {verb.upper()} ON {table} "
        f"BEGIN SELECT RAISE(ABORT, '{refusal}'); END"
        for verb in ("update", "delete")
    )
    postgresql = (
        f"CREATE FUNCTION {table}_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$ "
        f"BEGIN RAISE EXCEPTION '{refusal}'; END $$",
        f"CREATE TRIGGER {table}_refuse_change BEFORE UPDATE OR DELETE ON {table} "
        f"FOR EACH ROW EXECUTE FUNCTION {table}_refuse_change()",
        f"CREATE TRIGGER {table}_refuse_truncate BEFORE TRUNCATE ON {table} "
        f"FOR EACH STATEMENT EXECUTE FUNCTION {table}_refuse_change()",
    )
    return {"sqlite": sqlite, "postgresql": postgresql}


def dropped(table: str) -> dict[str, tuple[str, ...]]:
    """Return the undo of `append_only`, for a downgrade."""
    return {
        "sqlite": (f"DROP TRIGGER {table}_refuse_update", f"DROP TRIGGER {table}_refuse_delete"),
        "postgresql": (
            f"DROP TRIGGER {table}_refuse_truncate ON {table}",
            f"DROP TRIGGER {table}_refuse_change ON {table}",
            f"DROP FUNCTION {table}_refuse_change()",
        ),
    }


#: For decisions, since the first migration.
STATEMENTS = append_only("decisions")
DROP_STATEMENTS = dropped("decisions")
