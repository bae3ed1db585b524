"""Rows, and cones of several mechanisms, as they are asked for on the command line."""

from fractions import Fraction

import pytest

from twoworlds.cones import consistent_normal_form_contains, frapp_row_cone, row_cone
from twoworlds.errors import TooLarge, Undecided, Unsupported
from twoworlds.mechanisms import Dense
from twoworlds.mechanisms.named import mechanism
from twoworlds.questions.cones import cone, design, member
from twoworlds.worlds import Explicit

SURVEY = "randomized-response(bits=2, keep=3/4)"
FRAPP = "frapp(gamma=3, values=3, records=2)"


def test_a_row_of_the_approximation_of_frapp_that_never_occurs_is_found_out():
    """The functional (6, -3, 1, -3, 3, 0, 1, 0, -1) is at least 0 on products, and -6 here."""
    row, functional = (3, 5, 6, 5, 3, 6, 6, 6, 15), (6, -3, 1, -3, 3, 0, 1, 0, -1)
    rays = list(cone(FRAPP, exact=True).generators())
    assert all(sum(c * x for c, x in zip(functional, ray, strict=True)) >= 0 for ray in rays)
    assert sum(c * x for c, x in zip(functional, row, strict=True)) == -6
    assert row_cone(FRAPP).contains(row)
    assert not member(of=[FRAPP], row=",".join(map(str, row))).answer().holds
    assert member(of=[FRAPP], row="9,3,3,3,1,1,3,1,1").answer().holds


def test_with_as_many_records_as_values_a_row_of_frapp_may_stay_open():
    row = ",".join(["1"] * 27)
    with pytest.raises(Undecided, match="whether it occurs is open"):
        member(of=["frapp(gamma=3, values=3, records=3)"], row=row)
    entangled = (3, 5, 6, 5, 3, 6, 6, 6, 15)  # constant in the third record
    row = ",".join(str(x) for x in entangled for _ in range(3))
    assert not member(of=["frapp(gamma=3)"], row=row, universe="records(3, n=3)").answer().holds


@pytest.mark.parametrize("row", ["9,3,3,1", "3,3,1,1", "1,1,1,1", "5,3,3,5"])
def test_a_row_comes_with_a_trusted_mechanism_that_has_it(row):
    found = member(of=[SURVEY], row=row)
    yes = [Fraction(p) for p in found.to_dict()["yes"]]
    entries = [Fraction(entry) for entry in row.split(",")]
    assert all(p * entries[0] == x * yes[0] for p, x in zip(yes, entries, strict=True))
    survey = mechanism(SURVEY)
    rows = [yes, [1 - p for p in yes]]
    shown = Dense(survey.universe, Explicit(("yes", "no")), rows, expression="yes or no")
    assert consistent_normal_form_contains(shown, survey)


def test_the_cone_of_several_mechanisms_is_generated_by_all_their_rows():
    maps = ["parity(bits=2)", SURVEY]
    found = cone(maps[0], also=maps[1:])
    rows = [list(row) for one in maps for row in mechanism(one).table().rows]
    assert all(found.contains(row) for row in rows)
    assert set(found.generators()) <= set(row_cone(maps).generators())
    assert "or randomized-response" in found.explain()


def test_a_count_of_many_people_is_sent_to_the_universe_of_counts():
    """By symmetry the best mechanism for a count sees the count alone: 3 bits, and 0, ..., 3."""
    with pytest.raises(TooLarge, match=r"at most 10 records; .*'integers\(0, n\)'"):
        design("dp(ratio=2)", statistic="count", universe="bits(200)")
    counts = design("dp(ratio=2)", loss="absolute", universe="integers(0, 3)")
    assert design("dp(ratio=2)", statistic="count", universe="bits(3)").loss == counts.loss


def test_a_cone_of_too_many_rows_is_refused_at_once_and_still_knows_its_rows():
    large = "frapp(gamma=3, values=3, records=3)"
    with pytest.raises(TooLarge, match=r"216 rows over 27 databases.*member --row"):
        cone(large, exact=True)
    assert not frapp_row_cone(3, 3, 3).contains([9 if x else 0 for x in range(27)])


def test_a_design_under_frapp_says_which_command_saves_the_true_cone():
    with pytest.raises(Unsupported, match=r"twoworlds cone 'frapp\(.*\)' --exact --save cone.json"):
        design(FRAPP)
