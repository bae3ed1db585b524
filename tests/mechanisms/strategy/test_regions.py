"""Intervals, boxes and transcripts: what is said of them, and what they hold."""

from fractions import Fraction

import pytest

from twoworlds import BitStrings, mechanism
from twoworlds.errors import InvalidInput, Unsupported
from twoworlds.mechanisms import Anything, AtLeast, Listed
from twoworlds.mechanisms.strategy import Boxes, Interval, Strategy, from_family
from twoworlds.worlds.statistics import count

HALF = Interval(Fraction(1, 2), Fraction(5, 2))


def test_events_of_other_kinds_have_a_mass_or_are_refused():
    counts = Strategy.batch(BitStrings(1), count(), count()).answered("geometric(ratio=2)")
    assert counts.mass(Anything(), (1,)) == 1
    assert counts.mass(Listed.of([(1, 1), (0, 1)]), (1,)) == Fraction(1, 9) + Fraction(1, 18)
    with pytest.raises(Unsupported):
        counts.mass(AtLeast(1), (1,))
    assert counts.example(Listed.of([(1, 1)]), (1,)) == (1, 1)
    assert counts.example(Anything(), (1,)) is None
    real = Strategy.batch(BitStrings(1), count()).answered("laplace(scale=1)")
    assert real.mass(Listed.of([(Fraction(1),)]), (1,)) == 0
    assert real.example(Boxes(((HALF,),)), (1,)) is None
    gap = real.family("substitute").gap(Fraction(2))[1]
    assert "more than 2 times as likely" in gap.event.describe(real.outputs)
    likelier = real.family("substitute").gap(Fraction(1))[1].event
    assert "likelier in the first world" in likelier.describe(real.outputs)
    many = Strategy.batch(BitStrings(2), count()).answered("laplace(scale=1)")
    comparison, two = many.family("substitute").gap(Fraction(1))
    third = next(x for x in BitStrings(2) if sum(x) not in map(sum, (comparison.x, comparison.y)))
    with pytest.raises(Unsupported, match="two worlds"):
        many.mass(two.event, third)


def test_profiles_exist_where_the_cells_are_finitely_many():
    counts = mechanism("batch(count, count, noise=geometric(ratio=2), universe=bits(1))")
    comparison = counts.compare((1,), (0,))
    for ratio in (Fraction(1), Fraction(3, 2), Fraction(3)):
        lines = [line.p - ratio * line.q for line in comparison.lines()]
        assert max(lines) == comparison.gap(ratio).delta
    real = mechanism("batch(count, noise=laplace(scale=1), universe=bits(1))").compare((1,), (0,))
    for ask in (real.lines, real.cells):
        with pytest.raises(Unsupported):
            ask()


def test_a_family_needs_responses_and_vectors_of_the_right_length():
    with pytest.raises(InvalidInput, match="at least one response"):
        from_family(BitStrings(1), lambda rho, x: (), [[]])
    with pytest.raises(InvalidInput, match="must be 1 numbers"):
        from_family(BitStrings(1), lambda rho, x: (1, 2), [[0]])
