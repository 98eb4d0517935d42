"""The same steps as LangGraph threads with durability `sync`; run by `checkpoints.py` in an environment of its own."""

import json
import sqlite3
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from operator import add
from pathlib import Path
from typing import Annotated, TypedDict

sys.path.insert(0, str(Path(__file__).parent))

from langgraph.graph import END, START, StateGraph
from result import a_result

url, jobs, steps, threads = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
is_sqlite = url.startswith("sqlite")


class State(TypedDict):
    """What one job has found out so far."""

    job: int
    results: Annotated[list, add]


def page(state: State) -> dict:
    """Return about 2 kB more."""
    return {"results": [a_result(state["job"], len(state["results"]))]}


@contextmanager
def saver():
    """Open the saver of the database."""
    if is_sqlite:
        from langgraph.checkpoint.sqlite import SqliteSaver

        db = sqlite3.connect(url.removeprefix("sqlite:///"), check_same_thread=False)
        db.execute("PRAGMA journal_mode=WAL")
        db.execute("PRAGMA synchronous=FULL")
        yield SqliteSaver(db)
        return
    from langgraph.checkpoint.postgres import PostgresSaver
    from psycopg.rows import dict_row
    from psycopg_pool import ConnectionPool

    options = {"autocommit": True, "prepare_threshold": 0, "row_factory": dict_row}
    with ConnectionPool(url.replace("+psycopg", ""), min_size=threads, max_size=threads, kwargs=options) as pool:
        yield PostgresSaver(pool)


def size() -> int:
    """Return what the database holds."""
    if is_sqlite:
        with sqlite3.connect(url.removeprefix("sqlite:///")) as db:
            return db.execute("PRAGMA page_count").fetchone()[0] * db.execute("PRAGMA page_size").fetchone()[0]
    import psycopg

    with psycopg.connect(url.replace("+psycopg", ""), autocommit=True) as db:
        db.execute("VACUUM")
        return db.execute("SELECT pg_database_size(current_database())").fetchone()[0]


builder = StateGraph(State)
builder.add_node("page", page)
builder.add_edge(START, "page")
builder.add_conditional_edges("page", lambda state: END if len(state["results"]) == steps else "page")

with saver() as checkpointer:
    checkpointer.setup()
    graph = builder.compile(checkpointer=checkpointer)
    before = size()

    def visit(job: int) -> None:
        """Take the steps of one job."""
        config = {"configurable": {"thread_id": str(job)}, "recursion_limit": steps + 5}
        graph.invoke({"job": job, "results": []}, config, durability="sync")

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
    print(json.dumps({"steps_per_s": count / spent, "cpu_ms_per_step": cpu * 1000 / count, "bytes_per_step": kept}))
