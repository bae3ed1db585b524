"""The truncated histogram of a column of real data, with the belief that its release rests on.

Bins are declared, never read off the data: every declared bin is published, with its count or "0",
and rows that fall into none are refused. A bin is a label (``blue``), a range of numbers with both
ends (``0..9``), or several of them (``blue | green``), and may have a name of its own.

The number of rows is not published: that the size of the sample is not known is what protects.
Under the law ``discarded(...)`` the file holds the entries before any is discarded, and those to go
are drawn here, exactly and from the operating system's entropy, each time anew: publish one table
only.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from random import Random, SystemRandom
from typing import Any

from twoworlds.definitions.coupled.words import counted
from twoworlds.errors import InvalidInput, TwoWorldsError
from twoworlds.noiseless.data import ExactRelease, Missing, read_column
from twoworlds.noiseless.histograms.bins import read_bins, read_list
from twoworlds.noiseless.histograms.histogram import truncated_histogram
from twoworlds.noiseless.histograms.size_laws import SizeLaw, size_law
from twoworlds.numbers import number, whole


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
