"""Stored matches: the review queue, its decisions, and what a night may use."""

from collections.abc import Sequence
from typing import Protocol

from monitor.domain.catalogue import MatchState
from monitor.domain.match import Match, Suggested, Suggestion


class Matches(Protocol):
    """Pairs of our products and competitors' listings, each stored once, and every decision about them."""

    def suggest(self, pairs: Sequence[Suggestion]) -> Suggested:
        """Store pairs as suggested, once each; a decided pair keeps its decision.

        A confirmed pair that comes with a veto is opened again: suggested, with the reason, by the machine.
        """

    def decide(self, match_id: int, state: MatchState, by: str, reason: str) -> Match | None:
        """Put a match into a state and record who did and why; None when there is none with this number.

        Confirming one rejects no other; raises `monitor.errors.CannotSucceed` when another match of the same product
        and competitor is confirmed already. Deciding the same again records nothing.
        """

    def get(self, match_id: int) -> Match | None:
        """Return one match with its history, or None."""

    def queue(
        self,
        state: MatchState | None = None,
        *,
        competitor: str | None = None,
        sku: str | None = None,
        limit: int = 100,
        offset: int = 0,
    ) -> tuple[Match, ...]:
        """Return matches, the surest first."""

    def count(self) -> dict[MatchState, int]:
        """Return how many there are in each state."""

    def decided(self) -> tuple[Match, ...]:
        """Return every match that somebody decided, for the night to use."""

    def confirmed_of(self, competitor: str) -> tuple[Match, ...]:
        """Return the confirmed matches of one competitor."""
