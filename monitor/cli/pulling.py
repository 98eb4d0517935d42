"""`monitor catalogue pull`: our own products and prices from the shop's own API into catalogue.csv."""

from typing import Annotated

import typer

from monitor.cli.intake_view import show_import
from monitor.cli.options import AsJson, ConfigDir
from monitor.settings import load
from monitor.settings.intake import apply_intake

DryRun = Annotated[bool, typer.Option("--dry-run", help="Say what would change and write nothing.")]


def register(catalogue: typer.Typer) -> None:
    """Add the command to `monitor catalogue`."""
    catalogue.command("pull", epilog="Example: monitor catalogue pull --dry-run")(pull)


def pull(dry_run: DryRun = False, config: ConfigDir = None, as_json: AsJson = False) -> None:
    """Take every product of your Shopify or WooCommerce shop into catalogue.csv, by sku.

    Price, compare-at price, cost, stock and words come from the shop. What you wrote beside them (limits, groups,
    weekly units) stays. What cannot be bought is set inactive when it was known. Nothing is changed in the shop. Every
    night begins with the shop's current prices by itself; pull when products come and go.
    """
    from monitor.wiring.pulling import pulled  # not above: a wrong configuration is told before adapters load

    found = apply_intake(pulled(load(config)), config, dry_run=dry_run)
    show_import(found, dry_run=dry_run, as_json=as_json)
