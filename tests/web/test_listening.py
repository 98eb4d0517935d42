"""The address of the web is taken before anybody is told of it, and what is wrong with it is said in words."""

import socket
from contextlib import closing

import pytest
from starlette.responses import JSONResponse
from starlette.types import Receive, Scope, Send

from monitor.web.listening import CannotListen, taken, url_of
from monitor.web.own_port import port_words
from tests.web.running import running


def test_an_address_that_is_taken_is_held_and_named_with_its_real_port() -> None:
    (held,) = taken("127.0.0.1", 0)
    with closing(held):
        port = held.getsockname()[1]
        assert port > 0
        assert url_of((held,)) == f"http://127.0.0.1:{port}/"


def test_a_port_that_another_program_has_is_named_with_what_to_do() -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        with pytest.raises(CannotListen) as refused:
            taken("127.0.0.1", port)
    assert str(refused.value).startswith(f"The web cannot listen on 127.0.0.1 port {port}: another program has it.")
    assert "web.port in monitor.toml" in str(refused.value)


def test_a_port_is_free_again_after_those_who_used_it_are_gone() -> None:
    (held,) = taken("127.0.0.1", 0)
    port = held.getsockname()[1]
    held.listen()
    with closing(held), socket.create_connection(("127.0.0.1", port)), held.accept()[0]:
        pass
    (again,) = taken("127.0.0.1", port)
    again.close()


def test_a_host_that_is_none_is_named_with_its_key() -> None:
    with pytest.raises(CannotListen, match=r"nonsense\.invalid port 8080: .*Correct web\.host in monitor\.toml"):
        taken("nonsense.invalid", 8080)


def test_a_port_on_which_a_price_monitor_answers_is_told_from_a_strangers() -> None:
    async def healthy(scope: Scope, receive: Receive, send: Send) -> None:
        await JSONResponse({"status": "ok", "version": "1"})(scope, receive, send)

    with running(healthy) as base:
        assert "a price monitor answers" in port_words("127.0.0.1", int(base.rpartition(":")[2]))
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    assert port_words("127.0.0.1", port) == f"can listen on 127.0.0.1 port {port}"
