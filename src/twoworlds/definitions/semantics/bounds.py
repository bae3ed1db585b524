r"""Upper bounds on how often any belief can see a breach of semantic privacy, for small tables.

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

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

from twoworlds.definitions.semantics.table import Likelihoods

if TYPE_CHECKING:
    import numpy as np

    Floats = np.ndarray[Any, np.dtype[np.float64]]

__all__ = ["BAD_OUTPUTS", "MIXED", "PERSONS", "Bound", "Window", "table_bounds"]

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


class Bound(NamedTuple):
    """A proved upper bound and where it comes from."""

    value: Fraction
    source: str


@dataclass(frozen=True)
class Window:
    """Likelihood ratios between ``low`` and ``high``, whose quotient is m^2."""

    low: Fraction
    high: Fraction
    tau: Fraction


def table_bounds(table: Likelihoods, s: Fraction) -> list[Bound]:
    """Return the bounds, in the order of their simplicity."""
    bad = [
        [i for i in range(len(table.removed)) if table.can_breach(t, i, s)]
        for t in range(len(table.outputs))
    ]
    risky = [t for t, persons in enumerate(bad) if persons]
    found = [Bound(_largest(table, [table.high[t] for t in risky]), BAD_OUTPUTS)]
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
        found.append(Bound(_largest(table, chosen), source))
    return found


def _largest(table: Likelihoods, functions: Sequence[Sequence[Fraction]]) -> Fraction:
    """Return the largest value of a sum of linear functions of a belief: at one database."""
    sums = [
        sum((values[j] for values in functions), start=Fraction(0))
        for j in range(len(table.databases))
    ]
    return min(max(sums), Fraction(1))


def _excess(
    table: Likelihoods, t: int, persons: Sequence[int], windows: Sequence[Window] | None
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


def _windows(table: Likelihoods, t: int, persons: Sequence[int], s: Fraction) -> list[list[Window]]:
    """Return windows around 1, then from the smallest ratio up, and from the largest down."""
    widths = [1 + ((1 + s) / (1 - s) - 1) * Fraction(k, _NARROW) for k in range(1, _NARROW)]
    ends = [table.ratios(t, i) or (None, None) for i in persons]
    around, upward, downward = [], [], []
    for m in widths:
        tau = s - (m - 1) / (m + 1)
        around.append([Window(1 / m, m, tau)] * len(persons))
        if all(least for least, _ in ends):
            upward.append([Window(least, least * m * m, tau) for least, _ in ends if least])
        if all(most for _, most in ends):
            downward.append([Window(most / (m * m), most, tau) for _, most in ends if most])
    return [*around, *upward, *downward]


class _Search:
    """A search, in floats, for the choice of functions whose sum is lowest at its highest."""

    def __init__(
        self,
        table: Likelihoods,
        risky: Sequence[int],
        bad: Sequence[Sequence[int]],
        options: Sequence[Sequence[Sequence[Window] | None]],
    ) -> None:
        self.p = table.floats
        self.removed = table.removed
        self.costs = [
            [self._cost(t, bad[t], windows) for windows in row]
            for t, row in zip(risky, options, strict=True)
        ]

    def _cost(self, t: int, persons: Sequence[int], windows: Sequence[Window] | None) -> Floats:
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
