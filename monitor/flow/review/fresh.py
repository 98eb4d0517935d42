"""Mails somebody a fresh link when theirs is over: to the address on record, and to no other.

The answer on the page is the same whatever happens here, so it tells nothing about who gets mail. Asking ends every
earlier link of that address, so an old one that leaked does not live again.
"""

from collections.abc import Callable
from datetime import timedelta

from monitor.domain.access import AccessEvent, AccessEventKind
from monitor.domain.plan import NightPlan
from monitor.domain.report import letter, message_id
from monitor.flow.review.links import IssuedLink, issue_again
from monitor.ports.messages import Rendered
from monitor.ports.review import Link, Signer
from monitor.ports.store import Store

#: How often an address can be sent a fresh link.
EVERY = timedelta(minutes=10)


def ask_for_fresh_link(
    store: Store, signer: Signer, plan: NightPlan, link: Link, render: Callable[[IssuedLink], Rendered]
) -> bool:
    """Post a mail with a new link of the newest night; False when none was due, which nobody is told.

    Args:
        store: where it is kept.
        signer: signs it.
        plan: who reads the mail now: an address that was taken out gets nothing any more.
        link: the one that is over.
        render: makes the two parts of the mail.
    """
    readers = {address.lower() for address in plan.mail.recipients}
    with store.write() as unit:
        run = next(iter(unit.runs.latest(1)), None)
        if run is None or link.recipient.lower() not in readers:
            return False
        if not unit.access.allow(f"fresh:{link.recipient.lower()}", EVERY):
            return False
        fresh = issue_again(unit, plan.review, run.id, link.recipient, signer=signer)
        rendered, own_id = render(fresh), message_id("fresh", fresh.id, link.recipient, plan.mail.sender)
        subject = f"[{plan.mail.brand}] Your new review link"
        content = letter(
            plan.mail,
            recipient=link.recipient,
            subject=subject,
            message_id=own_id,
            at=unit.now,
            text=rendered.text,
            html=rendered.html,
        )
        unit.access.record(
            AccessEvent(
                AccessEventKind.LINKS_REVOKED, link.recipient, "link", unit.now, words="a fresh link was asked for"
            )
        )
        return unit.mails.post(
            dedupe_key=f"fresh:{fresh.id}:{link.recipient}",
            run_id=None,
            recipient=link.recipient,
            subject=subject,
            content=content,
            message_id=own_id,
            not_before=unit.now,
        )
