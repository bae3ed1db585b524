"""Sessions: threads, forks, replaced tables, one moment, and people who stay apart.

Each fault once published a wrong answer: another query's rows with this query's noise, a person
without a limit, a row counted twice.
"""

from __future__ import annotations

import os
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.release.backends import stores
from tests.release.backends.conftest import store
from twoworlds.errors import InvalidInput
from twoworlds.release import Curator, ReleaseFailed
from twoworlds.release.backends import open_backend
from twoworlds.release.backends.base import TableChanged
from twoworlds.release.backends.duckdb import DuckDBBackend
from twoworlds.release.forms import Request
from twoworlds.release.plan import plan
from twoworlds.release.policy import Column, Dataset, Unit, parse_policy
from twoworlds.release.query import Compare, Query, resolve

KINDS = {"age": "integer", "person": "integer"}
ROWS = [{"age": i % 300, "person": i // 2} for i in range(3000)]
ENGINES = (
    "duckdb-parquet",
    "duckdb-file",
    "pandas",
    "sqlite",
    "duckdb-connection",
    pytest.param("postgresql", marks=pytest.mark.postgresql),
    pytest.param("mariadb", marks=pytest.mark.mariadb),
    pytest.param("spark", marks=[pytest.mark.spark, pytest.mark.slow]),
)
POLICY = """
ledger: ledger.db
datasets:
  people:
    neighbours: add-remove
    unit: row
    columns:
      age: {kind: integer, bounds: [0, 300]}
      person: {kind: integer}
    budget: epsilon=10000000000
"""


def source(engine, folder, request, rows=ROWS):
    """The rows in an engine, or behind a connection of our own."""
    kept = rows[:300] if engine == "mariadb" else rows
    if engine != "duckdb-connection":
        return store(engine, KINDS, kept, folder, request, "people")
    connection = duckdb.connect()
    connection.register("found", stores.arrow(KINDS, rows))
    connection.execute("CREATE TABLE people AS SELECT * FROM found")
    request.addfinalizer(connection.close)
    return {"connection": connection, "table": "people"}


def curator(folder, place):
    return Curator.open(parse_policy(POLICY, folder=folder), sources={"people": place})


# --- threads and forks --------------------------------------------------------------------------


@pytest.mark.few(3)
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("rounds", [1, pytest.param(10, marks=pytest.mark.slow)])
def test_each_of_many_threads_gets_the_answer_to_its_own_query(engine, rounds, tmp_path, request):
    """8 threads ask 30 different queries a round, at so high a price that the noise is below 1/2.

    Those of a round wait for the ledger's disk together; each is computed on its own.
    """
    place = source(engine, tmp_path, request)
    rows = 300 if engine == "mariadb" else 3000
    with curator(tmp_path, place) as one:

        def ask(thread, first):
            limits = [(7 * i + 37 * thread) % 300 for i in range(first, first + 30)]
            queries = [
                Query("people")
                .count(where=Compare("age", "<", Fraction(limit)))
                .sum("age", name=f"s{thread}")
                for limit in limits
            ]
            answered = one.release_each([Request([query], 10**6) for query in queries])
            for limit, released in zip(limits, answered, strict=True):
                [found] = released.answers[0].estimates
                wanted = (limit * rows // 300, sum(range(300)) * rows // 300)
                yield tuple(round(cell.value) for cell in found) == wanted

        def right(thread):
            return all(all(ask(thread, 30 * i)) for i in range(rounds))

        with ThreadPoolExecutor(8) as pool:
            assert all(pool.map(right, range(8)))


@pytest.mark.parametrize("engine", ["duckdb-parquet", "sqlite"])
def test_after_a_fork_a_curator_says_that_it_is_the_parents(engine, tmp_path, request):
    place = source(engine, tmp_path, request)
    with curator(tmp_path, place) as one:
        one.release(Query("people").count(), 1)
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:  # no test goes on here
            try:
                one.release(Query("people").sum("age"), 1)
                said = "answered"
            except BaseException as error:
                said = f"{type(error).__name__}: {error}"
            os.write(writing, said.encode())
            os._exit(0)
        os.close(writing)
        os.waitpid(child, 0)
        said = os.read(reading, 10_000).decode()
        os.close(reading)
        assert said.startswith("InvalidInput")
        assert "after the fork" in said
        before = one.budget()
        one.release(Query("people").sum("age"), 1)
        assert one.budget() != before


# --- what was planned is what is read -----------------------------------------------------------


def person_policy(folder):
    text = POLICY.replace("unit: row", "unit: {person: person, rows: 1}")
    return parse_policy(text, folder=folder)


def write(path, **columns):
    """Put a file in the place of another, at once."""
    beside = path.with_suffix(".new")
    pq.write_table(pa.table(columns), beside)
    beside.rename(path)


def test_a_file_whose_columns_are_in_another_order_keeps_the_limit_per_person(tmp_path):
    path = tmp_path / "people.parquet"
    write(path, person=[1] * 1000, age=list(range(1000)))
    with Curator.open(person_policy(tmp_path), sources={"people": str(path)}) as one:
        assert round(one.release(Query("people").count(), 1000).estimates[0][0].value) == 1
        write(path, age=list(range(1000)), person=[1] * 1000)
        query = Query("people").count(where=Compare("age", ">=", Fraction(0)))
        assert round(one.release(query, 1000).estimates[0][0].value) == 1


def test_a_file_with_other_columns_fails_in_the_one_way_and_is_then_read_anew(tmp_path):
    path = tmp_path / "people.parquet"
    write(path, person=[1, 2], age=[3, 4])
    with Curator.open(person_policy(tmp_path), sources={"people": str(path)}) as one:
        one.release(Query("people").count(), 1000)
        write(path, person=["1", "2"], age=[3, 4])
        with pytest.raises(ReleaseFailed):
            one.release(Query("people").sum("age"), 10**6)
        assert round(one.release(Query("people").sum("age"), 10**6).estimates[0][0].value) == 0


def test_a_file_that_is_replaced_while_it_is_read_fails(tmp_path):
    path = tmp_path / "people.parquet"
    write(path, person=[1, 2], age=[3, 4])
    backend, relation = open_backend(path)
    backend.fields(relation)
    session = backend._session([relation])
    run = session.__enter__()
    assert [*run(f"SELECT count(*) FROM {relation.name}")] == [(2,)]
    write(path, person=[1, 2], age=[3, 5])
    with pytest.raises(TableChanged):
        session.__exit__(None, None, None)
    backend.close()


def test_a_file_that_is_replaced_while_it_is_opened_is_looked_at_again(tmp_path, monkeypatch):
    path = tmp_path / "people.parquet"
    write(path, person=[1, 2], age=[3, 4])
    describe, replaced = DuckDBBackend._describe, []

    def replacing(self, run, table):
        found = describe(self, run, table)
        if len(replaced) < often:
            replaced.append(write(path, person=[1, 2], age=[3, len(replaced)]))
        return found

    monkeypatch.setattr(DuckDBBackend, "_describe", replacing)
    often = 2
    backend, relation = open_backend(path)
    assert [*backend.fields(relation)] == ["person", "age"]
    backend.close()
    often = 100
    with pytest.raises(InvalidInput, match="being replaced"):
        open_backend(path)


@pytest.mark.parametrize(
    "engine",
    [
        "sqlite",
        "duckdb-connection",
        pytest.param("postgresql", marks=pytest.mark.postgresql),
        pytest.param("mariadb", marks=pytest.mark.mariadb),
    ],
)
def test_a_table_that_is_altered_fails_and_is_then_read_anew(engine, tmp_path, request):
    place = source(engine, tmp_path, request, ROWS[:300])
    backend, relation = open_backend(place)
    dataset = Dataset("people", None, "add-remove", columns={"age": Column("age", "integer")})
    found = plan(resolve(Query("people").count("age"), dataset), relation, backend)
    assert backend.fetch(found.statement)[0][-1] == 300
    execute(place, request, "ALTER TABLE people ADD COLUMN more INTEGER")
    with pytest.raises(TableChanged):
        backend.fetch(found.statement)
    again = plan(resolve(Query("people").count("age"), dataset), relation, backend)
    assert backend.fetch(again.statement)[0][-1] == 300
    backend.close()


@pytest.mark.few(6)
@pytest.mark.parametrize("odd", ["10", "abc", 1e30, float("nan"), 2**64 - 1, True, None, 2.5])
@pytest.mark.parametrize("kind", ["integer", "number", "text", "boolean"])
def test_no_file_of_a_folder_decides_what_the_others_hold(tmp_path, kind, odd):
    """DuckDB alone would cast all files to the types of the first, and fail at one value."""
    folder = tmp_path / "people"
    folder.mkdir()
    write(folder / "a.parquet", age=[10] * 50, person=list(range(50)))
    values = pa.array([odd], pa.uint64()) if odd == 2**64 - 1 else pa.array([odd])
    write(folder / "b.parquet", person=["100.4"], age=values)
    backend, relation = open_backend(folder)
    columns = {"age": Column("age", kind), "person": Column("person", "integer")}
    dataset = Dataset("people", None, "add-remove", Unit("person", 1, 1), columns)
    for query, wanted in ((Query("people").count("age"), kind), (Query("people").count(), None)):
        found = plan(resolve(query, dataset), relation, backend)
        [[*_, count]] = backend.fetch(found.statement)
        assert count == (50 if wanted in ("integer", "number", None) else 0)
    backend.close()


# --- one moment ---------------------------------------------------------------------------------

NORTH = Query("people").count(where=Compare("age", "=", Fraction(1)))
SOUTH = Query("people").count(where=Compare("age", "=", Fraction(2)))


@pytest.mark.parametrize(
    "engine",
    [
        "duckdb-connection",
        "sqlite",
        pytest.param("postgresql", marks=pytest.mark.postgresql),
        pytest.param("mariadb", marks=pytest.mark.mariadb),
    ],
)
def test_a_row_that_moves_while_a_batch_is_read_counts_once(engine, tmp_path, request):
    """Between the two statements of one session another writer moves the only row."""
    place = source(engine, tmp_path, request, [{"age": 1, "person": 1}])
    if engine == "sqlite":
        with sqlite3.connect(place["sqlite"]) as connection:
            connection.execute("PRAGMA journal_mode=WAL")
        connection.close()
    backend, relation = open_backend(place)
    assert backend.snapshot(relation)
    columns = {"age": Column("age", "integer")}
    dataset = Dataset("people", None, "add-remove", columns=columns)
    texts = [
        backend._text(plan(resolve(one, dataset), relation, backend).statement)
        for one in (NORTH, SOUTH)
    ]
    with backend._session([relation]) as run:
        [[*_, first]] = run(texts[0])
        execute(place, request, "UPDATE people SET age = 2")
        [[*_, second]] = run(texts[1])
    assert (first, second) == (1, 0)
    backend.close()


def execute(place, request, change):
    """Change the table, in another connection where there may be one."""
    if "sqlite" in place:
        with sqlite3.connect(place["sqlite"], timeout=0.1) as connection:
            connection.execute(change)
        connection.close()
    elif "connection" in place:
        place["connection"].execute(change)
    elif "postgresql" in place:
        import psycopg

        with psycopg.connect(place["postgresql"]) as connection:
            connection.execute(change)
    else:
        server = request.getfixturevalue("mariadb_server")
        connection = server.connect(place["mysql"].rpartition("/")[2])
        with connection.cursor() as cursor:
            cursor.execute(change)
        connection.close()


@pytest.mark.few(3)
@pytest.mark.parametrize("engine", ENGINES)
def test_disjoint_filters_cost_the_most_of_one_only_where_they_are_read_at_one_moment(
    engine, tmp_path, request
):
    place = source(engine, tmp_path, request, ROWS[:300])
    promised = engine != "spark"
    with curator(tmp_path, place) as one:
        planned = one.plan([NORTH, SOUTH], 1)
        scales = {noise.scale for noises in planned.calibration.noises for noise in noises}
        assert scales == ({Fraction(1)} if promised else {Fraction(2)})
        assert planned.calibration.moments == ("one" if promised else "several")
        assert one.plan(NORTH, 1).calibration.moments == "one"


def test_an_owner_who_promises_that_nothing_changes_pays_for_the_most_of_one(tmp_path):
    connection = duckdb.connect()  # of a view no moment is promised
    connection.register("found", stores.arrow(KINDS, ROWS))
    connection.execute("CREATE TABLE rows AS SELECT * FROM found")
    connection.execute("CREATE VIEW people AS SELECT * FROM rows")
    policy = parse_policy(
        POLICY.replace("unit: row", "unit: row\n    frozen: true"), folder=tmp_path
    )
    place = {"people": {"connection": connection, "table": "people"}}
    with Curator.open(policy, sources=place) as one:
        calibration = one.plan([NORTH, SOUTH], 1).calibration
        assert {noise.scale for noises in calibration.noises for noise in noises} == {Fraction(1)}
        assert "promise in the policy that the data do not change" in calibration.explain()
    connection.close()


# --- people stay apart --------------------------------------------------------------------------


def people_counted(place, kind, unit_rows=1):
    """How many rows count when each person has one."""
    backend, relation = open_backend(place)
    columns = {"person": Column("person", kind)}
    dataset = Dataset("people", None, "add-remove", Unit("person", unit_rows, 1), columns)
    found = plan(resolve(Query("people").count(), dataset), relation, backend)
    [[*_, count]] = backend.fetch(found.statement)
    backend.close()
    return count


BIG = [10**19 + i for i in range(5)]  # beyond 64 bits


@pytest.mark.few(3)
@pytest.mark.parametrize(
    ("values", "kind", "counted"),
    [
        (pa.array([2**63 - 1, 2**63 - 2]), "integer", 2),
        (pa.array([2.0**53 - 1, 2.0**53, 2.0**53 + 2, 1.25, 1.5, 7.0]), "integer", 2),
        (pa.array(BIG, pa.uint64()), "integer", 0),
        (pa.array(list(map(str, BIG))), "text", 5),
        (pa.array(list(map(str, BIG))), "integer", 0),
        (pa.array(["a", "A", "a ", "\u00e9", "e\u0301", "", "1", "01", "1.0"]), "text", 9),
    ],
)
def test_different_people_never_become_one(values, kind, counted):
    """A person who cannot be told from others is left out, and counts for nobody else."""
    table = pa.table({"person": values})
    assert people_counted(table, kind) == counted
    assert people_counted(table.to_pandas(), kind) == counted


def test_people_in_sqlite_and_postgresql_are_compared_exactly(postgresql_database, tmp_path):
    import psycopg

    connection = sqlite3.connect(tmp_path / "t.db")
    connection.execute("CREATE TABLE t (person)")
    stored = [2**63 - 1, 2**63 - 2, 1.5, 1.25, 2.0**60, 2.0**60 + 256, "x", None, 7.0, 7]
    connection.executemany("INSERT INTO t VALUES (?)", [(value,) for value in stored])
    connection.commit()
    connection.close()
    assert people_counted({"sqlite": tmp_path / "t.db", "table": "t"}, "integer") == 3
    with psycopg.connect(postgresql_database) as server:
        server.execute("CREATE TABLE t (person numeric)")
        server.execute(
            "INSERT INTO t VALUES (1), (1.0), (1.5), (9223372036854775807), "
            "(9223372036854775806), (9223372036854775808), ('NaN'), ('Infinity'), (NULL)"
        )
    place = {"postgresql": postgresql_database, "table": "t"}
    assert people_counted(place, "integer") == 3


@pytest.mark.parametrize("kind", ["number", "date", "boolean"])
def test_a_kind_that_cannot_tell_people_apart_is_refused_by_the_policy(kind):
    text = POLICY.replace("unit: row", "unit: {person: person, rows: 1}")
    with pytest.raises(InvalidInput, match="declare it integer or text"):
        parse_policy(text.replace("person: {kind: integer}", f"person: {{kind: {kind}}}"))
