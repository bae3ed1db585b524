"""One column of a CSV or Parquet file, read exactly, for releases without noise.

CSV cells are read as text, so that 0.1 is one tenth; Parquet cells keep their own type. An empty
cell, NULL or NaN is missing: refused unless the caller declares that such rows are to be left out.
No error names a value of the data: it says in how many rows something is wrong, not in which.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from twoworlds.definitions.verdict import Verdict
from twoworlds.errors import InvalidInput, TwoWorldsError, UnknownName
from twoworlds.noiseless.sums.laws import AnyLaw, read_law
from twoworlds.noiseless.sums.total import total
from twoworlds.noiseless.words import counted
from twoworlds.numbers import exact_text, number, to_json

__all__ = ["Missing", "Release", "read_column", "release_total"]

Missing = str  # "refuse" or "skip": checked when it is used
_READERS = {
    ".csv": "read_csv(?, header=true, all_varchar=true)",
    ".tsv": "read_csv(?, header=true, all_varchar=true, delim='\t')",
    ".parquet": "read_parquet(?)",
    ".pq": "read_parquet(?)",
}
_GLOB = set("*?[]{}")
_WITHHELD = "withheld: the claim is not proven to hold"


@dataclass(frozen=True)
class Release:
    """An exact statistic of real data, and the verdict on publishing it.

    Attributes:
        verdict: what holds, under which belief.
        statistic: what was computed, such as "total".
        value: the exact value; None where a claim was made that is not proven to hold.
        rows: of how many rows.
    """

    verdict: Verdict
    statistic: str
    value: Fraction | None
    rows: int

    def __str__(self) -> str:
        """Return the words."""
        return self.explain()

    def explain(self) -> str:
        """Return the belief class first, then the verdict, then the statistic."""
        return (
            f"This rests on a belief: {self.verdict.assumptions[0]}.\n\n{self.verdict.explain()}\n"
            f"\n  {self.statistic:<10} {self.shown}"
        )

    @property
    def shown(self) -> str:
        """The value as text, or that it is withheld."""
        return _WITHHELD if self.value is None else str(exact_text(self.value))

    def to_dict(self) -> dict[str, Any]:
        """Return the release as plain data: the belief, the statistic, the verdict."""
        return {
            "rests_on": self.verdict.assumptions[0],
            self.statistic: None if self.value is None else to_json(self.value),
            "rows": self.rows,
            **self.verdict.to_dict(),
        }


def read_column(path: str | Path, column: str, *, missing: Missing = "refuse") -> list[Any]:
    """Read one column of a CSV, TSV or Parquet file, in the order of its rows.

    Args:
        path: the file; its ending says what it is.
        column: the name in the header, spelled exactly.
        missing: "refuse" empty, NULL and NaN cells, or "skip" their rows.

    Returns:
        Text from a CSV file; from Parquet ints, floats, Decimals or text, as stored.
    """
    if missing not in ("refuse", "skip"):
        raise UnknownName("treatment of missing cells", str(missing), ("refuse", "skip"))
    cells = _cells(_checked(Path(path)), column)
    kept = [cell for cell in cells if not _is_missing(cell)]
    empty = len(cells) - len(kept)
    if empty and missing == "refuse":
        raise InvalidInput(
            f"column {column!r} has {counted(empty, 'row')} with an empty, NULL or NaN cell: "
            'mend the file, or leave such rows out with missing="skip"'
        )
    return kept


def release_total(
    path: str | Path,
    column: str,
    law: AnyLaw | str,
    *,
    missing: Missing = "refuse",
    **asked: Any,
) -> Release:
    """Compute the exact total of a column and judge its release under a belief.

    Every value must be one that the law allows: otherwise the belief is already refuted by the
    data. The number of people is the number of rows, and is taken to be public. If a delta is
    claimed and the claim is not proven to hold, the total is withheld.

    Args:
        path: a CSV, TSV or Parquet file.
        column: the name of the column.
        law: what an attacker believes about each entry that is unknown to them.
        missing: what to do with rows without a value.
        asked: ratio or epsilon, delta, known, simulator, definition as in `total`.
    """
    belief = read_law(law)
    entries = _numbers(read_column(path, column, missing=missing), column)
    outside = sum(not belief.allows(entry) for entry in entries)
    if outside:
        raise InvalidInput(
            f"column {column!r} has {counted(outside, 'row')} with a value that the law "
            f"{belief.text} does not allow: the belief is wrong about this data, choose another"
        )
    if not entries:
        raise InvalidInput(f"column {column!r} has no rows: there is nothing to add up")
    verdict = total(belief, people=len(entries), **asked)
    allowed = asked.get("delta") is None or verdict.holds is True
    value = sum(entries, start=Fraction(0)) if allowed else None
    return Release(verdict, "total", value, len(entries))


def _checked(path: Path) -> Path:
    if not path.is_file():
        raise InvalidInput(f"{path}: there is no such file")
    if path.suffix.lower() not in _READERS:
        known = ", ".join(_READERS)
        raise InvalidInput(f"{path}: the ending says which kind of file it is, one of {known}")
    if _GLOB & set(str(path)):
        raise InvalidInput(f"{path}: a path with one of * ? [ ] {{ }} names many files; rename it")
    return path


def _cells(path: Path, column: str) -> list[Any]:
    try:
        import duckdb
    except ModuleNotFoundError:
        raise InvalidInput(
            "reading a file needs duckdb, which is not installed: run 'pip install duckdb'"
        ) from None
    source = _READERS[path.suffix.lower()]
    try:
        with duckdb.connect() as connection:
            found = connection.execute(f"DESCRIBE SELECT * FROM {source}", [str(path)])
            columns = [str(row[0]) for row in found.fetchall()]
            if column not in columns:
                raise UnknownName("column", column, columns)
            quoted = '"' + column.replace('"', '""') + '"'
            rows = connection.execute(f"SELECT {quoted} FROM {source}", [str(path)]).fetchall()
            return [row[0] for row in rows]
    except duckdb.Error as error:  # its text may quote the data
        kind = type(error).__name__
        raise InvalidInput(
            f"{path} cannot be read as {path.suffix.lower()[1:]} ({kind}): check its format"
        ) from None


def _is_missing(cell: object) -> bool:
    if isinstance(cell, str):
        return cell.strip().lower() in ("", "nan", "null")
    return cell is None or (isinstance(cell, float) and math.isnan(cell))


def _numbers(cells: Sequence[Any], column: str) -> list[Fraction]:
    known: dict[Any, Fraction | None] = {}
    for cell in set(cells):
        try:
            value = number(cell)
        except TwoWorldsError:
            known[cell] = None
        else:
            known[cell] = value if isinstance(value, Fraction) else None
    entries = [known[cell] for cell in cells]
    wrong = sum(entry is None for entry in entries)
    if wrong:
        raise InvalidInput(
            f"column {column!r} has {counted(wrong, 'row')} without a finite number: "
            "a total needs numbers"
        )
    return [entry for entry in entries if entry is not None]
