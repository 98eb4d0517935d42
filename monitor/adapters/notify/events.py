"""Tell a program of an event by a signed call, as Standard Webhooks 1.0.0 describes it.

The id of a call is that of the event, so that a receiver knows a repeat: whatever is not clearly refused is sent again.
"""

from datetime import timedelta

from monitor.adapters.http import Answer, CallRules, Client
from monitor.domain.address import target
from monitor.domain.message import Mail
from monitor.domain.standard_webhook import signed, signing_keys
from monitor.errors import CannotSucceed, RetryLater
from monitor.ports.world import Clock

DEADLINE = timedelta(seconds=15)
_MAX_ANSWER_BYTES = 64_000
#: Answers that say that no repeat will be taken: gone, or not the receiver of this.
_FOR_GOOD = frozenset({400, 401, 403, 404, 405, 410, 413, 415, 422})


class EventWebhook:
    """`monitor.ports.messages.Mailer` for recipients `webhook:…`, all of which go to one address."""

    def __init__(self, url: str, secrets: tuple[str, ...], client: Client, clock: Clock, *, agent: str) -> None:
        """Take the address and the `whsec_…` secrets, all of which sign."""
        self._url, self._keys = url, signing_keys(secrets)
        self._client, self._clock, self._agent = client, clock, agent
        to = target(url)
        self._rules = CallRules(
            deadline=DEADLINE,
            max_wire_bytes=_MAX_ANSWER_BYTES,
            max_body_bytes=_MAX_ANSWER_BYTES,
            allow_addresses=frozenset({to.authority}),
            ports=frozenset({to.port}),
        )

    def send(self, mail: Mail) -> None:
        """Post the stored bytes.

        Raises:
            CannotSucceed: the receiver refused it for good.
            RetryLater: no answer, or one that a later call may change.
        """
        headers = signed(self._keys, mail.message_id, self._clock.now(), mail.content)
        headers |= {"content-type": "application/json", "user-agent": self._agent}
        answer = self._client.send("POST", self._url, headers=headers, body=mail.content, rules=self._rules)
        if not isinstance(answer, Answer):
            raise RetryLater(f"webhooks.run_finished: {answer.words}.")
        if 200 <= answer.status < 300:
            return
        words = f"webhooks.run_finished: the receiver answered {answer.status}."
        raise CannotSucceed(words) if answer.status in _FOR_GOOD else RetryLater(words)
