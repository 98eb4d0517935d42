"""The steps of the Dockerfile work, and compose.yaml starts commands that exist."""

import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.packaging.dockerfile import Build, Image, changes_users, parse

CHECKOUT = Path(__file__).resolve().parents[2]
COMPOSE: dict[str, Any] = yaml.safe_load((CHECKOUT / "compose.yaml").read_text())
OURS = {name: service for name, service in COMPOSE["services"].items() if "build" in service}


@pytest.fixture(scope="module")
def image() -> Iterator[Image]:
    """The finished image, built once, where any user may look into it."""
    with tempfile.TemporaryDirectory(prefix="image-") as scratch:
        if changes_users():
            Path(scratch).chmod(0o755)  # the image's user is another one
        instructions = parse((CHECKOUT / "Dockerfile").read_text())
        yield Build(CHECKOUT, Path(scratch)).carry_out(instructions)


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_the_image_holds_one_program_for_every_part(image: Image) -> None:
    version = image.run("monitor", "--version")
    assert version.returncode == 0, version.stderr
    assert version.stdout.strip().endswith("0.1.0")

    for command in ("dramatiq", "monitor"):
        assert (image.root / "opt/monitor/bin" / command).is_file()
    assert image.inside(image.workdir).joinpath("scheduler.py").is_file()
    assert image.command == OURS["web"]["command"]


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_the_image_carries_templates_and_configuration(image: Image) -> None:
    script = "from monitor import resources as r; print(r.find('templates')); print(r.find('config/monitor.toml'))"
    found = image.run("python", "-c", script)

    assert found.returncode == 0, found.stderr
    assert all("/opt/monitor/" in line for line in found.stdout.splitlines())


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_the_image_does_not_run_as_root_and_can_write_its_configuration_only(image: Image) -> None:
    uid, gid = image.user.split(":")
    assert uid != "0"
    assert gid == "0"
    assert image.inside("/etc/monitor").stat().st_mode & 0o070 == 0o070
    if changes_users():
        script = f"open({str(image.root / 'opt/monitor/stray')!r}, 'w')"
        assert "PermissionError" in image.run("python", "-c", script).stderr
        written = image.run("touch", str(image.inside("/etc/monitor") / "monitor.toml"))
        assert written.returncode == 0, written.stderr


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_the_image_holds_no_installer_and_nothing_for_tests(image: Image) -> None:
    assert image.run("python", "-c", "import pytest").returncode == 1
    assert image.run("python", "-c", "import pip").returncode == 1


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_the_health_check_fails_when_nobody_answers(image: Image) -> None:
    """It asks the default port; a test cannot rely on that being free, so only the address is another."""
    command = [re.sub("127.0.0.1:8080", "127.0.0.1:1", part) for part in image.healthcheck]

    checked = image.run(*command)

    assert checked.returncode == 1
    assert "Connection refused" in checked.stderr


@pytest.mark.parametrize("name", sorted(OURS))
def test_every_service_of_ours_starts_a_command_that_exists(name: str) -> None:
    program, *arguments = OURS[name]["command"]
    if program == "monitor":
        options = [argument for argument in arguments[1:] if argument.startswith("--")]
        shown = subprocess.run(
            [sys.executable, "-m", "monitor", arguments[0], "--help"],
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "COLUMNS": "200", "NO_COLOR": "1"},
        )
        assert shown.returncode == 0, shown.stderr
        assert all(option in shown.stdout for option in options)
    elif program == "dramatiq":
        assert find_spec(arguments[0]) is not None
    else:
        assert program == "python"
        assert (CHECKOUT / arguments[0]).is_file()


def test_every_service_of_ours_waits_for_the_tables() -> None:
    for name, service in OURS.items():
        awaited = service["depends_on"]
        assert awaited["postgres"]["condition"] == "service_healthy"
        assert name == "migrate" or awaited["migrate"]["condition"] == "service_completed_successfully"


def test_compose_holds_no_secret_and_publishes_to_this_machine_only() -> None:
    text = (CHECKOUT / "compose.yaml").read_text()
    passwords = re.findall(r"(?:PASSWORD: |://monitor:)(\S+)", text)
    assert passwords
    assert all(password.startswith("${POSTGRES_PASSWORD") for password in passwords)

    published = [port for service in COMPOSE["services"].values() for port in service.get("ports", [])]
    assert published == ["127.0.0.1:8080:8080"]


def test_the_health_check_asks_the_port_that_is_exposed() -> None:
    instructions = {instruction.name: instruction.rest for instruction in parse((CHECKOUT / "Dockerfile").read_text())}
    assert (
        f"127.0.0.1:{instructions['EXPOSE']}/healthz" in json.loads(instructions["HEALTHCHECK"].removeprefix("CMD "))[2]
    )
