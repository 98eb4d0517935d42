"""What makes decisions append-only: the database itself refuses to change or remove one.

The migration and the tests run these statements; each tuple is one dialect's, in order. Retention
never touches decisions: they are small, and they are why a price changed.
"""

_REFUSAL = "decisions are append-only: record a new decision instead"

SQLITE: tuple[str, ...] = tuple(
    f"CREATE TRIGGER decisions_refuse_{verb} BEFORE {verb.upper()} ON decisions "
    f"BEGIN SELECT RAISE(ABORT, '{_REFUSAL}'); END"
    for verb in ("update", "delete")
)

POSTGRESQL: tuple[str, ...] = (
    "CREATE FUNCTION decisions_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$ "
    f"BEGIN RAISE EXCEPTION '{_REFUSAL}'; END $$",
    "CREATE TRIGGER decisions_refuse_change BEFORE UPDATE OR DELETE ON decisions "
    "FOR EACH ROW EXECUTE FUNCTION decisions_refuse_change()",
    "CREATE TRIGGER decisions_refuse_truncate BEFORE TRUNCATE ON decisions "
    "FOR EACH STATEMENT EXECUTE FUNCTION decisions_refuse_change()",
)

#: By SQLAlchemy's name of the dialect.
STATEMENTS: dict[str, tuple[str, ...]] = {"sqlite": SQLITE, "postgresql": POSTGRESQL}

#: Undo of `STATEMENTS`, for a downgrade.
DROP_STATEMENTS: dict[str, tuple[str, ...]] = {
    "sqlite": ("DROP TRIGGER decisions_refuse_update", "DROP TRIGGER decisions_refuse_delete"),
    "postgresql": (
        "DROP TRIGGER decisions_refuse_truncate ON decisions",
        "DROP TRIGGER decisions_refuse_change ON decisions",
        "DROP FUNCTION decisions_refuse_change()",
    ),
}
