"""The wheel carries everything that the program needs, and works away from the checkout."""

import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parents[2]

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from the checkout as the lock's build tools make it."""
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder)]
    subprocess.run(command, cwd=CHECKOUT, check=True, capture_output=True, text=True)
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def python(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of an environment that holds the wheel and its dependencies, and nothing of the checkout.

    The dependencies are those that the tests run with, so that nothing is fetched.
    """
    folder = tmp_path_factory.mktemp("installed")
    venv.create(folder, with_pip=False, symlinks=True)
    inside = Path(sysconfig.get_path("purelib", "venv", {"base": str(folder)}))
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(inside)
    # Not a .pth file: those of the borrowed folder would be read too, and one of them leads to the checkout.
    for borrowed in Path(sysconfig.get_path("purelib")).iterdir():
        if "monitor" not in borrowed.name and not borrowed.name.endswith(".pth"):
            (inside / borrowed.name).symlink_to(borrowed)
    return folder / "bin" / "python"


def output_of(python: Path, *arguments: str) -> str:
    """Return what a command prints, run from an empty folder and without the test's own environment."""
    ran = subprocess.run(
        [str(python), *arguments],
        cwd=python.parent,
        env={"PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout.strip()


def files_below(folder: str) -> set[str]:
    below = (path for path in (CHECKOUT / folder).rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    return {path.relative_to(CHECKOUT).as_posix() for path in below}


def test_every_module_template_and_file_of_configuration_is_in_the_wheel(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())

    carried = {f"monitor/_files/{name}" for name in files_below("templates") | files_below("config")}
    assert carried | files_below("monitor") | {"scheduler.py"} <= names
    migrations = [name for name in sorted(names) if name.startswith("monitor/adapters/db/migrations/")]
    assert len(migrations) > 1, migrations
    assert not [name for name in names if name.startswith(("tests/", "docs/", "benchmarks/"))]


def test_the_wheel_knows_its_command_and_its_licence(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        texts = {Path(name).name: archive.read(name).decode() for name in archive.namelist() if ".dist-info/" in name}

    assert "monitor = monitor.cli:main" in texts["entry_points.txt"]
    assert "License-Expression: MIT" in texts["METADATA"]
    assert "MIT License" in texts["LICENSE"]


def test_the_installed_program_runs_outside_the_checkout(python: Path) -> None:
    assert output_of(python, "-m", "monitor", "--version").endswith("0.1.0")

    lies = Path(output_of(python, "-c", "import monitor; print(monitor.__file__)"))
    assert CHECKOUT not in lies.parents


def test_the_installed_program_finds_its_own_templates_and_configuration(python: Path) -> None:
    script = "from monitor import resources as r; print(r.find('templates')); print(r.find('config/monitor.toml'))"

    for line in output_of(python, "-c", script).splitlines():
        assert "monitor/_files/" in line
        assert CHECKOUT not in Path(line).parents


def test_the_scheduler_of_the_wheel_can_be_imported(python: Path) -> None:
    lies = Path(output_of(python, "-c", "import scheduler; print(scheduler.__file__)"))

    assert CHECKOUT not in lies.parents
