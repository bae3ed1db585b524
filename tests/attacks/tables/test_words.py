"""Groups in words: empty cells, numbers of people, and what nothing can mend."""

import pytest

from twoworlds.attacks import examine
from twoworlds.attacks.tables.cells import column_cells
from twoworlds.attacks.tables.groups import Group
from twoworlds.attacks.tables.words import people, who


def test_empty_cells_are_said_without_blanks():
    group = Group((("age", ("",)), ("sex", ("f",)), ("zip", ("",))), (), 1)
    assert people(group, {}) == "1 person with sex f with age and zip left empty"
    rows = [{"age": "", "zip": "", "has": "flu"}, {"age": "30", "zip": "1", "has": "flu"}]
    said = examine(rows, ["age", "zip"], "has").explain()
    assert "the only person with age and zip left empty has flu" in said
    assert "aged  " not in said


@pytest.mark.parametrize(
    ("column", "texts", "but_not", "words"),
    [
        ("age", ["30-39", "30-49"], [], "in their 30s"),
        ("age", ["30-49"], ["30-39", "30"], "aged 30 to 49 but not 30-39"),
        ("age", ["25-33", "<35", "30+"], [], "aged 25 to 33 and 30 or over"),
        ("zip", ["13***", "*"], ["130**", "131**"], "in 13*** but not 130** or 131**"),
        ("sex", ["*"], ["f"], "whose sex is not f"),
        ("sex", ["*"], ["f", "m"], "whose sex is neither f nor m"),
        ("sex", ["*"], ["f", "m", "x"], "whose sex is none of f, m and x"),
        ("sex", ["*"], [], ""),
    ],
)
def test_overlapping_cells_in_words(column, texts, but_not, words):
    cells = {column: column_cells([*texts, *but_not])}
    excluded = ((column, tuple(but_not)),) if but_not else ()
    group = Group(((column, tuple(texts)),), (), 2, excluded)
    assert who(group, cells) == words


def test_several_columns_of_which_only_is_known_what_they_are_not():
    values = (("sex", ("*",)), ("zip", ("*",)), ("age", ("30",)))
    group = Group(values, (), 1, (("sex", ("f",)), ("zip", ("1",))))
    assert people(group, {}) == (
        "1 row that fits somebody aged 30 whose sex is not f and whose zip is not 1"
    )


@pytest.mark.parametrize("groups", ["texts", "knowledge"])
def test_nothing_makes_fewer_than_k_rows_k_anonymous(groups):
    row = {"age": "30", "zip": "13012"}
    said = examine([row], ["age", "zip"], groups=groups).explain()
    assert "It has only 1 row: nothing makes it 2-anonymous, not even hiding every column." in said
    assert "coarsen" not in said
    said = examine([row] * 3, ["age", "zip"], k=4, groups=groups).explain()
    assert "It has only 3 rows: nothing makes it 4-anonymous" in said
    others = [row, {"age": "31", "zip": "14850"}]
    said = examine(others, ["age", "zip"], groups=groups).explain()
    assert "Hiding a single column would help nobody: coarsen several." in said


def test_one_person_would_be_left():
    ages_and_zips = [("30", "a"), ("31", "a"), ("32", "b")]
    rows = [{"age": age, "zip": place} for age, place in ages_and_zips]
    said = examine(rows, ["age", "zip"]).explain()
    assert "Coarsen age first: without it 1 person would be left in groups smaller than 2." in said
