"""Where `templates/` and `config/` are: in the operator's own folder, in the installed wheel or in the checkout.

The operator's folder is named by `MONITOR_RESOURCES` and laid out like the checkout (`templates/…`, `config/…`). It
needs to hold only what differs: whatever it lacks is taken from the wheel or the checkout.
"""

import os
from pathlib import Path, PurePosixPath

from monitor.errors import Misconfigured

#: Names the operator's folder; empty or absent means that there is none.
VARIABLE = "MONITOR_RESOURCES"

_PACKAGE = Path(__file__).resolve().parent
_TOP_FOLDERS = ("templates", "config")


def find(relative: str, override: Path | None = None) -> Path:
    """Return the path of a file or folder, for example `templates/email.html`.

    Args:
        relative: with forward slashes, under `templates` or `config`.
        override: the operator's folder; by default the one that `MONITOR_RESOURCES` names.

    Raises:
        Misconfigured: it is in none of the places; the words name each one that was looked at.
        ValueError: `relative` leads elsewhere, which no setting can put right.
    """
    candidates = _candidates(relative, override)
    found = next((path for path in candidates if path.exists()), None)
    if found is None:
        looked_at = ", ".join(str(path) for path in candidates)
        raise Misconfigured(
            [
                f"{relative} was not found. Looked at: {looked_at}. Install the package again, or point {VARIABLE} "
                "at a folder that holds it."
            ]
        )
    return found


def find_all(relative: str, override: Path | None = None) -> tuple[Path, ...]:
    """Return every place that has it, the one to prefer first; a search path for a folder of templates.

    Raises:
        ValueError: `relative` leads elsewhere than `templates` or `config`.
    """
    return tuple(path for path in _candidates(relative, override) if path.exists())


def _candidates(relative: str, override: Path | None) -> list[Path]:
    pure = PurePosixPath(relative)
    if pure.is_absolute() or ".." in pure.parts or pure.parts[:1] not in [(name,) for name in _TOP_FOLDERS]:
        raise ValueError(f"{relative!r} is not a path under templates/ or config/")
    return [root / pure for root in _roots(override)]


def _roots(override: Path | None) -> list[Path]:
    named = override or (Path(os.environ[VARIABLE]) if os.environ.get(VARIABLE) else None)
    roots = [named] if named else []
    roots.append(_PACKAGE / "_files")
    # Beside an installed package lie other packages, and one of them may have a folder named config.
    if (_PACKAGE.parent / "pyproject.toml").is_file():
        roots.append(_PACKAGE.parent)
    return roots
