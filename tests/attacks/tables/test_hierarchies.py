"""Hierarchies: what each level says, and what is refused."""

import pytest

from twoworlds.attacks.tables.cells import column_cells, read_cell
from twoworlds.attacks.tables.hierarchies import (
    intervals,
    mask,
    read_hierarchies,
    tree,
)
from twoworlds.errors import InvalidInput


def test_every_level_allows_the_value_that_it_came_from():
    values = ["0", "7", "34", "-3", "120"]
    for hierarchy in (intervals([5, 10, 20]), intervals([2, 10], start=1), intervals(["2.5"])):
        for level in hierarchy("age", values):
            cells = column_cells(level)
            for value, text in zip(values, level, strict=True):
                assert cells[text].allows(value)
    zips = ["13012", "13053", "14850"]
    for side in ("right", "left"):
        for level in mask(side)("zip", zips):
            assert all(read_cell(t).allows(z) for z, t in zip(zips, level, strict=True))


def test_trees_of_uneven_depth_keep_shallow_values_as_they_are():
    declared = tree({"Asia": {"East": ["Japanese"], "South": ["Indian"]}, "Europe": ["German"]})
    assert declared("from", ["German", "Indian", "Japanese"]) == [
        ["German", "Indian", "Japanese"],
        ["German", "South", "East"],
        ["Europe", "Asia", "Asia"],
        ["*", "*", "*"],
    ]


def test_a_file_declares_all_columns(tmp_path):
    (tmp_path / "jobs.csv").write_text("baker;crafts;*\nsmith;crafts;*\nclerk;office;*\n")
    (tmp_path / "all.yaml").write_text(
        "zip: mask\ncode: {mask: left}\nage: {intervals: [5, 10], start: 1}\n"
        "nation: {tree: {Europe: [French, German]}}\njob: {file: jobs.csv}\nsex: suppress\n"
    )
    found = read_hierarchies(tmp_path / "all.yaml")
    assert list(found) == ["zip", "code", "age", "nation", "job", "sex"]
    assert found["age"]("age", ["6"]) == [["6"], ["6-10"], ["1-10"], ["*"]]
    assert found["job"]("job", ["clerk"]) == [["clerk"], ["office"], ["*"]]
    assert found["nation"]("nation", ["French"])[1] == ["Europe"]


@pytest.mark.parametrize(
    ("hierarchy", "values", "message"),
    [
        (mask(), ["13012", "130"], "zip has '13012' and '130', of 5 and 3 characters"),
        (mask(), ["130**"], "'130\\*\\*', which is masked already"),
        (intervals([5]), ["34", "old"], "zip has 'old', which is no plain number"),
        (tree({"Europe": ["French"]}), ["French", "Thai"], "zip has 'Thai'.*not cover"),
    ],
)
def test_values_that_are_not_covered_are_named_with_their_column(hierarchy, values, message):
    with pytest.raises(InvalidInput, match=message):
        hierarchy("zip", values)


@pytest.mark.parametrize(
    ("declare", "message"),
    [
        (lambda: mask("middle"), "from the 'right'"),
        (lambda: intervals([]), "list of widths"),
        (lambda: intervals([5, 12]), "12 after 5 is not"),
        (lambda: intervals([0]), "above 0"),
        (lambda: tree({}), "a tree is a mapping"),
        (lambda: tree({"Europe": "French"}), "ends in lists"),
        (lambda: tree({"Europe": ["French"], "Asia": ["French"]}), "'French' twice"),
    ],
)
def test_declarations_that_make_no_sense_are_refused(declare, message):
    with pytest.raises(InvalidInput, match=message):
        declare()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("zip: blur", "declare mask, suppress"),
        ("zip: {file: nowhere.csv}", "cannot be read"),
        ("zip: {file: empty.csv}", "is empty"),
        ("zip: {file: binary.csv}", "cannot be read"),
        ("zip: {file: uneven.csv}", "2 levels for 'b' and 1 for 'a'"),
        ("zip: {file: crossed.csv}", "under both '1' and '2'"),
    ],
)
def test_files_that_declare_something_else_are_refused(tmp_path, text, message):
    (tmp_path / "empty.csv").write_text("")
    (tmp_path / "binary.csv").write_bytes(b"\xff\xfe\xff")
    (tmp_path / "uneven.csv").write_text("a,x\nb,x,y\n")
    (tmp_path / "crossed.csv").write_text("a,x,1\nb,x,2\n")
    (tmp_path / "all.yaml").write_text(text)
    with pytest.raises(InvalidInput, match=message):
        read_hierarchies(tmp_path / "all.yaml")["zip"]("zip", ["a", "b"])
