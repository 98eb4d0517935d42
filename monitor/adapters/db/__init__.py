"""The database, the single truth: SQLite (WAL) or PostgreSQL through SQLAlchemy Core.

`schema` says what is stored, `migrations` how a database gets there, `store` opens transactions and
`repositories` reads and writes one group of tables each.
"""
