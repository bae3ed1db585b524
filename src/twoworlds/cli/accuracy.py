"""How wrong an answer will be, and how much noise buys how much privacy."""

from __future__ import annotations

from rich import box
from rich.table import Table

from twoworlds.cli.render import console, print_json
from twoworlds.errors import InvalidInput, UnknownName
from twoworlds.mechanisms import Mechanism, PerRecord
from twoworlds.mechanisms.accuracy import errors_of, laplace_crossover
from twoworlds.mechanisms.calibration import (
    geometric_epsilon_for_error,
    laplace_epsilon_for_error,
)
from twoworlds.mechanisms.named import geometric, laplace
from twoworlds.numbers import INFINITY, Number, show, to_json

__all__ = ["calibrate", "show_errors"]

_NOISES = ("laplace", "geometric")


def show_errors(mechanism: Mechanism, *, dimension: str, t: str, as_json: bool) -> None:
    """Print the exact errors beside the printed bounds."""
    bounds = errors_of(mechanism, dimension=dimension, t=t)
    remark = _crossover(mechanism)
    if as_json:
        data = {"mechanism": mechanism.expression, "errors": [bound.to_dict() for bound in bounds]}
        print_json({**data, "remark": remark} if remark else data)
        return
    out = console()
    out.print(f"{mechanism.expression}: exact errors (dimension d = {dimension}, t = {t})")
    table = Table(box=box.SIMPLE_HEAD)
    for heading in ("quantity", "exact", "printed", "remarks"):
        table.add_column(heading, overflow="fold")
    for bound in bounds:
        printed = "" if bound.printed is None else show(bound.printed)
        remarks = "; ".join(part for part in (bound.citation, bound.note) if part)
        table.add_row(bound.name, show(bound.exact), printed, remarks)
    out.print(table)
    if remark:
        out.print(remark)


def _crossover(mechanism: Mechanism) -> str:
    """Say, for randomized response, from how many people on a trusted curator does better."""
    if not isinstance(mechanism, PerRecord):
        return ""
    ratio = mechanism.family("substitute").peak()[1].ratio
    if ratio == 1 or ratio == INFINITY:
        return ""
    return laplace_crossover(ratio=ratio).explain()


def calibrate(
    noise: str,
    *,
    sensitivity: str,
    epsilon: str | None,
    ratio: str | None,
    error: str | None,
    as_json: bool,
) -> None:
    """Print the noise that buys a price, or the price at which an error is reached."""
    if noise not in _NOISES:
        raise UnknownName("noise to calibrate", noise, _NOISES)
    if sum(value is not None for value in (epsilon, ratio, error)) != 1:
        raise InvalidInput("give exactly one of --epsilon, --ratio and --error")
    found = _by_error(noise, error, sensitivity) if error else None
    price: dict[str, object] = {"epsilon": epsilon, "ratio": ratio}
    if found is not None:
        price = {"epsilon": found, "ratio": None}
    built = _calibrated(noise, sensitivity, price)
    if as_json:
        amount = {"epsilon": to_json(found)} if found is not None else {}
        errors = [bound.to_dict() for bound in errors_of(built)]
        print_json({"mechanism": built.expression, **amount, "errors": errors})
        return
    if found is not None:
        console().print(f"an expected error of {error} costs epsilon {show(found)}")
    show_errors(built, dimension="1", t="1", as_json=False)


def _by_error(noise: str, error: str, sensitivity: str) -> Number:
    find = laplace_epsilon_for_error if noise == "laplace" else geometric_epsilon_for_error
    return find(error, sensitivity)


def _calibrated(noise: str, sensitivity: str, price: dict[str, object]) -> Mechanism:
    """Build the noise through the same calls that a person would type."""
    if noise == "laplace":
        return laplace(**price, sensitivity=sensitivity)
    return geometric(**price, sensitivity=sensitivity)
