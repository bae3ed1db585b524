"""The notebooks run from the first cell to the last, and are kept with what they show.

`make docs-examples` runs them and keeps the new outputs.
"""

import os
import re
from pathlib import Path

import nbclient
import nbformat
import pytest

from tests.docs.pages import ROOT

NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
SECONDS = 900  # ends what hangs, and is never waited for in full


def read(path: Path):
    return nbformat.read(path, as_version=4)


def test_there_is_one_for_curators_and_one_for_reviewers():
    assert [path.stem for path in NOTEBOOKS] == ["curator", "reviewer"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_kept_with_what_it_shows(path):
    cells = [cell for cell in read(path).cells if cell.cell_type == "code"]
    assert sum(bool(cell.outputs) for cell in cells) >= len(cells) / 2
    assert all(cell.execution_count for cell in cells)
    assert not re.search(r"/(home|work|root|Users|tmp)/", path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_and_shows_cards(path, tmp_path, monkeypatch):
    for name in ("IPYTHONDIR", "JUPYTER_RUNTIME_DIR", "JUPYTER_CONFIG_DIR"):
        monkeypatch.setenv(name, str(tmp_path / name.lower()))
    notebook = read(path)
    client = nbclient.NotebookClient(
        notebook,
        timeout=SECONDS,
        kernel_name="python3",
        resources={"metadata": {"path": str(tmp_path)}},
    )
    client.execute()
    if os.environ.get("TWOWORLDS_REWRITE_EXAMPLES"):
        for cell in notebook.cells:
            cell.metadata.pop("execution", None)
        nbformat.write(notebook, path)
    shown = [
        output.data["text/html"]
        for cell in notebook.cells
        for output in cell.get("outputs", [])
        if "text/html" in output.get("data", {})
    ]
    assert len(shown) >= 4
    assert any("<svg" in html for html in shown)
    assert not any("<script" in html for html in shown)
    printed = [o for c in notebook.cells for o in c.get("outputs", []) if "name" in o]
    assert [one.text for one in printed if one.name == "stderr"] == []  # warnings go there
