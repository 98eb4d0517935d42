"""The vocabulary of controls and links that buy, in the languages of `words.py`. Add words, never sites."""

import re

from monitor.extract.vocabulary import Sieve, Vocabulary

#: Labels of controls and links that buy.
BUY = Vocabulary(
    r"add (?:item )?to (?:my |your |shopping )?(?:cart|bag|basket|trolley|order)|buy now|buy it now|buy$|add$",
    r"add for (?:delivery|collection)|add to order|入札|enchérir|mitbieten|gebot abgeben|pujar|bod plaatsen|lägg bud"
    r"|licytuj|fai un'offerta|сделать ставку"
    r"|purchase|order now|place (?:a )?bid|bid now|commander|commandez|beställ|bestill|bestil\b|tilaa|objednat"
    r"|objednať",
    r"zamów|rendelés|megrendel|заказать|оформить заказ|comandă|поръчай|naruči|παραγγελ|اطلب|להזמין|đặt hàng"
    r"|đặt mua|สั่งซื้อ",
    r"ご注文|注文する|立即订购|立即购买|放入購物車|放入购物车|주문하기|pesan sekarang|sipariş|kupić|kup\b"
    r"|pridať do|vložit do|vložiť do",
    r"in den waren|in den einkauf|jetzt kaufen|kaufen|bestellen|ajouter au panier|ajouter|acheter|j'achète",
    r"añadir al|añadir a la|añadir$|agregar al|agregar a|agregar$|comprar|aggiungi$|hinzufügen$",
    r"adicionar|aggiungi al(?:la|lo)?\b|nel carrello|acquista|compra|toevoegen|winkelwagen|winkelmand|lägg i|köp"
    r"|læg i|køb"
    r"|kjøp|legg i|setja í|í körfu",
    r"keranjang|beli sekarang|beli langsung|tambah ke|masukkan ke",
    r"lisää|osta\b|do koszyka|kup teraz|kupi\b|naroči|pirkti|замов",
    r"do košík|koupit|kúpiť|v košarico|dodaj|u košaricu|купить|в корзину|добав|купи|kosárba|megvesz|καλάθι",
    r"sepete|ostukorvi|grozā|krepšel",
    r"カート|かごに入れ|カゴに入れ|購入|加入購物車|立即購買|直接購買|我要購買|加入购物车",
    r"adaug[ăa]|cumpăr|cumpara|добави|додај|додати|shto në|lisa ostukorvi|pievienot|į krepšelį",
    r"أضف إلى|أضف الى|أضف لل|إضافة إلى|إضافة لل|اضف|اشتر|شراء|افزودن|خرید|जोड़ें|खरीद|หยิบใส่|ซื้อ",
    r"구매|장바구니|thêm vào|mua ngay|הוסף|הוספה|קנה|pre-?order|précommander|vorbestellen",
    r"put in (?:basket|cart|bag)|in die (?:einkaufs)?tasche|in den korb|mettre au panier|je commande|a la cesta",
    r"lo quiero|aggiungi alla borsa|ordina$|koop nu|kopen|voeg toe|bestel nu|kupuję|přidat$|în co[sș]"
    r"|в количката|αγορά$|αγόρασε",
    r"προσθήκη$|till varukorgen|lägg till$|tilføj til kurv|tilføj$|legg til$|lisa korvi|pirkt|u korpu|poruči"
    r"|приобрести",
    r"в кошик|до кошика|у кошик|satın al|hemen al|şimdi al|colocar no carrinho|chọn mua|mua$|ลงตะกร้า|ในตะกร้า",
    r"beli$|לרכישה|səbət|indi al|savat(?:ga|cha)|себетке|сатып алу|զամբյուղ|კალათა|ყიდვა|কার্টে|কিনুন|کارٹ|troli",
    r"add[-_]?to[-_]?(?:cart|bag|basket)|buy[-_]?now|buybutton|buy-button",
)
BUY_SIEVE = Sieve(BUY)
#: What is noted for later with words that also put things into a cart: "add to list", "agregar a favoritos".
_NOTED = re.compile(
    r"wish|favou?ri|favorit|\b(?:list[ae]?|lijst(?:je)?|lista)\b|envies|souhait|merk(?:zettel|liste)|wunsch|verlang|desideri"
    r"|preferiti|desejos|ulubion|oblíben|obľúben|избран|обран|suosik|kedvenc|kíván|favori|お気に入り|收藏|찜|yêu thích"
    r"|المفضلة|מועדפים|compar|vergleich|vergelij|porówn|porovn|сравн|порівн"
)


#: The cart itself with how many are in it: in the head of every page, by words that also put things there.
_CART = re.compile(r"\W*(?:winkelwagen|winkelmand(?:je)?|(?:το )?καλάθι|カート|장바구니|keranjang)\W{0,3}[0-9]+\b")


def says_buy(label: str) -> bool:
    """Say whether a control's label, in lower case, puts a product into the cart and not on a list of wishes."""
    return BUY.found(label) is not None and _NOTED.search(label) is None and _CART.match(label) is None
