"""D7: how good a strong extractor can be, and min-entropy."""

from fractions import Fraction
from itertools import combinations, product

import pytest

from twoworlds.attacks.auxiliary import least_distance, min_entropy, search_extractors, sized_source
from twoworlds.errors import InvalidInput, TooLarge


def test_erratum_min_entropy_one_of_two_bits_leaves_a_sixth_for_every_extractor():
    found = least_distance(2, 1, 1)
    assert found.distance == Fraction(1, 6)
    assert found.verify()
    # The proof: each of the 16 functions is at least 1/6 off on average over the 6 sources.
    pairs = list(combinations(range(4), 2))
    means = [
        Fraction(sum(f[a] == f[b] for a, b in pairs), 2 * len(pairs))
        for f in product((0, 1), repeat=4)
    ]
    assert min(means) == Fraction(1, 6)


def test_erratum_no_extractor_with_up_to_four_seeds_does_better():
    found = [search_extractors(seeds) for seeds in (1, 2, 3, 4)]
    assert [one.distance for one in found] == [Fraction(1, n) for n in (2, 4, 6, 4)]
    assert [one.tried for one in found] == [16, 136, 816, 3876]
    assert all(one.sources == 6 and one.functions == 16 for one in found)
    assert "816 ways" in found[2].explain()


@pytest.mark.parametrize(("ell", "entropy"), [(1, 1), (1, 2), (1, 3), (2, 2), (2, 1), (1, 0)])
def test_the_least_distance_is_that_of_the_best_function_on_average(ell, entropy):
    found = least_distance(3 if ell == 1 else 2, ell, entropy)
    outputs, count, chosen = 1 << ell, 1 << found.bits, 1 << entropy
    subsets = list(combinations(range(count), chosen))

    def off(f, s):
        counts = [sum(f[w] == i for w in s) for i in range(outputs)]
        return sum(abs(Fraction(c, chosen) - Fraction(1, outputs)) for c in counts) / 2

    best = min(
        sum(off(f, s) for s in subsets) / len(subsets)
        for f in product(range(outputs), repeat=count)
    )
    assert found.distance == best
    assert found.verify()


def test_more_min_entropy_helps_and_all_of_it_is_enough():
    distances = [least_distance(5, 2, m).distance for m in range(6)]
    assert distances == sorted(distances, reverse=True)
    assert distances[-1] == 0
    assert distances[0] == Fraction(3, 4)


@pytest.mark.parametrize(
    ("text", "expected"),
    [("binomial(8)", 1.87071698305503), ("uniform", 4.0), ("even-weight", 3.0)],
)
def test_reference_dw_19_min_entropies(text, expected):
    bits, law = sized_source(text)
    assert bits == 4
    assert abs(float(min_entropy(max(law))) - expected) < 1e-12


def test_min_entropy_is_exact_for_powers_of_two():
    assert min_entropy(Fraction(1, 32)) == Fraction(5)
    assert min_entropy(Fraction(1)) == 0


@pytest.mark.parametrize(
    ("make", "error", "said"),
    [
        (lambda: least_distance(8, 1, 1), TooLarge, "up to 7"),
        (lambda: least_distance(2, 1, 3), InvalidInput, "at most 2"),
        (lambda: least_distance(2, 3, 1), InvalidInput, "at most 2"),
        (lambda: search_extractors(9), TooLarge, "least_distance"),
        (lambda: search_extractors(1, bits=6), TooLarge, "least_distance"),
        (lambda: search_extractors(0), InvalidInput, "seeds"),
        (lambda: min_entropy(Fraction(0)), InvalidInput, "largest probability"),
    ],
)
def test_what_does_not_fit_is_refused(make, error, said):
    with pytest.raises(error, match=said):
        make()
