"""The morning after a simulated night: the mail leaves, the demo's reader decides, the shop gets its prices."""

from dataclasses import dataclass, replace
from datetime import date, timedelta
from random import Random

from monitor.demo.child import own_environment, quiet
from monitor.demo.facts import Morning
from monitor.demo.nights import Scene
from monitor.demo.place import READER
from monitor.demo.postbox import Postbox
from monitor.domain.action import Action, ActionState, Actor, Verb
from monitor.domain.review import Choice, RowOutcome
from monitor.flow.review import decide
from monitor.wiring import App, open_app

#: The night is due at 02:00, its mail may leave at 06:30, the reader comes at 07:00.
_READS_AFTER = timedelta(hours=5)
_MOST_ROUNDS = 20
_ENDED = frozenset({ActionState.APPLIED, ActionState.APPLIED_NOOP, ActionState.CONFLICT, ActionState.FAILED})


@dataclass(frozen=True, slots=True)
class Reader:
    """Decides about most proposals and leaves some, the same way for the same seed."""

    scene: Scene
    postbox: Postbox
    rng: Random

    def morning(self, day: date, *, decides: bool) -> Morning:
        """Let the mail of a night leave and, unless the last word is left to somebody else, decide."""
        before = len(self.postbox.letters())
        app = open_app(
            self.scene.directory,
            environ=own_environment(),
            role="demo",
            ahead=self.scene.ahead(day, _READS_AFTER),
        )
        quiet()
        try:
            app.errands()
            decided = self._decided(app, day) if decides else Morning(())
        finally:
            app.close()
        return replace(decided, subjects=tuple(letter.subject for letter in self.postbox.letters()[before:]))

    def _decided(self, app: App, day: date) -> Morning:
        with app.store.read() as unit:
            run = unit.runs.of_date(app.plan.schedule.name, day)
            waiting = [] if run is None else [a for a in unit.actions.of_run(run.id) if a.state is ActionState.PENDING]
        choices = [choice for each, action in enumerate(waiting) if (choice := self._choice(each, action))]
        # One by one, as a reader does on a night that needs a second look.
        results = [row for choice in choices for row in decide(app.store, app.plan, Actor("cli", READER), [choice])]
        approved = [r.action_id for r in results if r.verb is Verb.APPROVE and r.outcome is RowOutcome.DECIDED]
        rejected = sum(r.verb is Verb.REJECT and r.outcome is RowOutcome.DECIDED for r in results)
        left = len(waiting) - len(approved) - rejected
        return Morning((), len(approved), rejected, left, _written(app, approved))

    def _choice(self, position: int, action: Action) -> Choice | None:
        """Approve the first and most others; reject some, leave some for another night."""
        draw = 0.0 if position == 0 else self.rng.random()
        if draw >= 0.85:
            return None
        verb, reason = (Verb.APPROVE, None) if draw < 0.7 else (Verb.REJECT, "We keep our price")
        return Choice(action.id, action.version, action.content_hash, verb, reason)


def _written(app: App, action_ids: list[int]) -> int:
    """Execute what was approved, as a working process does every second; return how many prices are in the shop."""
    for _ in range(_MOST_ROUNDS):
        with app.store.read() as unit:
            states = [action.state for action_id in action_ids if (action := unit.actions.get(action_id))]
        if all(state in _ENDED for state in states):
            break
        app.errands()
    return sum(state in (ActionState.APPLIED, ActionState.APPLIED_NOOP) for state in states) if action_ids else 0
