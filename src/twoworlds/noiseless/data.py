"""One column of a CSV or Parquet file, read exactly, for releases without noise.

CSV cells are read as text, so that 0.1 is one tenth; Parquet cells keep their own type. An empty
cell, NULL or NaN is missing: refused unless the caller declares that such rows are to be left out.
No error names a value of the data: it says in how many rows something is wrong, not in which. Nor
does it name a column that was not asked for, since the first line of a file without header is data.

A CSV file is UTF-8 text with a header, commas between cells (or ; or tabs or |, if the header then
holds the column) and double quotes around cells that need them. Nothing about it is guessed: a line
that begins with # is a row like any other. An empty line is an empty cell if there is one column,
and no row otherwise.

The truncated histogram of a column of real data, with the belief that its release rests on.

Bins are declared, never read off the data: every declared bin is published, with its count or "0",
and rows that fall into none are refused. A bin is a label (``blue``), a range of numbers with both
ends (``0..9``), or several of them (``blue | green``), and may have a name of its own.

The number of rows is not published: that the size of the sample is not known is what protects.
Under the law ``discarded(...)`` the file holds the entries before any is discarded, and those to go
are drawn here, exactly and from the operating system's entropy, each time anew: publish one table
only.
"""

from __future__ import annotations

import csv
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from random import Random, SystemRandom
from typing import Any

from twoworlds.answer import Answer, Block, Said, Table
from twoworlds.charts import Bars
from twoworlds.definitions.verdict import Verdict
from twoworlds.errors import InvalidInput, TwoWorldsError, UnknownName
from twoworlds.files import csv_header, parquet_columns
from twoworlds.laws.entry import AnyLaw, read_law
from twoworlds.noiseless.histograms.bins import read_bins, read_list
from twoworlds.noiseless.histograms.histogram import truncated_histogram
from twoworlds.noiseless.histograms.size_laws import SizeLaw, size_law
from twoworlds.noiseless.sums.total import total
from twoworlds.numbers import counted, number, whole
from twoworlds.show import Result

Missing = str  # "refuse" or "skip": checked when it is used
_SEPARATORS = {".csv": ",;\t|", ".tsv": "\t"}
_ENDINGS = (*_SEPARATORS, ".parquet", ".pq")
_MOST_PLACES = 40
_GLOB = set("*?[]{}")


@dataclass(frozen=True)
class ExactRelease(Result):
    """An exact statistic of real data, and the verdict on publishing it.

    Attributes:
        verdict: what holds, under which belief.
        statistic: what was computed, such as "total" or "table".
        value: the exact value, or what is published of each declared bin, where 0 stands for any
            count below the threshold; None where a claim was made that is not proven to hold.
        rows: of how many rows, where that is public.
        threshold: the smallest count that is shown in a table.
    """

    verdict: Verdict
    statistic: str
    value: Fraction | Mapping[str, int] | None
    rows: int | None = None
    threshold: int = 0

    def answer(self) -> Answer:
        """Say the belief that it rests on first, then the verdict, then the statistic."""
        said = self.verdict.answer()
        belief = f"This rests on a belief: {self.verdict.assumptions[0]}"
        return replace(said, subject=belief, blocks=(*said.blocks, *self._published()))

    def _published(self) -> Iterator[Block]:
        what = self.statistic if self.rows is None else f"{self.statistic} of {self.rows:,} rows"
        if self.value is None:
            fails = "does not hold" if self.verdict.holds is False else "is not proven to hold"
            yield Said([f"The {what} is withheld: the claim {fails}."])
        elif isinstance(self.value, Fraction):
            yield Said([f"The {what}: {_written(self.value)}."])
        else:
            rows = [(name, f"{count:,}") for name, count in self.value.items()]
            less = f"The table (0 stands for less than {self.threshold:,}):"
            yield Table(("bin", "count"), rows, lead=less, numbers=True)
            yield Bars("What is published", self.value, share=False)

    def fields(self) -> Mapping[str, Any]:
        """Return the belief, the statistic, and the verdict."""
        return {
            "rests_on": self.verdict.assumptions[0],
            self.statistic: self.value,
            **({} if self.rows is None else {"rows": self.rows}),
            **self.verdict.fields(),
        }


def _written(value: Fraction) -> str:
    """Write a number exactly: as a decimal where that ends, and as a fraction otherwise.

    >>> _written(Fraction(83, 20)), _written(Fraction(1, 3)), _written(Fraction(7))
    ('4.15', '1/3', '7')
    """
    twos = (value.denominator & -value.denominator).bit_length() - 1
    fives, rest = 0, value.denominator >> twos
    while rest % 5 == 0:
        rest, fives = rest // 5, fives + 1
    places = max(twos, fives)
    if rest != 1 or places > _MOST_PLACES:
        return str(value)
    digits = f"{abs(value) * 10**places}".rjust(places + 1, "0")
    sign = "-" if value < 0 else ""
    return f"{sign}{digits[:-places]}.{digits[-places:]}" if places else f"{sign}{digits}"


def read_column(path: str | Path, column: str, *, missing: Missing = "refuse") -> list[Any]:
    """Read one column of a CSV, TSV or Parquet file, in the order of its rows.

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
) -> ExactRelease:
    """Compute the exact total of a column and judge its release under a belief.

    Every value must be one that the law allows: otherwise the belief is already refuted by the
    data. The number of people is the number of rows, and is taken to be public. If a delta is
    claimed and the claim is not proven to hold, the total is withheld.
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
    return ExactRelease(verdict, "total", value, len(entries))


def _checked(path: Path) -> Path:
    if not path.is_file():
        raise InvalidInput(f"{path}: there is no such file")
    if path.suffix.lower() not in _ENDINGS:
        known = ", ".join(_ENDINGS)
        raise InvalidInput(f"{path}: the ending says which kind of file it is, one of {known}")
    if _GLOB & set(str(path)):
        raise InvalidInput(f"{path}: a path with one of * ? [ ] {{ }} names many files; rename it")
    return path


def _cells(path: Path, column: str) -> list[Any]:
    separators = _SEPARATORS.get(path.suffix.lower())
    return _stored(path, column) if separators is None else _typed(path, column, separators)


def _typed(path: Path, column: str, separators: str) -> list[str]:
    """Read a column of text; the first separator is used with which the header holds it."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            mark = next((m for m in separators if column in csv_header(file, m)), separators[0])
            file.seek(0)
            rows = csv.reader(file, delimiter=mark, strict=True)
            names = next(rows, [])
            place = _place(path, column, names)
            return list(_picked(path, rows, place, len(names)))
    except UnicodeDecodeError:  # its text may quote the data, as may that of the others
        problem = "it is not text in UTF-8"
    except csv.Error:
        problem = "a quote is not closed, or text follows one, or a cell is longer than 131,072"
    raise InvalidInput(f"{path} cannot be read as {path.suffix.lower()[1:]}: {problem}")


def _picked(path: Path, rows: Iterator[list[str]], place: int, width: int) -> Iterator[str]:
    """Yield the cell of each row, and refuse rows of another width than the header."""
    ragged = 0
    for row in rows:
        if not row and width > 1:
            continue
        cells = row or [""]
        if len(cells) == width:
            yield cells[place]
        else:
            ragged += 1
    if ragged:
        raise InvalidInput(
            f"{path}: {counted(ragged, 'row has', 'rows have')} more or fewer cells than the "
            f"{counted(width, 'column')} of the header; give every row one cell per column, and "
            "put double quotes around a cell that holds the separator"
        )


def _place(path: Path, column: str, names: Sequence[str]) -> int:
    """Return where the column is, without ever printing another name: it may be data."""
    times = names.count(column)
    if times > 1:
        raise InvalidInput(
            f"{path} has {times} columns called {column!r}: rename them, so that it is plain which "
            "is meant"
        )
    if times == 0:
        raise InvalidInput(
            f"{path} has no column {column!r}: it has {counted(len(names), 'column')}, whose names "
            "are not printed here, as they are data if the header is missing; look at the file "
            "and spell the column as its header does"
        )
    return names.index(column)


def _stored(path: Path, column: str) -> list[Any]:
    """Read a column of a Parquet file."""
    try:
        import duckdb
    except ModuleNotFoundError:
        raise InvalidInput(
            "reading a Parquet file needs duckdb, which is not installed: run 'pip install duckdb'"
        ) from None
    try:
        with duckdb.connect() as connection:
            schema = connection.execute(
                "SELECT name, num_children FROM parquet_schema(?)", [str(path)]
            ).fetchall()
            names = parquet_columns(schema)
            _place(path, column, names)
            if Counter(name.lower() for name in names)[column.lower()] > 1:
                raise InvalidInput(
                    f"{path} has another column that differs from {column!r} only in capital "
                    "letters, which a Parquet file is read without: rename one of them"
                )
            quoted = '"' + column.replace('"', '""') + '"'
            found = connection.execute(f"SELECT {quoted} FROM read_parquet(?)", [str(path)])
            cells = [row[0] for row in found.fetchall()]
    except duckdb.Error as error:  # its text may quote the data
        kind = type(error).__name__
        raise InvalidInput(
            f"{path} cannot be read as {path.suffix.lower()[1:]} ({kind}): check its format"
        ) from None
    if any(isinstance(cell, list | tuple | dict) for cell in cells):
        raise InvalidInput(
            f"column {column!r} holds lists, maps or structures: a release needs one number or "
            "text per row, so unnest the column first"
        )
    return cells


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


@dataclass(frozen=True)
class DeclaredBin:
    """A bin: the labels and the ranges of numbers that belong to it."""

    name: str
    labels: frozenset[str | Fraction]
    ranges: tuple[tuple[Fraction, Fraction], ...]

    def holds(self, cell: str | Fraction) -> bool:
        """Tell whether a cell belongs to the bin."""
        if cell in self.labels:
            return True
        return isinstance(cell, Fraction) and any(a <= cell <= b for a, b in self.ranges)

    def meets(self, other: DeclaredBin) -> bool:
        """Tell whether some value would belong to both bins."""
        if any(other.holds(label) for label in self.labels):
            return True
        if any(self.holds(label) for label in other.labels):
            return True
        return any(max(a, c) <= min(b, d) for a, b in self.ranges for c, d in other.ranges)


def release_histogram(
    path: str | Path,
    column: str,
    bins: str | Iterable[str] | Mapping[str, str],
    threshold: object,
    *,
    missing: Missing = "refuse",
    **asked: Any,
) -> ExactRelease:
    """Count a column by declared bins, truncate the counts, and judge their release."""
    declared = read_declared(bins)
    k = whole(threshold, "threshold", at_least=1)
    verdict = truncated_histogram(threshold=k, **asked)
    law = None if asked.get("size") is None else size_law(asked["size"])
    most = _members(len(declared), law, asked)
    cells = read_column(path, column, missing=missing)
    if law is not None and law.discards is not None:
        cells = discard(cells, law, SystemRandom())
    counts = _counts(cells, column, declared)
    _check_belief(counts, law, most)
    if asked.get("delta") is not None and verdict.holds is not True:
        return ExactRelease(verdict, "table", None, threshold=k)
    shown = {name: count if count >= k else 0 for name, count in counts.items()}
    return ExactRelease(verdict, "table", shown, threshold=k)


def discard(cells: list[Any], law: SizeLaw, random: Random) -> list[Any]:
    """Leave out [Laplace + shift]_+ entries at random, as the law of the size says.

    The Laplace variable is made of exact coin flips of probability 1/ratio.
    """
    assert law.discards is not None
    size, ratio, shift = law.discards
    if not isinstance(ratio, Fraction):
        raise InvalidInput(
            f"{law.text}: entries are discarded by exact coin flips, so give a rational ratio"
        )
    if len(cells) != size:
        raise InvalidInput(
            f"the file has {counted(len(cells), 'row')} and {law.text} speaks of "
            f"{size:,}: the size is that of the file, before anything is discarded"
        )
    gone = max(0, _laplace(ratio, random) + shift)
    return random.sample(cells, max(0, size - gone))


def _laplace(ratio: Fraction, random: Random) -> int:
    """Draw from Pr[l] proportional to ratio^-|l|: heads in a row, a sign, and 0 only once."""
    while True:
        heads = 0
        while random.randrange(ratio.numerator) < ratio.denominator:
            heads += 1
        negative = random.randrange(2) == 1
        if heads or not negative:
            return -heads if negative else heads


def read_declared(bins: str | Iterable[str] | Mapping[str, str]) -> tuple[DeclaredBin, ...]:
    """Read declared bins, and check that no value belongs to two.

    >>> [bin.name for bin in read_declared("0..17, 18..64")]
    ['0..17', '18..64']
    """
    if isinstance(bins, str):
        bins = [part.strip() for part in bins.split(",") if part.strip()]
    pairs = bins.items() if isinstance(bins, Mapping) else ((part, part) for part in bins)
    found = tuple(_declared(str(name), str(holds)) for name, holds in pairs)
    if not found:
        raise InvalidInput("bins is empty: declare each bin, such as '0..17, 18..64'")
    names = Counter(one.name for one in found)
    for i, one in enumerate(found):
        for other in found[:i]:
            if one.meets(other) or names[one.name] > 1:
                raise InvalidInput(
                    f"bins {other.name!r} and {one.name!r} overlap: a value must belong to one bin"
                )
    return found


def _declared(name: str, holds: str) -> DeclaredBin:
    labels: set[str | Fraction] = set()
    ranges: list[tuple[Fraction, Fraction]] = []
    for part in holds.split("|"):
        low, dots, high = part.partition("..")
        ends = _cell(low), _cell(high)
        if dots and isinstance(ends[0], Fraction) and isinstance(ends[1], Fraction):
            if ends[0] > ends[1]:
                raise InvalidInput(f"bin {name!r}: the range {part.strip()} ends before it begins")
            ranges.append((ends[0], ends[1]))
        elif part.strip():
            labels.add(_cell(part))
        else:
            raise InvalidInput(f"bin {name!r} has an empty part: write it like 'blue | green'")
    return DeclaredBin(name, frozenset(labels), tuple(ranges))


def _cell(value: object) -> str | Fraction:
    """Return a cell as a number where it is a rational one, and as trimmed text otherwise."""
    text = value.strip() if isinstance(value, str) else value
    try:
        found = number(text)
    except TwoWorldsError:
        return str(text)
    return found if isinstance(found, Fraction) else str(text)


def _counts(cells: Iterable[Any], column: str, declared: tuple[DeclaredBin, ...]) -> dict[str, int]:
    found = {one.name: 0 for one in declared}
    outside = 0
    for value, times in Counter(cells).items():
        cell = _cell(value)
        home = next((one for one in declared if one.holds(cell)), None)
        if home is None:
            outside += times
        else:
            found[home.name] += times
    if outside:
        raise InvalidInput(
            f"column {column!r} has {counted(outside, 'row that falls', 'rows that fall')} into no "
            "declared bin: declare a bin for every value that may occur, whether it does or not"
        )
    return found


def _check_belief(
    counts: Mapping[str, int], law: SizeLaw | None, most: Sequence[int | None]
) -> None:
    """Refuse a belief that the data refute: an impossible size, or more rows than members."""
    if law is not None and law.mass(sum(counts.values())) == 0:
        raise InvalidInput(
            f"{law.text} does not allow the number of rows: the belief is wrong about this data"
        )
    wrong = sum(
        top is not None and count > top for count, top in zip(counts.values(), most, strict=True)
    )
    if wrong:
        raise InvalidInput(
            f"of {counted(len(counts), 'bin')}, {counted(wrong, 'holds', 'hold')} more rows than "
            "members: the belief is wrong about this data, give the true population"
        )


def _members(bins: int, law: SizeLaw | None, asked: Mapping[str, Any]) -> list[int | None]:
    """Return the most members of each declared bin, None where there is no end.

    Without a law of the size, one population (or mean) may stand for every bin.
    """
    name = next(x for x in ("population", "shares", "mean") if asked.get(x) is not None)
    parts = read_list(asked[name])
    if law is None and len(parts) == 1:
        parts = parts * bins
    if len(parts) != bins:
        one = ", or a single one for all" if law is None else ""
        raise InvalidInput(
            f"bins declared: {bins}, populations, shares or means: {len(parts)}; give one for each "
            f"bin{one}"
        )
    if name != "population":
        return [None] * bins
    if law is not None:
        return [whole(part, "population") for part in parts]
    return [kind.high for kind in read_bins(parts, asked["rate"])]
