"""Privacy profiles: exact pieces that agree with delta everywhere, by brute force."""

from fractions import Fraction
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

import twoworlds as tw
from twoworlds import DifferentialPrivacy
from twoworlds.definitions.profile import Piece, envelope
from twoworlds.errors import InvalidInput, Unsupported
from twoworlds.mechanisms import ProfileLine
from twoworlds.numbers import INFINITY
from twoworlds.testing import enumeration as brute
from twoworlds.testing.strategies import (
    dense_mechanisms,
    integer_noise_mechanisms,
    probabilities,
    ratios,
    universes,
)


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


@pytest.mark.parametrize("text", ["skellam(l1=1, l2=1)", "gaussian(sigma=1)", "laplace(scale=1)"])
def test_infinitely_many_pieces_are_refused_but_single_deltas_are_given(text):
    profile = DifferentialPrivacy().profile(tw.mechanism(text))
    with pytest.raises(Unsupported, match="infinitely many pieces"):
        profile.pieces  # noqa: B018
    assert 0 < profile(1) < 1
    with pytest.raises(InvalidInput, match="must be at least 1"):
        profile("1/2")
