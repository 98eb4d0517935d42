"""In which order the files of tests begin when several run at once.

A file stays with one worker, so that what it starts is started once. The long ones mostly wait, for processes, leases
and restarts, and the short ones compute: side by side they use the processors evenly. The longest begin first, so that
at the end nobody waits for one of them.
"""

from collections.abc import Mapping, Sequence

#: Seconds that a file takes where it is far more than its tests let expect; roughly, on two processors.
KNOWN_S = {
    "tests/chaos/test_chaos_command.py": 280,
    "tests/chaos/test_storms.py": 220,
    "tests/packaging/test_docker.py": 110,
    "tests/demo/test_demo.py": 110,
    "tests/chaos/test_every_boundary.py": 100,
    "tests/chaos/test_zombies.py": 100,
    "tests/acceptance/test_embedded.py": 95,
    "tests/browser/test_pages.py": 65,
    "tests/acceptance/test_newcomer.py": 60,
    "tests/acceptance/test_up.py": 60,
    "tests/acceptance/test_distributed.py": 60,
    "tests/durable/test_suspect.py": 60,
    "tests/chaos/test_clock.py": 50,
}
#: Seconds that a test may take, otherwise.
SLOW_S, FAST_S = 3.0, 0.1
#: A file of so many seconds is a long one.
LONG_S = 9.0


def in_order(files: Mapping[str, float]) -> list[str]:
    """Return the files, each with its seconds, as they should begin."""
    longest_first = sorted(files, key=lambda file: (-files[file], file))
    long = [file for file in longest_first if files[file] >= LONG_S]
    short = [file for file in longest_first if files[file] < LONG_S]
    all_long, all_short = (sum(files[file] for file in some) for some in (long, short))
    ordered: list[str] = []
    done_long = done_short = 0.0
    while long or short:
        if long and (not short or done_long * all_short <= done_short * all_long):
            ordered.append(long.pop(0))
            done_long += files[ordered[-1]]
        else:
            ordered.append(short.pop(0))
            done_short += files[ordered[-1]]
    return ordered


def seconds_of(tests: Sequence[tuple[str, bool]]) -> dict[str, float]:
    """Return the seconds of each file, from its tests: for each its file, and whether it is slow."""
    seconds: dict[str, float] = {}
    for file, is_slow in tests:
        seconds[file] = seconds.get(file, 0.0) + (SLOW_S if is_slow else FAST_S)
    return {file: max(KNOWN_S.get(file, 0.0), counted) for file, counted in seconds.items()}
