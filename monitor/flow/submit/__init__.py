"""Stage submit: an approved price reaches the shop once, and what became of it is known or said to be unknown.

For the writes that are due, as many together as the shop takes well:

1. Claim each. Whoever else has it, or it is finished: nothing to do.
2. Past the proposal's time it is `expired`; a product that a person locked meanwhile is not written.
3. Read the shop's prices. Ours already: `applied_noop`. Neither ours nor the one that was decided on: `conflict`.
4. Commit the attempts, then send the absolute prices under the writes' keys. A crash from here on leaves an attempt
   without an answer, which becomes `unknown` when its lease has passed.
5. Each write has its own outcome, also when the shop took them in one call. Read back: only a shop that shows the new
   price makes a write `applied`.

A failure before anything was sent is tried again under the same key, at growing intervals, until the proposal
expires. An `unknown` write is settled by reading after a quarantine: the new price is `applied`, the old one is sent
again under the same key (three calls at most, then `failed`), any other is `conflict`. A shop that cannot be read is
told again under the same key, which it must honour; the last clear answer counts. While writes are switched off,
steps 1 to 3 run once as a rehearsal and nothing is sent. The kill switch is asked in the transaction that commits an
attempt: once it is thrown, no call begins, and only unknown writes are still read.

Exactly once means: at most one change at the shop for each approved version, verified by reading. Not promised:
that the shop keeps it, nor anything about what others do to the same price between reading and writing.
"""

from monitor.flow.submit.record import Submitted
from monitor.flow.submit.round import submit_due

__all__ = ["Submitted", "submit_due"]
