"""Named statistics: counts, proportions, sums, means, histograms, parities, majorities, constants.

Each is a `Statistic` that works by structure, so that a survey of 50 or of 50 million people costs
as much as one of a few. A record *equals* a value when the two are equal or have the same label, so
that ``count("1")`` typed by a person counts the records 1, and the labels ``11, 10, 01, 00`` of an
explicit universe are read digit by digit. (The same care the other way round: a count that matched
no record would have sensitivity 0 and promise too much.)

``n`` is a public number: a proportion or a mean divides by it, and says so. Where all databases
have one size it is that size; where they do not, the size is a secret, and ``n`` must be given.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from twoworlds.calls import Registry
from twoworlds.errors import InvalidInput
from twoworlds.numbers import rational, whole
from twoworlds.worlds.records import Records
from twoworlds.worlds.statistic import (
    Additive,
    Change,
    Computed,
    Scalar,
    Statistic,
    Value,
    read_value,
)
from twoworlds.worlds.universe import Point, Universe

STATISTICS: Registry[Statistic] = Registry("statistic")


@dataclass(frozen=True)
class Constant(Statistic):
    """The same value on every database: nobody moves it."""

    value: Value
    name: str = "constant"

    def __call__(self, database: Point) -> Value:
        return self.value

    def changes(
        self,
        universe: Universe,
        relation: str,
        group: int = 1,
    ) -> Iterator[Change]:
        return iter(())


@STATISTICS.register("count")
def count(value: Point = 1) -> Additive:
    """How many records equal the value.

    f(x) = #{i : x_i = value}   (Dwork, Section 5.1: "how many rows have property P?")

    >>> count("b")(("a", "b", "b"))
    2
    """
    return Additive(lambda record: int(_same(record, value)), name=f"count of {value}")


@STATISTICS.register("proportion")
def proportion(value: Point = 1, n: object = None) -> Additive:
    """Which part of n records equals the value.

    f(x) = #{i : x_i = value} / n   (Wu, Section 4, examples of global sensitivity)

    >>> proportion(1, 4)((1, 0, 1, 1))
    Fraction(3, 4)
    """
    public = _divisor(n, "proportion")
    name = f"count of {value} divided by {public}"
    scale = Fraction(1, public)
    return Additive(lambda record: int(_same(record, value)), scale=scale, name=name)


def _divisor(n: object, what: str) -> int:
    if n is None:
        raise InvalidInput(
            f"{what} divides by a public number, and databases may have different sizes: give it, "
            f"as in {what}(n=100)"
        )
    return whole(n, "n", at_least=1)


@STATISTICS.register("sum")
def total() -> Additive:
    """The sum of numeric records.

    f(x) = x_1 + ... + x_n

    >>> total()((0, 10, "1/2"))
    Fraction(21, 2)
    """
    return Additive(lambda record: record, name="sum")


@STATISTICS.register("mean")
def mean(n: object = None) -> Additive:
    """The sum of numeric records divided by n.

    f(x) = (x_1 + ... + x_n) / n   (Wu, Exercise 4.2)

    >>> mean(4)((0, 10, 0, 10))
    5
    """
    public = _divisor(n, "mean")
    name = f"sum divided by {public}"
    return Additive(lambda record: record, scale=Fraction(1, public), name=name)


def histogram(
    values: Iterable[Point] | None = None, *, bins: Iterable[Iterable[Point]] | None = None
) -> Additive:
    """How many records have each value, or fall in each bin.

    A record in no cell is counted nowhere.

    f(x) = (n_1, ..., n_d)  with  n_j = #{i : x_i in B_j},  B_1, ..., B_d disjoint
    (Wu, Section 4; Dwork, Section 5.1)

    >>> histogram("abc")(("a", "c", "c")), histogram(bins=["ab", "c"])(("a", "c", "c"))
    ((1, 0, 2), (1, 2))
    """
    if (values is None) == (bins is None):
        raise InvalidInput("histogram takes exactly one of values and bins")
    chosen = bins if bins is not None else ((value,) for value in values or ())
    cells = [tuple(members) for members in chosen]
    cell_of = _cells(cells)
    d = len(cells)

    def phi(record: Point) -> tuple[int, ...]:
        own = cell_of.get(str(record))
        return tuple(int(j == own) for j in range(d))

    return Additive(phi, dimension=d, name=f"histogram of {d} cell{'s' if d > 1 else ''}")


@STATISTICS.register("truncated-histogram")
def truncated_histogram(threshold: object, values: Iterable[Point] | None = None) -> Computed:
    """How many records have each value, where counts below the threshold are shown as 0.

    f(x) = (n_1 [n_1 >= k], ..., n_d [n_d >= k])  (Bassily, Groce, Katz & Smith, Section III-B)

    >>> truncated_histogram(2, "abc")(("a", "c", "c"))
    (0, 0, 2)
    """
    if values is None or isinstance(threshold, list):
        raise InvalidInput("truncated-histogram: give the threshold, and values as a list: [a, b]")
    least, counted = whole(threshold, "threshold", at_least=1), histogram(values)

    def shown(database: Point) -> tuple[int, ...]:
        counts = counted(database)
        assert isinstance(counts, tuple)
        return tuple(int(count) if count >= least else 0 for count in counts)

    return Computed(shown, f"histogram truncated at {least}")


@STATISTICS.register("parity")
def parity(value: Point = 1) -> Additive:
    """Whether an odd number of records equals the value.

    f(x) = #{i : x_i = value} mod 2

    >>> parity()((1, 0, 1, 1))
    1
    """
    return Additive(
        lambda record: int(_same(record, value)), modulo=2, name=f"parity of the count of {value}"
    )


@STATISTICS.register("majority")
def majority(values: Iterable[Point] | None = None) -> Computed:
    """The most frequent value, a number; ties go to the value that is listed first.

    f(x) = the first v with #{i : x_i = v} largest. For the values 1 and -1 it is the sign of the
    sum, with +1 for a sum of 0 (Bassily, Groce, Katz & Smith, Section II-E: the nearer of +1, -1).

    >>> majority([1, -1])((1, -1, -1)), majority([1, -1])((1, -1))
    (-1, 1)
    """
    if values is None or isinstance(values, str):
        raise InvalidInput("majority: give the values as a list, such as majority([1, -1])")
    listed = tuple(values)
    if not listed:
        raise InvalidInput("majority has no values to choose from: list at least one")
    for value in listed:
        rational(value, "a value of majority")
    if len({str(value) for value in listed}) < len(listed):
        raise InvalidInput(f"majority: values={list(listed)} names a value twice")

    def most_frequent(database: Point) -> Point:
        counts = [sum(_same(record, value) for record in database) for value in listed]
        return listed[counts.index(max(counts))]

    return Computed(most_frequent, "majority")


@STATISTICS.register("constant")
def constant(value: object = 0) -> Constant:
    """The same number whatever the database.

    >>> constant("1/2")((1, 0))
    Fraction(1, 2)
    """
    return Constant(read_value(value, "constant"))


def _same(record: Point, value: Point) -> bool:
    return record == value or str(record) == str(value)


def _cells(cells: list[tuple[Hashable, ...]]) -> dict[str, int]:
    """Return the position of each value's cell, by label."""
    if not cells:
        raise InvalidInput("the histogram has no cells: name at least one value or bin")
    found: dict[str, int] = {}
    for j, members in enumerate(cells):
        for value in dict.fromkeys(members):
            if str(value) in found:
                raise InvalidInput(
                    f"value {value!r} lies in cells {found[str(value)]} and {j}: "
                    "the cells of a histogram must be disjoint"
                )
            found[str(value)] = j
    return found


# --- Several statistics asked together: one vector, whose sensitivity is that of the whole -------
#     f(x) = (f_1(x), ..., f_m(x)),   each f_j a number or a vector, all written one after the other
#
# (Dwork, Section 5.1: noise is chosen by the sensitivity of the entire query). Sums over records
# are moved by one record at a time, so that a batch of them needs no list of all databases; any
# other statistic among them makes the batch a plain function, and its neighbours are listed.


@dataclass(frozen=True)
class Batch(Statistic):
    """The answers of several statistics, one after the other.

    >>> from twoworlds.worlds.statistics import count, histogram
    >>> from twoworlds.worlds.records import BitStrings
    >>> both = Batch.of([count(), histogram([0, 1])], BitStrings(3))
    >>> both((1, 0, 1)), both.widths
    ((2, 1, 2), (1, 2))
    """

    parts: tuple[Statistic, ...]
    widths: tuple[int, ...]

    @staticmethod
    def of(parts: Sequence[Statistic], universe: Universe) -> Batch:
        """Join statistics of one universe."""
        if not parts:
            raise InvalidInput(
                "the batch is empty: name at least one statistic, as in batch(count)"
            )
        first = next(iter(universe))
        # Batches among the parts are taken apart, so that sums stay sums.
        flat = [
            one for part in parts for one in (part.parts if isinstance(part, Batch) else (part,))
        ]
        # As a plain function a part says what fails, if it cannot read such databases.
        found = [Computed(part, part.name)(first) for part in flat]
        return Batch(tuple(flat), tuple(len(_flat(value)) for value in found))

    @property
    def name(self) -> str:  # type: ignore[override]
        return f"batch of {', '.join(part.name for part in self.parts)}"

    def __call__(self, database: Point) -> tuple[Scalar, ...]:
        found = [_flat(part(database)) for part in self.parts]
        for part, value, width in zip(self.parts, found, self.widths, strict=True):
            if len(value) != width:
                raise InvalidInput(
                    f"{part.name} gives {len(value)} numbers here and {width} there: it must give "
                    "vectors of one length on all databases"
                )
        return tuple(number for value in found for number in value)

    def changes(self, universe: Universe, relation: str, group: int = 1) -> Iterator[Change]:
        """Move all sums together, record by record; or list the neighbours."""
        together = self._together(universe)
        if together is None:
            return super().changes(universe, relation, group)
        return map(self._read, together.changes(universe, relation, group))

    def differences(self, universe: Universe, relation: str, group: int = 1) -> Iterator[Change]:
        """Look at the differing records only, where that is possible; or ask the only part."""
        if len(self.parts) == 1:
            alone = self.parts[0].differences(universe, relation, group)
            return (Change(_flat(c.before), _flat(c.after), c.x, c.y) for c in alone)
        together = self._together(universe)
        if together is None:
            return super().differences(universe, relation, group)
        return map(self._read, together.differences(universe, relation, group))

    def _read(self, change: Change) -> Change:
        return Change(self(change.x), self(change.y), change.x, change.y)

    def _together(self, universe: Universe) -> Additive | None:
        """Return the sum that moves as the batch does: constants do not move."""
        if not isinstance(universe, Records) or not all(map(_adds, self.parts)):
            return None

        def phi(record: Point) -> tuple[Scalar, ...]:
            moved: list[Scalar] = []
            for part, width in zip(self.parts, self.widths, strict=True):
                moved += (0,) * width if isinstance(part, Constant) else _flat(part((record,)))
            return tuple(moved)

        return Additive(phi, dimension=sum(self.widths), name=self.name)


def _adds(part: Statistic) -> bool:
    return isinstance(part, Constant) or (isinstance(part, Additive) and part.modulo is None)


def _flat(value: Value) -> tuple[Scalar, ...]:
    return value if isinstance(value, tuple) else (value,)
