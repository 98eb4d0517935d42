"""Tell pages of a shop on which nothing is sold: carts and checkouts, forms to log in or to write, pages about it.

By address, title and the class of the body alone. The prices there are those of what was put into the cart, of a call,
of an extra or of goods that every page of the shop shows. Asked only where a page declares no price of its own.
"""

import re

from monitor.extract.facts import Facts, urlsplit_or_empty

#: Whose a cart or a list is.
_OWN = (
    r"(?:(?:my|your|mein|meine|dein|deine|ihre?|mijn|jouw|uw|je|mes|vos|mon|ma|votre|mis?|tus?|su|meus?|minha"
    r"|la mia|i miei|il mio|il tuo|moja|twoja|mój|twój|váš|min|din|dina|mine|dine|моя|моята|мой|мій) )*"
)
#: A cart or a checkout, by the end of its address or by its title.
_CART_PATH = re.compile(
    r"/(?:(?:shopping-?)?(?:cart|basket)(?:/(?:view|index|show|list|added|details?|summary))?"
    r"|checkouts?(?:/[\w-]+){0,3}|warenkorb|kasse|panier|carrito|carrello|carrinho"
    r"|winkel(?:wagen|mand)(?:t?je)?|(?:my|shopping)-bag|cesta|sacola|einkaufswagen|handlevogn|kosarica|korpa|ostukorv"
    r"|gio-hang|keranjang|koszyk|ko[sš][ií]k|varukorg|kundvagn|handlekurv|kurv|ostoskori|kosar|sepet(?:im)?|korzina)(?:\.\w{2,5})?/?$",
    re.IGNORECASE,
)
_CART_TITLE = re.compile(
    rf"{_OWN}(?:(?:shopping |view |secure )*(?:cart|basket|bag|checkout)|waren-?korb|einkaufs(?:wagen|korb)"
    r"|(?:zur )?kasse"
    r"|panier(?: d['’]achats?)?|carrito(?: de (?:la )?compras?)?|cesta(?: de (?:la )?compras?)?|tramitar pedido"
    r"|carrello(?: della spesa)?|carrinho(?: de compras)?|sacola(?: de compras)?|winkel(?:wagen|mand)(?:t?je)?"
    r"|koszyk"
    r"|(?:nákupní |nákupný )?košík|kosár(?: tartalma)?|kosaram|co[sș](?:ul)?(?: de cump[aă]r[aă]turi| meu| t[aă]u)?"
    r"|количка(?:та)?|(?:το )?καλάθι(?: αγορών| μου| σας)?|varukorg|kundvagn|kassan?|handle(?:kurv|vogn)"
    r"|(?:indkøbs)?kurv"
    r"|ostoskori(?:si)?|корзина(?: товаров)?|кошик|(?:alışveriş )?sepet(?:i|im)?|košarica|korpa|ostukorv|grozs"
    r"|krepšelis"
    r"|(?:your|ihre?|deine?|votre|ta|su|tu|il tuo|uw|je|seu|sua|twoje|vaše|din|sinun|ваш|ваше) (?:order"
    r"|bestellung|commande|pedido|ordine|bestelling|zamówienie|objednávka|beställning|bestilling|ordre|tilauksesi|заказ|замовлення)"
    r"|(?:review )?order(?: summary| review)?|bestell(?:übersicht|ung (?:prüfen|abschließen|aufgeben))"
    r"|récapitulatif de (?:(?:la|votre|ma) )?commande|resumen (?:del|de tu) pedido"
    r"|riepilogo (?:dell['’]|del tuo )ordine|resumo do pedido|bestelling (?:afronden|controleren)"
    r"|podsumowanie zamówienia|shrnutí objednávky|оформление заказа|finali[zs]ar (?:la )?(?:compra|pedido)"
    r"|(?:twoje )?zamówienie|(?:我的)?购物车|購物車"
    r"|(?:ショッピング)?カート|買い物かご"
    r"|장바구니|giỏ hàng(?: của bạn)?|keranjang(?: belanja)?|ตะกร้าสินค้า|سلة التسوق|עגלת קניות"
    r"|סל (?:ה)?קניות)(?: ?\(\d+\))?",
    re.IGNORECASE,
)
#: The same by the classes that platforms give the body of such a page.
_CART_CLASS = re.compile(
    r"(?:^|\s)(?:woocommerce-(?:cart|checkout|account)|template-(?:cart|order)|page-(?:cart|order-detail)"
    r"|checkout-(?:cart|index)-index|sales-order-(?:view|history)|customer-account-index|is-ctl-(?:checkout|accountorder))"
    r"(?:$|\s)"
)
#: An order that was placed, by its title or heading: `Order #58213`, `Commande n° 1042`.
_ORDER_TITLE = re.compile(
    rf"{_OWN}(?:order|bestellung|commande|pedido|ordine|encomenda|bestelling|zamówienie|objednávka|beställning|bestilling"
    r"|ordre|tilaus|rendelés|comandă|заказ|замовлення|sipariş)"
    r"(?: ?(?:number|details?|nr\.?|nummer|no\.?|n[°ºr]\.?|č\.|№))?:? ?#? ?\d{3,}",
    re.IGNORECASE,
)
#: An account and what lies below it.
_ACCOUNT_PATH = re.compile(
    r"/(?:my-?account|customer/account|account/orders?|mein-?konto|mon-compte|mi-cuenta|mio-account|minha-conta|mijn-account"
    r"|moje-konto|muj-ucet|mitt-konto|order-(?:received|confirmation|complete|history|details?|status))"
    r"(?:/[\w-]+){0,4}/?$",
    re.IGNORECASE,
)
#: What a visitor noted for later, by the end of the address or by the title, perhaps with how many that are; or
#: put side by side to compare.
_NOTED_PATH = re.compile(
    r"/(?:compare|(?:my-?)?wish-?list|favou?rites|favoris|favoriten|favorieten|favoritos|preferiti|wunsch(?:liste|zettel)"
    r"|merk(?:liste|zettel)|verlanglijst(?:je)?|ulubione|oblibene|lista-de-(?:deseos|desejos)|onskelista)/?$",
    re.IGNORECASE,
)
_NOTED = re.compile(
    rf"{_OWN}(?:wish ?list|favou?rites|saved items|saved for later|wunsch(?:liste|zettel)"
    r"|merk(?:liste|zettel)|favoriten|favorieten|verlanglijst(?:je)?|favoris|listes? (?:d['’]envies|de souhaits)"
    r"|lista de (?:deseos|desejos)|favoritos|lista (?:dei )?desideri|preferiti|ulubione|lista życzeń|oblíbené"
    r"|seznam přání|önskelista|favoriter|ønskeliste|favoritter|toivelista|suosikit|kívánságlista|kedvencek"
    r"|favorilerim"
    r"|(?:product )?compar(?:e|ison)(?: products)?|(?:produkt)?vergleich(?:en|sliste)?|vergelijk(?:en|ing)?|comparer"
    r"|comparar|comparador|confronta|porówna(?:j|nie)|porovnání|porovnanie|jämför|sammenlign|vertaa|karşılaştır(?:ma)?"
    r"|сравнение(?: товаров)?|порівняння(?: товарів)?"
    r"|избранное|обране|список (?:желаний|бажань)|αγαπημένα|お気に入り|我的收藏|收藏夹|心愿单|찜 ?목록|위시리스트)"
    r"(?: ?\(\d+\))?",
    re.IGNORECASE,
)
#: A form by the last word of its address, or by a word that its query asks for: `?action=contact-us`.
_FORM = re.compile(
    r"(?:(?:user|customer|client|account)[-_]?)?(?:log|sign)[-_]?(?:in|on|up)|(?:user[-_]?)?regist(?:er|ration)"
    r"|(?:create|new|add)[-_]?(?:account|user)|contact(?:[-_]?us|s)?"
    r"|(?:forgot(?:ten)?|lost|reset|recover)[-_]?(?:your[-_]?)?password|password[-_]?(?:forgotten|reset|recovery)"
    r"|kontakt|anmeld(?:en|ung)|registrier(?:en|ung)|passwort[-_]?vergessen|contactez[-_]?nous|connexion"
    r"|inscription"
    r"|mot[-_]de[-_]passe[-_]oubli[eé]|contacto|registro|iniciar[-_]sesi[oó]n|contatti|accedi|registra(?:zione|ti)"
    r"|logowanie|rejestracja|inloggen|aanmelden|registreren|logga[-_]in|logg[-_]inn|log[-_]ind|belepes"
    r"|regisztracio",
    re.IGNORECASE,
)
#: What titles and headings call a page about the shop, its delivery or its charges.
_ABOUT = re.compile(
    r"(?:frequently asked questions|faqs?|häufig(?:e|ste) (?:gestellte )?fragen|foire aux questions"
    r"|questions fréquentes|preguntas frecuentes|domande frequenti|perguntas frequentes|veelgestelde vragen"
    r"|najczęściej zadawane pytania|časté (?:dotazy|otázky)|vanliga frågor|ofte stil(?:te spørsmål|lede spørgsmål)"
    r"|usein kysyt\w+(?: kysymykset)?|gyakori kérdések|gyik|întrebări frecvente|συχνές ερωτήσεις"
    r"|sıkça sorulan sorular|част(?:о задаваемые вопросы|і (?:за)?питання)|よくある(?:ご)?質問|자주 ?묻는 ?질문"
    r"|常[见見][问問][题題]|câu hỏi thường gặp"
    r"|about(?: us)?|our story|über uns|qui sommes[- ]nous ?\??|à propos(?: de nous)?|sobre (?:nós|nosotros)"
    r"|quiénes somos|chi siamo|over ons|o n[aá]s|om oss?|tietoa meistä|rólunk|despre noi|hakkımızda|(?:о|про) нас"
    r"|会社概要|회사 ?소개|关于我们|關於我們|về chúng tôi"
    r"|(?:preise|eintrittspreise)(?: (?:und|&) \w+)?|preisliste|price list|our prices|tarifs(?: et \w+)?|prijzen"
    r"|tarieven|cennik|ceník|cenník|prislista|prisliste|hinnasto|árlista|listino prezzi|tarifas|прайс-лист)"
    r"(?: ?\(faqs?\))?",
    re.IGNORECASE,
)
#: Keys of a query that name the page; others, `utm_campaign=signup`, tell where a visitor comes from.
_PAGE_KEYS = frozenset(
    {"action", "act", "do", "mode", "page", "view", "route", "main_page", "task", "section", "controller", "cmd", "op",
     "p", "pg", "m", "dispatch"}
)  # fmt: skip
_PRODUCT_PATH = re.compile(
    r"/(?:products?|p|dp|item|itm|pd|pdp|product-detail|artikel|produkt|produit|producto|prodotto|listing"
    r"|goods|deal)/[^/]+",
    re.IGNORECASE,
)


def _path(facts: Facts) -> str:
    """Return the path of the address; nothing for that of a product: baskets are sold, and so are watches called so."""
    parts = urlsplit_or_empty(facts.url)
    return parts.path if parts and not is_product_path(parts.path) else ""


def is_product_path(path: str) -> bool:
    """Say whether a path names the kind of page of one product."""
    return _PRODUCT_PATH.search(path) is not None


def errand(facts: Facts) -> tuple[str, str] | None:
    """Return the reason and the words where a page is there for something else than to sell, None elsewhere."""
    if is_cart(facts):
        return "cart", "a cart or a checkout, not a page that sells one product"
    if is_form(facts):
        return "form", "a form to log in, to register or to write, not a page that sells"
    if _path(facts) and _is_called(facts, _ABOUT):
        return "about", "a page about the shop, its delivery or its charges, not one that sells a product"
    return None


def is_cart(facts: Facts) -> bool:
    """Say whether a page is a cart, a checkout, an order or an account: the prices are those of what was put there."""
    path = _path(facts)
    if not path:
        return False
    if _CART_PATH.search(path) or _ACCOUNT_PATH.search(path) or _CART_CLASS.search(facts.body_class):
        return True
    return _is_called(facts, _CART_TITLE) or _is_called(facts, _ORDER_TITLE)


def is_wishlist(facts: Facts) -> bool:
    """Say whether a page lists what a visitor noted for later: even one product there is a list."""
    path = _path(facts)
    return bool(path) and (_NOTED_PATH.search(path) is not None or _is_called(facts, _NOTED))


def _is_called(facts: Facts, words: re.Pattern[str]) -> bool:
    """Say whether the title, up to the name of the shop, or the only heading says just that."""
    titled = re.split(r"\s+[-–—|:·]\s+", facts.title.strip(), maxsplit=1)[0]
    headed = facts.headings[0][0] if len(facts.headings) == 1 else ""
    return words.fullmatch(titled) is not None or words.fullmatch(headed) is not None


def is_form(facts: Facts) -> bool:
    """Say whether a page is there to log in, to register or to write to the shop."""
    last = _path(facts).rstrip("/").rpartition("/")[2].partition(".")[0]
    asked = (value.rpartition("/")[2] for key, value in facts.query.items() if key in _PAGE_KEYS)
    return any(map(_FORM.fullmatch, (last, *asked)))
