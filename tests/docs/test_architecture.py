"""The page about the house: every room is in its drawing, every file of its two walks is named."""

import re
import tempfile
from pathlib import Path

import pytest

import twoworlds
from benchmarks.walk import walked
from twoworlds.questions.mechanisms import measure
from twoworlds.release import Curator
from twoworlds.release.examples import lay_out

SOURCE = Path(twoworlds.__file__).parent
PAGE = (Path(__file__).parents[2] / "docs" / "architecture.md").read_text(encoding="utf-8")
NAMED = set(re.findall(r"`([\w/]+\.py)`", PAGE))


def test_every_file_that_is_named_exists():
    assert not [name for name in NAMED if not (SOURCE / name).exists() and "tests/" not in name]


def test_every_room_is_in_the_drawing():
    rooms = {path.name for path in SOURCE.iterdir() if (path / "__init__.py").exists()}
    files = {path.name for path in SOURCE.glob("*.py")} - {"__init__.py", "__main__.py", "late.py"}
    missing = [f"{room}/" for room in rooms if f"{room}/" not in PAGE]
    assert not missing + [name for name in files if name not in PAGE]


@pytest.mark.parametrize("question", ["measure", "release"])
def test_the_walks_name_every_file(question):
    with tempfile.TemporaryDirectory() as folder:
        lay_out(Path(folder) / "hospital")
        curator = Curator.open(Path(folder) / "hospital" / "policy.yml")
        ages = iter((30, 40))
        work = {
            "measure": lambda: measure("laplace(epsilon=1)").explain(),
            "release": lambda: curator.release(
                f"SELECT COUNT(*) FROM people WHERE age > {next(ages)}",
                "epsilon=1/10",
                analyst="ann",
            ).explain(),
        }[question]
        work()
        files, _ = walked(work)
    names = {Path(file).relative_to(SOURCE).as_posix() for file in files}
    assert not sorted(names - NAMED)
