"""Modules are loaded without the collector of cycles, which runs again when a command begins, whatever happens.

Ctrl-C ends a command in one line and with 130 from the first moment.
"""

import gc
import subprocess
import sys

import pytest
import typer

from monitor import cli


@pytest.mark.parametrize("fault", [None, ImportError("a broken installation")])
def test_the_collector_rests_while_modules_load_and_runs_afterwards(
    fault: ImportError | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran: dict[str, bool] = {}

    def load(_modules: object) -> object:
        ran["loading"] = gc.isenabled()
        if fault:
            raise fault
        return lambda: ran.update(command=gc.isenabled())

    monkeypatch.setattr(cli, "command_line", load)
    monkeypatch.setattr(sys, "argv", ["monitor", "status"])
    if fault:
        with pytest.raises(ImportError, match="a broken installation"):
            cli.main()
    else:
        cli.main()

    assert ran == ({"loading": False} if fault else {"loading": False, "command": True})
    assert gc.isenabled()


#: Presses Ctrl-C when a module is about to be loaded.
_PRESSED = """
import os, signal, sys

class Pressing:
    def find_spec(self, name, *_):
        if name == {module!r}:
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Pressing())
signal.signal(signal.SIGINT, signal.default_int_handler)  # as in a terminal; in the background of a shell it is ignored
sys.argv = ["monitor", "status"]
from monitor.cli import main
main()
"""


@pytest.mark.parametrize("module", ["typer", "sqlalchemy.engine"])
def test_ctrl_c_while_modules_load_is_one_line_and_130(module: str) -> None:
    ended = subprocess.run([sys.executable, "-c", _PRESSED.format(module=module)], capture_output=True, text=True)

    assert (ended.returncode, ended.stdout) == (130, "")
    assert ended.stderr == "Stopped before anything was done.\n"


@pytest.mark.parametrize(("words", "told"), [(None, "Stopped.\n"), ("Stopped. `monitor run` goes on.", "")])
def test_ctrl_c_in_a_command_is_one_line_and_130(
    words: str | None, told: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    app = typer.Typer()

    @app.command()
    def work() -> None:
        try:
            raise KeyboardInterrupt
        except KeyboardInterrupt:
            if words is None:
                raise
            typer.echo(words, err=True)
            raise typer.Exit(130) from None

    monkeypatch.setattr(cli, "command_line", lambda _modules: app)
    monkeypatch.setattr(sys, "argv", ["monitor"])

    with pytest.raises(SystemExit) as ended:
        cli.main()

    assert ended.value.code == 130
    assert capsys.readouterr().err == (told or f"{words}\n")
