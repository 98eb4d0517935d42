"""Stage review: a mailed link shows, a form acts, and a decision is taken once.

`decide` is the one way to decide, for the form behind a link, the pages, the command line and the webhook alike. An
approval and the write it leads to are one transaction, so neither exists without the other; whether a row is
still there to be decided is asked of the database by a conditional update. A row that cannot be decided
any more says why and holds up no other row.

`answer_form` puts what a link needs in front: the link still open, a form that was shown here and not sent
before, something chosen, and a code where the change is large, unless whoever decides is signed in. A repeated post
finds its number spent and gets the first post's results. `answer_call` does the same for a program's signed call.

Not promised: who stands behind a link. It was sent to one address, and that address is what is recorded.
"""

from monitor.flow.review.call import Asked, Call, CallAnswer, answer_call
from monitor.flow.review.decide import decide, new_batch
from monitor.flow.review.form import CODE_LOCK, CODE_TRIES, Form, FormAnswer, Hurdle, answer_form
from monitor.flow.review.fresh import ask_for_fresh_link
from monitor.flow.review.links import REVIEW, VIEW, IssuedLink, ends_at, is_over, issue_link

__all__ = [
    "CODE_LOCK",
    "CODE_TRIES",
    "REVIEW",
    "VIEW",
    "Asked",
    "Call",
    "CallAnswer",
    "Form",
    "FormAnswer",
    "Hurdle",
    "IssuedLink",
    "answer_call",
    "answer_form",
    "ask_for_fresh_link",
    "decide",
    "ends_at",
    "is_over",
    "issue_link",
    "new_batch",
]
