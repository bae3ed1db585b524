"""The golden corpus: what twoworlds answers, frozen, to compare with after every move.

``python -m tests.golden`` runs the lines that tests/golden/corpus/ holds, and reports three kinds
of change apart: exit codes, and statuses of HTTP; numbers and verdicts, as a multiset per line;
and everything else, which is shape or text, and which ``--shape-free`` leaves out. ``--write`` runs
the console examples of the pages, the lines of tests/golden/*.txt and the gallery, and freezes the
answers. ``--only NAME`` takes one group, or the scenes that have NAME in a line.

A scene that is frozen is run as it was frozen: changing a page or a list changes nothing here
before the next ``--write``.
"""

from __future__ import annotations

import argparse
import difflib
import json
import multiprocessing
import os
import pkgutil
import shlex
import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import twoworlds.cli
from tests.docs.console import ENVIRONMENT, find_blocks
from tests.docs.pages import markdown_pages
from tests.golden.running import Scene, again, frozen, gallery, numbers

FOLDER = Path(__file__).parent
GROUPS = ("docs", "papers", "commands", "gallery", "http")
KINDS = ("exit codes", "numbers and verdicts", "shape or text")
SHOWN = 12  # lines of one change


def scenes(group: str) -> Iterator[list[str]]:
    """Run through the scenes of a group, as lines."""
    if group == "docs":
        for page in markdown_pages():
            for block in filter(lambda one: one.is_run, find_blocks(page.read_text("utf-8"))):
                steps = (step.arguments[1:] for step in block.steps if step.is_run)
                yield [shlex.join(("twoworlds", *words)) for words in steps]
    elif group == "gallery":
        names = [f"gallery {name}" for name in gallery()]
        yield from (names[at : at + 12] for at in range(0, len(names), 12))
    else:
        for part in (FOLDER / f"{group}.txt").read_text("utf-8").split("\n\n"):
            lines = [line for line in part.splitlines() if line and not line.startswith("#")]
            if lines:
                yield lines


def place(group: str) -> Path:
    return FOLDER / "corpus" / f"{group}.json"


def lines_of(scene: Scene | list[str]) -> list[str]:
    return scene if isinstance(scene, list) else [step["$"] for step in scene["steps"]]


# --- comparing ----------------------------------------------------------------------------------


def changes(old: Scene, new: Scene) -> Iterator[tuple[int, str, list[str]]]:
    """Run through what changed: the kind of change, the line, and what to show."""
    pairs = [(one["$"], one, two) for one, two in zip(old["steps"], new["steps"], strict=True)]
    pairs.append((f"files of: {old['steps'][0]['$']}", old.get("files", {}), new.get("files", {})))
    for line, before, after in pairs:
        if isinstance(before, dict) and before.get("exit") != after.get("exit"):
            yield 0, line, [f"{before['exit']} became {after['exit']}", after.get("stderr", "")]
        elif found := changed_numbers(Counter(numbers(before)), Counter(numbers(after))):
            yield 1, line, found
        elif before != after:
            texts = [json.dumps(one, indent=1, ensure_ascii=False) for one in (before, after)]
            shown = difflib.unified_diff(*(text.splitlines() for text in texts), lineterm="", n=1)
            yield 2, line, list(shown)[2:]


def changed_numbers(old: Counter[str], new: Counter[str]) -> list[str]:
    """Say which numbers are gone and new; a number that is only repeated or not is no change."""
    gone, more = old - new, new - old
    values = {value(text) for text in old}
    if (
        not (gone and more)
        and all(text in new for text in gone)
        and all(value(text) in values for text in more)
    ):
        return []
    said = {"gone": gone, "new": more}
    return [f"{name}: {' '.join(some.elements())}"[:400] for name, some in said.items() if some]


def value(text: str) -> str:
    """The number that a text gives, exact or not, to 9 digits; or the text."""
    try:
        top, _, bottom = text.partition("/")
        return f"{float(top) / float(bottom or 1):.9g}"
    except (ValueError, OverflowError, ZeroDivisionError):
        return text


def report(found: list[tuple[Scene, Scene]], kinds: int) -> int:
    """Print what changed, the worst first; return how much of it counts."""
    seen: list[list[str]] = [[], [], []]
    for old, new in found:
        for kind, line, shown in changes(old, new):
            more = [f"... {len(shown) - SHOWN} more"] * (len(shown) > SHOWN)
            seen[kind].append("\n    ".join([f"  {line}", *filter(None, shown[:SHOWN]), *more]))
    for name, some in [*zip(KINDS, seen, strict=True)][:kinds]:
        sys.stdout.write("\n".join([f"changed {name}: {len(some)}", *some, ""]))
    return sum(map(len, seen[:kinds]))


def not_covered(lines: list[str]) -> Iterator[str]:
    """Run through each command, and each option of a command, that no line gives."""
    given = [shlex.split(line)[1:] for line in lines if line.startswith("twoworlds")]

    def walk(command: Any, path: list[str]) -> Iterator[str]:
        mine = [words for words in given if words[: len(path)] == path]
        for name, inner in getattr(command, "commands", {}).items():
            yield from walk(inner, [*path, name])
        used = {word.partition("=")[0] for words in mine for word in words}
        names = [{*option.opts, *option.secondary_opts} for option in command.params]
        options = [min(some) for some in names if min(some)[0] == "-" and not used & some]
        yield from (" ".join([*path, name]) for name in options if name != "--json")
        if not mine:
            yield " ".join(path)

    return walk(twoworlds.cli._command(), [])


# --- the program --------------------------------------------------------------------------------


def loaded() -> list[str]:
    """What the process that forks loads once, so that no scene has to."""
    ours = (module.name for module in pkgutil.walk_packages(twoworlds.__path__, "twoworlds."))
    apart = (".spark", ".testing", "__main__")  # more must be installed for these
    others = ["tests.golden.running", "tests.show.gallery", "duckdb", "flint", "highspy"]
    others += ["matplotlib.figure", "sqlglot.dialects.duckdb"]
    return [*others, *(name for name in ours if not any(part in name for part in apart))]


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.golden", description=__doc__)
    parser.add_argument("--write", action="store_true", help="freeze what is answered now")
    parser.add_argument("--only", metavar="NAME", help="one group, or lines that have NAME in them")
    parser.add_argument("--shape-free", action="store_true", help="leave out shapes and texts")
    asked = parser.parse_args()
    os.environ.update(ENVIRONMENT)
    corpus = {group: json.loads(place(group).read_text("utf-8")) for group in GROUPS}
    groups = [asked.only] if asked.only in GROUPS else GROUPS
    wanted = {group: [*scenes(group)] if asked.write else corpus[group] for group in groups}
    part = "" if asked.only in GROUPS else asked.only or ""
    work = [s for g in groups for s in wanted[g] if any(part in line for line in lines_of(s))]
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(loaded())
    with ProcessPoolExecutor(2, mp_context=context, max_tasks_per_child=1) as pool:
        found = [*pool.map(frozen if asked.write else again, work)]
    failed = 0
    if asked.write:  # what was not asked for stays as it was frozen
        known = {(*lines_of(one),): one for group in groups for one in [*corpus[group], *found]}
        for group in groups:
            kept = [known[*lines] for lines in wanted[group] if (*lines,) in known]
            text = json.dumps(kept, indent=1, ensure_ascii=False)
            place(group).write_text(f"{text}\n", encoding="utf-8")
    else:
        failed = report(found, 2 if asked.shape_free else 3)
    lines = [line for some in corpus.values() for scene in some for line in lines_of(scene)]
    for name in not_covered(lines):
        sys.stdout.write(f"no line has: {name}\n")
    sys.stdout.write(f"{len(work)} scenes; {len(lines)} lines are frozen\n")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
