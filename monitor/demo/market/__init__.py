"""The market: thirty shops on loopback, what each asks for which product in which night, and how it answers.

shops   who they are: platform, currency, language, fault
moves   what changes from night to night, drawn from a seed
offers  what each shop asks on a given night; the truth that readings are compared with
pages   an offer as the page of its shop
server  one port per shop, and a count of every request
"""

from monitor.demo.market.offers import Market, Offer, market_of
from monitor.demo.market.server import MarketServer
from monitor.demo.market.shops import Fault, Shop

__all__ = ["Fault", "Market", "MarketServer", "Offer", "Shop", "market_of"]
