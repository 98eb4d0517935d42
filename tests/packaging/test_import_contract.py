"""The import contract of pyproject.toml notices each kind of violation that it promises to notice."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parents[2]

pytestmark = pytest.mark.slow


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the package with its contract, to be spoilt."""
    shutil.copytree(CHECKOUT / "monitor", tmp_path / "monitor", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(CHECKOUT / "pyproject.toml", tmp_path)
    return tmp_path


def lint_imports(folder: Path) -> "subprocess.CompletedProcess[str]":
    command = [str(Path(sys.executable).with_name("lint-imports")), "--no-cache"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=60)


def test_the_package_as_it_is_keeps_the_contract(copy: Path) -> None:
    linted = lint_imports(copy)

    assert linted.returncode == 0, linted.stdout
    assert "0 broken" in linted.stdout


@pytest.mark.parametrize(
    ("module", "line", "complaint"),
    [
        ("domain/money.py", "from monitor import settings", "imports point one way"),
        ("adapters/clock.py", "from monitor import wiring", "imports point one way"),
        ("stray.py", "", "stray"),  # a module without a place in the layers
        ("flow/begin.py", "from monitor.flow import report", "stages are independent"),
        ("adapters/clock.py", "from monitor.adapters import http", "adapters are independent"),
        ("domain/money.py", "import socket", "pure packages"),
        ("flow/report.py", "import jinja2", "pure packages"),
        ("settings.py", "import httpx", "by its adapter only"),
        ("adapters/clock.py", "import selectolax", "only extraction parses pages"),
    ],
)
def test_a_violation_breaks_the_contract(copy: Path, module: str, line: str, complaint: str) -> None:
    spoilt = copy / "monitor" / module
    before = spoilt.read_text() if spoilt.exists() else '"""A new module."""\n'
    spoilt.write_text(f"{before}\n{line}\n")

    linted = lint_imports(copy)

    assert linted.returncode == 1, linted.stdout
    broken = [line for line in linted.stdout.splitlines() if complaint in line]
    assert broken, linted.stdout
