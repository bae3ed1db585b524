"""Channels that a record may pass through, by name: randomized response, FRAPP, PRAM.

A channel is a stochastic matrix with one row for each possible report and one column for each
possible value of a record (Lin & Kifer, Section 3.2.2). The matrices are those of the mechanisms of
the same names; here the number of records is that of the data, so that a call names only the
channel, ``randomized-response(keep=3/4)``, and the values may be declared beside it.

`frapp` is the channel that attains the amplification gamma with equal treatment of all values:
randomized response whose ratio is gamma. (The *definition* of that name trusts every channel whose
amplification is at most gamma.)
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from twoworlds.calls import Registry, Text
from twoworlds.errors import InvalidInput, TooLarge
from twoworlds.mechanisms import PerRecord
from twoworlds.mechanisms.named import pram as pram_mechanism
from twoworlds.mechanisms.named import randomized_response as randomized_response_mechanism
from twoworlds.mechanisms.named.spelling import spelled_rows
from twoworlds.numbers import INFINITY, Number, exact_text, number, ratio_at_least_one

__all__ = ["CHANNELS", "MOST_VALUES", "Matrix", "read_names"]

MOST_VALUES = 255


@dataclass(frozen=True)
class Matrix:
    """What a call describes.

    Attributes:
        values: the values that a record may hold, as text.
        outputs: the reports, as text.
        rows: P(report | value), one row for each report.
        expression: the call without values and outputs, to be typed again beside them.
        symmetric: whether all values are treated alike: one number on the diagonal, one elsewhere.
    """

    values: tuple[str, ...]
    outputs: tuple[str, ...]
    rows: tuple[tuple[Number, ...], ...]
    expression: str
    symmetric: bool


CHANNELS: Registry[Matrix] = Registry("channel")


@CHANNELS.register("randomized-response")
def randomized_response(
    keep: object = None,
    ratio: object = None,
    epsilon: object = None,
    values: Text | Sequence[str] | None = None,
) -> Matrix:
    """Report the true value with probability keep, and otherwise one of the others evenly."""
    names = read_names(values)
    mechanism = randomized_response_mechanism(
        values=str(len(names)), records=1, keep=keep, ratio=ratio, epsilon=epsilon
    )
    given = {"keep": keep, "ratio": ratio, "epsilon": epsilon}
    [(name, value)] = [(name, value) for name, value in given.items() if value is not None]
    return _alike(mechanism, names, f"randomized-response({name}={_typed(value, name)})")


@CHANNELS.register("frapp")
def frapp(gamma: object, values: Text | Sequence[str] | None = None) -> Matrix:
    """Randomized response with the amplification gamma: the ratio between any two values."""
    names = read_names(values)
    amplification = ratio_at_least_one(gamma, "gamma")
    if amplification == INFINITY:
        raise InvalidInput("gamma=inf is no protection at all: give a finite gamma")
    mechanism = randomized_response_mechanism(
        values=str(len(names)), records=1, ratio=amplification
    )
    return _alike(mechanism, names, f"frapp(gamma={_typed(gamma, 'gamma')})")


@CHANNELS.register("pram")
def pram(
    matrix: Text,
    values: Text | Sequence[str] | None = None,
    outputs: Text | Sequence[str] | None = None,
) -> Matrix:
    """Any stochastic matrix, a list of rows or the path of a CSV or JSON file.

    Without outputs the reports are named as in the file, or like the values if there are as many.
    """
    transition = pram_mechanism(matrix).transition
    width, height = transition.universe.size or 0, transition.outputs.size or 0
    from_file = isinstance(matrix, (str, Path))
    if values is None and from_file:
        names = read_names([transition.universe.label(x) for x in transition.universe])
    else:
        names = read_names(values)
    if len(names) != width:
        raise InvalidInput(f"{len(names)} values are declared for {width} columns of the matrix")
    if outputs is None and from_file:
        outputs = [transition.outputs.label(o) for o in transition.outputs]
    elif outputs is None and height == width:
        outputs = names
    elif outputs is None:
        raise InvalidInput(
            f"pram: the matrix has {height} rows for {width} values: name the reports, as in "
            "outputs=[a, b, c]"
        )
    reports = read_names(outputs, "outputs")
    if len(reports) != height:
        raise InvalidInput(f"{len(reports)} outputs are declared for {height} rows of the matrix")
    if any(exact_text(entry) is None for row in transition.rows for entry in row):
        raise InvalidInput("pram: the matrix holds a number that is known by an enclosure only")
    text = f"pram({spelled_rows(transition.rows)})"
    return Matrix(names, reports, transition.rows, text, symmetric=False)


def read_names(names: Text | Iterable[str] | None, kind: str = "values") -> tuple[str, ...]:
    """Read a list of names, or names in one text with commas between them.

    A name that holds a comma stands in double quotes.

    >>> read_names('yes, no, "not, really"')
    ('yes', 'no', 'not, really')
    """
    if names is None:
        raise InvalidInput(f"declare the {kind} of the column beforehand, as in values=[yes, no]")
    if isinstance(names, str):
        names = next(csv.reader([names], skipinitialspace=True), [])
        names = [name.strip() for name in names]
    listed = tuple(names)
    for name in listed:
        if not isinstance(name, str):
            raise InvalidInput(f"{kind} holds {name!r} (type {type(name).__name__}): give texts")
    if not listed:
        raise InvalidInput(f"no {kind} are declared: name at least one")
    if len(listed) > MOST_VALUES:
        raise TooLarge(f"{len(listed)} {kind} are declared, and at most {MOST_VALUES} are taken")
    if len(set(listed)) < len(listed):
        twice = next(name for name in listed if listed.count(name) > 1)
        raise InvalidInput(f"{kind}: {twice!r} is named twice")
    return listed


def _alike(mechanism: PerRecord, names: tuple[str, ...], text: str) -> Matrix:
    return Matrix(names, names, mechanism.transition.rows, text, symmetric=len(names) > 1)


def _typed(value: object, name: str) -> str:
    exact = exact_text(number(value, name))
    if exact is None:
        raise InvalidInput(f"{name}={value} is known by an enclosure only: give an exact number")
    return exact
