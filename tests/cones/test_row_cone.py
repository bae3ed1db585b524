"""Row cones: facts of the paper, brute force over height functions, and what is refused."""

import sys
from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from twoworlds import BitStrings, DifferentialPrivacy, InvalidInput, Records, Universe, mechanism
from twoworlds.cones.certificates import verify
from twoworlds.cones.compare import mechanism_with_row
from twoworlds.cones.cone import Cone
from twoworlds.cones.kernel.vectors import primitive
from twoworlds.cones.normal_form import consistent_normal_form_contains
from twoworlds.cones.row_cone import (
    Inequality,
    RowCone,
    drawn,
    read_row,
    row_cone,
)
from twoworlds.errors import TooLarge, Unsupported
from twoworlds.testing import strategies
from twoworlds.worlds import pairs

RESPONSE = "randomized-response(bits=2, keep=3/4)"


def heights(universe, relation="substitute", group=1):
    """All h on the databases with |dh| <= 1 on edges whose tight edges connect everything.

    The extreme rays of differential privacy are a^h (proved for connected graphs): written
    independently of any cone, by assignment in breadth-first order.
    """
    points = list(universe)
    near = {x: set() for x in points}
    for x, y in pairs(universe, relation, group):
        near[x].add(y)
        near[y].add(x)
    order = [points[0]]
    for x in order:
        order += [y for y in sorted(near[x], key=points.index) if y not in order]
    assert len(order) == len(points)

    def extend(h):
        if len(h) == len(order):
            yield dict(h)
            return
        x = order[len(h)]
        known = [h[y] for y in near[x] if y in h]
        for value in range(max(known) - 1, min(known) + 2):
            yield from extend({**h, x: value})

    for h in extend({order[0]: 0}):
        reached, queue = {order[0]}, [order[0]]
        for x in queue:
            fresh = [y for y in near[x] if abs(h[x] - h[y]) == 1 and y not in reached]
            reached.update(fresh)
            queue += fresh
        if len(reached) == len(order):
            least = min(h.values())
            yield tuple(h[x] - least for x in points)


# --- the paper ----------------------------------------------------------------------------------


def test_randomized_response_of_two_bits_has_the_four_facets_of_example_5_6():
    cone = row_cone(RESPONSE)
    assert cone.columns == ("11", "10", "01", "00")
    assert {i.coefficients for i in cone.inequalities()} == {
        (9, -3, -3, 1),
        (1, -3, -3, 9),
        (-3, 9, 1, -3),
        (-3, 1, 9, -3),
    }
    assert set(cone.generators()) == {(9, 3, 3, 1), (3, 9, 1, 3), (3, 1, 9, 3), (1, 3, 3, 9)}
    assert cone.approximation is None


def test_a_lie_is_as_good_as_the_truth():
    """Lin & Kifer, Lemma 5.4."""
    for bits in (1, 2, 3):
        low, high = (
            row_cone(f"randomized-response(bits={bits}, keep={p})") for p in ("1/4", "3/4")
        )
        assert low == high
        assert hash(low) == hash(high)


def test_a_fair_coin_leaves_constant_rows_only():
    """Lin & Kifer, Lemma 5.4 for p = 1/2."""
    cone = row_cone("randomized-response(bits=2, keep=1/2)")
    assert cone.generators() == ((1, 1, 1, 1),)
    assert [i.equality for i in cone.inequalities()] == [False, True, True, True]
    assert cone.inequalities()[1].text() == "x00 = x11"
    assert not cone.contains([1, 1, 1, 2])


def test_one_bit_of_randomized_response_is_differential_privacy_but_two_bits_are_more():
    assert row_cone("randomized-response(bits=1, keep=3/4)") == row_cone("dp(ratio=3)", "bits(1)")
    private = row_cone("dp(ratio=3)", "bits(2)")
    response = row_cone(RESPONSE)
    assert response <= private
    assert private >= response
    assert not private <= response
    assert set(private.generators()) == {*response.generators(), (3, 1, 1, 3), (1, 3, 3, 1)}
    assert private.inside(response).certificate.verify()


def test_noisy_parity_breaks_a_guarantee_of_randomized_response():
    cone = row_cone(RESPONSE)
    for output, value in ((1, Fraction(-2)), (0, Fraction(-2))):
        row = mechanism("noisy-parity(bits=2, keep=3/4)").row(output)
        found = cone.separating(row)
        assert found.value(row) == value
        answer = cone.contains(row)
        assert not answer
        assert verify(answer.certificate.to_dict())
    assert cone.separating({"11": 3, "10": 1, "01": 1, "00": "1/3"}) is None
    generated = row_cone(mechanism(RESPONSE).table())
    assert generated.separating([3, 1, 1, 3]).value([3, 1, 1, 3]) < 0


@pytest.mark.parametrize(
    ("where", "relation", "group"),
    [
        (BitStrings(2), "substitute", 1),
        (BitStrings(3), "substitute", 1),
        (BitStrings(3), "substitute", 2),
        (Records(2, 2, smallest=0), "add-remove", 1),
        (Records(3, 1, smallest=0), "add-remove", 1),
        (Records(2, 2, smallest=1), "add-remove", 2),
    ],
)
def test_the_extreme_rows_of_differential_privacy_are_powers_of_height_functions(
    where, relation, group
):
    private = DifferentialPrivacy(ratio=3, neighbours=relation, group=group)
    expected = {tuple(3**h for h in word) for word in heights(where, relation, group)}
    assert set(row_cone(private, where).generators()) == expected


def test_two_trusted_maps_make_additive_rows():
    """RESULTS R9: releasing bit 1 or bit 2 trusts x11 + x00 = x10 + x01."""
    first = mechanism("identity(bits=2)").then(lambda word: word[0])
    second = mechanism("identity(bits=2)").then(lambda word: word[1])
    cone = row_cone([first, second])
    assert [i.text() for i in cone.inequalities() if i.equality] == ["x10 + x01 = x11 + x00"]
    assert cone.contains([2, 1, 1, 0])
    assert not cone.contains([1, 0, 0, 0])
    assert cone.source.count(" or ") == 1


def test_a_row_cone_of_infinitely_many_mechanisms_need_not_be_closed():
    """Lin & Kifer, Section 4.2.1: keep < 1 reaches every row but (1, 0) and its kin.

    The inequalities of the closure hold, and all rows with > belong; within a subspace (keep =
    1/2, an equality) no row satisfies any equality with >, so ">" is meant within the subspace.
    """
    kept = [1 - Fraction(1, 10**i) for i in range(1, 6)]
    grown = [row_cone(f"randomized-response(bits=1, keep={p})") for p in kept]
    for smaller, larger in pairwise(grown):
        assert smaller <= larger
        assert not larger <= smaller
    assert all(not cone.contains([1, 0]) for cone in grown)
    assert grown[-1].contains([1, "1/1000"])
    flat = row_cone("randomized-response(bits=1, keep=1/2)")
    inside = (1, 1)
    assert flat.contains(inside)
    assert [i.value(inside) > 0 for i in flat.inequalities()] == [True, False]


def test_the_row_cone_of_one_mechanism_need_not_be_closed():
    """Skellam noise on the inputs 0 and 1: its rows come near (0, 1), which is none of them.

    P(t | 0) / P(t | 1) = I_t(2) / I_(t-1)(2) <= 1 / t for the mean 1 of both Poisson variables, so
    that the quotient tends to 0; no row has a 0, and neither has a sum of multiples of rows.
    """
    noise = mechanism("skellam(1, 1)")
    quotients = [noise.probability(t, 0) / noise.probability(t, 1) for t in range(1, 40)]
    assert all(0 < q <= Fraction(1, t) for t, q in enumerate(quotients, 1))
    assert all(later < earlier for earlier, later in pairwise(quotients))


# --- theorems as properties ---------------------------------------------------------------------


@given(
    strategies.dense_mechanisms(BitStrings(2)),
    strategies.dense_mechanisms(BitStrings(2)),
    st.data(),
)
def test_mixtures_of_rows_are_rows_of_an_explicit_mechanism(first, second, data):
    """Lin & Kifer, Theorem 4.7."""
    one, two = (data.draw(st.sampled_from(list(m.outputs))) for m in (first, second))
    weight, both = data.draw(strategies.probabilities()), row_cone([first, second])
    mixed = [
        weight * first.probability(one, x) + (1 - weight) * second.probability(two, x)
        for x in both.universe
    ]
    assert both.contains(mixed)
    if any(mixed):
        made = mechanism_with_row(primitive(mixed), [first, second], both)
        assert primitive(list(made.rows[0])) == primitive(mixed)
        assert consistent_normal_form_contains(made, [first, second])


@given(strategies.dense_mechanisms(BitStrings(2)), st.data())
def test_rows_of_post_processings_stay_in_the_row_cone(before, data):
    """Lin & Kifer, Definition 4.6 with Axiom 4.1."""
    after = before.then(data.draw(strategies.post_processings(before)))
    cone = row_cone(before)
    assert all(cone.contains(after.row(output)) for output in after.outputs)
    assert row_cone(after) <= cone


# --- the objects --------------------------------------------------------------------------------


def test_inequalities_are_written_with_positive_coefficients():
    bits = BitStrings(2)
    assert Inequality(bits, (-1, 3, 0, 0)).text() == "x11 <= 3 x10"
    assert Inequality(bits, (0, 0, 0, 2)).text() == "2 x00 >= 0"
    assert Inequality(bits, (0, 0, 0, -1)).text() == "x00 <= 0"
    assert Inequality(bits, (1, 0, 0, -1), equality=True).text() == "x00 = x11"
    assert (
        Inequality(Records(["ann", "bo"], 2), (1, -2, 0, 0)).text() == "2 x[ann,bo] <= x[ann,ann]"
    )
    assert Inequality(bits, (9, -3, -3, 1)).sides() == (
        {(1, 0): 3, (0, 1): 3},
        {(1, 1): 9, (0, 0): 1},
    )


def test_rows_are_read_by_label_or_in_order():
    where = BitStrings(1)
    assert read_row(where, {(1,): 1, "0": "1/2"}) == read_row(where, [1, 0.5])
    with pytest.raises(InvalidInput, match="no entry for 0"):
        read_row(where, {"1": 1})
    with pytest.raises(InvalidInput, match="3 entries"):
        read_row(where, [1, 2, 3])
    with pytest.raises(InvalidInput, match="is not in"):
        read_row(where, {"2": 1})


# --- charts -------------------------------------------------------------------------------------


def test_a_wedge_ends_at_the_extreme_rows_up_to_probability_one():
    """Lin & Kifer, Figure 2."""
    (wedge,) = drawn([row_cone("dp(ratio=3)", "bits(1)")])
    assert wedge.lines[0].points == [(0, 0), (1, 1 / 3), (1, 1), (1 / 3, 1), (0, 0)]
    assert "x0 <= 3 x1" in wedge.words
    (line,) = drawn([RowCone(Universe.of("ab"), Cone.from_rays([(1, 1)]), "constant")])
    assert line.lines[0].points == [(0, 0), (1, 1)]
    (half,) = drawn([RowCone(Universe.of("ab"), Cone.from_rays([(2, -1), (1, 2)]), "negative")])
    assert half.lines[0].points == [(0, 0), (1, 0), (1, 1), (0.5, 1), (0, 0)]


# --- what is refused ----------------------------------------------------------------------------


def test_irrational_ratios_are_refused_with_the_way_out():
    with pytest.raises(InvalidInput, match=r"irrational.*ratio=19/7"):
        row_cone("dp(epsilon=1)", "bits(2)")
    with pytest.raises(InvalidInput, match="irrational"):
        row_cone("randomized-response(bits=1, epsilon=1)")


@pytest.mark.parametrize(
    ("source", "universe", "error", "words"),
    [
        ("dp(ratio=3)", None, InvalidInput, "say of which"),
        ("dp(ratio=3)", "integers()", Unsupported, "infinitely many databases"),
        (
            "dp(ratio=3)",
            "bits(24)",
            TooLarge,
            "16777216 databases.*at most 10 records",
        ),
        ("randomized-response(bits=24, keep=3/4)", None, TooLarge, "PerRecordCone"),
        ("dp(ratio=3, delta=1/10)", "bits(2)", Unsupported, "sum over outputs"),
        ("dp", "bits(2)", InvalidInput, "no numbers"),
        ("statistical-difference(epsilon=1/2)", "bits(2)", Unsupported, "not given by linear"),
        ("geometric(ratio=2)", None, Unsupported, "infinitely many databases"),
        ("skellam(1, 1, bits=2)", None, Unsupported, "outputs"),
        ("gdp(mu=1)", None, Unsupported, "not given by linear"),
        ("dp(epsilon=1)", None, InvalidInput, "irrational"),
        ("dp(ratio=3, group=2)", "bits(10)", TooLarge, "at most 9 records"),
        ("gamma-amplification(3)", "bits(10)", TooLarge, "at most 8 records"),
        (RESPONSE, "bits(3)", InvalidInput, "leave the universe out"),
        ([], None, InvalidInput, "no mechanism"),
        ([RESPONSE, "constant(bits=3)"], None, InvalidInput, "share their databases"),
    ],
)
def test_what_has_no_listed_row_cone_is_refused_with_the_way_out(source, universe, error, words):
    with pytest.raises(error, match=words):
        row_cone(source, universe)


def test_cones_over_different_databases_are_not_compared():
    one, two = row_cone("dp(ratio=3)", "bits(1)"), row_cone("dp(ratio=3)", "bits(2)")
    assert one != two
    assert one != "a text"
    with pytest.raises(InvalidInput, match="same databases"):
        one <= two  # noqa: B015
    with pytest.raises(InvalidInput, match="one column per database"):
        RowCone(BitStrings(2), Cone.from_rays([(1, 1)]), "wrong")


def test_constraints_that_the_row_of_ones_just_meets_hold_with_equality():
    cone = row_cone("linear('x1 <= x0')", "bits(1)")
    assert cone.cone.rays == ((1, 1),)
    assert "x1 = x0" in cone.note
    assert row_cone("linear('x1 = x0')", "bits(1)").note is None


def test_a_definition_that_nothing_satisfies_has_no_rows():
    cone = row_cone("linear('2*x1 <= x0')", "bits(1)")
    assert cone.cone.rays == ()
    assert "no mechanism" in cone.note
    assert row_cone("dp(ratio=3)", "bits(2)").note is None


def test_the_answer_lists_one_extreme_row_of_each_kind(monkeypatch):
    """Two bits as if they were many: kinds and their sizes are those of the listed rows."""
    cone = row_cone("dp(ratio=3)", "bits(2)")
    assert cone.to_dict()["counts"]["rays"] == len(cone.generators()) == 6
    monkeypatch.setattr(sys.modules["twoworlds.cones.row_cone"], "_FEW_ROWS", 0)
    said = cone.answer()
    assert "8 guarantees are the combinations of 6 extreme rows, 2 up to" in said.headline
    assert list(said.blocks[1].lines) == ["1  3  3  1  (2 rows)", "1  3  3  9  (4 rows)"]
    data = cone.to_dict()
    assert (data["counts"]["rays"], data["counts"]["orbits"], "rays" in data) == (6, 2, False)
    assert [one["count"] for one in data["orbits"]] == [2, 4]


def test_too_many_extreme_rows_leave_the_guarantees():
    cone = row_cone("dp(ratio=3)", "bits(6)")
    assert "384 guarantees have at least 2^32 extreme rows" in cone.answer().headline
    assert cone.to_dict()["counts"] == {"databases": 64, "facets": 384, "equalities": 0}


@pytest.mark.parametrize(
    ("databases", "guarantees", "said"),
    [
        ("integers(0, 12)", 24, "are the combinations of 4096 extreme rows"),
        ("integers(0, 13)", 26, "have 8192 extreme rows, too many to list"),
        ("integers(0, 25)", 50, "have at least 2^13 extreme rows, too many to list"),
        ("records(values=3, n=2)", 36, "are the combinations of 534 extreme rows"),
        ("records(values=4, n=2)", 96, "have too many extreme rows to list"),
    ],
)
def test_guarantees_are_listed_however_many_extreme_rows_there_are(databases, guarantees, said):
    from twoworlds.questions.cones import cone

    answer = cone("dp(ratio=3)", databases).answer()
    assert answer.headline.endswith(f"{said}.")
    assert len(answer.blocks[0].lines) == guarantees
    facets = cone("dp(ratio=3)", databases).to_dict()["facets"]
    assert len(facets) == guarantees
