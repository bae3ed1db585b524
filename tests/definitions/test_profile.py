"""Privacy profiles: exact pieces that agree with delta everywhere, by brute force."""

from fractions import Fraction
from functools import partial
from itertools import pairwise

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import twoworlds as tw
from tests.laws import divergences
from tests.laws.losses import Names, compared
from twoworlds import DifferentialPrivacy
from twoworlds.answer import Table
from twoworlds.charts import Curves
from twoworlds.definitions.profile import Piece, enclosed, envelope
from twoworlds.errors import InvalidInput, Unsupported
from twoworlds.laws.comparison import between
from twoworlds.laws.composition import Composed
from twoworlds.laws.grid import Part
from twoworlds.laws.ratios import finite
from twoworlds.mechanisms import ProfileLine
from twoworlds.numbers import INFINITY, bounds, exp, number, sqrt
from twoworlds.testing import enumeration as brute
from twoworlds.testing.strategies import (
    dense_mechanisms,
    integer_noise_mechanisms,
    probabilities,
    ratios,
    universes,
)

COMMON = divergences.pairs(least=0, sizes=(2, 3))


def probes(pieces):
    """Every breakpoint, the middle of every piece, and beyond the last."""
    for piece in pieces:
        yield piece.start
        yield (piece.start + (piece.start + 2 if piece.end == INFINITY else piece.end)) / 2
    yield pieces[-1].start + 1000


def at(pieces, ratio):
    [value] = {p.p - ratio * p.q for p in pieces if p.start <= ratio <= p.end}
    return value


@given(st.data())
def test_the_pieces_are_delta_at_breakpoints_midpoints_and_beyond(data):
    universe, relation = data.draw(universes())
    group = data.draw(st.integers(1, 2))
    mechanism = data.draw(dense_mechanisms(universe))
    profile = DifferentialPrivacy(neighbours=relation, group=group).profile(mechanism)
    pairs = brute.pairs(universe, relation, group)
    for ratio in probes(profile.pieces):
        excess = brute.worst(mechanism, pairs, partial(brute.largest_excess, ratio=ratio))
        assert at(profile.pieces, ratio) == profile(ratio) == excess


@given(integer_noise_mechanisms())
def test_the_pieces_of_integer_noise_are_delta(mechanism):
    profile = DifferentialPrivacy().profile(mechanism)
    never_settles = "r=" in mechanism.expression and mechanism.universe.size is None
    if never_settles:
        with pytest.raises(Unsupported, match="infinitely many pieces"):
            profile.pieces  # noqa: B018
        return
    pieces = profile.pieces
    for ratio in probes(pieces):
        assert at(pieces, ratio) == profile(ratio)


@given(st.lists(st.tuples(probabilities(), probabilities()), max_size=6), ratios())
def test_the_envelope_is_the_largest_line(lines, ratio):
    pieces = envelope(ProfileLine(*line) for line in lines)
    assert at(pieces, ratio) == max([0, *(p - ratio * q for p, q in lines)])


def test_the_profile_of_a_survey_in_full():
    # delta(a) = 3/4 - a/4 from 1 to 3: Kasiviswanathan & Smith, Definition 1.2.
    survey = tw.mechanism("randomized-response(bits=40, keep=3/4)")
    profile = DifferentialPrivacy().profile(survey)
    assert profile.pieces == [
        Piece(1, 3, Fraction(3, 4), Fraction(1, 4)),
        Piece(3, INFINITY, Fraction(0), Fraction(0)),
    ]
    assert str(profile).splitlines() == [
        "delta(a) = 3/4 - 1/4 a   for 1 <= a <= 3",
        "delta(a) = 0             for a >= 3",
    ]


# --- between two ends -----------------------------------------------------------------------------


def assert_encloses(ends, ratios, delta):
    """Both ends hold delta, which is a number or two bounds, at every ratio."""
    for ratio in ratios:
        low, high = ends.at(ratio)
        least, most = bounds(delta(ratio))
        assert low <= most
        assert least <= high
        assert high - low <= ends.apart


def between_corners(ends):
    """Every corner, the middle of neighbouring ones, and beyond the last."""
    corners = [ratio for ratio, _, _ in ends.corners()]
    return [*corners, *((a + b) / 2 for a, b in pairwise(corners)), 2 * corners[-1]]


@given(st.lists(st.lists(st.integers(0, 9), min_size=4, max_size=4), min_size=2, max_size=4))
def test_the_ends_of_tables_enclose_the_exact_pieces(rows):
    laws = [{o: Fraction(w + 1, sum(row) + 4) for o, w in enumerate(row)} for row in rows]
    tables = [between(one, two) for one in laws for two in laws if one is not two]
    exact = envelope(line for table in tables for line in table.lines())
    assert_encloses(
        enclosed(tables), between_corners(enclosed(tables)), lambda ratio: at(exact, ratio)
    )


@pytest.mark.parametrize("loss", ["1/100", "1", "5"])
def test_the_ends_of_laplace_noise_enclose_its_closed_form(loss):
    profile = DifferentialPrivacy().profile(tw.mechanism(f"laplace(epsilon={loss})"))
    top = exp(Fraction(loss))
    ends = profile.ends
    assert_encloses(
        ends,
        between_corners(ends),
        lambda a: 1 - sqrt(a / top) if top > a else Fraction(0),
    )
    assert ends.share(Fraction(1, 10**6)) < Fraction(1, 50)
    assert "sqrt" in profile.formula


@pytest.mark.parametrize(
    "text",
    [
        "gaussian(sigma=1)",
        "skellam(l1=1, l2=2)",
        "discrete-gaussian(sigma=2)",
        "poisson-sample(gaussian(sigma=1), rate=1/10)",
        "shuffle(randomized-response(bits=200, keep=3/4))",
        "compose(laplace(epsilon=1), randomized-response(bits=1, keep=3/4))",
        "compose(laplace(epsilon=1/2), times=3)",
    ],
)
def test_the_ends_of_infinitely_many_pieces_enclose_delta(text):
    profile = DifferentialPrivacy().profile(tw.mechanism(text))
    with pytest.raises(Unsupported, match="infinitely many pieces"):
        profile.pieces  # noqa: B018
    ratios = between_corners(profile.ends)[::11]
    assert_encloses(profile.ends, [*ratios, 10**6], profile)


@given(COMMON, st.integers(2, 5))
@settings(max_examples=10)
def test_the_ends_of_a_composition_enclose_its_exact_pieces(laws, times):
    part = Part(compared(*laws), times)
    exact = finite([part], Names(), "x", "y")
    assume(exact is not None)
    pieces = envelope(exact.lines())
    ends = enclosed([Composed("x", "y", (part,), Names())])
    assert_encloses(ends, between_corners(ends)[::3], lambda ratio: at(pieces, ratio))


def test_a_curve_between_two_ends_says_so_everywhere():
    profile = DifferentialPrivacy().profile(tw.mechanism("laplace(epsilon=1)"))
    [low, *_], [high, *_] = profile.ends.lower, profile.ends.upper
    assert low.start == high.start == 1
    told, columns = profile.to_dict(), profile.to_columns()
    assert len(told["lower"]) == len(profile.ends.lower)
    assert [*columns] == ["ratio", "epsilon", "delta_at_least", "delta_at_most"]
    assert all(
        a <= b for a, b in zip(*(columns[name].cells for name in [*columns][2:]), strict=True)
    )
    assert "delta at least" in str(profile)
    [drawn] = [block for block in profile.answer().blocks if isinstance(block, Curves)]
    assert [line.name for line in drawn.lines] == [
        "the smallest delta that holds, from above",
        "from below",
    ]


@pytest.mark.parametrize("loss", ["1/2", "1", "ln 3", "5"])
def test_the_delta_of_laplace_noise_is_0_at_the_largest_ratio_and_said_to_be(loss):
    profile = DifferentialPrivacy().profile(tw.mechanism(f"laplace(epsilon={loss})"))
    top = exp(number(loss))
    assert profile.ends.upper[-1] == (top, INFINITY, 0, 0)
    assert profile.ends.at(top) == (0, 0)
    [table] = [block for block in profile.answer().blocks if isinstance(block, Table)]
    assert table.rows[-1][2:] == ("0", "0")
    assert "it is 0 from ratio" in profile.answer().headline
    shown = [f"{x:.6f}" for x in profile.to_columns()["epsilon"].cells]
    assert len({*shown}) == len(shown)


def test_a_single_delta_is_refused_below_ratio_one():
    profile = DifferentialPrivacy().profile(tw.mechanism("gaussian(sigma=1)"))
    with pytest.raises(InvalidInput, match="must be at least 1"):
        profile("1/2")


def test_noise_that_moves_nothing_has_no_delta_anywhere():
    law = {0: Fraction(1)}
    ends = enclosed([between(law, law)])
    assert ends.upper == [Piece(1, INFINITY, 0, 0)]
    assert ends.apart == 0
