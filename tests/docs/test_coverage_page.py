"""The coverage page tells the truth: its code can be imported and its tests exist."""

from collections import Counter

import pytest

from tests.docs.coverage import PAGE, PAPERS, code_exists, faults, is_a_test, read_rows

ROWS = read_rows(PAGE.read_text(encoding="utf-8"))


def test_ids_are_unique():
    ids = [row.id for row in ROWS]
    assert sorted(set(ids)) == sorted(ids)


def test_the_totals_are_those_of_the_rows():
    count = Counter(row.status for row in ROWS)
    assert (
        f"Of {len(ROWS)} items, {count['done']} are done, {count['partly']} are there in part, and "
        f"{count['missing']} are missing."
    ) in PAGE.read_text(encoding="utf-8")


def test_every_paper_has_rows():
    assert {row.paper for row in ROWS} == set(PAPERS)


def test_every_row_tells_the_truth():
    assert [fault for row in ROWS for fault in faults(row)] == []


@pytest.mark.parametrize(
    ("cells", "fault"),
    [
        ("| done | | | |", "must name its code and a test"),
        ("| missing | `fractions:Fraction` | | |", "neither code nor test"),
        ("| soon | | | |", "status 'soon'"),
        ("| done | `fractions:No` | `tests/none.py::test_a` | |", "no such code: fractions:No"),
        ("| done | `fractions` | `tests/none.py::test_a` | |", "no such test: tests/none.py"),
        ("| partly | `fractions` | `tests/none.py::test_a` | |", "which part is not there"),
    ],
)
def test_a_false_row_is_found(cells, fault):
    [row] = read_rows(f"## KS\n| KS-Def1 | something {cells}\n")
    assert fault in "\n".join(faults(row))


def test_references_are_resolved(tmp_path):
    (tmp_path / "test_it.py").write_text(
        "def test_a(): ...\nclass TestB:\n    def test_c(self): ...\n", encoding="utf-8"
    )
    assert is_a_test("test_it.py::test_a", tmp_path)
    assert is_a_test("test_it.py::TestB::test_c", tmp_path)
    assert not is_a_test("test_it.py::test_c", tmp_path)
    assert not is_a_test("test_none.py::test_a", tmp_path)
    assert code_exists("fractions:Fraction.limit_denominator")
    assert not code_exists("fractions:Nothing")
    assert not code_exists("no_such_module:Name")
