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
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Any

import twoworlds.cli
from tests.docs.console import environment, find_blocks
from tests.docs.pages import markdown_pages
from tests.golden.running import Scene, again, frozen, numbers

FOLDER = Path(__file__).parent
CORPUS = FOLDER / "corpus"
GROUPS = ("docs", "papers", "commands", "gallery", "http")
# What the process that forks loads once, so that no scene has to.
LOADED = ("tests.golden.running", "tests.show.gallery", "duckdb", "flint", "highspy", "numba")
LOADED += ("matplotlib.figure", "sqlglot.dialects.duckdb")
KINDS = ("exit codes", "numbers and verdicts", "shape or text")
SHOWN = 12


# --- scenes -------------------------------------------------------------------------------------


def collect(group: str) -> Iterator[list[str]]:
    """Run through the scenes of a group, as lines."""
    if group == "docs":
        for page in markdown_pages():
            for block in find_blocks(page.read_text(encoding="utf-8")):
                if block.is_run:
                    yield [
                        shlex.join(("twoworlds", *s.arguments[1:])) for s in block.steps if s.is_run
                    ]
    elif group == "gallery":
        from tests.show.gallery import EXAMPLES, answers

        names = [n for n in sorted(answers()) if not n.rpartition(".")[2].startswith("_")]
        names = [name for name in names if name not in ABSTRACT]
        made = [f"gallery {name}" for name in names if name in EXAMPLES]
        yield from (made[at : at + 12] for at in range(0, len(made), 12))
        yield [f"gallery {name}" for name in names if name not in EXAMPLES]
    else:
        for part in (FOLDER / f"{group}.txt").read_text(encoding="utf-8").split("\n\n"):
            lines = [line for line in part.splitlines() if line and not line.startswith("#")]
            if lines:
                yield lines


ABSTRACT = ("cards.explained.Explained", "definitions.trade_off.Curve")


# --- comparing ----------------------------------------------------------------------------------


def changes(old: Scene, new: Scene) -> Iterator[tuple[int, str, list[str]]]:
    """Run through what changed: the kind of change, the line, and what to show."""
    parts = [
        (before["$"], before, {**after, "$": before["$"]})
        for before, after in zip(old["steps"], new["steps"], strict=True)
    ]
    parts.append((f"files of: {old['steps'][0]['$']}", old.get("files"), new.get("files")))
    for line, before, after in parts:
        if isinstance(before, dict) and before.get("exit") != after.get("exit"):
            said = [f"{before['exit']} became {after['exit']}", after.get("stderr", "")]
            yield 0, line, [text for text in said if text]
        elif found := changed_numbers(numbers(before), numbers(after)):
            yield 1, line, found
        elif before != after:
            texts = [json.dumps(one, indent=1, ensure_ascii=False) for one in (before, after)]
            shown = difflib.unified_diff(*(text.splitlines() for text in texts), lineterm="", n=1)
            yield 2, line, list(shown)[2:]


def changed_numbers(before: list[str], after: list[str]) -> list[str]:
    """Say which numbers are gone and new; a number that is only repeated or not is no change."""
    old, new = Counter(before), Counter(after)
    gone, more = old - new, new - old
    values = {_value(text) for text in old}
    known = all(text in new for text in gone) and all(_value(text) in values for text in more)
    if known and not (gone and more):
        return []
    said = [
        f"{name}: {' '.join(counted.elements())}"
        for name, counted in (("gone", gone), ("new", more))
        if counted
    ]
    return [text[:400] for text in said]


def _value(text: str) -> Any:
    """The number that a text gives, exact or not, to 9 digits; or the text."""
    try:
        top, _, bottom = text.partition("/")
        return f"{float(top) / float(bottom or 1):.9g}"
    except (ValueError, OverflowError, ZeroDivisionError):
        return text


# --- options that no line has -------------------------------------------------------------------


def not_covered(lines: list[str]) -> list[str]:
    """Return each option, or argument, of each command that no line gives."""
    given = [shlex.split(line)[1:] for line in lines if line.startswith("twoworlds")]
    missing = []

    def walk(command: Any, path: tuple[str, ...]) -> None:
        mine = [words[len(path) :] for words in given if tuple(words[: len(path)]) == path]
        for name, inner in getattr(command, "commands", {}).items():
            walk(inner, (*path, name))
        if not mine:
            missing.append(" ".join(path))
        used = {word.partition("=")[0] for words in mine for word in words}
        for option in command.params:
            names = [{*option.opts}, *({name} for name in option.secondary_opts)]
            if option.param_type_name == "option" and "--json" not in option.opts:
                missing.extend(" ".join((*path, min(n))) for n in names if not used & n)

    walk(twoworlds.cli._command(), ())
    return missing


# --- the program --------------------------------------------------------------------------------


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.golden", description=__doc__)
    parser.add_argument("--write", action="store_true", help="freeze what is answered now")
    parser.add_argument("--only", metavar="NAME", help="one group, or lines that have NAME in them")
    parser.add_argument(
        "--shape-free", action="store_true", help="leave out changes of shape or text"
    )
    asked = parser.parse_args()
    os.environ.update(environment())
    started = time.monotonic()
    groups = [asked.only] if asked.only in GROUPS else GROUPS
    part = None if asked.only in GROUPS else asked.only
    corpus = {g: read(g) for g in GROUPS}
    wanted = {g: [*collect(g)] if asked.write else corpus[g] for g in groups}
    work = [
        (group, at, scene)
        for group, scenes in wanted.items()
        for at, scene in enumerate(scenes)
        if part is None or any(part in line for line in lines_of(scene))
    ]
    found = {}
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([*LOADED, *modules()])
    with ProcessPoolExecutor(2, mp_context=context, max_tasks_per_child=1) as pool:
        tasks = {pool.submit(frozen if asked.write else again, one[2]): one for one in work}
        for number, done in enumerate(as_completed(tasks), 1):
            group, at, _ = tasks[done]
            found[group, at] = done.result()
            if sys.stderr.isatty():
                sys.stderr.write(f"\r{number} of {len(tasks)} scenes ")
    failed = write(wanted, found, corpus) if asked.write else report(found, asked.shape_free)
    lines = [line for group in GROUPS for scene in read(group) for line in lines_of(scene)]
    for name in not_covered(lines):
        sys.stdout.write(f"no line has: {name}\n")
    sys.stdout.write(
        f"{len(work)} scenes, {len(lines)} lines frozen; {time.monotonic() - started:.0f} s\n"
    )
    return int(failed)


def lines_of(scene: Scene | list[str]) -> list[str]:
    """Return the lines of a scene, frozen or not."""
    return scene if isinstance(scene, list) else [step["$"] for step in scene["steps"]]


def modules() -> Iterator[str]:
    """Run through the names of the package's modules that need nothing more to be installed."""
    for module in pkgutil.walk_packages(twoworlds.__path__, "twoworlds."):
        if not any(part in module.name for part in (".spark", ".testing", "__main__")):
            yield module.name


def read(group: str) -> list[Scene]:
    """Return the frozen scenes of a group."""
    file = CORPUS / f"{group}.json"
    return json.loads(file.read_text(encoding="utf-8")) if file.exists() else []


def write(
    wanted: dict[str, list[list[str]]],
    found: dict[tuple[str, int], Scene],
    old: dict[str, list[Scene]],
) -> bool:
    """Write what was found; what was not asked for stays as it was frozen."""
    for group, scenes in wanted.items():
        known = {tuple(lines_of(scene)): scene for scene in old[group]}
        kept = [
            found.get((group, at)) or known.get(tuple(lines)) for at, lines in enumerate(scenes)
        ]
        text = json.dumps(
            [one for one in kept if one], indent=1, ensure_ascii=False, sort_keys=False
        )
        (CORPUS / f"{group}.json").write_text(text + "\n", encoding="utf-8")
    return False


def report(found: dict[tuple[str, int], tuple[Scene, Scene]], shape_free: bool) -> bool:
    """Print what changed, the worst first; return whether anything did that counts."""
    seen: list[list[str]] = [[], [], []]
    for _, (old, new) in sorted(found.items()):
        for kind, line, shown in changes(old, new):
            more = [f"    ... {len(shown) - SHOWN} more"] if len(shown) > SHOWN else []
            seen[kind] += [
                "\n".join([f"  {line}", *(f"    {text}" for text in shown[:SHOWN]), *more])
            ]
    for kind, name in enumerate(KINDS):
        if kind < 2 or not shape_free:
            sys.stdout.write(
                f"changed {name}: {len(seen[kind])}\n" + "".join(f"{one}\n" for one in seen[kind])
            )
    return any(seen[: 2 if shape_free else 3])


if __name__ == "__main__":
    sys.exit(main())
