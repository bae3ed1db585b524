import random
from collections import Counter
from fractions import Fraction

import pytest

from tests.attacks.composition import brute
from twoworlds.attacks.composition import expose
from twoworlds.errors import InvalidInput

FIGURES = ("figure1.csv", "figure2.csv")


def test_the_register_and_both_figures():
    found = expose(FIGURES, "register.csv", "condition")
    assert (found.people, found.everywhere, found.pinned, found.newly) == (6, 5, 3, 1)
    assert [(t.matched, t.pinned) for t in found.tables] == [(5, 2), (5, 0)]
    assert found.left == {1: 3, 2: 2}
    assert found.guessed == 3 + 2 * Fraction(4, 7)
    first = found.victims[0]
    assert (first.row, first.person["name"], first.value, first.alone) == (
        1,
        "Alice",
        "AIDS",
        (3, 4),
    )
    assert "and 1 only by putting the tables together" in found.sentence
    assert found.to_dict()["expected_right_guesses"]["exact"] == "29/7"


@pytest.mark.parametrize("seed", range(8))
def test_everybody_at_once_matches_everybody_one_by_one(seed):
    draw = random.Random(seed)
    tables = [brute.random_table(draw, draw.randint(1, 12)) for _ in range(draw.randint(1, 3))]
    register = [brute.random_person(draw) for _ in range(draw.randint(1, 30))]
    found = expose(tables, register, "condition", most=100)
    alone = [[brute.candidates(table, person) for table in tables] for person in register]
    together = [brute.posterior(tables, person) for person in register]
    for i, share in enumerate(found.tables):
        assert share.matched == sum(bool(each[i]) for each in alone)
        assert share.pinned == sum(len(each[i]) == 1 for each in alone)
    inside = [i for i, each in enumerate(alone) if all(each)]
    assert found.everywhere == len(inside)
    assert found.left == Counter(len(together[i]) for i in inside)
    assert found.guessed == sum(max(together[i].values(), default=0) for i in inside)
    pinned = {i + 1: next(iter(together[i])) for i in inside if len(together[i]) == 1}
    assert {one.row: one.value for one in found.victims} == pinned
    assert found.pinned == len(pinned)
    newly = [i for i in pinned if all(len(each) > 1 for each in alone[i - 1])]
    assert found.newly == len(newly)
    assert [one.row for one in found.victims][: len(newly)] == sorted(newly)


def test_a_set_pins_nobody_down():
    table = [{"age": "30", "pay": "*"}, {"age": "30", "pay": "*"}]
    found = expose([table, table], [{"age": "30"}], "pay")
    assert (found.left, found.pinned) == ({1: 1}, 0)
    assert found.tables[0].pinned == 0


def test_sets_together_may_pin_down():
    tables = [[{"age": "*", "pay": "a|b"}], [{"age": "*", "pay": "b|c"}]]
    found = expose(tables, [{"age": "30"}, {"age": None}], "pay")
    assert (found.pinned, found.newly, found.victims[0].value) == (2, 2, "b")


def test_nobody_matches():
    found = expose(["figure1.csv"], [{"zip": "99999"}], "condition")
    assert found.everywhere == 0
    assert "Nobody of 1 person matches" in found.explain()
    assert found._repr_html_() == f"<p>{found.explain()}</p>"


def test_contradicting_tables_are_said():
    tables = [[{"age": "*", "pay": "a"}], [{"age": "*", "pay": "b"}]]
    found = expose(tables, [{"age": "30"}], "pay")
    assert found.left == {0: 1}
    assert "contradict each other about 1" in found.explain()


@pytest.mark.parametrize(
    ("register", "on", "message"),
    [
        ("register.csv", "zip,agee", "register.csv has no column 'agee'"),
        ("register.csv", "name", "no column 'name' in any of the tables"),
        ("register.csv", "", "on names no column"),
        ("register.csv", "zip,zip", "given twice"),
        ("register.csv", 3, "give columns"),
        ([{"plz": "1"}], None, "share no column"),
        ([{"zip": "1", "condition": "x"}], "condition", "cannot be known"),
    ],
)
def test_rejects_what_makes_no_sense(register, on, message):
    with pytest.raises(InvalidInput, match=message):
        expose(FIGURES, register, "condition", on=on)
