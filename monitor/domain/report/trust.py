"""Whether tonight's data can be relied on, in numbers and in words.

A failure must never look like "no change": what was not read is counted against what was expected,
and every competitor that could not be read is named with its reason, and so are the watches without a reading.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from decimal import Decimal

from monitor.domain.catalogue import Catalogue, MatchState, Watch
from monitor.domain.extraction import RECIPE_FAILED, Outcome
from monitor.domain.observation import Observation, Span
from monitor.domain.report.clean import clean
from monitor.domain.report.needs import TITLE_LIMIT
from monitor.domain.report.view import Count, Failing, Level, Trust, Unread
from monitor.domain.report.wording import counted, percent, rate
from monitor.domain.run import Job, JobKind, JobState, Run
from monitor.domain.unread import READ, Result, commonest, kind_words, why_unread

MAX_FAILING = 10
MAX_SKIPPED = 10
MAX_GAPS = 10
#: Watches of one failing competitor that a line names; it counts the others.
_TOGETHER = 3
_WHY_LIMIT = 160
_NAME_LIMIT = 60
_KEY_LIMIT = 90
_GAP_LIMIT = 160
_GOOD_COVERAGE_PCT = 90  #: fewer watches read than this is worth a warning even when each reason is known

_NOT_REACHED = "not reached"


def trust_of(
    run: Run,
    jobs: Sequence[Job],
    observations: Sequence[Observation],
    spans: Iterable[Span],
    catalogue: Catalogue,
    *,
    min_coverage_pct: int,
    now: datetime,
) -> Trust:
    """Return what the night can say for itself.

    Args:
        spans: the latest span of each (competitor, SKU), for the age of the oldest offer in use.
        min_coverage_pct: below this share of watches read the data is not to be relied on.
        now: when the report is made; that is when the night finished for its reader.
    """
    visited = {job.key: job for job in jobs if job.kind is JobKind.COMPETITOR}
    watches = [w for w in catalogue.watches if w.competitor in visited and w.match is not MatchState.REJECTED]
    by_watch = {(o.competitor, o.sku): o for o in observations}
    read = sum(_is_read(watch, by_watch) for watch in watches)
    failing = _failing(visited, watches, by_watch, {c.id: c.name for c in catalogue.competitors})
    skipped = [clean(w.key, _KEY_LIMIT) for w in watches if _outcome(w, by_watch) is Outcome.SKIPPED_BUDGET]
    told = {one.competitor: one.why if n < MAX_FAILING else "" for n, one in enumerate(failing)}
    gaps = _gaps(watches, by_watch, catalogue, told)
    coverage = percent(read, len(watches))
    level = _level(coverage, min_coverage_pct, is_troubled=bool(failing) or run.partial)
    return Trust(
        level=level,
        words=_words(level, coverage, min_coverage_pct, len(failing), run.partial),
        started_at=run.started_at,
        finished_at=now,
        read=read,
        expected=len(watches),
        coverage_pct=coverage,
        competitors_ok=len(visited) - len(failing),
        competitors=len(visited),
        failing=tuple(failing[:MAX_FAILING]),
        failing_more=max(0, len(failing) - MAX_FAILING),
        unread=_unread(watches, by_watch),
        skipped=tuple(skipped[:MAX_SKIPPED]),
        skipped_more=max(0, len(skipped) - MAX_SKIPPED),
        oldest_at=_oldest(watches, spans),
        is_partial=run.partial,
        gaps=tuple(line for line, _ in gaps[:MAX_GAPS]),
        gaps_more=sum(count for _, count in gaps[MAX_GAPS:]),
    )


_ByWatch = Mapping[tuple[str, str], Observation]


def _outcome(watch: Watch, by_watch: _ByWatch) -> Outcome | None:
    seen = by_watch.get((watch.competitor, watch.sku))
    return None if seen is None else seen.outcome


def _is_read(watch: Watch, by_watch: _ByWatch) -> bool:
    return _outcome(watch, by_watch) in READ


def _unread(watches: Iterable[Watch], by_watch: _ByWatch) -> tuple[Count, ...]:
    unread = (watch for watch in watches if not _is_read(watch, by_watch))
    counts = Counter(_kind(by_watch.get((watch.competitor, watch.sku))) for watch in unread)
    worded = [Count(words, number) for words, number in counts.items()]
    return tuple(sorted(worded, key=lambda count: (-count.count, count.words)))


def _kind(seen: Observation | None) -> str:
    return _NOT_REACHED if seen is None else kind_words(seen.outcome, seen.reason)


def _gaps(
    watches: Iterable[Watch], by_watch: _ByWatch, catalogue: Catalogue, failing: Mapping[str, str]
) -> list[tuple[Unread, int]]:
    """Return every unread watch by name, and for how many a line stands.

    Those that were not reached come last, and after them those of failing competitors, whose own line says why
    already; both together where they have one reason, so that a page that is gone is not lost among them.

    Args:
        failing: what the lines of failing competitors say, empty for one that has none.
    """
    titles = {product.sku: product.full_title for product in catalogue.products}
    names = {competitor.id: clean(competitor.name, _NAME_LIMIT) for competitor in catalogue.competitors}
    alone: list[tuple[Unread, int]] = []
    together: dict[tuple[bool, str, str], list[Unread]] = defaultdict(list)
    for watch in watches:
        if _is_read(watch, by_watch):
            continue
        why = _why_unread(by_watch.get((watch.competitor, watch.sku)))
        is_failing, is_told = watch.competitor in failing, failing.get(watch.competitor, "").startswith(why)
        title = clean(titles.get(watch.sku, watch.sku), TITLE_LIMIT)
        gap = Unread(title, names.get(watch.competitor, watch.competitor), why, is_told)
        if is_failing or _outcome(watch, by_watch) is Outcome.SKIPPED_BUDGET:
            together[is_failing, watch.competitor, "" if is_told else why].append(gap)
        else:
            alone.append((gap, 1))
    return alone + [
        (replace(these[0], title=_named([one.title for one in these])), len(these))
        for _, these in sorted(together.items(), key=lambda one: one[0][0])
    ]


def _named(titles: Sequence[str]) -> str:
    rest = len(titles) - _TOGETHER
    return ", ".join(titles[:_TOGETHER]) + (f" and {rest} more" if rest > 0 else "")


def _why_unread(seen: Observation | None) -> str:
    if seen is None:
        return _NOT_REACHED
    return clean(why_unread(seen.outcome, seen.reason, seen.words), _GAP_LIMIT)


def _failing(
    jobs: Mapping[str, Job], watches: Sequence[Watch], by_watch: _ByWatch, names: Mapping[str, str]
) -> list[Failing]:
    """Return the competitors whose job did not end well, that gave nothing, or whose recipe fails; most lost first."""
    found: list[Failing] = []
    watches_of: dict[str, list[Watch]] = defaultdict(list)
    for watch in watches:
        watches_of[watch.competitor].append(watch)
    for key, job in jobs.items():
        mine = watches_of[key]
        read = sum(_is_read(watch, by_watch) for watch in mine)
        if job.state is JobState.DONE and (read or not mine) and not _by_recipe(mine, by_watch):
            continue
        name = clean(names.get(key, key), _NAME_LIMIT)
        found.append(Failing(key, name, _why(job, mine, by_watch), read, len(mine)))
    return sorted(found, key=lambda failing: (failing.read - failing.expected, failing.name))


def _by_recipe(watches: Iterable[Watch], by_watch: _ByWatch) -> list[Observation]:
    """Return the readings that the operator's recipe for this competitor no longer gave: it is for a person to mend."""
    seen = (by_watch.get((w.competitor, w.sku)) for w in watches)
    return [o for o in seen if o is not None and o.reason in RECIPE_FAILED]


def _why(job: Job, watches: Sequence[Watch], by_watch: _ByWatch) -> str:
    if job.state is JobState.FAILED and job.error:
        return clean(job.error.removeprefix(f"{job.name}: "), _WHY_LIMIT)
    if job.state not in (JobState.DONE, JobState.FAILED):
        return "had not finished when the report was due"
    seen = [by_watch[w.competitor, w.sku] for w in watches if (w.competitor, w.sku) in by_watch]
    failed = _by_recipe(watches, by_watch) or [o for o in seen if o.outcome not in READ]
    counts = Counter((o.outcome, o.reason, o.words) for o in failed)
    most = commonest(Result(outcome, reason, number, words) for (outcome, reason, words), number in counts.items())
    if most is None:
        return "ended without a reading"
    share = "" if most.count == len(seen) else f" ({most.count} of {len(seen)} pages)"
    return clean(f"{most.words or kind_words(most.outcome, most.reason)}{share}", _WHY_LIMIT)


def _level(coverage: Decimal | None, min_coverage_pct: int, *, is_troubled: bool) -> Level:
    if coverage is None or coverage < min_coverage_pct:
        return Level.BAD
    return Level.WARN if is_troubled or coverage < _GOOD_COVERAGE_PCT else Level.GOOD


def _words(level: Level, coverage: Decimal | None, min_coverage_pct: int, failing: int, is_partial: bool) -> str:
    if coverage is None:
        return "Nothing was watched tonight."
    if level is Level.BAD:
        return f"Too little was read to rely on: {rate(coverage)} of the watches, less than your {min_coverage_pct} %."
    if is_partial:
        return "Partial: the report was due before every competitor had been read."
    if failing:
        return f"Usable, but {counted(failing, 'competitor')} could not be read."
    return "Usable, with gaps." if level is Level.WARN else "Complete: you can rely on tonight's data."


def _oldest(watches: Iterable[Watch], spans: Iterable[Span]) -> datetime | None:
    watched = {(watch.competitor, watch.sku) for watch in watches}
    return min((s.last_seen_at for s in spans if (s.competitor, s.sku) in watched), default=None)
