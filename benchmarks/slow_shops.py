"""Shops that answer after a while: every loopback address is one, so thousands of them need one port and one process.

    python benchmarks/slow_shops.py [--delay-ms 200] [--pages FOLDER]

Prints its port and serves until its standard input ends. `/p/N` of any shop is a product page, gzipped as real shops
do it; there is no robots.txt. Without a folder the pages are of our own making, 120 to 280 kB each.
"""

import argparse
import asyncio
import gzip
import itertools
import json
import sys
from pathlib import Path

#: Pages made; a shop's page N is one of them.
MADE = 24


def made_pages() -> list[bytes]:
    """Return product pages with the weight of real ones: menus, related products, scripts, and one price."""
    return [_made(number) for number in range(MADE)]


def _made(number: int) -> bytes:
    price = f"{20 + number * 3}.90"
    offer = {"@type": "Offer", "price": price, "priceCurrency": "EUR", "availability": "https://schema.org/InStock"}
    product = {"@context": "https://schema.org", "@type": "Product", "name": f"Rope {number}", "sku": f"R-{number}"}
    menu = "".join(
        f'<li class="nav__item"><a class="nav__link" href="/c/{n}/">Category {n}</a></li>' for n in range(250)
    )
    cards = "".join(
        f'<li class="card"><a href="/p/x{n}"><img loading="lazy" src="/i/{n}.webp" alt="Other rope {n}"></a>'
        f'<h3 class="card__title">Other rope {n}</h3><span class="price">{9 + n}.50 €</span></li>'
        for n in range(40)
    )
    script = ";".join(f'window.t{n}={{id:{n},path:"/a/{n}",on:!0}}' for n in range(1600 + number * 60))
    words = "".join(f"<p>Line {n}: holds a fall, dries fast, is light and lasts for years.</p>" for n in range(150))
    style = "".join(f".c{n}{{margin:{n % 9}px;color:#{n:06x}}}" for n in range(900))
    return f"""<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Rope {number} - Alpkontor</title>
<style>{style}</style><link rel="canonical" href="/p/{number}">
<script type="application/ld+json">{json.dumps(product | {"offers": offer})}</script></head>
<body class="product-page"><header><nav><ul>{menu}</ul></nav></header><main><h1>Rope {number}</h1>
<div class="buy"><span class="price price--now">{price} €</span><p class="stock">In stock</p>
<form action="/cart"><button type="submit">Add to cart</button></form></div>{words}</main>
<section class="related"><h2>Others bought</h2><ul>{cards}</ul></section>
<script>{script}</script></body></html>""".encode()


def pages_of(folder: Path | None) -> list[bytes]:
    """Return the pages that are served: saved ones, 400 at most, or made ones."""
    saved = sorted(folder.glob("*.html")) if folder else []
    return [file.read_bytes() for file in itertools.islice(saved, 400)] or made_pages()


class Visit(asyncio.Protocol):
    """One connection, kept open."""

    def __init__(self, answers: list[bytes], delay_s: float) -> None:
        self._answers, self._delay_s = answers, delay_s
        self._received = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Remember whom to answer."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        """Answer every complete request after the delay."""
        self._received += data
        while b"\r\n\r\n" in self._received:
            head, _, self._received = self._received.partition(b"\r\n\r\n")
            path = head.split(b" ", 2)[1]
            asyncio.get_running_loop().call_later(self._delay_s, self._answer, path)

    def _answer(self, path: bytes) -> None:
        if self._transport.is_closing():
            return
        if not path.startswith(b"/p/"):
            self._transport.write(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
            return
        self._transport.write(self._answers[int(path[3:]) % len(self._answers)])


def answers_of(pages: list[bytes]) -> list[bytes]:
    """Return whole answers, packed once."""
    packed = (gzip.compress(page, 6) for page in pages)
    kind = "Content-Type: text/html; charset=utf-8\r\nContent-Encoding: gzip"
    head = f"HTTP/1.1 200 OK\r\n{kind}\r\nContent-Length: {{}}\r\n\r\n"
    return [head.format(len(body)).encode() + body for body in packed]


async def serve(answers: list[bytes], delay_s: float) -> None:
    """Serve until standard input ends."""
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: Visit(answers, delay_s), "0.0.0.0", 0, backlog=4096)
    print(server.sockets[0].getsockname()[1], flush=True)
    await loop.run_in_executor(None, sys.stdin.read)
    server.close()


def main() -> None:
    """Read the command line and serve."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--delay-ms", type=int, default=200)
    parser.add_argument("--pages", type=Path, help="a folder of saved HTML pages to serve instead of made ones")
    args = parser.parse_args()
    asyncio.run(serve(answers_of(pages_of(args.pages)), args.delay_ms / 1000))


if __name__ == "__main__":
    main()
