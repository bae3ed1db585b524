"""What can be opened, and what is refused before anything is paid, with the way out."""

from __future__ import annotations

import os
import sqlite3
from fractions import Fraction
from pathlib import Path

import duckdb
import pandas as pd
import pytest

from twoworlds.errors import InvalidInput
from twoworlds.release.backends import open_backend
from twoworlds.release.ledger import Ledger
from twoworlds.release.plan import check_columns, plan
from twoworlds.release.policy import Column, Dataset, PublicTable
from twoworlds.release.query import Query, resolve

FRAME = pd.DataFrame({"age": [1, 2, 3], "name": ["a", "b", "a"]})
COLUMNS = {
    "age": Column("age", "integer", Fraction(0), Fraction(9)),
    "name": Column("name", "text", keys=("a", "b")),
}
DATASET = Dataset("people", None, "add-remove", columns=COLUMNS)
BY_NAME = Query("people").by("name").count().sum("age")
EXPECTED = {(0,): (2, 4), (1,): (1, 2)}


def answer(source, folder=None, query=BY_NAME, dataset=DATASET):
    backend, relation = open_backend(source) if folder is None else open_backend(source, folder)
    resolved = resolve(query, dataset)
    check_columns(dataset, resolved, backend, relation)
    found = plan(resolved, relation, backend)
    totals = found.decode(backend.fetch(found.statement))
    backend.close()
    return dict(totals.cells)


def test_paths_start_from_the_folder(tmp_path):
    FRAME.to_parquet(tmp_path / "people.parquet")
    assert answer("people.parquet", tmp_path) == EXPECTED
    assert answer(tmp_path / "people.parquet") == EXPECTED


def test_a_file_whose_name_looks_like_a_pattern_is_itself(tmp_path):
    FRAME.to_parquet(tmp_path / "people[1]*.parquet")
    FRAME.iloc[:1].to_parquet(tmp_path / "people1.parquet")
    assert answer(tmp_path / "people[1]*.parquet") == EXPECTED


def test_a_path_that_is_not_utf8_is_refused_with_the_way_out(tmp_path):
    folder = Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff"))
    folder.mkdir()
    FRAME.to_parquet(tmp_path / "people.parquet")
    (tmp_path / "people.parquet").rename(folder / "people.parquet")
    with pytest.raises(InvalidInput, match="is not UTF-8, as engines need it: rename"):
        answer("people.parquet", folder)
    with Ledger.create(folder / "ledger.db") as ledger:  # which needs no engine
        assert ledger.state().point.sequence == 1


def test_a_folder_of_parquet_files_is_one_table(tmp_path):
    FRAME.iloc[:1].to_parquet(tmp_path / "1.parquet")
    FRAME.iloc[1:].to_parquet(tmp_path / "2.parquet")
    assert answer(tmp_path) == EXPECTED
    for spelling in (tmp_path.name, f"{tmp_path.name}/", f"./{tmp_path.name}"):
        assert answer(spelling, tmp_path.parent) == EXPECTED


@pytest.mark.parametrize("name", ["2.PARQUET", "month=2/2.parquet", "2.parquet/part-0.parquet"])
def test_a_folder_of_which_a_part_would_not_be_read_is_refused(name, tmp_path):
    FRAME.to_parquet(tmp_path / "1.parquet")
    (tmp_path / "notes.txt").touch()
    (tmp_path / ".hidden").mkdir()
    FRAME.to_parquet(tmp_path / ".hidden" / "1.parquet")
    assert answer(tmp_path) == EXPECTED
    (tmp_path / name).parent.mkdir(exist_ok=True)
    FRAME.to_parquet(tmp_path / name)
    with pytest.raises(InvalidInput, match="would not be read: put all files"):
        answer(tmp_path)


@pytest.mark.parametrize("link", ["symlink_to", "hardlink_to"])
def test_a_folder_with_one_file_under_two_names_is_refused(link, tmp_path):
    inside, outside = tmp_path / "inside", tmp_path / "outside.parquet"
    inside.mkdir()
    FRAME.to_parquet(outside)
    getattr(inside / "1.parquet", link)(outside)
    assert answer(inside) == EXPECTED
    getattr(inside / "2.parquet", link)(outside)
    with pytest.raises(InvalidInput, match=r"'1\.parquet' and '2\.parquet'.*count twice"):
        answer(inside)


def test_a_link_that_comes_after_the_plan_fails_the_reading(tmp_path):
    FRAME.to_parquet(tmp_path / "1.parquet")
    backend, relation = open_backend(tmp_path)
    statement = plan(resolve(BY_NAME, DATASET), relation, backend).statement
    (tmp_path / "2.parquet").hardlink_to(tmp_path / "1.parquet")
    with pytest.raises(InvalidInput, match="count twice"):
        backend.fetch(statement)
    backend.close()


def test_a_connection_to_duckdb_is_used_and_left_open():
    connection = duckdb.connect()
    connection.register("found", FRAME)
    connection.execute("CREATE TABLE people AS SELECT * FROM found")
    assert answer({"connection": connection, "table": "people"}) == EXPECTED
    connection.execute("SELECT 1")
    connection.close()


def test_a_schema_of_postgresql_is_named_apart_or_before_the_table(postgresql_database):
    import psycopg

    with psycopg.connect(postgresql_database, autocommit=True) as connection:
        connection.execute('CREATE SCHEMA "my schema"')
        connection.execute('CREATE TABLE "my schema".people (age smallint, name varchar(9))')
        connection.execute("INSERT INTO \"my schema\".people VALUES (1, 'a'), (2, 'b'), (3, 'a')")
        source = {"postgresql": postgresql_database, "schema": "my schema", "table": "people"}
        assert answer(source) == EXPECTED
        assert answer({**source, "schema": None, "table": "my schema.people"}) == EXPECTED
        [[name]] = connection.execute("SELECT current_database()").fetchall()
        connection.execute(f'ALTER DATABASE "{name}" SET standard_conforming_strings = off')
        with pytest.raises(InvalidInput, match="standard_conforming_strings"):
            open_backend(source)


@pytest.mark.few(3)
@pytest.mark.parametrize(
    ("source", "part"),
    [
        ("absent.parquet", "there is no file 'absent.parquet'"),
        ("notes.txt", "does not end in .parquet"),
        ("people.db", "holds several tables"),
        ("broken.parquet", "cannot be read as Parquet"),
        ("people.csv", "`twoworlds policy new people.csv --header`"),
        ({"spark": "people.csv"}, "`twoworlds policy new people.csv --header`"),
        (Path("PEOPLE.TSV"), "`twoworlds policy import PEOPLE.TSV"),
        ("nothing", "has no .parquet file"),
        ("postgresql://ann:s3cret@host/people", "postgresql: address"),
        ({"duckdb": "broken.parquet", "table": "t"}, "as a file of DuckDB"),
        ({"sqlite": "broken.parquet", "table": "t"}, "not an SQLite file"),
        ({"sqlite": "people.db", "table": "persons"}, "there is no table 'persons'"),
        ({"sqlite": "people.db"}, "needs table:"),
        ({"sqlite": "people.db", "duckdb": "x", "table": "t"}, "a source is"),
        ({"sqlite": "people.db", "tabel": "t"}, "a source is"),
        ({"connection": object(), "table": "t"}, "is not a connection of duckdb: give the address"),
        ({"mysql": "mysql://ann:s3cret@127.0.0.1:1/people", "table": "t"}, "cannot be reached"),
        (
            {"postgresql": "postgresql://ann:s3cret@127.0.0.1:1/p", "table": "t"},
            "cannot be reached",
        ),
        ({"mysql": "postgresql://ann:s3cret@127.0.0.1/people", "table": "t"}, "mysql://user"),
        (17, "int is not a source of data"),
        ("a\0b.parquet", "NUL"),
    ],
)
def test_what_cannot_be_opened_is_refused_with_the_way_out(source, part, tmp_path):
    (tmp_path / "notes.txt").write_text("x")
    (tmp_path / "nothing").mkdir()
    (tmp_path / "broken.parquet").write_bytes(b"PAR1 this is none at all, and long enough")
    with sqlite3.connect(tmp_path / "people.db") as connection:
        connection.execute("CREATE TABLE people (age INTEGER)")
    connection.close()
    with pytest.raises(InvalidInput) as caught:
        open_backend(source, tmp_path)
    assert part in str(caught.value)
    assert "s3cret" not in str(caught.value)


def test_an_own_connection_can_neither_write_nor_be_reconfigured(tmp_path):
    with duckdb.connect(str(tmp_path / "people.duckdb")) as connection:
        connection.register("found", FRAME)
        connection.execute("CREATE TABLE people AS SELECT * FROM found")
    source = {"duckdb": tmp_path / "people.duckdb", "table": "people"}
    assert answer(source) == EXPECTED
    backend, _ = open_backend(source)
    for statement in ("DROP TABLE people", "SET threads = 1", "INSTALL httpfs"):
        with pytest.raises(duckdb.Error):
            backend._connection.execute(statement)
    backend.close()


@pytest.mark.parametrize(
    ("column", "part"),
    [
        (Column("agee", "integer"), "did you mean 'age'?"),
        (Column("name", "integer"), "is declared integer, and its table has text"),
        (Column("age", "text"), "is declared text, and its table has integer"),
        (Column("Age", "integer"), "unknown column"),
    ],
)
def test_columns_that_do_not_fit_are_refused_before_anything_runs(column, part):
    dataset = Dataset("people", None, "add-remove", columns={column.name: column})
    connection = duckdb.connect()
    connection.execute("CREATE TABLE people (age BIGINT, name VARCHAR)")
    source = {"connection": connection, "table": "people"}
    with pytest.raises(InvalidInput) as caught:
        answer(source, query=Query("people").count(column.name), dataset=dataset)
    assert part in str(caught.value)


def test_a_public_table_with_a_key_twice_is_refused():
    public = pd.DataFrame({"code": [1, 1, 2], "state": ["x", "y", "z"]})
    tables = {
        "p": PublicTable("p", public, "code", {"state": Column("state", "text", keys=("x",))})
    }
    dataset = Dataset("people", None, "add-remove", columns=COLUMNS, public=tables)
    query = Query("people").join("p", on="age").by("p.state").count()
    with pytest.raises(InvalidInput, match="occurs twice"):
        answer(FRAME, query=query, dataset=dataset)


def test_a_public_table_is_in_the_engine_of_the_dataset(tmp_path):
    with sqlite3.connect(tmp_path / "people.db") as connection:
        connection.execute("CREATE TABLE people (age INTEGER, name TEXT)")
        connection.execute("INSERT INTO people VALUES (1, 'a')")
        connection.execute("CREATE TABLE p (code INTEGER, state TEXT)")
        connection.execute("INSERT INTO p VALUES (1, 'x')")
    connection.close()
    query = Query("people").join("p", on="age").by("p.state").count()

    def asked(public):
        columns = {"state": Column("state", "text", keys=("x",))}
        tables = {"p": PublicTable("p", public, "code", columns)}
        dataset = Dataset("people", None, "add-remove", columns=COLUMNS, public=tables)
        source = {"sqlite": "people.db", "table": "people"}
        return answer(source, tmp_path, query, dataset)

    assert asked("p") == asked({"sqlite": "people.db", "table": "p"}) == {(0,): (1,)}
    with pytest.raises(InvalidInput, match="in another"):
        asked({"sqlite": "other.db", "table": "p"})
    with pytest.raises(InvalidInput, match="looks like a file"):
        asked("p.parquet")
    with pytest.raises(InvalidInput, match="looks like a file"):
        asked("p.csv")


def test_a_connection_that_is_closed_is_refused():
    for connection in (sqlite3.connect(":memory:"), duckdb.connect()):
        connection.close()
        with pytest.raises(InvalidInput):
            open_backend({"connection": connection, "table": "people"})


def test_lists_of_a_known_type_are_of_an_unknown_kind():
    connection = duckdb.connect()
    types = ("DECIMAL(9, 2)", "ENUM('a')", "TIMESTAMP", "INTEGER")
    columns = [f"c{i} {kind}{end}" for i, kind in enumerate(types) for end in ("", "[]")]
    names = [column.replace(f"c{i // 2}", f"c{i}", 1) for i, column in enumerate(columns)]
    connection.execute(f"CREATE TABLE people ({', '.join(names)})")
    backend, relation = open_backend({"connection": connection, "table": "people"})
    expected = ["number", "other", "text", "other", "date", "other", "integer", "other"]
    assert [*backend.kinds(relation).values()] == expected
    connection.close()


@pytest.mark.spark
@pytest.mark.slow
@pytest.mark.parametrize("way", ["file", "folder"])
def test_spark_reads_no_file_of_a_folder_twice(way, spark_session, tmp_path):
    inside, month = tmp_path / "inside", tmp_path / "inside" / "month=1"
    month.mkdir(parents=True)
    FRAME.to_parquet(month / "1.parquet")
    assert spark_session is not None
    assert answer({"spark": inside}) == EXPECTED
    if way == "file":
        (month / "2.parquet").hardlink_to(month / "1.parquet")
    else:
        (inside / "month=2").symlink_to(month)
    with pytest.raises(InvalidInput, match="count twice"):
        answer({"spark": inside})
