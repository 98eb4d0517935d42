"""Subject lines: the night's result in about sixty characters, without a word that a shop wrote.

Plain ASCII but for the operator's own brand, so that no gateway and no phone garbles them.
"""

from datetime import date
from decimal import ROUND_HALF_UP, Decimal

from monitor.domain.message import AlertKind
from monitor.domain.report.clean import ascii_clean, clean
from monitor.domain.report.view import Level, Needs, Report, Trust
from monitor.domain.report.wording import counted, day

_SUBJECT_LIMIT = 150
_BRAND_LIMIT = 40

#: What an alert is about, in its subject and at its head.
ALERT_HEADLINES = {
    AlertKind.BUDGET: "A budget was spent",
    AlertKind.DEADLINE: "The night has no report",
    AlertKind.COVERAGE: "Too few watches were read",
    AlertKind.WRITE: "A price was not written as approved",
    AlertKind.MAIL: "A mail or a notice did not go out as it should",
    AlertKind.JOB: "A competitor could not be read",
    AlertKind.ACCESS: "Somebody tries the codes of a review link",
    AlertKind.BREAKER: "The proposals of the night need a second look",
    AlertKind.SITE: "A site that was read before cannot be read",
    AlertKind.MAP: "A rival went below your minimum advertised price",
    AlertKind.STOCK: "A rival ran out of something you have",
    AlertKind.FILES: "The configuration is not in force as it stands",
}


def report_subject(report: Report, *, time: int = 1) -> str:
    """Return the subject of a night that has a report; one that was run again says for which `time`."""
    trust, needs = report.trust, report.needs
    if trust.is_partial or trust.level is Level.BAD:
        troubled = trust.competitors - trust.competitors_ok
        where = (
            f"{troubled} of {counted(trust.competitors, 'competitor')} not read"
            if troubled
            else f"{trust.read} of {trust.expected} checked"
        )
        result = "PARTIAL RUN" if trust.is_partial else "TOO LITTLE READ"
        parts = [f"{result}: {where}", _decisions(needs) or "no changes proposed"]
    elif needs.total:
        parts = [_decisions(needs), _stake(needs), _failed(trust)]
    else:
        parts = [f"no changes proposed ({trust.read}/{trust.expected} checked)"]
    again = f"run again ({time}): " if time > 1 else ""
    return _line(report.brand, again + ", ".join(part for part in parts if part), report.local_date)


def alert_subject(kind: AlertKind, brand: str, when: date) -> str:
    """Return the subject of an alert; a night without a report says so in capitals."""
    if kind is AlertKind.DEADLINE:
        return _line(brand, "RUN DID NOT COMPLETE", when)
    return _line(brand, f"Alert: {ALERT_HEADLINES[kind]}", when)


def _decisions(needs: Needs) -> str:
    return counted(needs.total, "price decision") if needs.total else ""


def _stake(needs: Needs) -> str:
    if len(needs.stake) != 1 or not needs.stake[0].amount:
        return ""
    whole = needs.stake[0].amount.quantize(Decimal(1), ROUND_HALF_UP)
    return f"{ascii_clean(needs.stake[0].currency, 3)} {whole}/wk at stake"


def _failed(trust: Trust) -> str:
    return f"{counted(trust.expected - trust.read, 'check')} failed" if trust.read < trust.expected else ""


def _line(brand: str, result: str, when: date) -> str:
    return clean(f"[{clean(brand, _BRAND_LIMIT)}] {result} - {day(when)}", _SUBJECT_LIMIT)
