"""Failures 3 to 7, 9, 12 to 15, 17, 18 and 25: sums, forms, errors and names; ledgers, prices."""

from __future__ import annotations

import json
import random
import shutil
import sqlite3
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

from twoworlds.attacks.selftest.bench import CERTAIN, Bench, expect, refused, values
from twoworlds.errors import InvalidInput, TwoWorldsError

if TYPE_CHECKING:
    from twoworlds.release import QueryAnswer
    from twoworlds.release.sensitivity import NoiseKind

_SUM = "SELECT SUM(x) FROM people"
_NUMBER = "{x: {kind: number, bounds: [-1, 1], unit: 0.01}}"
_TOP = 2**62 - 1
_WIDE = f"{{x: {{kind: integer, bounds: [-{_TOP}, {_TOP}]}}}}"


def rounding_of_sums(bench: Bench) -> str:
    """Add floats in many orders, and take one row away."""
    rng = random.Random(0)
    rows = [(rng.choice([0.1, 1e-9, 0.999, -0.999, 1 / 3, 1e16, -1e16]),) for _ in range(500)]
    totals = set()
    for _ in range(3):
        rng.shuffle(rows)
        source = bench.sqlite(rows, ("x",), ("REAL",))
        totals.add(values(bench.asked(source, _SUM, CERTAIN, _NUMBER), "sum_x")[0])
        file = bench.parquet(rows, ("x",), ("DOUBLE",))
        totals.add(values(bench.asked(file, _SUM, CERTAIN, _NUMBER), "sum_x")[0])
    expect(len(totals) == 1, f"the order of rows, or the engine, changes the sum: {totals}")
    [whole] = totals
    for extra in (1e308, -1e308, 0.005, 1.0):
        source = bench.sqlite([*rows, (extra,)], ("x",), ("REAL",))
        [moved] = values(bench.asked(source, _SUM, CERTAIN, _NUMBER), "sum_x")
        expect(abs(moved - whole) <= 1, f"the row {extra} moved the sum by {moved - whole}")
    return "500 floats in 3 orders and 2 engines have one sum; one row more moves it by 1 at most"


def overflow(bench: Bench) -> str:
    """Add a million of the largest integers."""
    source = bench.selected(f"SELECT {_TOP} AS x FROM range(1000000)")
    answer = bench.asked(source, _SUM, CERTAIN, _WIDE)
    [total] = values(answer, "sum_x")
    scale = answer.calibration.noises[0][0].scale
    expect(abs(total - _TOP * 1_000_000) <= 1000 * scale, f"a million times 2^62 became {total}")
    large = bench.sqlite([(1e308,)] * 10, ("x",), ("REAL",))
    [total] = values(bench.asked(large, _SUM, CERTAIN, _NUMBER), "sum_x")
    expect(total == 10, f"ten times 10^308, clamped to 1, became {total}")
    return "a million times 2^62, and ten times 10^308, are added exactly"


def missing_and_infinite(bench: Bench) -> str:
    """Put NULL, NaN and infinities among the values."""
    odd = (
        "SELECT CASE i % 4 WHEN 0 THEN NULL WHEN 1 THEN 'NaN'::DOUBLE WHEN 2 THEN "
        "'Infinity'::DOUBLE ELSE '-Infinity'::DOUBLE END AS x FROM range(40) t(i)"
    )
    asked = "SELECT COUNT(*), COUNT(x), SUM(x) FROM people"
    answer = bench.asked(bench.selected(odd), asked, CERTAIN, _NUMBER)
    found = [values(answer, name)[0] for name in ("count", "count_x", "sum_x")]
    expect(found == [40, 20, 0], f"40 odd values are answered as {[str(x) for x in found]}")
    plain = bench.selected("SELECT 1.0::DOUBLE AS x FROM range(40) t(i)")
    likewise = bench.asked(plain, asked, CERTAIN, _NUMBER)
    same = answer.calibration.noises == likewise.calibration.noises
    expect(same, "odd values change the noise")
    expect(Fraction(values(likewise, "sum_x")[0]) == 40, "forty ones are not 40")
    return "10 each of NULL, NaN, infinity and minus infinity are left out or clamped, as declared"


_BY_KEY = "SELECT k, COUNT(*), SUM(x) FROM people GROUP BY k"


def _shape(answer: QueryAnswer) -> Any:
    """Everything of an answer but its numbers."""
    found = answer.to_dict()
    return [found["columns"], [row["group"] for row in found["rows"]]]


def declared_only(bench: Bench) -> str:
    """Hide keys and extreme values in the data, and look for them in the answer."""
    shapes, noises = set(), set()
    worlds: list[list[tuple[str, float]]] = [
        [("a", 1.0)],
        [("zebra", 1e9)] * 50,
        [("a", -1e9), ("b", 3.0), ("HIV", 3.0)],
        [],
    ]
    for rows in worlds:
        answer = bench.asked(bench.sqlite(rows), _BY_KEY, "1")
        shapes.add(json.dumps(_shape(answer)))
        noises.add(str(answer.calibration.noises))
        told = json.dumps(answer.to_dict())
        expect("zebra" not in told and "HIV" not in told, "an undeclared key is in the answer")
    expect(len(shapes) == 1, "the form of an answer depends on the data")
    expect(len(noises) == 1, "the noise depends on the data")
    alone = [("a", 1.0)] * 100 + [("zebra", 1.0)]
    discovered = bench.asked(
        bench.sqlite(alone),
        "SELECT k, COUNT(*) FROM people GROUP BY DISCOVER(k)",
        "epsilon=1, delta=1e-12",
    )
    expect("zebra" not in json.dumps(discovered.to_dict()), "one person's key was discovered")
    boundless = "{k: {kind: text}, x: {kind: number}}"
    with (
        refused(InvalidInput, otherwise="a sum without declared bounds was planned"),
        bench.opened(bench.sqlite([("a", 1.0)]), boundless) as curator,
    ):
        curator.plan("SELECT SUM(x) FROM people", "1")
    return f"{len(worlds)} worlds have one form and one noise; a sum without bounds is refused"


def empty_groups(bench: Bench) -> str:
    """Look for groups that are left out, or come without noise, when nobody is in them."""
    for rows in ([], [("a", 1.0)], [("a", 1.0), ("b", 1.0), ("c", 1.0)]):
        answer = bench.asked(bench.sqlite(rows), _BY_KEY, CERTAIN)
        groups = [row["group"] for row in answer.to_dict()["rows"]]
        expect(len(groups) == 3, f"{len(groups)} of 3 declared groups are answered")
    nonzero = 0
    with bench.opened(bench.sqlite([])) as curator:
        for number in range(30):
            asked = f"SELECT k, COUNT(*) FROM people WHERE x < {number} GROUP BY k"
            nonzero += sum(value != 0 for value in values(curator.release(asked, "1/10"), "count"))
    # An empty group is told as 0 with probability below 1/19: 90 of 90 zeros would be no noise.
    expect(nonzero > 30, f"only {nonzero} of 90 empty groups have noise")
    return f"all 3 declared groups are answered, and {nonzero} of 90 empty ones are not told as 0"


def order_and_types(bench: Bench) -> str:
    """Write the same rows in other orders, types and engines."""
    rng = random.Random(1)
    rows = [("abc"[i % 3], float(i % 7)) for i in range(200)]
    told = set()
    for _ in range(2):
        rng.shuffle(rows)
        whole = [(k, int(x)) for k, x in rows]
        sources: list[Any] = [
            bench.sqlite(rows),
            bench.sqlite(whole, types=("TEXT", "NUMERIC")),
            bench.parquet(rows),
            bench.parquet(rows, types=("VARCHAR", "FLOAT")),
            bench.parquet(whole, types=("VARCHAR", "SMALLINT")),
        ]
        for source in sources:
            answer = bench.asked(source, _BY_KEY, CERTAIN)
            told.add(json.dumps([_shape(answer), answer.to_dict()["rows"]]))
    expect(len(told) == 1, f"the same rows are answered in {len(told)} ways")
    return "200 rows in 2 orders and 5 forms are answered with the same bytes"


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
            "people", source, "add-remove", columns=columns, cap=parse_cap("epsilon=1000000")
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
            with refused(TwoWorldsError, otherwise=f"this was answered: {text}"):
                curator.release(text, "1")
        expect(curator.ledger.spent("people").epsilon == 0, "a refused query was charged")
    expect(path.read_bytes() == before, "a query changed the data")
    return (
        f"{tried} odd names and values are themselves; {len(_HOSTILE)} commands are refused unpaid"
    )


# --- budgets --------------------------------------------------------------------------------------


_COUNT = "SELECT COUNT(*) FROM people"
_LEDGER = ("ledger.db", "ledger.db-wal", "ledger.db-shm")


def rolled_back_ledger(bench: Bench) -> str:
    """Delete the ledger, cut it short, put an old copy back."""
    from twoworlds.release import Curator

    policy = bench.policy(bench.sqlite([("a", 1)]), budget="epsilon=1")
    folder = policy.parent
    with Curator.open(policy) as curator:
        curator.release(_COUNT, "1/4")
    _restore(folder / "older", folder)
    with Curator.open(policy) as curator:
        curator.release("SELECT SUM(x) FROM people", "1/4")
    _restore(folder / "newest", folder)
    ways = ("deleted", "older", "emptied", "cut")
    for way in ways:
        _forget(folder, way)
        with refused(TwoWorldsError, otherwise=f"a ledger that was {way} is opened"):
            Curator.open(policy).close()
        _restore(folder, folder / "newest")
    with Curator.open(policy) as curator:
        spent = curator.ledger.spent("people").epsilon
    expect(spent == Fraction(1, 2), f"the newest copy says {spent} was spent, not 1/2")
    return f"{len(ways)} ways to make the ledger forget are noticed; the newest copy works again"


def _restore(
    folder: Path, kept: Path, names: tuple[str, ...] = (*_LEDGER, "ledger.db.mark")
) -> None:
    """Make the ledger in a folder that of another one."""
    folder.mkdir(exist_ok=True)
    for name in names:
        (folder / name).unlink(missing_ok=True)
        if (kept / name).exists():
            shutil.copy2(kept / name, folder / name)


def _forget(folder: Path, way: str) -> None:
    if way == "older":
        _restore(folder, folder / "older", _LEDGER)
        return
    held = (folder / "ledger.db").read_bytes()
    for name in _LEDGER:
        (folder / name).unlink(missing_ok=True)
    if way == "emptied":
        (folder / "ledger.db").touch()
    elif way == "cut":
        (folder / "ledger.db").write_bytes(held[: len(held) // 2])


def forged_identity(bench: Bench) -> str:
    """Ask under other names, and with all names together."""
    from twoworlds.release import OverBudget

    source = bench.sqlite([("a", 1)])
    caps = {"budget": "epsilon=3/2", "analysts": "{ann: epsilon=1, bob: epsilon=1, eve: epsilon=1}"}
    with bench.opened(source, **caps) as curator:
        names = ("mallory", "Ann", "ann ", "ann\n", "", "*", "аnn")  # the last is Cyrillic
        for name in names:
            with refused(InvalidInput, otherwise=f"{name!r} was answered"):
                curator.release(_COUNT, "1/10", analyst=name)
        answered = 0
        for number in range(30):
            for who in ("ann", "bob", "eve"):
                try:
                    asked = f"SELECT COUNT(*) FROM people WHERE x < {number} AND k = '{who}'"
                    curator.release(asked, "1/10", analyst=who)
                    answered += 1
                except OverBudget:
                    pass
        spent = curator.ledger.spent("people").epsilon
    expect(answered == 15, f"three analysts got {answered} answers of 1/10 from a budget of 3/2")
    expect(spent == Fraction(3, 2), f"{spent} was spent")
    return f"{len(names)} borrowed names are refused; three together get 15 answers of 15, no more"


def averaging(bench: Bench) -> str:
    """Ask the same again and again, in several spellings."""
    spellings = (
        "SELECT COUNT(*) FROM people WHERE x >= 2 AND k = 'a'",
        "select count(*) from people where 2 <= x and k = 'a' -- again",
        'SELECT COUNT(*) FROM "people" WHERE ("x" >= 2.0) AND "k" = \'a\'',
    )
    with bench.opened(bench.sqlite([("a", 3)] * 50)) as curator:
        found = {values(curator.release(text, "1/100"), "count")[0] for text in spellings * 5}
        spent = curator.ledger.spent("people").epsilon
    expect(len(found) == 1, f"15 times the same question has {len(found)} answers")
    expect(spent == Fraction(1, 100), f"15 times the same question cost {spent}")
    return "15 times the same question, in 3 spellings: one answer, paid once"


def drift(bench: Bench) -> str:
    """Fill budgets with parts that floats do not add up."""
    from twoworlds.release import OverBudget

    for cap, cost, times in (("1", "0.1", 10), ("1", "1/3", 3), ("7/10", "0.7", 1)):
        with bench.opened(bench.sqlite([("a", 1)]), budget=f"epsilon={cap}") as curator:
            for number in range(times):
                curator.release(f"SELECT COUNT(*) FROM people WHERE x < {number}", cost)
            with refused(OverBudget, otherwise=f"{times} times {cost} left something of {cap}"):
                curator.release("SELECT SUM(x) FROM people", "epsilon=1e-30")
    return "ten times 0.1 fills 1, three times 1/3 too, and not 10^-30 more fits"


def charged_for_nothing(bench: Bench) -> str:
    """Pay so little that noise is as wide as can be, and see who keeps the money."""
    source = bench.sqlite([(1,)], ("x",), ("INTEGER",))
    answered = unpaid = 0
    kinds: dict[NoiseKind, str] = {"laplace": "epsilon", "gaussian": "rho"}
    for power, sql, (noise, kind) in product(
        (3, 9, 20, 40, 60), ("COUNT(*)", "SUM(x)"), kinds.items()
    ):
        cost = f"{kind}=1e-{power}"
        with bench.opened(source, _WIDE, budget=f"{kind}=1") as curator:
            try:
                curator.release(f"SELECT {sql} FROM people", cost, noise=noise)
                answered += 1
            except TwoWorldsError:
                spent = curator.ledger.spent("people")
                expect(
                    not spent.epsilon and not spent.rho,
                    f"{sql} with {noise} noise for {cost} was charged and is never answered",
                )
                unpaid += 1
    expect(answered > 0, "nothing is answered at a low price")
    return f"of {answered + unpaid} low prices {answered} are answered, {unpaid} refused unpaid"
