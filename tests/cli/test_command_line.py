"""The command line as a whole: every command is found, helped and quick to start."""

import subprocess
import sys

import pytest
import typer.main

from monitor.cli import COMMANDS, command_line, modules_for


def test_every_command_is_listed_under_its_module() -> None:
    for module, names in COMMANDS.items():
        group = typer.main.get_command(command_line([module, "setup", "doctor"]))
        own = set(group.commands) - {"init", "next", "doctor"}  # type: ignore[attr-defined]  # it is a group

        assert own | {"init", "next", "doctor"} == {*names, "init", "next", "doctor"}, module


@pytest.mark.parametrize(("arguments", "modules"), [(["run", "--json"], ("night",)), (["--version"], ("setup",))])
def test_a_command_loads_its_own_module_only(arguments: list[str], modules: tuple[str, ...]) -> None:
    assert modules_for(arguments) == modules


@pytest.mark.parametrize("arguments", [[], ["--help"], ["nonsense"]])
def test_the_overview_loads_them_all(arguments: list[str]) -> None:
    assert modules_for(arguments) == tuple(COMMANDS)


def test_the_version_needs_neither_web_nor_database_nor_extractor() -> None:
    code = (
        "import sys; sys.argv = ['monitor', '--version']\n"
        "from monitor.cli import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "print([name for name in ('fastapi', 'sqlalchemy', 'selectolax', 'alembic') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.splitlines()[-1] == "[]"
