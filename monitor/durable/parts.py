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
        StoreUnavailable: at once, since every other part would find the database away as well.
        ExceptionGroup: what the parts raised that failed, after all were done.
        Exception: what the only one raised that failed.
    """
    failures: list[Exception] = []
    for part in parts:
        try:
            part()
        except StoreUnavailable:
            raise
        except Exception as failed:
            failures.append(failed)
    if len(failures) > 1:
        raise ExceptionGroup(f"{len(failures)} of {len(parts)} parts failed, the others were done", failures)
    if failures:
        raise failures[0]
