"""Processor time that the start of a command takes, beside the same with the collector of cycles running meanwhile.

    python benchmarks/start.py [--rounds 7]

Each command runs in a process of its own and does nothing but print; the two ways take turns, after one start of each
that is not counted. The least of the rounds, user and system time together.
"""

import argparse
import os
import resource
import subprocess
import sys
from collections.abc import Sequence

COMMANDS = (("--version",), ("status", "--help"), ("run", "--help"))
AS_IT_IS = "from monitor.cli import main; main()"
#: What `monitor.cli` does to the collector while modules load, undone.
COLLECTING = "import gc; gc.disable = gc.freeze = lambda: None; " + AS_IT_IS


def seconds(program: str, words: Sequence[str]) -> float:
    """Return the processor time of one start in seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-c", program, *words]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=os.environ | {"COLUMNS": "100"})
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=7)
    rounds = parser.parse_args().rounds
    print(f"{'':24}{'CPU s':>8}{'with the collector':>22}")
    for words in COMMANDS:
        both = [(seconds(AS_IT_IS, words), seconds(COLLECTING, words)) for _ in range(rounds + 1)][1:]
        ours, collecting = (min(each) for each in zip(*both, strict=True))
        print(f"{'monitor ' + ' '.join(words):24}{ours:8.2f}{collecting:22.2f}")


if __name__ == "__main__":
    main()
