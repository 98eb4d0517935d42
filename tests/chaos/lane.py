"""Everything one night touches, of its own: market, our shop, mail server, databases, and the process that forks.

Two lanes do not share anything, so that a sweep over every boundary can use two processors.
"""

import json
import os
import shutil
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from monitor.settings import create
from tests.acceptance.programs import Place, mail_at_once
from tests.chaos.serial import Order
from tests.chaos.zygote import Ended, Zygote
from tests.fake_shop import Books
from tests.market import Market
from tests.receiver import SECRET, Receiver
from tests.servers import PostgresServer, SmtpServer

#: How many competitors a night visits; `make chaos` asks for thirty.
COMPETITORS = int(os.environ.get("CHAOS_COMPETITORS", "2"))
_ONE_AT_A_TIME = threading.Lock()


@dataclass
class Databases:
    """Where a lane gets a database with every table and no row."""

    kind: str
    sqlite: Path
    postgres: PostgresServer | None = None
    template: str = ""
    redis_url: str = ""

    @contextmanager
    def fresh(self, home: Path) -> Iterator[dict[str, str]]:
        """Yield the environment of a database of one's own."""
        if self.postgres is None:
            file = home / "night.sqlite3"
            shutil.copyfile(self.sqlite, file)
            try:
                yield {"MONITOR_DATABASE_URL": f"sqlite:///{file}"}
            finally:  # the file itself is written over: what a zygote compiled knows it by its inode
                for left in home.glob("night.sqlite3?*"):
                    shutil.rmtree(left) if left.is_dir() else left.unlink()
            return
        with _ONE_AT_A_TIME:
            name = self.postgres.borrow(self.template)
        try:
            yield {"MONITOR_DATABASE_URL": self.postgres.url(name), "MONITOR_REDIS_URL": self.redis_url}
        finally:
            with _ONE_AT_A_TIME:
                self.postgres.give_back(name, self.template)


@dataclass
class Lane:
    """Competitors of two pages each (with robots.txt three steps), one product of ours that is dearer."""

    home: Path
    databases: Databases
    market: Market = field(default_factory=lambda: Market(shops=COMPETITORS, pages=2))
    smtp: SmtpServer = field(default_factory=SmtpServer)
    receiver: Receiver = field(default_factory=lambda: Receiver(Books()))

    def __post_init__(self) -> None:
        self.home.mkdir()
        self._day = datetime.now(UTC).date().isoformat()
        self.place = self._place()
        self.zygote = Zygote(self.home / "zygote.log")
        self._open = ExitStack()
        for each in (self.market, self.smtp, self.receiver):
            self._open.enter_context(each)
        mail_at_once(self.place, self.smtp)
        self._open.callback(self.zygote.close)
        with self.night() as environ:
            self.zygote.warm_up(self.order(environ))

    def _place(self) -> Place:
        manifest = self.home / "market.json"
        shops = self.market.manifest()
        shops[0]["pages"][0] |= {"price": "100.00", "min_price": "80.00", "max_price": "120.00"}
        manifest.write_text(json.dumps(shops), "utf-8")
        create(self.home / "shop", manifest=manifest)
        place = Place(self.home)
        place.env["MONITOR_SHOP_SECRET"] = SECRET
        url = f'"{self.receiver.url}"'
        values = {"page_deadline_s": "60", "kind": '"webhook"', "url": url, "read_url": url}
        for key, value in (values | {"enabled": "true", "undo_window_s": "0"}).items():
            place.set("monitor.toml", key, value)
        return place

    @contextmanager
    def night(self) -> Iterator[dict[str, str]]:
        """Forget the night before and yield the environment of a new one."""
        self.market.hits.clear()
        self.smtp.messages.clear()
        books = Books(S1P1="100.00")
        self.receiver.books, self.receiver.answers = books, {}
        with self.databases.fresh(self.home) as environ:
            if self.databases.redis_url:
                self._flush()
            yield {**self.place.env, **environ}

    def _flush(self) -> None:
        import redis

        with redis.Redis.from_url(self.databases.redis_url) as client:
            client.flushdb()

    def order(self, environ: dict[str, str], **wishes: object) -> Order:
        """Return an order for this lane."""
        log = str(self.home / "night.log")
        wishes = {"patience_s": max(60.0, 10.0 * COMPETITORS), **wishes}
        config = str(self.place.config)
        return Order(config=config, environ=environ, log=log, day=self._day, **wishes)  # type: ignore[arg-type]

    def run(self, environ: dict[str, str], **wishes: object) -> Ended:
        """Run a child to its end."""
        return self.zygote.run(self.order(environ, **wishes))

    @property
    def log(self) -> str:
        """The end of what its nights said."""
        return (self.home / "night.log").read_text("utf-8", "replace")[-4000:]

    @property
    def repeats(self) -> int:
        """How many requests of the market were made more than once."""
        return sum(count - 1 for count in self.market.hits.values())

    @property
    def letters(self) -> Counter[str]:
        """How often each mail arrived, by its Message-ID."""
        return Counter(str(mail["Message-ID"]) for mail in self.smtp.messages)

    def close(self) -> None:
        """Stop everything of this lane."""
        self._open.close()
