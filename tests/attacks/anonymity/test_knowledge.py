"""Groups by knowledge, against attackers who are tried one after the other."""

from collections import Counter
from fractions import Fraction
from itertools import product
from random import Random

import pytest

from twoworlds.attacks.anonymity import examine
from twoworlds.attacks.anonymity.knowledge import points
from twoworlds.attacks.generalised import column_cells
from twoworlds.errors import TooLarge

AGES = ["<30", "3*", "<35", "≥35", "28", "[33, 40]", "{20, 33, 50}", "*", "*5"]
ZIPS = ["130**", "13***", "1*012", "13012", "*", "14850", "13012|14850"]

KNOWN_AGES = [Fraction(n, 2) for n in range(-10, 320)]
KNOWN_ZIPS = ["13012", "13099", "13112", "13999", "14012", "14850", "19012", "19999", "elsewhere"]


def matching(rows, column, known):
    """Return for each known value the set of rows that it fits."""
    cells = column_cells([row[column] for row in rows])
    fits = {text: [cell.allows(value) for value in known] for text, cell in cells.items()}
    return {
        frozenset(i for i, row in enumerate(rows) if fits[row[column]][v])
        for v in range(len(known))
    }


@pytest.mark.parametrize("seed", range(8))
def test_measures_by_knowledge_are_those_of_the_worst_attacker(seed):
    chance = Random(seed)
    rows = [
        {
            "age": chance.choice(AGES[: 3 + seed]),
            "zip": chance.choice(ZIPS[: 2 + seed]),
            "has": chance.choice("abc"),
        }
        for _ in range(25)
    ]
    views = {}
    by_age, by_zip = matching(rows, "age", KNOWN_AGES), matching(rows, "zip", KNOWN_ZIPS)
    for one, other in product(by_age, by_zip):
        if one & other:
            views[one & other] = Counter(rows[i]["has"] for i in one & other)
    found = examine(rows, ["age", "zip"], "has", groups="knowledge")
    assert found.k == min(view.total() for view in views.values())
    assert found.diversity == min(len(view) for view in views.values())
    assert found.measures.belief.value == max(
        Fraction(max(view.values()), view.total()) for view in views.values()
    )
    table = Counter(row["has"] for row in rows)
    farthest = max(
        sum(abs(Fraction(view[v], view.total()) - Fraction(table[v], 25)) for v in table) / 2
        for view in views.values()
    )
    assert found.measures.equal.value == farthest
    assert found.verify()


def test_points_of_a_column_are_the_sets_of_cells_that_some_value_meets():
    texts = AGES
    cells = column_cells(texts)
    values = [Fraction(n, 4) for n in range(-40, 900)]
    seen = {tuple(i for i, t in enumerate(texts) if cells[t].allows(x)) for x in values}
    assert set(points(texts, cells)) == seen - {()}
    zips = column_cells(ZIPS)
    seen = {tuple(i for i, t in enumerate(ZIPS) if zips[t].allows(x)) for x in KNOWN_ZIPS}
    assert set(points(ZIPS, zips)) == seen


def test_overlapping_cells_hide_some_and_expose_others():
    rows = [{"age": "<35", "has": "flu"}] * 2 + [{"age": "3*", "has": "cold"}] * 3
    by_texts = examine(rows, ["age"], "has")
    by_knowledge = examine(rows, ["age"], "has", groups="knowledge")
    assert (by_texts.k, by_texts.measures.groups) == (2, 2)
    # Somebody of 28 fits two rows, somebody of 33 all five, somebody of 38 three.
    assert (by_knowledge.k, by_knowledge.measures.groups) == (2, 3)
    at_33 = [{"age": "<35", "has": "flu"}] * 2 + [{"age": "33", "has": "cold"}]
    assert examine(at_33, ["age"], "has").k == 1
    assert examine(at_33, ["age"], "has", groups="knowledge").k == 2
    assert "exact knowledge matches" in by_knowledge.explain()


def test_both_ways_agree_where_no_cells_overlap():
    rows = [
        {"age": age, "zip": zip_code, "has": has}
        for age, zip_code, has in product(["<30", "3*", "≥40"], ["130**", "14850"], "abca")
    ]
    one = examine(rows, ["age", "zip"], "has", subsets=True)
    other = examine(rows, ["age", "zip"], "has", subsets=True, groups="knowledge")
    assert one.measures == other.measures
    assert one.subsets == other.subsets


def test_many_masks_of_one_shape_are_told_apart_quickly():
    texts = [f"{n:04d}*" for n in range(3000)] + ["*"]
    assert points(texts, column_cells(texts)) == [
        *((n, 3000) for n in range(3000)),
        (3000,),
    ]


def test_refuses_cells_that_overlap_in_too_many_ways():
    texts = ["".join(m) for m in product("a*", repeat=12)] + [
        "".join(m) for m in product("b*", repeat=12)
    ]
    with pytest.raises(TooLarge, match="equal texts"):
        points(texts, column_cells(texts))
    with pytest.raises(TooLarge, match="hide digits at the end"):
        points(["*****5", "<3"], column_cells(["*****5", "<3"]))
