"""Where alerts are told besides the mail."""

from monitor.adapters.notify import AppriseChannels
from monitor.settings import Settings


def channels_of(settings: Settings) -> AppriseChannels:
    """Return the channels, perhaps none."""
    return AppriseChannels(settings.secrets.channels)
