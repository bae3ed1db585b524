"""Extractors: linear, and universal where they say so."""

from fractions import Fraction

import pytest

from twoworlds.attacks.auxiliary import extractor
from twoworlds.errors import InvalidInput, UnknownName

NAMES = ["matrices", "matrices(offset=yes)", "field", "toeplitz"]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("bits", "ell"), [(3, 1), (3, 2), (2, 2)])
def test_two_strings_collide_with_the_chance_of_a_universal_hash(name, bits, ell):
    ext = extractor(name, bits, ell)
    assert ext.universal
    for first in range(1 << bits):
        for second in range(first):
            equal = sum(ext(s, first) == ext(s, second) for s in range(ext.seeds))
            assert Fraction(equal, ext.seeds) <= Fraction(1, 1 << ell)


@pytest.mark.parametrize("name", [*NAMES, "identity"])
def test_each_seed_is_linear_up_to_its_offset(name):
    ext = extractor(name, 3, 2)
    for seed in range(ext.seeds):
        zero = ext(seed, 0)
        for a in range(8):
            for b in range(8):
                assert ext(seed, a ^ b) ^ zero == ext(seed, a) ^ ext(seed, b)


def test_inner_products_are_parities():
    ext = extractor("inner-product", 4, 1)
    assert [ext(s, w) for s in range(16) for w in range(16)] == [
        bin(s & w).count("1") % 2 for s in range(16) for w in range(16)
    ]


def test_toeplitz_matrices_are_constant_along_diagonals():
    ext = extractor("toeplitz", 4, 3)
    seen = set()
    for seed in range(ext.seeds):
        rows = [[mask >> 3 - j & 1 for j in range(4)] for mask in ext.masks(seed)]
        assert all(rows[i][j] == rows[i + 1][j + 1] for i in range(2) for j in range(3))
        seen.add(tuple(map(tuple, rows)))
    assert len(seen) == ext.seeds == 64


def test_the_identity_is_not_universal_and_keeps_the_first_bits():
    ext = extractor("identity", 4, 2)
    assert not ext.universal
    assert [ext(0, w) for w in range(16)] == [w >> 2 for w in range(16)]


@pytest.mark.parametrize(
    ("name", "bits", "ell", "error", "said"),
    [
        ("sha", 4, 2, UnknownName, "unknown extractor"),
        ("matrices", 2, 3, InvalidInput, "at most 2"),
        ("inner-product", 4, 2, InvalidInput, "1 bit"),
        ("field(x^2+1)", 2, 2, InvalidInput, "irreducible"),
        ("field(x^3+x+1)", 2, 2, InvalidInput, "degree 2"),
        ("matrices(offset=maybe)", 2, 2, InvalidInput, "yes or no"),
        ("matrices", 0, 1, InvalidInput, "at least 1"),
    ],
)
def test_extractors_that_do_not_exist_are_refused(name, bits, ell, error, said):
    with pytest.raises(error, match=said):
        extractor(name, bits, ell)
