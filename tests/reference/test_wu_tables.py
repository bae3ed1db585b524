"""The two tables of Wu's lecture and their anonymity (Figures 1 and 2, footnote 1)."""

from itertools import combinations

import pytest

from twoworlds.attacks import examine

QUASI_IDENTIFIER = ("zip", "age", "nationality")


def table(*groups):
    return [
        {"zip": "130**", "age": age, "nationality": "*", "condition": condition}
        for age, conditions in groups
        for condition in conditions
    ]


FIRST = table(
    ("<30", ["AIDS", "heart disease", "viral infection", "viral infection"]),
    (">=40", ["cancer", "heart disease", "viral infection", "viral infection"]),
    ("3*", ["cancer"] * 4),
)
SECOND = table(
    ("<35", ["AIDS", "tuberculosis", "flu", "tuberculosis", "cancer", "cancer"]),
    (">=35", ["cancer"] * 3 + ["tuberculosis", "viral infection", "viral infection"]),
)


@pytest.mark.parametrize(("rows", "level"), [(FIRST, 4), (SECOND, 6)])
def test_reference_anonymity_of_the_two_tables(rows, level):
    assert len(rows) == 12
    assert examine(rows, QUASI_IDENTIFIER).k == level


@pytest.mark.parametrize(("rows", "level"), [(FIRST, 4), (SECOND, 6)])
def test_footnote_1_a_part_of_the_quasi_identifier_hides_at_least_as_well(rows, level):
    for size in range(1, 4):
        for columns in combinations(QUASI_IDENTIFIER, size):
            assert examine(rows, columns).k == (level if "age" in columns else 12)


def test_the_sensitive_column_is_no_part_of_what_is_hidden():
    assert examine(FIRST, [*QUASI_IDENTIFIER, "condition"]).k == 1
