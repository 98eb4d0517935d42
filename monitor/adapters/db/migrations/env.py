"""What Alembic runs around the scripts: on the connection and in the transaction that `migrate` opened."""

from alembic import context

from monitor.adapters.db.schema import metadata

context.configure(connection=context.config.attributes["connection"], target_metadata=metadata)
with context.begin_transaction():
    context.run_migrations()
