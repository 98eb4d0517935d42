"""`monitor up` as a process: it says that it has ended, and ends in order."""

import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from monitor.cli import command_line


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A configuration as `monitor init` writes it."""
    home = tmp_path / "shop"
    assert CliRunner().invoke(command_line(["setup", "doctor"]), ["init", str(home)]).exit_code == 0
    return home


def _listening_on(home: Path, port: int) -> None:
    file = home / "monitor.toml"
    file.write_text(file.read_text("utf-8").replace("\nport = 8080", f"\nport = {port}"), "utf-8")


def _started(home: Path) -> "subprocess.Popen[str]":
    environ = {name: value for name, value in os.environ.items() if not name.startswith("MONITOR_")}
    command = [sys.executable, "-m", "monitor", "up", "--config", str(home)]
    return subprocess.Popen(command, env=environ, stderr=subprocess.PIPE, text=True)


@pytest.mark.slow
def test_ctrl_c_ends_it_in_order_and_says_so(home: Path) -> None:
    """The child waits for the end of its standard input in a thread, which must not abort its interpreter."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    _listening_on(home, port)
    with _started(home) as program:
        assert program.stderr is not None
        lines = []
        for line in program.stderr:
            lines.append(line)
            if line.startswith("Working."):
                break
        program.send_signal(signal.SIGINT)
        lines += program.stderr.read().splitlines(keepends=True)
    said = "".join(lines)

    assert program.returncode == 0, said
    assert f":{port}/" in said
    assert said.endswith("Ended. What was under way is kept; the next `monitor up` goes on from there.\n")
    assert "Fatal Python error" not in said


@pytest.mark.slow
def test_a_taken_port_costs_the_pages_and_not_the_night(home: Path) -> None:
    """It is told once, the working process stays, and the pages come when the port is free."""
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        _listening_on(home, port)
        program = _started(home)
        assert program.stderr is not None
        told = next((line for line in program.stderr if line.startswith("The web cannot listen")), "")
    with program:
        after = []
        for line in program.stderr:
            after.append(line)
            if line.startswith("Working."):
                break
        program.send_signal(signal.SIGTERM)
        after += program.stderr.read().splitlines(keepends=True)

    assert f"port {port}: another program has it" in told
    assert "The nights go on without it" in told
    assert program.returncode == 0
    assert f":{port}/" in "".join(after)
    assert "starting it again" not in "".join(after)
    assert not any(line.startswith("The web cannot listen") for line in after)
