"""How wrong an answer will be, and how much noise buys how much privacy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from twoworlds.cli.render import console, print_json, print_table
from twoworlds.errors import InvalidInput, UnknownName
from twoworlds.mechanisms import Mechanism, PerRecord
from twoworlds.mechanisms.accuracy import Bound, errors_of, laplace_crossover
from twoworlds.mechanisms.calibration import (
    geometric_epsilon_for_error,
    laplace_epsilon_for_error,
)
from twoworlds.mechanisms.named import geometric, laplace
from twoworlds.numbers import (
    INFINITY,
    Number,
    Order,
    compare,
    decimal,
    exact_text,
    number,
    show,
    to_json,
)

__all__ = ["calibrate", "show_errors"]

_NOISES = ("laplace", "geometric")
_EXPECTED = ("E|Z|", "E sum |Z_j|", "E M")
_DIGITS = 12


def show_errors(mechanism: Mechanism, *, dimension: str, t: str, as_json: bool) -> None:
    """Print the exact errors beside the printed bounds."""
    _show(mechanism, errors_of(mechanism, dimension=dimension, t=t), dimension, t, as_json=as_json)


def _show(
    mechanism: Mechanism, bounds: Sequence[Bound], dimension: str, t: str, *, as_json: bool
) -> None:
    remark = _crossover(mechanism)
    if as_json:
        data = {"mechanism": mechanism.expression, "errors": [bound.to_dict() for bound in bounds]}
        print_json({**data, "remark": remark} if remark else data)
        return
    out = console()
    out.print(f"{mechanism.expression}: exact errors (dimension d = {dimension}, t = {t})")
    rows = [
        [
            bound.name,
            show(bound.exact),
            "" if bound.printed is None else show(bound.printed),
            "; ".join(part for part in (bound.citation, bound.note) if part),
        ]
        for bound in bounds
    ]
    print_table(("quantity", "exact", "printed", "remarks"), rows, prose=(0, 3))
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
    if error is None:
        built = _calibrated(noise, sensitivity, {"epsilon": epsilon, "ratio": ratio})
        errors, found = list(errors_of(built)), None
    else:
        found = _by_error(noise, error, sensitivity)
        built = _calibrated(noise, sensitivity, {"epsilon": found, "ratio": None})
        errors = [_as_wanted(bound, error) for bound in errors_of(built)]
    if as_json:
        amount = {"epsilon": to_json(found)} if found is not None else {}
        data = [bound.to_dict() for bound in errors]
        print_json({"mechanism": built.expression, **amount, "errors": data})
        return
    if found is not None:
        console().print(f"an expected error of {error} costs epsilon {show(found)}")
    _show(built, errors, "1", "1", as_json=False)


def _by_error(noise: str, error: str, sensitivity: str) -> Number:
    """Return the price of an error, rounded up to a number that can be typed if need be."""
    find = laplace_epsilon_for_error if noise == "laplace" else geometric_epsilon_for_error
    price = find(error, sensitivity)
    return price if exact_text(price) is not None else Fraction(decimal(price, _DIGITS))


def _as_wanted(bound: Bound, error: str) -> Bound:
    """Put the error asked for in place of a long formula for it, where the noise was built for it.

    E|Z| (for one answer also E sum |Z_j| and E M) is that error by construction.
    """
    wanted = number(error, "error")
    same = bound.name in _EXPECTED and compare(bound.exact, wanted, limit=256) is Order.UNDECIDED
    return replace(bound, exact=wanted) if same else bound


def _calibrated(noise: str, sensitivity: str, price: dict[str, object]) -> Mechanism:
    """Build the noise through the same calls that a person would type."""
    if noise == "laplace":
        return laplace(**price, sensitivity=sensitivity)
    return geometric(**price, sensitivity=sensitivity)
