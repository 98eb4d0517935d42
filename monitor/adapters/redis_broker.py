"""The broker on Redis or Valkey, for many workers; loaded only where one is configured, since it takes 5 MB."""

from typing import Any

import redis
from dramatiq import Message
from dramatiq.brokers.redis import RedisBroker
from dramatiq.errors import ConnectionFailed
from redis.backoff import ExponentialBackoff
from redis.retry import Retry

from monitor.errors import RetryLater


class TellingBroker(RedisBroker):
    """Says in Dramatiq's own words that the server cannot be reached, as brokers of every kind are meant to."""

    def enqueue(self, message: Message[Any], *, delay: int | None = None) -> Message[Any]:
        """Send a message. Raises ConnectionFailed."""
        try:
            return super().enqueue(message, delay=delay)
        except redis.exceptions.RedisError as unreachable:
            raise ConnectionFailed(str(unreachable)) from unreachable  # type: ignore[no-untyped-call]


def redis_broker(url: str) -> TellingBroker:
    """Return a broker on Redis or Valkey; connects when it is first used."""
    client = redis.Redis.from_url(
        url,
        socket_timeout=5,
        socket_connect_timeout=3,
        retry=Retry(ExponentialBackoff(cap=1, base=0.05), 1),
        retry_on_error=[redis.exceptions.TimeoutError, redis.exceptions.ConnectionError],
        health_check_interval=15,
    )
    return TellingBroker(client=client, middleware=[])  # type: ignore[no-untyped-call]  # dramatiq leaves it untyped


def mark(url: str, name: str) -> bool:
    """Leave a key of this name in a database that holds nothing, or held it already; False: it holds something else.

    Raises:
        RetryLater: the server does not answer.
    """
    try:
        with redis.Redis.from_url(url, socket_timeout=3, socket_connect_timeout=3) as client:
            return bool(client.exists(name)) or (client.dbsize() == 0 and bool(client.set(name, 1)))
    except (redis.exceptions.RedisError, OSError) as unreachable:
        raise RetryLater(f"the broker {url.rsplit('@', 1)[-1]} does not answer: {unreachable}") from unreachable


def ping(url: str) -> str:
    """Ask a Redis or Valkey server who it is, for `monitor doctor`.

    Raises:
        RetryLater: it does not answer.
    """
    try:
        with redis.Redis.from_url(url, socket_timeout=3, socket_connect_timeout=3) as client:
            info = client.info("server")
    except (redis.exceptions.RedisError, OSError) as unreachable:
        raise RetryLater(f"the broker {url.rsplit('@', 1)[-1]} does not answer: {unreachable}") from unreachable
    name = "Valkey" if "valkey_version" in info else "Redis"
    return f"{name} {info.get('valkey_version') or info.get('redis_version')}"
