"""`monitor doctor`: what is right, what is doubtful and what is wrong with an installation, and what to do.

The judgements are pure functions of settings and `now`; what needs the outside world comes in as probes by name,
each of which returns what it found in words or raises what is wrong. A doctor examines the broken, so nothing that a
probe raises stops the others.
"""

import os
import stat
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from enum import StrEnum
from itertools import islice
from pathlib import Path

import typer

from monitor.cli.options import AsJson, ConfigDir, below, first_of, print_json
from monitor.cli.setup import night_words
from monitor.domain.address import target
from monitor.domain.catalogue import Competitor, RobotsPolicy
from monitor.domain.lock import WriteStop
from monitor.domain.night import coming
from monitor.errors import Misconfigured, MonitorError
from monitor.settings import Settings, find, load
from monitor.settings.environment import unknown_variables
from monitor.settings.load import RULES_TOML
from monitor.settings.rules_file import rules_in_force

Probe = Callable[[], str]

#: What to do when a probe fails whose words do not say it.
_ADVICE = {
    "database": "start its server or put its file right, correct MONITOR_DATABASE_URL, or run: monitor migrate",
    "broker": "start Redis or Valkey, or correct MONITOR_REDIS_URL; the nights wait until it answers",
    "smtp": "start the mail server, or correct MONITOR_SMTP_URL; reports are kept and sent when it answers",
    "shop": "correct the section [shop] of monitor.toml; no price is written until it answers",
    "notify": "correct MONITOR_ALERT_URLS, then try it: monitor notify test",
    "web": "stop what has it, or set another web.port in monitor.toml; nights go on, but no page is served",
    "browser": 'install what is missing, or set fetch = "plain" for these shops; until then their nights read nothing',
    "public_url": "correct review.public_url in monitor.toml",
}


class Verdict(StrEnum):
    """How a check ended."""

    OK = "ok"  #: as it should be
    WARN = "warn"  #: works, but look at it
    FAIL = "fail"  #: does not work


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at."""

    name: str
    verdict: Verdict
    words: str
    advice: str | None = None  #: what to do


def register(app: typer.Typer) -> None:
    """Add the command of this module."""
    app.command(epilog="Example: monitor doctor --config shop")(doctor)


def doctor(config: ConfigDir = None, as_json: AsJson = False) -> None:
    """Check configuration, schedule, secrets and every service, and say what to do about what is wrong.

    Nothing is changed and no mail is sent. Exits with 0 when nothing fails, 1 when something does, 2 when the
    configuration itself is wrong.
    """
    try:
        found = list(examine(config))
    except Misconfigured as wrong:
        *others, last = wrong.problems
        found = [Check("configuration", Verdict.FAIL, problem) for problem in others]
        advice = f"correct {'them' if others else 'it'}; nothing else was examined"
        found.append(Check("configuration", Verdict.FAIL, last, advice))
        _show(found, as_json=as_json)
        raise typer.Exit(2) from None
    _show(found, as_json=as_json)
    if any(check.verdict is Verdict.FAIL for check in found):
        raise typer.Exit(1)


def examine(config: Path | None) -> Iterator[Check]:
    """Yield every check of an installation; raises Misconfigured when there is nothing to examine."""
    settings = load(config)
    from monitor.web.own_port import port_words
    from monitor.wiring import (
        probes,
        without_row,
        write_stop,
    )  # not above: a wrong configuration is told before adapters load

    told = tuple(judged(settings, datetime.now(UTC)))
    yield from told
    yield from stopped(write_stop(settings))
    yield from unlisted(without_row(settings), settings.price_file)
    yield from secret_checks(settings, find(config, os.environ) / ".env", os.environ)
    doubted = {check.name for check in told if check.verdict is not Verdict.OK}
    asked = probes(settings) | {"web": lambda: port_words(settings.web.host, settings.web.port)}
    yield from probed({name: probe for name, probe in asked.items() if name not in doubted})


def judged(settings: Settings, now: datetime) -> Iterator[Check]:
    """Yield what settings alone tell."""
    yield _configuration(settings)
    yield from _competitor_checks(settings)
    yield from _rules_checks(settings)
    yield from _night_checks(settings, now)
    yield from _mail_checks(settings)
    yield _writes(settings)


def stopped(stop: WriteStop | None) -> Iterator[Check]:
    """Yield a warning while somebody's kill switch holds every write back."""
    if stop is not None:
        why = f" ({stop.reason})" if stop.reason else ""
        words = f"all writes are stopped by {stop.by} since {stop.at.isoformat(timespec='minutes')}{why}"
        yield Check("kill switch", Verdict.WARN, words, "when it is right again: monitor writes resume")


def unlisted(skus: Sequence[str], price_file: Path) -> Iterator[Check]:
    """Yield a warning about products that the price file does not have, so that no price of theirs is written."""
    if skus:
        words = f"{price_file} has no row for {first_of(skus)}: what you approve for them is not written"
        yield Check("price file", Verdict.WARN, words, "add a row sku,price,currency for each that your shop sells")


def probed(probes: Mapping[str, Probe]) -> Iterator[Check]:
    """Yield what each probe found."""
    for name, probe in probes.items():
        try:
            yield Check(name, Verdict.OK, probe())
        except MonitorError as wrong:
            yield Check(name, Verdict.FAIL, str(wrong), _ADVICE.get(name))
        except Exception as wrong:  # a broken check is a finding, not the end of the examination
            yield Check(name, Verdict.FAIL, f"{type(wrong).__name__}: {wrong}", _ADVICE.get(name))


def secret_checks(settings: Settings, env_file: Path, environ: Mapping[str, str]) -> Iterator[Check]:
    """Yield how the secrets are kept; that they are strong enough was checked when they were loaded."""
    keys = len(settings.secrets.keys)
    words = f"{keys} signing key{'s' if keys > 1 else ''}, long enough and no placeholder"
    if env_file.exists() and (mode := stat.S_IMODE(env_file.stat().st_mode)) & 0o077:
        words = f"{env_file} can be read by others on this machine (mode {mode:04o})"
        yield Check("secrets", Verdict.WARN, words, f"run: chmod 600 {env_file}")
    else:
        yield Check("secrets", Verdict.OK, words)
    if settings.secrets.api_token is None:
        yield Check("secrets", Verdict.WARN, "MONITOR_API_TOKEN is not set", "set it to use the HTTP API with a token")
    for name, meant in unknown_variables(environ):
        yield Check("environment", Verdict.WARN, f"{name} is set but nothing reads it{meant}", "correct or remove it")


def _configuration(settings: Settings) -> Check:
    catalogue = settings.catalogue
    words = (
        f"{settings.config_dir}: {len(catalogue.competitors)} competitors, {len(catalogue.products)} products, "
        f"{len(catalogue.watches)} watches"
    )
    if not catalogue.watches:
        advice = "name a shop in competitors.toml, then: monitor catalogue import, monitor watches import"
        return Check("configuration", Verdict.WARN, f"{words}; a night has nothing to look at", advice)
    return Check("configuration", Verdict.OK, words)


def _overruled(name: str, shop: Competitor, reason: str) -> Check:
    if shop.robots is RobotsPolicy.IGNORE:
        return Check(name, Verdict.WARN, f"its robots.txt is ignored: {reason}", "remove robots to obey it again")
    paths = ", ".join(shop.allow) or "nothing"
    return Check(
        name, Verdict.WARN, f"its robots.txt is overruled for {paths}: {reason}", "remove allow to obey it again"
    )


def _competitor_checks(settings: Settings) -> Iterator[Check]:
    for shop in settings.catalogue.competitors:
        count, name = len(settings.catalogue.watches_of(shop.id)), f"competitor {shop.id}"
        if shop.enabled and not count:
            yield Check(name, Verdict.WARN, "no watch names it, so it is not visited", "add one or disable it")
        if shop.enabled and shop.platform == "pages" and count > shop.tool_calls:
            words = f"{count} watches but {shop.tool_calls} tool calls a night; the others are read on later nights"
            yield Check(
                name, Verdict.WARN, words, "raise tool_calls, or set platform to the shop's own when it has one"
            )
        if reason := settings.robots_reasons.get(shop.id):
            yield _overruled(name, shop, reason)
    public = [
        shop for shop in settings.catalogue.competitors if target(shop.base_url).authority not in shop.allow_addresses
    ]
    if public and not settings.fetch.contact:
        words = "fetch.contact is empty, so shops cannot reach you before they block you"
        yield Check("contact", Verdict.WARN, words, "give a page or a mail address in monitor.toml")


def _rules_checks(settings: Settings) -> Iterator[Check]:
    file = settings.config_dir / RULES_TOML
    if not file.exists():
        words = (
            f"there is no {RULES_TOML} in {settings.config_dir}, so prices are read and reported and none is proposed"
        )
        yield Check(
            "rules",
            Verdict.WARN,
            words,
            "write one as docs/pricing.md describes it; one to copy: monitor init DIR, with a new DIR",
        )
    elif not rules_in_force(settings).rules:
        words = f"{RULES_TOML} holds no [[rules]], so prices are read and reported and none is proposed"
        yield Check("rules", Verdict.WARN, words, "write one as docs/pricing.md describes it")


def _night_checks(settings: Settings, now: datetime) -> Iterator[Check]:
    schedule = settings.plan.schedule
    if any(shown.is_default for shown in settings.shown if (shown.section, shown.key) == ("night", "zone")):
        words = f"night.zone is not set, so nights begin at {schedule.at:%H:%M} {schedule.zone}"
        advice = 'set zone = "Europe/Berlin", or your own, in [night] of monitor.toml'
        yield Check("nights", Verdict.WARN, words, advice)
    nights = list(islice(coming(now, schedule), 400))
    lines = "\n".join(night_words(night, schedule) for night in nights[:3])
    yield Check("nights", Verdict.OK, f"the next ones in {schedule.zone}:\n{lines}")
    if odd := next((night for night in nights if night.oddity), None):
        yield Check("nights", Verdict.OK, f"the next odd one: {night_words(odd, schedule)}")


def _mail_checks(settings: Settings) -> Iterator[Check]:
    mail, public_url = settings.plan.mail, settings.plan.review.public_url
    if not mail.recipients:
        yield Check("mail", Verdict.WARN, "no recipients, so reports are stored only", "set mail.recipients")
        return
    if settings.smtp is None:
        words = f"{len(mail.recipients)} recipients, but MONITOR_SMTP_URL names no mail server"
        yield Check("mail", Verdict.FAIL, words, "set MONITOR_SMTP_URL, or empty mail.recipients to only store reports")
    else:
        yield Check("mail", Verdict.OK, f"to {', '.join(mail.recipients)}, not before {mail.not_before:%H:%M}")
    if target(public_url).host in {"127.0.0.1", "localhost", "::1"}:
        words = f"links in the mail begin with {public_url}, which opens on this machine only"
        yield Check("public_url", Verdict.WARN, words, "set review.public_url to an address your readers reach")


def _writes(settings: Settings) -> Check:
    if not settings.plan.writes.enabled:
        return Check("writes", Verdict.OK, "dry run: approved prices are recorded and not written (writes.enabled)")
    where = settings.price_file if settings.shop.url is None else settings.shop.url
    return Check("writes", Verdict.OK, f"approved prices are written to {where}")


def _show(found: list[Check], *, as_json: bool) -> None:
    if as_json:
        failed = any(check.verdict is Verdict.FAIL for check in found)
        print_json({"ok": not failed, "checks": [asdict(check) for check in found]})
        return
    colours = {Verdict.OK: typer.colors.GREEN, Verdict.WARN: typer.colors.YELLOW, Verdict.FAIL: typer.colors.RED}
    for check in found:
        mark = typer.style(f"{check.verdict:<5}", fg=colours[check.verdict])
        told = check.words.split("\n") + ([check.advice] if check.advice and check.verdict is not Verdict.OK else [])
        first, *rest = (below(words, 25) for words in told)
        typer.echo(f"{mark} {check.name:<18} {first}")
        for words in rest:
            typer.echo(f"{'':<25}{words}")
