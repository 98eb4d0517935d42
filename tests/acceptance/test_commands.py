"""Every public command explains itself: help with an example, and facts as JSON where it prints facts."""

import re
from collections.abc import Iterator

import pytest
import typer.main
from typer.core import TyperCommand, TyperGroup, TyperOption
from typer.testing import CliRunner

from monitor.cli import COMMANDS, command_line, modules_for

#: Commands that print no facts: they serve, work or show until they are stopped.
WITHOUT_FACTS = {"scheduler", "web", "up", "demo"}


def commands(group: TyperGroup, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], TyperCommand]]:
    """Yield every command of a group with the words that call it."""
    for name, command in sorted(group.commands.items()):
        if isinstance(command, TyperGroup):
            yield from commands(command, (*path, name))
        elif isinstance(command, TyperCommand) and not command.hidden:
            yield (*path, name), command


app = command_line()
_root = typer.main.get_command(app)
assert isinstance(_root, TyperGroup)
EVERY = list(commands(_root))


@pytest.mark.parametrize(("words", "command"), EVERY, ids=[" ".join(words) for words, _ in EVERY])
def test_a_command_has_help_with_an_example_and_json(words: tuple[str, ...], command: TyperCommand) -> None:
    """The example calls this very command, every option is explained, and facts come as JSON too."""
    shown = CliRunner().invoke(app, [*words, "--help"], env={"COLUMNS": "400", "NO_COLOR": "1"})

    assert shown.exit_code == 0
    assert command.help
    assert re.findall(r"\[[a-z_./]+\]", command.help) == [], "the terminal takes it for a style and leaves it out"
    (example,) = re.findall(r"Example: (.*\S)", shown.output)
    assert f"monitor {' '.join(words)}" in example
    options = {name: option for option in command.params if isinstance(option, TyperOption) for name in option.opts}
    assert [name for name, option in options.items() if not option.help] == []
    unknown = [word for word in example.split() if word.startswith("--") and word.partition("=")[0] not in options]
    assert unknown == [], "the example uses options that there are"
    if words[0] not in WITHOUT_FACTS:
        assert "--json" in options


def test_the_module_of_a_command_is_found_without_loading_the_others() -> None:
    """What the overview lists and what a command line loads are the same commands."""
    assert {words[0] for words, _ in EVERY} == {name for names in COMMANDS.values() for name in names}
    for words, _ in EVERY:
        (module,) = modules_for(words)
        assert words[0] in COMMANDS[module]


def test_the_commands_of_the_design_are_there() -> None:
    """Whatever is renamed, these are what the documents and other programs call."""
    known = {" ".join(words) for words, _ in EVERY}
    assert known >= {
        "init",
        "next",
        "doctor",
        "check",
        "extract",
        "catalogue import",
        "watches import",
        "run",
        "up",
        "scheduler",
        "web",
        "migrate",
        "status",
        "runs",
        "actions",
        "approve",
        "reject",
        "job show",
        "pricing check",
    }
