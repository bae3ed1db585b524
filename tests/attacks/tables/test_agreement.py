"""What cells of several tables say together, against sets that are listed."""

from itertools import product

import pytest

from twoworlds.attacks.tables import beliefs
from twoworlds.attacks.tables.beliefs import Sensitive
from twoworlds.errors import TooLarge

# What the cells hold, among the ends of all intervals, and what lies between.
POINTS = [5, 7, 10.5, 15, 16, 20, 20.5, 24, 24.5, 25, 27, 30, 31.5, 33, 35, 39, 40, 45, 49, 50, 55]
NUMBERS = {
    "<30": lambda x: x < 30,
    "≥25": lambda x: x >= 25,
    "(20, 40]": lambda x: 20 < x <= 40,
    "[16, 24]": lambda x: 16 <= x <= 24,
    "15-25": lambda x: 15 <= x <= 25,
    "3*": lambda x: 30 <= x <= 39,
    "25": lambda x: x == 25,
    "{7, 25, 33}": lambda x: x in (7, 25, 33),
    "5|[30, 50)": lambda x: x == 5 or 30 <= x < 50,
    "*": lambda x: True,
}
WORDS = [a + b + c for a, b, c in product("ab", repeat=3)]
MASKS = {
    "a**": lambda w: w[0] == "a",
    "*b*": lambda w: w[1] == "b",
    "**a": lambda w: w[2] == "a",
    "ab*": lambda w: w[:2] == "ab",
    "aba": lambda w: w == "aba",
    "aab|bbb": lambda w: w in ("aab", "bbb"),
    "{b**, aba}": lambda w: w[0] == "b" or w == "aba",
}


def agreements(tables):
    """What each choice of a cell in every table says."""
    counted = [dict.fromkeys(table, 1) for table in tables]
    return {texts: cell for cell, texts, _ in Sensitive(tables).choices(counted)}


@pytest.mark.few(3)
@pytest.mark.parametrize(("cells", "points"), [(NUMBERS, POINTS), (MASKS, WORDS)])
@pytest.mark.parametrize("tables", [1, 2, 3])
def test_candidates_are_the_intersections_of_the_sets(cells, points, tables):
    found = agreements([list(cells)] * tables)
    for chosen in product(cells, repeat=tables):
        inside = [x for x in points if all(cells[text](x) for text in chosen)]
        if not inside:
            assert chosen not in found
            continue
        assert [x for x in points if found[chosen].allows(x)] == inside, chosen
        if len(inside) == 1 and cells is MASKS:
            assert found[chosen].is_value


def test_rejects_too_many_ways(monkeypatch):
    monkeypatch.setattr(beliefs, "_MOST", 8)
    tables = [["<1", "<2", "<3"], ["<4", "<5", "<6"]]
    with pytest.raises(TooLarge, match="more than 8 ways"):
        agreements(tables)
