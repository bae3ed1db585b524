"""Groups by knowledge, against attackers who are tried one after the other."""

from collections import Counter
from fractions import Fraction
from itertools import product
from random import Random

import pytest

from twoworlds.attacks import examine
from twoworlds.attacks.tables.cells import column_cells
from twoworlds.attacks.tables.knowledge import KnownValues, is_whole, known_cells, points
from twoworlds.errors import InvalidInput, TooLarge

AGES = ["<30", "3*", "<35", "≥35", "28", "[33, 40]", "{20, 33, 50}", "*"]
ZIPS = ["130**", "13***", "1*012", "13012", "*", "14850", "13012|14850"]

KNOWN_AGES = range(-5, 160)
KNOWN_ZIPS = ["13012", "13099", "13112", "13999", "14012", "14850", "19012", "19999", "elsewhere"]


def matching(rows, column, known):
    """Return for each known value the set of rows that it fits."""
    cells = column_cells([row[column] for row in rows])
    fits = {text: [cell.allows(value) for value in known] for text, cell in cells.items()}
    return {
        frozenset(i for i, row in enumerate(rows) if fits[row[column]][v])
        for v in range(len(known))
    }


@pytest.mark.few(3)
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
    assert found.measures.worst["belief"].value == max(
        Fraction(max(view.values()), view.total()) for view in views.values()
    )
    table = Counter(row["has"] for row in rows)
    farthest = max(
        sum(abs(Fraction(view[v], view.total()) - Fraction(table[v], 25)) for v in table) / 2
        for view in views.values()
    )
    assert found.measures.worst["equal"].value == farthest


def test_refuses_cells_that_overlap_in_too_many_ways():
    texts = ["".join(m) for m in product("a*", repeat=12)] + [
        "".join(m) for m in product("b*", repeat=12)
    ]
    with pytest.raises(TooLarge, match="equal texts"):
        points(texts, column_cells(texts))
    rows = [{"age": age} for age in ("*5", "<30", "<30")]
    with pytest.raises(InvalidInput, match="hide digits at the end"):
        examine(rows, ["age"], groups="knowledge")
    assert examine(rows, ["age"]).k == 1


SPANS = ["<30", "30-39", "40-49", "30-49", "(39, 41)", "[35, 40)", ">39", "<40", "45", "*", ""]


@pytest.mark.parametrize("seed", range(6))
def test_points_of_whole_numbers_are_those_of_whole_numbers(seed):
    texts = sorted(Random(seed).sample(SPANS, 5))
    cells = known_cells(texts)
    assert is_whole(cells.values())
    seen = {tuple(i for i, t in enumerate(texts) if cells[t].allows(x)) for x in range(-5, 100)}
    assert set(points(texts, cells)) == seen - {()}


@pytest.mark.parametrize("text", ["39.5", "<39.5", "(39, 40)", "{30, 39.5}"])
def test_a_column_is_not_one_of_whole_numbers_if_a_cell_shows_or_needs_another(text):
    texts = ["30-39", "40-49", "30-49", text]
    cells = known_cells(texts)
    assert not is_whole(cells.values())
    between = points(texts, cells)
    assert any(2 in point and not {0, 1} & set(point) for point in between)
    assert {code for point in between for code in point} == {0, 1, 2, 3}


@pytest.mark.parametrize("seed", range(3))
def test_the_words_of_a_group_hold_for_what_is_known_and_for_nothing_else(seed):
    rows = [{"age": age, "has": "a"} for age in Random(seed).sample(SPANS, 6)]
    texts = sorted(row["age"] for row in rows)
    cells = known_cells(texts)
    found = examine(rows, ["age"], "has", groups="knowledge")
    assert found.exposed.groups == len(found.exposed.shown)
    for one in found.exposed.shown:
        [(_, fitting)] = one.group.values
        others = dict(one.group.but_not).get("age", ())
        for age in range(-5, 100):
            told = all(cells[t].allows(age) for t in fitting) and not any(
                cells[t].allows(age) for t in others
            )
            assert told == (fitting == tuple(t for t in texts if cells[t].allows(age)))


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
