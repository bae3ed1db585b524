"""FRAPP and its Kronecker approximation cone: counts, containments, checks."""

import random
from fractions import Fraction
from itertools import permutations, product

import pytest

from twoworlds import Dense, InvalidInput, Universe, check, measure, mechanism
from twoworlds.cones.amplification import (
    Frapp,
    bounds_of_one_record,
    frapp_row_cone,
    rows_of_one_record,
)
from twoworlds.cones.cone import Cone
from twoworlds.cones.kernel.vectors import units
from twoworlds.cones.per_record import kronecker
from twoworlds.cones.row_cone import row_cone
from twoworlds.definitions import definition
from twoworlds.errors import TooLarge, Unsupported
from twoworlds.mechanisms import PerRecord
from twoworlds.worlds import Explicit, Records

ONLY_IN_THE_APPROXIMATION = (3, 5, 6, 5, 3, 6, 6, 6, 15)


def kronecker_cone(gamma, values, records):
    """The approximation of Lin & Kifer, Definition 5.11: all that is asked of single rows."""
    return row_cone(Frapp.read(gamma, values, records))


def random_transition(rng, gamma, values):
    """A square transition whose rows vary by at most gamma: mixtures of constants and of rays."""
    while True:
        words = [
            [Fraction(rng.choice([1, gamma]) * rng.randint(1, 3)) for _ in range(values)]
            for _ in range(values - 1)
        ]
        rows = [[entry / (20 * values) for entry in row] for row in words]
        rows.append([1 - sum(column) for column in zip(*rows, strict=True)])
        if all(max(row) <= gamma * min(row) for row in rows):
            return rows


def test_three_values_and_two_records_as_computed_before():
    """RESULTS R5 and reference case LK-30."""
    larger, true = kronecker_cone(3, 3, 2), frapp_row_cone(3, 3, 2)
    assert len(larger.cone.facets) == 36
    assert len(larger.generators()) == 948
    assert len(true.generators()) == 36
    assert len(true.cone.facets) == 876
    assert true <= larger
    assert not larger <= true
    assert larger.contains(ONLY_IN_THE_APPROXIMATION)
    assert not true.contains(ONLY_IN_THE_APPROXIMATION)
    separating = (6, -3, 1, -3, 3, 0, 1, 0, -1)
    assert all(
        sum(a * b for a, b in zip(separating, ray, strict=True)) >= 0 for ray in true.cone.rays
    )
    assert sum(a * b for a, b in zip(separating, ONLY_IN_THE_APPROXIMATION, strict=True)) == -6
    products = {kronecker(pair) for pair in product(rows_of_one_record(3, 3), repeat=2)}
    assert len(products & set(larger.generators())) == 36
    assert true.approximation is None
    assert "never invents one" in larger.approximation
    assert row_cone("frapp(gamma=3, values=3, records=2)") == larger
    assert row_cone("frapp(gamma=3)", "records(values=3, n=2)").approximation is not None


@pytest.mark.parametrize(("gamma", "rays"), [("11/10", 840), ("3/2", 840), ("2", 948), ("10", 948)])
def test_the_number_of_rays_of_the_approximation_jumps_near_the_golden_ratio(gamma, rays):
    """Reference case LK-61."""
    cone = kronecker_cone(gamma, 3, 2)
    assert (len(cone.cone.facets), len(cone.generators())) == (36, rays)


@pytest.mark.few(3)
@pytest.mark.parametrize(("values", "records", "gamma"), [(3, 2, 3), (2, 3, 2), (3, 1, 2)])
def test_the_approximation_contains_every_row_of_frapp_mechanisms(values, records, gamma):
    """Lin & Kifer, Lemma 5.12; products of rows lie in the generated cone by construction."""
    rng = random.Random(values * 100 + records)
    inequalities = [
        kronecker(f) for f in product(bounds_of_one_record(gamma, values), repeat=records)
    ]
    where = Universe.of([str(i) for i in range(values)])
    for _ in range(5):
        made = PerRecord(Dense(where, where, random_transition(rng, gamma, values)), records)
        assert check(made, f"frapp(gamma={gamma})")
        for row in made.table().rows:
            assert all(sum(a * x for a, x in zip(f, row, strict=True)) >= 0 for f in inequalities)
        assert Frapp(Fraction(gamma)).measured(made.table()).factor <= 1


@pytest.mark.parametrize(("values", "records"), [(2, 1), (2, 2), (2, 3), (3, 1), (4, 1)])
def test_two_values_or_one_record_need_no_approximation(values, records):
    """Erratum E12: the Kronecker cone is the row cone; for bits, that of randomized response."""
    cone = kronecker_cone(2, values, records)
    assert cone.approximation is None
    assert cone == frapp_row_cone(2, values, records)
    if values == 2:
        response = row_cone(f"randomized-response(values=2, records={records}, ratio=2)")
        assert cone == response
    else:
        assert cone == row_cone("dp(ratio=2)", f"records(values={values}, n=1)")


def test_no_amplification_leaves_constant_rows_where_print_leaves_sums():
    """Differs: with gamma = 1 the printed products allow x_(a,b) = f(a) + g(b)."""
    units = [[int(i == j) for j in range(3)] for i in range(3)]
    lines = [
        [a - b for a, b in zip(units[i], units[j], strict=True)]
        for i, j in permutations(range(3), 2)
    ]
    zero = [[0, 0, 0]]
    printed = Cone.from_inequalities(
        [kronecker([tuple(f), tuple(g)]) for f, g in product(lines + zero, repeat=2)], dimension=9
    )
    additive = [a + b for a in (0, 1, 2) for b in (0, 3, 4)]
    assert printed.contains(additive)
    assert kronecker_cone(1, 3, 2).generators() == ((1,) * 9,)
    assert not kronecker_cone(1, 3, 2).contains(additive)
    assert frapp_row_cone(1, 3, 2) == kronecker_cone(1, 3, 2)
    assert len(kronecker_cone("inf", 3, 2).generators()) == 9


def test_the_rays_of_one_record_are_those_of_its_inequalities():
    for values in (1, 2, 3, 4):
        for gamma in ("1", "3/2", "3", "inf"):
            rays, lines = rows_of_one_record(gamma, values), bounds_of_one_record(gamma, values)
            assert Cone.from_rays(rays) == Cone.from_inequalities(lines)


# --- as a definition ----------------------------------------------------------------------------


def test_one_transition_per_record_is_checked_on_one_record():
    text = "pram([[3/5, 1/7, 1/7], [1/5, 3/7, 3/7], [1/5, 3/7, 3/7]], records=50)"
    assert measure(text, definition="frapp").gamma == Fraction(21, 5)
    assert check(text, "frapp(gamma=21/5)")
    refused = check(text, "frapp(gamma=4)")
    assert not refused
    assert refused.witness.verify()
    assert check(text, "frapp(gamma=21/5, values=3, records=50)")


def test_structure_and_the_rows_of_the_table_agree():
    for keep, holds in (("3/5", True), ("2/3", False)):
        made = mechanism(f"randomized-response(values=3, records=2, keep={keep})")
        assert bool(check(made, "frapp(gamma=3)")) is holds
        by_rows = check(made.table(), "frapp(gamma=3)")
        assert bool(by_rows) is holds
        assert ("row cone" in by_rows.notes[0]) is holds or "never invents" in by_rows.notes[0]


def test_a_mechanism_that_differential_privacy_accepts_and_frapp_refuses():
    refused = check("noisy-parity(bits=2, keep=3/4)", "frapp(gamma=3)")
    assert not refused
    assert refused.factor == Fraction(9, 5)
    assert refused.witness.certificate().verify()
    assert check("noisy-parity(bits=2, keep=3/4)", "dp(ratio=3)")


def test_frapp_names_what_it_misses():
    with pytest.raises(InvalidInput, match="no number"):
        check("identity(bits=2)", "frapp")
    with pytest.raises(InvalidInput, match="together"):
        definition("frapp(gamma=3, values=3)")
    with pytest.raises(InvalidInput, match="of k records"):
        row_cone("frapp(gamma=3)", "points([a, b])")
    with pytest.raises(InvalidInput, match="about"):
        check("identity(bits=2)", "frapp(gamma=3, values=3, records=2)")
    with pytest.raises(InvalidInput, match="any databases"):
        kronecker_cone(3, None, None)
    with pytest.raises(Unsupported, match="check a claim"):
        measure("noisy-parity(bits=2, keep=3/4)", definition="frapp")
    with pytest.raises(TooLarge, match=r"6\^6 products"):
        kronecker_cone(3, 3, 6)
    with pytest.raises(InvalidInput, match="irrational"):
        kronecker_cone("e^1", 3, 2)
    assert (
        definition("frapp(gamma=3, values=3, records=2)").claim
        == "frapp(gamma=3, values=3, records=2)"
    )
    assert definition("frapp(gamma=3, values=[a, b], records=2)").claim == (
        "frapp(gamma=3, values=[a, b], records=2)"
    )


def test_a_row_that_only_the_approximation_allows_does_not_satisfy_frapp():
    row = [Fraction(v, 30) for v in (3, 5, 6, 5, 3, 6, 6, 6, 15)]
    outputs, rows = Explicit(("yes", "no")), [row, [1 - p for p in row]]
    found = check(Dense(Records(3, 2), outputs, rows), "frapp(gamma=3)")
    assert not found
    assert found.witness is not None
    assert found.witness.verify()


def test_guarantees_are_listed_where_extreme_rows_are_too_many() -> None:
    for values, records, guarantees in ((3, 3, 216), (4, 2, 144), (4, 3, 1728)):
        many = row_cone(f"frapp(gamma=3, values={values}, records={records})")
        said = f"{guarantees} guarantees have too many extreme rows to list"
        assert said in many.answer().headline
        with pytest.raises(TooLarge, match="ask for facets"):
            many.generators()
    for frapp, way_out in (("values=4, records=5", "use 3 records"), ("values=999", "use 161")):
        with pytest.raises(TooLarge, match=way_out):
            row_cone(f"frapp(gamma=3, {frapp}{', records=1' * ('records' not in frapp)})")


@pytest.mark.parametrize("gamma", ["1", "3/2", "2", "inf"])
@pytest.mark.parametrize(("values", "records"), [(1, 2), (2, 3), (3, 2), (4, 1)])
def test_the_guarantees_of_frapp_are_the_ones_that_no_others_imply(values, records, gamma):
    found = row_cone(f"frapp(gamma={gamma}, values={values}, records={records})").cone
    bounds = product(bounds_of_one_record(gamma, values), repeat=records)
    given = [kronecker(f) for f in bounds] + units(values**records)
    again = Cone.from_inequalities(given)  # which finds the redundant ones by its rays
    assert again.rays
    assert (found.facets, found.equalities) == (again.facets, again.equalities)


def test_two_values_have_as_many_extreme_rows_as_databases_and_they_are_listed():
    found = row_cone("frapp(gamma=3, values=2, records=5)")
    assert found.few_rows
    assert found == row_cone("randomized-response(values=2, records=5, ratio=3)")
