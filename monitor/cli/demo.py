"""`monitor demo`: the newcomer's five minutes, on a market of fake shops."""

import signal
import tempfile
from pathlib import Path
from typing import Annotated

import typer

from monitor.demo.child import NightDied
from monitor.demo.show import Show
from monitor.demo.story import Wanted, run_demo


def register(app: typer.Typer) -> None:
    """Add the command of this module."""
    app.command(epilog="Example: monitor demo --once --dir /tmp/demo")(demo)


def demo(
    once: Annotated[bool, typer.Option("--once", help="End after the summary instead of serving.")] = False,
    port: Annotated[int, typer.Option(min=0, max=65_535, help="Port of the web pages; 0 takes a free one.")] = 0,
    directory: Annotated[
        Path | None, typer.Option("--dir", metavar="DIR", help="Where to keep everything; else a temporary directory.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Draws prices and moves; the same seed tells the same story.")] = 1,
) -> None:
    """Watch seven nights on a market of 30 fake shops, one of them with a killed process.

    Everything is real except the shops and the clock: processes, mail, review page, price file. Nothing outside this
    machine is contacted. Exits with 1 when something did not happen as the demo promises.
    """
    chosen = directory.expanduser().resolve() if directory else Path(tempfile.mkdtemp(prefix="monitor-demo-"))
    show = Show()
    # SIGINT too: a shell starts what it puts into the background with SIGINT ignored.
    previous = {number: signal.signal(number, signal.default_int_handler) for number in (signal.SIGINT, signal.SIGTERM)}
    code = 0
    try:
        code = 0 if run_demo(Wanted(chosen, seed, port, once), show) else 1
    except KeyboardInterrupt:
        code = 0 if not once else 130
    except NightDied as died:
        show.say(str(died))
        code = 1
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)
    show.left(str(chosen))
    raise typer.Exit(code)
