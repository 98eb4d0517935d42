"""What every command shares."""

import os
import pty
from datetime import date

import pytest
import typer

from monitor.cli.options import below, day_of, fitted, folded, number_of, say

LINE = "    12  A-1  Approved: 27.90 EUR → 26.90 EUR. By anna@example.com, 2026-11-29 07:30 +0100."


@pytest.mark.parametrize("width", [40, 60, 80])
def test_a_line_is_folded_between_words_and_below_its_own_text(width: int) -> None:
    first, *rest = folded(LINE, width, 8).splitlines()

    assert " ".join([first.strip(), *(line.strip() for line in rest)]).split() == LINE.split()
    assert all(len(line) <= width for line in (first, *rest))
    assert all(line.startswith("        ") and line[8] != " " for line in rest)


def test_a_word_that_is_longer_than_the_terminal_is_left_whole() -> None:
    assert f"{'x' * 60}" in folded(f"key {'x' * 60} end", 40, 4).splitlines()[1]


def test_lines_are_folded_in_a_terminal_only(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    say(LINE)
    assert capsys.readouterr().out == f"{LINE}\n"

    monkeypatch.setenv("COLUMNS", "40")
    ours, theirs = pty.openpty()
    with os.fdopen(theirs, "w", encoding="utf-8") as terminal:
        monkeypatch.setattr("sys.stdout", terminal)
        say(LINE)
        terminal.flush()
        shown = os.read(ours, 1000).decode()
    os.close(ours)
    assert max(map(len, shown.splitlines())) <= 40


def test_errors_keep_their_lines_and_cut_no_word_in_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every mistake of the configuration is a line of its own, and most are longer than a terminal is wide."""
    text = "watches.csv, line 2, sku: 'A' is not in catalogue.csv\nNothing of watches.csv was used"
    monkeypatch.setattr("shutil.get_terminal_size", lambda: os.terminal_size((40, 24)))

    assert fitted(text, err=True) == text
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    assert fitted(text, under=2, err=True).split("\n") == [
        "watches.csv, line 2, sku: 'A' is not in",
        "  catalogue.csv",
        "Nothing of watches.csv was used",
    ]


def test_a_text_of_somebody_else_steers_no_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    say("Mug \x1b[31m \u202e5 \r\a\x9b2J \u00e9 €")

    assert capsys.readouterr().out == "Mug  [31m  5    2J é €\n"


@pytest.mark.parametrize("text", ["x", "-1", "1.5", "٣", "", "1_000", "9" * 19, "9" * 5000])
def test_a_number_is_digits_that_every_database_keeps(text: str) -> None:
    with pytest.raises(typer.BadParameter, match="is no number of a match; it is the one in the first column of"):
        number_of("match", "monitor match list")(text)


def test_the_largest_number_is_read() -> None:
    assert number_of("match", "monitor match list")("9" * 18) == 10**18 - 1


@pytest.mark.parametrize("text", ["", "soon", "2026-02-30", "5.12.2026", "20261205", "2026-12-05T10:00"])
def test_what_is_no_day_is_refused_with_the_form_of_one(text: str) -> None:
    with pytest.raises(typer.BadParameter, match="is no day; write it as 2026-11-29"):
        day_of(text)


@pytest.mark.parametrize("text", ["0001-01-01", "1999-12-31", "3000-01-01", "9999-12-31"])
def test_a_day_around_which_there_are_no_nights_is_refused(text: str) -> None:
    """A day earlier or a time zone further there is no date any more, and that was a stack trace."""
    with pytest.raises(typer.BadParameter, match="is no day from 2000-01-01 to 2999-12-31"):
        day_of(text)


def test_a_day_is_read() -> None:
    assert day_of("2026-12-05") == date(2026, 12, 5)


def test_words_of_a_column_go_on_under_their_beginning_in_a_terminal_only(monkeypatch: pytest.MonkeyPatch) -> None:
    words = "start the mail server, or correct MONITOR_SMTP_URL; reports are kept"
    monkeypatch.setattr("shutil.get_terminal_size", lambda: os.terminal_size((60, 24)))

    assert below(words, 25) == words
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    lines = below(words, 25).split("\n")

    assert lines[0] == "start the mail server, or correct"
    assert lines[1:] == [f"{'':<25}MONITOR_SMTP_URL; reports are kept"]
