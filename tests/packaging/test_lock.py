"""The locks pin everything that pyproject.toml asks for, by hash, and name no index."""

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

CHECKOUT = Path(__file__).resolve().parents[2]
PROJECT: dict[str, Any] = tomllib.loads((CHECKOUT / "pyproject.toml").read_text())
LOCKS = ["requirements.lock", "requirements-dev.lock", "requirements-build.lock"]
FIX = "run: make lock"


def pins(lock: str) -> dict[str, tuple[Requirement, list[str]]]:
    """Return each pinned package with its hashes."""
    joined = (CHECKOUT / lock).read_text().replace("\\\n", " ")
    lines = [line for line in joined.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    found: dict[str, tuple[Requirement, list[str]]] = {}
    for line in lines:
        requirement = Requirement(line.partition(" --hash=")[0])
        found[canonicalize_name(requirement.name)] = (requirement, re.findall(r"--hash=(\S+)", line))
    return found


def group(name: str) -> list[str]:
    asked = PROJECT["dependency-groups"][name]
    nested = [group(entry["include-group"]) for entry in asked if isinstance(entry, dict)]
    return [entry for entry in asked if isinstance(entry, str)] + [one for many in nested for one in many]


RUNTIME = PROJECT["project"]["dependencies"] + PROJECT["project"]["optional-dependencies"]["postgres"]
ASKED = {
    "requirements.lock": RUNTIME,
    "requirements-dev.lock": RUNTIME + group("dev"),
    "requirements-build.lock": PROJECT["build-system"]["requires"],
}


@pytest.mark.parametrize("lock", LOCKS)
def test_a_lock_pins_everything_that_is_asked_for(lock: str) -> None:
    pinned = pins(lock)
    for text in ASKED[lock]:
        asked = Requirement(text)
        name = canonicalize_name(asked.name)
        assert name in pinned, f"{lock} lacks {name}; {FIX}"
        (version,) = [spec.version for spec in pinned[name][0].specifier]
        assert asked.specifier.contains(version, prereleases=True), f"{lock}: {name}=={version}; {FIX}"


@pytest.mark.parametrize("lock", LOCKS)
def test_everything_in_a_lock_is_one_exact_version_with_hashes(lock: str) -> None:
    for name, (requirement, hashes) in pins(lock).items():
        assert [spec.operator for spec in requirement.specifier] == ["=="], name
        assert hashes, name
        assert all(re.fullmatch(r"sha256:[0-9a-f]{64}", value) for value in hashes), name


@pytest.mark.parametrize("lock", LOCKS)
def test_a_lock_names_no_index_and_no_path(lock: str) -> None:
    text = (CHECKOUT / lock).read_text()
    assert not re.search(r"://|^\s*-(?!-hash)|\s@\s|^[./]", text, re.MULTILINE)


def test_the_locks_agree_with_each_other() -> None:
    everything = pins("requirements-dev.lock")
    for lock in LOCKS:
        for name, (requirement, hashes) in pins(lock).items():
            assert everything[name] == (requirement, hashes), name


def test_the_build_tools_are_what_the_build_asks_for() -> None:
    assert group("build") == PROJECT["build-system"]["requires"]
