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
from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from math import ceil
from typing import TYPE_CHECKING, Any

from twoworlds.definitions.semantics.beliefs import Likelihoods, bad_outputs

if TYPE_CHECKING:
    import numpy as np

    Floats = np.ndarray[Any, np.dtype[np.float64]]

_FEWEST, _ALL, _SIMPLICES = 30, 8000, 2000  # ranges of an output, of all, and simplices
MOST_ANSWERS = 6
_BENT = 4  # |l| is at most 2, and s at most 1
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
    if len(search.answers) > MOST_ANSWERS or min(map(min, table.low)) < _LEAST:
        return _ONE
    return min(Fraction(ceil(search.run(float(enough)) * _STEPS), _STEPS), _ONE)


class AnswerSearch:
    """A search for the simplex of masses of the answers with the largest bound."""

    def __init__(self, table: Likelihoods, s: Fraction) -> None:
        self.table, self.s, self.exact = table, float(s), s
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

        outputs, tests = [], []
        for t in bad_outputs(self.table, self.exact):
            persons = {
                tuple(
                    tuple(sorted(q[i, t][one])) for _, q in self.table.ends for one in self.answers
                ): i
                for i in range(len(self.table.removed))
            }
            for i in persons.values():
                outputs.append(t)
                tests.append(self._test([(p[t], q[i, t]) for p, q in self.table.ends]))
        return outputs, np.array(tests)

    def _test(self, ends: Sequence[tuple[Floats, Floats]]) -> Floats:
        """Return the tests of one output and person, by range, l, ends and answer."""
        import numpy as np

        ratios = np.array([q / p for p, q in ends])
        count = max(_ALL // len(self.table.outputs), _FEWEST)
        m = np.geomspace(ratios.min() * (1 - _MARGIN), ratios.max() * (1 + _MARGIN), count + 1)
        slopes = np.mean([self._slopes(q - m[:, None] * p) for p, q in ends], 0)
        some = [slopes[:-1], slopes[1:], (slopes[:-1] + slopes[1:]) / 2]
        multipliers = np.hstack([*some, np.full((count, 1), -1.0), np.full((count, 1), 2.0)])
        every = []
        for p, q in ends:
            gaps = q - m[:, None] * p
            reached = [self._most(gaps[:-1, None]), self._most(-gaps[1:, None])]  # both at least 0
            doubt = (_MARGIN + _BENT * self.table.bend) * self._most(q + m[1:, None, None] * p)
            for end in (slice(None, -1), slice(1, None)):
                gap, means = gaps[end, None], m[end, None, None] * p
                heights = np.maximum(gap, 0) - multipliers[..., None] * gap - self.s * means
                every.append(np.concatenate([self._most(heights), *reached], 1) + doubt)
        return np.stack(every, 2)

    def _slopes(self, gaps: Floats) -> Floats:
        """Return the best l: the mean slope of (q - m p)_+ between the two ends of some answer."""
        import numpy as np

        low, high = -self._most(-gaps), self._most(gaps)
        apart = high > low
        slopes = np.maximum(high, 0) - np.maximum(low, 0)
        found: Floats = np.where(apart, slopes / np.where(apart, high - low, 1), 0.5)
        return found

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
