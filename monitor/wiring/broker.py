"""Which broker rings for jobs: one inside this process, or Redis or Valkey where the environment names it."""

from dramatiq import Broker

from monitor.adapters.broker import embedded_broker


def broker_of(redis_url: str | None) -> Broker:
    """Return the broker."""
    if not redis_url:
        return embedded_broker()
    from monitor.adapters.redis_broker import redis_broker  # 5 MB that one process on a SQLite file never needs

    return redis_broker(redis_url)
