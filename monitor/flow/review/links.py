"""Review links: one per recipient and night that may decide, and one to share that only shows."""

import secrets
from dataclasses import dataclass
from datetime import datetime

from monitor.domain.plan import ReviewPlan
from monitor.ports.review import Link, Signer
from monitor.ports.store import Unit

#: The purpose of a link that may decide; signed into its token.
REVIEW = "review"
#: The purpose of one that only shows, to be handed on.
VIEW = "view"

#: A link older than so many nights has expired by itself.
_NIGHTS_WITH_LINKS = 60


@dataclass(frozen=True, slots=True)
class IssuedLink:
    """A review link as it stands in a mail."""

    url: str
    code: str  #: six digits, printed in the mail's text and nowhere else
    expires_at: datetime
    id: str = ""


def issue_link(
    unit: Unit, plan: ReviewPlan, run_id: str, recipient: str, due_at: datetime | None = None, *, signer: Signer
) -> IssuedLink:
    """Return the review link of one recipient for one run, making it on the first call.

    Calling again gives a link to the same row, with the same code, however often a mail is rendered. Links of
    earlier nights decide until the new one is mailed and nothing from then on: what still waits is shown behind it.

    Args:
        due_at: when the mail with the link leaves, by default now.
    """
    _revoke_earlier(unit, run_id, due_at or unit.now)
    unit.links.issue(_new(unit, plan, run_id, recipient, VIEW, signer))
    return _issued(unit.links.issue(_new(unit, plan, run_id, recipient, REVIEW, signer)), plan, signer)


def issue_again(unit: Unit, plan: ReviewPlan, run_id: str, recipient: str, *, signer: Signer) -> IssuedLink:
    """Make a further link of a recipient for a run; every earlier one of that recipient ends now."""
    many = sum(link.recipient == recipient and is_review(link) for link in unit.links.of_run(run_id))
    purpose = f"{REVIEW}/{many + 1}" if many else REVIEW
    link = unit.links.issue(_new(unit, plan, run_id, recipient, purpose, signer))
    unit.links.revoke_of(recipient, "a fresh one was asked for", besides=link.id)
    return _issued(link, plan, signer)


def _new(unit: Unit, plan: ReviewPlan, run_id: str, recipient: str, purpose: str, signer: Signer) -> Link:
    link_id = secrets.token_urlsafe(16)
    return Link(
        id=link_id,
        run_id=run_id,
        recipient=recipient,
        purpose=purpose,
        created_at=unit.now,
        expires_at=unit.now + plan.link_lifetime,
        revoked_at=None,
        code_hash=None if purpose == VIEW else signer.code_hash(link_id, signer.code(link_id)),
        code_tries=0,
        locked_until=None,
    )


def _issued(link: Link, plan: ReviewPlan, signer: Signer) -> IssuedLink:
    url = f"{plan.public_url.rstrip('/')}/a/{signer.sign(link.id, REVIEW)}"
    return IssuedLink(url, signer.code(link.id, link.code_hash), link.expires_at, link.id)


def _revoke_earlier(unit: Unit, run_id: str, at: datetime) -> None:
    run = unit.runs.get(run_id)
    if run is not None:
        earlier = [each.id for each in unit.runs.latest(_NIGHTS_WITH_LINKS) if each.local_date < run.local_date]
        unit.links.revoke(earlier, f"{run_id} sent a new one", at=at)


def is_review(link: Link) -> bool:
    """Say whether a link may decide; a further one of the same night has a number behind its purpose."""
    return link.purpose.partition("/")[0] == REVIEW


def is_over(link: Link, now: datetime) -> bool:
    """Say whether a link may no longer decide: expired or revoked."""
    return ends_at(link) <= now


def ends_at(link: Link) -> datetime:
    """Return when a link ceases to decide: its time has passed, or a newer mail is due."""
    return link.expires_at if link.revoked_at is None else min(link.expires_at, link.revoked_at)
