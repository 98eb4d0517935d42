"""Tells people through a channel that is not the mail: chat, pager, webhook; the only module that knows apprise.

A channel is one of apprise's URLs, such as `slack://…`, `ntfys://…` or `json://host/path`. Their parts are secrets, so
neither a URL nor what a service said about it is ever put into words.
"""

import warnings
from collections.abc import Sequence

from monitor.errors import Misconfigured, RetryLater


class AppriseChannel:
    """`monitor.ports.messages.Channel` on apprise."""

    def __init__(self, urls: Sequence[str]) -> None:
        """Take the URLs; connect to nothing yet.

        Raises:
            Misconfigured: one of them is not understood; the words say which by its place only.
        """
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # one of its readers uses a module of the past
            from apprise import Apprise  # takes half a second to load, and few installations have a channel

            self._apprise = Apprise()
            wrong = [str(place) for place, url in enumerate(urls, start=1) if not self._apprise.add(url)]
        if wrong:
            raise Misconfigured(
                [
                    f"MONITOR_ALERT_URLS: address {', '.join(wrong)} of {len(urls)} is not one that is understood; "
                    "write addresses as apprise does, such as ntfys://ntfy.sh/topic or json://host:port/path"
                ]
            )

    def tell(self, title: str, words: str) -> None:
        """Hand an alert to every channel.

        Raises:
            RetryLater: at least one did not take it; those that did may get it again.
        """
        if not self._apprise.notify(title=title, body=words):
            raise RetryLater("a channel of MONITOR_ALERT_URLS did not take an alert; it is tried again")
