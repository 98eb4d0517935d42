"""Parts of a round that do not hold each other up.

The sweep and the errands do many small things one after the other, for ever. A defect in one of them, such as an alert
that cannot be rendered, must not keep the others from their turn until somebody has mended it: it is told, every round,
and the others are done.
"""

from collections.abc import Callable

from monitor.errors import StoreUnavailable


def every_part(*parts: Callable[[], object]) -> None:
    """Do every part, also when one before it fails.

    Raises:
        StoreUnavailable: the first thing that went wrong, at once: every other part would find the database away too.
        ExceptionGroup: what the parts raised that failed, after all were done or the database went away.
        Exception: what the only one raised that failed.
    """
    failures: list[Exception] = []
    done = 0
    for part in parts:
        try:
            part()
            done += 1
        except StoreUnavailable as away:
            failures.append(away)
            break
        except Exception as failed:
            failures.append(failed)
    if len(failures) == 1:
        raise failures[0]
    if failures:
        left = len(parts) - done - len(failures)
        raise ExceptionGroup(f"{len(failures)} of {len(parts)} parts failed, done: {done}, left: {left}", failures)
