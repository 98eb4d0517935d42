"""Tells people through a channel that is not the mail: chat, pager, webhook; the only module that knows apprise.

A channel is one of apprise's URLs, such as `slack://…`, `ntfys://…` or `json://host/path`. Their parts are secrets, so
neither a URL nor what a service said about it is ever put into words: a channel is called by its place.

apprise says only whether a service took a notice, so one that took it and answered too late is told again: not promised
is that a channel that times out hears a notice once.
"""

import json
import warnings
from collections.abc import Sequence

from monitor.domain.message import Mail
from monitor.errors import CannotSucceed, Misconfigured, RetryLater


class AppriseChannels:
    """`monitor.ports.messages.Mailer` on apprise, for recipients `notify:1`, `notify:2` …"""

    def __init__(self, urls: Sequence[str]) -> None:
        """Take the URLs; connect to nothing, load nothing yet."""
        self._urls = tuple(urls)

    def __len__(self) -> int:
        """Return how many channels there are."""
        return len(self._urls)

    def probe(self) -> str:
        """Return in words which services the channels are; nothing is sent.

        Raises:
            Misconfigured: one of them is not understood; the words say which by its place only.
        """
        wrong, names = [], []
        for place in range(1, len(self) + 1):
            name = _service(self._urls[place - 1])
            wrong += [] if name else [str(place)]
            names.append(f"{place} {name}")
        if wrong:
            raise Misconfigured(
                [
                    f"MONITOR_ALERT_URLS: address {', '.join(wrong)} of {len(self)} is not one that is understood; "
                    "write addresses as apprise does, such as ntfys://ntfy.sh/topic or json://host:port/path"
                ]
            )
        return f"{len(self)} channel{'s' if len(self) > 1 else ''}: {', '.join(names)}"

    def send(self, mail: Mail) -> None:
        """Hand a notice to its channel."""
        told = json.loads(mail.content)
        self.tell(int(mail.recipient.removeprefix("notify:")), told["title"], told["words"])

    def tell(self, place: int, title: str, words: str) -> None:
        """Hand words to one channel, counted from 1.

        Raises:
            CannotSucceed: there is no such channel (any more), or its address is not understood.
            RetryLater: the service did not take it.
        """
        if not 1 <= place <= len(self):
            raise CannotSucceed(
                f"MONITOR_ALERT_URLS has {len(self)} addresses, so there is no channel {place} any more"
            )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # one of its readers uses a module of the past
            from apprise import Apprise  # takes half a second to load, and few installations have a channel

            service = Apprise()
            if not service.add(self._urls[place - 1]):
                raise CannotSucceed(f"address {place} of MONITOR_ALERT_URLS is not understood; run: monitor doctor")
            if not service.notify(title=title, body=words):
                raise RetryLater(f"channel {place} of MONITOR_ALERT_URLS did not take the notice")


def _service(url: str) -> str:
    """Return the name of the service an address leads to; empty when it is not understood."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        from apprise import Apprise

        found = Apprise()
        return str(found[0].service_name) if found.add(url) and len(found) else ""
