"""f-differential privacy: every test by brute force, curves that are none, and the way back."""

from fractions import Fraction
from itertools import combinations, pairwise

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import twoworlds as tw
from twoworlds.definitions.trade_off_privacy import (
    TradeOffPrivacy,
    lowered,
    read_corners,
    said,
    written,
)
from twoworlds.definitions.words import Subject
from twoworlds.errors import InvalidInput
from twoworlds.testing import enumeration as brute
from twoworlds.testing.strategies import dense_mechanisms, universes

SURVEY = "randomized-response(bits=2, keep=3/4)"


def value_at(corners, level):
    """Return f(z), straight between the corners, and 0 after the last one."""
    for (x, f), (after, g) in pairwise(corners):
        if level <= after:
            return f + (g - f) * (level - x) / (after - x)
    return Fraction(0)


@st.composite
def curves(draw):
    """The lower hull of some points below the line of guessing."""
    listed = draw(
        st.lists(
            st.tuples(st.integers(1, 11), st.integers(0, 11)), max_size=4, unique_by=lambda c: c[0]
        )
    )
    start = Fraction(draw(st.integers(1, 12)), 12)
    points = [(Fraction(0), start)]
    points += sorted((Fraction(x, 12), Fraction(f, 12)) for x, f in listed if x + f <= 12)
    points.append((Fraction(1), Fraction(0)))
    hull = []
    for x, f in points:
        while len(hull) > 1 and (hull[-1][1] - hull[-2][1]) * (x - hull[-2][0]) >= (
            f - hull[-2][1]
        ) * (hull[-1][0] - hull[-2][0]):
            hull.pop()
        hull.append((x, f))
    assume(all(g <= f for (_, f), (_, g) in pairwise(hull)))
    return hull


def shortfall(p, q, corners):
    """The largest f(z) - misses over all events, and over coins between two at corners of f."""
    cells, tests = range(len(p)), []
    for size in range(len(p) + 1):
        for event in combinations(cells, size):
            tests.append(tuple(sum((law[i] for i in event), Fraction(0)) for law in (q, p)))
    worst = max(value_at(corners, q) - (1 - p) for q, p in tests)
    for x, f in corners:  # the best power at this level, by a coin between two events
        for q1, p1 in tests:
            for q2, p2 in tests:
                if q1 <= x <= q2 and q1 < q2:
                    power = p1 + (p2 - p1) * (x - q1) / (q2 - q1)
                    worst = max(worst, f - (1 - power))
    return max(Fraction(0), worst)


@given(st.data(), curves())
def test_the_claim_is_about_every_test_of_any_neighbours(data, corners):
    universe, relation = data.draw(universes())
    mechanism = data.draw(dense_mechanisms(universe, most_outputs=3))
    curve = TradeOffPrivacy(points=corners, neighbours=relation)
    wanted = max(
        shortfall(brute.column(mechanism, x), brute.column(mechanism, y), curve.points)
        for x, y in brute.pairs(universe, relation, 1)
    )
    assert curve.tightest(mechanism).shortfall == wanted
    assert curve.check(mechanism).holds == (wanted == 0)
    if wanted:
        kept = TradeOffPrivacy(points=lowered(curve.points, wanted), neighbours=relation)
        assert kept.check(mechanism).holds


@given(curves(), st.fractions(0, 1, max_denominator=12), st.fractions(0, 1, max_denominator=24))
def test_a_lowered_curve_is_the_curve_less_a_number_and_never_below_zero(corners, by, level):
    curve = read_corners(corners)
    found = lowered(curve, by)
    assert value_at(found, level) == max(Fraction(0), value_at(curve, level) - by)
    assert read_corners(written(found)) == found


@pytest.mark.parametrize(
    ("text", "corners", "holds"),
    [
        (SURVEY, "0:1, 1/4:1/4, 1:0", True),
        (SURVEY, "0:1, 1/4:26/100, 1:0", False),
        ("constant(bits=2)", "0:1, 1:0", True),
        ("identity(bits=2)", "0:0, 1:0", True),
        ("random-index(records=4, values=3)", "0:3/4, 1:0", False),
        ("random-index(records=4, values=3)", "0:3/4, 3/4:0", True),
        ("gaussian(sigma=1)", "0:9/10, 1/4:0", True),
        ("laplace(epsilon=1)", "0:1, 1/4:1/3, 1:0", False),
        ("compose(laplace(epsilon=1/10), times=10)", "0:19/20, 1/4:2/5, 3/4:0", True),
    ],
)
def test_known_curves(text, corners, holds):
    assert tw.check(text, f"f-dp('{corners}')").holds is holds


def test_pure_differential_privacy_is_the_polygon_with_one_corner():
    """Between dp(ratio=r) and the corner with both errors 1 / (1 + r), the claims agree."""
    for keep in ("3/4", "2/3", "4/5"):
        survey = f"randomized-response(bits=2, keep={keep})"
        other = 1 - Fraction(keep)
        exact = f"f-dp('0:1, {other}:{other}, 1:0')"
        more = f"f-dp('0:1, {other}:{other + Fraction(1, 100)}, 1:0')"
        assert tw.check(survey, exact).holds
        assert tw.check(survey, more).holds is False


def test_a_refuted_claim_is_lowered_until_it_holds():
    verdict = tw.check("gaussian(sigma=2)", "f-dp('0:1, 1/4:1/2, 1:0')")
    assert verdict.holds is False
    claim = verdict.notes[-1].partition(": ")[2]
    assert claim.startswith("f-dp('0:")
    assert tw.check("gaussian(sigma=2)", claim).holds


def test_an_edge_flatter_than_guessing_is_a_claim_about_complements():
    """The last edge falls by 5/7 only; its test raises the alarm on the complement of an event."""
    verdict = tw.check(SURVEY, "f-dp('0:1, 1/8:5/8, 1:0')")
    assert verdict.holds is False
    told = verdict.sentence
    assert "false alarms in 25% of the cases misses the truth in only 25% of them" in told


@pytest.mark.parametrize(
    ("points", "message"),
    [
        ("0:1", "has from 2 to 1024 corners"),
        ("0:1, 1:0, 2", "'2' is not a corner"),
        ("0:1, x:0", "not a number"),
        ("0:1, 1:2", "is not a probability"),
        ("1/4:1/2, 1:0", "it must begin with 0"),
        ("0:1, 1/4:1/2", "it must end with 0: add 1:0"),
        ("0:1, 1/2:3/4, 1:0", "asks for more misses than 1/2, which guessing has"),
        ("0:1/2, 1/2:1/4, 1/4:1/8, 1:0", "list the corners from left to right"),
        ("0:1/4, 1/2:1/2, 1:0", "misses must not"),
        ("0:1/2, 1/4:1/2, 1:0", "bends the wrong way at 1/4:1/2"),
        (5, "has from 2 to 1024 corners"),
    ],
)
def test_rejects_what_is_no_curve_and_says_the_rule(points, message):
    with pytest.raises(InvalidInput, match=message):
        TradeOffPrivacy(points=points)


def test_a_curve_is_needed_and_tradeoff_shows_the_exact_one():
    for ask in (lambda: tw.measure(SURVEY, definition="f-dp"), lambda: tw.check(SURVEY, "f-dp")):
        with pytest.raises(InvalidInput, match="is what tradeoff shows"):
            ask()


def test_corners_may_be_listed_and_needless_ones_are_dropped():
    given_ = tw.definition("f-dp([0:1, 1/8:3/4, 1/4:1/2, 1:0])")
    assert given_ == TradeOffPrivacy(points="0:1, 1/4:1/2, 1:0")
    assert given_ == TradeOffPrivacy(points=[(0, 1), ("1/4", "1/2"), (1, 0)])


def test_the_sentence_says_each_corner():
    one = Subject.of(1)
    assert (
        said(one, read_corners("0:1, 1:0")) == "No test about your record is better than guessing."
    )
    assert "promises nothing" in said(one, read_corners("0:0, 1:0"))
    told = said(one, read_corners("0:9/10, 1/10:1/2, 1:0"))
    assert told == (
        "A test about your record misses the truth in at least 90% of the cases if it gives no "
        "false alarm, in at least 50% of the cases if it gives a false alarm in at most 10% of "
        "them."
    )
