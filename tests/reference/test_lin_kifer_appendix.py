"""The identities behind the proofs of Lin & Kifer (Appendices 1, 2, 5, 7 and 11)."""

import random
from fractions import Fraction
from itertools import product
from math import comb, prod

import pytest
from flint import fmpq, fmpq_poly

from twoworlds import BitStrings, Dense, mechanism
from twoworlds.cones.kernel.vectors import primitive
from twoworlds.cones.noise.noise_cone import noise_cone
from twoworlds.cones.per_record import PerRecordCone
from twoworlds.cones.row_cone import row_cone
from twoworlds.cones.words.parity import ParityBelief, balance_after, parity_check
from twoworlds.worlds import Explicit

GRID = [Fraction(n, 20) for n in (0, 3, 5, 8, 12, 15, 20)]


def random_mechanism(rng, databases, outputs):
    columns = []
    for _ in databases:
        weights = [rng.randint(0, 4) for _ in outputs]
        weights[rng.randrange(len(weights))] += 1
        columns.append([Fraction(w, sum(weights)) for w in weights])
    rows = [list(row) for row in zip(*columns, strict=True)]
    return Dense(databases, outputs, rows)


def tensor(vectors):
    return [prod(word) for word in product(*vectors)]


def dot(a, b):
    return sum(x * y for x, y in zip(a, b, strict=True))


# --- Appendices 1, 2 and 5 ----------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(10))
def test_post_processing_a_choice_is_a_choice_of_post_processings(seed):
    rng = random.Random(seed)
    middle = Explicit(("a", "b", "c"))
    first, second = (random_mechanism(rng, BitStrings(2), middle) for _ in range(2))
    after = random_mechanism(rng, middle, Explicit(("u", "v")))
    chosen = first.mix(second, "2/7").then(after)
    assert chosen.rows == first.then(after).mix(second.then(after), "2/7").table().rows


@pytest.mark.parametrize("seed", range(10))
def test_a_choice_of_post_processings_is_one_post_processing(seed):
    rng = random.Random(seed)
    middle = Explicit(("a", "b", "c"))
    before = random_mechanism(rng, BitStrings(2), middle)
    one, two = (random_mechanism(rng, middle, Explicit(("u", "v"))) for _ in range(2))
    mixed = before.then(one).mix(before.then(two), "2/7")
    assert mixed.table().rows == before.then(one.mix(two, "2/7").table()).rows


@pytest.mark.parametrize("keep", ["1/5", "1/2", "3/4", "1"])
@pytest.mark.parametrize("bits", [1, 2, 3])
def test_flipping_every_bit_turns_keep_into_its_opposite(bits, keep):
    survey, flip, opposite = (
        mechanism(f"randomized-response(bits={bits}, keep={p})")
        for p in (keep, 0, 1 - Fraction(keep))
    )
    assert survey.then(flip).rows == opposite.table().rows
    assert opposite.then(flip).rows == survey.table().rows


# --- Appendix 7 ---------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(20))
def test_equations_10_to_12_parity_before_and_after_as_products(seed):
    rng = random.Random(seed)
    bits = rng.randint(1, 3)
    built = random_mechanism(rng, BitStrings(bits), Explicit((0, 1, 2)))
    chances = [rng.choice(GRID) for _ in range(bits)]
    belief = ParityBelief.read(built.universe, chances)
    signed = tensor((-q, 1 - q) for q in chances)
    assert belief.prior_balance == dot(signed, [1] * 2**bits) == prod(1 - 2 * q for q in chances)
    signs = []
    for output, row in zip(built.outputs, built.rows, strict=True):
        total = dot(tensor((q, 1 - q) for q in chances), row)
        after = balance_after(built, belief, output)
        assert after == (dot(signed, row) / total if total else None)
        if after is not None:
            signs.append(belief.prior_balance * after)
    assert parity_check(built, chances).protected == all(sign >= 0 for sign in signs)


@pytest.mark.parametrize("bits", [1, 2, 3])
def test_equations_13_to_15_the_rows_of_randomized_response_decide_bit_by_bit(bits):
    p = Fraction(3, 4)
    cone = row_cone(f"randomized-response(bits={bits}, keep={p})")
    rng = random.Random(bits)
    for chances in product(GRID, repeat=bits):
        signed = tensor((-q, 1 - q) for q in chances)
        before = prod(1 - 2 * q for q in chances)
        rows = {v: tensor(v) for v in product([(p, 1 - p), (1 - p, p)], repeat=bits)}
        for vectors, row in rows.items():
            factors = [
                (1 - 2 * q) * dot((-q, 1 - q), v) for q, v in zip(chances, vectors, strict=True)
            ]
            assert before * dot(signed, row) == prod(factors)
        on_rows = all(before * dot(signed, row) >= 0 for row in rows.values())
        weights = [rng.randint(0, 5) for _ in rows]
        mixed = [dot(weights, column) for column in zip(*rows.values(), strict=True)]
        assert cone.contains(mixed)
        assert on_rows == all(before * dot(signed, ray) >= 0 for ray in cone.generators())
        assert not on_rows or before * dot(signed, mixed) >= 0
        assert parity_check(cone.source, chances).protected == on_rows


@pytest.mark.parametrize("keep", ["3/5", "3/4", "9/10"])
@pytest.mark.parametrize("bits", [1, 2, 3])
def test_equations_16_to_18_the_extreme_attackers_are_the_columns_of_the_inverse(bits, keep):
    p = Fraction(keep)
    attackers, columns = set(), set()
    for chances in product([p, 1 - p], repeat=bits):
        signed = tensor((-q, 1 - q) for q in chances)
        before = prod(1 - 2 * q for q in chances)
        times_sign = tensor(((-q, 1 - q) if q < p else (q, q - 1)) for q in chances)
        assert times_sign == [c if before > 0 else -c for c in signed]
        attackers.add(primitive(times_sign))
    for vectors in product([(p, p - 1), (p - 1, p)], repeat=bits):
        columns.add(primitive([c / (2 * p - 1) ** bits for c in tensor(vectors)]))
    survey = PerRecordCone.of(f"randomized-response(bits={bits}, keep={keep})")
    assert attackers == columns == set(survey.explicit().cone.facets)


# --- Appendix 11 --------------------------------------------------------------------------------

NEGATIVE_BINOMIAL = [(p, r) for p in ("1/2", "1/3", "4/5") for r in (1, 2, 3, 5)]


def binomial_difference(q, r):
    """P(X - Y = j) for X, Y binomial with r trials, by convolution."""
    law = [comb(r, i) * q**i * (1 - q) ** (r - i) for i in range(r + 1)]
    return {
        j: sum(law[i] * law[i - j] for i in range(r + 1) if 0 <= i - j <= r)
        for j in range(-r, r + 1)
    }


@pytest.mark.parametrize(("p", "r"), NEGATIVE_BINOMIAL)
def test_equations_20_and_21_the_inverse_undoes_the_noise_exactly(p, r):
    cone = noise_cone(f"differenced-negative-binomial(p={p}, r={r})")
    q = Fraction(p) / (1 + Fraction(p))
    h = {j: (1 - 2 * (j % 2)) * mass for j, mass in binomial_difference(q, r).items()}
    scale = ((1 + Fraction(p)) / (1 - Fraction(p))) ** (2 * r)
    assert cone.scale == scale
    assert cone.coefficients(range(-r, r + 1)) == h
    for k in range(-2 * r - 1, 2 * r + 2):
        assert sum(cone.law.pmf(k - j) * c for j, c in h.items()) == (k == 0) / scale


@pytest.mark.parametrize(("p", "r"), NEGATIVE_BINOMIAL)
def test_lemma_11_1_and_equation_22_the_transforms_are_reciprocal(p, r):
    cone = noise_cone(f"differenced-negative-binomial(p={p}, r={r})")
    one = fmpq(Fraction(p).numerator, Fraction(p).denominator)
    product_form = (fmpq_poly([1, -one]) * fmpq_poly([-one, 1])) ** r  # times z^-r
    terms = [cone.coefficient(j) for j in range(-r, r + 1)]
    transform = fmpq_poly([fmpq(c.numerator, c.denominator) for c in terms])
    assert transform == product_form / (1 + one) ** (2 * r)
    shift, numerator, denominator = cone.law.parts
    assert shift == r
    share = ((1 - one) / (1 + one)) ** (2 * r)
    assert numerator * transform == denominator * share
