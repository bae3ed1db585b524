"""What the checks work with: small tables, policies and curators, in folders of their own.

Nothing is replaced inside the engine: it is asked as any user asks it. Where a check needs the true
totals it pays epsilon 20,000 for values of at most 100 steps: then noise is 0 but for a chance
below e^-90.
"""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from twoworlds.release import Curator, QueryAnswer
    from twoworlds.release.curator import NoiseKind

__all__ = ["CERTAIN", "Bench", "Failed", "expect"]

CERTAIN = "20000"
COLUMNS = (
    "{k: {kind: text, keys: [a, b, c]}, "
    "x: {kind: number, bounds: [0, 100], unit: 1, grid: {step: 10}}}"
)
Row = Sequence[Any]


class Failed(Exception):
    """The engine did what it must not do."""


def expect(holds: bool, otherwise: str) -> None:  # noqa: FBT001
    """Fail the check unless this holds."""
    if not holds:
        raise Failed(otherwise)


@dataclass(frozen=True)
class Bench:
    """A folder in which a check lays out its tables."""

    folder: Path  # where it is
    prelude: str = ""  # python that every process which the check starts runs first
    _numbers: Any = None

    def __post_init__(self) -> None:
        """Start to number what is made here."""
        object.__setattr__(self, "_numbers", count())

    def place(self) -> Path:
        """Return a new, empty folder."""
        found = self.folder / str(next(self._numbers))
        found.mkdir(parents=True)
        return found

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
        return self._copied(f"CREATE TABLE held ({columns})", rows, len(names), "FROM held")

    def selected(self, select: str) -> Path:
        """Write what a statement of DuckDB selects as a file of Parquet."""
        return self._copied("SELECT 1", (), 0, select)

    def _copied(self, first: str, rows: Iterable[Row], width: int, select: str) -> Path:
        import duckdb

        path = self.place() / "people.parquet"
        with duckdb.connect() as connection:
            connection.execute(first)
            listed = [tuple(row) for row in rows]
            if listed:
                marks = ", ".join("?" * width)
                connection.executemany(f"INSERT INTO held VALUES ({marks})", listed)
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

    def call(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run a command to its end."""
        return subprocess.run(
            self.command(*arguments), capture_output=True, text=True, timeout=300, check=False
        )


def values(answer: QueryAnswer, name: str) -> list[Fraction]:
    """Return the exact published values of one aggregate, by group in order."""
    return [Fraction(row["values"][name]["value"]["exact"]) for row in answer.to_dict()["rows"]]
