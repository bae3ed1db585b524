"""A private answer beside the plain query in the same engine, and beside OpenDP.

Noisy count and clamped sum for 50 regions of a Parquet file. *Engine* rows compare the statements
alone, in turns within one process. *Process* rows compare whole programs, from their start to their
end: ours is a release by `Curator`, with a policy in Python, a new ledger on the disk, the durable
charge and the stored answer, and every estimate read; OpenDP's keeps no ledger.

Targets, as times of the plain query: 1.15 for the engine; for the process 2, and 1.15 from 50
million rows on, where the time of the imports hardly counts. That takes 500 MB of disk and some
minutes:

    TWOWORLDS_BENCHMARK_ROWS=50000000 python -m benchmarks queries
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import duckdb

from benchmarks import Row, best_of
from twoworlds.release.backends import open_backend
from twoworlds.release.plan import Plan, plan
from twoworlds.release.policy import Column, Dataset
from twoworlds.release.query import Query, resolve

ROWS = int(os.environ.get("TWOWORLDS_BENCHMARK_ROWS", "5000000"))
REGIONS = 50
TURNS = 7
TARGET = 1 / 1.15
PROCESS_TARGET = TARGET if ROWS >= 50_000_000 else 1 / 2
PLAIN = (
    "SELECT region, COUNT(*), SUM(LEAST(GREATEST(income, 0), 200000)) FROM '{path}' GROUP BY region"
)
PLAIN_PROGRAM = "import duckdb; duckdb.connect().execute({statement!r}).fetchall()"
OUR_PROGRAM = """
from fractions import Fraction
from pathlib import Path
from twoworlds.release import Curator, Policy, Query
from twoworlds.release.budget import parse_cap
from twoworlds.release.policy import Column, Dataset
columns = {{
    "region": Column("region", "text", keys=tuple(f"region {{i}}" for i in range({regions}))),
    "income": Column("income", "integer", Fraction(0), Fraction(200000)),
}}
cap = parse_cap("epsilon=1")
people = Dataset("people", {path!r}, "add-remove", columns=columns, cap=cap)
asked = Query("people").by("region").count().sum("income")
policy = Policy({{"people": people}}, "ledger.db", folder=Path.cwd())
with Curator.open(policy) as curator:
    answer = curator.release(asked, "epsilon=1")
    values = [[estimate.value for estimate in group] for group in answer.estimates]
"""
OPENDP_PROGRAM = """
import opendp.prelude as dp
import polars as pl
dp.enable_features("contrib")
context = dp.Context.compositor(
    data=pl.scan_parquet({path!r}),
    privacy_unit=dp.unit_of(contributions=1),
    privacy_loss=dp.loss_of(epsilon=1.0),
    split_evenly_over=1,
    margins=[dp.polars.Margin(by=["region"], invariant="keys", max_length={rows})],
)
answer = context.query().group_by("region").agg(
    dp.len(), pl.col("income").cast(pl.Int64).fill_null(0).dp.sum(bounds=(0, 200000))
)
answer.release().collect()
"""


def write(path: Path) -> None:
    """Write the rows: a text and two numbers each."""
    duckdb.connect().execute(
        f"COPY (SELECT 'region ' || (hash(i) % {REGIONS}) AS region, "
        "(hash(7 * i + 1) % 300000)::INTEGER - 20000 AS income, "
        "(hash(3 * i + 1) % 3000000) / 10.0::DOUBLE - 20000 AS pay "
        f"FROM range({ROWS}) t(i)) TO '{path}' (FORMAT parquet)"
    )


def dataset() -> Dataset:
    """What the policy declares about the rows."""
    keys = tuple(f"region {i}" for i in range(REGIONS))
    bounds = Fraction(0), Fraction(200000)
    columns = {
        "region": Column("region", "text", keys=keys),
        "income": Column("income", "integer", *bounds),
        "pay": Column("pay", "number", *bounds),
    }
    return Dataset("people", None, "add-remove", columns=columns)


def beside(source: Any, plain: Callable[[str], object], who: str, *, warming: int = 0) -> list[Row]:
    """Our statement and the plain one of an engine, on integers and on floats, in turns.

    Args:
        source: The rows, for `open_backend`.
        plain: Runs the plain query of a column.
        who: The name of the plain query.
        warming: Turns before those that count, for an engine that compiles as it goes.
    """
    backend, relation = open_backend(source)
    rows = []
    for column in ("income", "pay"):
        resolved = resolve(Query("people").by("region").count().sum(column), dataset())
        found = plan(resolved, relation, backend)

        def ours(found: Plan = found) -> object:
            return found.decode(backend.fetch(found.statement))

        def peer(column: str = column) -> object:
            return plain(column)

        turns = [(best_of(1, ours), best_of(1, peer)) for _ in range(warming + TURNS)][warming:]
        mine, theirs = (min(turn) for turn in zip(*turns, strict=True))
        name = f"count and sum of {column} by region, {ROWS:,} rows, engine"
        rows.append(Row(name, mine, peer=theirs, against=who, target=TARGET))
    backend.close()
    return rows


def beside_duckdb(path: Path) -> list[Row]:
    """The statements alone in DuckDB."""
    connection = duckdb.connect()
    statement = PLAIN.format(path=path)
    return beside(
        path,
        lambda column: connection.execute(statement.replace("income", column)).fetchall(),
        "plain DuckDB",
    )


def beside_spark(path: Path) -> list[Row]:
    """The statements alone in Spark, on two threads; nothing where there is no Spark or Java."""
    java = "JAVA_HOME" in os.environ or shutil.which("java")
    if not (java and importlib.util.find_spec("pyspark")):
        print("Spark is left out: it needs pyspark and Java (make services)", file=sys.stderr)
        return []
    from pyspark.sql import SparkSession

    settings = {
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.log.level": "ERROR",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
    }
    session = SparkSession.builder.master("local[2]").config(map=settings).getOrCreate()
    frame = session.read.parquet(str(path))
    frame.createOrReplaceTempView("plain")
    statement = PLAIN.replace("'{path}'", "plain")
    try:
        return beside(
            frame,
            lambda column: session.sql(statement.replace("income", column)).collect(),
            "plain Spark",
            warming=2 * TURNS,
        )
    finally:
        session.stop()


def _process(program: str) -> float:
    """Run a program in a new folder, in which ours keeps its ledger."""
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        subprocess.run(
            [sys.executable, "-c", program],
            check=True,
            cwd=folder,
            env=environment,
            capture_output=True,
        )
        return time.perf_counter() - start


def processes(path: Path) -> list[Row]:
    """Whole programs, in turns; OpenDP if it is installed."""
    statement = PLAIN.format(path=path)
    programs = {
        "ours": OUR_PROGRAM.format(path=str(path), regions=REGIONS),
        "plain DuckDB": PLAIN_PROGRAM.format(statement=statement),
    }
    if importlib.util.find_spec("opendp") and importlib.util.find_spec("polars"):
        peer = OPENDP_PROGRAM.format(path=str(path), rows=ROWS)
        try:
            _process(peer)
        except subprocess.CalledProcessError:  # it runs with one version of polars only
            print("OpenDP is left out: it does not run beside this polars", file=sys.stderr)
        else:
            programs["OpenDP"] = peer
    turns = [{who: _process(program) for who, program in programs.items()} for _ in range(TURNS)]
    best = {who: min(turn[who] for turn in turns) for who in programs}
    return [
        Row(
            f"count and sum of income by region, {ROWS:,} rows, process",
            best["ours"],
            peer=seconds,
            against=who,
            target=PROCESS_TARGET if who == "plain DuckDB" else None,
        )
        for who, seconds in best.items()
        if who != "ours"
    ]


def run() -> list[Row]:
    """Write the rows to a file, then all comparisons."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "rows.parquet")
        write(path)
        return [*beside_duckdb(path), *processes(path), *beside_spark(path)]
