import random

import pytest

from tests.attacks.composition import brute
from twoworlds.attacks.composition.matching import KnownValues
from twoworlds.attacks.generalised import column_cells

NUMBERS = ["7", "25", "25.0", "30", "39", "40", "007", "-3", "1.5", "x", "3*", "<30", "30|x"]
CELLS = ["<30", "≥40", "3*", "*5", "[20, 40)", "25", "{25, 33}", "x|7", "*", "30-39", ">1", "007"]
TEXTS = ["13012", "14850", "1301", "01301", "130**", "ab", "a*", "13012|x"]
MASKS = ["130**", "1****", "***12", "13012", "1*", "*", "a*", "{ab, 14850}", "01301", "1301"]


@pytest.mark.parametrize(("values", "cells"), [(NUMBERS, CELLS), (TEXTS, MASKS), (TEXTS, CELLS)])
@pytest.mark.parametrize("numeric", [True, False, None])
def test_the_index_finds_what_comparing_one_by_one_finds(values, cells, numeric):
    known = KnownValues(values)
    for cell in column_cells(cells, numeric=numeric).values():
        expected = {v for v in values if cell.meets(known._cells[v])}
        assert known.behind(cell) == expected, cell


@pytest.mark.parametrize("column", ["age", "zip"])
def test_pairs_are_those_of_the_meanings(column):
    meanings = {cell: held for cell, held in brute.MEANINGS[column].items() if cell}
    people = brute.ZIPS if column == "zip" else [str(age) for age in range(100)]
    pairs = set(KnownValues(people).pairs(meanings))
    assert pairs == {(str(v), cell) for cell, held in meanings.items() for v in held}


def test_what_is_not_said_or_not_known_fits_everything():
    found = set(KnownValues(["1", None]).pairs(["2", None]))
    assert found == {("1", None), (None, "2"), (None, None)}


def test_many_values_are_looked_up_and_not_compared_one_by_one(monkeypatch):
    draw = random.Random(1)
    values = {str(draw.randrange(10_000, 100_000)) for _ in range(2000)}
    known = KnownValues(values)
    masks = column_cells(f"{i}**" for i in range(100, 1000))
    compared = []
    meets = type(next(iter(masks.values()))).meets
    monkeypatch.setattr(
        "twoworlds.attacks.generalised.Cell.meets",
        lambda self, other: compared.append(1) or meets(self, other),
    )
    found = [(value, mask) for mask, cell in masks.items() for value in known.behind(cell)]
    assert sorted(found) == sorted((value, f"{value[:3]}**") for value in values)
    assert len(compared) == len(values)
