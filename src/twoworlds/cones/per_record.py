r"""Row cones of mechanisms with one transition per record, by structure, for any number of records.

With the transition Q of one record the matrix of k records is the Kronecker power of Q, so its
rows are products r_1 ⊗ ... ⊗ r_k of rows of Q. If the extreme rows of Q are linearly
independent, the cone of one record is *simplicial*: each extreme row r has a functional f_r with
f_r . r > 0 that vanishes on the other ones, and there are equalities: functionals that vanish on
all rows. Then

    x is in the row cone of k records   if and only if
    (f_1 ⊗ ... ⊗ f_k) . x >= 0 for all choices of functionals, and
    (g_1 ⊗ ... ⊗ g_k) . x  = 0 whenever one of the g is an equality.

For an invertible Q the functionals are the columns of its inverse (Lin & Kifer, Theorem 5.1), and
for randomized response this is Theorem 5.5: with f = (p, p - 1) and (p - 1, p). One functional per
output: in the notation of Theorem 5.5 the output is the complement of s.

Differs: Theorem 5.5 needs p > 1/2. Inserting p < 1/2 literally gives (-1)^k times the right
inequalities; here Q is inverted itself, which is the same as p -> max(p, 1 - p) (Lemma 5.4). At
p = 1/2 the cone holds the constant rows only, as equalities. Appendix 6 prints the entry of the
matrix as p^h (1 - p)^(k - h) at Hamming distance h; it is p^(k - h) (1 - p)^h.

Nothing here ever forms a matrix over all databases: a row is multiplied by the functionals one
record after the other. Rows are answered exactly; a float is the decimal number that it prints as.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from itertools import groupby, product
from math import lcm
from typing import TYPE_CHECKING, Any

from twoworlds.answer import Answer
from twoworlds.cones.cone import Cone
from twoworlds.cones.kernel.vectors import Vector, flint, fraction, kernel, primitive
from twoworlds.cones.row_cone import (
    Inequality,
    Row,
    RowCone,
    coefficients,
    listed_universe,
    read_row,
    variable,
)
from twoworlds.errors import TooLarge, Unsupported
from twoworlds.mechanisms import Dense, PerRecord
from twoworlds.mechanisms.named import mechanism as build_mechanism
from twoworlds.show import Result
from twoworlds.worlds import Point, Records

if TYPE_CHECKING:
    from numpy.typing import NDArray

_LARGEST_PRINTED = 10**15
_LONGEST_RUN = 4
_LARGEST_ROW = 1 << 18


@dataclass(frozen=True)
class Simplicial:
    """The cone of one record: independent extreme rows, a functional for each, and equalities.

    Attributes:
        outputs: One output for each extreme row (further ones may have a multiple of it).
        rays: The extreme rows, primitive.
        facets: For each of them the functional that is positive on it and 0 on the others.
        equalities: Functionals that vanish on all rows.
        further: The other outputs, whose rows are multiples or combinations of the extreme ones.
    """

    outputs: tuple[Point, ...]
    rays: tuple[Vector, ...]
    facets: tuple[Vector, ...]
    equalities: tuple[Vector, ...]
    further: tuple[Point, ...] = ()

    @staticmethod
    def of(transition: Dense) -> Simplicial | None:
        """Return the cone of a transition's rows, or None when its extreme rows are dependent."""
        first: dict[Vector, Point] = {}
        for output, row in zip(transition.outputs, transition.rows, strict=True):
            ray = primitive(row, f"P({transition.outputs.label(output)} | value)")
            if any(ray):
                first.setdefault(ray, output)
        rays = list(first)
        size = len(transition.rows[0])
        null = kernel(rays, size)
        if len(rays) + len(null) > size:
            extreme = set(Cone.from_rays(rays).rays)
            rays = [ray for ray in rays if ray in extreme]
            if len(rays) + len(null) > size:
                return None
        inverse = flint([*rays, *null]).inv().transpose().tolist()
        facets = [primitive(list(map(fraction, row))) for row in inverse]
        outputs = tuple(first[ray] for ray in rays)
        further = tuple(output for output in transition.outputs if output not in outputs)
        return Simplicial(outputs, tuple(rays), tuple(facets[: len(rays)]), null, further)

    @property
    def functionals(self) -> tuple[Vector, ...]:
        """The facets, then the equalities: together a basis."""
        return self.facets + self.equalities


@dataclass(frozen=True)
class ProductInequality:
    """An inequality whose coefficients are products, one factor per record; never listed.

    >>> from twoworlds import BitStrings
    >>> guarantee = ProductInequality(BitStrings(2), ((3, -1), (-1, 3)))
    >>> guarantee.coefficient("10"), guarantee.text()
    (9, '(3 x1 - x0) ⊗ (3 x0 - x1) >= 0')
    """

    universe: Records
    factors: tuple[Vector, ...]
    equality: bool = False

    def coefficient(self, database: object) -> int:
        """Return the coefficient of one database."""
        word = self.universe.find(database)
        places = [self.universe.values.index(value) for value in word]
        found: int = 1
        for factor, place in zip(self.factors, places, strict=True):
            found *= factor[place]
        return found

    def value(self, row: Sequence[int | Fraction]) -> int | Fraction:
        """Return the left side on a row, record by record."""
        entries: Sequence[int | Fraction] = row
        for factor in reversed(self.factors):
            n = len(factor)
            entries = [
                sum(c * entries[start + i] for i, c in enumerate(factor) if c)
                for start in range(0, len(entries), n)
            ]
        return entries[0]

    def text(self) -> str:
        """Write the factors, long runs of equal ones as a power."""
        relation = "=" if self.equality else ">="
        parts: list[str] = []
        for factor, run in groupby(self.factors):
            text, length = self._factor(factor), len(list(run))
            parts += [text] * length if length <= _LONGEST_RUN else [f"{text}^⊗{length}"]
        return " ⊗ ".join(parts) + f" {relation} 0"

    def _factor(self, factor: Vector) -> str:
        names = [variable(str(value)) for value in self.universe.values]
        terms = sorted(zip(factor, names, strict=True), key=lambda term: term[0] < 0)
        text = ""
        for c, name in terms:
            if c:
                sign = (" - " if text else "-") if c < 0 else (" + " if text else "")
                text += sign + (name if abs(c) == 1 else f"{abs(c)} {name}")
        return f"({text})"

    def explicit(self) -> Inequality:
        """List all coefficients."""
        _refuse_very_large(self.universe, "list an inequality of fewer records")
        where = listed_universe(self.universe, "the inequality")
        return Inequality(where, kronecker(self.factors), self.equality)


@dataclass(frozen=True)
class ProductMembership(Result):
    """Whether a row is in the cone, with the inequality that comes nearest to failing.

    Attributes:
        inside: The answer.
        worst: The violated inequality of the least value, or the one nearest to 0.
        value: Its value (an equality: of its violation).
    """

    inside: bool
    worst: ProductInequality
    value: Fraction

    def __bool__(self) -> bool:
        """Return the answer."""
        return self.inside

    def answer(self) -> Answer:
        """Say it in a sentence."""
        where = "inside" if self.inside else "outside"
        said = f"{where} the row cone: {self.worst.text()} has the value {self.value}"
        return Answer(said, holds=self.inside)

    def fields(self) -> dict[str, Any]:
        """Return the answer, and the inequality that it rests on."""
        return {"inside": self.inside, "worst": self.worst.text(), "value": self.value}


@dataclass(frozen=True)
class PerRecordCone(Result):
    """The row cone of a transition applied to every record, by structure.

    >>> survey = PerRecordCone.of("randomized-response(bits=40, keep=3/4)")
    >>> survey.count
    1099511627776
    >>> survey.inequality("1" * 40).coefficient("1" * 39 + "0") == -3**39
    True
    """

    universe: Records
    one: Simplicial
    source: str

    @staticmethod
    def of(mechanism: str | PerRecord) -> PerRecordCone:
        """Return the cone of randomized response, PRAM or any transition per record."""
        built = build_mechanism(mechanism)
        if not isinstance(built, PerRecord):
            raise Unsupported(
                f"{built.expression} is not one transition per record: use row_cone, which lists "
                "its rows"
            )
        one = Simplicial.of(built.transition)
        if one is None:
            raise Unsupported(
                f"{built.expression}: the extreme rows of one record are linearly dependent, so "
                "that the inequalities of several records are no products: use row_cone for few "
                "records"
            )
        return PerRecordCone(built.universe, one, built.expression)

    @property
    def records(self) -> int:
        """The number of records."""
        return self.universe.n

    @property
    def count(self) -> int:
        """The number of facets, which is that of the extreme rows."""
        found: int = len(self.one.facets) ** self.records
        return found

    @property
    def count_text(self) -> str:
        """The number of facets as it is printed: a power where its digits would be long.

        >>> PerRecordCone.of("randomized-response(bits=15000, keep=3/4)").count_text
        '2^15000'
        """
        return str(self._counts["facets"])

    @property
    def _counts(self) -> dict[str, int | str]:
        """The sizes of the whole cone; those too long to print as text, such as 2^15000."""
        k, facets, values = self.records, len(self.one.facets), len(self.universe.values)
        count, databases = _power(facets, k), _power(values, k)
        if isinstance(count, int) and isinstance(databases, int):
            equalities: int | str = databases - count
        else:
            equalities = 0 if facets == values else f"{databases} - {count}"
        return {
            "databases": databases,
            "facets": count,
            "equalities": equalities,
            "rays": count,
            "lines": 0,
        }

    def inequality(self, output: object) -> ProductInequality:
        """Return the facet of one output: a word with one output of a record per record.

        The other extreme rows satisfy it with equality, and only this output's row does not.
        """
        word = Records(self.one.outputs, self.records).find(output)
        return self.product([self.one.outputs.index(part) for part in word])

    def product(self, places: Sequence[int]) -> ProductInequality:
        """Return the product of functionals of one record, given by their places."""
        factors = tuple(self.one.functionals[i] for i in places)
        return ProductInequality(self.universe, factors, max(places) >= len(self.one.facets))

    def contains(self, row: Row) -> ProductMembership:
        """Tell whether a likelihood row is in the cone.

        Args:
            row: One entry per database in order, or a mapping.
        """
        import numpy as np

        _refuse_very_large(self.universe, "test a row of fewer records")
        size = self.universe.size
        if size > _LARGEST_ROW:
            raise TooLarge(
                f"a row over {self.universe.expression} has {size} entries, more than "
                f"{_LARGEST_ROW}: ask for single inequalities"
            )
        listed = row.tolist() if isinstance(row, np.ndarray) else row
        entries = read_row(self.universe, listed)
        scale = lcm(*[entry.denominator for entry in entries])
        values = self._transformed([int(entry * scale) for entry in entries])
        equality = np.array([False])  # where one of the factors is an equality
        flat = np.arange(len(self.one.functionals)) >= len(self.one.facets)
        for _ in range(self.records):
            equality = (equality[:, None] | flat).ravel()
        slack = np.where(equality, -np.abs(values), values)
        place = int(slack.argmin())
        value = Fraction(int(slack[place]), scale)
        return ProductMembership(value >= 0, self.product(self._word(place)), value)

    def _transformed(self, row: Sequence[int]) -> NDArray[Any]:
        """Multiply a row by the Kronecker power of the functionals, exactly."""
        import numpy as np

        n, functionals = len(self.one.functionals), self.one.functionals
        found: NDArray[Any] = np.array(row, dtype=object)
        for i in range(self.records):
            parts = found.reshape(n**i, n, -1)
            lines = [sum(c * parts[:, k] for k, c in enumerate(f) if c) for f in functionals]
            found = np.stack(lines, axis=1).ravel()
        return found

    def _word(self, place: int) -> list[int]:
        """Return the place of each record's functional."""
        digits = []
        for _ in range(self.records):
            place, digit = divmod(place, len(self.one.functionals))
            digits.append(digit)
        return digits[::-1]

    def answer(self) -> Answer:
        """Say in words what the inequalities are, without listing them."""
        one = Records(self.universe.values, 1)
        facets = [Inequality(one, facet) for facet in self.one.facets]
        equal = [Inequality(one, a, equality=True).text() for a in self.one.equalities]
        tail = (
            f", and where one factor is one of {'; '.join(equal)} it is an equality"
            if equal
            else ""
        )
        many = "" if self.count == 1 else "s"
        return Answer(
            f"The row cone of {self.source} has {self.count_text} facet{many} over "
            f"{self._counts['databases']} databases: the products of one factor per record, each "
            f"one of {'; '.join(facet.text() for facet in facets)}{tail}.",
            blocks=coefficients(facets),
        )

    def fields(self) -> dict[str, Any]:
        """Return the cone of one record, with the counts of the whole.

        A count of more than 15 digits is text, such as "2^15000".
        """
        return {
            "source": self.source,
            "universe": self.universe,
            "records": self.records,
            "one_record": {
                "columns": list(map(str, self.universe.values)),
                "facets": self.one.facets,
                "equalities": self.one.equalities,
                "rays": self.one.rays,
                "outputs": list(map(str, self.one.outputs)),
            },
            "counts": self._counts,
            "approximation": None,
        }

    def explicit(self) -> RowCone:
        """List all inequalities, for universes that can be listed."""
        _refuse_very_large(self.universe, "list the cone of fewer records")
        where = listed_universe(self.universe, self.source)
        n = len(self.one.facets)
        size = len(self.one.functionals)
        facets: list[Vector] = []
        equalities: list[Vector] = []
        for places in product(range(size), repeat=self.records):
            vector = kronecker([self.one.functionals[i] for i in places])
            (facets if max(places) < n else equalities).append(vector)
        cone = Cone.from_inequalities(facets, equalities=equalities)
        return RowCone(where, cone, self.source)


def _power(base: int, exponent: int) -> int | str:
    """Return a power, as text if its digits would be long."""
    small = base == 1 or exponent < 64
    value: int = base**exponent if small else _LARGEST_PRINTED
    return value if value < _LARGEST_PRINTED else f"{base}^{exponent}"


def _refuse_very_large(universe: Records, way_out: str) -> None:
    """Refuse universes whose size is too long to print; smaller ones are refused elsewhere."""
    size = _power(len(universe.values), universe.n)
    if isinstance(size, str):
        raise TooLarge(
            f"{universe.expression} has {size} databases, too many for a row with an entry for "
            f"each of them: {way_out}"
        )


def kronecker(factors: Iterable[Vector]) -> Vector:
    """Return the Kronecker product of vectors, the first one slowest."""
    return reduce(lambda a, b: tuple(p * q for p in a for q in b), factors, (1,))
