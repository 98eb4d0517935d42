"""One night of the demo in a process of its own: `python -m monitor.demo.night DIR --ahead SECONDS`.

The same as `monitor run --config DIR`, with the clock moved. Exits with 0 when the report is stored.
"""

import argparse
import sys
from datetime import timedelta
from pathlib import Path

from monitor.domain.run import RunState
from monitor.wiring import open_app, run_night


def main() -> int:
    """Run or resume the night that is due by the moved clock."""
    parser = argparse.ArgumentParser(prog="python -m monitor.demo.night", description="One night of the demo.")
    parser.add_argument("directory", type=Path, help="the demo's config directory")
    parser.add_argument(
        "--ahead", type=float, required=True, help="seconds by which the clock is ahead (or behind, < 0)"
    )
    asked = parser.parse_args()
    app = open_app(asked.directory, role="run", ahead=timedelta(seconds=asked.ahead))
    try:
        return 0 if run_night(app).state is RunState.REPORTED else 1
    except KeyboardInterrupt:
        return 1
    finally:
        app.close()


if __name__ == "__main__":
    sys.exit(main())
