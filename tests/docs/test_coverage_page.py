"""The coverage page tells the truth: its code can be imported and its tests exist."""

from collections import Counter

import pytest

from tests.docs.coverage import (
    PAGE,
    PAPERS,
    checklist_entries,
    code_exists,
    faults,
    is_a_test,
    places,
    read_rows,
)
from tests.docs.pages import ROOT

ROWS = read_rows(PAGE.read_text(encoding="utf-8"))
CHECKLIST = ROOT.parent / "shared" / "papers" / "CHECKLIST.md"


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


@pytest.mark.skipif(not CHECKLIST.exists(), reason="the checklist is not beside this checkout")
def test_every_entry_of_the_checklist_has_a_row():
    known = {(row.paper, row.place) for row in ROWS}
    known |= {(paper, place.rpartition("-")[0]) for paper, place in known if "-" in place}
    wanted = [
        (paper, place)
        for paper, entry in checklist_entries(CHECKLIST.read_text(encoding="utf-8"))
        for place in places(entry)
    ]
    assert len(wanted) > 100, "the checklist is not read as it should be"
    assert [f"{paper}-{place}" for paper, place in wanted if (paper, place) not in known] == []


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        ("Def 2.3/4.1: a mechanism", ["Def2.3", "Def4.1"]),
        ("Eq (1),(2), games 0..n", ["Eq1", "Eq2"]),
        ("eqs (9)-(11)", ["Eq9", "Eq10", "Eq11"]),
        ("Def 5.9-5.11, eq (9)", ["Def5.9", "Def5.10", "Def5.11", "Eq9"]),
        ("Thm 2.4(1),(2): both", ["Thm2.4-1", "Thm2.4-2"]),
        ("Lemma 3.3(1)-(3)", ["Lemma3.3-1", "Lemma3.3-2", "Lemma3.3-3"]),
        ("Fig 1 (4) and Fig 2 (6)", ["Fig1", "Fig2"]),
        ("Thm 8, 9 exact sum", ["Thm8", "Thm9"]),
        ("App Def 1.1: A", ["AppDef1.1"]),
        ("App. A / Fig 5", ["AppA", "Fig5"]),
        ("2.2.3/2.2.4, 4.2.3, eqs (2),(3)", ["Eq2", "Eq3", "Sec2.2.3", "Sec2.2.4", "Sec4.2.3"]),
        ("Histograms: all of them", ["Histograms"]),
    ],
)
def test_places_are_read_from_an_entry(entry, expected):
    assert places(entry) == expected


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
