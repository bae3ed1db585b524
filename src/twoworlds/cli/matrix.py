"""Printing a mechanism's matrix, or a window of it."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

from twoworlds.cli.render import console, print_json, print_table
from twoworlds.errors import InvalidInput, TooLarge
from twoworlds.mechanisms import Mechanism
from twoworlds.mechanisms.files import write_table
from twoworlds.numbers import Number, decimal, exact_text, to_json
from twoworlds.worlds import Point, Reals

__all__ = ["show"]

_WIDEST, _TALLEST, _WINDOW = 32, 64, 5


def show(
    mechanism: Mechanism,
    *,
    database: str | None,
    output: str | None,
    decimals: bool,
    save: Path | None,
    as_json: bool,
) -> None:
    """Print the matrix, one column, one row or one entry; or save it."""
    if save is not None:
        if database is not None or output is not None:
            raise InvalidInput("--save writes the whole matrix: leave --database and --output out")
        write_table(mechanism, save)
        console().print(f"wrote {save}")
        return
    databases = _databases(mechanism, database)
    outputs = _outputs(mechanism, output)
    if as_json:
        print_json(_data(mechanism, databases, outputs))
    else:
        _print(mechanism, databases, outputs, decimals=decimals)


def _databases(mechanism: Mechanism, chosen: str | None) -> list[Point]:
    if chosen is not None:
        return [mechanism.universe.find(chosen)]
    if isinstance(mechanism.outputs, Reals):
        raise InvalidInput("a density has no matrix: give --database and --output for one value")
    size = mechanism.universe.size
    if size is None:
        return list(islice(mechanism.universe, 3))
    if size > _WIDEST:
        raise TooLarge(f"{size} columns do not fit a page: choose one with --database, or --save")
    return list(mechanism.universe)


def _outputs(mechanism: Mechanism, chosen: str | None) -> list[Point]:
    if chosen is not None:
        return [mechanism.outputs.find(chosen)]
    if isinstance(mechanism.outputs, Reals):
        raise InvalidInput("a density has no matrix: give --output for one value")
    size = mechanism.outputs.size
    if size is None:
        return list(range(-_WINDOW, _WINDOW + 1))
    if size > _TALLEST:
        raise TooLarge(f"{size} rows do not fit a page: choose one with --output, or --save")
    return list(mechanism.outputs)


def _print(
    mechanism: Mechanism, databases: list[Point], outputs: list[Point], *, decimals: bool
) -> None:
    what = "density" if isinstance(mechanism.outputs, Reals) else "P(output | database)"
    out = console()
    out.print(f"{mechanism.expression}: {what}")
    rows = [
        [
            mechanism.outputs.label(o),
            *(_entry(mechanism.probability(o, x), decimals=decimals) for x in databases),
        ]
        for o in outputs
    ]
    labels = [mechanism.universe.label(x) for x in databases]
    print_table(["output", *labels], rows, right=range(len(labels) + 1))
    if mechanism.outputs.size is None and len(outputs) > 1:
        both = " and databases" if mechanism.universe.size is None else ""
        out.print(f"(a window: there are infinitely many outputs{both})")


def _entry(value: Number, *, decimals: bool) -> str:
    text = exact_text(value)
    return text if text is not None and len(text) <= 16 and not decimals else decimal(value, 5)


def _data(mechanism: Mechanism, databases: list[Point], outputs: list[Point]) -> dict[str, object]:
    return {
        "mechanism": mechanism.expression,
        "databases": [mechanism.universe.label(x) for x in databases],
        "outputs": [mechanism.outputs.label(o) for o in outputs],
        "matrix": [[to_json(mechanism.probability(o, x)) for x in databases] for o in outputs],
    }
