"""Failures 9 and 15: errors that speak, and names that command."""

from __future__ import annotations

import sqlite3

from twoworlds.attacks.selftest.bench import CERTAIN, Bench, Failed, expect, values
from twoworlds.errors import TwoWorldsError

__all__ = ["errors_as_a_channel", "injection_and_odd_names"]

_SECRET = "Alice-93-HIV"
_ODD = (
    "select",
    "a b",
    'quo"te',
    "semi;colon",
    "drop table people; --",
    "x') OR ('1'='1",
    "naïve",
    "ключ",
    "日本",
    "*",
    "",
)
_HOSTILE = (
    "DROP TABLE people",
    "SELECT COUNT(*) FROM people; DELETE FROM people",
    "SELECT * FROM people",
    "SELECT k FROM people",
    "SELECT MAX(x) FROM people",
    "SELECT COUNT(*) FROM read_csv('/etc/passwd')",
    "SELECT COUNT(*) FROM people UNION SELECT 1",
    "SELECT COUNT(*) FROM people WHERE x = (SELECT MAX(x) FROM people)",
    "SELECT COUNT(*) FROM people WHERE k LIKE '%a%' ESCAPE 1/0",
    "COPY people TO '/tmp/x'",
    "ATTACH 'x' AS y",
)


def errors_as_a_channel(bench: Bench) -> str:
    """Let two engines fail for reasons that name a value, and compare what is said."""
    said = set()
    for failing in (_failing_duckdb, _failing_sqlite):
        policy = bench.policy(failing(bench))
        asked = ("release", "SELECT k, SUM(x) FROM people GROUP BY k", "--policy", str(policy))
        done = bench.call(*asked, "--epsilon", "1")
        expect(done.returncode == 2, f"a failed release ends with {done.returncode}")
        everything = done.stdout + done.stderr
        expect(_SECRET not in everything, "an error shows a value of the data")
        held = (policy.parent / "ledger.db").read_bytes()
        expect(_SECRET.encode() not in held, "the ledger holds a value of the data")
        said.add((done.returncode, done.stdout, done.stderr))
    expect(len(said) == 1, "two failures are told in two ways")
    return "two engines fail on a value; both say the same, and neither shows it"


def _failing_duckdb(bench: Bench) -> dict[str, str]:
    import duckdb

    path = bench.place() / "people.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute(f"CREATE TABLE held AS SELECT '{_SECRET}' AS k FROM range(10)")
        connection.execute("CREATE VIEW people AS SELECT k, CAST(k AS DOUBLE) AS x FROM held")
    return {"duckdb": str(path), "table": "people"}


def _failing_sqlite(bench: Bench) -> dict[str, str]:
    path = bench.place() / "people.db"
    connection = sqlite3.connect(path)
    with connection:
        connection.execute("CREATE TABLE held (k TEXT, x REAL)")
        connection.execute("INSERT INTO held VALUES (?, 1.0)", (_SECRET,))
        connection.execute(
            "CREATE VIEW people AS SELECT k, abs(-9223372036854775807 - 1) + x AS x FROM held"
        )
    connection.close()
    return {"sqlite": str(path), "table": "people"}


def injection_and_odd_names(bench: Bench) -> str:
    """Call columns and keys what SQL would take for commands; send commands as queries."""
    from twoworlds.release import Curator, Policy, Query, column
    from twoworlds.release.budget import parse_cap
    from twoworlds.release.policy import Column, Dataset

    tried = 0
    for name in (one for one in _ODD if one):
        source = bench.sqlite([(key, 1.0) for key in _ODD], (name, "x"))
        columns = {name: Column(name, "text", keys=_ODD), "x": Column("x", "number")}
        dataset = Dataset(
            "people",
            source,
            "add-remove",
            columns=columns,
            cap=parse_cap("epsilon=1000000"),
        )
        policy = Policy({"people": dataset}, "ledger.db", folder=bench.place())
        with Curator.open(policy) as curator:
            asked = Query("people").by(name).count()
            found = values(curator.release(asked, CERTAIN), "count")
            expect(found == [1] * len(_ODD), f"keys of a column called {name!r} are miscounted")
            for value in _ODD[:5]:
                one = Query("people").count().where(column(name) == value)
                expect(
                    values(curator.release(one, CERTAIN), "count") == [1],
                    f"a condition on {value!r} in {name!r} counts something else",
                )
                tried += 1
    path = bench.parquet([("a", 1.0)])
    before = path.read_bytes()
    with bench.opened(path) as curator:
        for text in _HOSTILE:
            try:
                curator.release(text, "1")
            except TwoWorldsError:
                continue
            raise Failed(f"this was answered: {text}")
        expect(curator.ledger.spent("people").epsilon == 0, "a refused query was charged")
    expect(path.read_bytes() == before, "a query changed the data")
    return (
        f"{tried} odd names and values are themselves; {len(_HOSTILE)} commands are refused unpaid"
    )
