"""k-anonymity and its collapse (Lin & Kifer, Sections 3.2.1 and 4.1.1; LK-50, LK-52)."""

from __future__ import annotations

from collections import Counter
from itertools import product
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from twoworlds.attacks import (
    collapse,
    decode,
    encode,
    encoder,
    everything_is_trusted,
    examine,
    generalise,
    many_to_one_cone,
)
from twoworlds.attacks.tables.cells import read_cell
from twoworlds.cones.row_cone import row_cone
from twoworlds.errors import InvalidInput, TooLarge

PATIENTS = [
    {"age": 34, "city": "Rome", "illness": "flu"},
    {"age": 34, "city": "Rome", "illness": "cold"},
    {"age": 51, "city": "Oslo", "illness": "flu"},
    {"age": 58, "city": "Oslo", "illness": "gout"},
    {"age": 59, "city": "Rome", "illness": "flu"},
]

# --- tables -------------------------------------------------------------------------------------


def test_the_anonymity_of_a_table_is_its_smallest_group():
    assert examine(PATIENTS, ["city"]).k == 2
    assert examine(PATIENTS, ["age"]).k == 1
    group = examine(PATIENTS, ["city"]).measures.worst["anonymity"].group
    assert (group.values, group.size) == ({"city": "Oslo"}, 2)


@pytest.mark.parametrize("seed", range(3))
def test_anonymity_matches_a_count_of_equal_rows(seed):
    chance = Random(seed)
    rows = [(chance.randint(0, 3), chance.choice("ab")) for _ in range(12)]
    table = [{"age": age, "sex": sex} for age, sex in rows]
    assert examine(table, ["age", "sex"]).k == min(Counter(rows).values())
    assert examine(table, ["sex"]).k == min(Counter(sex for _, sex in rows).values())


def test_generalising_keeps_other_columns_and_puts_numbers_into_ranges():
    shown = generalise(PATIENTS, "age", [0, 51, "119/2"])
    assert [str(row["age"]) for row in shown] == ["0 to below 51"] * 2 + ["51 to below 119/2"] * 3
    assert [row["city"] for row in shown] == [row["city"] for row in PATIENTS]
    assert examine(shown, ["age"]).k == 2
    assert PATIENTS[0]["age"] == 34


def test_a_number_on_a_boundary_belongs_to_the_range_above_it():
    [row] = generalise([{"age": 51}], "age", [0, 51, 60])
    assert [row["age"]] == [*read_cell("[51, 60)").alternatives]
    assert row["age"].holds(51)
    assert not row["age"].holds(60)


# --- the collapse -------------------------------------------------------------------------------


@pytest.mark.parametrize("k", [1, 2, 3, 5])
def test_the_published_table_is_anonymous_and_gives_the_input_away(k):
    names = ["age", "city", "illness"]
    published = encode(PATIENTS, k, column="age", quasi_identifier=names)
    assert examine(published, names).k >= k
    assert decode(published) == PATIENTS
    found = collapse(PATIENTS, k).data
    assert found["anonymity"] == examine(published, names).k
    assert (found["decoded"], found["recovered"]) == (PATIENTS, True)


@pytest.mark.parametrize("k", [1, 2, 3])
def test_every_small_table_is_read_back(k):
    for ages in product([-3, 0, 1, 15, 90], repeat=3):
        rows = [{"age": age} for age in ages]
        shown = encode(rows, k, column="age", quasi_identifier=["age"])
        assert min(Counter(row["age"] for row in shown).values()) >= k
        assert all(row["age"].holds(age) for age, row in zip(ages, shown, strict=True))
        assert decode(shown) == rows


_CELLS = st.one_of(
    st.text(max_size=5),
    st.integers(),
    st.booleans(),
    st.fractions(),
    st.floats(allow_nan=False, allow_infinity=False),
)


@given(st.lists(st.tuples(st.integers(-99, 99), _CELLS), min_size=2, max_size=6))
@settings(max_examples=12)
def test_any_text_and_number_is_read_back(rows):
    table = [{"age": age, "other": other} for age, other in rows]
    published = encode(table, 2, column="age", quasi_identifier=["age", "other"])
    decoded = decode(published)
    assert decoded == table
    types = [[type(cell) for cell in row.values()] for row in decoded]
    assert types == [[type(cell) for cell in row] for row in rows]


# --- on a whole universe ------------------------------------------------------------------------


def test_the_encoder_is_a_permutation_and_its_row_cone_the_orthant():
    matrix = encoder([0, 1, 2], people=2, k=2)
    assert sorted(map(sum, matrix.rows)) == [1] * 9
    units = {tuple(int(i == j) for j in range(9)) for i in range(9)}
    cone = row_cone(matrix)
    assert set(cone.generators()) == units
    assert set(cone.cone.facets) == units
    assert {statement.kind for statement in cone.statements()} == {"probability"}


def test_publishing_the_input_is_in_the_normal_form_of_the_encoder():
    found = everything_is_trusted([20, 30, 70], people=2, k=2)
    assert found.holds
    assert found.witness.verify()


@pytest.mark.parametrize(("size", "k"), [(3, 1), (3, 2), (4, 2), (5, 2), (5, 3)])
def test_the_cone_of_blocks_is_that_of_all_such_maps(size, k):
    databases = range(size)
    rows = set()
    for labels in product(databases, repeat=size):
        counts = Counter(labels)
        if min(counts.values()) >= k:
            rows |= {tuple(int(label == block) for label in labels) for block in counts}
    found = many_to_one_cone(f"integers(1, {size})", k)
    assert all(found.contains(row) for row in rows)
    assert set(found.generators()) <= rows


# --- bad input ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("table", "k", "options", "message"),
    [
        (PATIENTS, 6, {}, "5 rows cannot be hidden among k=6"),
        ([], 1, {}, "the table is empty"),
        (
            PATIENTS,
            2,
            {"column": "salary"},
            "no column 'salary': it has age, city and",
        ),
        (PATIENTS, 2, {"quasi_identifier": ["age", "zip"]}, "no column 'zip'"),
        (PATIENTS, 2, {"quasi_identifier": ["city"]}, "belongs to the quasi-identifier"),
        (PATIENTS, 2, {"column": "city"}, "row 0 has city='Rome'.*whole numbers"),
        ([{"x": "a"}, {"x": "b"}], 2, {}, "no column holds whole numbers"),
        ([{"x": 1, "y": None}], 1, {}, "row 0 has no value for 'y'"),
        ([{"x": 1}, {"x": float("nan")}], 2, {}, "row 1 has no value for 'x'"),
        ([{"x": [2]}], 1, {}, "of type list"),
        (PATIENTS, 0, {}, "k=0"),
    ],
)
def test_bad_input_is_named(table, k, options, message):
    with pytest.raises(InvalidInput, match=message):
        collapse(table, k, **options)


def test_too_large_a_table_is_refused_with_its_size():
    with pytest.raises(TooLarge, match="up to 65536 are encoded"):
        collapse([{"x": 1, "y": "x" * 70_000}], 1)
    with pytest.raises(TooLarge, match="use fewer databases"):
        many_to_one_cone("bits(6)", 16)


@pytest.mark.parametrize(
    ("boundaries", "message"),
    [
        ([0], "two or more numbers"),
        ([0, 60, 60], "each larger"),
        ([0, 50], "row 2 has age=51, outside of the boundaries from 0 to below 50"),
    ],
)
def test_bad_boundaries_are_refused(boundaries, message):
    with pytest.raises(InvalidInput, match=message):
        generalise(PATIENTS, "age", boundaries)


def test_a_table_that_hides_nothing_decodes_to_nothing():
    with pytest.raises(InvalidInput, match="no column of this table holds ranges"):
        decode(PATIENTS)
    with pytest.raises(InvalidInput, match="spells out nothing"):
        decode(generalise(PATIENTS, "age", [0, 60]))
