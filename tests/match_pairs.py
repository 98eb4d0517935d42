"""Pairs of our product and a rival's listing, and whether they are the same: one row a pair, hard ones included.

`same` pairs are how two shops really name one thing: word order, units, languages, brand in the title or beside it.
`other` pairs are the ones that similar titles hide: another size, pack, colour, model, scent, condition, an accessory.
Everything in it is made up.
"""

from dataclasses import dataclass
from decimal import Decimal

from monitor.domain.catalogue import Product
from monitor.domain.match import Listing, Verdict, compare, profile_of_listing, profile_of_product


@dataclass(frozen=True, slots=True)
class Pair:
    """One pair and what it is."""

    is_same: bool
    own: Product
    rival: Listing

    @property
    def verdict(self) -> Verdict:
        """What the comparison says."""
        return compare(profile_of_product(self.own), profile_of_listing(self.rival))


def _product(text: str) -> Product:
    title, *facts = (part.strip() for part in text.split("|"))
    given = dict(fact.split("=", 1) for fact in facts)
    options = tuple(each for each in given.pop("options", "").split(";") if each)
    return Product(
        sku="x", title=title, currency="EUR", price=Decimal(given.pop("price", "20")), options=options, **given
    )


def _listing(text: str) -> Listing:
    title, *facts = (part.strip() for part in text.split("|"))
    given = dict(fact.split("=", 1) for fact in facts)
    options = tuple(each for each in given.pop("options", "").split(";") if each)
    price = Decimal(given.pop("price")) if "price" in given else None
    return Listing("https://rival.example/p", title, options=options, price=price, currency="EUR", **given)


def _pairs(is_same: bool, text: str) -> tuple[Pair, ...]:
    rows = (line.split("~") for line in text.strip().splitlines() if "~" in line)
    return tuple(Pair(is_same, _product(own), _listing(rival)) for own, rival in rows)


SAME = _pairs(
    True,
    """
Trail Mug 16 oz | brand=Ridge ~ Ridge Trail Mug, 16oz
Trail Mug 16 oz | brand=Ridge ~ Trail mug by Ridge 473 ml
Trail Mug 16 oz blue | brand=Ridge ~ RIDGE Trail Mug - Blue - 16 oz.
Trail Mug | brand=Ridge | options=Blue;16 oz ~ Ridge Trail Mug blau 16oz
Olive oil soap 100 g | brand=Ellia ~ Ellia Olive Oil Soap 100g
Lavender body lotion 250 ml | brand=Ellia ~ Ellia Body Lotion Lavender 250ml
Lavender body lotion 250 ml | brand=Ellia ~ Ellia Body Lotion Lavendel 0,25 l
Cold brew coffee 12 x 330 ml | brand=Nordlicht ~ Nordlicht Cold Brew Coffee 330ml (12 pack)
Cold brew coffee 12 x 330 ml | brand=Nordlicht ~ Nordlicht Cold Brew Coffee 12x330ml
Cold brew coffee 330 ml | brand=Nordlicht ~ Cold Brew Coffee Nordlicht 33 cl
WH-900X wireless headphones black | brand=Sonara ~ Sonara WH900X Wireless Headphones Black
WH-900X wireless headphones | brand=Sonara | mpn=WH900X/B ~ Sonara WH-900X | brand=Sonara | mpn=WH900XB
Trekking boot Alp 41 | brand=Grat | mpn=GR-TB-41 ~ Grat Wanderschuh Alp Gr. 41 | brand=Grat | mpn=GRTB41
Espresso beans 1 kg | brand=Rösterei Mond ~ Rösterei Mond Espresso Beans 1000 g
Espressobohnen 1 kg | brand=Mond ~ MOND Espressobohnen, 1kg Beutel
Magnesium 400 mg 120 Kapseln | brand=Vitalis ~ Vitalis Magnesium 400mg - 120 Kapseln
Magnesium 400 mg 120 capsules | brand=Vitalis ~ Vitalis Magnesium 400 mg, 120 caps
Vitamin D3 2000 IU 90 tablets | brand=Vitalis ~ Vitalis Vitamin D3 2000 IE 90 Tabletten
Whey protein vanilla 2 lb | brand=Kraft ~ Kraft Whey Protein Vanille 907 g
Whey protein chocolate 1 kg | brand=Kraft ~ Kraft Whey Protein Schokolade 1kg
Merino base layer women M | brand=Fjord ~ Fjord Women's Merino Base Layer - M
Merino base layer | brand=Fjord | options=Black;M ~ Fjord Merino Base Layer Black M
Merino base layer | brand=Fjord | options=Black;M ~ Fjord Merino Base Layer schwarz, Größe M
T-shirt organic cotton white L | brand=Vela ~ Vela T-Shirt Organic Cotton White L
Running socks grey 3 pairs | brand=Fjord ~ Fjord Running Socks gray 3 pairs
Power bank 20000 mAh 65 W | brand=Voltix ~ Voltix Power Bank 20.000mAh 65W
USB-C cable 2 m | brand=Voltix ~ Voltix USB-C Cable 2m
SSD 1 TB | brand=Datum | mpn=DT-S1000 ~ Datum SSD 1TB DTS1000
SSD X5 1 TB | brand=Datum ~ Datum X5 SSD 1 TB
LED bulb E27 9 W 806 lm | brand=Lux ~ Lux LED Bulb 9W E27 806lm
Dog food chicken 12 kg | brand=Pfote ~ Pfote Dog Food Chicken 12kg
Cat litter 10 l | brand=Pfote ~ Pfote Cat Litter 10 L
Shampoo 500 ml refill | brand=Ellia ~ Ellia Shampoo Refill 500ml
Shampoo 500 ml refill | brand=Ellia ~ Ellia Shampoo Nachfüllpack 500 ml
Face cream SPF 30 50 ml | brand=Ellia ~ Ellia Face Cream SPF30 50ml
Savon de Marseille 300 g | brand=Provence ~ Provence Savon de Marseille 300g
Crème mains lavande 75 ml | brand=Provence ~ Provence crème mains à la lavande 75ml
Aceite de oliva virgen extra 500 ml | brand=Sol ~ Sol Aceite de Oliva Virgen Extra 0,5 L
Pasta di semola 6 x 500 g | brand=Grano ~ Grano pasta di semola 500 g x 6
Кружка походная 350 мл синяя | brand=Ridge ~ Ridge Кружка походная синяя 350мл
Hand grinder steel | brand=Mond | gtin=4006381333931 ~ Mond Handmühle Stahl | gtin=4006381333931
Hand grinder steel | brand=Mond | gtin=036000291452 ~ MOND coffee mill manual | gtin=0036000291452
Tea organic 20 bags | brand=Blatt | gtin=4006381333931 ~ Blatt Bio Tee 20 Beutel | gtin=04006381333931
Kids helmet red S | brand=Rolo ~ Rolo Kids Helmet Red S
Bike lock 1000 230 mm | brand=Rolo ~ Rolo Bike Lock 1000 230mm
Chain lock 8 mm 110 cm | brand=Rolo ~ Rolo Chain Lock 110cm 8mm
Sleeping bag -5 °C | brand=Grat ~ Grat Sleeping Bag -5°C
Yoga mat 183 x 61 cm green | brand=Asana ~ Asana Yoga Mat green 183x61cm
Candle vanilla 220 g set of 3 | brand=Lumen ~ Lumen Candle Vanilla 220g 3-pack
Wet wipes 80 pack of 6 | brand=Vela ~ Vela Wet Wipes 80 (6 pack)
Milk frother black | brand=Mond ~ Mond Milk Frother, Black
Notebook A5 dotted | brand=Papyr ~ Papyr Notebook A5 dotted
Notebook A5 dotted black | brand=Papyr ~ Papyr A5 Notebook dotted schwarz
Fountain pen M nib blue | brand=Papyr | mpn=FP-210-M ~ Papyr fountain pen blue | mpn=FP210M | brand=Papyr
Sunscreen 6 fl oz | brand=Sol ~ Sol Sunscreen 177 ml
Granola 1.5 lb | brand=Mond ~ Mond Granola 680 g
Dish soap 0.5 gal | brand=Vela ~ Vela Dish Soap 64 fl oz
Garden hose 25 m | brand=Quell ~ Quell Garden Hose 25m
Protein bar 12 x 60 g | brand=Kraft ~ Kraft Protein Bar 60g, pack of 12
Teddy bear 30 cm brown | brand=Kuschel ~ Kuschel Teddy Bear brown 30cm
""",
)
OTHER = _pairs(
    False,
    """
Trail Mug | brand=Ridge ~ Ridge Trail Mug 6-pack
Trail Mug | brand=Ridge ~ Ridge Trail Mug Set of 2
Trail Mug 16 oz blue | brand=Ridge ~ Ridge Trail Mug 12 oz blue
Trail Mug 16 oz blue | brand=Ridge ~ Ridge Trail Mug 16 oz red
Trail Mug 16 oz blue | brand=Ridge ~ Ridge Trail Mug 16 oz rot
Trail Mug 16 oz | brand=Ridge ~ Ridge Trail Mug 20 oz
Trail Mug 16 oz | brand=Ridge ~ Lid for Ridge Trail Mug 16 oz
Trail Mug 16 oz | brand=Ridge ~ Summit Trail Mug 16 oz | brand=Summit
Trail Mug 16 oz | brand=Ridge ~ Ridge Trail Mug 16 oz (used)
Trail Mug 16 oz | brand=Ridge ~ Ridge Trail Mug 16 oz | condition=refurbished
Olive oil soap 100 g | brand=Ellia ~ Ellia Olive Oil Soap 3 x 100g
Olive oil soap 100 g | brand=Ellia ~ Ellia Olive Oil Soap 60g
Lavender soap 100 g | brand=Ellia ~ Ellia Rosemary Soap 100 g
Lavendelseife 100 g | brand=Ellia ~ Ellia Rosenseife 100 g
Lavender body lotion 250 ml | brand=Ellia ~ Ellia Body Lotion Vanilla 250ml
Lavender body lotion 250 ml | brand=Ellia ~ Ellia Lavender Shower Gel 250 ml
Cold brew coffee 12 x 330 ml | brand=Nordlicht ~ Nordlicht Cold Brew Coffee 330ml
Cold brew coffee 12 x 330 ml | brand=Nordlicht ~ Nordlicht Cold Brew Coffee 6x330ml
Cold brew coffee 330 ml | brand=Nordlicht ~ Nordlicht Cold Brew Coffee 250 ml
WH-900X headphones black | brand=Sonara ~ Sonara WH-900XS headphones black
WH-900X headphones black | brand=Sonara ~ Sonara WH-800X headphones black
WH-900X headphones black | brand=Sonara ~ Sonara WH-900X headphones silver
WH-900X headphones black | brand=Sonara ~ Case for Sonara WH-900X headphones black
WH-900X headphones black | brand=Sonara ~ Sonara WH-900X headphones black refurbished
WH-900X headphones black | brand=Sonara ~ Ersatz Ohrpolster für Sonara WH-900X schwarz
Phone 12 128 GB | brand=Sonara ~ Sonara Phone 12 256 GB
Phone 12 128 GB | brand=Sonara ~ Sonara Phone 12 Pro 128 GB
Phone 12 128 GB | brand=Sonara ~ Sonara Phone 13 128 GB
Phone 12 128 GB | brand=Sonara ~ Sonara Phone 12 Mini 128GB
Phone 12 128 GB | brand=Sonara ~ Hülle für Sonara Phone 12
Espresso beans 1 kg | brand=Mond ~ Mond Espresso Beans 250 g
Espresso beans 1 kg | brand=Mond ~ Mond Espresso Beans Decaf 1 kg
Espresso beans 1 kg | brand=Mond ~ Mond Filter Coffee Beans 1 kg
Magnesium 400 mg 120 capsules | brand=Vitalis ~ Vitalis Magnesium 400 mg 60 capsules
Magnesium 400 mg 120 capsules | brand=Vitalis ~ Vitalis Magnesium 200 mg 120 capsules
Vitamin D3 2000 IU 90 tablets | brand=Vitalis ~ Vitalis Vitamin D3 5000 IU 90 tablets
Vitamin D3 90 tablets | brand=Vitalis ~ Vitalis Vitamin B12 90 tablets
Whey protein vanilla 1 kg | brand=Kraft ~ Kraft Whey Protein Chocolate 1 kg
Whey protein vanilla 1 kg | brand=Kraft ~ Kraft Whey Protein Vanilla 2.27 kg
Whey protein vanilla 1 kg | brand=Kraft ~ Kraft Casein Protein Vanilla 1 kg
Merino base layer women M | brand=Fjord ~ Fjord Men's Merino Base Layer M
Merino base layer women M | brand=Fjord ~ Fjord Women's Merino Base Layer L
Merino base layer | brand=Fjord | options=Black;M ~ Fjord Merino Base Layer Black XL
Merino base layer | brand=Fjord | options=Black;M ~ Fjord Merino Base Layer | options=Navy;M
T-shirt organic cotton white L | brand=Vela ~ Vela T-Shirt Organic Cotton White 3 Pack L
Running socks grey 3 pairs | brand=Fjord ~ Fjord Running Socks black 3 pairs
Running shoe 42 | brand=Fjord | options=42 ~ Fjord Running Shoe Gr. 43
Power bank 20000 mAh 65 W | brand=Voltix ~ Voltix Power Bank 10000 mAh 65W
Power bank 20000 mAh 65 W | brand=Voltix ~ Voltix Power Bank 20000 mAh 22.5 W
USB-C cable 2 m | brand=Voltix ~ Voltix USB-C Cable 1 m
USB-C cable 2 m | brand=Voltix ~ Voltix USB-C Cable 2m (2-pack)
SSD X5 1 TB | brand=Datum ~ Datum X5 SSD 2 TB
SSD X5 1 TB | brand=Datum ~ Datum X7 SSD 1 TB
LED bulb E27 9 W | brand=Lux ~ Lux LED bulb E14 9 W
LED bulb E27 9 W | brand=Lux ~ Lux LED bulb E27 6 W
Dog food chicken 12 kg | brand=Pfote ~ Pfote Cat Food Chicken 12 kg
Dog food chicken 12 kg | brand=Pfote ~ Pfote Dog Food Chicken 3 kg
Dog food chicken 12 kg | brand=Pfote ~ Pfote Dog Food Salmon 12 kg
Shampoo 500 ml | brand=Ellia ~ Ellia Shampoo Refill 500 ml
Shampoo 500 ml | brand=Ellia ~ Ellia Conditioner 500 ml
Shampoo 500 ml | brand=Ellia ~ Ellia Shampoo travel size 50 ml
Face cream SPF 30 50 ml | brand=Ellia ~ Ellia Face Cream SPF 50 50 ml
Savon de Marseille 300 g | brand=Provence ~ Provence Savon de Marseille lot de 4 x 300 g
Crème mains lavande 75 ml | brand=Provence ~ Provence crème mains rose 75 ml
Aceite de oliva 500 ml | brand=Sol ~ Sol Aceite de Oliva 1 L
Pasta 6 x 500 g | brand=Grano ~ Grano Pasta 500 g
Кружка 350 мл синяя | brand=Ridge ~ Ridge Кружка 350 мл красная
Миноксидил 2% 125 мл | brand=Rogan ~ Rogan Миноксидил 5% 125 мл
Hand grinder steel | brand=Mond | gtin=4006381333931 ~ Mond hand grinder steel | gtin=4006381333948
Hand grinder steel | brand=Mond | gtin=4006381333931 ~ Mond hand grinder steel | gtin=14006381333938
Hand grinder steel | brand=Mond | gtin=4006381333931 ~ Mond hand grinder steel 4-pack | gtin=4006381333931
Kids helmet red S | brand=Rolo ~ Rolo Kids Helmet Red M
Kids helmet red S | brand=Rolo ~ Rolo Helmet Red S men
Bike lock 1000 230 mm | brand=Rolo ~ Rolo Bike Lock 1000 300 mm
Bike lock 47 230 mm | brand=Rolo ~ Rolo Bike Lock 54 230 mm
Chain lock 8 mm 110 cm | brand=Rolo ~ Rolo Chain Lock 8 mm 85 cm
Yoga mat 183 x 61 cm green | brand=Asana ~ Asana Yoga Mat 200 x 80 cm green
Candle vanilla 220 g | brand=Lumen ~ Lumen Candle Vanilla 220g Gift Set
Milk frother black | brand=Mond ~ Mond Milk Frother white
Notebook A5 dotted | brand=Papyr ~ Papyr Notebook A4 dotted
Notebook A5 dotted | brand=Papyr ~ Papyr Notebook A5 lined
Fountain pen blue | brand=Papyr | mpn=FP-210-M ~ Papyr fountain pen blue FP-210-F | mpn=FP210F | brand=Papyr
Sunscreen 6 fl oz | brand=Sol ~ Sol Sunscreen 3 fl oz
Granola 1.5 lb | brand=Mond ~ Mond Granola 12 oz
Jeans 501 blue | brand=Denim Co ~ Denim Co Jeans 505 blue
Jeans 501 blue | brand=Denim Co ~ Denim Co Jeans 501 black
Printer ink 304 black | brand=Tintex ~ Tintex Printer Ink 304XL black
Printer ink 304 black | brand=Tintex ~ Tintex Printer Ink 305 black
Calendar 2026 | brand=Papyr ~ Papyr Calendar 2027
Vacuum V8 | brand=Saug ~ Saug Vacuum V10
Vacuum V8 | brand=Saug ~ Saug filter for Vacuum V8
Drill 18 V 2 Ah | brand=Bohr ~ Bohr Drill 12 V 2 Ah
Drill 18 V set with 2 batteries | brand=Bohr ~ Bohr Drill 18 V body only
Glove left M | brand=Rolo ~ Rolo Glove right M
Tea green 100 g | brand=Blatt ~ Blatt Tea black 100 g
Tea mint 20 bags | brand=Blatt ~ Blatt Tea mint 50 bags
Protein bar 60 g | brand=Kraft ~ Kraft Protein Bar 12 x 60 g
Teddy bear 30 cm | brand=Kuschel ~ Kuschel Teddy Bear 60 cm
Perfume 50 ml | brand=Lumen ~ Lumen Perfume 50 ml Tester
Headlamp 300 lm | brand=Grat ~ Grat Headlamp 500 lm
Sleeping bag -5 °C | brand=Grat ~ Grat Sleeping Bag -15 °C
""",
)
PAIRS = SAME + OTHER

#: Written after the first rules, as other people's goods; it showed which kinds those rules had missed.
SECOND = _pairs(
    True,
    """
Espresso machine Classic 15 bar | brand=Moka ~ Moka Classic Espresso Machine, 15 bar
Garden shears 20 cm | brand=Holm ~ Holm garden shears 20cm
Insulated bottle 750 ml matte black | brand=Holm ~ Holm Insulated Bottle Matte Black 0.75 L
Cordless drill CD-18 | brand=Bohr | mpn=CD18-2 ~ Bohr Akku-Bohrschrauber CD 18-2 | brand=Bohr | mpn=CD-18-2
Baby wipes sensitive 72 | brand=Nube ~ Nube Sensitive Baby Wipes 72
Nappies size 4 44 pcs | brand=Nube ~ Nube Nappies Size 4, 44 pcs
Hand soap refill 1 l | brand=Nube ~ Nube Hand Soap Refill Pouch 1000 ml
Rain jacket women navy M | brand=Skag ~ Skag Women's Rain Jacket Navy M
Rain jacket | brand=Skag | options=Navy;M ~ Skag Rain Jacket marineblau M
Bluetooth speaker Boom 3 red | brand=Klang ~ Klang Boom 3 Bluetooth Speaker Red
Bluetooth speaker Boom 3 red | brand=Klang ~ Klang Boom 3 Bluetooth-Lautsprecher rot
Desk lamp Arc white | brand=Lux ~ Lux Arc desk lamp, white
Chili sauce 5 fl oz | brand=Fuego ~ Fuego Chili Sauce 148 ml
Peanut butter crunchy 12 oz | brand=Nussig ~ Nussig Crunchy Peanut Butter 340 g
Oat drink 6 x 1 l | brand=Hafer ~ Hafer Oat Drink 1L, 6 pack
Huile d'argan 50 ml | brand=Souss ~ Souss Huile d'Argan 50ml
Sapone liquido lavanda 300 ml | brand=Orto ~ Orto sapone liquido alla lavanda 300 ml
Zahnpasta Minze 75 ml | brand=Weiss ~ Weiss Zahnpasta Minze 75ml
Носки шерстяные 42 | brand=Север ~ Север носки шерстяные р. 42
Wool blanket 140 x 200 cm grey | brand=Skag ~ Skag Wool Blanket Grey 140x200 cm
Bicycle bell brass | brand=Kling | gtin=4006381333931 ~ Kling Fahrradklingel Messing | gtin=4006381333931
Kettle 1.7 l | brand=Moka ~ Moka Kettle 1,7 L
Puzzle forest 1000 pieces | brand=Spiel ~ Spiel Puzzle Forest 1000 pieces
Board game Harbour | brand=Spiel ~ Spiel Harbour board game
Cat tree beige 120 cm | brand=Pfote ~ Pfote Cat Tree 120cm beige
""",
) + _pairs(
    False,
    """
Espresso machine Classic 15 bar | brand=Moka ~ Moka Classic Espresso Machine 9 bar
Garden shears 20 cm | brand=Holm ~ Holm garden shears 25 cm
Insulated bottle 750 ml | brand=Holm ~ Holm Insulated Bottle 500 ml
Insulated bottle 750 ml | brand=Holm ~ Holm Bottle cap for Insulated Bottle 750 ml
Cordless drill CD-18 | brand=Bohr ~ Bohr cordless drill CD-12
Baby wipes sensitive 72 | brand=Nube ~ Nube Sensitive Baby Wipes 12 x 72
Nappies size 4 44 pcs | brand=Nube ~ Nube Nappies Size 5, 44 pcs
Nappies size 4 44 pcs | brand=Nube ~ Nube Nappies Size 4, 88 pcs
Hand soap 250 ml | brand=Nube ~ Nube Hand Soap 250 ml pack of 3
Rain jacket women navy M | brand=Skag ~ Skag Rain Jacket Men Navy M
Rain jacket women navy M | brand=Skag ~ Skag Rain Trousers Women Navy M
Bluetooth speaker Boom 3 red | brand=Klang ~ Klang Boom 2 Bluetooth Speaker Red
Bluetooth speaker Boom 3 red | brand=Klang ~ Klang Boom 3 Mini Bluetooth Speaker Red
Bluetooth speaker Boom 3 red | brand=Klang ~ Klang Boom 3 Bluetooth Speaker Red B-Ware
Bluetooth speaker Boom 3 red | brand=Klang ~ Carry case for Klang Boom 3 red
Desk lamp Arc white | brand=Lux ~ Lux Arc floor lamp white
Desk lamp Arc white | brand=Lux ~ Lux Arc desk lamp black
Chili sauce 5 fl oz | brand=Fuego ~ Fuego Chili Sauce 10 fl oz
Peanut butter crunchy 340 g | brand=Nussig ~ Nussig Smooth Peanut Butter 340 g
Oat drink 6 x 1 l | brand=Hafer ~ Hafer Oat Drink 1 L
Oat drink 1 l | brand=Hafer ~ Hafer Soy Drink 1 L
Oat drink 1 l | brand=Hafer ~ Hafer Oat Drink Barista 1 L
Huile d'argan 50 ml | brand=Souss ~ Souss Huile d'Argan 100 ml
Sapone liquido lavanda 300 ml | brand=Orto ~ Orto sapone liquido limone 300 ml
Zahnpasta Minze 75 ml | brand=Weiss ~ Weiss Zahnpasta Minze Doppelpack 75 ml
Носки шерстяные 42 | brand=Север ~ Север носки шерстяные 2 пары 42
Wool blanket 140 x 200 cm grey | brand=Skag ~ Skag Wool Blanket grey 180 x 220 cm
Bicycle bell brass | brand=Kling | gtin=4006381333931 ~ Kling bicycle bell brass 10 pieces | gtin=4006381333931
Kettle 1.7 l | brand=Moka ~ Moka Kettle 1.0 l
Puzzle forest 1000 pieces | brand=Spiel ~ Spiel Puzzle Forest 500 pieces
Puzzle forest 1000 pieces | brand=Spiel ~ Spiel Puzzle Harbour 1000 pieces
Board game Harbour | brand=Spiel ~ Spiel Harbour board game expansion
Cat tree beige 120 cm | brand=Pfote ~ Pfote Cat Tree 160 cm beige
Tent 2 person | brand=Grat ~ Grat Tent 3 person
Watch 40 mm | brand=Zeit ~ Zeit Watch 44 mm
Watch 40 mm | brand=Zeit ~ Zeit Strap for Watch 40 mm
Router AX3000 | brand=Netz ~ Netz Router AX1800
Ink bottle blue 50 ml | brand=Papyr ~ Papyr Ink Bottle black 50 ml
Ski pole 120 cm | brand=Grat ~ Grat Ski Pole 125 cm
Monitor 27 inch | brand=Sonara ~ Sonara Monitor 24 inch
""",
)
