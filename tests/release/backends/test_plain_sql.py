"""Statements as text for DuckDB: with or without its dialect in sqlglot, the same text."""

from __future__ import annotations

import subprocess
import sys
from fractions import Fraction

import pandas as pd
import pytest
from sqlglot import Dialect, exp
from sqlglot.generator import Generator

from twoworlds.release.backends import open_backend
from twoworlds.release.backends.plain_sql import _ALIKE, _TYPES, duckdb_text
from twoworlds.release.plan import plan, sql
from twoworlds.release.policy import Column, Dataset, Unit
from twoworlds.release.query import Compare, Query, resolve

COLUMNS = {
    "region": Column(
        "region", "text", keys=("a", "it's", 'b"c', "back\\slash", "tab\t", "\x0b", "é")
    ),
    "age": Column("age", "integer", Fraction(-9), Fraction(9), grid=(Fraction(3), Fraction(5))),
    "pay": Column("pay", "number", Fraction(0), Fraction(9), unit=Fraction(1, 100)),
    "big": Column("big", "integer", Fraction(0), Fraction(2**61)),
    "odd": Column("odd", "boolean", keys=(True, False)),
    "id": Column("id", "integer"),
}
PEOPLE = Query("people")
QUERIES = (
    PEOPLE.count(),
    PEOPLE.by("region").count().sum("age"),
    PEOPLE.by("region", other=True).mean("pay").sum("big"),
    PEOPLE.by("odd").variance("pay").count(),
    PEOPLE.by("region").count().median("age"),
    PEOPLE.where(Compare("age", ">", Fraction(3))).where(Compare("region", "=", "it's")).count(),
)
# DuckDB's dialect has its own writers of these, which do the same in the forms that the plan has.
OWN = {exp.Collate, exp.DataType, exp.Join, exp.Round, exp.Select}


@pytest.fixture(scope="module")
def opened():
    row = {"region": ["a"], "age": [1], "pay": [1.5], "big": [1], "odd": [True], "id": [1]}
    backend, relation = open_backend(pd.DataFrame(row))
    yield backend, relation
    backend.close()


@pytest.mark.parametrize("unit", [Unit(), Unit("id", rows=3, groups=2)], ids=["row", "person"])
@pytest.mark.parametrize("query", QUERIES, ids=range(len(QUERIES)))
def test_plans_are_written_as_by_the_dialect(opened, query, unit):
    dataset = Dataset("people", None, "add-remove", unit, COLUMNS)
    found = plan(resolve(query, dataset), opened[1], opened[0]).statement
    assert duckdb_text(found) == found.sql("duckdb")


@pytest.mark.parametrize("text", ["a", "it's", "back\\slash", "\t\n\r", "\x0b\x1c", "\x7f\x85 é'"])
def test_names_and_texts_are_written_as_by_the_dialect(text):
    for part in (sql.text(text), sql.table(text, text), sql.named(sql.column(text, text), text)):
        assert duckdb_text(part) == part.sql("duckdb")


@pytest.mark.parametrize("kind", sorted(_TYPES, key=str), ids=str)
def test_types_are_written_as_by_the_dialect(kind):
    part = exp.Cast(this=exp.Null(), to=exp.DataType(this=kind))
    assert part.sql() == part.sql("duckdb")


def test_the_dialect_writes_the_other_parts_as_every_dialect_does():
    ours = Dialect.get_or_raise("duckdb").generator_class

    def is_own(kind):
        method = f"{kind.key}_sql"
        same = getattr(ours, method, None) is getattr(Generator, method, None)
        return not same or ours.TRANSFORMS.get(kind) is not Generator.TRANSFORMS.get(kind)

    assert {kind for kind in _ALIKE if is_own(kind)} <= OWN


def test_what_the_dialects_write_in_different_ways_is_left_to_the_one_of_duckdb():
    for part in (
        exp.IsNan(this=sql.column("x")),
        exp.Ordered(this=sql.column("x"), desc=False),
        exp.Cast(this=sql.column("x"), to=exp.DataType.build("BINARY")),
        exp.Round(this=sql.column("x"), decimals=sql.number(1), truncate=sql.number(1)),
    ):
        assert duckdb_text(part) == part.sql("duckdb")
    assert exp.IsNan(this=sql.column("x")).sql() != exp.IsNan(this=sql.column("x")).sql("duckdb")


PROGRAM = """
import sys
from fractions import Fraction
from pathlib import Path
from twoworlds.release import Curator, Policy, Query
from twoworlds.release.budget import parse_cap
from twoworlds.release.policy import Column, Dataset
columns = {
    "region": Column("region", "text", keys=("a", "b")),
    "age": Column("age", "integer", Fraction(0), Fraction(9)),
    "pay": Column("pay", "number", Fraction(0), Fraction(9)),
}
people = Dataset("people", "rows.parquet", "add-remove", columns=columns, cap=parse_cap("1"))
folder = Path(sys.argv[1])
with Curator.open(Policy({"people": people}, "ledger.db", folder=folder)) as curator:
    curator.release(Query("people").by("region").count().sum("age").mean("pay"), "1")
print(any(name.startswith("sqlglot.generators.duckdb") for name in sys.modules))
"""


def test_a_release_from_a_parquet_file_does_not_load_the_dialect(tmp_path):
    frame = pd.DataFrame({"region": ["a", "b"], "age": [1, 2], "pay": [1.5, 2.5]})
    frame.to_parquet(tmp_path / "rows.parquet")
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(tmp_path)], capture_output=True, text=True, check=True
    )
    assert done.stdout == "False\n"
