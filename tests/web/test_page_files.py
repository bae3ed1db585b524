"""The built page: whole, small, and asking nothing of other machines.

That it is what its source gives is checked where Node.js is at hand: `make page-check`.
"""

from __future__ import annotations

import gzip
import re
from importlib.resources import files
from pathlib import Path

import pytest

STATIC = Path(str(files("twoworlds.web") / "static"))
LOCK = Path(__file__).parents[2] / "web" / "package-lock.json"
MOST_BYTES = 150_000  # as the service sends them


def _assets() -> list[Path]:
    return sorted(STATIC.rglob("*.*"))


def test_every_file_that_the_page_names_is_there() -> None:
    page = (STATIC / "index.html").read_text(encoding="utf-8")
    named = re.findall(r'(?:src|href)="\./([^"#]+)"', page)
    assert {Path(name).suffix for name in named} >= {".js", ".css"}
    assert [name for name in named if not (STATIC / name).is_file()] == []


def test_scripts_load_only_scripts_that_are_there() -> None:
    for script in STATIC.rglob("*.js"):
        loaded = re.findall(r"import\([`\"']\./([^`\"']+)", script.read_text(encoding="utf-8"))
        assert [name for name in loaded if not (script.parent / name).is_file()] == []


def test_the_page_has_no_inline_script_or_style() -> None:
    page = (STATIC / "index.html").read_text(encoding="utf-8")
    assert not re.search(r"<style|\sstyle=|<script(?![^>]*\ssrc=)|\son\w+=", page)


@pytest.mark.parametrize("path", _assets(), ids=lambda path: path.suffix)
def test_no_file_names_another_machine_to_load_from(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert not re.search(r"""(?:src|href)=["'](?:https?:)?//|@import|url\(["']?https?:""", text)


def test_the_page_is_small() -> None:
    loaded = [path for path in _assets() if path.suffix != ".txt"]
    assert sum(len(gzip.compress(path.read_bytes())) for path in loaded) < MOST_BYTES


def test_licences_of_the_work_of_others_are_shipped() -> None:
    text = (STATIC / "licences.txt").read_text(encoding="utf-8")
    assert "@observablehq/plot" in text
    assert "d3-selection" in text


def test_the_lock_file_names_no_registry() -> None:
    if not LOCK.exists():
        pytest.skip("the source of the page is not part of this copy")
    text = LOCK.read_text(encoding="utf-8")
    assert '"resolved"' not in text
    assert "registry" not in text
