# ruff: noqa: F811 - config and run are fixtures
"""`monitor match` and `monitor export` as a person uses them."""

import json

import pytest

from monitor.domain.catalogue import MatchState
from monitor.domain.snapshot import catalogue_from_json
from monitor.flow.begin import begin
from monitor.wiring import open_app
from tests.cli.test_setup import config, run  # noqa: F401 - fixtures
from tests.review_scene import a_proposal, a_run

PRODUCTS = "sku,title,price,brand,gtin\nA,Trail Mug 16 oz,20.00,Ridge,4006381333931\nB,Camp Stove,50.00,Ridge,\n"
RIVALS = (
    "url,title,gtin,price,currency\n/mug,Ridge Trail Mug 16oz,4006381333931,19.90,EUR\n"
    "/stove,Ridge Camp Stove,,48.00,EUR\n/six,Ridge Trail Mug 16oz 6-pack,,99.00,EUR\n"
)


@pytest.fixture
def shop(config, run, tmp_path):
    """A config directory with two products and a file of what acme sells."""
    (tmp_path / "products.csv").write_text(PRODUCTS)
    (tmp_path / "acme.csv").write_text(RIVALS)
    run("catalogue", "import", tmp_path / "products.csv", "--config", config)
    return config


def suggested(run, shop):
    return run("match", "suggest", shop.parent / "acme.csv", "--competitor", "acme", "--config", shop, "--json").facts


def test_a_match_is_suggested_decided_and_remembered(shop, run):
    assert (suggested(run, shop)["new"], suggested(run, shop)["new"]) == (2, 0)

    listed = run("match", "list", "--config", shop, "--json").facts
    assert [(each["sku"], each["basis"], each["their_price"]) for each in listed["matches"]] == [
        ("A", "gtin", "19.90"),
        ("B", "title", "48.00"),
    ]
    assert listed["counts"] == {"confirmed": 0, "suggested": 2, "rejected": 0}
    assert listed["matches"][0]["url"] == "https://acme.example/mug"

    sure = run("match", "confirm", "--sure", "--by", "ada", "--config", shop)
    stove = listed["matches"][1]["id"]
    rejected = run("match", "reject", stove, "--reason", "other model", "--by", "ada", "--config", shop)

    assert sure.out.endswith("confirmed by ada: A at acme\n1 confirmed.\n")
    assert rejected.out.endswith("rejected by ada: B at acme\n1 rejected.\n")
    told = suggested(run, shop)
    assert (told["new"], told["confirmed"], told["rejected"]) == (0, 1, 1)
    shown = run("match", "show", stove, "--config", shop).out
    assert "rejected by ada: other model" in shown


def test_only_what_a_person_confirmed_is_watched_by_the_night(shop, run):
    suggested(run, shop)
    run("match", "confirm", "--sure", "--config", shop)
    app = open_app(shop)
    try:
        night, _ = begin(app.store, app.settings.plan, app.settings.catalogue, origin="manual")
        with app.store.read() as unit:
            frozen = catalogue_from_json(unit.blobs.get(night.catalogue_hash).decode())
    finally:
        app.close()

    assert [(w.sku, w.url, w.match) for w in frozen.watches] == [
        ("A", ("https://acme.example/mug"), MatchState.CONFIRMED)
    ]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("suggest", "{file}", "--competitor", "acmee"), "'acmee' is not in competitors.toml, did you mean 'acme'?"),
        (("suggest", "{missing}", "--competitor", "acme"), "cannot be read (No such file or directory)"),
        (("list", "--state", "confirmd"), "'confirmd' is no state, did you mean 'confirmed'?"),
    ],
)
def test_a_mistake_is_named_with_what_is_accepted(shop, run, arguments, words):
    paths = {"file": shop.parent / "acme.csv", "missing": shop.parent / "none.csv"}
    ended = run("match", *(each.format(**paths) for each in arguments), "--config", shop)

    assert (ended.code, words in ended.err) == (2, True)


@pytest.mark.parametrize("arguments", [("show", "999"), ("confirm", "999"), ("reject", "999", "--reason", "x")])
def test_a_number_of_no_match_is_told(shop, run, arguments):
    ended = run("match", *arguments, "--config", shop)

    assert ended.code == 1
    assert "there is no match 999; nothing was changed. `monitor match list` shows their numbers" in ended.err


def test_confirm_wants_numbers_or_sure_and_not_both(shop, run):
    assert run("match", "confirm", "--config", shop).code == 2
    assert run("match", "confirm", "1", "--sure", "--config", shop).code == 2


def test_a_file_of_a_competitor_with_a_gap_changes_nothing(shop, run):
    file = shop.parent / "gap.csv"
    file.write_text("url,title\n/mug,\n")

    ended = run("match", "suggest", file, "--competitor", "acme", "--config", shop)

    assert ended.code == 2
    assert ended.err == (
        "gap.csv, line 2: url and title are both needed in every row\n"
        "Nothing of gap.csv was used; the review queue is as it was.\n"
    )


def test_exports_are_written_where_they_are_wanted(shop, run):
    app = open_app(shop)
    try:
        with app.store.write() as unit:
            a_run(unit)
            unit.actions.propose(a_proposal("A"))
    finally:
        app.close()
    out = shop.parent / "proposals.jsonl"

    ended = run("export", "proposals", "--out", out, "--config", shop)

    assert (ended.code, ended.err) == (0, f"{out}: 1 row.\n")
    assert json.loads(out.read_text())["new_price"] == "26.90"
    assert run("export", "proposals", "--format", "xls", "--config", shop).code == 2
    assert "'January' is no day; write it as" in run("export", "history", "--since", "January", "--config", shop).err
    refused = run("export", "prices", "--as", "shopify", "--config", shop)
    assert "no shopify export has been imported here" in refused.err


@pytest.mark.parametrize("words", [("show",), ("confirm",), ("reject", "--reason", "x")])
def test_a_number_beyond_every_database_is_refused_in_words(shop, run, words):
    verb, *options = words

    ended = run("match", verb, "9" * 25, *options, "--config", shop)

    assert ended.code == 2
    assert "is no number of a match" in " ".join(ended.err.replace("│", "").split())


def test_a_competitor_is_asked_for_where_there_is_none_yet(shop, run):
    (shop / "competitors.toml").write_text("")
    (shop / "watches.csv").write_text("competitor,sku,url\n")

    ended = run("match", "suggest", shop.parent / "acme.csv", "--competitor", "acme", "--config", shop)

    assert ended.code == 2
    assert "it names none yet, so add one first" in ended.err
