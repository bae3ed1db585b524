"""The part of the tutorial with a real table, where that table is beside the project."""

import shutil

import pytest

from tests.docs.pages import DOCS, ROOT
from twoworlds.cli import main
from twoworlds.release import Curator

DATA = ROOT.parent / "shared" / "data" / "adult.csv"
pytestmark = pytest.mark.skipif(not DATA.exists(), reason="needs the UCI Adult table")


def test_the_real_table_of_the_tutorial_is_released(tmp_path, monkeypatch, capsys):
    page = (DOCS / "tutorials" / "release.md").read_text(encoding="utf-8")
    query = page.split('twoworlds release --epsilon 1 \\\n    "')[1].split('"')[0]
    shutil.copy(DATA, tmp_path / "adult.csv")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit, match="0"):
        main(["policy", "new", "adult.csv", "--header"])
    shutil.copy(DOCS / "examples" / "adult.yml", tmp_path / "policy.yml")
    with Curator.open("policy.yml") as curator:
        rows = curator.release(query, "epsilon=1").rows()
    assert len(rows) == 16
    assert max(row["count"] for row in rows) > 1000
    assert "32,561 rows" in capsys.readouterr().out
