"""What the checks work with: small tables, policies and curators, in folders of their own.

Nothing is replaced inside the engine: it is asked as any user asks it. Where a check needs the true
totals it pays epsilon 20,000 for values of at most 100 steps: then noise is 0 but for a chance
below e^-90.

Goodness of fit: whether draws have the law that is due, with a proved rate of false alarms.

An event of probability p occurs m times in n independent draws. With a = m/n, Chernoff's bound says

    P(a share at least as far from p, on the same side)  <=  e^(-n K(a, p)),
    K(a, p) = a ln(a/p) + (1 - a) ln((1 - a)/(1 - p)),

whatever p and n are. So an alarm at e^(-n K) < `RATE`/2 on either side is false with a probability
of at most `RATE`. A whole self-test makes fewer than `MOST` such comparisons: an engine that is
right fails it by chance with a probability of at most `RATE` * `MOST` = 10^-6.

The laws are worked out here from the cost and the sensitivity, in a few lines that share nothing
with the calibration of the engine.
"""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
import tempfile
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from math import ceil, exp, inf, log, sqrt
from pathlib import Path
from typing import TYPE_CHECKING, Any

from twoworlds.errors import TwoWorldsError

if TYPE_CHECKING:
    from twoworlds.release import Curator, QueryAnswer
    from twoworlds.release.sensitivity import NoiseKind

CERTAIN = "20000"
COLUMNS = (
    "{k: {kind: text, keys: [a, b, c]}, "
    "x: {kind: number, bounds: [0, 100], unit: 1, grid: {step: 10}}}"
)
Row = Sequence[Any]


class Failed(Exception):
    """The engine did what it must not do."""


def expect(holds: object, otherwise: str) -> None:
    """Fail the check unless this holds."""
    if not holds:
        raise Failed(otherwise)


@contextmanager
def refused(*kinds: type[TwoWorldsError], otherwise: str) -> Iterator[None]:
    """Fail the check unless what is done inside is refused."""
    try:
        yield
    except kinds:
        return
    raise Failed(otherwise)


@dataclass(frozen=True)
class Bench:
    """A folder in which a check lays out its tables."""

    folder: Path  # where it is
    prelude: str = ""  # python that every process which the check starts runs first

    def place(self) -> Path:
        """Return a new, empty folder."""
        self.folder.mkdir(parents=True, exist_ok=True)
        return Path(tempfile.mkdtemp(dir=self.folder))

    def sqlite(
        self,
        rows: Iterable[Row],
        names: Sequence[str] = ("k", "x"),
        types: Sequence[str] = ("TEXT", "REAL"),
    ) -> dict[str, str]:
        """Write rows into a table of SQLite."""
        path = self.place() / "people.db"
        columns = ", ".join(
            f'"{n.replace(chr(34), chr(34) * 2)}" {t}' for n, t in zip(names, types, strict=True)
        )
        connection = sqlite3.connect(path)
        with connection:
            connection.execute(f"CREATE TABLE people ({columns})")
            marks = ", ".join("?" * len(names))
            connection.executemany(f"INSERT INTO people VALUES ({marks})", rows)
        connection.close()
        return {"sqlite": str(path), "table": "people"}

    def parquet(
        self,
        rows: Iterable[Row],
        names: Sequence[str] = ("k", "x"),
        types: Sequence[str] = ("VARCHAR", "DOUBLE"),
    ) -> Path:
        """Write rows as a file of Parquet."""
        columns = ", ".join(f'"{n}" {t}' for n, t in zip(names, types, strict=True))
        return self.selected("FROM held", columns, [tuple(row) for row in rows])

    def selected(self, select: str, held: str = "", rows: Sequence[Row] = ()) -> Path:
        """Write what DuckDB selects as a file of Parquet; ``held`` has the columns of some rows."""
        import duckdb

        path = self.place() / "people.parquet"
        with duckdb.connect() as connection:
            if held:
                connection.execute(f"CREATE TABLE held ({held})")
            if rows:
                marks = ", ".join("?" * len(rows[0]))
                connection.executemany(f"INSERT INTO held VALUES ({marks})", rows)
            connection.execute(f"COPY ({select}) TO '{path}' (FORMAT parquet)")
        return path

    def policy(self, source: Any, columns: str = COLUMNS, **declared: str) -> Path:
        """Write a policy for a source, in a new folder that will hold its ledger too."""
        fields = {
            "neighbours": "add-remove",
            "unit": "row",
            "budget": "epsilon=100000, delta=1/2",
            **declared,
        }
        lines = ["ledger: ledger.db", "datasets:", "  people:", f"    columns: {columns}"]
        if isinstance(source, (Path, dict)):  # else it is a frame, which is given to the curator
            lines.append(f"    source: {json.dumps(source, default=str)}")
        lines += [f"    {name}: {value}" for name, value in fields.items()]
        path = self.place() / "policy.yml"
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return path

    def opened(self, source: Any, columns: str = COLUMNS, **declared: str) -> Curator:
        """Open a curator with nothing spent."""
        from twoworlds.release import Curator

        given = {} if isinstance(source, (Path, dict)) else {"people": source}
        return Curator.open(self.policy(source, columns, **declared), sources=given)

    def asked(
        self,
        source: Any,
        sql: str,
        cost: str = "1",
        columns: str = COLUMNS,
        noise: NoiseKind = "laplace",
        **declared: str,
    ) -> QueryAnswer:
        """Ask one query of a new curator."""
        with self.opened(source, columns, **declared) as curator:
            return curator.release(sql, cost, noise=noise)

    def command(self, *arguments: str) -> list[str]:
        """Return the words of a command, run by this interpreter."""
        if not self.prelude:
            return [sys.executable, "-m", "twoworlds", *arguments]
        return self.program("from twoworlds.cli import main\nmain()", *arguments)

    def program(self, code: str, *arguments: str) -> list[str]:
        """Return the words of a program in Python, run by this interpreter."""
        return [sys.executable, "-c", f"{self.prelude}\n{code}", *arguments]

    def start(self, code: str, *arguments: str, **pipes: Any) -> subprocess.Popen[str]:
        """Start a program in Python whose output is read."""
        words = self.program(code, *arguments)
        return subprocess.Popen(words, stdout=subprocess.PIPE, text=True, **pipes)

    def call(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run a command to its end."""
        return subprocess.run(
            self.command(*arguments), capture_output=True, text=True, timeout=300, check=False
        )


def values(answer: QueryAnswer, name: str) -> list[Fraction]:
    """Return the exact published values of one aggregate, by group in order."""
    return [Fraction(row["values"][name]["value"]["exact"]) for row in answer.to_dict()["rows"]]


# --- goodness of fit ------------------------------------------------------------------------------


RATE = 1e-9
MOST = 1000
AtLeast = Callable[[int], float]  # k -> P(Z >= k), of a law on the whole numbers
Event = tuple[str, float, Callable[[int], bool]]
_TAILS = (0.45, 0.3, 0.2, 0.12, 0.05, 0.01, 0.001)


def laplace(scale: Fraction | int) -> AtLeast:
    """Return the tails of discrete Laplace noise: P(Z = k) proportional to e^(-|k| / scale)."""
    q = exp(-1 / float(scale))

    def at_least(k: int) -> float:
        return q**k / (1 + q) if k > 0 else 1 - q ** (1 - k) / (1 + q)

    return at_least


def gaussian(sigma2: Fraction | int) -> AtLeast:
    """Return the tails of discrete Gaussian noise: P(Z = k) ~ e^(-k^2 / (2 sigma2))."""
    far = ceil(12 * sqrt(sigma2)) + 2
    weights = [exp(-k * k / (2 * float(sigma2))) for k in range(far, 0, -1)]
    tails = [*accumulate(weights, initial=0.0)][::-1]  # of k = 1, 2, ...
    total = 1 + 2 * tails[0]

    def at_least(k: int) -> float:
        if k <= 0:
            return 1 - at_least(1 - k)
        return tails[k - 1] / total if k <= far else 0.0

    return at_least


def gaussian_delta(sigma2: Fraction | int, sensitivity: int, epsilon: Fraction | int) -> float:
    """Return the least delta: the sum of P(Z = k) - e^epsilon P(Z = k + d) where it is positive."""
    s, d, factor = float(sigma2), sensitivity, exp(epsilon)
    reach = ceil(40 * sqrt(s)) + d
    weights = {k: exp(-k * k / (2 * s)) for k in range(-reach - d, reach + d + 1)}
    lost = sum(max(0.0, weights[k] - factor * weights[k + d]) for k in range(-reach, reach + 1))
    return lost / sum(weights.values())


def noise_events(at_least: AtLeast) -> list[Event]:
    """Return events that tell laws of noise around 0 apart: the value 0, and several tails.

    With 16,384 draws a scale that is off by 10 % is noticed with a probability above 99.9 %, at the
    place where both tails together have about 1/e.
    """
    places = sorted({_first_below(at_least, tail) for tail in _TAILS})
    zero: Event = ("0", at_least(0) - at_least(1), lambda z: z == 0)
    return [zero, *(event for k in places for event in _tails(at_least(k), k))]


def _tails(p: float, k: int) -> tuple[Event, ...]:
    return (
        (f"{k} or more", p, lambda z: z >= k),
        (f"{-k} or less", p, lambda z: z <= -k),
        (f"{k} or more, or {-k} or less", 2 * p, lambda z: abs(z) >= k),
    )


def _first_below(at_least: AtLeast, tail: float) -> int:
    """Return the least k >= 1 with P(Z >= k) <= tail."""
    high = 1
    while at_least(high) > tail:
        high *= 2
    return bisect_left(range(1, high), 1, key=lambda k: int(at_least(k) <= tail)) + 1


def misfit(draws: Sequence[int], events: Iterable[Event]) -> str | None:
    """Return how draws differ from a law, or None: an event that occurs too often or too seldom."""
    n = len(draws)
    for words, p, occurs in events:
        seen = sum(map(occurs, draws))
        if _exponent(seen, n, p) > log(2 / RATE):
            return f"{words} came {seen:,} times in {n:,}, not about {p * n:,.0f} times"
    return None


def too_often(seen: int, n: int, most: float) -> bool:
    """Whether something that has at most this probability occurs too often for that."""
    return seen > most * n and _exponent(seen, n, most) > log(1 / RATE)


def _exponent(seen: int, n: int, p: float) -> float:
    """Return n K(seen / n, p)."""
    return n * (_part(seen / n, p) + _part(1 - seen / n, 1 - p))


def _part(a: float, p: float) -> float:
    if a <= 0:
        return 0.0
    return a * log(a / p) if p > 0 else inf
