"""The suites of mechanisms with infinitely many outputs: whole numbers, and the real line.

Infinitely many events cannot be listed. Outputs are lumped into finitely many cells instead, which
is post-processing: all events made of cells together can show at most what the mechanism claims,
and they show all of it when the claimed event is one of them.
"""

from __future__ import annotations

from fractions import Fraction
from typing import ClassVar

from twoworlds.mechanisms import Anything, AtLeast, AtMost, Listed, Mechanism
from twoworlds.numbers import INFINITY
from twoworlds.testing import enumeration
from twoworlds.testing.conformance.mechanism import Shared
from twoworlds.testing.conformance.numbers import at_most, near, same
from twoworlds.worlds import Integers, Point

__all__ = ["DensityConformance", "IntegerNoiseConformance"]

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
            away = mechanism.universe.step * group  # type: ignore[attr-defined]
            laws = [self.cells(mechanism, x) for x in (Fraction(0), away)]
            for p, q in (laws, laws[::-1]):
                for ratio in self.ratios:
                    found = enumeration.largest_excess(p, q, ratio)
                    assert found <= near(family.gap(ratio)[1].delta) + _SLACK
                largest = enumeration.largest_ratio(p, q)
                assert largest is not None
                assert at_most(largest * (1 - _SLACK), family.peak()[1].ratio)
