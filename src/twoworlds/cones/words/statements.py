r"""Statements: what each inequality of a row cone says about an attacker, in words.

A guarantee sum_D c_D x_D >= 0 on the likelihood rows of all trusted mechanisms compares two sets of
databases, S+ = {D : c_D > 0} and S- = {D : c_D < 0}. With the belief b(D) = |c_D| / sum |c| it is

    P(S+ and output) >= P(S- and output),    hence    P(S+ | output) >= P(S- | output)

for every output (Lin & Kifer, Sections 2.2.4 and 4.2.3). The rows of a mechanism sum to the row of
ones, so that b(S+) >= b(S-): the attacker does not change his mind about which is likelier. More
generally, whoever holds the same beliefs within S+ and within S- sees the odds of S- against S+
grow by a factor of at most b(S+) / b(S-), whatever odds he gave before (equation 3).

Kinds of statements:

* ``parity``: b holds records independent, and S+, S- differ in a parity of two or more of them;
* ``person``: likewise, but S+, S- differ in one person's record: an odds bound about that person;
* ``pair``: two databases;
* ``general``: anything else;
* ``probability``: x_D >= 0, which says nothing;
* ``perfect``: no output changes the odds between any two databases;
* ``impossible``: x_D = 0, which no mechanism satisfies.

Where the cone satisfies equalities, each facet is said in its `simplest` form.

Differs: print says "more likely"; both sets may become equally likely, so that all of this holds
weakly (Section 5.1, where most outputs of randomized response leave a tie).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from itertools import chain, combinations, permutations
from typing import Any

from twoworlds.answer import Answer, Facts
from twoworlds.charts import Bars, Chart
from twoworlds.cones.kernel.vectors import Vector, divided, dot
from twoworlds.cones.per_record import PerRecordCone, ProductInequality
from twoworlds.cones.row_cone import Inequality, Row, RowCone, read_row
from twoworlds.cones.words.wording import (
    Wording,
    as_records,
    factorise,
    joined,
    law_of,
    moved,
    plain,
    prior,
    words_of,
)
from twoworlds.errors import InvalidInput
from twoworlds.show import Result
from twoworlds.worlds import Point
from twoworlds.worlds.belief import Belief

_MOST_WORK = 1 << 24


def simplest(
    facets: Sequence[Vector], rays: Sequence[Vector], points: Sequence[Point]
) -> list[Vector]:
    """Return the simplest form of each facet of the cone of these rays.

    With equalities a facet has many forms: where 2 x_c = x_a + x_b, the guarantee x_a <= 2 x_c is
    the same as x_b >= 0. Two forms are the same when they have the same values on all rows of the
    cone, up to a positive factor. The first of these that exists is the one to say:

    1. d x_E <= c x_D, with the least c + d, of databases that differ least: the odds of two
       databases, attained by some row;
    2. x_E <= x_A + x_B, likewise attained;
    3. x_D >= 0, which says nothing beyond the equalities;
    4. the facet as given.

    *Attained*: x_E > 0 on a row where both sides agree. Without that 2 x_D >= x_E would pass for a
    bound where x_D = x_E always. The choice depends on the cone alone and not on the basis of its
    equalities, so that facets that are alike are said alike.

    >>> simplest([(0, 1, 0), (0, -1, 2)], [(2, 0, 1), (0, 2, 1)], "abc")
    [(-1, 0, 2), (0, -1, 2)]
    """
    if len(facets) * len(points) ** 2 * len(rays) > _MOST_WORK:
        return list(facets)
    return [_simplest(facet, rays, points) for facet in facets]


def _simplest(facet: Vector, rays: Sequence[Vector], points: Sequence[Point]) -> Vector:
    values = [dot(facet, ray) for ray in rays]
    tight = [ray for ray, value in zip(rays, values, strict=True) if not value]
    place = next(i for i, value in enumerate(values) if value)

    def is_facet(form: Mapping[int, int]) -> bool:
        found = [sum(c * ray[i] for i, c in form.items()) for ray in rays]
        return found[place] > 0 and all(
            f * values[place] == v * found[place] for f, v in zip(found, values, strict=True)
        )

    size = len(facet)
    pairs: list[tuple[int, int, bool, Mapping[int, int]]] = []
    for i, j in permutations(range(size), 2):
        attained = next((ray for ray in tight if ray[i] and ray[j]), None)
        if attained is not None:
            c, d = divided((attained[j], attained[i]))
            if is_facet({i: c, j: -d}):
                given = facet[i] > 0 > facet[j] and sum(map(bool, facet)) == 2
                pairs.append((c + d, _differing(points[i], points[j]), not given, {i: c, j: -d}))
    if pairs:
        form = min(pairs, key=lambda pair: pair[:3])[3]
    else:
        forms = chain(_sums_of_two(tight, size), ({i: 1} for i in range(size)))
        form = next(filter(is_facet, forms), {})
    return tuple(form.get(i, 0) for i in range(size)) if form else facet


def _sums_of_two(tight: Sequence[Vector], size: int) -> Iterator[Mapping[int, int]]:
    """Yield x_E <= x_A + x_B wherever both sides agree on these rays, and not all are 0 there."""
    columns = [tuple(ray[i] for ray in tight) for i in range(size)]
    for a, b in combinations(range(size), 2):
        total = tuple(x + y for x, y in zip(columns[a], columns[b], strict=True))
        if any(columns[a]) and any(columns[b]):
            yield from ({a: 1, b: 1, e: -1} for e in range(size) if columns[e] == total)


def _differing(x: Point, y: Point) -> int:
    """Count the places where two databases differ, if they are lists or words."""
    if isinstance(x, tuple | str) and isinstance(y, tuple | str) and len(x) == len(y):
        return sum(a != b for a, b in zip(x, y, strict=True))
    return 0


_LIKE = {
    "parity": "for other persons or values",
    "person": "about other persons or values, or with other knowledge about the rest",
    "pair": "about other databases",
    "general": "with the same numbers for other databases",
    "probability": "about other databases",
    "impossible": "about other databases",
    "perfect": "about other databases",
}


@dataclass(frozen=True)
class Statement(Result):
    """What one inequality says about an attacker."""

    inequality: Inequality | ProductInequality
    kind: str
    sentence: str
    factors: tuple[Vector, ...] | None = field(default=None, repr=False)

    @cached_property
    def _listed(self) -> Inequality:
        given = self.inequality
        return given.explicit() if isinstance(given, ProductInequality) else given

    @cached_property
    def first(self) -> tuple[Point, ...]:
        """S+: the databases that stay at least as likely as the second set."""
        return tuple(self._listed.sides()[1])

    @cached_property
    def second(self) -> tuple[Point, ...]:
        """S-: the databases that never become likelier than the first set."""
        return tuple(self._listed.sides()[0])

    @cached_property
    def belief(self) -> Belief:
        """The belief that makes the coefficients probabilities."""
        where, coefficients = self._listed.universe, self._listed.coefficients
        return Belief(where, dict(zip(where, law_of(coefficients), strict=True)))

    @cached_property
    def laws(self) -> tuple[tuple[Fraction, ...], ...] | None:
        """The law of each record, if the belief holds the records independent; else None."""
        found = self.factors
        if found is None and (records := as_records(self._listed.universe)) is not None:
            found = factorise(records, tuple(map(abs, self._listed.coefficients)))
        return None if found is None else tuple(law_of(factor) for factor in found)

    @property
    def prior(self) -> tuple[Fraction, Fraction]:
        """The probabilities of the two sets before any output."""
        return prior(self.inequality)

    @property
    def prior_odds(self) -> Fraction | None:
        """The odds of the second set against the first before any output; None without one."""
        first, second = self.prior
        return second / first if first and second else None

    @property
    def factor(self) -> Fraction | None:
        """By how much the odds of the second set against the first can grow at most."""
        odds = self.prior_odds
        return None if odds is None else 1 / odds

    @property
    def equality(self) -> bool:
        """Whether the two sets keep their odds exactly."""
        return self.inequality.equality

    def posterior(self, row: Row) -> tuple[Fraction, Fraction] | None:
        """Return the probabilities of the two sets after an output with this likelihood row.

        None when the attacker held the output impossible.
        """
        masses = [(c, abs(c) * entry) for entry, c in self._pairs(row)]
        total = sum(mass for _, mass in masses)
        if not total:
            return None
        first = sum(mass for c, mass in masses if c > 0)
        return Fraction(first) / total, Fraction(total - first) / total

    def verify(self, row: Row) -> bool:
        """Check the claim on the row of an output, by Bayes' rule and plain arithmetic."""
        if self.kind == "impossible":
            return not any(entry for entry, c in self._pairs(row) if c)
        after = self.posterior(row)
        if after is None:
            return True
        return after[0] == after[1] if self.equality else after[0] >= after[1]

    def _pairs(self, row: Row) -> Iterable[tuple[Fraction, int]]:
        return zip(self._row(row), self._listed.coefficients, strict=True)

    def _row(self, row: Row) -> tuple[Fraction, ...]:
        entries = read_row(self._listed.universe, row)
        if min(entries) < 0:
            raise InvalidInput(
                f"the row has the entry {min(entries)}: likelihoods are at least 0, and Bayes' "
                "rule has no meaning without that"
            )
        return entries

    def answer(self) -> Answer:
        """Say the sentence, the inequality, and what it means for other prior odds."""
        facts = [("inequality", self.inequality.text())]
        odds, factor = self.prior_odds, self.factor
        if odds is not None and factor is not None and self.kind in ("parity", "general"):
            move = "never change" if self.equality else moved(factor)
            facts.append(
                (
                    "odds",
                    f"the second set starts at odds of {plain(odds)} against the first; whatever "
                    f"the odds between the two were before, they {move}",
                )
            )
        return Answer(self.sentence, blocks=[Facts(facts), *self._charts()])

    def _charts(self) -> Iterator[Chart]:
        """Chart how far the belief in one set against the other can move."""
        if self.factor is None or self.equality:
            return
        half, (first, second) = Fraction(1, 2), self.prior
        before, most, title = second / (first + second), half, "The less likely of the two"
        if self.kind in ("person", "pair"):
            before, most = half, self.factor / (1 + self.factor)
            title = "The belief in it, if even before"
        believed = {"before": before, "after any output, at most": most}
        yield Bars(title, believed, grey=["before"], side="up")

    def fields(self) -> dict[str, Any]:
        """Return the inequality, the two sets, the belief and the odds."""
        label = self._listed.universe.label
        return {
            "kind": self.kind,
            "sentence": self.sentence,
            "inequality": self._listed,
            "first": [label(x) for x in self.first],
            "second": [label(x) for x in self.second],
            "belief": {label(x): mass for x, mass in self.belief.items()},
            "independent": self.laws is not None,
            "prior_odds": self.prior_odds,
            "factor": self.factor,
        }


def statements(cone: RowCone) -> tuple[Statement, ...]:
    """Return what each facet and equality of a row cone says, in the order of its inequalities.

    >>> from twoworlds.cones.row_cone import row_cone
    >>> print(statements(row_cone("randomized-response(bits=2, keep=3/4)"))[0].sentence)
    An attacker who believes the two answers are independent, each yes with probability 3/4, and \
so thinks an even number of yeses likelier than an odd one (5/8 against 3/8), still thinks so \
(weakly) after any output.
    """
    listed, inside = cone.inequalities(), cone.cone
    if not inside.equalities or inside.lines:
        return tuple(map(statement, listed))
    facets = [given.coefficients for given in listed if not given.equality]
    rays = inside.rays if inside.generators is None else inside.generators[0]
    forms = [Inequality(cone.universe, a) for a in simplest(facets, rays, tuple(cone.universe))]
    return tuple(map(statement, (*forms, *listed[len(forms) :])))


def statement(inequality: Inequality | ProductInequality) -> Statement:
    """Return what one inequality says.

    >>> from twoworlds.cones.row_cone import Inequality
    >>> from twoworlds import BitStrings
    >>> statement(Inequality(BitStrings(2), (-1, 0, 3, 0))).sentence
    "For someone who knows that person 2's answer is yes, the odds that person 1's answer is yes \
rather than no grow by a factor of at most 3 after any output."
    """
    if isinstance(inequality, Inequality) and not any(inequality.coefficients):
        raise InvalidInput("0 >= 0 says nothing: give an inequality with a coefficient")
    return Statement(inequality, *words_of(inequality))


# --- one transition per record --------------------------------------------------------------------


def example(cone: PerRecordCone) -> Statement:
    """Return one statement of a cone by structure; the others are like it.

    If all rows are constant it is of the kind ``perfect``: nothing is learned.
    """
    one, others = cone.one, cone.records - 1
    if len(one.facets) == 1 and one.equalities:
        found = statement(cone.product([1, *[0] * others]))
        return replace(
            found,
            kind="perfect",
            sentence="Whatever an attacker believes, the odds between any two databases never "
            "change: nothing is learned from any output.",
        )
    return statement(ProductInequality(cone.universe, (_forms(cone)[0],) * cone.records))


def example_statements(cone: PerRecordCone) -> list[str]:
    """Return what to say of a cone by structure: an example, how many are like it, equalities.

    >>> survey = PerRecordCone.of("randomized-response(bits=15000, keep=1/2)")
    >>> example_statements(survey)
    ['Whatever an attacker believes, the odds between any two databases never change: nothing is \
learned from any output.']
    >>> example_statements(PerRecordCone.of("randomized-response(bits=15000, keep=3/4)"))[1]
    'There are 2^15000 such statements, one for each output, all alike.'
    """
    found = example(cone)
    if found.kind == "perfect":
        return [found.sentence]
    alike = len({tuple(sorted(form)) for form in _forms(cone)}) == 1
    which = "all alike" if alike else "some of them with other numbers"
    some = f" made of {joined(list(map(str, cone.one.outputs)))}" if cone.one.further else ""
    more = f"There are {cone.count_text} such statements, one for each output{some}, {which}."
    return [found.sentence, more, *_equalities(cone)]


def _forms(cone: PerRecordCone) -> list[Vector]:
    """Return the facets of one record, as they are best said."""
    one = cone.one
    return simplest(one.facets, one.rays, cone.universe.values) if one.equalities else [*one.facets]


def _equalities(cone: PerRecordCone) -> list[str]:
    """Say the equalities of person 1's record, for someone who knows the others."""
    first = (1, *[0] * (len(cone.universe.values) - 1))
    rest = (first,) * (cone.records - 1)
    found = [
        statement(ProductInequality(cone.universe, (equality, *rest), equality=True)).sentence
        for equality in cone.one.equalities
    ]
    likewise = "The same is true of every other person, and whatever is known of the rest."
    return [f"{sentence} {likewise}" if rest else sentence for sentence in found]


# --- short lists ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class StatementGroup(Result):
    """Statements of one kind with the same numbers: one to read, and the others like it."""

    kind: str
    statements: tuple[Statement, ...]

    @property
    def count(self) -> int:
        """How many statements there are."""
        return len(self.statements)

    @property
    def sentence(self) -> str:
        """The example, and how many more are like it."""
        if self.count == 1:
            return self.statements[0].sentence
        return f"{self.statements[0].sentence} And {self.count - 1} more like it, {self._others()}."

    def _others(self) -> str:
        """Say how the others differ from the example."""
        records = as_records(self.statements[0].inequality.universe)
        if records is None or len(records.values) != 2 or self.kind not in ("parity", "person"):
            return _LIKE[self.kind]
        names = "yes and no" if Wording(records).bits else joined(list(map(str, records.values)))
        if records.n == 1:
            return f"with {names} exchanged"
        whole = all(min(f) < 0 < max(f) for one in self.statements for f in one.factors or ())
        if self.kind == "parity" and whole:
            return f"with the roles of {names} exchanged for some persons"
        return _LIKE[self.kind]

    def answer(self) -> Answer:
        """Say the example, and how many more there are."""
        return Answer(self.sentence)

    def fields(self) -> dict[str, Any]:
        """Return all statements of the group."""
        of = {"kind": self.kind, "count": self.count, "sentence": self.sentence}
        return {**of, "statements": self.statements}


def grouped(given: Iterable[Statement]) -> tuple[StatementGroup, ...]:
    """Put statements of one kind with the same numbers together; those that say nothing come last.

    >>> from twoworlds.cones.row_cone import row_cone
    >>> [(g.kind, g.count) for g in grouped(statements(row_cone("dp(ratio=3)", "bits(2)")))]
    [('person', 8)]
    """
    groups: dict[Any, list[Statement]] = {}
    for one in given:
        groups.setdefault(_signature(one), []).append(one)
    found = [StatementGroup(members[0].kind, tuple(members)) for members in groups.values()]
    return tuple(sorted(found, key=lambda group: group.kind == "probability"))


def _signature(one: Statement) -> tuple[Any, ...]:
    """Two statements with the same signature have the same coefficients in another order."""
    given = one.inequality
    if isinstance(given, ProductInequality):
        factors = sorted(tuple(sorted(f)) for f in given.factors)
        return one.kind, given.equality, tuple(factors)
    return one.kind, given.equality, tuple(sorted(c for c in given.coefficients if c))
