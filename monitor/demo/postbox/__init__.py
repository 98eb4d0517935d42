"""A postbox on loopback: takes mail over SMTP, keeps it as files, and shows it in the browser.

    letters   the kept mails and what a reader sees of them
    smtp      takes mail; knows just enough SMTP for one client on this machine
    pages     shows it; a mail's HTML runs in a sandbox without scripts and loads nothing from elsewhere

Only for the demo: no TLS, no sign-in, nothing is ever passed on.
"""

from monitor.demo.postbox.box import Postbox
from monitor.demo.postbox.letters import Letter

__all__ = ["Letter", "Postbox"]
