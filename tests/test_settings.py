"""A config directory is loaded whole, or every problem in it is named at once."""

from collections import Counter
from datetime import time, timedelta
from decimal import Decimal
from pathlib import Path

import pytest

from monitor.domain.catalogue import RobotsPolicy
from monitor.domain.plan import CodeRule
from monitor.domain.quiet_hours import QuietHours
from monitor.errors import Misconfigured
from monitor.settings import LogForm, ShopKind, Smtp, Tls, create, load
from monitor.settings.competitors import CompetitorTable
from monitor.settings.environment import KNOWN, smtp_server
from monitor.settings.forms import mail_address
from monitor.settings.toml_file import read_toml

KEY = "0f" * 8 + "1e2d3c4b5a697887a6b5c4d3"  # 40 different enough characters
ENVIRON = {"MONITOR_SECRET_KEYS": KEY}
SHOP = '[[competitor]]\nid = "acme"\nbase_url = "https://acme.example"\n'


def a_config(directory: Path, **files: str) -> Path:
    """A config directory with one of everything; `monitor_toml="…"` replaces a file, "" of `.env` removes it."""
    contents = {
        "monitor.toml": files.pop("monitor_toml", ""),
        "competitors.toml": files.pop("competitors_toml", SHOP),
        "catalogue.csv": files.pop("catalogue_csv", "sku,title,price\nA,Boot,12.90\n"),
        "watches.csv": files.pop("watches_csv", "competitor,sku,url\nacme,A,https://acme.example/a\n"),
        "rules.toml": files.pop("rules_toml", ""),
        ".env": files.pop("env", ""),
    }
    assert not files
    for name, text in contents.items():
        (directory / name).write_text(text, "utf-8")
    return directory


def problems_of(directory: Path, environ=ENVIRON) -> tuple[str, ...]:
    with pytest.raises(Misconfigured) as refused:
        load(directory, environ)
    return refused.value.problems


def test_an_empty_monitor_toml_means_every_default(tmp_path):
    settings = load(a_config(tmp_path), ENVIRON)

    assert settings.plan.schedule.at == time(2)
    assert settings.plan.budgets.tool_calls == 12
    assert not settings.plan.writes.enabled
    assert settings.shop.kind is ShopKind.PRICE_FILE
    assert settings.price_file == tmp_path / "var/prices.csv"
    assert settings.storage.database_url == f"sqlite:///{tmp_path}/var/monitor.sqlite3"
    assert (settings.smtp, settings.redis_url, settings.log) == (None, None, LogForm.CONSOLE)


def test_the_packaged_monitor_toml_states_the_defaults(tmp_path):
    """What a reader sees in the commented file is what happens without it."""
    create(tmp_path / "new")
    written, bare = load(tmp_path / "new", {}), load(a_config(tmp_path), ENVIRON)

    for part in ("schedule", "budgets", "mail", "review", "writes", "currency", "min_coverage_pct"):
        assert getattr(written.plan, part) == getattr(bare.plan, part)
    for part in ("fetch", "shop", "web", "worker"):
        assert getattr(written, part) == getattr(bare, part)


def test_every_setting_arrives_where_it_belongs(tmp_path):
    settings = load(
        a_config(
            tmp_path,
            monitor_toml="""
            [night]
            zone = "Europe/Berlin"
            at = 01:30:00
            deadline = "06:00"
            catch_up_h = 1.5
            [pacing]
            delay_s = 0.25
            [mail]
            recipients = ["anna@brand.example"]
            attachments = ["csv"]
            [review]
            require_code = "always"
            large_change_pct = "7.5"
            public_url = "https://prices.brand.example/"
            [shop]
            kind = "webhook"
            channel = "erp"
            currency = "CHF"
            url = "https://erp.brand.example/prices"
            [writes]
            enabled = true
            undo_window_s = 0
            [storage]
            path = "/srv/prices.sqlite3"
            """,
        ),
        {**ENVIRON, "MONITOR_SHOP_SECRET": "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="},
    )

    assert (settings.plan.schedule.zone, settings.plan.schedule.at) == ("Europe/Berlin", time(1, 30))
    assert settings.plan.schedule.catch_up == timedelta(minutes=90)
    assert settings.catalogue.competitors[0].delay == timedelta(seconds=0.25)
    assert settings.plan.mail.recipients == ("anna@brand.example",)
    assert settings.plan.mail.attachments == ("csv",)
    assert settings.plan.review.require_code is CodeRule.ALWAYS
    assert settings.plan.review.large_change_pct == Decimal("7.5")
    assert settings.plan.review.public_url == "https://prices.brand.example"
    assert (settings.plan.writes.channel, settings.plan.writes.enabled) == ("erp", True)
    assert settings.plan.writes.undo_window == timedelta(0)
    assert settings.plan.currency == settings.catalogue.products[0].currency == "CHF"
    assert settings.storage.path == Path("/srv/prices.sqlite3")


def test_a_competitor_keeps_its_own_budget_and_pacing_and_takes_the_common_ones_else(tmp_path):
    settings = load(
        a_config(
            tmp_path,
            monitor_toml="[budget]\ntool_calls = 7\n[pacing]\ndelay_s = 9\njitter = 0.5\n",
            competitors_toml=SHOP
            + """
            [[competitor]]
            id = "globex"
            name = "Globex AG"
            base_url = "http://127.0.0.1:8600"
            allow_addresses = ["127.0.0.1:8600"]
            tool_calls = 3
            delay_s = 0
            robots = "ignore"
            robots_reason = "agreed by mail on 3 May"
            [competitor.recipe]
            price = ".now"
            """,
        ),
        ENVIRON,
    )
    acme, globex = settings.catalogue.competitors

    assert (acme.name, acme.tool_calls, acme.delay, acme.jitter) == ("acme", 7, timedelta(seconds=9), 0.5)
    assert (globex.name, globex.tool_calls, globex.delay) == ("Globex AG", 3, timedelta(0))
    assert globex.robots is RobotsPolicy.IGNORE
    assert globex.recipe == {"price": ".now"}
    assert settings.robots_reasons == {"globex": "agreed by mail on 3 May"}


def test_quiet_hours_are_the_nights_unless_a_shop_has_its_own(tmp_path):
    settings = load(
        a_config(
            tmp_path,
            monitor_toml='[night]\nzone = "Europe/Berlin"\n[pacing]\nquiet_hours = ["08:00-20:00"]',
            competitors_toml=SHOP
            + '[[competitor]]\nid = "globex"\nbase_url = "https://globex.example"\n'
            + 'quiet_hours = []\nrefuse = ["/outlet/"]',
        ),
        ENVIRON,
    )
    acme, globex = settings.catalogue.competitors

    assert acme.quiet_hours == QuietHours(((time(8), time(20)),), "Europe/Berlin")
    assert (globex.quiet_hours.windows, globex.refuse) == ((), ("/outlet/",))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('[night]\nzone = "Europe/Berln"', "zone (line 2): 'Europe/Berln' is not a time zone, did you mean Europe"),
        ('[night]\nzone = "berlin"', "did you mean Europe/Berlin"),
        ('[night]\nzone = "CEST"', "write an IANA name"),
        ("[night]\nzone = 1", "night.zone (line 2): 1 is not a time zone"),
        ('[night]\nat = "2:00"', "night.at (line 2): '2:00' is not a time of day"),
        ('[night]\nat = "24:00"', "'24:00' is not a time of day"),
        ('[browser]\nurl = "http://10.0.0.5:9222"', "is on another machine; a browser is joined on this one only"),
        ("[browser]\nmemory_mb = 10", "browser.memory_mb (line 2): 10"),
        ("[night]\nat = 02:00:30", "is not a time of day; write hours and minutes"),
        ('[night]\nat = "05:30"', "night (line 1): deadline and at are both 05:30"),
        ('[night]\nname = "Every Night"', "'Every Night' is not a name for keys"),
        ("[night]\ncatch_up_h = 48", "48 is not a number of hours from 1 to 24"),
        ("[budget]\ntool_calls = 12.5", "12.5 is not a whole number from 1 to 1000"),
        ('[budget]\ntool_calls = "12"', "'12' is not a whole number"),
        ("[budget]\ntool_calls = true", "true is not a whole number"),
        ("[budget]\ntool_callz = 1", "budget.tool_callz (line 2): unknown key, did you mean 'tool_calls'?; known"),
        ("[nigth]\nat = 1", "nigth (line 1): unknown key, did you mean 'night'?"),
        ("night = 3", "night (line 1): 3 is not a table"),
        ("[pacing]\ndelay_s = -1", "-1 is not a number of seconds from 0 to 3600"),
        ("[pacing]\ndelay_s = nan", "is not a number of seconds"),
        ("[pacing]\njitter = 2", "2 is not a number from 0 to 1"),
        ("[pacing]\njitter = []", "[] is not a number"),
        ('[mail]\nrecipients = "anna@brand.example"', "is not a list of texts"),
        ('[mail]\nrecipients = ["anna"]', "'anna' is not a mail address"),
        ('[mail]\nrecipients = ["a@b.example\\nBcc: c@d.example"]', "is not a mail address"),
        ('[mail]\nrecipients = ["a@b.example", "a@b.example"]', "'a@b.example' is in the list twice"),
        ('[mail]\nattachments = ["pdf"]', "'pdf' cannot be attached"),
        ('[mail]\nbrand = ""', "'' is not one line of 1 to 60 printable characters"),
        ('[review]\nrequire_code = "allways"', "not one of 'large', 'always', 'never', did you mean 'always'?"),
        ('[review]\npublic_url = "prices.example"', "'prices.example' is not a web address"),
        ('[review]\npublic_url = "https://p.example/?a=1"', "holds a query or a fragment"),
        ('[shop]\ncurrency = "€"', "shop.currency (line 2): '€' is not a currency; write its ISO 4217 code"),
        ('[shop]\nkind = "csv"', "'csv' is not one of 'price_file', 'webhook', 'shopify', 'woocommerce'"),
        ("[writes]\nenabled = 1", "writes.enabled (line 2): 1 is neither true nor false"),
        ('[writes]\nmax_step_pct = "ten"', "'ten' is not a number from 0 to 1000"),
        ("[web]\nport = 70000", "70000 is not a whole number from 0 to 65535"),
        ('[web]\nhost = "http://x"', "'http://x' is not a host"),
        ("[night\nat = 1", "monitor.toml: this is not TOML"),
        ("[night]\nat = 1\nat = 2", "monitor.toml: this is not TOML"),
    ],
)  # fmt: skip
def test_a_wrong_setting_names_file_key_line_value_and_accepted_forms(tmp_path, text, expected):
    (problem,) = problems_of(a_config(tmp_path, monitor_toml=text))

    assert problem.startswith("monitor.toml")
    assert expected in problem


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (SHOP + SHOP, "competitor[2].id (line 5): 'acme' is already used by competitor[1]"),
        ('[[competitor]]\nid = "a"\n', "competitor[1].base_url (line 1): the key is missing and has no default"),
        (SHOP.replace("acme.example", "127.0.0.1"), 'If it is meant, write allow_addresses = ["127.0.0.1:443"]'),
        (SHOP.replace("acme.example", "localhost"), 'write allow_addresses = ["localhost:443"]'),
        (SHOP.replace("acme.example", "169.254.169.254"), "never allowed. No setting opens it; write the public"),
        (
            SHOP.replace("acme.example", "169.254.169.254") + 'allow_addresses = ["169.254.169.254:443"]',
            "link-local or cloud metadata address and is never allowed. No setting opens it; write the public address",
        ),
        (
            SHOP + "[competitor.recipe]\nprice = '.pdp-price >> span['",
            "competitor[1].recipe.price (line 5): price = '.pdp-price >> span[' is no CSS selector; write one as in",
        ),
        (
            SHOP + "[competitor.recipe]\nprice = '.now'\nname = 'div:has-text(EUR)@title'",
            "competitor[1].recipe.name (line 6): name = 'div:has-text(EUR)' is no CSS selector",
        ),
        (SHOP.replace("acme.example", "acme.example:8443"), 'need allow_addresses = ["acme.example:8443"]'),
        (SHOP.replace("https://acme.example", "ftp://acme.example"), "is not a web address"),
        (SHOP + 'robots = "ignore"', '"ignore" needs the key robots_reason'),
        (SHOP + 'fetch = "chrome"', "'chrome' is not one of 'plain', 'browser'"),
        (SHOP + 'allow = ["/cart"]', "may close needs the key robots_reason"),
        (SHOP + 'refuse = ["outlet"]', "'outlet' is not a path; write it as robots.txt does"),
        (SHOP + 'refuse = ["/a b"]', "'/a b' is not a path"),
        (SHOP + 'quiet_hours = ["8-20"]', "'8-20' is not a window of quiet hours"),
        (SHOP + 'quiet_hours = ["08:00-08:00"]', "begins and ends at the same time"),
        (SHOP + 'robots = "disobey"', "'disobey' is not one of 'obey', 'ignore', did you mean 'obey'?"),
        (SHOP + 'platform = "shopfy"', "did you mean 'shopify'?"),
        (SHOP + "delay = 3", "competitor[1].delay (line 4): unknown key, did you mean 'delay_s'?"),
        (SHOP + "recipe = 3", "competitor[1].recipe (line 4): 3 is not a recipe"),
        (SHOP + "[competitor.recipe]\nprice = 3", "competitor[1].recipe.price (line 5): 3 is not a text"),
        (SHOP + 'allow_addresses = ["127.0.0.1"]', "'127.0.0.1' is not an address with a port"),
        (SHOP + '[shop]\nid = "x"', "shop (line 4): unknown key; this file holds only [[competitor]] tables"),
        (SHOP.replace("[[", "[").replace("]]", "]"), "write [[competitor]] with two brackets"),
    ],
)
def test_a_wrong_competitor_is_named_by_its_place_in_the_file(tmp_path, text, expected):
    only_header = "competitor,sku,url\n"
    (problem,) = problems_of(a_config(tmp_path, competitors_toml=text, watches_csv=only_header))

    assert problem.startswith("competitors.toml, ")
    assert expected in problem


def test_all_problems_of_one_competitor_are_told_at_once(tmp_path):
    """Also those of keys that are fine alone, beside others whose form is wrong."""
    text = (
        SHOP.replace("https://acme.example", "http://169.254.169.254/")
        + 'robots = "ignore"\nfetch = "Browser"\nquiet_hours = ["8-20"]\nplatform = "feed"\nfeed = "no"\n'
        + "[competitor.recipe]\nprice = 'a:contains(x)'\ncurrency = 'EURO'\n"
    )

    told = problems_of(a_config(tmp_path, competitors_toml=text))

    keys = sorted(problem.partition("competitor[1].")[2].partition(" (line")[0] for problem in told)
    assert keys == ["base_url", "feed", "fetch", "quiet_hours", "recipe.currency", "recipe.price", "robots"]


def test_what_many_watches_lack_is_told_once(tmp_path):
    """One product that is missing, or one competitor that was renamed, may be in the way of hundreds of watches."""
    rows = "".join(f"{shop},{sku},https://acme.example/{sku}\n" for shop in ("acme", "rival") for sku in "AXY")

    problems = problems_of(a_config(tmp_path, watches_csv=f"competitor,sku,url\n{rows}"))

    assert problems == (
        "watches.csv, line 5, competitor: 'rival' is not in competitors.toml; add it there first (so in 2 more lines)",
        "watches.csv, line 3, sku: 'X' is not in catalogue.csv; add it there first (so in 1 more line)",
        "watches.csv, line 4, sku: 'Y' is not in catalogue.csv; add it there first (so in 1 more line)",
    )


def test_a_key_whose_form_is_wrong_is_not_also_told_to_be_missing(tmp_path):
    (problem,) = problems_of(a_config(tmp_path, competitors_toml=SHOP + 'robots = "ignore"\nrobots_reason = 3\n'))

    assert "competitor[1].robots_reason" in problem


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ("acmee,A,https://acme.example/a", "competitor: 'acmee' is not in competitors.toml, did you mean 'acme'?"),
        ("acme,AB,https://acme.example/a", "sku: 'AB' is not in catalogue.csv"),
        ("acme,A,https://globex.example/a", "'https://globex.example/a' is not on acme.example, the site of 'acme'"),
        ("acme,A,https://acme.example.evil.example/a", "is not on acme.example"),
        ("acme,A,https://acme.example:8443/a", "has port 8443; ports other than 80 and 443 need 'acme.example:8443'"),
        ("acme,A,https://acme.example@evil.example/a", "holds a user name"),
    ],
)
def test_a_watch_must_fit_its_competitor_and_product(tmp_path, row, expected):
    (problem,) = problems_of(a_config(tmp_path, watches_csv=f"competitor,sku,url\n{row}\n"))

    assert problem.startswith("watches.csv, line 2, ")
    assert expected in problem


@pytest.mark.parametrize("host", ["www.acme.example", "shop.acme.example", "cdn.example"])
def test_a_page_may_be_anywhere_on_the_site_and_on_the_extra_hosts(tmp_path, host):
    config = a_config(
        tmp_path,
        competitors_toml=SHOP + 'extra_hosts = ["cdn.example"]\n',
        watches_csv=f"competitor,sku,url\nacme,A,https://{host}/a\n",
    )

    assert load(config, ENVIRON).catalogue.watches[0].url == f"https://{host}/a"


def test_all_problems_of_all_files_come_in_one_error(tmp_path):
    found = problems_of(
        a_config(
            tmp_path,
            monitor_toml='[night]\nzone = "Nowhere"\nat = "2"\n',
            competitors_toml=SHOP + "delay = 1\n" + SHOP,
            catalogue_csv='sku,title,price\nA,Boot,"12,90"\nA,Boot,5\n',
            watches_csv="competitor,sku,url\nglobex,A,https://x.example\n",
            rules_toml='[[rules]]\nid = "r"\npriority = "first"\n',
            env="MONITOR_SECRET_KEYS=short\n",
        ),
        environ={},
    )

    assert Counter(problem.replace(":", ",").split(",")[0] for problem in found) == {
        "monitor.toml": 2,
        "competitors.toml": 2,
        "catalogue.csv": 2,
        "watches.csv": 1,
        "rules.toml": 2,  # the priority and the missing target
        "MONITOR_SECRET_KEYS": 1,
    }


def test_a_rule_for_an_unknown_seller_is_a_problem(tmp_path):
    rule = '[[rules]]\nid = "r"\npriority = 1\n[rules.target]\nreference = "seller"\nseller = "globex"\n'

    (problem,) = problems_of(a_config(tmp_path, rules_toml=rule))

    assert problem.startswith("rules.toml")
    assert "globex" in problem


def test_a_missing_file_is_named_and_its_watches_are_not_blamed(tmp_path):
    config = a_config(tmp_path)
    (config / "competitors.toml").unlink()

    (problem,) = problems_of(config)

    assert problem.startswith("competitors.toml: there is no such file")


def test_without_rules_toml_there_are_no_rules(tmp_path):
    config = a_config(tmp_path)
    (config / "rules.toml").unlink()

    assert load(config, ENVIRON).plan.rules == ""


@pytest.mark.parametrize(
    ("secret", "expected"),
    [
        ("", "not set"),
        ("short", "is 5 characters long, at least 32 are needed"),
        ("change-me-change-me-change-me-change-me", "placeholder"),
        ("your-very-long-signing-key-goes-here-please", "placeholder"),
        ("<generate with openssl rand -hex 32 and put here>", "placeholder"),
        ("abababababababababababababababababababab", "has only 2 different characters"),
        (f"{KEY},short", "key 2 of 2 is 5 characters long"),
    ],
)
def test_a_weak_signing_key_is_refused_and_never_shown(tmp_path, secret, expected):
    (problem,) = problems_of(a_config(tmp_path), {"MONITOR_SECRET_KEYS": secret})

    assert problem.startswith("MONITOR_SECRET_KEYS: ")
    assert expected in problem
    assert not secret or secret.split(",")[-1] not in problem


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("MONITOR_API_TOKEN", "letmein", "the token is 7 characters long"),
        ("MONITOR_SHOP_SECRET", "whsec_!!!", "is not base64"),
        ("MONITOR_SHOP_SECRET", "whsec_c2hvcnQ=", "does not hold 24 to 64 bytes"),
        ("MONITOR_DATABASE_URL", "mysql://u:hunter2@h/db", "the scheme 'mysql' is not known; write postgresql://"),
        ("MONITOR_DATABASE_URL", "hunter2@host/db", "there is no scheme"),
        ("MONITOR_DATABASE_URL", "postgresql+asyncpg://u:hunter2@h/db", "the driver 'asyncpg' is not used here; write"),
        ("MONITOR_DATABASE_URL", "postgres://u:hunter2/x@h/db", "host or port cannot be read; write postgresql://"),
        ("MONITOR_DATABASE_URL", "sqlite:///monitor.sqlite3", "'monitor.sqlite3' is no absolute path"),
        ("MONITOR_DATABASE_URL", "sqlite:///:memory:", "':memory:' is no absolute path"),
        ("MONITOR_DATABASE_URL", "sqlite+aiosqlite:////m/m.sqlite3", "the driver 'aiosqlite' is not used here"),
        ("MONITOR_DATABASE_URL", "sqlite:////nowhere/at/all/m.sqlite3", "there is no directory /nowhere/at/all for"),
        ("MONITOR_REDIS_URL", "redis://localhost", "set without PostgreSQL in MONITOR_DATABASE_URL"),
        ("MONITOR_SMTP_URL", "https://mail.example", "the scheme 'https' or the host is wrong"),
        ("MONITOR_SMTP_URL", "smtp://u:hunter2@mail.example?tls=none", "would send the password in clear"),
        ("MONITOR_SMTP_URL", "smtp://u:hunter2@mail.example?ssl=1", "unknown parameter 'ssl'"),
        ("MONITOR_SMTP_URL", "smtp://u:hunter2@mail.example:mail", "host or port cannot be read"),
        ("MONITOR_SMTP_URL", "smtp://u@mail.example", "user and password belong together"),
        ("MONITOR_LOG", "xml", "'xml' is not a form of the log; write json or console"),
    ],
)
def test_a_wrong_variable_is_named_without_its_password(tmp_path, name, value, expected):
    (problem,) = problems_of(a_config(tmp_path), {**ENVIRON, name: value})

    assert problem.startswith(f"{name}: ")
    assert expected in problem
    assert "hunter2" not in problem


@pytest.mark.parametrize(
    ("given", "opened"),
    [
        ("postgres://u:p@h:5433/d?sslmode=require", "postgresql://u:p@h:5433/d?sslmode=require"),
        ("postgresql://u@h/d", "postgresql://u@h/d"),
        ("postgresql+psycopg://u@h/d", "postgresql://u@h/d"),
        ("postgresql+psycopg2://u@h/d", "postgresql://u@h/d"),
        ("Postgres://u@h/d", "postgresql://u@h/d"),
    ],
)
def test_every_form_in_which_hosts_hand_out_postgresql_is_the_same_database(tmp_path, given, opened):
    assert load(a_config(tmp_path), {**ENVIRON, "MONITOR_DATABASE_URL": given}).storage.database_url == opened


@pytest.mark.parametrize(
    ("given", "opened"),
    [
        ("redis://h:6379/0", "redis://h:6379/0"),
        ("rediss://:p@h", "rediss://:p@h"),
        ("valkey://h", "redis://h"),
        ("valkeys://h", "rediss://h"),
        ("unix:///run/valkey.sock", "unix:///run/valkey.sock"),
        ("amqp://me:hunter2@h", None),
        ("redis://me:hunter2@h:port", None),
    ],
)
def test_every_form_of_a_broker_that_is_spoken_here_is_taken_and_others_are_refused_by_name(tmp_path, given, opened):
    environ = {**ENVIRON, "MONITOR_DATABASE_URL": "postgres://u@h/d", "MONITOR_REDIS_URL": given}
    if opened is not None:
        assert load(a_config(tmp_path), environ).redis_url == opened
        return
    (problem,) = problems_of(a_config(tmp_path), environ)
    assert problem.startswith("MONITOR_REDIS_URL: ")
    assert "write redis://host:6379/0" in problem
    assert "hunter2" not in problem


def test_a_webhook_needs_a_url_and_a_signing_key(tmp_path):
    found = problems_of(a_config(tmp_path, monitor_toml='[shop]\nkind = "webhook"\n'))

    assert found == (
        'monitor.toml, shop (line 1): kind = "webhook" needs the key url, the address that receives the calls',
        'MONITOR_SHOP_SECRET: not set, and shop.kind = "webhook" signs its calls with it',
    )


@pytest.mark.parametrize(
    ("kind", "names"),
    [
        ("shopify", ["MONITOR_SHOPIFY_TOKEN: not set"]),
        ("woocommerce", ["MONITOR_WOOCOMMERCE_KEY and MONITOR_WOOCOMMERCE_SECRET: not both set"]),
    ],
)
def test_a_shop_with_an_api_needs_its_address_and_its_keys(tmp_path, kind, names):
    found = problems_of(a_config(tmp_path, monitor_toml=f'[shop]\nkind = "{kind}"\n'))

    assert found[0].startswith(
        f'monitor.toml, shop (line 1): kind = "{kind}" needs the key url, the address of the shop'
    )
    assert [problem.split(",")[0] for problem in found[1:]] == names


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("MONITOR_SHOPIFY_TOKEN", "shpat_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", "is the placeholder of an example"),
        ("MONITOR_SHOPIFY_TOKEN", "shpat_0a1b", "has at least 20 characters"),
        ("MONITOR_WOOCOMMERCE_KEY", "cs_0a1b2c3d4e5f60718293", "begins with ck_"),
        ("MONITOR_WOOCOMMERCE_SECRET", "ck_0a1b2c3d4e5f60718293", "begins with cs_"),
    ],
)
def test_a_shop_s_key_that_cannot_be_one_is_refused_and_not_shown(tmp_path, name, value, expected):
    (problem,) = problems_of(a_config(tmp_path), {**ENVIRON, name: value})

    assert problem.startswith(f"{name}: ")
    assert expected in problem
    assert value not in problem


def test_a_shopify_shop_takes_a_permanent_token_or_a_client_id_with_its_secret(tmp_path):
    toml = '[shop]\nkind = "shopify"\nurl = "https://brand.myshopify.com"\n'
    pair = {"MONITOR_SHOPIFY_CLIENT_ID": "0a1b" * 8, "MONITOR_SHOPIFY_CLIENT_SECRET": f"shpss_{'9e8d' * 8}"}
    directory = a_config(tmp_path, monitor_toml=toml)

    assert load(directory, {**ENVIRON, **pair}).secrets.shop_keys.shopify_client == tuple(pair.values())
    assert "shpss" not in repr(load(directory, {**ENVIRON, **pair}))
    assert len(problems_of(directory, {**ENVIRON, **dict([next(iter(pair.items()))])})) == 1


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("smtp://mail.example", Smtp("mail.example", 587, Tls.STARTTLS)),
        ("smtp://me:p%40ss@mail.example:25?tls=starttls", Smtp("mail.example", 25, Tls.STARTTLS, "me", "p@ss")),
        ("smtps://me:pw@mail.example", Smtp("mail.example", 465, Tls.IMPLICIT, "me", "pw")),
        ("smtp://localhost:1025", Smtp("localhost", 1025, Tls.NONE)),
        ("smtp://127.0.0.1:1025?tls=starttls", Smtp("127.0.0.1", 1025, Tls.STARTTLS)),
        ("smtp://relay.internal?tls=none", Smtp("relay.internal", 25, Tls.NONE)),
    ],
)
def test_a_mail_server_is_spoken_to_under_tls_unless_it_is_this_machine(url, expected):
    assert smtp_server(url) == expected


def test_the_environment_wins_over_the_env_file_and_an_empty_value_does_not(tmp_path):
    other = KEY[::-1]
    config = a_config(tmp_path, env=f"# ours\nexport MONITOR_SECRET_KEYS='{other}'\nMONITOR_LOG=json # for machines\n")

    assert load(config, {}).secrets.keys == (other,)
    assert load(config, ENVIRON).secrets.keys == (KEY,)
    assert load(config, {"MONITOR_SECRET_KEYS": " "}).secrets.keys == (other,)
    assert load(config, {}).log is LogForm.JSON


def test_the_newest_key_stands_last(tmp_path):
    keys = (KEY, KEY[::-1])

    assert load(a_config(tmp_path), {"MONITOR_SECRET_KEYS": ", ".join(keys)}).secrets.keys == keys


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("MONITOR_SMPT_URL=x", "unknown variable MONITOR_SMPT_URL, did you mean MONITOR_SMTP_URL?"),
        ("MONITOR_CONFIG=x", "MONITOR_CONFIG is read before this file; set it in the environment"),
        ("just words", "not an assignment; write NAME=value"),
    ],
)
def test_a_wrong_line_of_the_env_file_is_named(tmp_path, line, expected):
    (problem,) = problems_of(a_config(tmp_path, env=f"OTHER=1\n{line}\n"))

    assert problem.startswith(".env, line 2: ")
    assert expected in problem


def test_secrets_do_not_show_in_a_representation(tmp_path):
    environ = {
        **ENVIRON,
        "MONITOR_API_TOKEN": KEY[::-1],
        "MONITOR_SMTP_URL": "smtp://me:hunter2@mail.example",
        "MONITOR_DATABASE_URL": "postgresql://me:hunter2@db/monitor",
        "MONITOR_REDIS_URL": "redis://:hunter2@redis",
    }

    shown = repr(load(a_config(tmp_path), environ))

    assert not [secret for secret in (KEY, KEY[::-1], "hunter2") if secret in shown]


def test_the_directory_is_the_argument_else_the_variable_else_config_here(tmp_path, monkeypatch):
    for name in ("given", "named", "config"):
        a_config_dir = tmp_path / name
        a_config_dir.mkdir()
        a_config(a_config_dir)
    monkeypatch.chdir(tmp_path)
    named = {**ENVIRON, "MONITOR_CONFIG": str(tmp_path / "named")}

    assert load(tmp_path / "given", named).config_dir == tmp_path / "given"
    assert load(None, named).config_dir == tmp_path / "named"
    assert load(None, ENVIRON).config_dir == tmp_path / "config"


def test_without_a_directory_the_error_says_how_to_make_one(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    with pytest.raises(Misconfigured, match=r"\./config holds no monitor.toml. Write one with: monitor init DIR"):
        load(None, {})


def test_every_variable_and_every_setting_is_documented():
    docs = Path(__file__).parent.parent / "docs"
    environment = (docs / "environment.md").read_text("utf-8")
    configuration = (docs / "configuration.md").read_text("utf-8")
    from monitor.domain.catalogue_file import PRODUCTS, WATCHES
    from monitor.settings.competitors import CompetitorTable
    from monitor.settings.sections import MonitorToml

    settings = {
        f"{section}.{key}"
        for section, field in MonitorToml.model_fields.items()
        for key in field.annotation.model_fields
    }
    missing = [name for name in KNOWN if f"`{name}`" not in environment]
    missing += [name for name in sorted(settings) if f"`{name}`" not in configuration]
    names = {*CompetitorTable.model_fields, *PRODUCTS.columns, *WATCHES.columns}
    missing += [name for name in sorted(names) if f"`{name}`" not in configuration]

    assert missing == []


def test_generated_secrets_differ_each_time(tmp_path):
    keys = {load(create(tmp_path / str(n))[0].parent, {}).secrets.keys for n in range(3)}

    assert len(keys) == 3
    assert (tmp_path / "0" / ".env").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("zone = Europe/Berlin", 'a text needs quotes: zone = "Europe/Berlin"'),
        ("at = 2 Uhr", 'a text needs quotes: at = "2 Uhr"'),
        ("enabled = True", "write enabled = true or enabled = false, in small letters and without quotes"),
        ("enabled = yes", "write enabled = true or enabled = false"),
        ('zone = "Europe/Berlin', "opens a quote and does not close it"),
    ],
)
def test_what_is_usually_wrong_in_a_line_that_is_not_toml_is_said(tmp_path: Path, line: str, words: str) -> None:
    (tmp_path / "monitor.toml").write_text(f"[night]\n{line}\n")
    _raw, _text, (problem,) = read_toml(tmp_path / "monitor.toml")

    assert problem.startswith("monitor.toml: this is not TOML: ")
    assert words in problem


@pytest.mark.parametrize("line", ["= 3", "name", "[night", "x = 1 2"])
def test_nothing_is_guessed_about_other_lines(tmp_path: Path, line: str) -> None:
    (tmp_path / "monitor.toml").write_text(f"{line}\n")
    _raw, _text, (problem,) = read_toml(tmp_path / "monitor.toml")

    assert "needs quotes" not in problem


@pytest.mark.parametrize("text", ["anna@brand", "anna@brand.", "anna@brand..example"])
def test_a_mail_address_needs_a_domain_that_mail_reaches(text: str) -> None:
    with pytest.raises(ValueError, match="is not a mail address"):
        mail_address(text)


@pytest.mark.parametrize("text", ["anna@brand.example", "monitor@localhost", "a.b+c@mail.brand.co.uk"])
def test_a_mail_address_of_a_domain_or_of_this_machine_is_taken(text: str) -> None:
    assert mail_address(text) == text


def test_a_platform_without_a_catalogue_to_ask_is_answered_with_what_to_write() -> None:
    with pytest.raises(ValueError, match='"pages", or "auto"'):
        CompetitorTable.model_validate({"id": "a", "base_url": "https://a.example", "platform": "shopware"})
    with pytest.raises(ValueError, match="is not one of 'auto'"):
        CompetitorTable.model_validate({"id": "a", "base_url": "https://a.example", "platform": "shop"})
