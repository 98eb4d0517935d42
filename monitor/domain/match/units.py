"""The words for units, packs and pieces, in the languages of shops. Data for `quantity`, all in lower case."""

from dataclasses import dataclass
from fractions import Fraction

_OUNCE = Fraction("28.349523125")  #: g
_POUND = Fraction("453.59237")  #: g
_FLUID_OUNCE = Fraction("29.5735295625")  #: ml


@dataclass(frozen=True, slots=True)
class Unit:
    """One unit: how many of its kind's base unit it is."""

    kind: str
    factor: Fraction
    is_us: bool = False
    is_either: bool = False


def _units(kind: str, factor: Fraction | int, words: str, *, is_us: bool = False) -> dict[str, Unit]:
    unit = Unit(kind, Fraction(factor), is_us)
    return dict.fromkeys(words.split("|"), unit)


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split("|"))


UNITS: dict[str, Unit] = {
    **_units("g", Fraction(1, 1000), "mg|мг|milligram|milligramm|milligrammes"),
    **_units("g", 1, "g|gr|gm|gms|gram|grams|gramm|gramme|grammes|gramos|grammi|gramas|grammo|г|гр|грамм|克|グラム|γρ"),
    **_units("g", 1000, "kg|kgs|kilo|kilos|kilogram|kilogramm|kilogramme|kilogrammes|кг|公斤|千克|キロ|κιλ"),
    **_units("g", _POUND, "lb|lbs|pound|pounds|libra|libras|фунт", is_us=True),
    **_units("ml", 1, "ml|mls|мл|milliliter|millilitre|millilitres|millilitri|mililitros|毫升|ミリリットル|cc"),
    **_units("ml", 10, "cl|cls|сл|centiliter|centilitre|centilitres"),
    **_units("ml", 100, "dl|дл|deciliter"),
    **_units(
        "ml",
        1000,
        "l|lt|ltr|ltrs|liter|liters|litre|litres|litro|litros|litri|litr|litrów|литр|литра|литров|л|升|リットル",
    ),
    **_units("ml", _FLUID_OUNCE, "fl oz|fl. oz|floz|fluid ounce|fluid ounces|fl.oz|oz fl|fluid oz|oz liq", is_us=True),
    **_units("ml", _FLUID_OUNCE * 128, "gal|gallon|gallons", is_us=True),
    **_units("ml", _FLUID_OUNCE * 16, "pint|pints", is_us=True),
    **_units("ml", _FLUID_OUNCE * 32, "quart|quarts|qt", is_us=True),
    **dict.fromkeys(
        ("oz", "ounce", "ounces", "onza", "onzas", "once", "onces", "унция"), Unit("oz", Fraction(1), True, True)
    ),
    **_units("mm", 1, "mm|мм|millimeter|millimetre|毫米"),
    **_units("mm", 10, "cm|см|centimeter|centimetre|centimètres|centimetros|厘米"),
    **_units("mm", 1000, "m|meter|meters|metre|metres|metro|metros|metri|mètre|mètres|м|метр|метра|метров|米"),
    **_units(
        "mm",
        Fraction("25.4"),
        'in|inch|inches|zoll|pouces|pouce|pulgadas|pollici|tum|tuumaa|дюйм|дюймов|"|”|″',
        is_us=True,
    ),
    **_units("mm", Fraction("304.8"), "ft|feet|foot", is_us=True),
    **_units("MB", 1, "mb|мб"),
    **_units("MB", 1024, "gb|гб|go|gig"),
    **_units("MB", 1024 * 1024, "tb|тб|to"),
    **_units("W", 1, "w|watt|watts|вт"),
    **_units("W", 1000, "kw|квт"),
    **_units("V", 1, "v|volt|volts|в"),
    **_units("mAh", 1, "mah|мач|мaч"),
    **_units("mAh", 1000, "ah"),
    **_units("lm", 1, "lm|lumen|lumens|лм"),
    **_units("percent", 1, "%|percent|prozent"),
    **_units("den", 1, "den|denier|ден"),
    **_units("dpi", 1, "dpi"),
    **_units("°C", 1, "°c|° c|grad celsius"),
    **_units("Hz", 1, "hz|гц"),
    **_units("mbps", 1, "mbps|mbit"),
    **_units("bar", 1, "bar"),
    **_units("iu", 1, "iu|ie|ui|ме"),
    **_units("mcg", 1, "mcg|µg|μg|мкг"),
    **_units("kcal", 1, "kcal"),
    **_units("MP", 1, "mp|megapixel|мп"),
}

#: What follows a number of identical units: `6-pack`, `6er Set`, `3 Stück`.
PACK_AFTER = _set(
    "pack|packs|pairs|paar|paires|pares|paia|пары|пар"
    "|pk|pks|pcs|pc|pieces|piece|count|ct|units|unit|er pack|er-pack|er packung|er-packung|er set|er-set"
    "|erpack|er box|er-box|er vorteilspack|er-vorteilspack|stück|stueck|stk|stck|st|stuks|stuk|stks|pièces|pièce"
    "|pces|unités|unidades|unidade|unids|uds|ud|unid|unità|pezzi|pz|pz.|pezzo|szt|sztuk|sztuki|szt.|ks|kusů|kusy"
    "|kus|db|darab|шт|штук|штуки|шт.|бр|броя|adet|li paket|lü paket|lu paket|'li paket|'lı paket|個|個入|個セット"
    "|本|本セット|枚|個組|入り|кpl|kpl|kappaletta|styck|bottles|cans|flaschen|dosen|bouteilles|bottiglie|botellas"
    "|latas|sets|set|bucăți|buc|τεμάχια|τεμ|pak|pakke|pakken|-pak|rolls|rollen|rouleaux|multipack|lot|kom|kosov|tk"
    "|gab|vnt|vnt.|件|件装|只装|瓶装|包装"
)
#: What stands before a number of identical units: `pack of 6`, `lot de 3`.
PACK_BEFORE = _set(
    "pack of|packs of|set of|box of|case of|lot of|bundle of|pack à|packung mit|packung à|set mit|set à|karton à"
    "|vpe|lot de|pack de|paquet de|boîte de|coffret de|paquete de|caja de|juego de|set de|conjunto de|kit de"
    "|embalagem de|pacote de|caixa de|confezione da|confezione di|set da|set di|pacco da|cartone da|set van"
    "|verpakking van|pak van|doos van|zestaw|opakowanie|komplet|набор из|упаковка|комплект из|комплект|набор|balení"
    "|sada|förpackning med|set med|pakke med|sett med|sæt med|pakkauksessa|σετ|pachet|set din"
)
#: Words that are a number of packs by themselves.
PACK_WORDS = {
    "twin pack": 2,
    "twinpack": 2,
    "double pack": 2,
    "doppelpack": 2,
    "doppelpackung": 2,
    "duo pack": 2,
    "duopack": 2,
    "duo-pack": 2,
    "triple pack": 3,
    "dreierpack": 3,
    "dreier-pack": 3,
    "trio pack": 3,
    "lot de deux": 2,
    "pack of two": 2,
    "pack of three": 3,
    "pack of four": 4,
    "pack of six": 6,
    "set of two": 2,
    "set of three": 3,
    "set of four": 4,
    "set of six": 6,
    "half dozen": 6,
    "six pack": 6,
    "six-pack": 6,
    "sixpack": 6,
    "dozen": 12,
}
#: What is inside one unit; when one shop says how many and the other nothing, that is no contradiction.
PIECES = _set(
    "capsules|capsule|caps|kapseln|kapsel|gélules|cápsulas|капсул|капсулы|tablets|tablet|tabs|tabletten|comprimés"
    "|comprimidos|compresse|tabletek|таблеток|таблетки|tea bags|bags|teabags|teebeutel|sachets|bustine|beutel"
    "|пакетиков|wipes|tücher|sheets|blatt|feuilles|hojas|fogli|листов|loads|washes|waschladungen|wl|lavages|lavados"
    "|lavaggi|servings|portionen|portions|gummies|softgels|lozenges|pads|pods|doses|teile|teilig|tlg|deka|slices"
    "|pages|seiten|strips|patches|pflaster|ampoules|ampullen|pastilles|pastillen|bars|riegel"
)
#: More of it for the same price.
BONUS = _set("free|gratis|extra|more|mehr|offert|offerts|gratuit|gratuits|omaggio|бесплатно|в подарок")
