"""One guarded HTTP call to somebody else's server: the only package that imports httpx and httpcore.

`Client.send` is used by the fetcher and by the shop and webhook adapters alike, so there is one place
where addresses are checked, deadlines kept and bodies bounded.
"""

from monitor.adapters.http.call import Answer, CallRules, Stopped, Unanswered, without_number
from monitor.adapters.http.client import Client
from monitor.adapters.http.network import CONNECT_S, MOST_ADDRESSES
from monitor.adapters.http.resolve import Resolver

__all__ = [
    "CONNECT_S",
    "MOST_ADDRESSES",
    "Answer",
    "CallRules",
    "Client",
    "Resolver",
    "Stopped",
    "Unanswered",
    "without_number",
]
