"""`monitor notify`: try the channels that alerts go to."""

from collections.abc import Iterator
from typing import Any

import typer

from monitor.cli.options import AsJson, ConfigDir, print_json
from monitor.errors import MonitorError

commands = typer.Typer(help="Try the channels that alerts go to.", no_args_is_help=True)


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.add_typer(commands, name="notify")


@commands.command("test", epilog="Example: monitor notify test --config shop")
def try_channels(config: ConfigDir = None, as_json: AsJson = False) -> None:
    """Send one notice to every channel of MONITOR_ALERT_URLS, now, whatever the quiet hours.

    Exits with 0 when every channel took it, 1 when one did not or there is none.
    """
    found = list(_tried(config))
    if as_json:
        print_json({"channels": found})
    for one in [] if as_json else found:
        mark = typer.style("ok  ", fg="green") if one["taken"] else typer.style("FAIL", fg="red")
        typer.echo(f"{mark} channel {one['channel']}{'' if one['taken'] else ': ' + one['error']}")
    if not found and not as_json:
        typer.echo("No channel is set. Put addresses into MONITOR_ALERT_URLS, such as ntfys://ntfy.sh/topic", err=True)
    if not found or not all(one["taken"] for one in found):
        raise typer.Exit(1)


def _tried(config: Any) -> Iterator[dict[str, Any]]:
    from monitor.settings import load  # not above: `monitor --help` loads neither settings nor adapters
    from monitor.wiring.channels import channels_of

    settings = load(config)
    channels, brand = channels_of(settings), settings.plan.mail.brand
    for place in range(1, len(channels) + 1):
        error = None
        try:
            channels.tell(place, f"[{brand}] Test", "This is a test of the alerts of the price monitor. All is well.")
        except MonitorError as refused:
            error = str(refused)
        yield {"channel": place, "taken": error is None, "error": error}
