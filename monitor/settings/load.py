"""From a config directory to Settings, or to one error with every problem in it."""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from monitor.domain.address import WEB_PORTS, belongs, target
from monitor.domain.catalogue import Catalogue, Competitor, Watch
from monitor.domain.catalogue_file import PRODUCTS, WATCHES, Reading, read_products, read_watches
from monitor.domain.csv_table import Form, suggestion
from monitor.domain.packing import Shelf
from monitor.domain.plan import NightPlan
from monitor.domain.pricing.reading import rules_from_text
from monitor.errors import Misconfigured
from monitor.settings.competitors import read_competitors
from monitor.settings.environment import Environment, read_env_file, read_environment
from monitor.settings.model import Settings, Storage
from monitor.settings.sections import MonitorToml, inside
from monitor.settings.services import missing_directory
from monitor.settings.shop import ShopKind
from monitor.settings.shown import ShownSetting, shown_settings
from monitor.settings.toml_file import checked, read_toml

#: The files of a config directory.
MONITOR_TOML = "monitor.toml"
COMPETITORS_TOML = "competitors.toml"
RULES_TOML = "rules.toml"
CATALOGUE_CSV = "catalogue.csv"
WATCHES_CSV = "watches.csv"
ENV_FILE = ".env"
FILES = (MONITOR_TOML, COMPETITORS_TOML, RULES_TOML, CATALOGUE_CSV, WATCHES_CSV, ENV_FILE)


def load(
    config_dir: Path | None = None,
    environ: Mapping[str, str] | None = None,
    *,
    instead: Mapping[str, bytes] | None = None,
) -> Settings:
    """Read and check a config directory.

    Args:
        config_dir: the directory; else `MONITOR_CONFIG`, else `config` here when it holds monitor.toml.
        environ: instead of the environment of this process.
        instead: contents to take in place of CSV files, by name, so that a change can be tried first.

    Raises:
        Misconfigured: with every problem of every file; nothing is half loaded.
    """
    values = os.environ if environ is None else environ
    return _loaded(find(config_dir, values), values, instead or {})


def find(config_dir: Path | None, environ: Mapping[str, str]) -> Path:
    """Return the config directory that is used; raises Misconfigured when there is none."""
    given = config_dir or (Path(environ["MONITOR_CONFIG"]) if environ.get("MONITOR_CONFIG") else None)
    directory = (given or Path("config")).expanduser().resolve()
    if (directory / MONITOR_TOML).is_file():
        return directory
    if given is None:
        words = "No config directory: neither --config nor MONITOR_CONFIG names one and ./config holds no monitor.toml"
    elif directory.is_file():
        raise Misconfigured([f"{directory} is a file; name the directory it is in: {directory.parent}"])
    else:
        words = f"{directory} holds no monitor.toml"
    raise Misconfigured([f"{words}. Write one with: monitor init DIR, then name it with --config DIR"])


def read_common(directory: Path) -> tuple[NightPlan, tuple[ShownSetting, ...]] | None:
    """Return what monitor.toml says now, as a plan without rules and key by key; None when it is not right.

    Whatever the other files are: they are not looked at.
    """
    raw, text, problems = read_toml(directory / MONITOR_TOML)
    common, wrong = checked(MonitorToml, raw, name=MONITOR_TOML, text=text)
    return None if problems or wrong or common is None else (common.plan(""), shown_settings(common))


def _loaded(directory: Path, environ: Mapping[str, str], instead: Mapping[str, bytes]) -> Settings:
    raw, text, problems = read_toml(directory / MONITOR_TOML)
    common, wrong = checked(MonitorToml, raw, name=MONITOR_TOML, text=text)
    problems += wrong
    defaults = common or MonitorToml()
    files = _read_files(directory, defaults, instead)
    problems += files.problems
    shop = raw.get("shop")
    kind = str(shop.get("kind")) if isinstance(shop, dict) else ShopKind.PRICE_FILE
    environment, wrong = _environment(directory, environ, shop=kind)
    problems += wrong
    if environment is not None and (missing := missing_directory(environment.database_url)):
        problems = [*problems, missing]
    if defaults.webhooks.run_finished is not None and environment is not None and not environment.secrets.events:
        unsigned = "webhooks.run_finished is set, and MONITOR_WEBHOOK_SECRET, which signs its calls, is not; set both"
        problems = [*problems, unsigned]
    if problems or environment is None:
        raise Misconfigured(problems)
    storage = Storage(
        path=inside(directory, defaults.storage.path),
        var=inside(directory, defaults.storage.var),
        database_url=environment.database_url or f"sqlite:///{inside(directory, defaults.storage.path)}",
    )
    return Settings(
        config_dir=directory,
        plan=defaults.plan(files.rules),
        shelf=Shelf(files.catalogue),
        fetch=defaults.fetch,
        browser=defaults.browser,
        shop=defaults.shop,
        price_file=inside(directory, defaults.shop.path),
        web=defaults.web,
        approval_webhook=defaults.approval_webhook,
        webhooks=defaults.webhooks,
        worker=defaults.worker,
        storage=storage,
        secrets=environment.secrets,
        smtp=environment.smtp,
        redis_url=environment.redis_url,
        log=environment.log,
        retention=defaults.retention.ages(),
        shown=shown_settings(defaults),
        robots_reasons=files.robots_reasons,
    )


@dataclass(frozen=True, slots=True)
class _Files:
    """What stands beside monitor.toml; the catalogue is only whole without problems."""

    catalogue: Catalogue
    rules: str
    robots_reasons: Mapping[str, str]
    problems: tuple[str, ...]


def _read_files(directory: Path, common: MonitorToml, instead: Mapping[str, bytes]) -> _Files:
    raw, text, problems = read_toml(directory / COMPETITORS_TOML)
    shops = read_competitors(raw, name=COMPETITORS_TOML, text=text)
    problems += shops.problems
    competitors = tuple(table.competitor(common) for table in shops.tables)
    catalogue_csv, watches_csv = (
        instead[name] if name in instead else _csv(directory / name, form, problems)
        for name, form in ((CATALOGUE_CSV, PRODUCTS), (WATCHES_CSV, WATCHES))
    )
    products = read_products(catalogue_csv, CATALOGUE_CSV, common.shop.currency)
    watches = read_watches(watches_csv, WATCHES_CSV)
    problems += (*products.problems, *watches.problems)
    if not problems or (shops.ids and products.keys):  # an unreadable file would make every watch stray
        problems += stray_watches(watches, {shop.id: shop for shop in competitors}, shops.ids, products.keys)
    rules, wrong = _rules(directory, shops.ids)
    return _Files(
        Catalogue(
            products=tuple(row.value for row in products.values),
            competitors=competitors,
            watches=tuple(row.value for row in watches.values),
        ),
        rules,
        {table.id: table.robots_reason for table in shops.tables if table.robots_reason},
        (*problems, *wrong),
    )


def _csv(path: Path, form: Form, problems: list[str]) -> bytes:
    """Return what the file holds; when it cannot be read, say so and return a file without rows."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        problems.append(f"{path.name}: there is no such file in {path.parent}; `monitor init` writes an empty one")
    except OSError as problem:
        problems.append(f"{path.name}: cannot be read ({problem.strerror})")
    return ",".join(form.required).encode()


def _rules(directory: Path, competitor_ids: frozenset[str]) -> tuple[str, list[str]]:
    """Return the text of rules.toml; without the file there are no rules and nothing is proposed."""
    if not (directory / RULES_TOML).exists():
        return "", []
    _, text, problems = read_toml(directory / RULES_TOML)
    if not problems:
        try:
            rules_from_text(text, where=RULES_TOML, sellers=competitor_ids)
        except Misconfigured as refused:
            problems.extend(refused.problems)
    return text, problems


def stray_watches(
    watches: Reading[Watch],
    competitors: Mapping[str, Competitor],
    competitor_ids: frozenset[str],
    skus: frozenset[str],
) -> Iterator[str]:
    """Yield what is wrong with watches whose competitor or product is not there, or whose page is elsewhere."""
    yield from _missing(watches, "competitor", competitor_ids, COMPETITORS_TOML)
    yield from _missing(watches, "sku", skus, CATALOGUE_CSV)
    for row in watches.values:
        shop = competitors.get(row.value.competitor)
        if shop is not None and (refusal := _elsewhere(row.value.url, shop)):
            yield f"{watches.name}, line {row.line}, url: {refusal}"


def _missing(watches: Reading[Watch], column: str, known: frozenset[str], file: str) -> Iterator[str]:
    """Yield what watches name that is not there, each once: one missing product may be watched at fifty shops."""
    lines: dict[str, list[int]] = {}
    for row in watches.values:
        if (named := getattr(row.value, column)) not in known:
            lines.setdefault(named, []).append(row.line)
    for named, found in lines.items():
        more = f" (so in {len(found) - 1} more line{'s' if len(found) > 2 else ''})" if len(found) > 1 else ""
        hint = suggestion(named, known)
        yield f"{watches.name}, line {found[0]}, {column}: {named!r} is not in {file}{hint}; add it there first{more}"


def _elsewhere(url: str, shop: Competitor) -> str | None:
    """Say why a page is not one of this competitor's, or None when it is."""
    base = target(shop.base_url)
    try:
        page = target(url)
    except ValueError as refused:
        return str(refused)
    if belongs(page, (base.site, *shop.extra_hosts)):
        if page.port in WEB_PORTS or page.authority in shop.allow_addresses:
            return None
        return (
            f"{url!r} has port {page.port}; ports other than 80 and 443 need {page.authority!r} in allow_addresses "
            f"of {shop.id!r} in {COMPETITORS_TOML}"
        )
    return (
        f"{url!r} is not on {base.site}, the site of {shop.id!r}; correct it, or add {page.host!r} to its extra_hosts "
        f"in {COMPETITORS_TOML}"
    )


def _environment(directory: Path, environ: Mapping[str, str], *, shop: str) -> tuple[Environment | None, list[str]]:
    written: dict[str, str] = {}
    problems: list[str] = []
    try:
        written, problems = read_env_file((directory / ENV_FILE).read_text("utf-8"), ENV_FILE)
    except FileNotFoundError:
        pass
    except (OSError, UnicodeDecodeError) as problem:
        problems = [
            f"{ENV_FILE}: cannot be read ({type(problem).__name__}); it must be UTF-8 and readable by this user"
        ]
    found, wrong = read_environment({**written, **{k: v for k, v in environ.items() if v.strip()}}, shop=shop)
    return found, problems + wrong
