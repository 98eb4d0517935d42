"""`monitor demo --once` as a newcomer starts it: real processes, sockets, mail and files."""

import os
import re
import signal
import socket
import subprocess
import sys
import time
from email import message_from_bytes
from email.policy import default
from pathlib import Path

import pytest

from monitor.demo.market import market_of
from monitor.domain.money import amount_text

pytestmark = pytest.mark.slow


def start(*options: str) -> "subprocess.Popen[str]":
    command = [sys.executable, "-m", "monitor", "demo", *options]
    environ = os.environ | {"MONITOR_DATABASE_URL": "postgresql://nobody@127.0.0.1:1/a-real-monitor"}
    return subprocess.Popen(command, env=environ, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def processes_of(directory: Path) -> list[str]:
    """Return the processes whose command line names the directory, as far as this user may see."""
    found = []
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = entry.read_bytes().decode(errors="replace").split("\0")
        except OSError:
            continue
        if str(directory) in words and "monitor.demo.night" in words:
            found.append(entry.parent.name)
    return found


@pytest.mark.timeout(600)
def test_the_demo_tells_its_story_to_the_end_and_keeps_its_promises(tmp_path):
    """It must not touch a real monitor that the environment names, so that one is given and cannot be reached."""
    place = tmp_path / "demo"

    demo = start("--once", "--dir", str(place), "--seed", "2")
    out, err = demo.communicate(timeout=580)

    assert demo.returncode == 0, out + err
    assert "Broken promise" not in out
    assert re.search(r"Killed at globex step 5 -> resumed at globex step 5\.", out)
    assert re.search(r"pages of finished steps, 0 of them asked for again", out)
    assert "held" in err
    assert len(re.findall(r"^  alert .+", err, re.MULTILINE)) >= 1
    assert "http://" not in out, "what serves pages has ended"
    assert f"{place}/var/prices.csv" in out
    mails = [message_from_bytes(path.read_bytes(), policy=default) for path in sorted((place / "mail").glob("*.eml"))]
    assert len(mails) == 7
    assert len({mail["Message-ID"] for mail in mails}) == 7
    prices = dict(line.split(",")[:2] for line in (place / "var" / "prices.csv").read_text().splitlines()[1:])
    before = {good.sku: amount_text(good.price, "EUR") for good in market_of(2).goods}
    assert prices.keys() == before.keys()
    changed = {sku for sku in prices if prices[sku] != before[sku]}
    assert len(changed) >= 3
    assert processes_of(place) == []


@pytest.mark.timeout(120)
def test_an_interrupted_demo_leaves_no_process_behind(tmp_path):
    place = tmp_path / "demo"
    demo = start("--dir", str(place))
    until = time.monotonic() + 60
    while not processes_of(place) and time.monotonic() < until:
        time.sleep(0.1)
    assert processes_of(place)

    demo.send_signal(signal.SIGINT)
    out, err = demo.communicate(timeout=50)

    assert demo.returncode == 0, out + err
    assert "Traceback" not in err
    assert "Nothing runs any more" in err
    assert processes_of(place) == []


@pytest.mark.timeout(60)
def test_a_directory_that_holds_a_configuration_is_left_alone(tmp_path):
    (tmp_path / "monitor.toml").write_text("# mine\n")

    demo = start("--once", "--dir", str(tmp_path))
    _, err = demo.communicate(timeout=50)

    assert demo.returncode == 2
    assert "already holds monitor.toml" in err
    assert (tmp_path / "monitor.toml").read_text() == "# mine\n"
    assert [path.name for path in tmp_path.iterdir()] == ["monitor.toml"]


@pytest.mark.timeout(60)
def test_a_port_that_is_taken_is_named_before_anything_is_started(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        demo = start("--once", "--dir", str(tmp_path / "demo"), "--port", str(port))
        _, err = demo.communicate(timeout=50)

    assert demo.returncode == 2
    assert f"--port {port}" in err
    assert not (tmp_path / "demo").exists()
