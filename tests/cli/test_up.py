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


@pytest.mark.slow
def test_ctrl_c_ends_it_in_order_and_says_so(tmp_path: Path) -> None:
    """The child waits for the end of its standard input in a thread, which must not abort its interpreter."""
    home = tmp_path / "shop"
    assert CliRunner().invoke(command_line(["setup", "doctor"]), ["init", str(home)]).exit_code == 0
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    file = home / "monitor.toml"
    file.write_text(file.read_text("utf-8").replace("\nport = 8080", f"\nport = {port}"), "utf-8")
    environ = {name: value for name, value in os.environ.items() if not name.startswith("MONITOR_")}
    command = [sys.executable, "-m", "monitor", "up", "--config", str(home)]
    with subprocess.Popen(command, env=environ, stderr=subprocess.PIPE, text=True) as program:
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
