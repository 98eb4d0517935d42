"""The command line as a whole: every command is found, helped and quick to start."""

import subprocess
import sys
from collections.abc import Iterator
from typing import Any

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


def test_the_paragraphs_of_a_help_text_have_no_line_ends_of_their_own() -> None:
    """A terminal of another width than the docstring's would break each line twice."""

    def texts(group: Any) -> Iterator[str]:
        for command in group.commands.values():
            yield from texts(command) if hasattr(command, "commands") else [command.help or ""]

    found = list(texts(typer.main.get_command(command_line())))

    assert len(found) > 50
    assert not [text for text in found if "\n" in text.replace("\n\n", "")]
