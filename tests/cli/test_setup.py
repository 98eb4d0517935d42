"""From nothing to a config directory that works, by the commands a newcomer types."""

import json
import socket
import sqlite3
import sys
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import pytest

from monitor.cli import main
from monitor.cli.doctor import Check, Verdict, judged, probed, secret_checks
from monitor.domain.catalogue import MatchState
from monitor.errors import CannotSucceed
from monitor.settings import load
from monitor.settings.environment import KNOWN
from monitor.wiring.probes import browser_probe


@dataclass(frozen=True)
class Ended:
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def facts(self):
        return json.loads(self.out)


Run = Callable[..., Ended]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    monkeypatch.setenv("NO_COLOR", "1")
    for name in KNOWN:
        monkeypatch.delenv(name, raising=False)

    def run(*arguments: object) -> Ended:
        monkeypatch.setattr(sys, "argv", ["monitor", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
        out, err = capsys.readouterr()
        return Ended(int(ended.value.code or 0), out, err)

    return run


@pytest.fixture
def config(tmp_path: Path, run: Run) -> Path:
    """A config directory as `monitor init` writes it, with one competitor added."""
    directory = tmp_path / "shop"
    assert run("init", directory, "--zone", "Europe/Berlin").code == 0
    file = directory / "monitor.toml"
    file.write_text(file.read_text("utf-8").replace("\nport = 8080", "\nport = 0"), "utf-8")
    with (directory / "competitors.toml").open("a") as file:
        file.write('[[competitor]]\nid = "acme"\nbase_url = "https://acme.example"\n')
    return directory


def a_manifest(tmp_path: Path, *shops: dict[str, object]) -> Path:
    file = tmp_path / "market.json"
    file.write_text(json.dumps(list(shops)))
    return file


def a_shop(port: int = 8600, **keys: object) -> dict[str, object]:
    base = f"http://127.0.0.1:{port}"
    page = {"id": "boot", "url": f"{base}/boot", "original_url": "https://real.example", "expected": {"price": "1"}}
    return {"site": "alpkontor.example", "base_url": base, "lang": "de", "currency": "EUR", "pages": [page], **keys}


def test_init_writes_a_directory_that_loads_with_fresh_secrets(tmp_path, run):
    ended = run("init", tmp_path / "a/b", "--zone", "Europe/Berlin", "--currency", "CHF", "--json")

    settings = load(tmp_path / "a/b", {})
    assert ended.code == 0
    assert set(ended.facts["files"]) == {file.name for file in (tmp_path / "a/b").iterdir()}
    assert (settings.plan.schedule.zone, settings.plan.currency) == ("Europe/Berlin", "CHF")
    assert settings.secrets.shop is not None
    assert settings.secrets.api_token is not None
    zone, night = (tmp_path / "a/b/monitor.toml").read_text("utf-8").split("[night]\n")[1].splitlines()[:2]
    assert zone.index("#") == night.index("#")  # what is longer than before does not move its comment


def test_init_overwrites_nothing(tmp_path, run):
    run("init", tmp_path)
    secrets = (tmp_path / ".env").read_text()

    again = run("init", tmp_path)

    assert (again.code, again.out) == (2, "")
    assert "already holds .env, catalogue.csv" in again.err
    assert (tmp_path / ".env").read_text() == secrets


@pytest.mark.parametrize(
    ("option", "value", "expected"),
    [
        ("--zone", "Mars/Base", "--zone: 'Mars/Base' is not a time zone"),
        ("--currency", "EURO", "--currency: "),
        ("--zone", "Berlin", "'Berlin' is not a time zone, did you mean Europe/Berlin?"),
        ("--currency", "euro", "'euro' is not a currency"),
        ("--manifest", "nowhere.json", "nowhere.json: cannot be read"),
    ],
)
def test_init_with_a_wrong_wish_leaves_nothing_behind(tmp_path, run, option, value, expected):
    ended = run("init", tmp_path / "new", option, value)

    assert ended.code == 2
    assert expected in ended.err
    assert not (tmp_path / "new").exists()


def test_init_leaves_other_files_of_the_directory_alone(tmp_path, run):
    (tmp_path / "notes.txt").write_text("mine")

    assert run("init", tmp_path).code == 0
    assert (tmp_path / "notes.txt").read_text() == "mine"


def test_a_manifest_becomes_shops_on_this_machine_without_pause(tmp_path, run):
    manifest = a_manifest(tmp_path, a_shop(8600), a_shop(8601, pages=[], currency=None, lang=None))

    ended = run("init", tmp_path / "new", "--manifest", manifest, "--json")

    catalogue = load(tmp_path / "new", {}).catalogue
    first, second = catalogue.competitors
    assert (ended.facts["competitors"], ended.facts["products"], ended.facts["watches"]) == (2, 1, 1)
    assert (first.id, second.id) == ("alpkontor-example", "alpkontor-example-2")
    assert (first.name, first.language, first.currency) == ("alpkontor.example", "de", "EUR")
    assert (second.language, second.currency) == (None, None)
    assert (first.delay.total_seconds(), first.jitter) == (0, 0)
    assert first.allow_addresses == ("127.0.0.1:8600",)
    assert (catalogue.watches[0].sku, catalogue.watches[0].match) == ("boot", MatchState.CONFIRMED)


def test_a_product_without_a_price_of_ours_is_locked(tmp_path, run):
    """A manifest knows the market and not what we ask; a made-up price must never lead to a proposal."""
    page = {"id": "socks", "url": "http://127.0.0.1:8601/s", "title": "Socks", "price": "24.90", "min_price": 20}
    manifest = a_manifest(tmp_path, a_shop(8600, currency="JPY"), a_shop(8601, currency="EUR", pages=[page]))

    run("init", tmp_path / "new", "--manifest", manifest)

    without, given = load(tmp_path / "new", {}).catalogue.products
    assert (str(without.price), without.currency, without.locked) == ("1", "JPY", True)
    assert (str(given.price), str(given.min_price), given.title, given.locked) == ("24.90", "20", "Socks", False)


def test_the_same_sku_in_two_shops_is_one_product_watched_twice(tmp_path, run):
    shops = [a_shop(port, site=f"shop-{port}") for port in (8600, 8601)]

    run("init", tmp_path / "new", "--manifest", a_manifest(tmp_path, *shops))

    catalogue = load(tmp_path / "new", {}).catalogue
    assert [product.sku for product in catalogue.products] == ["boot"]
    assert [watch.key for watch in catalogue.watches] == ["shop-8600/boot", "shop-8601/boot"]


def test_a_public_shop_in_a_manifest_keeps_the_common_pacing(tmp_path, run):
    base = "https://acme.example"
    shop = a_shop(base_url=base, pages=[{"id": "a", "url": f"{base}/a"}])

    run("init", tmp_path / "new", "--manifest", a_manifest(tmp_path, shop))

    (competitor,) = load(tmp_path / "new", {}).catalogue.competitors
    assert competitor.delay.total_seconds() == 3
    assert competitor.allow_addresses == ()


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"site": None}, "shop 1: site: expected a text, found None"),
        ({"base_url": "127.0.0.1:8600"}, "shop 1: base_url: '127.0.0.1:8600' is not visited"),
        ({"currency": "€"}, "shop 1: currency: '€' is not a currency"),
        ({"pages": {}}, "shop 1: pages: expected a list, found {}"),
        ({"pages": ["x"]}, "shop 1: page 1: expected an object, found 'x'"),
        ({"pages": [{"id": "a"}]}, "shop 1: page 1: url: expected a text, found None"),
        ({"pages": [{"id": "a", "url": "http://127.0.0.1:9/a"}]}, "is not on 'http://127.0.0.1:8600'"),
        ({"pages": [{"id": "a", "url": "http://127.0.0.1:8600", "price": "1,5"}]}, "price: '1,5' is not an amount"),
        ({"pages": [{"id": "a", "url": "http://127.0.0.1:8600/"}] * 2}, "'a' is on two of its pages"),
    ],
)
def test_a_wrong_manifest_is_named_by_shop_and_page(tmp_path, run, change, expected):
    ended = run("init", tmp_path / "new", "--manifest", a_manifest(tmp_path, a_shop(**change)))

    assert ended.code == 2
    assert expected in ended.err
    assert not (tmp_path / "new").exists()


def test_two_different_products_with_one_sku_are_refused(tmp_path, run):
    cheap, dear = ({"id": "a", "url": f"http://127.0.0.1:{port}/a", "price": port} for port in (8600, 8601))
    shops = [a_shop(8600, pages=[cheap]), a_shop(8601, pages=[dear])]

    ended = run("init", tmp_path / "new", "--manifest", a_manifest(tmp_path, *shops))

    assert "'a' is already another product of an earlier shop (price differ)" in ended.err


def test_next_marks_the_odd_nights(config, run):
    nights = run("next", "--nights", 400, "--config", config, "--json").facts

    odd = [night for night in nights["nights"] if night["oddity"]]
    assert (nights["zone"], len(nights["nights"]), len(odd)) == ("Europe/Berlin", 400, len(odd))
    assert 2 <= len(odd) <= 3
    assert {night["oddity"] for night in odd} == {
        "02:00 does not exist, begins at 03:00",
        "02:00 strikes twice, begins at the first",
    }
    assert len(run("next", "--nights", 400, "--config", config).out.split(" ! ")) == len(odd) + 1


def test_a_catalogue_is_imported_once_and_a_dry_run_only_tells(config, run, tmp_path):
    file = tmp_path / "products.csv"
    file.write_text("sku,title,price\nA,Boot,12.90\nB,Sock,5\n")
    empty = (config / "catalogue.csv").read_text()

    tried = run("catalogue", "import", file, "--config", config, "--dry-run", "--json")
    unwritten = (config / "catalogue.csv").read_text()
    first = run("catalogue", "import", file, "--config", config)
    written = (config / "catalogue.csv").read_bytes()
    second = run("catalogue", "import", file, "--config", config, "--json")

    assert (tried.facts["added"], unwritten) == (["A", "B"], empty)
    assert first.out.endswith("2 added, 0 changed, 0 unchanged products.\n")
    told = {key: second.facts[key] for key in ("dry_run", "kind", "added", "changed", "unchanged")}
    assert told == {"dry_run": False, "kind": "own", "added": [], "changed": {}, "unchanged": ["A", "B"]}
    assert (config / "catalogue.csv").read_bytes() == written
    assert run("catalogue", "check", "--config", config).out == "2 products, nothing wrong.\n"


def test_an_import_shows_what_changes(config, run, tmp_path):
    file = tmp_path / "products.csv"
    file.write_text("sku,title,price,tags\nA,Boot,12.90,core\n")
    run("catalogue", "import", file, "--config", config)
    file.write_text("sku,title,price,tags\nA,Boot,11.50,\n")

    assert "changed  A: price 12.90 -> 11.50, tags core -> nothing\n" in (
        run("catalogue", "import", file, "--config", config, "--dry-run").out
    )
    assert run("catalogue", "import", file, "--config", config, "--json").facts["changed"] == {
        "A": [
            {"field": "price", "before": "12.90", "after": "11.50"},
            {"field": "tags", "before": ["core"], "after": []},
        ]
    }


def test_the_export_of_a_shop_is_taken_in_and_what_cannot_be_bought_is_named(config, run, tmp_path):
    file = tmp_path / "products_export.csv"
    file.write_text(
        "Handle,Title,Option1 Value,Variant Price,Image Src,Status\ncup,Cup,S,9.5,,active\ncup,,L,11,,\n"
        "cup,,,,https://i.example/2.jpg,\npot,Pot,Default Title,0.00,,active\nlid,Lid,Default Title,5,,draft\n"
    )

    tried = run("catalogue", "import", file, "--config", config, "--dry-run")
    checked = run("catalogue", "check", file, "--config", config, "--json").facts

    assert tried.out == (
        "products_export.csv: Shopify product CSV, legacy headers, utf-8\n"
        "added    cup/S\n"
        "added    cup/L\n"
        "skipped  pot (line 5): costs 0.00 EUR: given away, not a price to compete with\n"
        "skipped  lid (line 6): is a draft\n"
        "skipped  rows that carry only an image: 1\n"
        "note     the file names no currency; its amounts were taken as EUR\n"
        "2 added, 0 changed, 0 unchanged products. Nothing was written (dry run).\n"
    )
    assert [(each["sku"], each["for_sale"], each.get("price")) for each in checked["listed"]] == [
        ("cup/S", True, "9.50"),
        ("cup/L", True, "11.00"),
        ("pot", False, None),
        ("lid", False, "5.00"),
    ]


def test_wrong_options_of_an_import_are_all_named(config, run, tmp_path):
    file = tmp_path / "products.csv"
    file.write_text("sku,title,price\nA,Boot,12.90\n")
    wrong = ("--as", "magento", "--currency", "euro", "--decimal", "dot", "--column", "cost=Kosten")

    ended = run("catalogue", "import", file, "--config", config, *wrong)

    assert ended.code == 2
    assert "--as: 'magento' is no form; write own, shopify, woocommerce, merchant" in ended.err
    assert "--currency: 'euro' is not a currency" in ended.err
    assert "--decimal: 'dot' is no sign; write comma or point" in ended.err
    assert "--column: 'cost' is no field; write id, sku" in ended.err


def test_a_wrong_import_changes_nothing_and_names_every_line(config, run, tmp_path):
    file = tmp_path / "products.csv"
    file.write_text('sku,title,price\nA,Boot,"12,90"\nA,Boot,1\n')
    before = (config / "catalogue.csv").read_text()

    ended = run("catalogue", "import", file, "--config", config, "--json")

    assert (ended.code, ended.out) == (2, "")
    assert "products.csv, line 2, price: '12,90' is not an amount" in ended.err
    assert "products.csv, line 3, sku: 'A' is already in line 2" in ended.err
    assert "Nothing of products.csv was used; catalogue.csv is as it was." in ended.err
    assert (config / "catalogue.csv").read_text() == before


def test_an_import_that_only_together_is_wrong_is_refused(config, run, tmp_path):
    file = tmp_path / "products.csv"
    file.write_text("sku,title,price,max_price\nA,Boot,12,15\n")
    run("catalogue", "import", file, "--config", config)
    file.write_text("sku,title,price,min_price\nA,Boot,12,16\n")

    ended = run("catalogue", "import", file, "--config", config)

    assert ended.code == 2
    assert "catalogue.csv, line 2, min_price: 16 is above max_price 15" in ended.err


def test_watches_need_their_competitor_and_product(config, run, tmp_path):
    products, pages = tmp_path / "products.csv", tmp_path / "pages.csv"
    products.write_text("sku,title,price\nA,Boot,12.90\n")
    pages.write_text("competitor,sku,url\nacme,A,https://acme.example/a\nacmee,B,https://acme.example/b\n")
    run("catalogue", "import", products, "--config", config)

    refused = run("watches", "import", pages, "--config", config)
    checked = run("watches", "check", pages, "--config", config)
    pages.write_text("competitor,sku,url\nacme,A,https://acme.example/a\n")
    accepted = run("watches", "import", pages, "--config", config, "--json")

    assert refused.code == checked.code == 2
    assert "pages.csv, line 3, competitor: 'acmee' is not in competitors.toml, did you mean 'acme'?" in refused.err
    assert "pages.csv, line 3, sku: 'B' is not in catalogue.csv" in refused.err
    assert accepted.facts["added"] == ["acme/A"]
    assert run("watches", "check", pages, "--config", config, "--json").facts == {"watches": 1, "problems": []}


def test_doctor_warns_of_what_counts_because_nothing_was_written(config, run):
    (config / "monitor.toml").write_text("")
    (config / "rules.toml").unlink()

    checks = run("doctor", "--config", config, "--json").facts["checks"]

    told = {check["name"]: check for check in reversed(checks) if check["verdict"] == "warn"}
    assert told["nights"]["words"] == "night.zone is not set, so nights begin at 02:00 UTC"
    assert 'set zone = "Europe/Berlin"' in told["nights"]["advice"]
    assert f"there is no rules.toml in {config}" in told["rules"]["words"]
    assert "none is proposed" in told["rules"]["words"]


def test_doctor_tells_every_problem_of_a_wrong_configuration(config, run):
    (config / "monitor.toml").write_text('[night]\nzone = "Berlin"\nat = "2"\n')

    ended = run("doctor", "--config", config, "--json")

    assert ended.code == 2
    assert not ended.facts["ok"]
    assert [check["verdict"] for check in ended.facts["checks"]] == ["fail", "fail"]
    assert "did you mean Europe/Berlin" in ended.facts["checks"][0]["words"]
    advice = [check["advice"] for check in ended.facts["checks"]]
    assert advice == [None, "correct them; nothing else was examined"], "said once"


def test_doctor_says_in_words_what_is_wrong_and_what_to_do(config, run):
    (config / ".env").write_text("MONITOR_SECRET_KEYS=change-me\n")

    ended = run("doctor", "--config", config)

    assert ended.code == 2
    assert ended.out.startswith(
        "fail  configuration      MONITOR_SECRET_KEYS: key 1 of 1 is the placeholder of an example"
    )
    assert ended.out.splitlines()[1].strip() == "correct it; nothing else was examined"


def test_doctor_names_a_database_that_cannot_be_made_and_leaves_an_old_one_as_it_is(config, run):
    (config / "var").write_text("a file in the way")

    ended = run("doctor", "--config", config, "--json")
    found = {check["name"]: check for check in ended.facts["checks"]}
    assert (ended.code, found["database"]["verdict"]) == (1, "fail")
    assert "cannot be made, because" in found["database"]["words"]

    (config / "var").unlink()
    (config / "var").mkdir()
    with closing(sqlite3.connect(config / "var/monitor.sqlite3")) as old:
        old.execute("CREATE TABLE alembic_version (version_num TEXT)")
        old.execute("INSERT INTO alembic_version VALUES ('0001')")
        old.commit()
        ended = run("doctor", "--config", config, "--json")
        found = {check["name"]: check for check in ended.facts["checks"]}
        assert found["database"]["words"].startswith("sqlite answers; the next start brings its tables from 0001 to ")
        assert old.execute("SELECT version_num FROM alembic_version").fetchall() == [("0001",)]


def test_doctor_examines_every_service_and_changes_nothing(config, run):
    (config / "var").mkdir()
    (config / "var/prices.csv").write_text("sku,price,currency\n")
    before = sorted(config.rglob("*"))

    ended = run("doctor", "--config", config, "--json")

    found = {check["name"]: check["verdict"] for check in ended.facts["checks"]}
    assert {"database", "broker", "smtp", "shop", "public_url", "secrets", "nights"} <= found.keys()
    assert "fail" not in found.values()
    assert (ended.code, ended.facts["ok"]) == (0, True)
    assert sorted(config.rglob("*")) == before


def test_doctor_names_a_price_file_that_cannot_be_made(config, run):
    (config / "notes").write_text("a file in the way")
    toml = config / "monitor.toml"
    toml.write_text(toml.read_text("utf-8").replace('path = "var/prices.csv"', 'path = "notes/prices.csv"'), "utf-8")

    found = {check["name"]: check for check in run("doctor", "--config", config, "--json").facts["checks"]}

    assert found["shop"]["verdict"] == "fail"
    assert f"shop.path: {config}/notes/prices.csv cannot be made, because" in found["shop"]["words"]


def test_doctor_names_products_that_the_price_file_does_not_have(config, run):
    (config / "catalogue.csv").write_text(
        "sku,title,price,active\n" + "".join(f"A-{n},Mug,9.00,\n" for n in range(8)) + "OLD,Mug,9.00,no\n"
    )
    assert "price file" not in {check["name"] for check in run("doctor", "--config", config, "--json").facts["checks"]}
    (config / "var").mkdir()
    (config / "var/prices.csv").write_text("sku,price,currency\nA-0,9.00,EUR\n")

    found = {check["name"]: check for check in run("doctor", "--config", config, "--json").facts["checks"]}

    assert found["price file"]["verdict"] == "warn"
    assert "has no row for A-1, A-2, A-3, A-4, A-5 and 2 more: what you approve" in found["price file"]["words"]
    assert found["price file"]["advice"] == "add a row sku,price,currency for each that your shop sells"


def test_a_place_that_cannot_be_made_and_a_file_are_refused_in_words(tmp_path, run):
    (tmp_path / "notes").write_text("a file")

    below, named = run("init", tmp_path / "notes" / "shop"), run("doctor", "--config", tmp_path / "notes")

    assert below.code == named.code == 2
    assert "notes/shop cannot be made (Not a directory); nothing was written" in below.err.replace("\n", " ")
    assert f"{tmp_path / 'notes'} is a file; name the directory it is in: {tmp_path}" in named.out


def test_doctor_fails_when_a_service_does(config, run, monkeypatch):
    """A port that was free a moment ago, on which nobody listens."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    monkeypatch.setenv("MONITOR_SMTP_URL", f"smtp://127.0.0.1:{port}")

    ended = run("doctor", "--config", config)

    assert ended.code == 1
    assert "fail  smtp " in ended.out
    assert "start the mail server, or correct MONITOR_SMTP_URL" in ended.out


def test_doctor_names_the_browser_that_a_shop_needs_and_is_not_there(config):
    """Of a shop that is not visited nothing is asked."""
    shop = '[[competitor]]\nid = "acme"\nbase_url = "https://acme.example"\nfetch = "browser"\n'
    (config / "competitors.toml").write_text(shop)
    with (config / "monitor.toml").open("a") as file:
        file.write('\n[browser]\nexecutable = "/nowhere/chromium"\n')
    (found,) = probed(browser_probe(load(config, {})))
    (config / "competitors.toml").write_text(shop + "enabled = false\n")

    assert (found.name, found.verdict) == ("browser", Verdict.FAIL)
    assert "acme cannot be read: /nowhere/chromium is no program; install one" in found.words
    assert 'fetch = "plain"' in (found.advice or "")
    assert browser_probe(load(config, {})) == {}


def test_doctor_does_not_doubt_and_praise_the_same_thing(config, run, monkeypatch):
    text = (config / "monitor.toml").read_text()
    (config / "monitor.toml").write_text(text.replace("recipients = []", 'recipients = ["a@brand.example"]'))
    monkeypatch.setenv("MONITOR_SMTP_URL", "smtp://127.0.0.1:9")

    checks = run("doctor", "--config", config, "--json").facts["checks"]

    assert [check["verdict"] for check in checks if check["name"] == "public_url"] == ["warn"]


def test_a_check_without_a_configuration_says_how_to_get_one(tmp_path, run, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "watches.csv").write_text("competitor,sku,url\n")

    ended = run("watches", "check", "watches.csv")

    assert ended.code == 2
    assert "monitor init DIR, then name it with --config DIR" in ended.err


NOW = datetime(2026, 10, 20, 12, tzinfo=UTC)


def verdicts(checks) -> dict[str, list[tuple[Verdict, str]]]:
    found: dict[str, list[tuple[Verdict, str]]] = {}
    for check in checks:
        found.setdefault(check.name, []).append((check.verdict, check.words))
    return found


def test_a_new_directory_is_told_what_it_still_lacks(config):
    found = verdicts(judged(load(config, {}), NOW))

    assert found["configuration"][0][0] is Verdict.WARN
    assert found["configuration"][0][1].endswith("1 competitors, 0 products, 0 watches; a night has nothing to look at")
    assert found["competitor acme"] == [(Verdict.WARN, "no watch names it, so it is not visited")]
    assert found["contact"][0][0] is Verdict.WARN
    assert found["mail"] == [(Verdict.WARN, "no recipients, so reports are stored only")]
    assert found["writes"][0][1].startswith("dry run")


def test_the_next_nights_and_the_next_odd_one_are_shown(config):
    nights, odd = verdicts(judged(load(config, {}), NOW))["nights"]

    assert nights[1].splitlines()[1].startswith("Wed 2026-10-21, 02:00 +0200, report by 05:30")
    assert "Sun 2026-10-25, 02:00 +0200" in odd[1]
    assert "; 02:00 strikes twice, begins at the first" in odd[1]


def test_recipients_without_a_mail_server_fail_and_a_local_link_is_doubtful(config):
    text = (config / "monitor.toml").read_text().replace("recipients = []", 'recipients = ["anna@brand.example"]')
    (config / "monitor.toml").write_text(text)

    without = verdicts(judged(load(config, {}), NOW))
    with_server = verdicts(judged(load(config, {"MONITOR_SMTP_URL": "smtp://mail.example"}), NOW))

    assert without["mail"] == [(Verdict.FAIL, "1 recipients, but MONITOR_SMTP_URL names no mail server")]
    assert with_server["mail"] == [(Verdict.OK, "to anna@brand.example, not before 06:30")]
    assert with_server["public_url"][0][0] is Verdict.WARN


def test_an_ignored_robots_txt_is_shown_with_its_reason(config):
    with (config / "competitors.toml").open("a") as file:
        file.write('robots = "ignore"\nrobots_reason = "agreed on 3 May"\n')

    found = verdicts(judged(load(config, {}), NOW))

    assert (Verdict.WARN, "its robots.txt is ignored: agreed on 3 May") in found["competitor acme"]


def test_a_secret_file_that_others_can_read_is_doubtful(config):
    settings, file = load(config, {}), config / ".env"

    assert verdicts(secret_checks(settings, file, {}))["secrets"][0][0] is Verdict.OK
    file.chmod(0o644)
    assert verdicts(secret_checks(settings, file, {}))["secrets"] == [
        (Verdict.WARN, f"{file} can be read by others on this machine (mode 0644)")
    ]


def test_a_mistyped_variable_is_told(config):
    checks = list(secret_checks(load(config, {}), config / ".env", {"MONITOR_SMPT_URL": "x", "HOME": "/"}))

    assert checks[-1] == Check(
        "environment",
        Verdict.WARN,
        "MONITOR_SMPT_URL is set but nothing reads it, did you mean MONITOR_SMTP_URL?",
        "correct or remove it",
    )


def test_a_port_that_another_program_has_fails_and_is_named(config, run):
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        file = config / "monitor.toml"
        file.write_text(file.read_text("utf-8").replace("\nport = 0", f"\nport = {port}"), "utf-8")
        other.listen()
        ended = run("doctor", "--config", config, "--json")
    checks = {each["name"]: each for each in ended.facts["checks"]}

    assert ended.code == 1
    assert checks["web"]["verdict"] == "fail"
    assert f"port {port}: another program has it" in checks["web"]["words"]


def test_a_failing_probe_says_what_to_do_and_the_others_go_on():
    def refuses() -> str:
        raise CannotSucceed("nobody answers at redis:6379")

    def breaks() -> str:
        raise ZeroDivisionError("oops")

    found = list(probed({"broker": refuses, "shop": breaks, "database": lambda: "SQLite answers"}))

    assert [(check.name, check.verdict, check.words) for check in found] == [
        ("broker", Verdict.FAIL, "nobody answers at redis:6379"),
        ("shop", Verdict.FAIL, "ZeroDivisionError: oops"),
        ("database", Verdict.OK, "SQLite answers"),
    ]
    assert found[0].advice is not None


@pytest.mark.parametrize(
    "command",
    ["init", "next", "doctor", "catalogue import", "catalogue check", "watches import", "watches check"],
)
def test_every_command_explains_itself_with_an_example(run, command):
    ended = run(*command.split(), "--help")

    assert ended.code == 0
    assert f"Example: monitor {command} " in ended.out


def test_a_command_line_mistake_is_wrong_usage(run):
    assert run("next", "--nights", "none").code == 2
