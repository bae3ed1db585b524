"""Definition 1: both clauses, the radius, and what happens beyond it."""

import random
from fractions import Fraction
from itertools import combinations

import pytest

from twoworlds.attacks.auxiliary import (
    FuzzyExtractor,
    extractor,
    fuzzy_extractor,
    radius_condition,
    source,
)
from twoworlds.attacks.auxiliary.codes import patterns
from twoworlds.attacks.auxiliary.fuzzy import forced_constant
from twoworlds.errors import InvalidInput, TooLarge, Unsupported

CODES = ["repetition(5)", "repetition(4)", "hamming(3)", "cyclic(7, x^4+x^3+x^2+1)"]


def distance(pad, law):
    """Statistical distance of (r, p) from (uniform, p), by listing."""
    joint, public = {}, {}
    for w, chance in enumerate(law):
        for seed in range(pad.extract.seeds):
            r, p = pad.generate(w, seed)
            share = Fraction(chance, pad.extract.seeds)
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


@pytest.mark.parametrize("code", CODES)
def test_second_clause_every_string_within_the_radius_gives_the_pad_back(code):
    pad = fuzzy_extractor(code, 1)
    for w in range(0, 1 << pad.bits, 3):
        r, p = pad.generate(w)
        for error in patterns(pad.bits, pad.radius):
            assert pad.reconstruct(w ^ error, p) == r


@pytest.mark.parametrize("code", [*CODES, "bch(15, 7)"])
def test_beyond_the_radius_a_pair_fails(code):
    pad = fuzzy_extractor(code, 1 if "rep" in code else 3)
    assert pad.failing_pair(pad.radius) is None
    pair = pad.failing_pair(pad.radius + 1)
    assert pair.distance == pad.radius + 1
    assert pair.verify()
    assert "read back" in pair.explain()
    assert pair.to_dict()["distance"] == pad.radius + 1


def test_without_a_code_one_error_is_too_many():
    pad = FuzzyExtractor(extractor("inner-product", 3, 1))
    assert pad.radius == 0
    assert pad.failing_pair(1).verify()


def test_an_even_repetition_code_gives_up_where_two_strings_are_equally_near():
    pad = fuzzy_extractor("repetition(4)", 1)
    _, public = pad.generate(0)
    assert pad.reconstruct(0b0011, public) is None


@pytest.mark.parametrize("code", ["hamming(3)", "bch(15, 7)", "bch(31, 21)", "repetition(9)"])
def test_random_strings_and_errors_are_mended(code):
    pad = fuzzy_extractor(code, 1)
    assert pad.verify(seed=3)
    assert not pad.verify(pad.radius + 2, tries=400)


@pytest.mark.parametrize(
    ("code", "ell", "extract", "law"),
    [
        ("repetition(3)", 1, None, "iid(3/5)"),
        ("hamming(3)", 4, None, "iid(1/3)"),
        ("hamming(3)", 2, None, "first(23)"),
        ("repetition(4)", 1, "inner-product", "weight(2)"),
        ("repetition(3)", 2, "field", "iid(1/4)"),
    ],
)
def test_first_clause_the_distance_is_that_of_listing(code, ell, extract, law):
    pad = fuzzy_extractor(code, ell, extract=extract)
    weights = source(law, pad.bits)
    assert pad.distance(weights) == distance(pad, weights)


def test_a_uniform_string_makes_a_perfect_pad():
    for code, ell in (("repetition(5)", 1), ("hamming(3)", 4), ("bch(15, 7)", 7)):
        pad = fuzzy_extractor(code, ell)
        assert pad.distance(source("uniform", pad.bits)) == 0


@pytest.mark.parametrize(("code", "ell"), [("repetition(3)", 1), ("hamming(2)", 1)])
def test_the_worst_source_of_a_min_entropy_is_the_worst_of_all_flat_ones(code, ell):
    pad = fuzzy_extractor(code, ell)
    for m in range(4):
        worst = max(
            distance(pad, [Fraction(w in chosen, 1 << m) for w in range(8)])
            for chosen in combinations(range(8), 1 << m)
        )
        assert pad.worst_distance(m) == worst
        assert distance(pad, pad.worst_source(m)) == worst


def test_the_worst_source_with_several_bits_is_not_beaten_by_random_ones():
    pad = FuzzyExtractor(extractor("identity", 4, 2))
    rng = random.Random(0)
    for m in range(5):
        bound = pad.worst_distance(m)
        assert distance(pad, pad.worst_source(m)) == bound
        for _ in range(30):
            chosen = rng.sample(range(16), 1 << m)
            assert distance(pad, [Fraction(w in chosen, 1 << m) for w in range(16)]) <= bound


def test_reference_two_errors_exceed_what_five_repetitions_mend():
    assert radius_condition(5, 1, 2).holds
    assert not radius_condition(5, 2, 2).holds
    assert "exceeds" in radius_condition(5, 2, 2).explain()
    assert not radius_condition(5, 1, 2).below_a_third
    assert radius_condition(15, 1, 2).below_a_third


def test_erratum_the_printed_conditions_force_a_constant_above_six():
    for bits in range(1, 60):
        for t in range(1, bits):
            c, below_a_third = forced_constant(bits, t)
            assert 2 * bits / c == t
            assert below_a_third == (c > 6)


@pytest.mark.parametrize(
    ("make", "error", "said"),
    [
        (lambda: fuzzy_extractor("hamming(3)", 5), InvalidInput, "at most 4"),
        (lambda: fuzzy_extractor(None, 1), InvalidInput, "extractor"),
        (lambda: fuzzy_extractor("hamming(3)", 1).generate(128), InvalidInput, "7 bits"),
        (lambda: fuzzy_extractor("hamming(3)", 1).worst_distance(8), InvalidInput, "at most 7"),
        (lambda: fuzzy_extractor("hamming(3)", 1).distance([Fraction(1)]), InvalidInput, "128"),
        (
            lambda: FuzzyExtractor(extractor("matrices", 3, 1)).worst_distance(1),
            Unsupported,
            "leftover",
        ),
        (
            lambda: FuzzyExtractor(extractor("matrices", 5, 4)).distance(source("uniform", 5)),
            TooLarge,
            "seeds",
        ),
        (
            lambda: FuzzyExtractor(extractor("matrices", 5, 1), None).distance([]),
            InvalidInput,
            "32",
        ),
        (lambda: fuzzy_extractor("bch(31, 21)", 1).sketches, TooLarge, "31 bits"),
    ],
)
def test_what_does_not_fit_is_refused(make, error, said):
    with pytest.raises(error, match=said):
        make()


def test_a_code_and_an_extractor_of_different_lengths_are_refused():
    made = fuzzy_extractor("hamming(3)", 1)
    with pytest.raises(InvalidInput, match="the same length"):
        FuzzyExtractor(extractor("identity", 6, 1), made.code)
