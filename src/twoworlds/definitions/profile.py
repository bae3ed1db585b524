r"""Privacy profiles: the tight delta of a mechanism for every ratio a = e^epsilon.

    delta(a) = max over neighbours and events E of  P(E | x) - a P(E | y),   a >= 1,

is a maximum of lines, hence convex, falling and piecewise linear in a (not in epsilon). For finite
mechanisms, and for noise with finitely many likelihood ratios, the pieces are exact rationals.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple

from twoworlds.errors import Unsupported
from twoworlds.laws.comparison import larger
from twoworlds.mechanisms import Family, Line
from twoworlds.numbers import INFINITY, Number, above, ratio_at_least_one, show, to_json

__all__ = ["Piece", "Profile", "envelope"]

_SAMPLES, _LARGEST_DRAWN = 32, 1e200


class Piece(NamedTuple):
    """delta(a) = p - a q for ratios from ``start`` to ``end``."""

    start: Number
    end: Number
    p: Number
    q: Number


class Profile:
    """The tight delta as a function of the ratio.

    >>> from twoworlds import mechanism, DifferentialPrivacy
    >>> survey = mechanism("randomized-response(bits=1, keep=3/4)")
    >>> print(DifferentialPrivacy().profile(survey))
    delta(a) = 3/4 - 1/4 a   for 1 <= a <= 3
    delta(a) = 0             for a >= 3
    """

    def __init__(self, family: Family) -> None:
        """Take the comparison of all neighbouring worlds."""
        self._family = family

    def __call__(self, ratio: object) -> Number:
        """Return the tight delta at a ratio."""
        return self._family.gap(ratio_at_least_one(ratio))[1].delta

    @cached_property
    def pieces(self) -> list[Piece]:
        """The exact pieces.

        Raises:
            Unsupported: when there are infinitely many.
        """
        return envelope(line for comparison in self._family for line in comparison.lines())

    def __str__(self) -> str:
        """Write one line per piece."""
        formulas = [_formula(piece) for piece in self.pieces]
        width = max(len(formula) for formula in formulas)
        return "\n".join(
            f"delta(a) = {formula:<{width}}   for {_range(piece)}"
            for formula, piece in zip(formulas, self.pieces, strict=True)
        )

    def _repr_html_(self) -> str:
        """Show a card with the curve in a notebook."""
        from twoworlds.cards import card, profile_chart, table

        title = "The smallest delta at every ratio a = e^epsilon"
        try:
            corners = [(above(p.start), above(p.p - p.start * p.q)) for p in self.pieces]
        except Unsupported:
            ratios = [Fraction(9, 8) ** k for k in range(_SAMPLES)]
            corners, rows = [(float(a), above(self(a))) for a in ratios], []
        else:
            rows = [(f"delta(a) = {_formula(p)}", f"for {_range(p)}") for p in self.pieces]
        words = f"From {corners[0][1]:.3g} at ratio 1 to {corners[-1][1]:.3g} at the last one."
        drawable = corners[-1][0] < _LARGEST_DRAWN
        inside = [profile_chart(corners, words, width=420)] if drawable else []
        return card(title, inside=[*([table((), rows)] if rows else []), *inside])

    def to_dict(self) -> list[dict[str, Any]]:
        """Return the pieces as plain data."""
        return [
            {
                "from_ratio": to_json(piece.start),
                "to_ratio": to_json(piece.end),
                "constant": to_json(piece.p),
                "slope": to_json(-piece.q),
            }
            for piece in self.pieces
        ]


def envelope(lines: Iterable[Line]) -> list[Piece]:
    """Return the pieces of max(0, max_i p_i - a q_i) for a from 1 to infinity.

    At a = 1 the highest line is on top; from there on, the next piece is the line that overtakes
    first, and only flatter lines (smaller q) can.
    """
    candidates = _steepest_first({*lines, Line(Fraction(0), Fraction(0))})
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


def _steepest_first(lines: Iterable[Line]) -> list[Line]:
    """Keep the highest line of each slope, and drop lines below another everywhere."""
    best: dict[Number, Number] = {}
    for p, q in lines:
        if q not in best or larger(p, best[q]):
            best[q] = p
    kept: list[Line] = []
    for q in sorted(best, key=float):
        if not kept or larger(best[q], kept[-1].p):
            kept.append(Line(best[q], q))
    return kept[::-1]


def _first_crossing(top: Line, lines: list[Line]) -> tuple[Number, Line]:
    found: tuple[Number, Line] | None = None
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
