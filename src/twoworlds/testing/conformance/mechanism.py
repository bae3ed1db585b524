"""The suites of mechanisms with finitely many outputs, on the whole numbers, and on the line."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import partial
from itertools import chain, combinations, pairwise
from typing import ClassVar

import numpy as np
import pytest

from twoworlds.calls import parse
from twoworlds.definitions import Witness
from twoworlds.errors import InvalidInput
from twoworlds.mechanisms import Anything, AtLeast, AtMost, Comparison, Family, Listed, Mechanism
from twoworlds.mechanisms.named import mechanism as read_mechanism
from twoworlds.mechanisms.named.load import MECHANISMS
from twoworlds.numbers import INFINITY, Number, bounds
from twoworlds.testing import enumeration
from twoworlds.worlds import SUBSTITUTE, Integers, Point, Reals

_DRAWS = 20
_ALL_EVENTS_UP_TO = 8
_HUGE = Fraction(1000)


class Shared:
    """What holds for every mechanism, whatever its outputs.

    Attributes:
        expression: the mechanism as one would type it; or override `make`.
        relations: the neighbour relations under which to compare.
        groups: the group sizes at which to compare.
        ratios: the ratios at which gaps are looked at.
        deltas: the deltas for which the smallest ratio is looked at.
    """

    expression: ClassVar[str] = ""
    relations: ClassVar[tuple[str, ...]] = (SUBSTITUTE,)
    groups: ClassVar[tuple[int, ...]] = (1, 2)
    ratios: ClassVar[tuple[Fraction, ...]] = tuple(map(Fraction, ("1", "6/5", "2", "3", "20")))
    deltas: ClassVar[tuple[Fraction, ...]] = tuple(map(Fraction, ("0", "1/100", "1/5", "1/2")))

    def make(self) -> Mechanism:
        """Return the mechanism under test."""
        return read_mechanism(self.expression)

    def databases(self, mechanism: Mechanism) -> list[Point]:
        """Return the databases to look at: all of them, unless the suite says otherwise."""
        return list(mechanism.universe)

    def outputs(self, mechanism: Mechanism) -> list[Point]:
        """Return the outputs to look at: all of them, unless the suite says otherwise."""
        return list(mechanism.outputs)

    def families(self, mechanism: Mechanism) -> Iterator[tuple[str, int, Family]]:
        """Yield every relation and group size with its family of comparisons."""
        for relation in self.relations:
            for group in self.groups:
                yield relation, group, mechanism.family(relation, group)

    @property
    def all_ratios(self) -> list[Number]:
        """The ratios, and infinity after them."""
        return [*self.ratios, INFINITY]

    @pytest.fixture
    def mechanism(self) -> Mechanism:
        """The mechanism under test."""
        return self.make()

    def test_the_peak_is_what_its_event_shows(self, mechanism: Mechanism) -> None:
        """An attained ratio is P(E) / Q(E) of the event that comes with it."""
        for _, _, family in self.families(mechanism):
            comparison, peak = family.peak()
            witness = Witness.of(mechanism, (comparison.x, comparison.y), peak.event)
            assert witness.verify()
            if peak.attained:
                assert same(witness.ratio(), peak.ratio)
            else:
                assert at_most(witness.ratio(), peak.ratio)

    def test_the_gap_is_what_its_event_shows(self, mechanism: Mechanism) -> None:
        """A gap is P(E) - a Q(E) of the event that comes with it."""
        for _, _, family in self.families(mechanism):
            for ratio in self.all_ratios:
                comparison, gap = family.gap(ratio)
                witness = Witness.of(mechanism, (comparison.x, comparison.y), gap.event)
                assert witness.verify()
                assert same(witness.excess(ratio), gap.delta)

    def test_the_gap_falls_as_the_ratio_grows_and_ends_at_the_peak(
        self, mechanism: Mechanism
    ) -> None:
        """1 >= delta(1) >= delta(a) >= ... >= 0, and delta is 0 from the tight ratio on."""
        for _, _, family in self.families(mechanism):
            gaps = [family.gap(ratio)[1].delta for ratio in self.all_ratios]
            assert at_most(gaps[0], 1)
            assert at_most(0, gaps[-1])
            assert all(at_most(later, gap) for gap, later in pairwise(gaps))
            peak = family.peak()[1].ratio
            if peak != INFINITY:
                assert same(family.gap(peak)[1].delta, 0)

    def test_the_smallest_ratio_for_a_delta_is_enough_and_no_less_is(
        self, mechanism: Mechanism
    ) -> None:
        """delta(ratio_for(d)) <= d, and any smaller ratio leaves more than d."""
        for _, _, family in self.families(mechanism):
            for delta in self.deltas:
                ratio = family.ratio_for(delta)[1]
                below = _HUGE if ratio == INFINITY else 1 + (near(ratio) - 1) * Fraction(99, 100)
                if ratio != INFINITY:
                    assert at_most(family.gap(ratio)[1].delta, delta)
                if ratio != 1:
                    assert near(family.gap(below)[1].delta) > delta

    def test_a_comparison_and_its_reverse_are_the_two_directions(
        self, mechanism: Mechanism
    ) -> None:
        """Reversing swaps the databases, and twice is nothing."""
        for _, _, family in self.families(mechanism):
            comparison: Comparison = family.gap(Fraction(2))[0]
            reverse = comparison.reverse()
            assert (reverse.x, reverse.y) == (comparison.y, comparison.x)
            gaps = [c.gap(Fraction(2)).delta for c in (comparison, reverse.reverse())]
            assert same(*gaps)

    def test_samples_stay_in_the_support(self, mechanism: Mechanism) -> None:
        """Nothing is drawn that has no probability."""
        rng = np.random.default_rng(0)
        for database in self.databases(mechanism):
            for _ in range(_DRAWS):
                output = mechanism.sample(database, rng)
                assert output in mechanism.outputs
                assert mechanism.probability(output, database) > 0

    def test_its_text_builds_it_again(self, mechanism: Mechanism) -> None:
        """A registered mechanism prints the call that makes it."""
        try:
            name = parse(mechanism.expression).name
        except InvalidInput:
            name = ""
        if name not in MECHANISMS:
            return
        again = read_mechanism(mechanism.expression)
        assert again.expression == mechanism.expression
        assert (again.universe, repr(again)) == (mechanism.universe, repr(mechanism))
        for database in self.databases(mechanism):
            for output in self.outputs(mechanism):
                entries = [m.probability(output, database) for m in (mechanism, again)]
                assert same(*entries)


class MechanismConformance(Shared):
    """Laws of a mechanism with finitely many databases and outputs, checked by brute force.

    Keep it small: all events of up to 8 outputs are listed.
    """

    def test_columns_sum_to_one(self, mechanism: Mechanism) -> None:
        """Every database has a law."""
        for database in mechanism.universe:
            entries = [mechanism.probability(o, database) for o in mechanism.outputs]
            assert all(at_most(0, entry) for entry in entries)
            assert same(sum(entries, start=Fraction(0)), 1)

    def test_row_distribution_table_and_probability_agree(self, mechanism: Mechanism) -> None:
        """There is one matrix, whichever way one looks at it."""
        table = mechanism.table()
        rows = {o: mechanism.row(mechanism.outputs.label(o)) for o in mechanism.outputs}
        for database in mechanism.universe:
            law = mechanism.distribution(mechanism.universe.label(database))
            assert list(law) == list(mechanism.outputs)
            assert len(law) == mechanism.outputs.size
            for output in mechanism.outputs:
                entry = mechanism.probability(output, database)
                assert same(law[output], entry)
                assert same(rows[output][database], entry)
                assert same(table.probability(output, database), entry)

    def test_the_mass_of_every_event_is_the_sum_of_its_outputs(self, mechanism: Mechanism) -> None:
        """P(E) = sum over o in E of P(o), for listed events and for those of the comparisons."""
        outputs = list(mechanism.outputs)
        sizes = range(len(outputs) + 1) if len(outputs) <= _ALL_EVENTS_UP_TO else (0, 1, 2)
        listed = (Listed.of(e) for size in sizes for e in combinations(outputs, size))
        found = (
            family.gap(ratio)[1].event
            for _, _, family in self.families(mechanism)
            for ratio in self.ratios
        )
        for event in chain(listed, found):
            for database in list(mechanism.universe)[:3]:
                entries = (mechanism.probability(o, database) for o in outputs if event.holds(o))
                total: Number = sum(entries, start=Fraction(0))
                assert same(mechanism.mass(event, database), total)
                assert same(mechanism.distribution(database).mass(event), total)

    def test_the_worst_comparisons_are_those_found_by_brute_force(
        self, mechanism: Mechanism
    ) -> None:
        """Peak, gap and smallest ratio are maxima over all neighbours and all events."""
        for relation, group, family in self.families(mechanism):
            compared = enumeration.pairs(mechanism.universe, relation, group)
            worst = partial(enumeration.worst, mechanism, compared)
            exact = all(
                isinstance(mechanism.probability(o, x), Fraction)
                for o in mechanism.outputs
                for x in mechanism.universe
            )
            slack = Fraction(0) if exact else TINY * 2**20
            if compared:
                _assert_close(family.peak()[1].ratio, worst(enumeration.largest_ratio), slack)
            for a in self.ratios:
                excess = worst(partial(enumeration.largest_excess, ratio=a))
                _assert_close(family.gap(a)[1].delta, excess, slack)
            for d in self.deltas:
                needed = worst(partial(enumeration.smallest_ratio, delta=d))
                wanted = None if needed is None else max(needed, Fraction(1))
                _assert_close(family.ratio_for(d)[1], wanted, slack)


def _assert_close(found: Number, wanted: Fraction | None, slack: Fraction) -> None:
    """Assert that two numbers agree, up to the slack of laws that are not rational."""
    if wanted is None or found == INFINITY or not slack:
        assert same(found, wanted)
    else:
        assert abs(near(found) - wanted) <= slack


# --- Comparing numbers in suites -----------------------------------------------------------------

TINY = Fraction(1, 2**100)


def near(x: Number | int | None) -> Fraction:
    """Return a rational within 2^-100 of a finite number."""
    if x is None or x == INFINITY:
        raise AssertionError(f"{x} is not finite")
    return bounds(Fraction(x) if isinstance(x, int) else x, 256)[0]


def same(x: Number | int | None, y: Number | int | None) -> bool:
    """Tell whether two numbers agree; None and infinity are the same thing.

    >>> same(Fraction(1, 3), Fraction(1, 3)), same(None, INFINITY), same(1, INFINITY)
    (True, True, False)
    """
    infinite = [z is None or z == INFINITY for z in (x, y)]
    if any(infinite):
        return all(infinite)
    rational = all(isinstance(z, (int, Fraction)) for z in (x, y))
    return x == y if rational else abs(near(x) - near(y)) <= TINY


def at_most(x: Number | int, y: Number | int | None) -> bool:
    """Tell whether x <= y, up to 2^-100 for irrational numbers."""
    if y is None or y == INFINITY or same(x, y):
        return True
    return x != INFINITY and near(x) < near(y)


# --- The suites of mechanisms with infinitely many outputs: whole numbers, and the real line -----
# Infinitely many events cannot be listed. Outputs are lumped into finitely many cells instead,
# which is post-processing: all events made of cells together can show at most what the mechanism
# claims, and they show all of it when the claimed event is one of them.

_SLACK = Fraction(1, 2**60)


class IntegerNoiseConformance(Shared):
    """Laws of a mechanism whose outputs are all the whole numbers.

    Attributes:
        window: the outputs that get a cell of their own; the two tails are one cell each.
    """

    window: ClassVar[range] = range(-4, 6)

    def databases(self, mechanism: Mechanism) -> list[Point]:
        """Return all databases, or the true answers from 0 to where the largest group can reach."""
        universe = mechanism.universe
        if isinstance(universe, Integers) and universe.size is None:
            return list(range(universe.step * max(self.groups) + 1))
        return list(universe)

    def outputs(self, mechanism: Mechanism) -> list[Point]:
        """Return the outputs of the window."""
        return list(self.window)

    def cells(self, mechanism: Mechanism, database: Point) -> list[Fraction]:
        """Return the law lumped into the window and its two tails."""
        first, last = self.window[0], self.window[-1]
        tails = (AtMost(first - 1), AtLeast(last + 1))
        masses = [mechanism.probability(o, database) for o in self.window]
        masses += [mechanism.mass(tail, database) for tail in tails]
        return [near(mass) for mass in masses]

    def test_the_window_and_its_tails_sum_to_one(self, mechanism: Mechanism) -> None:
        """Every database has a law."""
        for database in self.databases(mechanism):
            cells = self.cells(mechanism, database)
            assert all(mass >= 0 for mass in cells)
            assert abs(sum(cells, Fraction(0)) - 1) <= _SLACK
            assert same(mechanism.mass(Anything(), database), 1)

    def test_tails_differ_by_the_outputs_between_them(self, mechanism: Mechanism) -> None:
        """P(o >= t) - P(o >= t + 1) = P(t), and a half-line and its complement sum to 1."""
        for database in self.databases(mechanism):
            law = mechanism.distribution(database)
            for t in self.window:
                step = near(law.mass(AtLeast(t))) - near(law.mass(AtLeast(t + 1)))
                assert abs(step - near(law[t])) <= _SLACK
                assert abs(near(law.mass(AtMost(t))) + near(law.mass(AtLeast(t + 1))) - 1) <= _SLACK

    def test_the_mass_of_listed_outputs_is_their_sum(self, mechanism: Mechanism) -> None:
        """P({o, o'}) = P(o) + P(o')."""
        for database in self.databases(mechanism):
            pair = [self.window[2], self.window[-2]]
            total = sum(near(mechanism.probability(o, database)) for o in pair)
            assert abs(near(mechanism.mass(Listed.of(pair), database)) - total) <= _SLACK

    def test_rows_are_columns_read_across(self, mechanism: Mechanism) -> None:
        """The likelihood row of an output is its probability over a finite universe."""
        if mechanism.universe.size is None:
            return
        for output in self.window:
            for database, entry in mechanism.row(output).items():
                assert same(entry, mechanism.probability(output, database))

    def test_no_event_of_cells_beats_the_worst_comparison(self, mechanism: Mechanism) -> None:
        """Brute force over all lumped events reaches exactly the gap, when the window holds it."""
        for relation, group, family in self.families(mechanism):
            universe = mechanism.universe
            reach = universe.step * group if isinstance(universe, Integers) else group
            compared = enumeration.neighbours(
                self.databases(mechanism), enumeration.adjacency(universe, relation), group
            )
            cells = {x: self.cells(mechanism, x) for x in self.databases(mechanism)}
            laws = enumeration.once((cells[x], cells[y]) for x, y in compared)
            for ratio in self.ratios:
                gap = family.gap(ratio)[1]
                found = max(enumeration.largest_excess(p, q, ratio) for p, q in laws)
                assert found <= near(gap.delta) + _SLACK
                threshold = getattr(gap.event, "threshold", self.window[0] + reach)
                inside = self.window[0] + reach <= threshold <= self.window[-1] - reach
                assert not inside or abs(found - near(gap.delta)) <= _SLACK
            peak = family.peak()[1].ratio
            for p, q in laws:
                largest = enumeration.largest_ratio(p, q)
                assert peak == INFINITY or at_most((largest or 0) * (1 - _SLACK), peak)
                assert largest is not None or peak == INFINITY


class DensityConformance(Shared):
    """Laws of a mechanism whose outputs have a density on the real line.

    Attributes:
        grid: the ends of the intervals that are the cells; the two outer half-lines are cells too.
    """

    grid: ClassVar[tuple[Fraction, ...]] = tuple(Fraction(i) for i in range(-4, 7))

    def databases(self, mechanism: Mechanism) -> list[Point]:
        """Return a few true answers."""
        return [Fraction(0), Fraction(1, 2), Fraction(2)]

    def outputs(self, mechanism: Mechanism) -> list[Point]:
        """Return the points of the grid."""
        return list(self.grid)

    def cells(self, mechanism: Mechanism, database: Point) -> list[Fraction]:
        """Return the masses of the intervals between the points of the grid."""
        tails = [near(mechanism.mass(AtLeast(t), database)) for t in self.grid]
        tops, bottoms = [Fraction(1), *tails], [*tails, Fraction(0)]
        return [a - b for a, b in zip(tops, bottoms, strict=True)]

    def test_half_lines_sum_to_one_and_points_have_no_mass(self, mechanism: Mechanism) -> None:
        """P(o >= t) + P(o <= t) = 1, and P({t}) = 0."""
        for database in self.databases(mechanism):
            for t in self.grid:
                sides = [near(mechanism.mass(side(t), database)) for side in (AtLeast, AtMost)]
                assert abs(sum(sides, Fraction(0)) - 1) <= _SLACK
                assert same(mechanism.mass(Listed.of([t]), database), 0)

    def test_the_density_is_the_slope_of_the_tail(self, mechanism: Mechanism) -> None:
        """P(t <= o < t + h) / h tends to the density."""
        h = Fraction(1, 1 << 20)
        for database in self.databases(mechanism):
            for t in self.grid:
                ends = [near(mechanism.mass(AtLeast(end), database)) for end in (t, t + h)]
                slope = float((ends[0] - ends[1]) / h)
                density = float(mechanism.probability(t + h / 2, database))
                assert abs(slope - density) <= 1e-5 * density

    def test_no_event_of_cells_beats_the_worst_comparison(self, mechanism: Mechanism) -> None:
        """All events made of intervals stay within the gap and the ratio claimed."""
        for _, group, family in self.families(mechanism):
            assert isinstance(mechanism.universe, Reals)
            away = near(mechanism.universe.step) * group
            laws = [self.cells(mechanism, x) for x in (Fraction(0), away)]
            for p, q in (laws, laws[::-1]):
                for ratio in self.ratios:
                    found = enumeration.largest_excess(p, q, ratio)
                    assert found <= near(family.gap(ratio)[1].delta) + _SLACK
                largest = enumeration.largest_ratio(p, q)
                assert largest is not None
                assert at_most(largest * (1 - _SLACK), family.peak()[1].ratio)
