"""The morning report: what one night means for the person who decides.

`build` turns the facts of a night into a `Report`, a frozen view model in reading order: can the data be
trusted, what needs a person, what moved, what went wrong, what became of yesterday. Mail, text part and
stored page are renderings of it; none of them computes a number. `letter` makes the message to be stored.

Everything that a shop or a file could have written is cleaned and cut here, so that no rendering has to.
"""

from monitor.domain.report.compose import NightFacts, build
from monitor.domain.report.letter import letter, message_id
from monitor.domain.report.subject import alert_subject
from monitor.domain.report.view import Report

__all__ = ["NightFacts", "Report", "alert_subject", "build", "letter", "message_id"]
