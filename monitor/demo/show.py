"""What the demo says while it runs (standard error, one line per event) and at its end (standard output)."""

import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.markup import escape
from rich.padding import Padding
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from monitor.demo.facts import Crash, Ending, Morning, Night
from monitor.demo.market import Market
from monitor.demo.market.moves import Move
from monitor.demo.nights import Progress as Told


class Show:
    """Speaks to the person in front of the terminal, or to a log when there is none."""

    def __init__(self) -> None:
        self._err = Console(stderr=True, highlight=False, soft_wrap=True)
        self._out = Console(highlight=False, soft_wrap=True)

    def say(self, words: str) -> None:
        """Print one line; in a terminal that is too narrow for it the rest stands below, under its beginning."""
        if not self._err.is_terminal:
            self._err.print(words)
            return
        line = words.lstrip("\n")
        indent = len(line) - len(line.lstrip(" "))
        below = Padding(Text.from_markup(line.lstrip(" ")), (len(words) - len(line), 0, 0, indent), expand=False)
        self._err.print(below, soft_wrap=False)

    def market(self, market: Market, postbox_url: str, directory: str) -> None:
        """Say what was set up."""
        self.say(
            f"[bold]Market[/]: {len(market.shops)} shops on 127.0.0.1, {len(market.goods)} products of ours on "
            f"{market.watches()} of their pages (seed {market.seed})"
        )
        self.say(f"[bold]Monitor[/]: configured in {escape(directory)}; mail goes to {postbox_url}")

    @contextmanager
    def night(self, number: int, day: str, moves: tuple[Move, ...]) -> Iterator[Told]:
        """Announce a night and yield what shows its progress: a bar where somebody looks, else nothing."""
        self.say(f"\n[bold]Night {number}[/], {day}: {_happens(moves)}")
        columns = (TextColumn("  {task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
        with Progress(*columns, console=self._err, disable=not sys.stderr.isatty(), transient=True) as progress:
            bar = progress.add_task("starting", total=None)

            def tell(ended: int, total: int) -> None:
                words = "competitors" if total else "starting"
                progress.update(bar, completed=ended, total=total or None, description=words)

            yield tell

    def killed(self, crash: Crash) -> None:
        """Say where the process was when it was killed."""
        self.say(
            f"  [bold red]SIGKILL[/] to process {crash.pid}: {crash.ended} competitors ended, {crash.under_way} under "
            f"way, killed at {crash.shop} step {crash.step}"
        )
        self.say("  starting it again ...")

    def night_done(self, night: Night) -> None:
        """Say what a night brought."""
        status = night.status
        self.say(
            f"  {status.jobs_ended} competitors, {night.read} of {night.watches} watches read, "
            f"{len(night.held)} held, "
            f"{counted(len(status.alerts), 'alert')}, {counted(len(night.proposed), 'proposal')} "
            f"({night.seconds:.1f} s)"
        )
        for alert in status.alerts:
            self.say(f"  [yellow]alert[/] {escape(alert.words)}")
        for held in night.held:
            self.say(f"  [yellow]held[/] {held.sku}: {escape(held.words.removeprefix('held, '))}")
        if night.crash:
            self.say(f"  [bold green]resumed[/] {resumed_words(night.crash)}")

    def morning_done(self, morning: Morning) -> None:
        """Say what came of it in the morning."""
        for subject in morning.subjects:
            self.say(f"  mail: {escape(subject)}")
        if morning.approved or morning.rejected or morning.left:
            self.say(
                f"  Anna approves {morning.approved}, rejects {morning.rejected}, leaves {morning.left}; "
                f"{counted(morning.applied, 'price')} written to the shop"
            )

    def summary(self, ending: Ending, *, mail_url: str, status_url: str, mail_file: str, is_once: bool = False) -> None:
        """Print the end of the story on standard output; of one that ends here only the files, which stay."""
        out = self._out
        out.print(f"\n[bold]Seven nights in {ending.seconds:.0f} seconds[/]")
        out.print(_table(ending))
        for crash in (night.crash for night in ending.nights if night.crash):
            out.print(f"Killed at {crash.shop} step {crash.step} -> resumed at {crash.shop} step {crash.resumed_at}.")
            out.print(
                f"  {len(crash.finished)} pages of finished steps, {len(crash.asked_again)} of them asked for again; "
                f"{counted(crash.repeated, 'interrupted step')} made again; one report, one mail."
            )
        link = ending.link
        out.print(f"Approved over the review link: {link.sku}, {link.before} -> {link.after} in the price file.")
        for promise in ending.problems:
            out.print(f"[bold red]Broken promise[/]: {escape(promise)}")
        rows = {
            "Mail": f"{mail_url}  ({mail_file})",
            "Status": status_url,
            "Review": f"{link.url}  ({counted(max(link.rows - 1, 0), 'proposal')} left for you)",
            "Prices": f"{ending.directory}/var/prices.csv",
        }
        if is_once:
            rows = {"Mail": mail_file, "Prices": rows["Prices"]}
        out.print()
        for name, where in rows.items():
            out.print(f"[bold]{name:<8}[/]{escape(where)}")

    def serving(self, directory: str) -> None:
        """Say that it goes on until interrupted."""
        self.say(f"\nServing until you press Ctrl-C. Everything is kept in {escape(directory)}")

    def left(self, directory: str) -> None:
        """Say what stays behind."""
        self.say(f"Nothing runs any more. Kept, until you remove it: {escape(directory)}")


def resumed_words(crash: Crash) -> str:
    """Say where a killed job went on, and what was not repeated."""
    return (
        f"at {crash.shop} step {crash.resumed_at}, start {crash.starts} of it; steps 1 to {crash.step - 1} were not "
        f"made again, and of {len(crash.finished)} finished pages {len(crash.asked_again)} were asked for again"
    )


def counted(count: int, word: str) -> str:
    """Return `1 alert`, `2 alerts`."""
    return f"{count} {word}" if count == 1 else f"{count} {word}s"


_HAPPENS = {
    "cheaper": "{} rivals are cheaper than we are",
    "sale": "{} sales begin",
    "sold out": "{} sell out",
    "glitch": "{} price is wrong by a factor of ten",
    "new lowest": "{} new lowest rivals",
    "sale over": "{} sales end",
    "sold out over": "{} are back in stock",
    "glitch over": "{} wrong price is put right",
}


def _happens(moves: tuple[Move, ...]) -> str:
    kinds = Counter(move.kind for move in moves)
    return ", ".join(_HAPPENS[kind].format(count) for kind, count in kinds.items()) or "all is quiet"


def _table(ending: Ending) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("night", "shops", "read", "held", "alerts", "proposals", "approved", "applied", "mails"):
        table.add_column(name, justify="left" if name == "night" else "right")
    for night, morning in zip(ending.nights, ending.mornings, strict=True):
        table.add_row(
            night.day.isoformat(),
            str(night.status.jobs_ended),
            f"{night.read} / {night.watches}",
            str(len(night.held)),
            str(len(night.status.alerts)),
            str(len(night.proposed)),
            str(morning.approved),
            str(morning.applied),
            str(len(morning.subjects)),
        )
    return table
