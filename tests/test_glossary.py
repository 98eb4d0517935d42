"""Every word of the glossary is a name that exists, and nothing is called by a word that is not used."""

import re
from pathlib import Path
from pkgutil import resolve_name

import pytest

CHECKOUT = Path(__file__).resolve().parents[1]
GLOSSARY = (CHECKOUT / "docs" / "glossary.md").read_text()
ROWS = re.findall(r"^\| ([A-Z][^|]+?) \| (.+?) \| `(monitor[\w.]*)` \|$", GLOSSARY, re.MULTILINE)
FORBIDDEN = {"task", "manager", "handler", "helper", "helpers", "util", "utils", "data"}


@pytest.mark.parametrize(("word", "name"), [(word, name) for word, _, name in ROWS])
def test_a_word_of_the_glossary_is_in_the_code(word: str, name: str) -> None:
    assert resolve_name(name) is not None, f"{word}: {name} does not exist"


def test_every_word_has_one_sentence_and_stands_once() -> None:
    words = [word for word, _, _ in ROWS]
    lines = [line for line in GLOSSARY.splitlines() if line.startswith("| ") and not line.startswith("| word |")]
    assert len(words) == len(set(words)) == len(lines)
    assert all(meaning.endswith(".") and ". " not in meaning for _, meaning, _ in ROWS)


def test_no_module_is_called_by_a_word_that_means_anything() -> None:
    modules = [path.relative_to(CHECKOUT) for path in (CHECKOUT / "monitor").rglob("*.py")]
    assert not [str(path) for path in modules if FORBIDDEN & set(path.with_suffix("").parts)]
