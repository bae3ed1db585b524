"""The suite of finite mechanisms, and what it shares with the suites of infinite ones."""

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
from twoworlds.mechanisms import Comparison, Family, Listed, Mechanism
from twoworlds.mechanisms.named import mechanism as read_mechanism
from twoworlds.mechanisms.named.load import MECHANISMS
from twoworlds.numbers import INFINITY, Number
from twoworlds.testing import enumeration
from twoworlds.testing.conformance.numbers import TINY, at_most, near, same
from twoworlds.worlds import SUBSTITUTE, Point

__all__ = ["MechanismConformance", "Shared"]

_DRAWS = 20
_ALL_EVENTS_UP_TO = 9
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

    Keep it small: all events of up to 9 outputs are listed.
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
