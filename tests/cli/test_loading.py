"""Modules are loaded without the collector of cycles, which runs again when a command begins, whatever happens."""

import gc
import sys

import pytest

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
