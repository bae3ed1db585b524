r"""Privacy profiles: the tight delta of a mechanism for every ratio a = e^epsilon.

    delta(a) = max over neighbours and events E of  P(E | x) - a P(E | y),   a >= 1,

is a maximum of lines, hence convex, falling and piecewise linear in a (not in epsilon). For finite
mechanisms, and for noise with finitely many likelihood ratios, the pieces are exact rationals.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from math import exp, log
from typing import Any, NamedTuple

from twoworlds.answer import Answer, Table
from twoworlds.charts import profile as chart
from twoworlds.errors import Unsupported
from twoworlds.laws.comparison import larger
from twoworlds.mechanisms import Family, ProfileLine
from twoworlds.numbers import INFINITY, Number, above, decimal, ratio_at_least_one, show
from twoworlds.show import Result

_SAMPLES, _TINY, _LARGEST = 64, Fraction(1, 1000), 2**20
_LARGEST_DRAWN = 1e200


class Piece(NamedTuple):
    """delta(a) = p - a q for ratios from ``start`` to ``end``."""

    start: Number
    end: Number
    p: Number
    q: Number


@dataclass(frozen=True)
class Profile(Result):
    """The tight delta as a function of the ratio.

    >>> from twoworlds import mechanism, DifferentialPrivacy
    >>> survey = mechanism("randomized-response(bits=1, keep=3/4)")
    >>> print(DifferentialPrivacy().profile(survey))
    delta(a) = 3/4 - 1/4 a   for 1 <= a <= 3
    delta(a) = 0             for a >= 3
    """

    family: Family = field(repr=False)
    mechanism: str
    assumptions: tuple[str, ...] = ()

    def __call__(self, ratio: object) -> Number:
        """Return delta at a ratio."""
        return self.family.gap(ratio_at_least_one(ratio))[1].delta

    @cached_property
    def pieces(self) -> list[Piece]:
        """The exact pieces."""
        return envelope(line for comparison in self.family for line in comparison.lines())

    def __str__(self) -> str:
        formulas = [_formula(piece) for piece in self.pieces]
        width = max(len(formula) for formula in formulas)
        return "\n".join(
            f"delta(a) = {formula:<{width}}   for {_range(piece)}"
            for formula, piece in zip(formulas, self.pieces, strict=True)
        )

    def points(self) -> list[tuple[Number, Number]]:
        """Return ratios with their deltas: the corners, after the last of which delta stays.

        Of infinitely many pieces: ratios in equal steps of epsilon, to where delta is next to
        nothing. The straight lines between them lie above the profile, on the safe side.
        """
        try:
            return [(one.start, one.p - one.start * one.q) for one in self.pieces]
        except Unsupported:
            pass
        start, end = self(1), 2
        while larger(self(end), start * _TINY) and end < _LARGEST:
            end *= 2
        steps = (Fraction(exp(log(end) * k / _SAMPLES)) for k in range(1, _SAMPLES))
        ratios = [Fraction(1), *steps, Fraction(end)]
        return [(ratio, self(ratio)) for ratio in ratios]

    def answer(self) -> Answer:
        """Say where delta starts and ends, then the pieces, and chart it."""
        points = self.points()
        (_, first), (ratio, last) = points[0], points[-1]
        begins = f"At ratio 1, where epsilon is 0, delta is {decimal(first, 3, 'about')}"
        ends = f"{decimal(last, 3, 'about')} at ratio {decimal(ratio, 4, 'about')}"
        try:
            rows = [(_formula(p), _range(p)) for p in self.pieces]
            said = f"{begins}; it falls to {ends}, and stays there."
        except Unsupported:
            rows, said = [], f"{begins}; it is {ends}."
        if len(points) == 1:
            said = f"{begins}, and it stays there however large the ratio."
        drawn = [(above(a), above(delta)) for a, delta in points]
        return Answer(
            said,
            subject=self.mechanism,
            claim="tight delta at every ratio a = e^epsilon",
            blocks=(
                *([Table(("delta(a)", "for"), rows)] if rows else []),
                *([chart(drawn, said)] if drawn[-1][0] < _LARGEST_DRAWN else []),
            ),
            assumptions=self.assumptions,
        )

    def fields(self) -> dict[str, Any]:
        """Return the mechanism and the pieces."""
        pieces = [
            {"from_ratio": one.start, "to_ratio": one.end, "constant": one.p, "slope": -one.q}
            for one in self.pieces
        ]
        return {"mechanism": self.mechanism, "profile": pieces}


def envelope(lines: Iterable[ProfileLine]) -> list[Piece]:
    """Return the pieces of max(0, max_i p_i - a q_i) for a from 1 to infinity.

    At a = 1 the highest line is on top; from there on, the next piece is the line that overtakes
    first, and only flatter lines (smaller q) can.
    """
    candidates = _steepest_first({*lines, ProfileLine(Fraction(0), Fraction(0))})
    start: Number = Fraction(1)
    top = candidates[0]
    for line in candidates[1:]:
        if not larger(top.p - top.q, line.p - line.q):
            top = line
    pieces = []
    remaining = [line for line in candidates if larger(top.q, line.q)]
    while remaining:
        crossing, following = _first_crossing(top, remaining)
        if larger(crossing, start):
            pieces.append(Piece(start, crossing, top.p, top.q))
        start, top = crossing, following
        remaining = [line for line in remaining if larger(top.q, line.q)]
    return [*pieces, Piece(start, INFINITY, top.p, top.q)]


def _steepest_first(lines: Iterable[ProfileLine]) -> list[ProfileLine]:
    """Keep the highest line of each slope, and drop lines below another everywhere."""
    best: dict[Number, Number] = {}
    for p, q in lines:
        if q not in best or larger(p, best[q]):
            best[q] = p
    kept: list[ProfileLine] = []
    for q in sorted(best, key=float):
        if not kept or larger(best[q], kept[-1].p):
            kept.append(ProfileLine(best[q], q))
    return kept[::-1]


def _first_crossing(top: ProfileLine, lines: list[ProfileLine]) -> tuple[Number, ProfileLine]:
    found: tuple[Number, ProfileLine] | None = None
    for line in lines:
        crossing = (top.p - line.p) / (top.q - line.q)
        if found is None or not larger(crossing, found[0]):
            found = crossing, line
    assert found is not None
    return found


def _formula(piece: Piece) -> str:
    if piece.q == 0:
        return _short(piece.p)
    return f"{_short(piece.p)} - {_short(piece.q)} a"


def _short(x: Number) -> str:
    return str(x) if isinstance(x, Fraction) and len(str(x)) < 24 else show(x)


def _range(piece: Piece) -> str:
    if piece.end == INFINITY:
        return f"a >= {_short(piece.start)}"
    return f"{_short(piece.start)} <= a <= {_short(piece.end)}"
