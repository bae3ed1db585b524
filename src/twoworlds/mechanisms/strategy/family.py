r"""A strategy given as the paper gives it: a family of functions f_rho, checked for consistency.

Dwork requires f_rho(X)_i = f_rho'(X)_i whenever rho and rho' agree in their first i - 1 responses
(Section 5, before Theorem 5). With finitely many responses to each query, as under noise clamped to
a range, all transcripts can be listed and the requirement is checked on every database; what breaks
it is named. Answers outside of the listed ones are treated as the nearest listed one below them, or
the least.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import product
from math import prod
from typing import Any

from twoworlds.errors import InvalidInput, TooLarge
from twoworlds.mechanisms.strategy.regions import Box, Interval
from twoworlds.mechanisms.strategy.strategy import Ask, Strategy, Then
from twoworlds.numbers import rational
from twoworlds.worlds import Computed, Point, Universe

__all__ = ["from_family"]

_MOST = 1 << 20
_Row = tuple[Fraction, ...]


def from_family(
    universe: Universe,
    family: Callable[[tuple[Fraction, ...], Any], Sequence[object]],
    responses: Sequence[Sequence[object]],
) -> Strategy:
    """Read a family of functions f_rho, and check that every query depends on earlier answers only.

    Args:
        universe: the databases that may be true.
        family: from a transcript rho and a database X to the d numbers f_rho(X).
        responses: for each of the d queries, all responses that are to be told apart.

    Raises:
        InvalidInput: when a query depends on its own answer or on a later one; the message names
            two transcripts and a database.

    >>> from twoworlds.worlds import BitStrings
    >>> stop = lambda rho, x: (sum(x), sum(x) if rho[0] == 1 else 0)
    >>> from_family(BitStrings(2), stop, [[0, 1, 2], [0, 1, 2]]).sensitivity().joint
    Fraction(2, 1)
    >>> from_family(BitStrings(2), lambda rho, x: (rho[1], sum(x)), [[0], [0, 1]])
    Traceback (most recent call last):
    twoworlds.errors.InvalidInput: query 1 is 0 on 11 along the transcript (0, 0) but 1 along \
(0, 1), whose first 0 answers agree: a query may depend on earlier answers only
    """
    listed = tuple(tuple(sorted({rational(r, "response") for r in one})) for one in responses)
    if not listed or not all(listed):
        raise InvalidInput("name at least one query, and at least one response to each")
    if universe.size is None or universe.size * prod(map(len, listed)) > _MOST:
        raise TooLarge(
            f"the transcripts and databases are more than {_MOST} pairs: they cannot be listed; "
            "give the strategy step by step, with Strategy.of"
        )
    tables = _tables(universe, family, listed)
    queries: dict[tuple[Fraction, ...], Computed] = {}

    def step(place: int) -> Then:
        def choose(box: Box) -> Ask:
            earlier = tuple(_named(box[i], listed[i]) for i in range(place))
            column = tables[earlier]
            if column not in queries:
                values = dict(zip(universe, column, strict=True))
                queries[column] = Computed(lambda x: values[x], f"query {place + 1}")
            cuts = listed[place][1:] if place + 1 < len(listed) else ()
            return Ask(queries[column], cuts)

        return Then(choose)

    return Strategy.of(universe, [step(place) for place in range(len(listed))])


def _named(interval: Interval, responses: _Row) -> Fraction:
    """Return the response whose interval this is: the intervals begin at the responses."""
    return responses[0] if interval.low is None else interval.low


def _tables(
    universe: Universe,
    family: Callable[[tuple[Fraction, ...], Any], Sequence[object]],
    listed: tuple[_Row, ...],
) -> dict[_Row, _Row]:
    """Return the values on all databases of the query that follows each beginning."""
    databases: tuple[Point, ...] = tuple(universe)
    found: dict[_Row, tuple[_Row, _Row]] = {}  # the values, and the transcript they were read from
    for rho in product(*listed):
        rows = [_read(family(rho, x), len(listed), rho) for x in databases]
        for place in range(len(listed)):
            column = tuple(row[place] for row in rows)
            known = found.setdefault(rho[:place], (column, rho))
            if known[0] != column:
                at = next(j for j, value in enumerate(column) if value != known[0][j])
                raise InvalidInput(
                    f"query {place + 1} is {known[0][at]} on {universe.label(databases[at])} along "
                    f"the transcript {_said(known[1])} but {column[at]} along {_said(rho)}, whose "
                    f"first {place} answers agree: a query may depend on earlier answers only"
                )
    return {beginning: column for beginning, (column, _) in found.items()}


def _read(values: Sequence[object], length: int, rho: _Row) -> _Row:
    if not isinstance(values, (tuple, list)) or len(values) != length:
        raise InvalidInput(f"f_rho(X) must be {length} numbers, as for the transcript {_said(rho)}")
    return tuple(rational(value, "f_rho(X)") for value in values)


def _said(transcript: _Row) -> str:
    return f"({', '.join(map(str, transcript))})"
