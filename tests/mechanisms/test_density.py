"""Noise with a density on a count of bits is the bare noise around the count."""

from fractions import Fraction

import pytest

from twoworlds import measure, mechanism
from twoworlds.errors import InvalidInput
from twoworlds.mechanisms import AtLeast
from twoworlds.numbers import bounds
from twoworlds.worlds import BitStrings, Reals

PAIRS = [
    ("gaussian(sigma2=3)", "gaussian(sigma2=3, bits=4)"),
    ("laplace(scale=2)", "laplace(scale=2, bits=4)"),
    ("laplace(rate=ln 3)", "laplace(ratio=3, bits=4)"),
]


@pytest.mark.parametrize(("bare", "counted"), PAIRS)
def test_a_count_of_bits_costs_what_the_bare_noise_costs(bare, counted):
    a, b = measure(bare), measure(counted)
    assert a.ratio == b.ratio
    assert b.witness.verify()
    assert b.witness.output is None
    for ratio in (1, 2):
        assert bounds(measure(bare, ratio=ratio).delta) == bounds(
            measure(counted, ratio=ratio).delta
        )
    assert bounds(measure(bare, delta="1/10").ratio) == bounds(measure(counted, delta="1/10").ratio)


@pytest.mark.parametrize(("bare", "counted"), PAIRS)
def test_densities_and_masses_are_those_around_the_count(bare, counted):
    noise, noisy = mechanism(bare), mechanism(counted)
    assert (noisy.universe, noisy.outputs) == (BitStrings(4), Reals())
    half = Fraction(1, 2)
    assert bounds(noisy.probability(half, (1, 0, 1, 1))) == bounds(noise.probability(half, 3))
    event = AtLeast(Fraction(5))
    assert bounds(noisy.mass(event, (1, 1, 1, 1))) == bounds(noise.mass(event, 4))


def test_groups_add_up_and_errors_are_those_of_the_noise():
    from twoworlds.mechanisms.accuracy import errors_of

    assert measure("laplace(scale=2, bits=4)", group=3).epsilon == Fraction(3, 2)
    for bare, counted in PAIRS:
        first, second = (errors_of(mechanism(text)) for text in (bare, counted))
        assert [bounds(b.exact) for b in first] == [bounds(b.exact) for b in second]


def test_a_count_has_sensitivity_one():
    with pytest.raises(InvalidInput, match="sensitivity 1"):
        mechanism("gaussian(sigma=1, sensitivity=2, bits=4)")
    with pytest.raises(InvalidInput, match="bits"):
        mechanism("laplace(scale=1, bits=0)")
