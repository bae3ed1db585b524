"""Measures of anonymity against their definitions, and what is said of a table."""

from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import combinations
from math import exp

import numpy as np
import pytest

from tests.attacks.tables.brute import (
    FIGURE_1,
    earth_mover,
    entropy,
    grouped,
    random_people,
    total_variation,
)
from twoworlds.attacks import examine
from twoworlds.attacks.tables.groups import Counted, count_table
from twoworlds.errors import InvalidInput, TooLarge
from twoworlds.numbers import bounds

QUASI = ["zip", "age", "sex"]


def numbered(seed):
    return random_people(seed, rows=12 + 7 * seed, values=["1", "2", "10", "30", "7.5"])


@cache
def counted(seed):
    return count_table(numbered(seed), (*QUASI, "has"))


@pytest.mark.few(3)
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("columns", [QUASI, ["zip", "sex"], ["sex"]])
def test_measures_follow_their_definitions(seed, columns):
    rows = numbered(seed)
    groups = grouped(rows, columns, "has")
    table = Counter(row["has"] for row in rows)
    found = examine(counted(seed), columns, "has")
    measures = found.measures
    assert found.people == len(rows)
    assert measures.groups == len(groups)
    assert found.k == min(group.total() for group in groups.values())
    assert found.diversity == min(len(group) for group in groups.values())
    assert measures.worst["belief"].value == max(
        Fraction(max(group.values()), group.total()) for group in groups.values()
    )
    assert measures.worst["equal"].value == max(total_variation(g, table) for g in groups.values())
    assert measures.worst["ordered"].value == max(earth_mover(g, table) for g in groups.values())
    low, high = bounds(measures.worst["entropy"].value)
    assert low <= high
    least = exp(min(entropy(group) for group in groups.values()))
    assert abs(float(low) - least) < 1e-9


def test_every_part_is_measured_and_none_hides_worse_than_the_whole():
    rows = counted(5)
    found = examine(rows, QUASI, "has", subsets=True)
    parts = [c for size in (3, 2, 1) for c in combinations(QUASI, size)]
    assert [part.columns for part in found.subsets] == parts
    for part in found.subsets:
        alone = examine(rows, list(part.columns), "has").measures
        assert part == alone
        assert part.k >= found.k
        assert part.worst["distinct"].value >= found.measures.worst["distinct"].value
        assert part.worst["equal"].value <= found.measures.worst["equal"].value
        assert part.worst["ordered"].value <= found.measures.worst["ordered"].value
        assert (
            bounds(part.worst["entropy"].value)[1]
            >= bounds(found.measures.worst["entropy"].value)[0]
        )


def test_figure_1_is_4_anonymous_1_diverse_and_exposes_those_in_their_30s():
    found = examine(FIGURE_1, ["zip", "age", "nationality"], "condition")
    assert (found.k, found.diversity, found.measures.groups) == (4, 1, 3)
    [exposure] = found.exposed.shown
    assert exposure.sentence == "all 4 people in their 30s in 130** have Cancer"
    assert exposure.values == ("Cancer",)
    assert exposure.group.counts == {"Cancer": 4}
    assert (found.exposed.groups, found.exposed.people) == (1, 4)
    assert found.measures.worst["equal"].value == Fraction(7, 12)
    assert "ordered" not in found.measures.worst


def test_figure_1_rules_out_values_that_others_have_and_all_that_nobody_has():
    found = examine(FIGURE_1, ["zip", "age", "nationality"], "condition")
    said = {exposure.sentence: exposure.values for exposure in found.ruled_out.shown}
    assert said == {
        "none of the 4 people under 30 in 130** has Cancer": ("Cancer",),
        "none of the 4 people aged 40 or over in 130** has AIDS": ("AIDS",),
    }
    possible = list(found.totals)
    assert "Broken leg" not in possible
    assert sorted(possible) == ["AIDS", "Cancer", "Heart Disease", "Viral Infection"]
    assert "cannot have anything else" in found.explain()


def test_claims_are_checked_exactly():
    rows = random_people(1, rows=200)
    table = Counter(row["has"] for row in rows)
    groups = grouped(rows, ["sex"], "has")
    worst = max(total_variation(group, table) for group in groups.values())
    ratio = max(
        Fraction(max(group.values()), group.total() - max(group.values()))
        for group in groups.values()
    )
    k = min(group.total() for group in groups.values())

    once = count_table(rows, ["sex", "has"])

    def holds(**claims):
        return examine(once, ["sex"], "has", **claims).holds

    assert holds(k=k) is True
    assert holds(k=k + 1) is False
    assert holds(diversity=4) is True
    assert holds(diversity="5") is False
    assert holds(closeness=worst) is True
    assert holds(closeness=worst - Fraction(1, 10**12)) is False
    assert holds(recursive=(ratio, 2)) is False  # strictly less is asked for
    assert holds(recursive=(ratio + Fraction(1, 10**12), 2)) is True
    assert holds(recursive=(100, 5)) is False
    assert holds(entropy="3.9") is True
    assert holds(entropy=4) is False
    assert holds() is None
    assert holds(k=k, diversity=5) is False


def test_the_distance_of_a_claim_is_ordered_for_numbers_unless_chosen():
    rows = [{"a": "x", "n": str(n)} for n in range(5)] + [{"a": "y", "n": "0"}]
    found = examine(rows, ["a"], "n")
    assert found.measures.worst["ordered"].value < found.measures.worst["equal"].value
    between = (found.measures.worst["ordered"].value + found.measures.worst["equal"].value) / 2
    assert examine(rows, ["a"], "n", closeness=between).holds is True
    assert examine(rows, ["a"], "n", closeness=between, distance="equal").holds is False
    with pytest.raises(InvalidInput, match="needs numbers"):
        examine(FIGURE_1, ["age"], "condition", closeness="0.2", distance="ordered")


def test_why_a_table_is_not_anonymous_names_small_groups_and_the_column_to_coarsen():
    rows = [{"zip": f"13{n}", "sex": "f", "has": "flu"} for n in range(4)]
    rows += [{"zip": "140", "sex": "m", "has": "flu"}] * 3
    found = examine(rows, ["zip", "sex"], "has", k=3)
    assert found.holds is False
    assert (found.advice["groups"], found.advice["people"]) == (4, 4)
    assert found.advice["without"] == {
        "zip": {"people": 0, "smallest": 3, "groups": 0},
        "sex": {"people": 4, "smallest": 1, "groups": 4},
    }
    assert "1 person in 130 with sex f" in found.explain()
    assert "Hiding zip altogether would make it 3-anonymous" in found.explain()
    assert examine(rows, ["sex"], "has", k=3).advice is None


@pytest.mark.parametrize(
    ("quasi", "sensitive", "options", "message"),
    [
        (["zip", "size"], "condition", {}, "no column 'size'"),
        (["zip", "condition"], "condition", {}, "nothing left to learn"),
        (["zip", "zip"], "condition", {}, "twice"),
        ([], "condition", {}, "names no column"),
        (3, "condition", {}, "give columns, such as"),
        (["zip"], "condition", {"k": "2.5"}, "k=2.5 must be a whole number"),
        (["zip"], "condition", {"entropy": "0.5"}, "at least 1"),
        (["zip"], "condition", {"recursive": (1, 2, 3)}, "two numbers"),
        (["zip"], "condition", {"recursive": (0, 2)}, "above 0"),
        (["zip"], "condition", {"distance": "far"}, "'equal' or 'ordered'"),
        (["zip"], None, {"diversity": 2}, "about a sensitive column"),
    ],
)
def test_refuses_what_makes_no_sense(quasi, sensitive, options, message):
    with pytest.raises(InvalidInput, match=message):
        examine(FIGURE_1, quasi, sensitive, **options)


def test_refuses_all_parts_of_too_many_columns():
    row = {f"c{i}": "x" for i in range(13)}
    columns = list(row)
    assert examine([row], columns).k == 1
    with pytest.raises(TooLarge, match="name fewer, or leave out subsets"):
        examine([row], columns, subsets=True)


def test_numbers_beyond_64_bits_are_still_exact():
    many = 3_000_000_000
    table = Counted(
        "t",
        ("a", "s"),
        (("x", "y"), ("1", "2", "3")),
        (np.array([0, 0, 1]), np.array([0, 1, 2])),
        np.array([many, many + 1, many]),
    )
    worst = examine(table, ["a"], "s").measures.worst
    people = 3 * many + 1
    assert worst["equal"].value == 1 - Fraction(many, people)
    assert worst["ordered"].value == (Fraction(many, people) + Fraction(2 * many + 1, people)) / 2


def test_nothing_makes_fewer_than_k_rows_k_anonymous():
    row = {"age": "30", "zip": "13012"}
    said = examine([row], ["age", "zip"]).explain()
    assert "It has only 1 row: nothing makes it 2-anonymous, not even hiding every column." in said
    assert "coarsen" not in said
    said = examine([row] * 3, ["age", "zip"], k=4).explain()
    assert "It has only 3 rows: nothing makes it 4-anonymous" in said
    others = [row, {"age": "31", "zip": "14850"}]
    said = examine(others, ["age", "zip"]).explain()
    assert "Hiding a single column would help nobody: coarsen several." in said
