"""The Makefile says what there is, finds a Python that works, and passes its switches on."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parents[2]
MAKE = shutil.which("make") or "make"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A checkout in which nothing is installed yet."""
    for name in ("Makefile", "pyproject.toml", "requirements-dev.lock"):
        shutil.copy(CHECKOUT / name, tmp_path)
    return tmp_path


@pytest.fixture
def installed(folder: Path) -> Path:
    """A checkout that is ready, as far as make can see."""
    (folder / ".venv" / "bin").mkdir(parents=True)
    (folder / ".venv" / "bin" / "python").touch()
    (folder / ".venv" / ".installed").touch()
    return folder


def make(folder: Path, *arguments: str, path: str | None = None) -> "subprocess.CompletedProcess[str]":
    # MAKEFLAGS of the make that runs the tests would be obeyed too.
    env = {key: value for key, value in os.environ.items() if not key.startswith(("MAKE", "MFLAGS"))}
    env["PATH"] = path or env["PATH"]
    return subprocess.run([MAKE, *arguments], cwd=folder, env=env, capture_output=True, text=True, check=False)


def test_help_is_the_default_and_names_every_target(folder: Path) -> None:
    shown = make(folder)

    targets = re.findall(r"^([a-z]+):", (CHECKOUT / "Makefile").read_text(), re.MULTILINE)
    assert shown.returncode == 0
    assert re.findall(r"^make (\w+) ", shown.stdout, re.MULTILINE) == targets


def test_without_a_python_that_is_new_enough_it_says_so(folder: Path) -> None:
    """A version manager's shim exists and refuses; an old Python starts and is too old."""
    tools = folder / "tools"
    tools.mkdir()
    for name in ("python3.13", "python3"):
        (tools / name).write_text("#!/bin/sh\nexit 1\n")
        (tools / name).chmod(0o755)
    for name in ("sh", "rm", "touch"):
        (tools / name).symlink_to(shutil.which(name) or name)

    refused = make(folder, "lint", path=str(tools))

    assert refused.returncode == 2
    assert "No Python 3.11 or newer was found on PATH" in refused.stderr
    assert not (folder / ".venv").exists()


@pytest.mark.parametrize(
    ("arguments", "command"),
    [
        (["demo"], ".venv/bin/monitor demo"),
        (["demo", "ONCE=1"], ".venv/bin/monitor demo --once"),
        (["up"], ".venv/bin/monitor up"),
        (["chaos", "NIGHTS=3", "SEED=7"], ".venv/bin/monitor chaos --nights 3 --seed 7"),
    ],
)
def test_a_target_runs_the_command_with_its_switches(installed: Path, arguments: list[str], command: str) -> None:
    planned = make(installed, "--dry-run", *arguments)

    assert planned.stdout.splitlines()[0].strip() == command


def test_lint_and_every_test_are_run_side_by_side(installed: Path) -> None:
    _, *lines = make(installed, "--dry-run", "test").stdout.splitlines()

    (tests,) = [line for line in lines if "pytest" in line]
    assert "slow" not in tests, "no test is left out"
    programs = [line.split()[0].rpartition("/")[2] for line in lines if line != tests]
    assert programs == ["ruff", "ruff", "mypy", "lint-imports"]


@pytest.mark.parametrize("changed", ["requirements-dev.lock", "pyproject.toml"])
def test_a_changed_lock_or_project_is_installed_again(installed: Path, changed: str) -> None:
    assert "Installing" not in make(installed, "--dry-run", "lint").stdout

    later = (installed / ".venv" / ".installed").stat().st_mtime + 10
    os.utime(installed / changed, (later, later))

    assert "Installing" in make(installed, "--dry-run", "lint").stdout
