"""The best generalisation, against every combination of levels tried one after the other."""

from collections import Counter
from fractions import Fraction
from itertools import product

import pytest

from tests.attacks.tables.brute import random_people, total_variation
from twoworlds.attacks import anonymise, examine, suppress
from twoworlds.attacks.tables.cells import column_cells, read_cell
from twoworlds.attacks.tables.groups import count_table
from twoworlds.attacks.tables.hierarchies import (
    intervals,
    mask,
    read_hierarchies,
    tree,
)
from twoworlds.errors import InvalidInput, TooLarge

HIERARCHIES = {"zip": mask(), "age": intervals([5, 10, 30]), "sex": suppress()}


def all_levels(rows):
    return {
        column: hierarchy(column, sorted({row[column] for row in rows}))
        for column, hierarchy in HIERARCHIES.items()
    }


def brute_force(rows, k, *, suppression=0, diversity=1, closeness=None, loss="certainty"):
    """Return loss, levels and the number left out, best first by loss, height and levels."""
    levels = all_levels(rows)
    values = {c: levels[c][0] for c in levels}
    people = len(rows)
    found = []
    for node in product(*(range(len(levels[c])) for c in levels)):
        chosen = dict(zip(levels, node, strict=True))
        at = {c: dict(zip(values[c], levels[c][chosen[c]], strict=True)) for c in levels}
        groups = {}
        for row in rows:
            groups.setdefault(tuple(at[c][row[c]] for c in levels), []).append(row)
        good = {
            key: group
            for key, group in groups.items()
            if len(group) >= k and len({row["has"] for row in group}) >= diversity
        }
        kept = [row for group in good.values() for row in group]
        left_out = people - len(kept)
        if left_out > suppression * people:
            continue
        table = Counter(row["has"] for row in kept)
        if closeness is not None and any(
            total_variation(Counter(row["has"] for row in group), table) > closeness
            for group in good.values()
        ):
            continue
        if loss == "discernibility":
            lost = Fraction(
                sum(len(group) ** 2 for group in good.values()) + left_out * people, people**2
            )
        else:
            lost = Fraction(left_out)
            for column in levels:
                sharing = Counter(at[column].values())
                for row in kept:
                    share = Fraction(sharing[at[column][row[column]]] - 1, len(values[column]) - 1)
                    lost += share / len(levels)
            lost /= people
        found.append((lost, sum(node), node, left_out))
    return min(found)


@pytest.mark.few(3)
@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("loss", ["certainty", "discernibility"])
@pytest.mark.parametrize(
    "wanted",
    [
        {},
        {"suppression": Fraction(1, 5)},
        {"diversity": 3},
        {"diversity": 2, "suppression": Fraction(1, 10)},
        {"closeness": Fraction(3, 10)},
        {"closeness": Fraction(3, 10), "suppression": Fraction(1, 4)},
    ],
    ids=str,
)
def test_the_chosen_levels_lose_least_of_all(seed, loss, wanted):
    rows = random_people(seed, rows=25)
    counted = count_table(rows, (*HIERARCHIES, "has"))
    for k in (2, 6):
        lost, _, node, left_out = brute_force(rows, k, loss=loss, **wanted)
        found = anonymise(counted, HIERARCHIES, k, sensitive="has", loss=loss, **wanted)
        assert found.loss == lost
        assert tuple(found.levels.values()) == node
        assert found.left_out == left_out
        published = Counter(row[: len(HIERARCHIES)] for row in found.rows())
        assert all(size >= k for size in published.values())
        assert published.total() == len(rows) - left_out


def test_the_published_rows_are_those_of_the_source_coarsened():
    rows = random_people(2, rows=40)
    found = anonymise(rows, HIERARCHIES, 4, sensitive="has")
    levels = all_levels(rows)
    at = {c: dict(zip(levels[c][0], levels[c][found.levels[c]], strict=True)) for c in HIERARCHIES}
    expected = sorted((*(at[c][row[c]] for c in HIERARCHIES), row["has"]) for row in rows)
    assert list(found.rows()) == expected
    published = [dict(zip((*HIERARCHIES, "has"), row, strict=True)) for row in found.rows()]
    assert examine(published, list(HIERARCHIES), "has").k == found.anonymity.k >= 4
    assert found.anonymity.holds is True


def test_few_people_may_be_left_out_instead():
    rows = [{"zip": "130"}] * 9 + [{"zip": "999"}]
    kept = anonymise(rows, {"zip": mask()}, 3)
    assert kept.levels == {"zip": 3}
    without = anonymise(rows, {"zip": mask()}, 3, suppression="10%")
    assert (without.levels, without.left_out, without.loss) == ({"zip": 0}, 1, Fraction(1, 10))
    assert "1 of 10 people are left out" in without.explain()
    nobody = anonymise([{"zip": "1"}, {"zip": "2"}], {"zip": mask()}, 2, suppression=1)
    assert nobody.loss == 1
    assert list(nobody.rows()) == []


def test_columns_that_are_not_named_are_not_published():
    rows = [{"name": str(n), "zip": "130", "job": "baker"} for n in range(4)]
    found = anonymise(rows, {"zip": mask()}, 2)
    assert set(found.rows()) == {("130",)}
    kept = anonymise(rows, {"zip": mask()}, 2, keep=["job"])
    assert kept.table.columns == ("zip", "job")
    assert set(kept.rows()) == {("130", "baker")}


@pytest.mark.parametrize("ending", ["csv", "tsv", "parquet"])
def test_files_hold_the_published_rows(tmp_path, ending):
    rows = random_people(4)
    rows[0] = {**rows[0], "has": 'a "quoted", value'}
    found = anonymise(rows, HIERARCHIES, 3, sensitive="has")
    place = found.write(tmp_path / f"out.{ending}")
    again = examine(place, list(HIERARCHIES), "has", k=3)
    assert again.holds is True
    assert again.measures == found.anonymity.measures
    with pytest.raises(InvalidInput, match=r"\.csv, \.tsv or \.parquet"):
        found.write(tmp_path / "out.xlsx")
    with pytest.raises(InvalidInput, match="no folder"):
        found.write(tmp_path / "nowhere" / "out.csv")


@pytest.mark.few(3)
@pytest.mark.parametrize(
    ("hierarchies", "k", "options", "message"),
    [
        (HIERARCHIES, 31, {}, "more than the 30 people"),
        (HIERARCHIES, 2, {"diversity": 9, "sensitive": "has"}, "l=9 is more than the 4 values"),
        (HIERARCHIES, 2, {"suppression": 2}, "between 0 and 1"),
        (HIERARCHIES, 2, {"loss": "sorrow"}, "certainty, discernibility"),
        (HIERARCHIES, 2, {"keep": ["zip"]}, "published already"),
        ({"zip": "mask"}, 2, {}, r"declare mask\(\)"),
        ([], 2, {}, "give a mapping"),
        ({"zip": tree({"here": ["130"]})}, 2, {}, "zip has '131', which its hierarchy"),
    ],
)
def test_refuses_what_cannot_be(hierarchies, k, options, message):
    with pytest.raises(InvalidInput, match=message):
        anonymise(random_people(0), hierarchies, k, **options)


def test_refuses_a_lattice_that_is_too_large():
    rows = [{f"c{i}": "123456789" for i in range(7)}] * 2
    with pytest.raises(TooLarge, match="fewer levels"):
        anonymise(rows, {f"c{i}": mask() for i in range(7)}, 2)


# --- hierarchies: what each level says, and what is refused ---------------------------------------


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
        (intervals([5]), ["34", "old"], "zip has 'old', which is not a plain number"),
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
