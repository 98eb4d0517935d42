"""A page that its scripts draw is told from one that the shop made."""

import pytest

from monitor.extract.scripted import MOST_TEXT, sign_of_scripts

APP = '<div id="app"></div>'
RUN = '<script src="/app.js"></script>'


@pytest.mark.parametrize(
    ("body", "sign"),
    [
        (APP + RUN, "scripts fill its empty element #app"),
        (APP + "<script>document.getElementById('app').textContent = price</script>", "#app"),
        (f"<h1>Rope</h1>{RUN}<noscript>Please enable JavaScript.</noscript>", "it asks for JavaScript"),
        (f"<h1>Seil</h1>{RUN}<noscript>Bitte aktivieren Sie JavaScript</noscript>", "it asks for JavaScript"),
    ],
)
def test_a_shell_is_known_by_its_empty_element_or_by_what_it_asks_for(body: str, sign: str) -> None:
    assert sign in (sign_of_scripts(body.encode()) or "")


@pytest.mark.parametrize(
    "body",
    [
        "",
        APP,  # nothing that could fill it
        APP + '<script type="application/ld+json">{"name": "app"}</script>',
        APP + "<script>track('visit')</script>",  # no script names it
        f'<div id="app">Rope 60</div>{RUN}',
        f"<p>{'word ' * MOST_TEXT}</p>{APP}{RUN}",  # made by the shop, whatever else scripts add
        f"{RUN}<noscript><img src='/pixel.gif'></noscript>",
    ],
)
def test_a_page_that_the_shop_made_is_none(body: str) -> None:
    assert sign_of_scripts(body.encode()) is None
