"""Subject lines: the night's result in about sixty characters, without a word that a shop wrote.

Plain ASCII but for the operator's own brand, so that no gateway and no phone garbles them.
"""

from datetime import date
from decimal import ROUND_HALF_UP, Decimal

from monitor.domain.report.clean import ascii_clean, clean
from monitor.domain.report.view import Level, Needs, Report, Trust
from monitor.domain.report.wording import counted, day

_SUBJECT_LIMIT = 150
_BRAND_LIMIT = 40


def report_subject(report: Report) -> str:
    """Return the subject of a night that has a report."""
    trust, needs = report.trust, report.needs
    if trust.is_partial or trust.level is Level.BAD:
        troubled = trust.competitors - trust.competitors_ok
        where = (
            f"{troubled} of {counted(trust.competitors, 'competitor')} not read"
            if troubled
            else f"{trust.read} of {trust.expected} checked"
        )
        parts = [f"PARTIAL RUN: {where}", _decisions(needs) or "no changes proposed"]
    elif needs.total:
        parts = [_decisions(needs), _stake(needs), _failed(trust)]
    else:
        parts = [f"no changes proposed ({trust.read}/{trust.expected} checked)"]
    return _line(report.brand, ", ".join(part for part in parts if part), report.local_date)


def run_failed_subject(brand: str, when: date) -> str:
    """Return the subject for a night without a report."""
    return _line(brand, "RUN DID NOT COMPLETE", when)


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
