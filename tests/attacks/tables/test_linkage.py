import random
from collections import Counter
from fractions import Fraction

import pytest

from tests.attacks.tables import brute
from twoworlds.attacks import link
from twoworlds.attacks.tables.cells import column_cells
from twoworlds.attacks.tables.linkage import KnownValues
from twoworlds.errors import InvalidInput


def test_erratum_w3_outside_records_match_none_or_k_and_inside_ones_may_match_fewer():
    found = link("register.csv", "figure1.csv", on=["zip", "age"], sensitive="condition").data
    assert found["k"] == 4
    assert found["people_by_matching_rows"] == {0: 1, 4: 5}
    assert found["rows_by_matching_people"] == {
        1: 4,
        2: 8,
    }  # the printed remark would have at least 4 for each
    assert found["rows_of_people_not_in_register_at_least"] == 3 + 2 + 2
    assert found["people_pinned"] == 2
    said = link("register.csv", "figure1.csv", on=["zip", "age"]).explain()
    assert "match fewer than 4 people" in said
    alice = found["links"][0]
    assert (alice["person"]["name"], alice["matching_rows"], alice["rivals"]) == ("Alice", 4, 0)
    assert alice["values"] == {
        "Viral Infection": Fraction(1, 2),
        "AIDS": Fraction(1, 4),
        "Heart Disease": Fraction(1, 4),
    }


@pytest.mark.parametrize("seed", range(3))
def test_counts_match_the_comparison_of_all_pairs(seed):
    draw = random.Random(seed)
    table = brute.random_table(draw, draw.randint(1, 15))
    register = [brute.random_person(draw) for _ in range(draw.randint(1, 25))]
    found = link(register, table, "zip,age", sensitive="condition", most=100).data
    rows = [brute.matching(table, person) for person in register]
    people = [sum(brute.fits(row, person) for person in register) for row in table]
    assert found["people_by_matching_rows"] == Counter(map(len, rows))
    assert found["rows_by_matching_people"] == Counter(people)
    groups = Counter((row["zip"], row["age"]) for row in table)
    assert found["k"] == min(groups.values())
    several = [len({(table[n - 1]["zip"], table[n - 1]["age"]) for n in mine}) > 1 for mine in rows]
    assert found["people_in_several_groups"] == sum(several)
    assert found["one_to_one"] == sum(len(mine) == 1 == people[mine[0] - 1] for mine in rows)
    assert found["people_pinned"] == sum(
        len({table[n - 1]["condition"] for n in mine}) == 1 for mine in rows if mine
    )
    assert not any(0 < n < found["k"] for n in found["people_by_matching_rows"])
    linked = {one["row"]: one for one in found["links"]}
    assert sorted(linked) == [i for i, mine in enumerate(rows, start=1) if mine]
    for row, one in linked.items():
        counts = brute.candidates(table, register[row - 1])
        assert one["values"] == {v: Fraction(n, counts.total()) for v, n in counts.items()}
        assert one["rivals"] == min(people[n - 1] for n in rows[row - 1]) - 1


@pytest.mark.parametrize("seed", range(5))
def test_no_more_rows_are_missing_than_a_largest_matching_leaves(seed):
    draw = random.Random(seed)
    table = brute.random_table(draw, draw.randint(1, 6))
    register = [brute.random_person(draw) for _ in range(draw.randint(1, 5))]
    found, least = link(register, table, "zip,age").data, len(table) - len(register)
    exact = len(table) - brute.most_matched(register, table, brute.fits)
    assert max(0, least) <= found["rows_of_people_not_in_register_at_least"] <= exact
    if not found["people_in_several_groups"]:
        assert found["rows_of_people_not_in_register_at_least"] == exact


@pytest.mark.parametrize(
    ("register", "table", "on", "sensitive", "message"),
    [
        ("register.csv", "figure1.csv", "zip,agee", None, "register.csv has no column 'agee'"),
        ("register.csv", "figure1.csv", "name", None, "figure1.csv has no column 'name'"),
    ],
)
def test_rejects_what_makes_no_sense(register, table, on, sensitive, message):
    with pytest.raises(InvalidInput, match=message):
        link(register, table, on, sensitive=sensitive)


@pytest.mark.parametrize("on", [' "zip, code" , "age" ', ["zip, code", "age"]])
def test_names_with_commas_stand_in_quotes(on, tmp_path):
    register, table = tmp_path / "register.csv", tmp_path / "table.csv"
    register.write_text('name,"zip, code",age\nAnn,13012,28\nBob,14850,28\n')
    table.write_text('"zip, code",age,ill\n130**,<30,flu\n130**,<30,cold\n')
    assert link(register, table, on).data["people_by_matching_rows"] == {0: 1, 2: 1}


@pytest.mark.parametrize("on", ['"zip, code', 'zip" code', '"zip" code', '"zip""'])
def test_quotes_that_do_not_match_are_refused(on):
    with pytest.raises(InvalidInput, match="not a list of columns"):
        link("register.csv", "figure1.csv", on)


# --- known values ---------------------------------------------------------------------------------

NUMBERS = ["7", "25", "25.0", "30", "39", "40", "007", "-3", "1.5", "x", "3*", "<30", "30|x"]
CELLS = ["<30", "≥40", "3*", "[20, 40)", "25", "{25, 33}", "x|7", "*", "30-39", ">1", "007"]
TEXTS = ["13012", "14850", "1301", "01301", "130**", "ab", "a*", "13012|x"]
MASKED = ["130**", "1****", "***12", "13012", "1*", "*", "a*", "{ab, 14850}", "01301", "1301"]


@pytest.mark.parametrize(
    ("values", "cells", "numeric"),
    [
        *((NUMBERS, CELLS, numeric) for numeric in (True, False, None)),
        *((TEXTS, CELLS, numeric) for numeric in (True, False, None)),
        *((TEXTS, MASKED, numeric) for numeric in (False, None)),
    ],
)
def test_the_index_finds_what_comparing_one_by_one_finds(values, cells, numeric):
    known = KnownValues(values)
    for cell in column_cells(cells, numeric=numeric).values():
        expected = {v for v in values if cell.meets(known._cells[v])}
        assert known.behind(cell) == expected, cell
