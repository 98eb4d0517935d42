"""Pricing rules from a file, read against the competitors of the configuration."""

from pathlib import Path

from monitor.domain.pricing import Rules, rules_from_text
from monitor.errors import Misconfigured
from monitor.settings.model import Settings


def rules_in_force(settings: Settings) -> Rules:
    """Return the rules of the configuration, which `load` has found readable."""
    return rules_from_text(settings.plan.rules, where="rules.toml")


def rules_in(file: Path, settings: Settings) -> Rules:
    """Return the rules of a file.

    Raises:
        Misconfigured: it cannot be opened or read; every mistake is named with rule, key and accepted forms.
    """
    try:
        text = file.read_text(encoding="utf-8-sig")
    except OSError as problem:
        raise Misconfigured([f"{file}: cannot be opened: {problem.strerror}; name a rules file in TOML"]) from None
    except UnicodeDecodeError:
        raise Misconfigured([f"{file}: not a text in UTF-8; save the rules as UTF-8 TOML"]) from None
    sellers = frozenset(competitor.id for competitor in settings.catalogue.competitors)
    return rules_from_text(text, where=str(file), sellers=sellers)
