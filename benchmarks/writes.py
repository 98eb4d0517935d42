"""Play the model of approved prices for at least 20,000 steps and print what was played.

    python benchmarks/writes.py [STEPS] [SEED]

The model is `tests/submit_model.py`: decisions, double decisions, crashes before and after commits, pauses beyond a
lease, late answers, newer proposals, drift, restarts, reverts and the shop's faults, checked after every step. It ends
with an error, and hypothesis prints the way there, when a price was written twice or not as approved.
"""

import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis.stateful import run_state_machine_as_test

from tests.submit_model import COUNTED, SubmitModel

#: Steps of one example; its end lets everything settle and looks at the shop.
LENGTH = 50
_SHOWN = (
    "examples",
    "nights",
    "decisions",
    "rounds",
    "crashes",
    "pauses",
    "late replies",
    "faults",
    "drifts",
    "restarts",
    "deletes",
    "stops",
    "offs",
    "locks",
    "calls",
    "changes by us",
)


def main() -> None:
    """Play in portions until there were enough steps."""
    wanted = int(sys.argv[1]) if len(sys.argv) > 1 else 20_000
    number = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    rules = settings(
        max_examples=50,
        stateful_step_count=LENGTH,
        deadline=None,
        database=None,
        phases=[Phase.generate],  # `tests/flow/test_submit_model.py` finds the shortest way to a failure
        suppress_health_check=list(HealthCheck),
    )
    started = time.monotonic()
    while COUNTED["steps"] < wanted:
        run_state_machine_as_test(seed(number)(SubmitModel), settings=rules)
        number += 1
    took = time.monotonic() - started
    print(f"{COUNTED['steps']:,} steps in {took:,.0f} s, none changed a price twice or otherwise than approved")
    print(", ".join(f"{COUNTED[name]:,} {name}" for name in _SHOWN))


if __name__ == "__main__":
    main()
