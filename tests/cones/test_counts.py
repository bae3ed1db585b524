"""Counts by geometric noise agree with the linear program over all mechanisms."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from twoworlds.cones import least_loss as programs
from twoworlds.cones import row_cone, verify
from twoworlds.cones.design import design
from twoworlds.cones.least_loss import by_geometric_noise, least_loss, ratio_of_counts, sides
from twoworlds.errors import TooLarge

RATIOS = st.fractions(Fraction(9, 8), 5, max_denominator=8)
LOSSES = {
    "absolute": lambda t, o: abs(t - o),
    "squared": lambda t, o: (t - o) ** 2,
    "zero-one": lambda t, o: int(t != o),
    "capped": lambda t, o: min(abs(t - o), 2),
    "one-sided": lambda t, o: 3 * max(o - t, 0) + max(t - o, 0),
}


@st.composite
def counts(draw):
    """A cone of counts, a loss table, and a belief."""
    ratio, n = draw(RATIOS), draw(st.integers(1, 5))
    loss = LOSSES[draw(st.sampled_from(list(LOSSES)))]
    masses = draw(st.lists(st.integers(0, 5), min_size=n + 1, max_size=n + 1).filter(any))
    table = [[Fraction(loss(t, o)) for t in range(n + 1)] for o in range(n + 1)]
    source = row_cone(f"dp(ratio={ratio})", f"integers(0, {n})")
    return source, table, [Fraction(m, sum(masses)) for m in masses]


def by_program(source, table, belief):
    """The loss by the program over all mechanisms."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(programs, "_of_count", lambda *_: None)
        return least_loss(source, table, belief).value


@given(counts())
def test_geometric_noise_has_the_least_loss_of_all_mechanisms_under_a_belief(given):
    source, table, belief = given
    found = by_geometric_noise(source.cone.ratios.ratio, table, belief, sides(source.cone)[0])
    assert found is not None
    assert sum(found[1]) == by_program(source, table, belief)


@given(counts())
def test_geometric_noise_has_the_least_loss_of_all_mechanisms_in_the_worst_case(given):
    source, table, _ = given
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(programs, "_FEW_COUNTS", 0)
        found = least_loss(source, table, None)
    assert found.value == by_program(source, table, None)
    columns = list(zip(*found.matrix, strict=True))
    assert all(sum(column) == 1 for column in columns)


def test_what_geometric_noise_does_not_answer_goes_to_the_program():
    """A loss that rewards answers far from the truth."""
    source = row_cone("dp(ratio=2)", "integers(0, 2)")
    table = [[Fraction(e) for e in row] for row in ([0, 5, 0], [1, 1, 3])]
    uniform = [Fraction(1, 3)] * 3
    assert by_geometric_noise(Fraction(2), table, uniform, sides(source.cone)[0]) is None
    assert least_loss(source, table, uniform).value == by_program(source, table, uniform)


@pytest.mark.parametrize("belief", ["uniform", None])
@pytest.mark.parametrize("n", [30, pytest.param(200, marks=pytest.mark.slow)])
def test_many_people_are_counted_with_a_proof(belief, n):
    found = design(row_cone("dp(ratio=2)", f"integers(0, {n})"), "absolute", belief=belief)
    assert verify(found.certificate.to_dict())
    infinite = Fraction(4, 3)  # 2 ratio / (ratio^2 - 1): geometric noise that is not cut off
    assert infinite * Fraction(9, 10) < found.loss < infinite
    assert "--save writes it" in found.explain()


def test_a_squared_loss_of_many_people_is_exact_under_a_belief():
    found = design(row_cone("dp(ratio=2)", "integers(0, 24)"), "squared", belief="uniform")
    assert found.exact


@pytest.mark.parametrize(
    ("text", "universe", "ratio"),
    [
        ("dp(ratio=5/2)", "integers(0, 4)", Fraction(5, 2)),
        ("dp(ratio=2)", "integers(0, 1)", 2),
        ("dp(ratio=2)", "bits(1)", 2),
        ("dp(ratio=2)", "bits(2)", None),
        ("dp(ratio=2)", "integers(0, 4, step=2)", None),
        ("dp(ratio=1)", "integers(0, 4)", None),
    ],
)
def test_counts_are_told_from_other_databases(text, universe, ratio):
    assert ratio_of_counts(row_cone(text, universe).cone) == ratio


def test_too_large_a_count_is_refused_with_the_largest_that_would_do():
    with pytest.raises(TooLarge, match=r"up to 256 is asked for.*use integers\(0, 255\) or less"):
        design(row_cone("dp(ratio=2)", "integers(0, 256)"), "absolute", belief="uniform")
