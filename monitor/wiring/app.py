"""Settings and adapters put together as one value that commands, workers and the web share."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import structlog
from dramatiq import Broker

from monitor.adapters.alone import Alone
from monitor.adapters.broker import BrokerBell, declare
from monitor.adapters.charts import Artist
from monitor.adapters.clock import SystemClock
from monitor.adapters.db.revision import HEAD, stored_revision
from monitor.adapters.db.store import SqlStore
from monitor.adapters.fetch import HttpFetcher
from monitor.adapters.http import Client
from monitor.adapters.liveness import AdvisoryLocks, FileLocks
from monitor.adapters.log import configure_log
from monitor.adapters.notify import AppriseChannels, EventWebhook
from monitor.adapters.render import JinjaRenderer, Templates
from monitor.adapters.signing import LinkSigner
from monitor.domain.catalogue import Catalogue
from monitor.domain.message import Alert, AlertKind
from monitor.domain.plan import NightPlan
from monitor.domain.run import Job, JobKind, Run
from monitor.durable import Done, Ending, Incarnation, InOrder, Plan, Tool, ToolContext, every_part, work
from monitor.errors import Misconfigured
from monitor.flow import begin, collect, propose, report, review, sweep
from monitor.ports.messages import Mailer
from monitor.ports.shop import Shop
from monitor.ports.store import Effect, Unit
from monitor.ports.world import Clock, Fetcher
from monitor.resources import find_all
from monitor.settings import Settings, find, load
from monitor.wiring.beginning import begin_owed, log_begun, tell_old_files
from monitor.wiring.broker import broker_of
from monitor.wiring.errands import errands_of
from monitor.wiring.exports import attached
from monitor.wiring.frozen import frozen_catalogue, frozen_plan, frozen_share
from monitor.wiring.interpreter import give_back
from monitor.wiring.night_files import NightFiles, stamps_of
from monitor.wiring.outside import events_of, fetcher_of, liveness_of, mailer_of
from monitor.wiring.own_shop import catalogue_now, shop_of
from monitor.wiring.pricing import frozen_rules
from monitor.wiring.rounds import Rounds

_log = structlog.get_logger("monitor")


@dataclass(frozen=True, slots=True)
class App:
    """Everything a process of the monitor needs. Close it when the process ends."""

    settings: Settings
    clock: Clock
    store: SqlStore
    signer: LinkSigner
    templates: Templates
    renderer: JinjaRenderer
    client: Client
    fetcher: Fetcher
    shop: Shop
    mailer: Mailer | None
    liveness: FileLocks | AdvisoryLocks
    broker: Broker
    bell: BrokerBell
    me: Incarnation
    channels: AppriseChannels
    files: NightFiles  #: what nights begin with
    events: EventWebhook | None = None  #: who hears that a run has ended
    rounds: Rounds = field(default_factory=Rounds)
    idle_nights: set[date] = field(default_factory=set)  #: owed, and found to visit nobody
    charts: Artist = field(default_factory=Artist)  #: starts its child process when the first chart is drawn

    @property
    def plan(self) -> NightPlan:
        """The plan that this process works by since it started; a run keeps the one it froze."""
        return self.settings.plan

    @property
    def plan_now(self) -> NightPlan:
        """The same with `[writes]` and `[mail]` as monitor.toml says at this moment."""
        return self.files.plan()

    def begin(self, origin: str, day: date | None = None, only: str | None = None, *, again: bool = False) -> Run:
        """Begin the night of `day` (default: the latest due one) or return the run there is, and wake its jobs.

        `only` visits one competitor, in a run of its own; `again` repeats an ended night; see `monitor.flow.begin`.
        """
        settings, refused = self.files.now()
        catalogue = self._now(settings)
        run, is_new = begin.begin(self.store, settings.plan, catalogue, origin=origin, day=day, only=only, again=again)
        if is_new:
            log_begun(run, settings.robots_reasons)
            if refused is not None:
                tell_old_files(self.store, run, refused)
            give_back()  # of the text that was frozen
            self.ring()
        return run

    def _now(self, settings: Settings) -> Catalogue:
        """Return our catalogue as the shop and the locks say now; the one of the files is needed again tomorrow."""
        catalogue = catalogue_now(self.shop, settings.catalogue, self.store)
        settings.shelf.put_away()
        return catalogue

    def begin_owed(self) -> Run | None:
        """Begin the night that is due and has no run yet, if there is one and it has somebody to visit."""
        return begin_owed(self)

    def work(self, job_id: int) -> Ending:
        """Work on one job as far as it goes; a process that stops leaves it to the others."""
        self.bell.heard(job_id)
        if self.me.is_stopping:
            return Ending.NOT_OURS  # a job just given back would be claimed here again and again
        ending = work(job_id, store=self.store, me=self.me, open_job=self.open_job, alone=Alone())
        if ending is not Ending.NOT_OURS:
            _log.info("job_left", job=job_id, ending=ending.value)
            if self.rounds.is_due():
                self.ring()  # an ending job rings the next, the synthesis too
        return ending

    def ring(self) -> None:
        """Ring for jobs that are due, as many as the living workers can take soon."""
        self.rounds.rang(len(sweep.ring_due(self.store, self.bell, room=self._room)))

    @property
    def _room(self) -> int:
        """Twice the threads of one process: enough to keep it busy, few enough to leave some for its neighbours."""
        return 2 * self.settings.worker.threads

    def open_job(self, unit: Unit, job: Job) -> tuple[Plan, Mapping[str, Tool]]:
        """Return the plan and the tools of a claimed job, from what its run froze."""
        run = unit.runs.get(job.run_id)
        if run is None:
            raise LookupError(f"{job.name}: its run is not in the database")
        plan = frozen_plan(unit, run)
        if job.kind is JobKind.SYNTHESIS:
            give_back()  # of the visits, before there is more
            return self._synthesis(run, plan, frozen_catalogue(unit, run))
        share = frozen_share(unit, run, job.key)
        fetch = self.settings.fetch
        limits = collect.Limits(
            page_deadline=fetch.page_deadline_s,
            max_body_bytes=fetch.max_body_bytes,
            max_feed_bytes=fetch.max_feed_bytes,
        )
        todo = collect.assignment_of(unit, job, share, limits.agent)
        tools = collect.Visitor(todo, self.store, self.fetcher, limits).tools()
        tonight = collect.Tonight(run, share, frozen_rules(plan))
        return collect.looking_twice(collect.Collecting(todo), tools, todo, self.store, tonight)

    def _synthesis(self, run: Run, plan: NightPlan, catalogue: Catalogue) -> tuple[Plan, Mapping[str, Tool]]:
        def failed(words: str) -> list[Effect]:
            alert = Alert(f"job:{run.id}:synthesis", AlertKind.JOB, run.id, f"{run.id}: {words}", self.clock.now())
            return [lambda unit: _raise(unit, alert)]

        give_back()
        issue = partial(review.issue_link, signer=self.signer)

        def proposed(context: ToolContext, _args: dict[str, Any]) -> Done:
            done = Done(context.call(propose.propose, self.store, run, plan, catalogue))
            give_back()
            return done

        tools: dict[str, Tool] = {
            "propose": proposed,
            "report": lambda context, _args: Done(
                {
                    "stored": context.call(
                        report.report,
                        self.store,
                        self.renderer,
                        run.id,
                        issue_link=issue,
                        charts=self.charts,
                        attach=attached,
                        frozen=(plan, catalogue),
                    )
                }
            ),
        }
        return InOrder(("propose", "report"), failed), tools

    def sweep(self) -> sweep.Swept:
        """Repair and wake once."""
        swept = sweep.sweep(self.store, self.bell, self.liveness, self.me.id, room=self._room)
        if swept.recovered:
            _log.warning("jobs_recovered", jobs=swept.recovered)
        return swept

    def errands(self) -> None:
        """Send what waits, write what is approved, expire what is over."""
        every_part(*errands_of(self))

    def close(self) -> None:
        """Close connections and files."""
        self.broker.close()
        self.charts.close()
        self.client.close()
        if isinstance(self.fetcher, HttpFetcher):
            self.fetcher.close()
        self.store.close()


def _raise(unit: Unit, alert: Alert) -> None:
    unit.alerts.raise_once(alert)


def open_app(
    config_dir: Path | None = None,
    *,
    environ: Mapping[str, str] | None = None,
    role: str = "cli",
    ahead: timedelta = timedelta(0),
) -> App:
    """Read the settings and open everything they name.

    Args:
        config_dir: where the operator's files are; see `monitor.settings.load`.
        environ: instead of the environment of this process.
        role: what this process is, for the log and the workers table.
        ahead: how far the clock runs ahead of this host's; only for the demo's simulated nights.

    Raises:
        Misconfigured: a setting is wrong, or a PostgreSQL database needs `monitor migrate`.
    """
    stamps = stamps_of(find(config_dir, os.environ if environ is None else environ))
    settings = load(config_dir, environ)
    configure_log(settings.log.value)
    clock = SystemClock(ahead)
    store = SqlStore(settings.storage.database_url, clock)
    prepare_tables(settings, store)
    broker = broker_of(settings.redis_url)
    client, templates = Client(), Templates(find_all("templates"))
    app = App(
        settings=settings,
        clock=clock,
        store=store,
        signer=LinkSigner(settings.secrets.keys),
        templates=templates,
        renderer=JinjaRenderer(templates),
        client=client,
        fetcher=fetcher_of(settings, client),
        shop=shop_of(settings, client, clock, store),
        mailer=mailer_of(settings),
        liveness=liveness_of(settings, store),
        broker=broker,
        bell=BrokerBell(broker, lambda words: _log.warning("bell_unheard", words=words)),
        me=Incarnation(role),
        channels=AppriseChannels(settings.secrets.channels),
        files=NightFiles(settings, stamps, environ),
        events=events_of(settings, client, clock),
    )
    declare(broker, app.work)
    return app


def prepare_tables(settings: Settings, store: SqlStore) -> None:
    """Make sure that the database has the tables of this version.

    A SQLite file is migrated here; a PostgreSQL database, which many processes share, only by `monitor migrate`.

    Raises:
        Misconfigured: it has others; nothing was changed.
    """
    found = stored_revision(store)
    if found == HEAD:
        return
    if settings.storage.is_embedded:
        from monitor.adapters.db.migrate import migrate  # takes half a second to load, and is hardly ever needed

        migrate(settings.storage.database_url)
        return
    raise Misconfigured(
        [f"the database is at revision {found or 'none'} and this version needs {HEAD}. Run: monitor migrate"]
    )
