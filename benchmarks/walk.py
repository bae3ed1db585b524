"""How far one walks through the source to follow a question: files, and changes of package.

A file counts when a function of it runs while the question is answered; a change of package is a
call from one package of twoworlds into another. Both are counted in a second run, so that loading
and caches are left out.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import twoworlds
from benchmarks import Row

ROOT = str(Path(twoworlds.__file__).parent)


def walked(work: Callable[[], object]) -> tuple[set[str], int]:
    """Return the files whose functions run, and how many calls lead into another package."""
    files: set[str] = set()
    changes = 0

    def note(frame: FrameType, event: str, _: Any) -> None:
        nonlocal changes
        name = frame.f_code.co_filename
        if event != "call" or not name.startswith(ROOT):
            return
        files.add(name)
        caller = frame.f_back
        while caller is not None and not caller.f_code.co_filename.startswith(ROOT):
            caller = caller.f_back
        changes += caller is not None and package(caller.f_code.co_filename) != package(name)

    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(None)
    return files, changes


def package(file: str) -> str:
    """Return the folder of a file."""
    return str(Path(file).parent)


def run() -> list[Row]:
    """Follow a measurement and the release of one count, each in its second run."""
    from twoworlds.questions.mechanisms import measure
    from twoworlds.release import Curator
    from twoworlds.release.examples import lay_out

    with tempfile.TemporaryDirectory() as folder:
        lay_out(Path(folder) / "hospital")
        curator = Curator.open(Path(folder) / "hospital" / "policy.yml")
        queries = iter(f"SELECT COUNT(*) FROM people WHERE age > {age}" for age in (30, 40))

        def release() -> None:
            curator.release(next(queries), "epsilon=1/10", analyst="ann")

        found = {}
        for name, work in {
            "measure": lambda: measure("laplace(epsilon=1)").answer(),
            "release of a count": release,
        }.items():
            work()
            files, changes = walked(work)
            found[name] = len(files), changes
    limits = {"measure": (20, None), "release of a count": (60, 400)}
    rows = []
    for name, (files, changes) in found.items():
        most_files, most_changes = limits[name]
        rows.append(Row(f"files of {name}", files, "files", most_files, "limit", 1.0))
        if most_changes is None:
            rows.append(Row(f"changes of package, {name}", changes, "calls"))
        else:
            rows.append(
                Row(f"changes of package, {name}", changes, "calls", most_changes, "limit", 1.0)
            )
    return rows
