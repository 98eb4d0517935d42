"""Actions and decisions as rows: which column holds what."""

from typing import Any

from sqlalchemy import Row

from monitor.domain.action import Action, Actor, Decision, Proposal


def content(proposal: Proposal) -> dict[str, Any]:
    """Return the columns that a proposal fills."""
    return {
        "run_id": proposal.run_id,
        "channel": proposal.channel,
        "sku": proposal.sku,
        "content_hash": proposal.content_hash,
        "title": proposal.title,
        "currency": proposal.currency,
        "old_price": proposal.old_price,
        "new_price": proposal.new_price,
        "rule_id": proposal.rule_id,
        "words": proposal.words,
        "facts": proposal.facts,
        "expires_at": proposal.expires_at,
    }


def action_of(row: Row[Any]) -> Action:
    """Return the action that a row holds."""
    proposal = Proposal(
        run_id=row.run_id,
        channel=row.channel,
        sku=row.sku,
        title=row.title,
        currency=row.currency,
        old_price=row.old_price,
        new_price=row.new_price,
        rule_id=row.rule_id,
        words=row.words,
        facts=row.facts,
        expires_at=row.expires_at,
    )
    return Action(
        id=row.id,
        version=row.version,
        state=row.state,
        content_hash=row.content_hash,
        proposal=proposal,
        created_at=row.created_at,
        decided_at=row.decided_at,
        snoozed_until=row.snoozed_until,
        superseded_by=row.superseded_by,
    )


def decision_of(row: Row[Any]) -> Decision:
    """Return the decision that a row holds."""
    actor = Actor(row.actor_kind, row.actor_name, row.link, row.address, row.agent, row.session, row.nonce)
    return Decision(
        id=row.id,
        action_id=row.action_id,
        version=row.version,
        verb=row.verb,
        actor=actor,
        reason=row.reason,
        figures=row.figures,
        batch=row.batch,
        decided_at=row.decided_at,
    )
