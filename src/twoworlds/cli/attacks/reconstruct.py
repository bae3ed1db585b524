"""``twoworlds attack reconstruct``: a secret column from noisy sums."""

from __future__ import annotations

import math
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.text import Text

from twoworlds.cli.app import Json, Picture
from twoworlds.cli.attacks.group import attack_app
from twoworlds.cli.render import (
    console,
    print_json,
    print_saved,
    print_table,
    progress,
    save_picture,
)
from twoworlds.errors import InvalidInput

if TYPE_CHECKING:
    from twoworlds.attacks.reconstruction import Reconstruction

__all__ = ["reconstruct"]

_ROWS, _QUERIES = 128, 512
_NOISE = "2"
_ENGINE_ROWS, _ENGINE_QUERIES = 96, 256
_WITHOUT_EFFECT = {
    None: {"--epsilon": "is the budget of --engine: add that, or leave it out"},
    "--engine": {
        "--noise": "has no effect on --engine, whose noise follows from --epsilon: leave it out",
        "--law": "has no effect on --engine, whose noise is its own: leave it out",
    },
    "--sweep": {
        "--queries": "has no effect on --sweep, which tries several numbers of sums: leave it out",
        "--noise": "has no effect on --sweep, which tries several scales: leave it out",
        "--epsilon": "is the budget of --engine, and has no effect on --sweep: leave it out",
    },
    "--answers": {
        "--queries": "has no effect on --answers, which are read as they are: leave it out",
        "--noise": "has no effect on --answers, which are read as they are: leave it out; --error "
        "says how far they are off",
        "--law": "has no effect on --answers, which are read as they are: leave it out",
        "--seed": "has no effect on --answers, where nothing is drawn: leave it out",
        "--epsilon": "is the budget of --engine, and has no effect on --answers: leave it out",
        "--rows": "has no effect where --data say how many people there are: leave it out",
    },
}
_PER_PERSON = (1, 2, 4, 8)
_PER_ROOT = (0, "1/8", "1/4", "1/2", 1, 2, 4)
_BITS_IN_A_LINE = 64


@attack_app.command()
def reconstruct(
    rows: Annotated[
        int | None,
        typer.Option(help="how many people: 128, or 96 with --engine; the first of --data"),
    ] = None,
    queries: Annotated[
        int | None,
        typer.Option(help="how many sums are asked: 512, or 256 with --engine"),
    ] = None,
    noise: Annotated[str | None, typer.Option(help="the scale of the noise: 2 if not")] = None,
    law: Annotated[
        str | None, typer.Option(help="laplace, uniform, rounding or none: laplace if not")
    ] = None,
    method: Annotated[str, typer.Option(help="lp or least-squares")] = "lp",
    seed: Annotated[
        int | None, typer.Option(help="of bits, subsets and simulated noise: 0 if not")
    ] = None,
    sweep: Annotated[
        bool, typer.Option("--sweep", help="try several scales of noise and numbers of sums")
    ] = False,
    data: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="attack a column of this CSV, TSV or Parquet file"),
    ] = None,
    column: Annotated[
        str | None,
        typer.Option(help="the column of --data: 0 and 1, false and true, or no and yes"),
    ] = None,
    answers: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="read subsets and answers from a CSV file: 0 and 1 for each person, or a list of "
            "rows counted from 1, and the answer last",
        ),
    ] = None,
    error: Annotated[
        str | None,
        typer.Option(help="what every answer of --answers is known to be within of the truth"),
    ] = None,
    engine: Annotated[
        bool, typer.Option("--engine", help="attack our own release engine, with real noise")
    ] = False,
    epsilon: Annotated[
        str | None, typer.Option(help="the budget of the table under --engine: 1 if not")
    ] = None,
    picture: Picture = None,
    json_: Json = False,
) -> None:
    """Read a secret 0/1 column back from noisy answers to subset sums."""
    _check_modes(sweep=sweep, engine=engine, data=data, answers=answers, picture=picture)
    _check_companions(data=data, column=column, answers=answers, error=error)
    mode = "--engine" if engine else "--sweep" if sweep else "--answers" if answers else None
    given = {
        "--queries": queries,
        "--noise": noise,
        "--law": law,
        "--seed": seed,
        "--epsilon": epsilon,
        "--rows": rows if data is not None and answers is not None else None,
    }
    _check_effect(mode, {name for name, value in given.items() if value is not None})
    if law == "none" and noise is not None:
        raise InvalidInput("--law none adds no noise: leave out --noise, or choose another law")
    seed = 0 if seed is None else seed
    law = "laplace" if law is None else law
    if engine:
        _engine(rows, queries, "1" if epsilon is None else epsilon, method, seed, as_json=json_)
    elif sweep:
        _sweep(_ROWS if rows is None else rows, law, method, seed, picture, as_json=json_)
    elif answers is not None:
        _answers(answers, rows, method, error, _truth(data, column), as_json=json_)
    else:
        truth = _truth(data, column)
        asked = _QUERIES if queries is None else queries
        scale = _NOISE if noise is None else noise
        _trial(truth, rows, asked, scale, law, method, seed, as_json=json_)


def _check_modes(
    *, sweep: bool, engine: bool, data: Path | None, answers: Path | None, picture: Path | None
) -> None:
    given = {"--sweep": sweep, "--engine": engine, "--answers": answers is not None}
    chosen = [name for name, wanted in given.items() if wanted]
    if len(chosen) > 1:
        raise InvalidInput(f"{' and '.join(chosen)} are different attacks: give one of them")
    if data is not None and (sweep or engine):
        raise InvalidInput(f"{chosen[0]} draws a column of its own: leave out --data")
    if picture is not None and not sweep:
        raise InvalidInput("--picture draws many attacks: add --sweep")


def _check_companions(
    *, data: Path | None, column: str | None, answers: Path | None, error: str | None
) -> None:
    if (data is None) != (column is None):
        raise InvalidInput("--data and --column belong together: a file, and its secret column")
    if error is not None and answers is None:
        raise InvalidInput("--error says how good --answers are: give both")


def _check_effect(mode: str | None, given: set[str]) -> None:
    """Refuse an option that would change nothing."""
    for name, why in _WITHOUT_EFFECT[mode].items():
        if name in given:
            raise InvalidInput(f"{name} {why}")


def _truth(data: Path | None, column: str | None) -> tuple[int, ...] | None:
    from twoworlds.attacks.reconstruction import read_secret
    from twoworlds.attacks.tables.table import example_path

    return None if data is None or column is None else read_secret(example_path(data), column)


def _engine(
    rows: int | None,
    queries: int | None,
    epsilon: str,
    method: Any,
    seed: int,
    *,
    as_json: bool,
) -> None:
    from twoworlds.attacks.reconstruction import against_engine

    with progress():
        found = against_engine(
            _ENGINE_ROWS if rows is None else rows,
            _ENGINE_QUERIES if queries is None else queries,
            epsilon=epsilon,
            method=method,
            seed=seed,
        )
    _print(found.explain(), found.to_dict(), as_json=as_json)
    if not found.holds:
        raise typer.Exit(1)


def _sweep(
    rows: int, law: Any, method: Any, seed: int, picture: Path | None, *, as_json: bool
) -> None:
    from twoworlds.attacks.reconstruction import sweep
    from twoworlds.report.reconstruction import draw_sweep

    root = Fraction(round(10 * math.sqrt(max(rows, 0))), 10)
    with progress():
        found = sweep(
            rows,
            [times * rows for times in _PER_PERSON],
            [Fraction(part) * root for part in _PER_ROOT],
            seed=seed,
            law=law,
            method=method,
        )
    saved = save_picture(picture, lambda: draw_sweep(found))
    if as_json:
        print_json({**found.to_dict(), **saved})
        return
    console().print(Text(found.explain()))
    print_table(*found.table())
    console().print(Text(f"Means of {found.repeats} simulations, seed {seed}."))
    print_saved(saved)


def _answers(
    path: Path,
    rows: int | None,
    method: Any,
    error: str | None,
    truth: tuple[int, ...] | None,
    *,
    as_json: bool,
) -> None:
    from twoworlds.attacks.reconstruction import read_sums
    from twoworlds.attacks.reconstruction import reconstruct as decode

    wanted = rows if truth is None else len(truth)
    masks, read = read_sums(path, rows=wanted)
    with progress():
        found = decode(masks, read, method=method, error=error)
    words, plain = found.explain(), found.to_dict()
    if truth is not None:
        right = found.right(truth)
        plain |= {"right": right}
        words = f"{right} of {len(truth)} bits are those of the data.\n\n{words}"
    _print(f"{words}\n\n{_bits(found)}", plain, as_json=as_json)


def _trial(
    truth: tuple[int, ...] | None,
    rows: int | None,
    queries: int,
    noise: str,
    law: Any,
    method: Any,
    seed: int,
    *,
    as_json: bool,
) -> None:
    from twoworlds.attacks.reconstruction import attack_column, simulate

    with progress():
        if truth is None:
            wanted = _ROWS if rows is None else rows
            found = simulate(wanted, queries, noise=noise, law=law, method=method, seed=seed)
        else:
            if rows is not None and not 1 <= rows <= len(truth):
                raise InvalidInput(f"--rows {rows}: the data have {len(truth)} rows")
            kept = truth[:rows]
            found = attack_column(kept, queries, noise=noise, law=law, method=method, seed=seed)
    _print(f"{found.explain()}\n\nSimulated with seed {seed}.", found.to_dict(), as_json=as_json)


def _bits(found: Reconstruction) -> str:
    """Return the column found, in lines of equal length."""
    digits = "".join(map(str, found.column))
    starts = range(0, len(digits), _BITS_IN_A_LINE)
    return "\n".join(digits[start : start + _BITS_IN_A_LINE] for start in starts)


def _print(words: str, plain: dict[str, Any], *, as_json: bool) -> None:
    if as_json:
        print_json(plain)
    else:
        console().print(Text(words))
