"""What every command shares: the options that are always there, and how facts are printed."""

import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

ConfigDir = Annotated[
    Path | None,
    typer.Option("--config", metavar="DIR", help="The config directory; else MONITOR_CONFIG, else ./config."),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, and nothing else, on standard output.")]


def print_json(facts: Any) -> None:
    """Print facts as JSON on standard output."""
    sys.stdout.write(json.dumps(facts, ensure_ascii=False, indent=2) + "\n")
