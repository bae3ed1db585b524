"""Ranges of answers and boxes of transcripts: what they hold, and what they say."""

from fractions import Fraction
from itertools import product

from twoworlds.mechanisms.strategy.boxes import Boxes, HalfOpen
from twoworlds.worlds import Integers, Product


def test_half_open_ranges_meet_and_hold_what_both_hold():
    parts = [HalfOpen(), HalfOpen(Fraction(1)), HalfOpen(None, Fraction(3)), HalfOpen(1, 2)]
    grid = [Fraction(k, 2) for k in range(9)]
    for one, other in product(parts, repeat=2):
        met = one.meet(other)
        for x in grid:
            assert (met is not None and x in met) == (x in one and x in other)
        assert met is None or met.inner() in met
    assert HalfOpen(Fraction(2)).meet(HalfOpen(None, Fraction(2))) is None
    whole = [HalfOpen(1, 2), HalfOpen(Fraction(1, 2), 4), HalfOpen(None, 2), HalfOpen(2)]
    said = [one.describe(Integers()) for one in whole]
    assert said == ["output = 1", "1 <= output <= 3", "output <= 1", "output >= 2"]


def test_boxes_hold_tuples_and_say_a_few_of_them():
    outputs = Product((Integers(), Integers()))
    boxes = Boxes(tuple((HalfOpen(k, k + 1), HalfOpen()) for k in range(6)))
    assert boxes.holds((3, 99))
    assert not boxes.holds((6, 0))
    assert boxes.describe(outputs).startswith("(answer 1 = 0) or (answer 1 = 1)")
    assert boxes.describe(outputs).endswith("and 2 more cases")
    assert Boxes(()).describe(outputs) == "no output at all"
