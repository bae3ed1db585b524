"""What is seen of the utility vector, against listing; and sums of independent strings."""

from fractions import Fraction

import numpy as np
import pytest

from twoworlds.attacks.auxiliary import sanitiser, source
from twoworlds.attacks.auxiliary.bits import (
    apply,
    grouped,
    images,
    independent,
    integers,
    rank,
    read_bits,
    xor_sum,
)
from twoworlds.attacks.auxiliary.sanitisers import through
from twoworlds.errors import InvalidInput, TooLarge


@pytest.mark.parametrize("text", ["exact", "errors(1)", "errors(3)", "flips(1/5)", "flips(0)"])
def test_the_law_of_what_is_seen_and_of_differences_is_that_of_listing(text):
    view = sanitiser(text, 3)
    weights, total = integers(source("iid(1/3)", 3))
    noise = [Fraction(int(x), view.total) for x in view.noise[0]]
    assert sum(noise) == 1
    seen = [sum(weights[w] * noise[w ^ v] for w in range(8)) for v in range(8)]
    assert [Fraction(int(x), view.total) for x in view.seen(weights)] == seen
    differences = [sum(noise[a] * noise[a ^ d] for a in range(8)) * total for d in range(8)]
    found = view.differences(weights)
    assert [Fraction(int(x), view.total**2) for x in found] == differences


def test_flips_are_randomized_response():
    flips, response = sanitiser("flips(1/4)", 2), through("randomized-response(bits=2, keep=3/4)")
    assert flips.noise.tolist() == response.noise.tolist()
    assert (flips.total, flips.reach) == (response.total, response.reach)


def test_sums_beyond_machine_words_are_exact():
    big = np.array([3**50, 5**30, 7**20, 1], dtype=object)
    found = xor_sum(big, big)
    assert found.tolist() == [sum(big[a] * big[a ^ d] for a in range(4)) for d in range(4)]


def test_linear_maps_and_ranks():
    masks = (0b1101, 0b0110)
    assert images(masks, 4).tolist() == [apply(masks, w) for w in range(16)]
    assert rank([0b1101, 0b0110, 0b1011]) == 2
    assert independent([8, 4, 2, 1], of=masks) == [8, 4]
    assert grouped(np.array([1, 1, 0]), np.array([2**40, 1, 5], dtype=object), 2).tolist() == [
        5,
        2**40 + 1,
    ]


@pytest.mark.parametrize(
    ("text", "bits", "error", "said"),
    [
        ("errors(4)", 3, InvalidInput, "only 3"),
        ("errors", 3, InvalidInput, "write exact"),
        ("flips(2)", 3, InvalidInput, "between 0 and 1"),
        ("exact(1)", 3, InvalidInput, "write exact"),
        ("errors(1)", 30, TooLarge, "2\\^30"),
        ("laplace(epsilon=1)", 3, InvalidInput, "strings of bits"),
        ("randomized-response(bits=9, keep=3/4)", 9, TooLarge, "flips"),
        ("truncated-geometric(ratio=2, bits=2)", 2, InvalidInput, "no string of 2 bits"),
    ],
)
def test_what_shows_no_bits_is_refused(text, bits, error, said):
    with pytest.raises(error, match=said):
        sanitiser(text, bits)


@pytest.mark.parametrize("text", ["", "012", 3, None])
def test_what_is_no_string_of_bits_is_refused(text):
    with pytest.raises(InvalidInput, match="string of bits"):
        read_bits(text, "utility")
