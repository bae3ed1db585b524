"""Everybody of a register at once, against everybody one by one."""

import random
from collections import Counter

import pytest

from tests.attacks.tables import brute
from twoworlds.attacks import compose, expose
from twoworlds.errors import InvalidInput

FIGURES = ("figure1.csv", "figure2.csv")


@pytest.mark.parametrize("seed", range(3))
def test_everybody_at_once_matches_everybody_one_by_one(seed):
    draw = random.Random(seed)
    tables = [brute.random_table(draw, draw.randint(1, 12)) for _ in range(draw.randint(1, 3))]
    register = [brute.random_person(draw) for _ in range(draw.randint(1, 20))]
    found = expose(tables, register, "condition", most=100).data
    alone = [[brute.candidates(table, person) for table in tables] for person in register]
    together = [brute.posterior(tables, person) for person in register]
    for i, share in enumerate(found["tables"]):
        assert share["people_who_match"] == sum(bool(each[i]) for each in alone)
        assert share["pinned_alone"] == sum(len(each[i]) == 1 for each in alone)
    inside = [i for i, each in enumerate(alone) if all(each)]
    assert found["in_all_tables"] == len(inside)
    assert found["people_by_candidates_left"] == Counter(len(together[i]) for i in inside)
    assert found["expected_right_guesses"] == sum(
        max(together[i].values(), default=0) for i in inside
    )
    pinned = {i + 1: next(iter(together[i])) for i in inside if len(together[i]) == 1}
    assert {one["row"]: one["value"] for one in found["victims"]} == pinned
    assert found["pinned"] == len(pinned)
    newly = [i for i in pinned if all(len(each) > 1 for each in alone[i - 1])]
    assert found["pinned_only_together"] == len(newly)
    assert [one["row"] for one in found["victims"]][: len(newly)] == sorted(newly)


@pytest.mark.few(3)
@pytest.mark.parametrize("seed", range(3))
def test_sets_at_once_match_sets_one_by_one(seed):
    draw = random.Random(seed)
    tables = [brute.random_sets(draw, draw.randint(1, 6)) for _ in range(draw.randint(1, 3))]
    register = [{"age": age} for age in ("30", "40", "50", "30")]
    found = expose(tables, register, "condition", most=100).data
    alone = [compose(tables, person, "condition") for person in register]
    inside = [one for one in alone if all(table["matching"] for table in one.data["tables"])]
    assert found["in_all_tables"] == len(inside)
    assert found["people_by_candidates_left"] == Counter(
        len(one.data["candidates"]) for one in inside
    )
    assert found["expected_right_guesses"] == sum(
        max(one.data["posterior"].values(), default=0) for one in inside
    )
    pinned = [
        one
        for one in inside
        if len(one.data["candidates"]) == 1 and one.data["candidates"] != ("anything",)
    ]
    assert found["pinned"] == len(pinned)
    assert sorted(one["value"] for one in found["victims"]) == sorted(
        one.data["candidates"][0] for one in pinned
    )
    for i, share in enumerate(found["tables"]):
        mine = [one.data["tables"][i]["leaves"] for one in alone]
        assert share["pinned_alone"] == sum(len(c) == 1 and c[0] != "anything" for c in mine)
        assert share["pinned_alone_of_those_pinned_together"] == sum(
            len(one.data["tables"][i]["leaves"]) == 1
            for one in pinned
            if (one.data["tables"][i]["leaves"][0] != "anything")
        )


@pytest.mark.parametrize(
    ("register", "on", "message"),
    [
        ("register.csv", "zip,agee", "register.csv has no column 'agee'"),
        ("register.csv", "name", "no column 'name' in any of the tables"),
        ([{"plz": "1"}], None, "share no column"),
        ([{"zip": "1", "condition": "x"}], "condition", "nothing left to learn"),
    ],
)
def test_rejects_what_makes_no_sense(register, on, message):
    with pytest.raises(InvalidInput, match=message):
        expose(FIGURES, register, "condition", on=on)


def test_a_prior_that_excludes_every_candidate_gives_no_guess():
    table = [{"age": "30", "pay": "low"}]
    found = expose([table], [{"age": "30"}], "pay", prior="low=0, high=1")
    assert (found.data["pinned"], found.data["guesses"]) == (1, 0)
    assert "expects to be right" not in found.explain()
