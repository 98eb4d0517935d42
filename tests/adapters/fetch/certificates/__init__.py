"""Certificates of a test authority, valid until 2126 but for the expired one; the authority's key was thrown away."""

import ssl
from pathlib import Path

_HERE = Path(__file__).parent


def serving(certificate: str) -> ssl.SSLContext:
    """Return what a server needs to show `shop.pem` or `expired.pem`, both for `alpkontor.example`."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(_HERE / certificate)
    return context


def trusting() -> ssl.SSLContext:
    """Return a client's context that trusts the test authority only."""
    return ssl.create_default_context(cafile=str(_HERE / "authority.pem"))
