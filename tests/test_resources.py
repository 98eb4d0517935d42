"""Templates and configuration are found in the operator's folder, the wheel or the checkout."""

from pathlib import Path

import pytest

from monitor import resources
from monitor.errors import Misconfigured

CHECKOUT = Path(resources.__file__).resolve().parents[1]


@pytest.fixture(autouse=True)
def no_folder_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MONITOR_RESOURCES", raising=False)


@pytest.fixture
def own_folder(tmp_path: Path) -> Path:
    (tmp_path / "templates").mkdir()
    (tmp_path / "templates" / "email.html").write_text("ours")
    return tmp_path


def test_the_checkout_is_used_when_nothing_else_is_named() -> None:
    assert resources.find("config") == CHECKOUT / "config"


def test_the_operators_folder_comes_first(own_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MONITOR_RESOURCES", str(own_folder))

    assert resources.find("templates/email.html").read_text() == "ours"


def test_what_the_operators_folder_lacks_comes_from_the_defaults(own_folder: Path) -> None:
    assert resources.find("config", override=own_folder) == CHECKOUT / "config"


def test_every_folder_of_templates_is_searched_the_operators_first(own_folder: Path) -> None:
    assert resources.find_all("templates", override=own_folder) == (
        own_folder / "templates",
        CHECKOUT / "templates",
    )


def test_a_missing_file_names_every_place_that_was_looked_at(own_folder: Path) -> None:
    with pytest.raises(Misconfigured) as missing:
        resources.find("templates/missing.html", override=own_folder)

    words = str(missing.value)
    assert str(own_folder / "templates" / "missing.html") in words
    assert str(CHECKOUT / "monitor" / "_files" / "templates" / "missing.html") in words
    assert str(CHECKOUT / "templates" / "missing.html") in words
    assert "MONITOR_RESOURCES" in words


@pytest.mark.parametrize("relative", ["", "secrets.env", "/etc/passwd", "templates/../pyproject.toml", "monitor/x"])
def test_a_path_that_leads_elsewhere_is_refused(relative: str) -> None:
    with pytest.raises(ValueError, match="not a path under"):
        resources.find(relative)
