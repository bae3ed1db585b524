"""Extractors, codes and Definition 1: both clauses, the radius, and what happens beyond it."""

from fractions import Fraction

import pytest

from twoworlds.attacks.auxiliary import (
    Code,
    attack,
    code,
    extractor,
    fuzzy_extractor,
    independent_law,
    named_law,
    source,
)
from twoworlds.attacks.auxiliary.extractors import apply, patterns, read_polynomial
from twoworlds.errors import InvalidInput, TooLarge, UnknownName


def test_multiplication_by_a_seed_permutes_the_other_elements_of_the_field():
    ext = extractor("field", 4, 4)
    for seed in range(1, ext.seeds):
        assert sorted(ext.generate(w, seed)[0] for w in range(16)) == list(range(16))


@pytest.mark.parametrize("text", ["", "x^", "2x+1", "y", "x^999+1", "-1"])
def test_what_is_no_polynomial_is_refused(text):
    with pytest.raises(InvalidInput, match="not a polynomial"):
        read_polynomial(text, "polynomial")


SMALL = ["repetition(2)", "repetition(4)", "repetition(5)", "hamming(2)", "hamming(3)"]
CYCLIC = ["bch(7, 4)", "bch(15, 7)", "bch(15, 11)", "cyclic(7, x^4+x^3+x^2+1)", "cyclic(9, x+1)"]


def words(made):
    return [w for w in range(1 << made.length) if apply(made.checks, w) == 0]


@pytest.mark.parametrize("text", [*SMALL, *CYCLIC])
def test_the_distance_is_that_of_the_listed_codewords(text):
    made = code(text)
    listed = words(made)
    assert len(listed) == 1 << made.dimension
    assert made.distance == min(w.bit_count() for w in listed if w)
    assert made.lightest in listed
    assert made.lightest.bit_count() == made.distance


@pytest.mark.parametrize("text", [*SMALL, *CYCLIC])
def test_every_error_within_the_radius_is_found_and_no_other_is_claimed(text):
    made = code(text)
    for error in range(1 << min(made.length, 9)):
        found = made.leaders.get(apply(made.checks, error))
        if error.bit_count() <= made.radius:
            assert found == error
        else:
            assert found != error


@pytest.mark.parametrize("text", ["repetition(5)", "hamming(3)"])
def test_syndrome_and_information_bits_name_every_string(text):
    made = fuzzy_extractor(text, code(text).dimension)
    seen = {made.generate(w) for w in range(1 << made.bits)}
    assert len(seen) == 1 << made.bits


def test_a_cyclic_code_holds_the_multiples_of_its_generator_and_their_rotations():
    generator = 0b111010001  # x^8+x^7+x^6+x^4+1
    made = code(f"cyclic(15, {generator})")
    assert all(apply(made.checks, generator << i) == 0 for i in range(made.dimension))
    for word in words(made):
        rotated = (word << 1 | word >> 14) & 0x7FFF
        assert apply(made.checks, rotated) == 0


@pytest.mark.parametrize(
    ("text", "parameters"),
    [
        ("repetition(7)", (7, 1, 7, 3)),
        ("hamming(4)", (15, 11, 3, 1)),
        ("bch(7, 4)", (7, 4, 3, 1)),
        ("bch(7, 1)", (7, 1, 7, 3)),
        ("bch(15, 11)", (15, 11, 3, 1)),
        ("bch(15, 7)", (15, 7, 5, 2)),
        ("bch(15, 5)", (15, 5, 7, 3)),
        ("bch(15, 1)", (15, 1, 15, 7)),
    ],
)
def test_known_parameters(text, parameters):
    found = code(text)
    assert (found.length, found.dimension, found.distance, found.radius) == parameters


@pytest.mark.parametrize(
    ("text", "error", "said"),
    [
        ("golay(23)", UnknownName, "unknown code"),
        ("repetition(1)", InvalidInput, "at least 2"),
        ("repetition(200)", TooLarge, "2\\^200"),
        ("bch(14, 7)", InvalidInput, "2\\^m-1"),
        ("bch(15, 6)", InvalidInput, "11, 7, 5, 1"),
        ("cyclic(7, x^2+1)", InvalidInput, "must divide"),
        ("cyclic(7, y)", InvalidInput, "not a polynomial"),
        ("cyclic(7, x+x)", InvalidInput, "must divide"),
        ("hamming(9)", InvalidInput, "up to 4"),
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


NAMES = ["matrices", "field", "toeplitz"]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("bits", "ell"), [(3, 1), (3, 2), (2, 2)])
def test_two_strings_collide_with_the_chance_of_a_universal_hash(name, bits, ell):
    ext = extractor(name, bits, ell)
    assert ext.universal
    for first in range(1 << bits):
        for second in range(first):
            equal = sum(
                apply(ext.masks(s), first) == apply(ext.masks(s), second) for s in range(ext.seeds)
            )
            assert Fraction(equal, ext.seeds) <= Fraction(1, 1 << ell)


def test_toeplitz_matrices_are_constant_along_diagonals():
    ext = extractor("toeplitz", 4, 3)
    seen = set()
    for seed in range(ext.seeds):
        rows = [[mask >> 3 - j & 1 for j in range(4)] for mask in ext.masks(seed)]
        assert all(rows[i][j] == rows[i + 1][j + 1] for i in range(2) for j in range(3))
        seen.add(tuple(map(tuple, rows)))
    assert len(seen) == ext.seeds == 64


@pytest.mark.parametrize(
    ("name", "bits", "ell", "error", "said"),
    [
        ("sha", 4, 2, UnknownName, "unknown extractor"),
        ("matrices", 2, 3, InvalidInput, "at most 2"),
        ("inner-product", 4, 2, InvalidInput, "1 bit"),
        ("field(x^2+1)", 2, 2, InvalidInput, "irreducible"),
        ("field(x^4+x^2+1)", 4, 2, InvalidInput, "irreducible"),
        ("field(x^3+x+1)", 2, 2, InvalidInput, "degree 2"),
        ("matrices", 0, 1, InvalidInput, "at least 1"),
    ],
)
def test_extractors_that_do_not_exist_are_refused(name, bits, ell, error, said):
    with pytest.raises(error, match=said):
        extractor(name, bits, ell)


MENDING = ["repetition(5)", "repetition(4)", "hamming(3)", "cyclic(7, x^4+x^3+x^2+1)"]


def distance(pad, law):
    """Statistical distance of (r, p) from (uniform, p), by listing."""
    joint, public = {}, {}
    for w, chance in enumerate(law):
        for seed in range(pad.seeds):
            r, p = pad.generate(w, seed)
            share = Fraction(chance, pad.seeds)
            joint[r, p] = joint.get((r, p), 0) + share
            public[p] = public.get(p, 0) + share
    return (
        sum(
            abs(joint.get((r, p), 0) - chance / 2**pad.ell)
            for p, chance in public.items()
            for r in range(1 << pad.ell)
        )
        / 2
    )


@pytest.mark.parametrize("code", MENDING)
def test_second_clause_every_string_within_the_radius_gives_the_pad_back(code):
    pad = fuzzy_extractor(code, 1)
    for w in range(0, 1 << pad.bits, 3):
        r, p = pad.generate(w)
        for error in patterns(pad.bits, pad.code.radius):
            assert pad.reconstruct(w ^ error, p) == r


@pytest.mark.parametrize("code", [*MENDING, "bch(15, 7)"])
def test_beyond_the_radius_a_pair_fails(code):
    pad = fuzzy_extractor(code, 1 if "rep" in code else 3)
    assert pad.failing_pair(pad.code.radius) is None
    error, read = pad.failing_pair(pad.code.radius + 1)
    assert error.bit_count() == pad.code.radius + 1
    r, p = pad.generate(0)
    assert pad.reconstruct(error, p) == read != r


@pytest.mark.parametrize(
    ("code", "ell", "extract", "law"),
    [
        ("repetition(3)", 1, None, "iid(3/5)"),
        ("hamming(3)", 4, None, "iid(1/3)"),
        ("hamming(3)", 2, None, "weight(3)"),
        ("repetition(4)", 1, "inner-product", "weight(2)"),
        ("repetition(3)", 2, "field", "iid(1/4)"),
    ],
)
def test_first_clause_the_distance_is_that_of_listing(code, ell, extract, law):
    pad = fuzzy_extractor(code, ell, extract=extract)
    weights = source(law, pad.bits)
    assert attack(independent_law(weights, ell), pad).data["epsilon"] == distance(pad, weights)


def test_erratum_the_printed_conditions_force_a_constant_above_six():
    for text in ("repetition(5)", "hamming(3)", "hamming(4)", "bch(15, 7)", "bch(15, 5)"):
        pad = fuzzy_extractor(text, 1)
        law = named_law("uniform", 1, bits=pad.bits)
        found = attack(law, pad, sanitiser="errors(1)").data
        assert found["radius_holds"] == (found["radius"] >= 2)
        constant = Fraction(2 * found["bits"], found["radius"])  # the least c with 2 kappa/c <= t
        below = "is below a third" in found["radius_condition"]
        assert below == (constant > 6)


def test_a_pad_longer_than_what_the_syndrome_leaves_is_refused():
    with pytest.raises(InvalidInput, match="at most 4"):
        fuzzy_extractor("hamming(3)", 5)
