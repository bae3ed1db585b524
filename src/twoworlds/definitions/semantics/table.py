r"""Small tables of likelihoods, of mechanisms with finitely or infinitely many outputs.

Semantic privacy depends on an output only through its likelihood row, up to a factor. So noise with
infinitely many outputs may be cut: geometric noise added to answers from l to h has the same rows,
up to factors, from h on and up to l, and clamping it to this range loses nothing. Other noise is
clamped far out, where little mass is left; the two ends then stand for many outputs and are marked
as *folded*.

Upper bounds on how often any belief can see a breach of semantic privacy, for small tables.

For a belief b write P_t = sum_x b(x) p_t(x), with p_t(x) = P(A(x) = t), and likewise Q_t with
q_t(x) = P(A(x_-i) = t). The failure probability is the sum of P_t over the outputs t that breach
s under b. Each of these terms is below some *linear* functions of b, so that their sum is largest
at a single database. The functions, for an output t:

  p_t(x) itself; or 0, if t cannot breach at all: for all persons the swing of its likelihood,
  R = max r / min r with r = p/q, has (sqrt R - 1)/(sqrt R + 1) <= s.

  The sum over persons of (2 (p - u q)_+ + u (q - p/l)_+) / tau, for any window l < u, m^2 = u/l and
  tau = s - (m - 1)/(m + 1) > 0. (Proof: P' = min(P, u Q) and Q' = min(Q, P/l) have a swing of at
  most m^2 given t, so SD_t <= (m - 1)/(m + 1) + eta + zeta, where eta = (P - P')_t / P_t and
  zeta = (Q - Q')_t / Q_t. A breach needs eta + zeta > tau; P_t eta = (P - P')_t, and P_t zeta
  is at most u (Q - Q')_t + (P - P')_t, since P_t <= u Q_t + (P - P')_t.)
  If no r lies below l, then zeta = 0, and (p - u q)_+ / tau is enough.

With l = e^-epsilon and u = e^epsilon for every output this is S4, person by person. The best
choice for each output is searched in floats; any choice gives a valid bound, and the one found is
evaluated exactly.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from math import ceil, floor
from typing import TYPE_CHECKING, Any, NamedTuple

from twoworlds.definitions.semantics.breaches import reachable
from twoworlds.definitions.semantics.games import default_value, without
from twoworlds.laws.noise import GeometricNoise
from twoworlds.mechanisms import AddedDensity, AddedNoise, Mechanism, OnStatistic
from twoworlds.mechanisms.continuous import Continuous, NoisyStatistic
from twoworlds.mechanisms.on_statistic import FiniteNoise
from twoworlds.numbers import Number, bounds
from twoworlds.worlds import Additive, BitStrings, Point, Reals, Records, TrueAnswer
from twoworlds.worlds.belief import records_of

if TYPE_CHECKING:
    import numpy as np

    Floats = np.ndarray[Any, np.dtype[np.float64]]

_LARGEST = 1 << 13
_FAR_OUT = Fraction(1, 10**15)
_FEW = 3
_BITS = 80
_FEW_DATABASES = 32
_STEPS = 96
_RARE = 1e-4


@dataclass(frozen=True)
class Likelihoods:
    """All likelihoods of a small mechanism, as rationals that enclose them.

    They lie between ``low`` and ``high``, which are the same where the mechanism is rational; both
    by output and database.

    Attributes:
        removed: by person and database, the place of x_-i.
        folded: outputs that stand for many, all that is further out: they always may breach, and
            are never said to.
    """

    mechanism: Mechanism = field(repr=False)
    databases: tuple[Point, ...]
    outputs: tuple[Point, ...]
    low: tuple[tuple[Fraction, ...], ...]
    high: tuple[tuple[Fraction, ...], ...]
    removed: tuple[tuple[int, ...], ...]
    folded: frozenset[int] = frozenset()

    @staticmethod
    def of(
        mechanism: Mechanism,
        default: object = None,
        folded: Iterable[Point] = (),
        outputs: Iterable[Point] | None = None,
    ) -> Likelihoods:
        """Tabulate a mechanism on lists of records, for its outputs or for those that matter."""
        records = records_of(mechanism.universe)
        d = default_value(records, default)
        databases = tuple(records)
        outputs = tuple(mechanism.outputs if outputs is None else outputs)
        place = {x: j for j, x in enumerate(databases)}
        enclosed = [[_enclosed(mechanism.probability(t, x)) for x in databases] for t in outputs]
        return Likelihoods(
            mechanism,
            databases,
            outputs,
            tuple(tuple(max(low, Fraction(0)) for low, _ in row) for row in enclosed),
            tuple(tuple(high for _, high in row) for row in enclosed),
            tuple(tuple(place[without(x, i, d)] for x in databases) for i in range(records.n)),
            frozenset(outputs.index(t) for t in folded),
        )

    @cached_property
    def floats(self) -> Floats:
        """The likelihoods by output and database."""
        import numpy as np

        return np.array([[float(p) for p in row] for row in self.high])

    def ratios(self, t: int, person: int) -> tuple[Fraction | None, Fraction | None] | None:
        """Return enclosures of min r and max r; None for infinite, None at all without any r."""
        least: Fraction | None = None
        most: Fraction | None = Fraction(0)
        seen = False
        for j, k in enumerate(self.removed[person]):
            if self.high[t][j] == 0 and self.high[t][k] == 0:
                continue
            seen = True
            upper = None if self.low[t][k] == 0 else self.high[t][j] / self.low[t][k]
            lower = None if self.high[t][k] == 0 else self.low[t][j] / self.high[t][k]
            most = None if most is None or upper is None else max(most, upper)
            least = lower if least is None else least if lower is None else min(least, lower)
        return (least, most) if seen else None

    def can_breach(self, t: int, person: int, s: Fraction) -> bool:
        """Tell whether some belief may see a difference above s after this output (S1)."""
        if t in self.folded:
            return True
        found = self.ratios(t, person)
        if found is None or not any(self.high[t]) or s >= 1:
            return False
        least, most = found
        if least is None or most is None or least == 0:
            return True
        return most / least > ((1 + s) / (1 - s)) ** 2


def _enclosed(p: Number) -> tuple[Fraction, Fraction]:
    """Enclose a likelihood in short rationals, of a relative width of 2^-80."""
    low, high = bounds(p)
    if isinstance(p, Fraction) or low <= 0:
        return low, high
    shift = _BITS - (low.numerator.bit_length() - low.denominator.bit_length())
    scale = Fraction(2) ** shift
    return floor(low * scale) / scale, ceil(high * scale) / scale


def tabulated(mechanism: Mechanism, default: object = None) -> Likelihoods | None:
    """Return the table of a small mechanism, clamped far out if need be; None if it is large."""
    universe = mechanism.universe
    if not isinstance(universe, Records) or not universe.fixed or universe.size > _LARGEST:
        return None
    outputs = mechanism.outputs.size
    room = _LARGEST // (universe.size * universe.n)
    if outputs is not None:
        return Likelihoods.of(mechanism, default) if outputs <= room else None
    if not isinstance(mechanism, OnStatistic):
        return None
    channel = mechanism.channel
    if isinstance(channel, FiniteNoise):
        reached = within_reach(mechanism, universe)
        return Likelihoods.of(mechanism, default, outputs=reached) if len(reached) <= room else None
    if not isinstance(channel, AddedNoise):
        return None
    values: list[Any] = [mechanism.statistic(x) for x in universe]
    low, high = min(values), max(values)
    if isinstance(channel.noise, GeometricNoise) and channel.by_difference:
        table = _clamped(mechanism, channel, low, high)
        return Likelihoods.of(table, default) if high - low < room else None
    width = 1
    while 2 * (high - low + 4 * width) < room and _beyond(channel, width) > _FAR_OUT:
        width *= 2
    first = low - width if channel.low is None else channel.low
    last = high + width if channel.high is None else channel.high
    if last - first >= room:
        return None
    ends = {first if channel.low is None else None, last if channel.high is None else None}
    folded = [t for t in sorted(ends, key=str) if t is not None]
    return Likelihoods.of(_clamped(mechanism, channel, first, last), default, folded)


def within_reach(mechanism: Mechanism, databases: Iterable[Point]) -> list[Point]:
    """Return the outputs that some database can lead to, where these are finitely many."""
    found: set[Any] = {t for x in databases for t in reachable(mechanism, x)}
    return sorted(found)


def _beyond(channel: AddedNoise, width: int) -> Fraction:
    tails: Number = channel.noise.at_least(width) + channel.noise.reflected().at_least(width)
    return bounds(tails)[1]


def _clamped(mechanism: OnStatistic, channel: AddedNoise, low: int, high: int) -> OnStatistic:
    clamped = AddedNoise(channel.noise, low, high)
    text = f"{mechanism.expression}, clamped to {low} to {high}"
    return OnStatistic(mechanism.universe, mechanism.statistic, clamped, expression=text)


def in_steps(mechanism: Mechanism, default: object = None) -> Likelihoods | None:
    """Return noise with a density on few databases, its outputs put together in short steps.

    A table of an approximation, for finding beliefs; nothing is proved by it.
    """
    universe = mechanism.universe
    if not isinstance(mechanism, OnStatistic) or not isinstance(mechanism.channel, AddedDensity):
        return None
    if not isinstance(universe, Records) or not universe.fixed or universe.size > _FEW_DATABASES:
        return None
    noise = mechanism.channel.noise
    answers = {x: Fraction(mechanism.statistic(x)) for x in universe}  # type: ignore[arg-type]
    low, high = min(answers.values()), max(answers.values())
    width = Fraction(1, 16)
    while float(noise.upper_tail(width)) > _RARE:
        width *= 2
    step = (high - low + 2 * width) / _STEPS
    ends = [low - width + k * step for k in range(_STEPS + 1)]
    columns = {}
    for answer in set(answers.values()):
        tails = [1.0, *(float(noise.upper_tail(end - answer)) for end in ends), 0.0]
        columns[answer] = [Fraction(max(a - b, 0.0)) for a, b in pairwise(tails)]
    rows = tuple(tuple(columns[answers[x]][t] for x in universe) for t in range(len(ends) + 1))
    d = default_value(universe, default)
    place = {x: j for j, x in enumerate(universe)}
    removed = tuple(tuple(place[without(x, i, d)] for x in universe) for i in range(universe.n))
    return Likelihoods(mechanism, tuple(universe), tuple(range(len(rows))), rows, rows, removed)


def few_people(mechanism: Mechanism, people: int) -> OnStatistic | None:
    """Return noise on a sum over a few people only, all others being known for certain.

    A bare answer may be a count of as many people as there are, times the sensitivity.
    """
    n = min(people, _FEW)
    text = f"{mechanism.expression}, all but {n} people known"
    if isinstance(mechanism, Continuous):
        step = mechanism.sensitivity
        if not isinstance(step, Fraction) or not isinstance(mechanism.universe, Reals):
            return None
        counted = Additive(lambda bit: bit * step, name="count")
        return NoisyStatistic(BitStrings(n), counted, AddedDensity(mechanism), expression=text)
    if not isinstance(mechanism, OnStatistic) or not mechanism.channel.by_difference:
        return None
    if not isinstance(mechanism.channel, AddedNoise | FiniteNoise | AddedDensity):
        return None
    universe, statistic, build = mechanism.universe, mechanism.statistic, type(mechanism)
    if isinstance(statistic, TrueAnswer):
        step = universe.step  # type: ignore[attr-defined]
        counted = Additive(lambda bit: bit * step, name="count")
        return build(BitStrings(n), counted, mechanism.channel, expression=text)
    if isinstance(universe, Records) and isinstance(statistic, Additive):
        if statistic.modulo is not None or statistic.dimension is not None:
            return None
        few = BitStrings(n) if universe.values == (1, 0) else Records(universe.values, n)
        return build(few, statistic, mechanism.channel, expression=text)
    return None


_NARROW = 8
_PASSES = 6
_NOTHING = 1e-12
BAD_OUTPUTS = (
    "the outputs that can breach at all, on the database that makes them likeliest (twoworlds, S1)"
)
PERSONS = (
    "the hockey-stick gaps with and without each person, added up on the worst database "
    "(twoworlds, S4, sharper than Kasiviswanathan & Smith, Theorem 2.4(1))"
)
MIXED = (
    "for every output its whole likelihood or what leaves a window of ratios, added up on the "
    "worst database (twoworlds, S1 and S4)"
)


class FailureBound(NamedTuple):
    """A proved upper bound and where it comes from."""

    value: Fraction
    source: str


@dataclass(frozen=True)
class OutputRange:
    """Likelihood ratios between ``low`` and ``high``, whose quotient is m^2."""

    low: Fraction
    high: Fraction
    tau: Fraction


def table_bounds(table: Likelihoods, s: Fraction) -> list[FailureBound]:
    """Return the bounds, in the order of their simplicity."""
    bad = [
        [i for i in range(len(table.removed)) if table.can_breach(t, i, s)]
        for t in range(len(table.outputs))
    ]
    risky = [t for t, persons in enumerate(bad) if persons]
    found = [FailureBound(_largest(table, [table.high[t] for t in risky]), BAD_OUTPUTS)]
    if s == 0 or all(t in table.folded for t in risky):
        return found
    options = [
        [None] if t in table.folded else [None, *_windows(table, t, bad[t], s)] for t in risky
    ]
    search = _Search(table, risky, bad, options)
    alike = min((search.alike(k) for k in range(1, _NARROW)), key=search.height)
    for start, source in ((alike, PERSONS), (search.improved(alike), MIXED)):
        chosen = [
            _excess(table, t, bad[t], options[row][k])
            for row, (t, k) in enumerate(zip(risky, start, strict=True))
        ]
        found.append(FailureBound(_largest(table, chosen), source))
    return found


def _largest(table: Likelihoods, functions: Sequence[Sequence[Fraction]]) -> Fraction:
    """Return the largest value of a sum of linear functions of a belief: at one database."""
    sums = [
        sum((values[j] for values in functions), start=Fraction(0))
        for j in range(len(table.databases))
    ]
    return min(max(sums), Fraction(1))


def _excess(
    table: Likelihoods, t: int, persons: Sequence[int], windows: Sequence[OutputRange] | None
) -> Sequence[Fraction]:
    """Return the linear function of one output: itself, or what leaves the windows over tau."""
    if windows is None:
        return table.high[t]
    zero = Fraction(0)
    total = [zero] * len(table.databases)
    for i, window in zip(persons, windows, strict=True):
        below, above = [], []
        for j, k in enumerate(table.removed[i]):
            above.append(max(table.high[t][j] - window.high * table.low[t][k], zero))
            below.append(max(table.high[t][k] - table.low[t][j] / window.low, zero))
        factor = 2 if any(below) else 1
        for j in range(len(total)):
            total[j] += (factor * above[j] + window.high * below[j]) / window.tau
    return total


def _windows(
    table: Likelihoods, t: int, persons: Sequence[int], s: Fraction
) -> list[list[OutputRange]]:
    """Return windows around 1, then from the smallest ratio up, and from the largest down."""
    widths = [1 + ((1 + s) / (1 - s) - 1) * Fraction(k, _NARROW) for k in range(1, _NARROW)]
    ends = [table.ratios(t, i) or (None, None) for i in persons]
    around, upward, downward = [], [], []
    for m in widths:
        tau = s - (m - 1) / (m + 1)
        around.append([OutputRange(1 / m, m, tau)] * len(persons))
        if all(least for least, _ in ends):
            upward.append([OutputRange(least, least * m * m, tau) for least, _ in ends if least])
        if all(most for _, most in ends):
            downward.append([OutputRange(most / (m * m), most, tau) for _, most in ends if most])
    return [*around, *upward, *downward]


class _Search:
    """A search, in floats, for the choice of functions whose sum is lowest at its highest."""

    def __init__(
        self,
        table: Likelihoods,
        risky: Sequence[int],
        bad: Sequence[Sequence[int]],
        options: Sequence[Sequence[Sequence[OutputRange] | None]],
    ) -> None:
        self.p = table.floats
        self.removed = table.removed
        self.costs = [
            [self._cost(t, bad[t], windows) for windows in row]
            for t, row in zip(risky, options, strict=True)
        ]

    def _cost(
        self, t: int, persons: Sequence[int], windows: Sequence[OutputRange] | None
    ) -> Floats:
        import numpy as np

        p: Floats = self.p[t]
        if windows is None:
            return p
        total: Floats = np.zeros_like(p)
        for i, window in zip(persons, windows, strict=True):
            q = p[list(self.removed[i])]
            above = np.maximum(p - float(window.high) * q, 0)
            below = np.maximum(q - p / float(window.low), 0)
            factor = 2 if below.max() > _NOTHING else 1
            total += (factor * above + float(window.high) * below) / float(window.tau)
        return total

    def alike(self, k: int) -> list[int]:
        """Return the same choice for every output that has one."""
        return [min(k, len(row) - 1) for row in self.costs]

    def height(self, choice: Sequence[int]) -> float:
        """Return the largest sum over databases."""
        return float(self._sum(choice).max())

    def _sum(self, choice: Sequence[int]) -> Floats:
        import numpy as np

        total: Floats = np.sum([row[k] for row, k in zip(self.costs, choice, strict=True)], axis=0)
        return total

    def improved(self, start: Sequence[int]) -> list[int]:
        """Change one output at a time, from this start and from none, while that lowers the sum."""
        return min((self._descend(one) for one in (start, [0] * len(start))), key=self.height)

    def _descend(self, start: Sequence[int]) -> list[int]:
        choice = list(start)
        total = self._sum(choice)
        for _ in range(_PASSES):
            before = list(choice)
            for row, costs in enumerate(self.costs):
                rest = total - costs[choice[row]]
                choice[row] = min(range(len(costs)), key=lambda k: float((rest + costs[k]).max()))
                total = rest + costs[choice[row]]
            if choice == before:
                break
        return choice
