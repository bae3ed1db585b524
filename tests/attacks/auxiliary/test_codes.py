"""Codes: parameters, decoding, weights, against listing all codewords."""

from itertools import product

import pytest

from twoworlds.attacks.auxiliary import bch, code, cyclic, hamming, repetition
from twoworlds.attacks.auxiliary.codes import Code, patterns
from twoworlds.attacks.auxiliary.fields import divided
from twoworlds.errors import InvalidInput, TooLarge, UnknownName

SMALL = ["repetition(2)", "repetition(4)", "repetition(5)", "hamming(2)", "hamming(3)"]
CYCLIC = ["bch(7, 4)", "bch(15, 7)", "bch(15, 11)", "cyclic(7, x^4+x^3+x^2+1)", "cyclic(9, x+1)"]


def words(made):
    return [w for w in range(1 << made.length) if made.syndrome(w) == 0]


@pytest.mark.parametrize("text", [*SMALL, *CYCLIC])
def test_distance_weights_and_basis_are_those_of_the_listed_codewords(text):
    made = code(text)
    listed = words(made)
    assert len(listed) == 1 << made.dimension
    counts = [sum(w.bit_count() == i for w in listed) for i in range(made.length + 1)]
    assert made.weights == tuple(counts)
    assert made.distance == min(w.bit_count() for w in listed if w)
    assert made.lightest() in listed
    assert made.lightest().bit_count() == made.distance
    sums = set()
    for chosen in product((0, 1), repeat=made.dimension):
        total = 0
        for take, word in zip(chosen, made.basis, strict=True):
            total ^= word * take
        sums.add(total)
    assert sums == set(listed)


@pytest.mark.parametrize("text", [*SMALL, *CYCLIC])
def test_every_error_within_the_radius_is_found_and_no_other_is_claimed(text):
    made = code(text)
    for error in range(1 << min(made.length, 9)):
        found = made.error(made.syndrome(error))
        if error.bit_count() <= made.radius:
            assert found == error
        else:
            assert found != error


@pytest.mark.parametrize("text", ["repetition(5)", "hamming(3)", "bch(15, 7)"])
def test_syndrome_and_information_bits_name_every_string(text):
    made = code(text)
    seen = {
        (made.syndrome(w), tuple(bool(w & mask) for mask in made.information))
        for w in range(1 << made.length)
    }
    assert len(seen) == 1 << made.length


def test_a_cyclic_code_holds_the_multiples_of_its_generator_and_their_rotations():
    generator = 0b111010001  # x^8+x^7+x^6+x^4+1
    made = cyclic(15, generator)
    for word in words(made):
        assert divided(word, generator)[1] == 0
        rotated = (word << 1 | word >> 14) & 0x7FFF
        assert made.syndrome(rotated) == 0


@pytest.mark.parametrize(
    ("made", "parameters"),
    [
        (lambda: repetition(7), (7, 1, 7, 3)),
        (lambda: hamming(4), (15, 11, 3, 1)),
        (lambda: bch(15, 7), (15, 7, 5, 2)),
        (lambda: bch(15, 5), (15, 5, 7, 3)),
        (lambda: bch(31, 21), (31, 21, 5, 2)),
        (lambda: bch(31, 16), (31, 16, 7, 3)),
        (lambda: bch(63, 51), (63, 51, 5, 2)),
        (lambda: cyclic(23, "x^11+x^9+x^7+x^6+x^5+x+1"), (23, 12, 7, 3)),
    ],
)
def test_known_parameters(made, parameters):
    found = made()
    assert (found.length, found.dimension, found.distance, found.radius) == parameters


def test_patterns_come_lightest_first():
    found = list(patterns(6, 3))
    assert len(found) == len(set(found)) == 1 + 6 + 15 + 20
    assert [e.bit_count() for e in found] == sorted(e.bit_count() for e in found)


@pytest.mark.parametrize(
    ("text", "error", "said"),
    [
        ("golay(23)", UnknownName, "unknown code"),
        ("repetition(1)", InvalidInput, "at least 2"),
        ("repetition(200)", TooLarge, "at most 127"),
        ("bch(14, 7)", InvalidInput, "2\\^m-1"),
        ("bch(15, 6)", InvalidInput, "11, 7, 5, 1"),
        ("cyclic(7, x^2+1)", InvalidInput, "must divide"),
        ("cyclic(7, y)", InvalidInput, "no polynomial"),
        ("hamming(9)", TooLarge, "at most 127"),
    ],
)
def test_codes_that_do_not_exist_are_refused(text, error, said):
    with pytest.raises(error, match=said):
        code(text)


def test_dependent_checks_are_refused():
    with pytest.raises(InvalidInput, match="depend on each other"):
        Code(3, (0b110, 0b011, 0b101), "mine")
    with pytest.raises(InvalidInput, match="3 bits"):
        Code(3, (0b1110,), "mine")


def test_a_code_too_large_to_know_is_refused():
    with pytest.raises(TooLarge, match="least distance"):
        _ = bch(127, 64).distance
