"""The command ``python -m benchmarks [NAME ...] [--json]``; it exits 1 when a target is missed."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from importlib import import_module
from pkgutil import iter_modules

import benchmarks
from benchmarks import Row


def modules() -> list[str]:
    """The names of all benchmark modules."""
    return [found.name for found in iter_modules(benchmarks.__path__) if found.name != "__main__"]


def table(rows: Sequence[Row]) -> str:
    """The rows under a heading, in columns; the ratio is peer or limit divided by ours."""
    cells = [("benchmark", "ours", "peer or limit", "ratio", "target", "outcome")]
    for row in rows:
        peer = "" if row.peer is None else f"{row.peer:.3g} {row.unit} ({row.against})"
        ratio = "" if row.ratio is None else f"{row.ratio:.1f}"
        target = "" if row.target is None else f">= {row.target:g}"
        cells.append((row.name, f"{row.ours:.3g} {row.unit}", peer, ratio, target, row.outcome))
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = ["  ".join(map(str.ljust, line, widths)).rstrip() for line in cells]
    return "\n".join([lines[0], "  ".join("-" * width for width in widths), *lines[1:]])


def main() -> int:
    """Run what was asked for and print it; say on the error stream what is being measured."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=benchmarks.__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(modules())}")
    parser.add_argument("--json", action="store_true", help="print JSON instead of the table")
    arguments = parser.parse_args()
    unknown = sorted(set(arguments.names) - set(modules()))
    if unknown:
        parser.error(f"no benchmark {', '.join(unknown)}: there are {', '.join(modules())}")
    rows: list[Row] = []
    for name in arguments.names or modules():
        print(f"measuring {name} ...", file=sys.stderr, flush=True)
        rows += import_module(f"benchmarks.{name}").run()
    if arguments.json:
        print(json.dumps([{**asdict(r), "ratio": r.ratio, "outcome": r.outcome} for r in rows]))
    else:
        print(table(rows))
    return int(any(row.outcome == "fail" for row in rows))


if __name__ == "__main__":
    sys.exit(main())
