"""The same steps as DBOS workflows; run by `checkpoints.py` in an environment of its own."""

import json
import os
import sqlite3
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from dbos import DBOS
from result import a_result

url, jobs, steps, threads = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
is_sqlite = url.startswith("sqlite")
DBOS(config={"name": "steps", "system_database_url": url, "run_admin_server": False, "log_level": "ERROR"})


@DBOS.step()
def page(job: int, n: int) -> dict:
    """Return about 2 kB."""
    return a_result(job, n)


@DBOS.workflow()
def visit(job: int) -> int:
    """Take the steps of one job."""
    for n in range(steps):
        page(job, n)
    return steps


def size() -> int:
    """Return what the database holds."""
    if is_sqlite:
        with sqlite3.connect(url.removeprefix("sqlite:///")) as db:
            return db.execute("PRAGMA page_count").fetchone()[0] * db.execute("PRAGMA page_size").fetchone()[0]
    import psycopg

    with psycopg.connect(url.replace("+psycopg", ""), autocommit=True) as db:
        db.execute("VACUUM")
        return db.execute("SELECT pg_database_size(current_database())").fetchone()[0]


DBOS.launch()
before = size()
began, cpu = time.perf_counter(), time.process_time()
if threads == 1:
    for job in range(jobs):
        visit(job)
else:
    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(visit, range(jobs)))
spent, cpu = time.perf_counter() - began, time.process_time() - cpu
count = jobs * steps
kept = (size() - before) / count
sys.stdout.write(
    json.dumps({"steps_per_s": count / spent, "cpu_ms_per_step": cpu * 1000 / count, "bytes_per_step": kept})
)
sys.stdout.write("\n")
sys.stdout.flush()
os._exit(0)  # its background threads need not be waited for
