r"""Tables of likelihoods of small mechanisms, and the outputs that can breach at all.

Semantic privacy depends on an output only through its likelihood row, up to a factor. So geometric
noise added to answers from l to h may be clamped to this range: beyond it all rows are alike. Other
integer noise is listed up to outputs of a probability of 10^-6 together.

An output t breaches s under some belief only if for some person the swing of its likelihood,
R = max r / min r with r(x) = P(A(x) = t) / P(A(x_-i) = t), has (sqrt R - 1)/(sqrt R + 1) > s (S1).
No belief sees a breach more often than these outputs occur on the database that makes them
likeliest: under a belief they have the mean probability over databases.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import ceil, floor
from typing import TYPE_CHECKING, Any

from twoworlds.definitions.semantics.breaches import reachable
from twoworlds.definitions.semantics.games import default_value, without
from twoworlds.laws.noise import GeometricNoise
from twoworlds.mechanisms import AddedNoise, AtLeast, AtMost, Mechanism, OnStatistic
from twoworlds.mechanisms.on_statistic import FiniteNoise
from twoworlds.numbers import Number, bounds
from twoworlds.worlds import Point, Records
from twoworlds.worlds.belief import records_of

if TYPE_CHECKING:
    import numpy as np

    Floats = np.ndarray[Any, np.dtype[np.float64]]

_LARGEST = 1 << 13
_BITS = 80
_REST = Fraction(1, 10**6)


@dataclass(frozen=True)
class Likelihoods:
    """All likelihoods of a small mechanism, as rationals that enclose them.

    They lie between ``low`` and ``high``, which are the same where the mechanism is rational; both
    by output and column: the databases, and those with a record left out that no belief holds
    possible (``left_out``). ``removed`` is the column of x_-i, by person and database. Outputs that
    are not listed have a probability of at most ``rest`` together, on any database.
    """

    databases: tuple[Point, ...]
    outputs: tuple[Point, ...]
    low: tuple[tuple[Fraction, ...], ...]
    high: tuple[tuple[Fraction, ...], ...]
    removed: tuple[tuple[int, ...], ...]
    left_out: tuple[Point, ...] = ()
    rest: Fraction = Fraction(0)

    @staticmethod
    def of(
        mechanism: Mechanism, default: object = None, outputs: Iterable[Point] | None = None
    ) -> Likelihoods:
        """Tabulate a mechanism on lists of records, for its outputs or for those that matter."""
        databases = tuple(records_of(mechanism.universe))
        removed = _without_each(mechanism, default)
        columns = list(dict.fromkeys([*databases, *(y for one in removed for y in one)]))
        place = {x: j for j, x in enumerate(columns)}
        listed = tuple(mechanism.outputs if outputs is None else outputs)
        enclosed = [[_enclosed(mechanism.probability(t, x)) for x in columns] for t in listed]
        return Likelihoods(
            databases,
            listed,
            tuple(tuple(max(low, Fraction(0)) for low, _ in row) for row in enclosed),
            tuple(tuple(high for _, high in row) for row in enclosed),
            tuple(tuple(place[y] for y in one) for one in removed),
            tuple(columns[len(databases) :]),
        )

    @cached_property
    def floats(self) -> tuple[Floats, Floats]:
        """The likelihoods by output and database, and by person, output and database without."""
        import numpy as np

        p = np.array([[float(p) for p in row] for row in self.high])
        q = np.array([p[:, list(removed)] for removed in self.removed])
        return p[:, : len(self.databases)], q

    def ratios(self, t: int, person: int) -> tuple[Fraction | None, Fraction | None] | None:
        """Return enclosures of min r and max r; None for infinite, None at all without any r."""
        low, high = self.low[t], self.high[t]
        pairs = [(j, k) for j, k in enumerate(self.removed[person]) if high[j] or high[k]]
        if not pairs:
            return None
        tops = [high[j] / low[k] if low[k] else None for j, k in pairs]
        bottoms = [low[j] / high[k] for j, k in pairs if high[k]]
        most = None if None in tops else max(top for top in tops if top is not None)
        return min(bottoms, default=None), most

    def can_breach(self, t: int, person: int, s: Fraction) -> bool:
        """Tell whether some belief may see a difference above s after this output (S1)."""
        found = self.ratios(t, person)
        if found is None or s >= 1:
            return False
        least, most = found
        return not least or most is None or most / least > ((1 + s) / (1 - s)) ** 2


def _without_each(mechanism: Mechanism, default: object) -> list[list[Point]]:
    """Return x_-i by person and database."""
    records = records_of(mechanism.universe)
    d = default_value(records, default, mechanism)
    return [[without(x, i, d) for x in records] for i in range(records.n)]


def _enclosed(p: Number) -> tuple[Fraction, Fraction]:
    """Enclose a likelihood in short rationals, of a relative width of 2^-80."""
    low, high = bounds(p)
    if isinstance(p, Fraction) or low <= 0:
        return low, high
    shift = _BITS - (low.numerator.bit_length() - low.denominator.bit_length())
    scale = Fraction(2) ** shift
    return floor(low * scale) / scale, ceil(high * scale) / scale


def tabulated(mechanism: Mechanism, default: object = None) -> Likelihoods | None:
    """Return the table of a small mechanism; None if it is large, or has too many rows."""
    universe = mechanism.universe
    if not isinstance(universe, Records) or not universe.fixed or universe.size > _LARGEST:
        return None
    room = _LARGEST // (universe.size * universe.n)
    if mechanism.outputs.size is not None:
        return Likelihoods.of(mechanism, default) if mechanism.outputs.size <= room else None
    channel = mechanism.channel if isinstance(mechanism, OnStatistic) else None
    if isinstance(channel, FiniteNoise):
        reached: list[Any] = sorted({t for x in universe for t in reachable(mechanism, x)})
        return Likelihoods.of(mechanism, default, reached) if len(reached) <= room else None
    if not isinstance(mechanism, OnStatistic) or not isinstance(channel, AddedNoise):
        return None
    if not channel.by_difference:
        return None
    columns = (y for one in _without_each(mechanism, default) for y in one)
    answers: dict[Any, Point] = {mechanism.statistic(x): x for x in (*columns, *universe)}
    least, most = min(answers), max(answers)
    if not isinstance(channel.noise, GeometricNoise):
        return _windowed(mechanism, default, answers, room)
    if most - least >= room:
        return None
    clamped = AddedNoise(channel.noise, least, most)
    name = mechanism.expression
    return Likelihoods.of(
        OnStatistic(universe, mechanism.statistic, clamped, expression=name), default
    )


def _windowed(
    mechanism: OnStatistic, default: object, answers: dict[Any, Point], room: int
) -> Likelihoods | None:
    """Return the table of the outputs around all answers, all but `_REST`; None if too many."""
    least, most = min(answers), max(answers)
    for width in range(room - (most - least)):
        below = mechanism.mass(AtMost(least - width - 1), answers[least])
        rest = bounds(below + mechanism.mass(AtLeast(most + width + 1), answers[most]))[1]
        if rest <= _REST:
            window = range(least - width, most + width + 1)
            rest = Fraction(ceil(rest * 10**9), 10**9)
            return replace(Likelihoods.of(mechanism, default, window), rest=rest)
    return None


def bad_outputs(table: Likelihoods, s: Fraction) -> list[int]:
    """Return the outputs that can breach at all."""
    persons = range(len(table.removed))
    outputs = range(len(table.outputs))
    return [t for t in outputs if any(table.can_breach(t, i, s) for i in persons)]
