"""Intervals, boxes and transcripts: what is said of them, and what they hold."""

from fractions import Fraction

import pytest

from twoworlds import BitStrings, mechanism
from twoworlds.errors import InvalidInput, Unsupported
from twoworlds.mechanisms import Anything, AtLeast, Listed
from twoworlds.mechanisms.strategy import Boxes, Interval, Strategy, Transcripts, from_family
from twoworlds.worlds import Integers, Reals
from twoworlds.worlds.statistics import count

HALF = Interval(Fraction(1, 2), Fraction(5, 2))


@pytest.mark.parametrize(
    ("interval", "real", "whole"),
    [
        (Interval(), "any r", "any r"),
        (HALF, "1/2 <= r < 5/2", "1 <= r <= 2"),
        (Interval(Fraction(3), Fraction(4)), "3 <= r < 4", "r = 3"),
        (Interval(Fraction(3), None), "r >= 3", "r >= 3"),
        (Interval(None, Fraction(3)), "r < 3", "r <= 2"),
    ],
)
def test_intervals_are_said_briefly(interval, real, whole):
    assert interval.describe("r") == real
    assert interval.describe("r", whole=True) == whole
    assert interval.inner() in interval


def test_intervals_meet_where_both_hold():
    for a in (Interval(), HALF, Interval(None, Fraction(1)), Interval(Fraction(2), None)):
        for b in (HALF, Interval(Fraction(1), Fraction(2)), Interval(Fraction(3), None)):
            met = a.meet(b)
            for r in (Fraction(k, 4) for k in range(-4, 20)):
                assert (met is not None and r in met) == (r in a and r in b)


def test_boxes_say_only_what_they_ask_for():
    reals, whole = Transcripts(Reals(), 2), Transcripts(Integers(), 2)
    box = Boxes(((HALF, Interval()),))
    assert box.describe(reals) == "1/2 <= answer 1 < 5/2"
    assert box.describe(whole) == "1 <= answer 1 <= 2"
    assert Boxes(((Interval(), Interval()),)).describe(reals) == "any answers"
    assert Boxes(()).describe(reals) == "no output at all"
    many = Boxes(((HALF, HALF),) * 6)
    assert many.describe(whole).endswith("and 2 more cases")
    assert box.holds((Fraction(1), Fraction(9)))
    assert not box.holds((Fraction(3), Fraction(9)))


def test_transcripts_are_tuples_of_answers():
    whole = Transcripts(Integers(), 2)
    assert whole.find("(1; -2)") == (1, -2)
    assert whole.label((1, -2)) == "(1; -2)"
    assert whole.size is None
    assert (1, 2, 3) not in whole
    assert Transcripts(Reals(), 1).find("(1/2)") == (Fraction(1, 2),)
    for call in (lambda: list(whole), lambda: whole.around((1, 2), "substitute")):
        with pytest.raises(InvalidInput):
            call()
    with pytest.raises(InvalidInput, match="write the 2 answers"):
        whole.find("(1; x)")


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
