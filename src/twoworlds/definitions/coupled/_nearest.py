r"""The law nearest to several: the best simulator where nothing that it is given helps it.

Of independent records the others say nothing about person i, so that a simulator may as well ignore
them: it is one law Q, to be near to P_i = the law of F(X) given each value i of the entry. With
a = e^epsilon the least delta is that of

    minimise delta   subject to   sum_t Q(t) = 1,
        sum_t (P_i(t) - a Q(t))_+ <= delta,       sum_t (Q(t) - a P_i(t))_+ <= delta      for all i.

For each output t these are functions of q = Q(t) that bend at P_i(t) / a and at a P_i(t) only. Two
outputs whose bends come in the same order belong to one *pattern*: between two bends the same sums
grow or fall, at the same rates. So only the total length of each *piece* counts (from one bend to
the next, over all outputs of the pattern), and the program has one variable for each piece and
2 k + 1 rows, for a thousand outputs as for ten. Pieces are filled in order at no loss: an earlier
one lowers no fewer of the first sums and raises no more of the second.

The multipliers of the rows give those of every output: full beyond a bend and 0 before it, or the
other way round, and at a bend where the slope crosses the multiplier of sum Q = 1 whatever makes
the two equal.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import lcm

from twoworlds.errors import TwoWorldsError
from twoworlds.programs import Optimal, Rational, solve

ZERO, ONE = Fraction(0), Fraction(1)
Bend = tuple[int, str]
"""The number of a law, and which of its sums bends: "real" (P - a Q) or "ideal" (Q - a P)."""
Pattern = tuple[tuple[Bend, ...], ...]
"""The bends of an output in order; those at one place together, those at 0 first."""


Outputs = dict[int, list[int]]
"""The outputs of one pattern, with the places of their bends in units, the first of which is 0."""
Nearest = tuple[Fraction, dict[int, Fraction], dict[Bend, dict[int, Fraction]]]
"""The least delta, the law that has it, and the multipliers by sum and output that prove it."""


def nearest(
    laws: Sequence[Mapping[int, Fraction]], ratio: Fraction | None, outputs: Sequence[int]
) -> Nearest:
    """Return the law on some outputs nearest to several laws on them.

    Without a ratio only Q(t) where P_i(t) = 0 counts.

    >>> half = Fraction(1, 2)
    >>> nearest([{0: half, 1: half}, {1: Fraction(1)}], Fraction(1), [0, 1])[:2]
    (Fraction(1, 4), {0: Fraction(1, 4), 1: Fraction(3, 4)})
    """
    patterns, unit = _patterns(laws, ratio, outputs)
    rate = ONE if ratio is None else ratio
    bends = [(i, world) for world in ("real", "ideal") for i in range(len(laws))]
    if ratio is None:
        bends = bends[len(laws) :]
    pieces = [(pattern, j) for pattern in patterns for j in range(len(pattern))]
    rows: list[dict[int, Rational]] = [*(dict[int, Rational]({0: ONE}) for _ in bends), {}]
    for number, (pattern, j) in enumerate(pieces, 1):
        passed = {bend for group in pattern[: j + 1] for bend in group}
        rows[-1][number] = ONE
        for row, bend in zip(rows, bends, strict=False):
            if bend[1] == "ideal" and bend in passed:
                row[number] = -ONE
            elif bend[1] == "real" and bend not in passed:
                row[number] = rate
    least = [ONE if world == "real" else ZERO for _, world in bends]
    outcome = solve(
        [ONE, *([ZERO] * len(pieces))],
        rows,
        lower=[*least, ONE],
        upper=[*([None] * len(bends)), ONE],
        most=[None, *(_length(patterns[pattern], j, unit) for pattern, j in pieces)],
    )
    if not isinstance(outcome, Optimal):
        raise TwoWorldsError("the program of the nearest law has no optimum: please report this")
    filled = dict(zip(pieces, outcome.x[1:], strict=True))
    weights = dict(zip(bends, outcome.y, strict=False))
    return (
        outcome.value,
        _law(patterns, filled, unit),
        _stakes(patterns, weights, outcome.y[-1], rate),
    )


def _patterns(
    laws: Sequence[Mapping[int, Fraction]], ratio: Fraction | None, outputs: Sequence[int]
) -> tuple[dict[Pattern, Outputs], int]:
    """Put the outputs together whose bends come in the same order; return what the unit divides.

    With a = A / B and common denominator D, bends are whole numbers of the unit 1 / (D A B).
    """
    common = lcm(*(p.denominator for law in laws for p in law.values()))
    a = ONE if ratio is None else ratio
    up, down, unit = a.numerator**2, a.denominator**2, common * a.numerator * a.denominator
    found: dict[Pattern, Outputs] = {}
    for t in outputs:
        at: dict[int, list[Bend]] = {0: []}
        for i, law in enumerate(laws):
            p = law.get(t, ZERO)
            whole = p.numerator * (common // p.denominator)
            if ratio is not None or whole == 0:
                at.setdefault(whole * down, []).append((i, "real"))
                at.setdefault(whole * up, []).append((i, "ideal"))
        order = sorted(at)
        here = found.setdefault(tuple(tuple(at[place]) for place in order), {})
        here[t] = order
    return found, unit


def _length(outputs: Outputs, j: int, unit: int) -> Fraction | None:
    """Return the total length of a piece; the last has no end."""
    if any(j + 1 == len(places) for places in outputs.values()):
        return None
    return Fraction(sum(places[j + 1] - places[j] for places in outputs.values()), unit)


def _law(
    patterns: Mapping[Pattern, Outputs], filled: Mapping[tuple[Pattern, int], Fraction], unit: int
) -> dict[int, Fraction]:
    """Return Q: each piece is filled to the same share in all outputs of its pattern, in order."""
    found: dict[int, Fraction] = {}
    for pattern, outputs in patterns.items():
        left, j = sum((filled[pattern, j] for j in range(len(pattern))), start=ZERO), 0
        while (length := _length(outputs, j, unit)) is not None and left >= length:
            left, j = left - length, j + 1
        share = ZERO if length is None else left / length / unit
        for t, places in outputs.items():
            found[t] = Fraction(places[j], unit)
            if share:
                found[t] += share * (places[j + 1] - places[j])
        if length is None:
            found[next(iter(outputs))] += left
    return {t: q for t, q in found.items() if q}


def _stakes(
    patterns: Mapping[Pattern, Outputs],
    weights: Mapping[Bend, Fraction],
    level: Fraction,
    rate: Fraction,
) -> dict[Bend, dict[int, Fraction]]:
    """Return the multipliers of every output from those of the sums, and of sum Q = 1."""
    found: dict[Bend, dict[int, Fraction]] = {bend: {} for bend in sorted(weights, key=_order)}
    for pattern, outputs in patterns.items():
        for bend, weight in _at_level(pattern, weights, level, rate).items():
            if weight:
                found[bend].update(dict.fromkeys(outputs, weight))
    return {bend: by_output for bend, by_output in found.items() if by_output}


def _order(bend: Bend) -> tuple[int, bool]:
    return bend[0], bend[1] == "ideal"


def _at_level(
    pattern: Pattern, weights: Mapping[Bend, Fraction], level: Fraction, rate: Fraction
) -> dict[Bend, Fraction]:
    """Pass bends in order until the slope is the level; the last may be passed in part."""
    here = {bend: weight for bend, weight in weights.items() if bend[1] == "real"}
    slope = -rate * sum(here.values(), start=ZERO)
    for number, group in enumerate(pattern):
        for bend in group:
            weight = weights.get(bend, ZERO)
            rise = weight * (rate if bend[1] == "real" else ONE)
            if number:
                rise = max(ZERO, min(rise, level - slope))
            slope += rise
            here[bend] = weight - rise / rate if bend[1] == "real" else rise
    return here
