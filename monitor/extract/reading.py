"""Read one page: parse once, gather candidates from every reader, reconcile, or say why there is no price."""

import gc
from dataclasses import replace
from functools import partial

from monitor.domain.extraction import IN_PIECES, Availability, Extraction, Hints, Outcome
from monitor.extract import endpoints, errands, former, kinds, notices, other_readers, reconcile, verdicts, walls
from monitor.extract.asked import DISCONTINUED, ON_REQUEST, is_above_others, why_left_out
from monitor.extract.availability import availability, declared_availability
from monitor.extract.charset import as_utf8
from monitor.extract.document import Document, read_document
from monitor.extract.facts import Facts, amounts_in_titles, read_facts
from monitor.extract.gather import Gathered, gather, look
from monitor.extract.naming import naming, title_of
from monitor.extract.neighbours import is_advertised, is_of_another_page
from monitor.extract.pieces import A_PIECE
from monitor.extract.recipe import apply_recipe
from monitor.extract.refusal import no_page, refusal
from monitor.extract.rows import is_one_of_cards, is_one_of_rows
from monitor.extract.stated import Stated, stated_kind

CARDS = "cards"  #: reason where the price that stands most clearly is that of one card among others
MAX_BODY = 5_000_000  #: bytes; more is refused by name

_NO_HINTS = Hints()

_ARTICLE_WORDS = "an article or a review, not a page that sells the product"
#: What is answered to a page that declares no price and whose scripts state its kind.
_STATED = {
    Stated.LIST: (Outcome.LISTING, "listing", "a list of products, not one product (its scripts say so)"),
    Stated.OWN: (Outcome.NO_PRICE, "cart", "a cart, an order or an account, as its scripts say"),
    Stated.ARTICLE: (Outcome.NO_PRICE, "article", _ARTICLE_WORDS),
    Stated.GONE: (Outcome.NOT_FOUND, "soft_404", "the page's scripts call it the page of an error"),
}


def extract(body: bytes, url: str, content_type: str | None = None, *, hints: Hints | None = None) -> Extraction:
    """Return what one page says about its main product; never raises.

    Args:
        body: the response body, decoded from its transfer coding only, at most MAX_BODY bytes.
        url: the final address; it may name a variant.
        content_type: the header as sent, for its charset and for JSON answers.
        hints: what the operator knows; supports the page, never replaces it.

    A page that defeats the readers in a way nobody foresaw is `no_price` with reason `unreadable`.
    """
    # The collector of cycles would pass thousands of nodes again and again and free none. Safe in threads: whoever
    # found it running sets it running again, so that it is never left off.
    was_running = gc.isenabled()
    gc.disable()
    try:
        return read_page(body, url, content_type, hints or _NO_HINTS)
    except Exception as error:  # a hostile page must not end the night; the fuzz tests call read_page itself
        words = f"the page defeats the reader ({type(error).__name__}: {str(error)[:120]}); nothing was read from it"
        return Extraction(Outcome.NO_PRICE, "unreadable", words)
    finally:
        if was_running:
            gc.enable()


def read_page(body: bytes, url: str, content_type: str | None, hints: Hints) -> Extraction:
    """Return the reading; unlike `extract` it lets a defect of a reader be seen."""
    if len(body) > MAX_BODY:
        words = f"the page has {len(body)} bytes, more than the {MAX_BODY} that are read"
        return Extraction(Outcome.NO_PRICE, "too_large", words)
    file = no_page(body)
    if file:
        return Extraction(Outcome.NO_PRICE, "not_a_page", f"the answer is {file}, not a page")
    encoded = as_utf8(body, content_type)
    if not encoded[:1000].strip() and not encoded.strip():
        return Extraction(Outcome.NO_PRICE, "empty", "the answer has no content")
    if endpoints.is_json(encoded, content_type):
        return endpoints.read_endpoint(encoded.decode("utf-8"), url, hints)
    refused = refusal(encoded)
    if refused:
        return Extraction(Outcome.NO_PRICE, *refused)
    document = read_document(encoded, url)
    facts = read_facts(document, hints)
    vendor = walls.wall(document, facts)
    if vendor:
        return Extraction(Outcome.BLOCKED, vendor, _wall_words(vendor))
    notice = notices.notice(document, facts)
    if notice:
        outcome = Outcome.BLOCKED if notice.reason == walls.QUEUE else Outcome.NO_PRICE
        return Extraction(outcome, notice.reason, notice.words)
    if hints.recipe:
        return replace(apply_recipe(document, facts, hints), canonical=facts.canonical)
    return _read(document, facts, hints)


def _wall_words(vendor: str) -> str:
    if vendor in ("queue_it", walls.QUEUE):
        return notices.QUEUE_WORDS
    make = (
        "of unknown make, a captcha or a check for humans" if vendor in ("unnamed_wall", "captcha") else f"({vendor})"
    )
    return f"a bot wall {make} answered instead of the page"


def _seen_cards(cards: int) -> str:
    return f"at least {cards} cards" if cards else "its address says so"


def _read(document: Document, facts: Facts, hints: Hints) -> Extraction:
    answer = partial(Extraction, canonical=facts.canonical)
    got = gather(document, facts, hints)
    if walls.says_gone(document, got.facts) and not (got.main and got.declared):
        return answer(Outcome.NOT_FOUND, "soft_404", "title, heading or address of the page say that it is gone")
    errand = None if got.declared else errands.errand(facts)
    if errand:
        return answer(Outcome.NO_PRICE, *errand)
    votes = kinds.declared_votes(got)
    if kinds.is_plain_listing(got, votes):
        names = kinds.declared_names(got)
        said = f"{names} are declared" if names > 1 else "its address and its markup say so"
        return answer(Outcome.LISTING, "listing", _listing_words(said), name=title_of(facts))
    stated = _stated(document, got)
    if stated in _STATED:
        return answer(*_STATED[stated], name=title_of(facts))
    got = look(document, got)
    kind = kinds.kind_of(document, got, votes)
    if kind.article:
        return answer(Outcome.NO_PRICE, "article", _ARTICLE_WORDS)
    if kind.is_listing and stated is not Stated.PRODUCT:
        return answer(Outcome.LISTING, "listing", _listing_words(_seen_cards(kind.cards)), name=title_of(facts))
    choice = _told(document, got, _choice(document, got, listed=kinds.is_called_list(votes)))
    stock = _availability(document, got, choice)
    choice = _settled(choice, stock)
    if choice.outcome is not Outcome.OK and kind.may_be_listing and not got.declared:
        words = _listing_words(_seen_cards(kind.cards))
        listing = answer(Outcome.LISTING, "listing", words, name=title_of(facts))
        return _unsold(document, got, choice, stock, votes) or listing
    if (
        choice.outcome is Outcome.NO_PRICE
        and walls.is_called_gone(document, got.facts)
        and not (got.declared or kind.asked)
    ):
        return answer(Outcome.NOT_FOUND, "soft_404", "title or heading say that the page or its product is gone")
    if got.seen and not got.declared and errands.is_wishlist(facts):
        return answer(Outcome.LISTING, "listing", _listing_words("a wish list"), name=title_of(facts))
    # the cards of others make no list of a page that its address or its tags call a product's
    if choice.reason == CARDS and (got.declared or votes[1] <= votes[0]):
        return answer(Outcome.LISTING, "listing", _listing_words("cards with a button each"), name=title_of(got.facts))
    locale, named = got.facts.locale, naming(document, got)
    return answer(
        choice.outcome,
        choice.reason,
        choice.words,
        price=choice.price,
        currency=choice.currency,
        list_price=former.list_price(choice, got.declared, got.seen, locale, got.anchor.heading),
        availability=stock,
        name=named.name,
        brand=named.brand,
        sku=named.sku,
        gtin=named.gtin,
        condition=named.condition,
        shipping=named.shipping,
        unit_price=named.unit_price,
        evidence=verdicts.evidence(choice, got.declared, got.seen, locale),
    )


def _unsold(
    document: Document, got: Gathered, choice: former.Choice, stock: Availability, votes: tuple[float, float]
) -> Extraction | None:
    """Return what is answered where the product itself has no price and cards of others follow, None elsewhere."""
    is_unsold = choice.reason in (ON_REQUEST, DISCONTINUED) or stock is Availability.OUT_OF_STOCK
    is_product = votes[1] > votes[0] or (votes[0] <= 0 and is_above_others(document, got.anchor, got.seen))
    if not (is_unsold and is_product):
        return None
    reason, words = choice.reason, choice.words
    if choice.outcome is not Outcome.NO_PRICE:
        reason, words = CARDS, "the product is sold out and without a price; what is shown are the cards of others"
    name, canonical = title_of(got.facts), got.facts.canonical
    return Extraction(Outcome.NO_PRICE, reason, words, availability=stock, name=name, canonical=canonical)


def _stated(document: Document, got: Gathered) -> Stated | None:
    """Return what the scripts call a page that declares neither a price nor a product of its own."""
    is_told = got.declared or (got.main is not None and not got.main.nested)
    return None if is_told else stated_kind(document)


def _listing_words(said: str) -> str:
    return f"a list of products, not one product ({said})"


def _choice(document: Document, got: Gathered, *, listed: bool) -> former.Choice:
    """Return the price; inline state is read only when nothing is declared and nothing shown is clear.

    Args:
        document: the page.
        got: what the readers brought.
        listed: whether its address calls it a list.
    """
    locale = got.facts.locale
    if got.declared:
        return reconcile.choose(got.declared, got.seen, locale, frozenset())
    choice = reconcile.choose((), got.seen, locale, frozenset())
    if choice.outcome is Outcome.OK and not listed and is_one_of_rows(choice, got.seen, got.anchor.buys):
        return former.Choice(Outcome.AMBIGUOUS, "rows", "rows with a price and a button each are shown, none is chosen")
    if is_one_of_cards(choice, got.seen, got.anchor, listed=listed):
        return former.Choice(Outcome.NO_PRICE, CARDS, "cards with a price and a button each are shown, no product")
    if choice.outcome is Outcome.OK and reconcile.is_alone(choice, got.seen):
        return choice
    if reconcile.may_gain(got.seen):
        support = other_readers.support(document) | amounts_in_titles(got.facts)
        choice = reconcile.choose((), got.seen, locale, support)
    if choice.outcome is Outcome.OK:
        return choice
    return reconcile.from_state(other_readers.state_products(document)) or choice


def _told(document: Document, got: Gathered, choice: former.Choice) -> former.Choice:
    """Take back what is a piece of a price or another page's, or stands where the page leaves its own out."""
    if choice.reason == former.NOT_CLEAR and not got.declared:
        return _of_others(document, got, choice) or choice
    if choice.outcome not in (Outcome.OK, Outcome.AMBIGUOUS):
        return choice
    if not got.declared and choice.seen is not None and choice.seen.reason == A_PIECE:
        words = f"{choice.price} stands as the price, but its number goes on in elements beside it that nothing names"
        return former.Choice(Outcome.NO_PRICE, IN_PIECES, words)
    of_others = _of_others(document, got, choice)
    left_out = None if got.declared else why_left_out(document, got.anchor, choice.seen, got.seen)
    if left_out is None or (of_others and left_out.reason != DISCONTINUED):
        return of_others or choice
    amount = f"{choice.price} stands" if choice.price else "other amounts stand"
    return former.Choice(Outcome.NO_PRICE, left_out.reason, f"{left_out.words}; {amount} behind that")


def _of_others(document: Document, got: Gathered, choice: former.Choice) -> former.Choice | None:
    """Return what is answered instead of a price that is another page's or another shop's, None where it is neither."""
    # lists declare the ends of a range too, of all that they hold; what declares more is asked no further
    is_range = choice.outcome is Outcome.OK and all(d.range_end for d in got.declared)
    if (is_range or not got.declared) and is_of_another_page(document, got.facts, got.anchor, choice, got.seen):
        return former.Choice(Outcome.NO_PRICE, CARDS, "what is shown stands in cards that lead to pages of their own")
    is_asked = not got.declared or got.facts.og_type == "article"
    if is_asked and choice.seen and is_advertised(document, got.facts, got.anchor, choice.seen):
        words = f"{choice.price} stands beside an advertising link, which leads to the shop that asks it"
        return former.Choice(Outcome.NO_PRICE, "other_shop", words)
    return None


def _availability(document: Document, got: Gathered, choice: former.Choice) -> Availability:
    if choice.reason == DISCONTINUED:
        return Availability.DISCONTINUED
    price_at = choice.seen.amount.start if choice.seen else None
    said = declared_availability([o.availability for _, o in got.offers])
    return availability(document, got.facts, got.anchor, said, price_at)


def _settled(choice: former.Choice, stock: Availability) -> former.Choice:
    """Take a price back that cannot be paid: a discontinued product."""
    if choice.outcome in (Outcome.OK, Outcome.AMBIGUOUS) and stock is Availability.DISCONTINUED:
        amount = f"{choice.price} is declared" if choice.price else "amounts are shown"
        words = f"{amount}, but the product is no longer sold"
        return former.Choice(Outcome.NO_PRICE, DISCONTINUED, words)
    return choice
