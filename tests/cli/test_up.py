"""`monitor up` as a process: it says that it has ended, and ends in order."""

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from typer.testing import CliRunner

from monitor.cli import command_line, up
from monitor.cli.up import Supervisor


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


@pytest.mark.slow
def test_a_file_that_is_wrong_when_the_process_dies_stops_it_only_until_it_is_right(
    home: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Somebody edits the catalogue, the host kills the process, and at 02:00 the night must begin all the same."""
    file = home / "monitor.toml"
    right = file.read_text("utf-8").replace("\nport = 8080", "\nport = 0")
    file.write_text(right, "utf-8")
    supervisor = Supervisor(home)
    monkeypatch.setattr(up, "_UNTIL_PUT_RIGHT_S", 0.2)
    codes: list[int] = []
    work = supervisor._work

    def leave_when_it_works() -> None:
        while not (home / "var/monitor.sqlite3.working").exists():
            time.sleep(0.05)
        supervisor._leave(signal.SIGTERM, None)

    def working() -> int:
        """Die at first, be refused twice, then work until asked to leave."""
        if not codes:
            codes.append(-signal.SIGKILL)
            file.write_text(right.replace('at = "02:00"', "at = 2"), "utf-8")
        elif len(codes) < 3:
            codes.append(work())
        else:
            file.write_text(right, "utf-8")
            threading.Thread(target=leave_when_it_works, daemon=True).start()
            codes.append(work())
        return codes[-1]

    monkeypatch.setattr(supervisor, "_work", working)
    monkeypatch.setattr(signal, "signal", lambda *_: None)

    assert supervisor.run() == 0
    assert codes == [-signal.SIGKILL, 2, 2, 0]
    assert capfd.readouterr().err.count("Nothing works until that is put right; tried again every 0 s.") == 2


def test_a_first_process_that_is_refused_ends_it(home: Path) -> None:
    (home / "monitor.toml").write_text("[night]\nat = 2\n", "utf-8")

    with _started(home) as program:
        assert program.stderr is not None
        said = program.stderr.read()

    assert program.returncode == 2
    assert "2 is not a time of day" in said
    assert "tried again" not in said
