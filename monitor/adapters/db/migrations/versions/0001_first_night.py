"""The tables of the first night.

Revision ID: 0001
Revises: nothing
"""

import sqlalchemy as sa
from alembic import op

from monitor.adapters.db.triggers import DROP_STATEMENTS, STATEMENTS

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

_KEY = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Create every table, then what makes decisions append-only."""
    _alerts()
    _artifacts()
    _blobs()
    _effects()
    _facts()
    _hosts()
    _mails()
    _recoveries()
    _robots()
    _runs()
    _spans()
    _workers()
    _actions()
    _jobs()
    _links()
    _observations()
    _reports()
    _decisions()
    _nonces()
    _steps()
    _writes()
    _write_attempts()
    connection = op.get_bind()
    for statement in STATEMENTS[connection.dialect.name]:
        connection.exec_driver_sql(statement)


def downgrade() -> None:
    """Drop everything."""
    connection = op.get_bind()
    for statement in DROP_STATEMENTS[connection.dialect.name]:
        connection.exec_driver_sql(statement)
    for table in (
        "write_attempts",
        "writes",
        "steps",
        "nonces",
        "decisions",
        "reports",
        "observations",
        "links",
        "jobs",
        "actions",
        "workers",
        "spans",
        "runs",
        "robots",
        "recoveries",
        "mails",
        "hosts",
        "facts",
        "effects",
        "blobs",
        "artifacts",
        "alerts",
    ):
        op.drop_table(table)


def _alerts() -> None:
    op.create_table(
        "alerts",
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("run_id", sa.Text(), nullable=True),
        sa.Column("words", sa.Text(), nullable=False),
        sa.Column("raised_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("key", name=op.f("pk_alerts")),
    )
    op.create_index("ix_alerts_run_id", "alerts", ["run_id"], unique=False)


def _artifacts() -> None:
    op.create_table(
        "artifacts",
        sa.Column("id", _KEY, autoincrement=True, nullable=False),
        sa.Column("run_id", sa.Text(), nullable=False),
        sa.Column("job_id", sa.BigInteger(), nullable=True),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("hash", sa.Text(), nullable=False),
        sa.Column("ref", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_artifacts")),
        sa.UniqueConstraint("run_id", "kind", "ref", name=op.f("uq_artifacts_run_id_kind_ref")),
    )


def _blobs() -> None:
    op.create_table(
        "blobs",
        sa.Column("hash", sa.Text(), nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.Column("size", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("hash", name=op.f("pk_blobs")),
    )


def _effects() -> None:
    op.create_table(
        "effects",
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("intent", sa.Text(), nullable=False),
        sa.Column("result", sa.Text(), nullable=True),
        sa.Column("fence", sa.BigInteger(), nullable=False),
        sa.Column("owner", sa.Text(), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("done_at", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("key", name=op.f("pk_effects")),
    )


def _facts() -> None:
    op.create_table(
        "facts",
        sa.Column("competitor", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.Column("learned_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("competitor", "name", name=op.f("pk_facts")),
    )


def _hosts() -> None:
    op.create_table(
        "hosts",
        sa.Column("bucket", sa.Text(), nullable=False),
        sa.Column("next_at", sa.BigInteger(), nullable=False),
        sa.Column("cool_until", sa.BigInteger(), nullable=True),
        sa.Column("cool_reason", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("bucket", name=op.f("pk_hosts")),
    )


def _mails() -> None:
    op.create_table(
        "mails",
        sa.Column("id", _KEY, autoincrement=True, nullable=False),
        sa.Column("dedupe_key", sa.Text(), nullable=False),
        sa.Column("run_id", sa.Text(), nullable=True),
        sa.Column("recipient", sa.Text(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.Column("message_id", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("not_before", sa.BigInteger(), nullable=False),
        sa.Column("fence", sa.BigInteger(), nullable=False),
        sa.Column("lease_until", sa.BigInteger(), nullable=True),
        sa.Column("error", sa.Text(), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("sent_at", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_mails")),
        sa.UniqueConstraint("dedupe_key", name=op.f("uq_mails_dedupe_key")),
    )
    op.create_index("ix_mails_state_not_before", "mails", ["state", "not_before"], unique=False)


def _recoveries() -> None:
    op.create_table(
        "recoveries",
        sa.Column("id", _KEY, autoincrement=True, nullable=False),
        sa.Column("run_id", sa.Text(), nullable=False),
        sa.Column("job_id", sa.BigInteger(), nullable=False),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("cause", sa.Text(), nullable=False),
        sa.Column("lost_at", sa.BigInteger(), nullable=False),
        sa.Column("resumed_at", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_recoveries")),
    )
    op.create_index("ix_recoveries_job_id", "recoveries", ["job_id"], unique=False)


def _robots() -> None:
    op.create_table(
        "robots",
        sa.Column("origin", sa.Text(), nullable=False),
        sa.Column("verdict", sa.Text(), nullable=False),
        sa.Column("fetched_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("origin", name=op.f("pk_robots")),
    )


def _runs() -> None:
    op.create_table(
        "runs",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("schedule", sa.Text(), nullable=False),
        sa.Column("local_date", sa.Text(), nullable=False),
        sa.Column("zone", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("due_at", sa.BigInteger(), nullable=False),
        sa.Column("deadline_at", sa.BigInteger(), nullable=False),
        sa.Column("partial", sa.Boolean(), nullable=False),
        sa.Column("open_jobs", sa.Integer(), nullable=False),
        sa.Column("origin", sa.Text(), nullable=False),
        sa.Column("catalogue_hash", sa.Text(), nullable=False),
        sa.Column("settings_hash", sa.Text(), nullable=False),
        sa.Column("token_cap", sa.BigInteger(), nullable=False),
        sa.Column("tokens_used", sa.BigInteger(), nullable=False),
        sa.Column("tokens_reserved", sa.BigInteger(), nullable=False),
        sa.Column("started_at", sa.BigInteger(), nullable=False),
        sa.Column("ended_at", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_runs")),
        sa.UniqueConstraint("schedule", "local_date", name=op.f("uq_runs_schedule_local_date")),
    )
    op.create_index("ix_runs_state", "runs", ["state"], unique=False)


def _spans() -> None:
    op.create_table(
        "spans",
        sa.Column("id", _KEY, autoincrement=True, nullable=False),
        sa.Column("competitor", sa.Text(), nullable=False),
        sa.Column("sku", sa.Text(), nullable=False),
        sa.Column("price", sa.BigInteger(), nullable=False),
        sa.Column("currency", sa.Text(), nullable=False),
        sa.Column("list_price", sa.BigInteger(), nullable=True),
        sa.Column("availability", sa.Text(), nullable=False),
        sa.Column("first_seen_at", sa.BigInteger(), nullable=False),
        sa.Column("last_seen_at", sa.BigInteger(), nullable=False),
        sa.Column("first_run_id", sa.Text(), nullable=False),
        sa.Column("last_run_id", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_spans")),
    )
    op.create_index("ix_spans_competitor_sku_id", "spans", ["competitor", "sku", "id"], unique=False)
    op.create_index("ix_spans_sku", "spans", ["sku"], unique=False)


def _workers() -> None:
    op.create_table(
        "workers",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("host", sa.Text(), nullable=False),
        sa.Column("pid", sa.Integer(), nullable=False),
        sa.Column("started_at", sa.BigInteger(), nullable=False),
        sa.Column("heartbeat_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_workers")),
    )


def _actions() -> None:
    op.create_table(
        "actions",
        sa.Column("id", _KEY, autoincrement=True, nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("run_id", sa.Text(), nullable=False),
        sa.Column("channel", sa.Text(), nullable=False),
        sa.Column("sku", sa.Text(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("content_hash", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("currency", sa.Text(), nullable=False),
        sa.Column("old_price", sa.BigInteger(), nullable=False),
        sa.Column("new_price", sa.BigInteger(), nullable=False),
        sa.Column("rule_id", sa.Text(), nullable=False),
        sa.Column("words", sa.Text(), nullable=False),
        sa.Column("facts", sa.Text(), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("decided_at", sa.BigInteger(), nullable=True),
        sa.Column("snoozed_until", sa.BigInteger(), nullable=True),
        sa.Column("superseded_by", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name=op.f("fk_actions_run_id_runs")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_actions")),
        sa.UniqueConstraint("key", name=op.f("uq_actions_key")),
    )
    op.create_index("ix_actions_channel_sku", "actions", ["channel", "sku"], unique=False)
    op.create_index("ix_actions_run_id", "actions", ["run_id"], unique=False)
    op.create_index("ix_actions_state_expires_at", "actions", ["state", "expires_at"], unique=False)


def _jobs() -> None:
    op.create_table(
        "jobs",
        sa.Column("id", _KEY, autoincrement=True, nullable=False),
        sa.Column("run_id", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("run_at", sa.BigInteger(), nullable=False),
        sa.Column("woken_at", sa.BigInteger(), nullable=True),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("next_seq", sa.Integer(), nullable=False),
        sa.Column("calls_used", sa.Integer(), nullable=False),
        sa.Column("calls_limit", sa.Integer(), nullable=False),
        sa.Column("requests_used", sa.Integer(), nullable=False),
        sa.Column("fence", sa.BigInteger(), nullable=False),
        sa.Column("owner", sa.Text(), nullable=True),
        sa.Column("lease_until", sa.BigInteger(), nullable=True),
        sa.Column("error", sa.Text(), nullable=True),
        sa.Column("started_at", sa.BigInteger(), nullable=True),
        sa.Column("ended_at", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name=op.f("fk_jobs_run_id_runs")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_jobs")),
        sa.UniqueConstraint("run_id", "kind", "key", name=op.f("uq_jobs_run_id_kind_key")),
    )
    op.create_index("ix_jobs_owner", "jobs", ["owner"], unique=False)
    op.create_index("ix_jobs_state_run_at", "jobs", ["state", "run_at"], unique=False)


def _links() -> None:
    op.create_table(
        "links",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("run_id", sa.Text(), nullable=False),
        sa.Column("recipient", sa.Text(), nullable=False),
        sa.Column("purpose", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=False),
        sa.Column("revoked_at", sa.BigInteger(), nullable=True),
        sa.Column("revoke_reason", sa.Text(), nullable=True),
        sa.Column("code_hash", sa.Text(), nullable=True),
        sa.Column("code_tries", sa.Integer(), nullable=False),
        sa.Column("locked_until", sa.BigInteger(), nullable=True),
        sa.Column("first_get_at", sa.BigInteger(), nullable=True),
        sa.Column("get_count", sa.Integer(), nullable=False),
        sa.Column("first_post_at", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name=op.f("fk_links_run_id_runs")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_links")),
        sa.UniqueConstraint("run_id", "recipient", "purpose", name=op.f("uq_links_run_id_recipient_purpose")),
    )


def _observations() -> None:
    op.create_table(
        "observations",
        sa.Column("run_id", sa.Text(), nullable=False),
        sa.Column("competitor", sa.Text(), nullable=False),
        sa.Column("sku", sa.Text(), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("outcome", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("words", sa.Text(), nullable=False),
        sa.Column("observed_at", sa.BigInteger(), nullable=False),
        sa.Column("price", sa.BigInteger(), nullable=True),
        sa.Column("currency", sa.Text(), nullable=True),
        sa.Column("list_price", sa.BigInteger(), nullable=True),
        sa.Column("availability", sa.Text(), nullable=False),
        sa.Column("shipping", sa.BigInteger(), nullable=True),
        sa.Column("name", sa.Text(), nullable=True),
        sa.Column("evidence", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name=op.f("fk_observations_run_id_runs")),
        sa.PrimaryKeyConstraint("run_id", "competitor", "sku", name=op.f("pk_observations")),
    )
    op.create_index(
        "ix_observations_competitor_sku_observed_at", "observations", ["competitor", "sku", "observed_at"], unique=False
    )


def _reports() -> None:
    op.create_table(
        "reports",
        sa.Column("run_id", sa.Text(), nullable=False),
        sa.Column("model", sa.Text(), nullable=False),
        sa.Column("html", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name=op.f("fk_reports_run_id_runs")),
        sa.PrimaryKeyConstraint("run_id", name=op.f("pk_reports")),
    )


def _decisions() -> None:
    op.create_table(
        "decisions",
        sa.Column("id", _KEY, autoincrement=True, nullable=False),
        sa.Column("action_id", sa.BigInteger(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("verb", sa.Text(), nullable=False),
        sa.Column("actor_kind", sa.Text(), nullable=False),
        sa.Column("actor_name", sa.Text(), nullable=False),
        sa.Column("link", sa.Text(), nullable=True),
        sa.Column("address", sa.Text(), nullable=True),
        sa.Column("agent", sa.Text(), nullable=True),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("figures", sa.Text(), nullable=False),
        sa.Column("batch", sa.Text(), nullable=False),
        sa.Column("decided_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["action_id"], ["actions.id"], name=op.f("fk_decisions_action_id_actions")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_decisions")),
    )
    op.create_index("ix_decisions_action_id", "decisions", ["action_id"], unique=False)
    op.create_index("ix_decisions_batch", "decisions", ["batch"], unique=False)
    op.create_index(
        "uq_decisions_live",
        "decisions",
        ["action_id", "version"],
        unique=True,
        sqlite_where=sa.text("verb IN ('approve', 'reject')"),
        postgresql_where=sa.text("verb IN ('approve', 'reject')"),
    )


def _nonces() -> None:
    op.create_table(
        "nonces",
        sa.Column("hash", sa.Text(), nullable=False),
        sa.Column("link_id", sa.Text(), nullable=False),
        sa.Column("issued_at", sa.BigInteger(), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=False),
        sa.Column("used_at", sa.BigInteger(), nullable=True),
        sa.Column("batch", sa.Text(), nullable=True),
        sa.Column("results", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(["link_id"], ["links.id"], name=op.f("fk_nonces_link_id_links")),
        sa.PrimaryKeyConstraint("hash", name=op.f("pk_nonces")),
    )
    op.create_index("ix_nonces_link_id_batch", "nonces", ["link_id", "batch"], unique=False)


def _steps() -> None:
    op.create_table(
        "steps",
        sa.Column("job_id", sa.BigInteger(), nullable=False),
        sa.Column("seq", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("fence", sa.BigInteger(), nullable=False),
        sa.Column("tool", sa.Text(), nullable=False),
        sa.Column("args", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("cost", sa.Integer(), nullable=False),
        sa.Column("started_at", sa.BigInteger(), nullable=False),
        sa.Column("ended_at", sa.BigInteger(), nullable=True),
        sa.Column("result", sa.Text(), nullable=True),
        sa.Column("error", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(["job_id"], ["jobs.id"], name=op.f("fk_steps_job_id_jobs")),
        sa.PrimaryKeyConstraint("job_id", "seq", name=op.f("pk_steps")),
    )


def _writes() -> None:
    op.create_table(
        "writes",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("action_id", sa.BigInteger(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("channel", sa.Text(), nullable=False),
        sa.Column("sku", sa.Text(), nullable=False),
        sa.Column("currency", sa.Text(), nullable=False),
        sa.Column("target_price", sa.BigInteger(), nullable=False),
        sa.Column("expected_price", sa.BigInteger(), nullable=False),
        sa.Column("idempotency_key", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("not_before", sa.BigInteger(), nullable=False),
        sa.Column("fence", sa.BigInteger(), nullable=False),
        sa.Column("owner", sa.Text(), nullable=True),
        sa.Column("lease_until", sa.BigInteger(), nullable=True),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("before", sa.Text(), nullable=True),
        sa.Column("after", sa.Text(), nullable=True),
        sa.Column("error", sa.Text(), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("finished_at", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(["action_id"], ["actions.id"], name=op.f("fk_writes_action_id_actions")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_writes")),
        sa.UniqueConstraint("action_id", "version", name=op.f("uq_writes_action_id_version")),
        sa.UniqueConstraint("idempotency_key", name=op.f("uq_writes_idempotency_key")),
    )
    op.create_index("ix_writes_state_not_before", "writes", ["state", "not_before"], unique=False)
    op.create_index(
        "uq_writes_live",
        "writes",
        ["channel", "sku"],
        unique=True,
        sqlite_where=sa.text("state IN ('queued', 'claimed', 'calling', 'unknown', 'dry_run')"),
        postgresql_where=sa.text("state IN ('queued', 'claimed', 'calling', 'unknown', 'dry_run')"),
    )


def _write_attempts() -> None:
    op.create_table(
        "write_attempts",
        sa.Column("id", _KEY, autoincrement=True, nullable=False),
        sa.Column("write_id", sa.Text(), nullable=False),
        sa.Column("n", sa.Integer(), nullable=False),
        sa.Column("started_at", sa.BigInteger(), nullable=False),
        sa.Column("ended_at", sa.BigInteger(), nullable=True),
        sa.Column("outcome", sa.Text(), nullable=True),
        sa.Column("answer", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(["write_id"], ["writes.id"], name=op.f("fk_write_attempts_write_id_writes")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_write_attempts")),
        sa.UniqueConstraint("write_id", "n", name=op.f("uq_write_attempts_write_id_n")),
    )
