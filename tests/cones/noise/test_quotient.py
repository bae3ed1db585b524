"""More noise: when is noise on infinitely many answers a post-processing of other noise?"""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from twoworlds.cones import compare, consistent_normal_form_contains, noise_cone
from twoworlds.cones.noise.laws import finite_law, law, poisson_law
from twoworlds.cones.noise.quotient import noise_normal_form
from twoworlds.errors import Undecided, Unsupported
from twoworlds.mechanisms import Dense
from twoworlds.mechanisms.named import mechanism
from twoworlds.programs import Optimal, solve
from twoworlds.questions.cones import compare as compare_asked
from twoworlds.questions.cones import member
from twoworlds.worlds import Universe

F = Fraction
HALF_GEOMETRIC = "mix(integer-noise([1]), geometric(p=1/2))"
laws = st.lists(st.integers(0, 4), min_size=1, max_size=4).filter(any)


def poisson(mean):
    return poisson_law(f"poisson(mean={mean})", F(mean), F(0))


def shares(counts):
    return [F(c, sum(counts)) for c in counts]


def convolved(a, b):
    total = [F(0)] * (len(a) + len(b) - 1)
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            total[i + j] += x * y
    return total


def test_reference_geometric_three_halves_in_geometric_two():
    found = noise_normal_form("geometric(ratio=3/2)", "geometric(ratio=2)")
    assert found
    more = found.witness.law
    assert more.pmf(0) == F(7, 15)
    for k in range(1, 12):
        assert more.pmf(k) == more.pmf(-k) == F(2, 15) * F(2, 3) ** k


@pytest.mark.parametrize(("p", "q"), [("1/2", "2/3"), ("1/3", "9/10"), ("2/3", "1/2")])
def test_the_weights_of_geometric_noise_are_row_weights_of_its_cone(p, q):
    """w(k) = sum_j g(j) b(k - j), with the three terms of g written out."""
    a, b = F(p), law(f"geometric(p={q})")
    g = {-1: -a / (1 - a) ** 2, 0: (1 + a * a) / (1 - a) ** 2, 1: -a / (1 - a) ** 2}
    weights = [sum(g[j] * b.pmf(k - j) for j in g) for k in range(-9, 10)]
    found = noise_normal_form(f"geometric(p={q})", f"geometric(p={p})")
    assert found.holds == (min(weights) >= 0)
    if found:
        assert [found.witness.law.pmf(k) for k in range(-9, 10)] == weights
    else:
        assert found.entry == weights[9 + found.witness.at] < 0


@given(laws, laws)
def test_adding_any_finite_noise_stays_inside_and_is_found(a, w):
    base, more = shares(a), shares(w)
    found = noise_normal_form(finite_law(convolved(base, more)), finite_law(base))
    assert found
    weights = [found.witness.law.pmf(k) for k in range(len(more))]
    assert weights == more


@given(laws, laws)
def test_finite_noise_is_decided_as_by_division_of_polynomials(a, b):
    """Laws with finite support: w * a = b leaves w finite, the quotient of two polynomials."""
    base, other = shares(a), shares(b)
    while base[0] == 0:
        base = base[1:]  # a shift is a post-processing
    while other[0] == 0:
        other = other[1:]
    rest, quotient = list(other), []
    for i in range(max(len(other) - len(base) + 1, 0)):
        quotient.append(rest[i] / base[0])
        for j, x in enumerate(base):
            rest[i + j] -= quotient[-1] * x
    expected = bool(quotient) and not any(rest) and min(quotient) >= 0
    try:
        found = noise_normal_form(finite_law(other), finite_law(base))
    except Undecided:
        assert not expected
    else:
        assert found.holds == expected


@given(st.lists(st.integers(0, 3), min_size=4, max_size=4).filter(any), st.data())
def test_a_post_processing_may_be_taken_to_add_noise(a, data):
    """On a cycle the general program, which assumes no symmetry, agrees with shifts alone."""
    b = data.draw(st.lists(st.integers(0, 3), min_size=4, max_size=4).filter(any))
    base, other = shares(a), shares(b)
    cycle = Universe.of(range(4), [])
    trusted, asked = (
        Dense(cycle, cycle, [[masses[(o - d) % 4] for d in range(4)] for o in range(4)])
        for masses in (base, other)
    )
    program = consistent_normal_form_contains(asked, trusted)
    rows = [{k: base[(o - k) % 4] for k in range(4) if base[(o - k) % 4]} for o in range(4)]
    shifts = solve([0] * 4, rows, lower=other, upper=other)
    assert program.holds == isinstance(shifts, Optimal)


@pytest.mark.parametrize(
    ("candidate", "base", "expected"),
    [
        ("differenced-negative-binomial(p=1/2, r=3)", "geometric(ratio=2)", True),
        ("geometric(ratio=2)", "differenced-negative-binomial(p=1/2, r=2)", False),
        ("geometric(epsilon=1/2)", "geometric(epsilon=1)", True),
        ("geometric(epsilon=1)", "geometric(epsilon=1/2)", False),
        ("geometric(epsilon=1)", "geometric(epsilon=1)", True),
        ("geometric(epsilon=2, sensitivity=2)", "geometric(epsilon=1)", True),
        ("skellam(2, 3)", "skellam(1, 1)", True),
        ("skellam(2, 1)", "skellam(1, 1)", True),
        ("skellam(1, 2)", "skellam(1, 1)", True),
        ("skellam(1, 1)", "skellam(1, 1)", True),
        ("skellam(2, 1)", "skellam(1, 3)", False),
        ("skellam(1/2, 9)", "skellam(1, 1)", False),
        ("skellam(2, 3)", poisson(1), True),
        (poisson(2), "skellam(1, 1)", False),
        ("skellam(1, 1)", "geometric(ratio=2)", False),
        ("geometric(ratio=2)", "skellam(1, 1)", False),
        ("geometric(ratio=2)", "integer-noise([1/2, 1/2])", False),
        ("skellam(1, 1)", "integer-noise([1/2, 1/2])", False),
        ("integer-noise([1/2, 1/2])", "integer-noise([1/4, 1/2, 1/4])", False),
        ("integer-noise([1/4, 1/2, 1/4])", "integer-noise([1/2, 1/2])", True),
        ("integer-noise([1/2, 1/2], start=5)", "integer-noise([1/2, 1/2])", True),
        (HALF_GEOMETRIC, "geometric(p=1/2)", False),
        ("geometric(p=1/2)", HALF_GEOMETRIC, True),
        ("discrete-gaussian(sigma2=100)", "discrete-gaussian(sigma2=20)", True),
        ("discrete-gaussian(sigma2=100)", "discrete-gaussian(sigma2=50)", False),
        ("discrete-gaussian(sigma2=1/2)", "discrete-gaussian(sigma2=1)", False),
    ],
)
def test_known_pairs(candidate, base, expected):
    assert noise_normal_form(candidate, base).holds == expected


def test_discrete_gaussian_noise_grows_by_odd_factors_only():
    """Differs from noise on the line, where every larger variance will do."""
    three = noise_normal_form("discrete-gaussian(sigma2=3/2)", "discrete-gaussian(sigma2=1/2)")
    more = three.witness.law
    assert all(more.pmf(k) > 0 for k in range(-6, 7))
    assert float(sum(more.pmf(k) for k in range(-12, 13))) == pytest.approx(1)
    two = noise_normal_form("discrete-gaussian(sigma2=1)", "discrete-gaussian(sigma2=1/2)")
    assert not two
    assert two.entry < 0


@pytest.mark.parametrize("pair", [("skellam(2, 1)", "skellam(1, 3/2)"), ("skellam(1, 1/2)",) * 2])
def test_the_closed_form_of_skellam_noise_is_the_convolution(pair):
    candidate, base = pair
    found = noise_normal_form(candidate, base)
    mine, undo = law(candidate), noise_cone(base).inverse
    k = found.witness.at or 0
    summed = sum(float(undo.at(j)) * float(mine.pmf(k - j)) for j in range(-30, 31))
    stated = found.values.get("entry", found.values.get("weight_0"))
    assert float(stated) == pytest.approx(summed, rel=1e-6)


def test_wider_noise_on_the_line():
    laplace = noise_normal_form(mechanism("laplace(scale=3)"), mechanism("laplace(scale=2)"))
    assert laplace
    assert "nothing with probability 4/9" in laplace.explain()
    # its transform: 4/9 + 5/9 / (1 + 9 t^2) = (1 + 4 t^2) / (1 + 9 t^2)
    for t in (F(0), F(1, 3), F(2)):
        assert F(4, 9) + F(5, 9) / (1 + 9 * t * t) == (1 + 4 * t * t) / (1 + 9 * t * t)
    assert not noise_normal_form(mechanism("laplace(scale=2)"), mechanism("laplace(scale=3)"))
    gaussian = noise_normal_form(mechanism("gaussian(sigma=5)"), mechanism("gaussian(sigma=3)"))
    assert "gaussian(sigma2=16)" in gaussian.explain()
    assert not noise_normal_form(mechanism("gaussian(sigma=3)"), mechanism("gaussian(sigma=5)"))


@pytest.mark.parametrize(
    ("first", "second", "relation"),
    [
        ("geometric(ratio=3/2)", "geometric(ratio=2)", "stronger"),
        ("geometric(ratio=2)", "geometric(ratio=3/2)", "weaker"),
        ("geometric(ratio=2)", "differenced-negative-binomial(p=1/2, r=1)", "equal"),
        ("gaussian(sigma=2)", "laplace(scale=1)", "incomparable"),
        ("gaussian(sigma2=2)", "gaussian(sigma2=2)", "equal"),
        ("laplace(epsilon=ln 3)", "laplace(epsilon=ln 2)", "weaker"),
        ("geometric(ratio=1.02)", "discrete-gaussian(sigma=50)", "unknown"),
    ],
)
def test_noises_are_compared_both_ways(first, second, relation):
    found = compare(first, second)
    assert found.relation == relation
    assert found.to_dict()["relation"] == relation
    assert found.explain()


@pytest.mark.parametrize(
    ("first", "second", "relation"),
    [
        ("geometric(ratio=2)", "dp(ratio=2)", "stronger"),
        ("dp(ratio=2)", "geometric(ratio=2)", "weaker"),
        ("geometric(ratio=3)", "dp(ratio=2)", "incomparable"),
        ("skellam(1, 1)", "dp(ratio=2)", "incomparable"),
        ("geometric(epsilon=1)", "dp(epsilon=1)", "stronger"),
        ("integer-noise([1])", "dp(ratio=2)", "unknown"),
    ],
)
def test_noise_is_compared_with_differential_privacy(first, second, relation):
    """Private noise is stronger: dp allows rows that no output has (Lin & Kifer, Section 5.3.1)."""
    assert compare(first, second).relation == relation


def test_the_command_shows_the_post_processing():
    said = member("geometric(ratio=3/2)", ["geometric(ratio=2)"]).explain()
    assert "add nothing with probability 1/3" in said
    assert "7/15" in said
    both = compare_asked("geometric(ratio=3/2)", "geometric(ratio=2)").explain()
    assert "is stronger than geometric(p=1/2) over integers()" in both


def test_what_is_no_noise_is_refused(tmp_path):
    with pytest.raises(Unsupported, match="does not add integer noise"):
        noise_normal_form(mechanism("geometric(ratio=2)"), mechanism("laplace(scale=1)"))
    with pytest.raises(ValueError, match="certificates hold matrices that can be listed"):
        member("geometric(ratio=3)", ["geometric(ratio=2)"], save=tmp_path / "proof.json")


def test_wide_gaussian_noise_is_searched_for_a_negative_weight():
    found = noise_normal_form("geometric(p=2/5)", "discrete-gaussian(sigma2=5/2)")
    assert found.holds is False
    assert found.witness.at == 1
    assert float(found.witness.weight) == pytest.approx(-1387.21, abs=0.01)
    with pytest.raises(Undecided, match="up to sigma2=8 only"):
        noise_normal_form("geometric(p=2/5)", "discrete-gaussian(sigma2=100)")


def test_a_zero_of_the_candidate_is_no_obstacle():
    assert noise_normal_form("integer-noise([1/2, 1/2], start=1)", "skellam(3/2, 1)").holds is False
