"""Row cones of integer noise: Lin & Kifer, Section 5.3, with errata E8 and E9."""

import random
from fractions import Fraction
from math import comb

import pytest
from flint import fmpq, fmpq_mat

from twoworlds.cones.noise.laws import finite_law, poisson_law
from twoworlds.cones.noise.noise_cone import noise_cone
from twoworlds.errors import InvalidInput, Undecided, Unsupported
from twoworlds.laws.noise import GeometricNoise
from twoworlds.mechanisms.named import mechanism
from twoworlds.numbers import above, below

HALF_GEOMETRIC = "mix(integer-noise([1]), geometric(p=1/2))"
POISSON = poisson_law("poisson(mean=3/2)", Fraction(3, 2), Fraction(0))

NOISES = [
    "geometric(ratio=2)",
    "geometric(ratio=7/5)",
    "geometric(epsilon=0.5)",
    "differenced-negative-binomial(p=1/3, r=2)",
    "skellam(1, 1)",
    "skellam(2, 1/2)",
    "discrete-gaussian(sigma2=1/2)",
    "discrete-gaussian(sigma2=4)",
    "integer-noise([1/4, 3/4])",
    "integer-noise([1/10, 1/5, 7/10], start=-2)",
    "integer-noise([1/2, 1/8, 1/8, 1/4])",
    "integer-noise([243/3125, 810/3125, 1080/3125, 720/3125, 240/3125, 32/3125])",
    POISSON,
    HALF_GEOMETRIC,
    "mix(integer-noise([1]), skellam(1/4, 1/4))",
]


def enclosed(value, expected, slack):
    return below(value) - slack <= expected <= above(value) + slack


@pytest.mark.few(3)
@pytest.mark.parametrize("text", NOISES)
@pytest.mark.parametrize("k", [0, 3])
def test_inverse_times_law_is_one_at_zero_and_nothing_elsewhere(text, k):
    cone = noise_cone(text)
    reach = 40
    total = sum(
        (cone.inverse.at(j) * cone.law.pmf(k - j) for j in range(-reach, reach + 1)),
        start=Fraction(0),
    )
    assert enclosed(total, k == 0, above(cone.inverse.tail(reach)) + 1e-12)


@pytest.mark.few(3)
@pytest.mark.parametrize(
    "text",
    [
        "geometric(ratio=2)",
        "skellam(2, 1/2)",
        "integer-noise([1/10, 1/5, 7/10], start=-2)",
        "integer-noise([1/4, 3/4])",
    ],
)
@pytest.mark.parametrize("output", [-1, 2])
def test_the_row_of_an_output_needs_weight_one_at_that_output_only(text, output):
    # This is where a wrong reflection of f or g would show: two of the laws are lopsided.
    cone, published = noise_cone(text), mechanism(text)
    reach = 30
    for k in range(-2, 4):
        weight = sum(
            (
                cone.inverse.at(j) * published.probability(output, k + j)
                for j in range(-reach, reach + 1)
            ),
            start=Fraction(0),
        )
        assert enclosed(weight, k == output, above(cone.inverse.tail(reach)) + 1e-12)


def circulant_weights(masses, start, row, constant, m=48):
    """Solve x = c M on a long cycle by elimination: an independent stand-in for the line."""
    matrix = [[Fraction(0)] * m for _ in range(m)]  # transposed: the unknowns are a column
    for d in range(m):
        for i, mass in enumerate(masses):
            matrix[d][(d + start + i) % m] += mass
    right = [row.get(d if d < m // 2 else d - m, constant) for d in range(m)]
    solved = fmpq_mat(m, m, [fmpq(a.numerator, a.denominator) for r in matrix for a in r]).solve(
        fmpq_mat(m, 1, [fmpq(x.numerator, x.denominator) for x in right])
    )
    return {k: Fraction(int(solved[k % m, 0].p), int(solved[k % m, 0].q)) for k in range(-12, 13)}


def test_membership_agrees_with_elimination_on_a_long_cycle():
    source = random.Random(5)
    seen = set()
    for _ in range(15):
        weights = [source.randint(0, 4) for _ in range(3)]
        weights[source.randrange(3)] += 12  # dominant, so that the inverse decays fast
        masses = [Fraction(w, sum(weights)) for w in weights]
        start = source.randint(-2, 1)
        shown = ", ".join(map(str, masses))
        cone = noise_cone(f"integer-noise([{shown}], start={start})")
        row = {source.randint(-2, 2): Fraction(source.randint(0, 6), 2) for _ in range(3)}
        constant = Fraction(source.randint(1, 3))
        expected = circulant_weights(masses, start, row, constant)
        for k, weight in expected.items():
            assert abs(float(cone.weight(k, row, otherwise=constant)) - float(weight)) < 1e-6
        found = cone.contains(row, otherwise=constant)
        assert bool(found) == (min(expected.values()) >= 0)
        seen.add(bool(found))
        if not found:
            assert found.weight < 0
            again = cone.weight(found.at, row, otherwise=constant)
            assert float(found.weight) == float(again)
    assert seen == {True, False}


# --- reference values -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("r", "integers", "scale"),
    [
        (1, (-2, 5, -2), 9),
        (2, (4, -20, 33, -20, 4), 81),
        (3, (-8, 60, -174, 245, -174, 60, -8), 729),
    ],
)
def test_reference_negative_binomial_coefficients(r, integers, scale):
    # LK-36; E9: p is the continuation probability.
    cone = noise_cone(f"differenced-negative-binomial(p=1/2, r={r})")
    assert cone.finite
    assert cone.integers == integers
    assert cone.scale == scale
    assert cone.coefficients() == {
        j: Fraction(c, scale) for j, c in zip(range(-r, r + 1), integers, strict=True)
    }
    assert sum(cone.coefficients().values()) == Fraction(1, scale)
    assert cone.tail(r) == 0


def test_reference_a_private_row_outside_the_geometric_cone():
    # LK-40: x_0 = 1 and 2 elsewhere; the paper's form is half of the inverse.
    cone = noise_cone("geometric(ratio=2)")
    found = cone.contains({0: 1}, otherwise=2)
    assert not found
    assert (found.at, found.weight) == (0, -3)
    assert cone.weight(0, {0: 1}, otherwise=2) / 2 == Fraction(-3, 2)


def test_reference_skellam_coefficients():
    # LK-41
    cone = noise_cone("skellam(2, 1)")
    expected = [
        -0.0133756772621767,
        0.0462401823593975,
        -0.119231719243148,
        0.211712083961944,
        -0.238463438486297,
        0.18496072943759,
        -0.107005418097414,
    ]
    found = cone.coefficients(3)
    assert [float(found[j]) for j in range(-3, 4)] == pytest.approx(expected, rel=1e-12)
    assert float(cone.scale) == pytest.approx(403.428793492735, rel=1e-12)
    assert [float(cone.tail(j)) for j in (5, 10, 15)] == pytest.approx(
        [0.008084265361, 3.600038776e-6, 1.983759366e-10], rel=1e-9
    )
    assert float(1 / cone.scale) == pytest.approx(0.00247875217666636, rel=1e-12)
    assert not cone.finite
    assert cone.integers is None


def test_result_skellam_one_one():
    # R7: inverse scale e^4, tails beyond 5, 10 and 15.
    cone = noise_cone("skellam(1, 1)")
    assert cone.scale.formula == "e^4"
    assert [float(c) for c in cone.coefficients(range(4)).values()] == pytest.approx(
        [0.308508322554, -0.215269289249, 0.0932390333047, -0.0287912226395], rel=1e-11
    )
    assert [float(cone.tail(j)) for j in (5, 10, 15)] == pytest.approx(
        [5.0e-4, 8.03e-9, 1.46e-14], rel=5e-3
    )


def test_reference_binomial_inverse_is_one_sided_and_exact():
    # LK-45
    cone = noise_cone("integer-noise([9/16, 6/16, 1/16])")
    assert [cone.inverse.at(k) for k in range(5)] == [
        Fraction(16, 9),
        Fraction(-32, 27),
        Fraction(16, 27),
        Fraction(-64, 243),
        Fraction(80, 729),
    ]
    assert cone.inverse.at(-1) == 0
    assert cone.l1 == 4
    assert cone.tail(1) == (4 - Fraction(16, 9) - Fraction(32, 27)) / 4


@pytest.mark.parametrize(("n", "q"), [(1, "1/4"), (3, "1/3"), (5, "2/5"), (4, "4/5")])
def test_result_norm_of_the_binomial_inverse(n, q):
    # R8
    p = Fraction(q)
    binomial = finite_law([comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(n + 1)])
    assert noise_cone(binomial).l1 == abs(1 - 2 * p) ** -n


def test_reference_discrete_gaussian_inverse():
    # LK-47
    cone = noise_cone("discrete-gaussian(sigma2=1/2)")
    assert [float(cone.inverse.at(k)) for k in range(5)] == pytest.approx(
        [
            2.53505857121795,
            -1.05583872072675,
            0.394669595050974,
            -0.145502670265021,
            0.0535429717494724,
        ],
        rel=1e-12,
    )
    assert float(cone.l1) == pytest.approx(5.8964905863126, rel=1e-12)
    assert cone.alternating


def test_reference_mixture_with_no_noise_guards_one_place_against_the_rest():
    # LK-48
    cone = noise_cone(HALF_GEOMETRIC)
    root = 5**0.5
    assert [float(cone.inverse.at(k)) for k in range(4)] == pytest.approx(
        [2 - 1 / root] + [-(((3 - root) / 2) ** k) / root for k in (1, 2, 3)], rel=1e-12
    )
    assert float(cone.l1) == pytest.approx(2.10557280900008, rel=1e-12)
    assert cone.inverse.peak == 0
    assert not cone.alternating


# --- membership -------------------------------------------------------------------------------


def test_a_row_of_finite_noise_is_decided_exactly_although_the_inverse_is_infinite():
    cone = noise_cone("integer-noise([1/4, 3/4])")
    assert cone.contains({0: "3/4", 1: "1/4"})  # the row of output 1: f(1 - d)
    assert cone.contains({0: 3, 1: 4, 2: 1})
    assert not cone.contains({0: "1/4", 1: "3/4"})  # reflected
    assert not cone.contains({0: 1})


def test_equality_between_enclosures_is_undecided_and_never_guessed():
    # With p irrational, x_-1 = x_1 = 1 + p^2, x_0 = 2 p is on the boundary at 0.
    cone = noise_cone("geometric(epsilon=1)")
    p = cone.law.pmf(1) / cone.law.pmf(0)
    row = {-1: 1 + p**2, 0: 2 * p, 1: 1 + p**2}
    with pytest.raises(Undecided, match="cannot be told from 0"):
        cone.contains(row, otherwise=2 * p)
    wide = {k: 1 + (k % 2) * Fraction(1, 1000) for k in range(-3, 4)}
    assert cone.contains(wide, otherwise=1)


# --- words, data and bad input ----------------------------------------------------------------


def test_inequality_in_words():
    assert noise_cone("geometric(ratio=2)").inequality() == "2 x(k-1) + 2 x(k+1) <= 5 x(k)"
    shown = noise_cone("skellam(1, 1)").inequality(0)
    assert shown.endswith("(the terms left out weigh 0.000502335 together)")
    assert "0.308509 x(0)" in shown
    assert noise_cone("integer-noise([1])").inequality() == "0 <= x(k)"


@pytest.mark.parametrize(
    ("source", "rounded", "size"),
    [
        ("geometric(ratio=2)", False, "9"),
        ("skellam(1, 1)", True, "e^4"),
        ("discrete-gaussian(sigma=2)", True, "about 186896000"),
    ],
)
def test_what_is_rounded_is_said_to_be(source, rounded, size):
    told = noise_cone(source).explain()
    assert ("where the coefficients are rounded" in told) == rounded
    assert f"have the absolute sum {size}." in told


@pytest.mark.parametrize(
    ("text", "angle"),
    [
        ("integer-noise([1/3, 1/3, 1/3], start=-1)", "2 pi/3"),
        ("integer-noise([1/2, 1/2])", "pi"),
        ("integer-noise([1/4, 1/2, 1/4], start=-1)", "pi"),
        ("integer-noise([3/10, 4/10, 3/10], start=-1)", "arccos(-2/3)"),
        ("integer-noise([1/32, 5/32, 10/32, 10/32, 5/32, 1/32])", "pi"),
        ("integer-noise([1/5, 1/5, 1/5, 1/5, 1/5], start=-2)", "2 pi/5"),
    ],
)
def test_reference_a_zero_of_the_transform_is_named(text, angle):
    # LK-43
    with pytest.raises(Unsupported, match="has no such form") as error:
        noise_cone(text)
    assert error.value.zero.angle == angle
    assert f"0 at {angle}" in str(error.value)
    assert "the row cone on a bounded range" in str(error.value)


@pytest.mark.parametrize(
    "text",
    [
        "integer-noise([2/9, 5/9, 2/9], start=-1)",
        "integer-noise([243/3125, 810/3125, 1080/3125, 720/3125, 240/3125, 32/3125])",
        "discrete-gaussian(sigma2=1/2)",
        "skellam(1, 1)",
        POISSON,
        "differenced-negative-binomial(p=1/2, r=2)",
    ],
)
def test_reference_noises_without_a_zero(text):
    # LK-43
    assert noise_cone(text).l1 > 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("randomized-response(bits=2, keep=3/4)", "does not add integer noise"),
        ("truncated-geometric(ratio=2, high=3)", "not clamped"),
        ("geometric(ratio=2, bits=3)", "Leave out bits="),
        ("laplace(scale=1)", "does not add integer noise"),
    ],
)
def test_rejects_mechanisms_that_are_not_noise_on_all_whole_numbers(text, message):
    with pytest.raises(Unsupported, match=message):
        noise_cone(text)


def test_rejects_bad_rows_and_windows():
    cone = noise_cone("geometric(ratio=2)")
    with pytest.raises(InvalidInput, match="given as"):
        cone.contains([1, 2, 3])
    with pytest.raises(InvalidInput, match="must be a whole number"):
        cone.contains({"0": 1})
    with pytest.raises(InvalidInput, match="is not a number"):
        cone.contains({0: "many"})
    with pytest.raises(InvalidInput, match="at least 0"):
        cone.tail(-1)
    with pytest.raises(InvalidInput, match="at least 0"):
        cone.coefficients(-2)


@pytest.mark.parametrize("r", [1, 2, 3])
def test_result_the_row_cone_shrinks_with_r(r):
    # R6: noise with r + 1 is noise with r and geometric noise added, and not the other way round.
    small, large = (noise_cone(f"differenced-negative-binomial(p=1/2, r={n})") for n in (r, r + 1))

    def quotient(g, f):
        return [sum(g.inverse.at(j) * f.law.pmf(k - j) for j in g.window) for k in range(-2, 3)]

    assert quotient(small, large) == [GeometricNoise(Fraction(1, 2)).pmf(k) for k in range(-2, 3)]
    assert min(quotient(large, small)) < 0
