"""Strengths of definitions, with a mechanism that tells them apart."""

from __future__ import annotations

import pytest

from twoworlds.cones import frapp_row_cone, row_cone
from twoworlds.cones.compare import Strength, compare
from twoworlds.cones.normal_form import consistent_normal_form_contains
from twoworlds.errors import InvalidInput, TooLarge, Unsupported
from twoworlds.mechanisms import Dense
from twoworlds.mechanisms.named import mechanism
from twoworlds.worlds import Explicit

SURVEY = "randomized-response(bits=2, keep=3/4)"


def shown(comparison: Strength) -> None:
    """Every separating mechanism is allowed by one cone and breaks the other."""
    assert all(one.certificate.verify() for one in comparison.proofs)
    names = (comparison.first, comparison.second)
    cones = {name: row_cone(name, comparison.universe) for name in names}
    for separation in comparison.separations:
        for output in separation.mechanism.outputs:
            row = separation.mechanism.row(output)
            assert cones[separation.allowed_by].contains([row[x] for x in row])
        assert not cones[separation.forbidden_by].contains(separation.mechanism.rows[0])


@pytest.mark.parametrize(
    ("first", "second", "relation"),
    [
        (SURVEY, "dp(ratio=3)", "stronger"),
        ("dp(ratio=3)", SURVEY, "weaker"),
        ("randomized-response(bits=1, keep=3/4)", "dp(ratio=3)", "equal"),
        (SURVEY, "randomized-response(bits=2, keep=1/4)", "equal"),
        (SURVEY, "randomized-response(bits=2, keep=2/3)", "weaker"),
        (SURVEY, "noisy-parity(bits=2, keep=3/4)", "incomparable"),
        ("dp(ratio=2)", "randomized-response(bits=2, keep=2/3)", "weaker"),
        ("dp(ratio=2)", SURVEY, "incomparable"),
        ("geometric(ratio=2, bits=2)", "truncated-geometric(ratio=2, bits=2)", "equal"),
        ("geometric(ratio=2, bits=2)", SURVEY, "incomparable"),
    ],
)
def test_relations(first: str, second: str, relation: str) -> None:
    comparison = compare(first, second)
    assert comparison.relation == relation
    assert len(comparison.separations) == {"equal": 0, "incomparable": 2}.get(relation, 1)
    shown(comparison)


def test_the_separating_mechanism_of_a_mechanism_is_a_post_processing_of_it() -> None:
    comparison = compare(SURVEY, "randomized-response(bits=2, keep=2/3)")
    separation = comparison.separations[0]
    assert separation.allowed_by == SURVEY
    assert consistent_normal_form_contains(separation.mechanism, [mechanism(SURVEY)])


def test_lists_of_trusted_mechanisms() -> None:
    both = ["randomized-response(bits=1, keep=3/4)", "randomized-response(bits=1, keep=4/5)"]
    assert compare(both, "dp(ratio=4)").relation == "equal"
    with pytest.raises(InvalidInput):
        compare(["dp(ratio=4)"], "dp(ratio=4)", "bits(1)")


def test_only_rows_that_can_occur_are_compared() -> None:
    # x1 <= x0 for every output forces equality, because both sides sum to 1
    comparison = compare("linear('x1 <= x0')", "randomized-response(bits=1, keep=1/2)", "bits(1)")
    assert comparison.relation == "equal"
    assert comparison.notes


def test_an_approximation_never_invents_a_mechanism() -> None:
    rough = row_cone("frapp(gamma=3, values=3, records=2)")
    true = frapp_row_cone(3, values=3, records=2)
    comparison = compare(rough, true)
    assert comparison.relation == "unknown"
    assert comparison.separations == ()
    assert "not known" in comparison.sentence
    private = compare(rough, "dp(ratio=3)")
    assert private.relation == "stronger"  # the larger cone lies inside, so the true one does


def test_two_of_one_name_are_told_apart() -> None:
    rows = [[1, 0], [0, 1]]
    halves = [["1/2", "1/2"], ["1/2", "1/2"]]
    first, second = (Dense(Explicit(("a", "b")), Explicit((1, 2)), r) for r in (rows, halves))
    comparison = compare(first, second)
    assert comparison.relation == "weaker"
    assert "(the first)" in comparison.sentence
    assert "(the second)" in comparison.sentence


def test_many_bits_are_compared_by_their_ratios():
    found = compare("dp(ratio=3)", "dp(ratio=2)", "bits(8)")
    assert found.relation == "weaker"
    shown(found)
    assert len(found.proofs[1].certificate["parts"]) <= 4  # like steps are proved once
    assert "and so on" in found.separations[0].sentence
    assert compare("dp(ratio=3)", "dp(ratio=9, group=2)", "bits(7)").relation == "stronger"
    with pytest.raises(TooLarge, match="7 bits"):
        compare("randomized-response(bits=8, keep=3/4)", "dp(ratio=3)")


@pytest.mark.parametrize("universe", ["bits(1000)", "integers()"])
def test_two_ratios_are_compared_on_more_databases_than_a_cone_has_columns(universe):
    for first, second, relation in (
        ("dp(ratio=2)", "dp(ratio=3)", "stronger"),
        ("dp(ratio=3)", "dp(epsilon=1)", "weaker"),
        ("dp(ratio=2)", "dp(ratio=2)", "equal"),
    ):
        assert compare(first, second, universe).relation == relation
    said = compare("dp(ratio=2)", "dp(ratio=3)", universe).explain()
    assert "a row that is 3 at one database and 1 at all others" in " ".join(said.split())
    with pytest.raises((TooLarge, Unsupported)):
        compare("dp(ratio=2)", "dp(ratio=3, group=2)", universe)


def test_an_irrational_ratio_is_named_with_a_rational_one_near():
    with pytest.raises(InvalidInput, match=r"the ratio of dp\(epsilon=1\) is e .*ratio=19/7"):
        compare("dp(epsilon=1)", "dp(ratio=2)", "bits(2)")


@pytest.mark.parametrize(
    ("first", "second", "relation"),
    [
        ("laplace(scale=2)", "dp(epsilon=1/2)", "stronger"),
        ("dp(epsilon=1)", "laplace(scale=2)", "weaker"),
        ("laplace(scale=1)", "dp(epsilon=1/2)", "incomparable"),
        ("gaussian(sigma=1)", "dp(ratio=3)", "incomparable"),
        ("laplace(scale=1)", "dp(ratio=1)", "weaker"),
        ("geometric(ratio=2)", "dp(ratio=1)", "weaker"),
    ],
)
def test_noise_on_real_numbers_never_has_all_rows_of_differential_privacy(first, second, relation):
    assert compare(first, second).relation == relation
