"""Where a product page begins to offer other products: the line of words over them.

Names of elements tell it on most pages (`names.elsewhere`); where they do not, the words over the block do. What
stands behind them is judged lower, never left out: a shop may write its own price below such a block.
"""

import re

from monitor.extract.vocabulary import any_of, branches

LONGEST = 150  #: characters of a line of such words at most
BEHIND = 9_000  #: characters behind the product's name in which the words are looked for

#: A short line that begins with such words, lower case. Add languages, never sites.
_OVER_OTHERS = (
    r"(?:see |view |compare )?(?:all |other |more )(?:sellers|offers)|(?:andere|weitere) (?:anbieter|angebote)"
    r"|autres (?:vendeurs|offres)|(?:altri venditori|altre offerte)|(?:otros vendedores|otras ofertas)"
    r"|outros vendedores|outras ofertas|andere (?:verkopers|aanbiedingen)|inn[ei] (?:oferty|sprzedawcy)|další nabídky"
    r"|інші (?:продавці|пропозиції)|другие (?:продавцы|предложения)|diğer satıcılar|alți vânzători"
    r"|muut (?:ostivat|katsoivat)|viimeksi katso|подобни продукти|свързани продукти|slični proizvodi|povezani proizvodi"
    r"|podobni izdelki|panašios prekės|līdzīg|sarnased|produk (?:lain|serupa|terkait)"
    r"|sản phẩm (?:tương tự|liên quan|đã xem)|สินค้า(?:ที่คุณ|ที่ดู|ที่เกี่ยวข้อง|แนะนำ|ใกล้เคียง)"
    r"|منتجات (?:قد|ذات|مشابهة)|قد يعجبك|מוצרים (?:דומים|נוספים|קשורים)"
    r"|related (?:products|items|articles)|you (?:may|might)(?: also)? (?:like|love|be interested)"
    r"|(?:customers|people|shoppers|others) (?:who |also |that )?(?:bought|viewed|purchased|also|like)"
    r"|(?:[0-9]+ )?other products (?:in|from|you)|similar (?:products|items|designs|styles)|bestsellers\b"
    r"|our bestsellers|top deals|trending (?:now|this)|pairs with|shop similar"
    r"|wird gern(?:e)? |dazu passt|oft zusammen|topseller|meistverkauft|unsere bestseller|nos best|à découvrir aussi"
    r"|complétez|más vendidos|completa (?:tu|il)|combina con|i più venduti|abbina con|ook leuk|combineer|vaak samen"
    r"|leuk voor|bestverkocht|passer til|passar (?:till|bra)|köp till|mest sålda|kjøp også|sopii|bestsellery|pasuje do"
    r"|kup razem|nejprodávanější|hodí se|najpredávanejšie|mais vendidos|compre junto|complete o|хиты продаж|дополните"
    r"|беру[тщ] вместе|часто покупают|популярные товары|birlikte al|çok satanlar|人気(?:商品|ランキング)|合わせて"
    r"|一緒に"
    r"|recommended (?:for you|products|items)|recommendations|recently viewed|frequently bought|often bought"
    r"|more from"
    r"|complete (?:the|your) (?:look|set)|(?:pairs|goes) well with|try these|popular right now|we also recommend"
    r"|ähnliche (?:produkte|artikel)|(?:das|dies) könnte"
    r"|(?:andere )?kunden(?:,| kauften| haben| interessierten| die)|passend dazu"
    r"|zuletzt angesehen|wird oft zusammen|unsere empfehlung|produits (?:similaires|associés|complémentaires)"
    r"|vous (?:aimerez|pourriez)"
    r"|les clients|(?:[0-9]+ )?autres produits|récemment consulté|productos (?:relacionados|similares)"
    r"|también te puede"
    r"|quienes compraron|los clientes|te recomendamos|prodotti (?:correlati|simili)"
    r"|potrebbe(?:ro)? (?:interessar|piacer)"
    r"|chi ha (?:acquistato|visto)|gerelateerde|anderen (?:bekeken|kochten)|misschien vind|vergelijkbare"
    r"|recent bekeken"
    r"|podobne produkty|produkty (?:powiązane|podobne)|(?:inni )?klienci|polecane|ostatnio (?:oglądane|przeglądane)"
    r"|související|podobné (?:produkty|zboží)|mohlo by|zákazníci|mohlo by sa|súvisiace|похожие товары|с этим товаром"
    r"|рекомендуем|вы (?:недавно )?смотрели|сопутствующие|вам (?:может|могут)|схожі товари|разом з цим"
    r"|produtos (?:relacionados|similares)|quem (?:viu|comprou)|você também|talvez|relaterade|liknande"
    r"|andra (?:köpte|kunder)"
    r"|du kanske|lignende|andre (?:kjøpte|kunder|købte)|relatert|relaterede|samankaltais|asiakkaat|hasonló termékek"
    r"|kapcsolódó|mások ezt|produse (?:similare|asemănătoare)|s-ar putea|benzer ürünler|bunu alanlar|ilgili ürünler"
    r"|σχετικά προϊόντα|παρόμοια|関連商品|この商品を|おすすめ商品|관련 ?상품|함께 ?(?:구매|본)|추천 ?상품"
    r"|相关商品|相關商品|猜你喜欢|看了又看|推薦商品|你可能"
)
_LINE = re.compile(rf"\n ?(?:{any_of(branches(_OVER_OTHERS))})[^\n]{{0,50}}\n")


def begins(lower: str, heading: int | None, buys: tuple[int, ...], last: int) -> int | None:
    """Return the offset of the first words over other products behind the name and its buy control, None for none.

    Args:
        lower: the visible text in lower case.
        heading: where the product's name stands.
        buys: where its buy controls stand, ascending.
        last: the offset behind which nobody asks.
    """
    if heading is None:
        return None
    after = next((buy for buy in buys if buy >= heading), heading)
    if last <= after:
        return None
    found = _LINE.search(lower, after, min(heading + BEHIND, last + LONGEST))
    return found.start() if found else None
