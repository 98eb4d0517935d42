"""Tokens and codes of review links."""

import string

import pytest
from itsdangerous import URLSafeSerializer, URLSafeTimedSerializer

from monitor.adapters.signing import LinkSigner
from monitor.errors import Misconfigured

OLD = "the old key, which is long enough to be one"
NEW = "the new key, which is long enough to be one"
ALPHABET = string.ascii_letters + string.digits + "-_"


def test_a_token_gives_back_its_link() -> None:
    signer = LinkSigner([OLD])

    assert signer.read(signer.sign("l1", "review"), "review") == "l1"


def test_a_token_of_another_purpose_is_nothing() -> None:
    signer = LinkSigner([OLD])

    assert signer.read(signer.sign("l1", "view"), "review") is None


def test_a_tampered_token_is_nothing_except_for_the_other_spellings_of_its_last_letter() -> None:
    """32 bytes in base64 leave two bits of the last letter unused, so four spellings are one token."""
    signer = LinkSigner([OLD])
    token = signer.sign("l1", "review")
    accepted = {
        token[:place] + letter + token[place + 1 :]
        for place in range(len(token))
        for letter in ALPHABET + "."
        if signer.read(token[:place] + letter + token[place + 1 :], "review") is not None
    }

    assert {signer.read(spelling, "review") for spelling in accepted} == {"l1"}
    assert {spelling[:-1] for spelling in accepted} == {token[:-1]}
    assert len(accepted) == 4


@pytest.mark.parametrize(
    "spoilt", ["", "x", "a.b", "a.b.c", "\u00e4" * 10, "x" * 5000, "{token}\n", "{token} ", "{token}!"]
)
def test_whatever_is_no_token_is_nothing(spoilt: str) -> None:
    signer = LinkSigner([OLD])

    assert signer.read(spoilt.format(token=signer.sign("l1", "review")), "review") is None


def test_keys_can_be_changed_while_old_links_work() -> None:
    before, during, after = LinkSigner([OLD]), LinkSigner([OLD, NEW]), LinkSigner([NEW])
    token, kept = before.sign("l1", "review"), before.code_hash("l1", before.code("l1"))

    assert during.read(token, "review") == "l1"
    assert after.read(token, "review") is None
    assert after.read(during.sign("l1", "review"), "review") == "l1"
    assert during.code("l1", kept) == before.code("l1")
    assert during.is_code("l1", kept, before.code("l1"))
    assert not after.is_code("l1", kept, before.code("l1"))


def test_the_weak_defaults_of_the_library_do_not_verify() -> None:
    signer, payload = LinkSigner([OLD]), {"j": "l1", "p": "review"}
    salt = "price-monitor/review/v1"

    assert signer.read(str(URLSafeTimedSerializer(OLD, salt=salt).dumps(payload)), "review") is None
    assert signer.read(str(URLSafeSerializer(OLD, salt=salt).dumps(payload)), "review") is None


def test_a_code_is_six_digits_of_its_link_and_no_other() -> None:
    signer = LinkSigner([OLD])
    codes = {signer.code(f"l{number}") for number in range(200)}

    assert all(len(code) == 6 and code.isdigit() for code in codes)
    assert len(codes) > 190
    kept = signer.code_hash("l1", signer.code("l1"))
    assert signer.code("l1") not in kept
    assert not signer.is_code("l2", kept, signer.code("l1"))
    assert not signer.is_code("l1", kept, "\u0663\u0663\u0663\u0663\u0663\u0663")


@pytest.mark.parametrize("keys", [[], ["short"], [OLD, "short"]])
def test_a_missing_or_short_key_is_refused(keys: list[str]) -> None:
    with pytest.raises(Misconfigured, match="MONITOR_SECRET_KEYS"):
        LinkSigner(keys)
