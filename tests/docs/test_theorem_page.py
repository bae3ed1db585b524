"""The page of theorems lists every statement of the registries, with its code and its tests."""

import importlib.util

import pytest

from tests.docs.coverage import code_exists
from tests.docs.pages import DOCS, ROOT
from twoworlds.theorems import NON_IMPLICATIONS, THEOREMS

pytest.importorskip("sphinx")
ENTRIES = [*THEOREMS.values(), *NON_IMPLICATIONS.values()]


@pytest.fixture(scope="module")
def extension():
    path = DOCS / "_ext" / "theorem_list.py"
    spec = importlib.util.spec_from_file_location("theorem_list", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_shows_all_registries():
    page = (DOCS / "reference/theorems.md").read_text(encoding="utf-8")
    for name in ("theorems", "non-implications", "kinds"):
        assert f"```{{theorem-list}} {name}\n```" in page


def test_every_statement_names_code_and_tests_that_exist(extension):
    for entry in ENTRIES:
        assert code_exists(extension.code_of(entry)), entry.name
        tests = extension.files_of(entry)
        assert tests, entry.name
        assert all((ROOT / test).is_file() for test in tests), entry.name


def test_everything_known_about_a_statement_is_shown(extension):
    for entry in ENTRIES:
        groups = extension.statements([entry], "theorem")
        [group] = [group for group in groups if entry.name in group.astext()]
        shown = " ".join(group.astext().split())
        known = entry.to_dict()
        for name in ("name", "citation", "statement", "printed", "corrected", "tight", "erratum"):
            assert " ".join((known.get(name) or "").replace("`", "").split()) in shown
        assert ("False as printed" in shown) == known.get("printed_is_false", False), entry.name


def test_no_statement_is_lost_when_they_are_grouped(extension):
    grouped = [entry for group in extension.groups(ENTRIES).values() for entry in group]
    assert sorted(entry.name for entry in grouped) == sorted(entry.name for entry in ENTRIES)
