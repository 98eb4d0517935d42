"""What leaves besides mails: notices to the channels of `[notify]` and signed events to a program."""

from monitor.adapters.notify.channels import AppriseChannels
from monitor.adapters.notify.events import EventWebhook

__all__ = ["AppriseChannels", "EventWebhook"]
