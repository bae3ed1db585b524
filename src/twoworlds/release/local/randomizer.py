r"""A randomizer: what happens to one record of a column, and what its report can tell.

Every record passes on its own through the same channel T, where T[o, v] = P(report o | value v).
The ratio of the channel is

    max over reports o and values v, w of  T[o, v] / T[o, w]

(the amplification gamma of Lin & Kifer, Definition 5.10; e^epsilon of Wu, Proposition 3.1). It
bounds what a report does to the odds between any two values of its own record, for every attacker:
posterior odds are prior odds times a quotient T[o, v] / T[o, w]. This is the local model: the two
worlds differ in the value of one record (substitution), and nobody is trusted with the reports.

Cells without a declared value. Whether a cell is empty, NULL or undeclared is data too, so that it
must not decide whether the work fails. Such a cell counts as the value ``missing`` if that is
declared. Otherwise it is first replaced by one of the declared values, chosen evenly: its report
has the law of a column that is the average of all columns, so the ratio stays what it is, and
estimates speak of the column after that replacement.

Channels that a record may pass through, by name: randomized response, FRAPP, PRAM.

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
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from twoworlds.answer import Answer, Said
from twoworlds.calls import Registry, Text
from twoworlds.charts import HeatMap
from twoworlds.errors import InvalidInput, TooLarge
from twoworlds.mechanisms import Dense, PerRecord
from twoworlds.mechanisms.named import gamma
from twoworlds.mechanisms.named import pram as pram_mechanism
from twoworlds.mechanisms.named import randomized_response as randomized_response_mechanism
from twoworlds.mechanisms.named.load import spelled_rows
from twoworlds.numbers import (
    INFINITY,
    Number,
    exact_text,
    ln,
    maximum,
    number,
    ratio_at_least_one,
    show,
)
from twoworlds.release.local.files import Codes
from twoworlds.release.noise import SystemBits
from twoworlds.release.noise.bits import for_release
from twoworlds.release.noise.table import Columns, cumulated
from twoworlds.show import Result
from twoworlds.worlds import Explicit

CHANNELS: Registry[Randomizer] = Registry("channel")
_DRAWN = 12
DEFINITION = (
    "local model: for two worlds that differ in the value of one record (substitution), no report "
    "of that record is more than ratio = e^epsilon times likelier in one than in the other"
)
MOST_VALUES = 255


@CHANNELS.register("randomized-response")
def randomized_response(
    keep: object = None,
    ratio: object = None,
    epsilon: object = None,
    values: Text | Sequence[str] | None = None,
) -> Randomizer:
    """Report the true value with probability keep, and otherwise one of the others evenly."""
    names = read_names(values)
    mechanism = randomized_response_mechanism(
        values=str(len(names)), records=1, keep=keep, ratio=ratio, epsilon=epsilon
    )
    given = {"keep": keep, "ratio": ratio, "epsilon": epsilon}
    [(name, value)] = [(name, value) for name, value in given.items() if value is not None]
    return _alike(mechanism, names, f"randomized-response({name}={_typed(value, name)})")


@CHANNELS.register("frapp")
def frapp(gamma: object, values: Text | Sequence[str] | None = None) -> Randomizer:
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
) -> Randomizer:
    """Any stochastic matrix, a list of rows or the path of a CSV or JSON file.

    Without outputs the reports are named as in the file, or like the values if there are as many.
    """
    built = pram_mechanism(matrix)
    if built.records > 1:
        raise InvalidInput("pram: here one matrix serves every person: give one list of rows")
    transition = built.of(0)
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
        raise InvalidInput(
            "pram: the matrix holds a number that is not known exactly: give fractions"
        )
    text = f"pram({spelled_rows(transition.rows)})"
    return Randomizer(names, reports, transition.rows, text, symmetric=False)


def read_names(names: Text | Iterable[str] | None, kind: str = "values") -> tuple[str, ...]:
    """Read a list of names, or names in one text with commas between them.

    A name that holds a comma stands in double quotes.

    >>> read_names('yes, no, "not, really"')
    ('yes', 'no', 'not, really')
    """
    if names is None:
        raise InvalidInput(
            f"declare the {kind} of the column beforehand, as in --values 'yes, no', or "
            "values=['yes', 'no'] in Python"
        )
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


def _alike(mechanism: PerRecord, names: tuple[str, ...], text: str) -> Randomizer:
    return Randomizer(names, names, mechanism.transition.rows, text, symmetric=len(names) > 1)


def _typed(value: object, name: str) -> str:
    exact = exact_text(number(value, name))
    if exact is None:
        raise InvalidInput(f"{name}={value} is not known exactly: give an exact number")
    return exact


@dataclass(frozen=True)
class Randomizer(Result):
    """A channel over declared values.

    >>> coin = Randomizer.of("randomized-response(keep=3/4)", values=["yes", "no"])
    >>> coin.ratio, coin.epsilon
    (Fraction(3, 1), Real(ln 3))

    Attributes:
        values: the values that a record may hold, as text.
        outputs: the reports, as text.
        rows: P(report | value), one row for each report.
        expression: the call without values and outputs, to be typed again beside them.
        symmetric: whether all values are treated alike: one number on the diagonal, one elsewhere.
        missing: the declared value that stands for every cell without one, if any.
    """

    values: tuple[str, ...]
    outputs: tuple[str, ...]
    rows: tuple[tuple[Number, ...], ...]
    expression: str
    symmetric: bool
    missing: str | None = None

    @staticmethod
    def of(
        channel: str,
        *,
        values: object = None,
        outputs: object = None,
        missing: str | None = None,
    ) -> Randomizer:
        """Build a randomizer from a call.

        Args:
            channel: ``randomized-response(keep=3/4)`` (or ratio=, epsilon=), ``frapp(gamma=3)``, or
                ``pram(matrix)`` with a list of rows or the path of a matrix file.
            values: the values that a record may hold, if the call does not name them.
            outputs: the reports of a pram that has not as many as values.
            missing: which of the values stands for empty, NULL and undeclared cells.

        Raises:
            InvalidInput: for a channel that is none, or values that do not fit it.
        """
        beside = {"values": values, "outputs": outputs}
        given = {name: value for name, value in beside.items() if value is not None}
        made = CHANNELS.build(channel, **given)
        if missing is not None and missing not in made.values:
            raise InvalidInput(
                f"missing={missing!r} is none of the declared values: declare it as a value too"
            )
        return replace(made, missing=missing)

    @cached_property
    def ratio(self) -> Number:
        """The largest quotient within a row of the channel, exactly; infinite if a 0 stands there.

        >>> Randomizer.of("pram([[3/5, 1/7], [2/5, 6/7]])", values=["a", "b"]).ratio
        Fraction(21, 5)
        """
        rows = self.rows
        if self.symmetric:
            keep, other = rows[0][0], rows[0][1]
            return maximum(_quotient(keep, other), _quotient(other, keep))
        exact = [[entry for entry in row if isinstance(entry, Fraction)] for row in rows]
        if all(len(row) == len(self.values) for row in exact):
            return max(_quotient(max(row), min(row)) for row in exact if any(row))
        values, outputs = (Explicit(tuple(range(len(n)))) for n in (self.values, self.outputs))
        return gamma(PerRecord(Dense(values, outputs, rows), 1))

    @property
    def epsilon(self) -> Number:
        """The logarithm of the ratio: what one report costs."""
        return INFINITY if self.ratio == INFINITY else ln(self.ratio)

    def answer(self) -> Answer:
        """Say what a report can tell about its record, in odds."""
        start = (
            f"Each record is reported on its own by {self.expression}, over the values "
            f"{', '.join(self.values)}."
        )
        if self.ratio == INFINITY:
            said = "Some report rules a value out for certain: there is no bound on odds."
        elif self.ratio == 1:
            said = "The reports say nothing about the values."
        else:
            most = self.ratio / (1 + self.ratio)
            said = (
                "The report changes anyone's odds between two values of that record, whatever "
                f"else they know, by a factor of at most {show(self.ratio, side='up')}: of two "
                "values that seemed equally likely, one gets a probability of at most "
                f"{show(most, side='up')}. Where records go together, the reports of others tell "
                "about it as well."
            )
        return Answer(start, blocks=(Said([said]), *self._chart()))

    def _chart(self) -> Iterator[HeatMap]:
        """Chart the probability of each report (rows) for each value (columns), if few."""
        if max(len(self.values), len(self.outputs)) <= _DRAWN:
            rows = [
                (f"reported {report}", [(show(p), float(p)) for p in row])
                for report, row in zip(self.outputs, self.rows, strict=True)
            ]
            yield HeatMap("How likely each report is, by value", self.values, rows)

    def fields(self) -> dict[str, Any]:
        """Return the channel, its values and reports, and its ratio."""
        return {
            "channel": self.expression,
            "values": self.values,
            "outputs": self.outputs,
            "missing": self.missing,
            "definition": DEFINITION,
            "ratio": self.ratio,
            "epsilon": self.epsilon,
        }

    @cached_property
    def columns(self) -> Columns:
        """The tables that reports are drawn from: one for each value, one for undeclared cells."""
        laws = cumulated(self.rows, symmetric=self.symmetric)
        if self.missing is not None:
            laws[-1] = laws[self.values.index(self.missing)]
        return Columns.of(laws)

    def draw(self, codes: Codes, source: SystemBits) -> Codes:
        """Draw the reports of records for a release, as places among ``outputs``.

        ``codes`` has for each record the place of its value among ``values``, or their number for a
        cell without a declared value.
        """
        return self.columns.reports(self._checked(codes), for_release(source))

    def _checked(self, codes: Codes) -> Codes:
        if codes.dtype != np.uint8:
            raise InvalidInput(f"codes has the type {codes.dtype}: give an array of uint8")
        if codes.size and int(codes.max()) > len(self.values):
            raise InvalidInput(
                f"a code is above {len(self.values)}: 0, 1, ... are the places of the values, and "
                f"{len(self.values)} is a cell without a declared one"
            )
        return codes


def _quotient(top: Number, bottom: Number) -> Number:
    if bottom == 0:
        return INFINITY if top != 0 else Fraction(1)
    return top / bottom
