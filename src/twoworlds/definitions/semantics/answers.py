r"""The failure probability over all beliefs, bounded by the masses of the answers alone.

Databases with the same likelihoods have one answer, such as a count. How likely an output is under
a belief b depends on the masses of the answers only. For an output and a person let p and q be the
likelihoods with and without their data, P and Q their means under b, and m = Q/P. The two games
differ by more than s if and only if sum_x b_x (q_x - m p_x)_+ > s m P. Since
sum_x b_x (q_x - m p_x) is 0, then for any number l

    sum_x b_x G_x(m) > 0,    G_x(m) = (q_x - m p_x)_+ - l (q_x - m p_x) - s m p_x.

G_x is convex in m: if m lies between m_1 and m_2, the sum is above 0 at m_1 or at m_2. It stays so
if the largest G_x of an answer stands for all its databases, and is then linear in the masses of
the answers. Likewise sum_x b_x (q_x - m_1 p_x) and sum_x b_x (m_2 p_x - q_x) are at least 0. Where
every range of m has an inequality that fails at all corners of a simplex of masses, for m_1 and for
m_2, no belief with these masses breaches after the output. The search halves simplices, the one
with the largest bound first.

Each output may have a belief of its own with these masses, and a person of its own: the bound does
not meet the supremum in general. But answers are far fewer than databases. The floats carry a
margin that is far above their rounding.
"""

from __future__ import annotations

import heapq
from fractions import Fraction
from functools import cached_property
from math import ceil
from typing import TYPE_CHECKING, Any

from twoworlds.definitions.semantics.beliefs import Likelihoods

if TYPE_CHECKING:
    import numpy as np

    Floats = np.ndarray[Any, np.dtype[np.float64]]

_RANGES, _SIMPLICES = 100, 2000
_MOST_ANSWERS = 6
_MARGIN = 1e-12  # of the terms, whose rounding is below 1e-14
_LEAST = Fraction(1, 10**200)
_STEPS = 10**9
_ONE = Fraction(1)


def bounded_by_answers(table: Likelihoods, s: Fraction, enough: Fraction) -> Fraction:
    """Return a bound on the failure at s over all beliefs, for the outputs that are listed.

    The search stops at a bound of ``enough``. The bound is 1 where answers are too many, or some
    likelihood is 0 or nearly so.
    """
    search = AnswerSearch(table, s)
    few = len(search.answers) <= min(_MOST_ANSWERS, len(table.databases) - 1)
    if not few or min(map(min, table.low)) < _LEAST:
        return _ONE
    return min(Fraction(ceil(search.run(float(enough)) * _STEPS), _STEPS), _ONE)


class AnswerSearch:
    """A search for the simplex of masses of the answers with the largest bound."""

    def __init__(self, table: Likelihoods, s: Fraction) -> None:
        self.table, self.s = table, float(s)
        self.failing: dict[tuple[float, ...], Any] = {}  # which inequalities fail, by corner

    @cached_property
    def answers(self) -> list[list[int]]:
        """The databases of each answer."""
        found: dict[object, list[int]] = {}
        for j, _ in enumerate(self.table.databases):
            found.setdefault(tuple(row[j] for row in self.table.high), []).append(j)
        return list(found.values())

    @cached_property
    def worth(self) -> Floats:
        """The likelihoods by output and answer, rounded up."""
        worth: Floats = self.table.floats[0][:, [one[0] for one in self.answers]] * (1 + _MARGIN)
        return worth

    @cached_property
    def tests(self) -> tuple[list[int], Floats]:
        """Outputs, one for each test; and the tests: by range, l, end of the range and answer."""
        import numpy as np

        p, q = self.table.floats
        outputs, tests = [], []
        for t, real in enumerate(p):
            persons = {
                tuple(tuple(sorted(row[one])) for one in self.answers): row for row in q[:, t]
            }
            for removed in persons.values():
                outputs.append(t)
                tests.append(self._test(real, removed))
        return outputs, np.array(tests)

    def _test(self, p: Floats, q: Floats) -> Floats:
        """Return the tests of one output and person, by range, l, end of the range and answer."""
        import numpy as np

        ratios = q / p
        m = np.geomspace(ratios.min() * (1 - _MARGIN), ratios.max() * (1 + _MARGIN), _RANGES + 1)
        gaps = q - m[:, None] * p
        low, high = -self._most(-gaps), self._most(gaps)
        apart = high > low
        # The best l is the mean slope of (q - m p)_+ between the two ends of some answer.
        slopes = np.maximum(high, 0) - np.maximum(low, 0)
        slopes = np.where(apart, slopes / np.where(apart, high - low, 1), 0.5)
        some = [slopes[:-1], slopes[1:], (slopes[:-1] + slopes[1:]) / 2]
        multipliers = np.hstack([*some, np.full((_RANGES, 1), -1.0), np.full((_RANGES, 1), 2.0)])
        reached = [high[:-1, None], -low[1:, None]]  # above 0 where m lies in the range
        both = []
        for end in (slice(None, -1), slice(1, None)):
            gap, means = gaps[end, None], m[end, None, None] * p
            heights = np.maximum(gap, 0) - multipliers[..., None] * gap - self.s * means
            rows = np.concatenate([self._most(heights), *reached], 1)
            both.append(rows + _MARGIN * self._most(q + m[1:, None, None] * p))
        return np.stack(both, 2)

    def _most(self, rows: Floats) -> Floats:
        """Return the largest entry of each answer."""
        import numpy as np

        return np.stack([rows[..., one].max(-1) for one in self.answers], -1)

    def bound(self, corners: Floats) -> float:
        """Return a bound over a simplex: how likely the outputs are that may breach."""
        import numpy as np

        outputs, tests = self.tests
        failing = None
        for corner in corners:
            key = tuple(corner.tolist())
            if key not in self.failing:
                self.failing[key] = (tests @ corner <= 0).all(-1)
            failing = self.failing[key] if failing is None else failing & self.failing[key]
        assert failing is not None
        harmless = failing.any(-1).all(-1)
        some = sorted({t for t, never in zip(outputs, harmless, strict=True) if not never})
        return float(np.max(corners @ self.worth[some].sum(0)))

    def run(self, enough: float) -> float:
        """Return the largest bound of all simplices."""
        import numpy as np

        size = len(self.answers)
        heap = [(-self.bound(np.eye(size)), 0, np.eye(size))]
        for n in range(_SIMPLICES):
            if -heap[0][0] <= enough:
                break
            _, _, corners = heapq.heappop(heap)
            lengths = ((corners[:, None] - corners) ** 2).sum(-1)
            ends = divmod(int(lengths.argmax()), size)
            for k, end in enumerate(ends):
                half = corners.copy()
                half[end] = corners[list(ends)].mean(0)
                heapq.heappush(heap, (-self.bound(half), 2 * n + k + 1, half))
        return -heap[0][0]
