"""Visits to competitor shops over HTTP: the real implementation of `ports.Fetcher`."""

from monitor.adapters.fetch.chromium import BrowserLimits
from monitor.adapters.fetch.fetcher import HttpFetcher
from monitor.adapters.fetch.identity import user_agent

__all__ = ["BrowserLimits", "HttpFetcher", "user_agent"]
