"""Several mechanisms together: what all their outputs cost, beside each alone and the plain sum.

The exact price of the composition (`twoworlds.laws.composition`) is never above the sum of the
single epsilons, which is what basic composition says, and mostly far below it once a delta is
allowed. `Together` puts both side by side, and charts how epsilon grows from one answer to all.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from twoworlds.answer import Answer, Table
from twoworlds.charts import BLUE, GREY, Axis, Curves, Line, nice
from twoworlds.definitions.catalogue import Relation, measure
from twoworlds.definitions.verdict import Verdict
from twoworlds.definitions.words import of_all
from twoworlds.errors import InvalidInput
from twoworlds.mechanisms import Mechanism
from twoworlds.mechanisms.named import compose as build
from twoworlds.mechanisms.named import mechanism as build_mechanism
from twoworlds.mechanisms.several import Several
from twoworlds.numbers import INFINITY, Number, above, stated, whole
from twoworlds.show import Result

_COARSE = Fraction(1, 50)  # how far two ends may be apart in a picture
_POINTS = 8


@dataclass(frozen=True)
class Together(Result):
    """What several outputs cost together.

    Attributes:
        verdict: the price of all of them.
        alone: for each mechanism its expression, how often it is run, and its price on its own.
        growth: how many outputs, and the epsilon of so many, at the delta that was asked for.
    """

    verdict: Verdict
    alone: tuple[tuple[str, int, Verdict], ...]
    growth: tuple[tuple[int, Number], ...] = ()

    @property
    def count(self) -> int:
        """The number of outputs."""
        return sum(times for _, times, _ in self.alone)

    @property
    def added_up(self) -> Number:
        """The sum of the epsilons of single outputs: basic composition."""
        epsilons = (times * verdict.epsilon for _, times, verdict in self.alone)
        return sum(epsilons, start=Fraction(0))

    def answer(self) -> Answer:
        """Say what all outputs mean together; put each alone, and the sum, beside it."""
        said = self.verdict.answer()
        rows = [(text, f"{times:,}", stated(one.epsilon)) for text, times, one in self.alone]
        rows.append(("added up", f"{self.count:,}", stated(self.added_up)))
        table = Table(("mechanism", "outputs", "epsilon of one, with delta 0"), rows)
        blocks = (*self._charts(), *said.blocks, table)
        return replace(said, headline=of_all(self.count, said.headline), blocks=blocks)

    def _charts(self) -> Iterator[Curves]:
        """Chart how epsilon grows; above the curve, the sum of single epsilons."""
        if len(self.growth) < 2:
            return
        points = [(float(k), above(epsilon)) for k, epsilon in self.growth]
        top, last = points[-1][1] * 1.2, points[-1][0]
        lines = [Line("together", points, BLUE, dotted=True)]
        words = f"Epsilon of the first outputs: {points[0][1]:.3g} of {points[0][0]:g}, "
        words += f"{points[-1][1]:.3g} of {last:g}."
        if self.added_up != INFINITY:
            slope = above(self.added_up) / last
            end = min(last, top / slope)
            lines.append(Line("added up", [(0, 0), (end, slope * end)], GREY, dashed=True))
        x = Axis("number of outputs", 0, last, [(v, f"{v:g}") for v in nice(last)])
        y = Axis("epsilon", 0, top, [(v, f"{v:.3g}") for v in nice(top)])
        yield Curves("How epsilon grows with the number of outputs", words, x, y, lines)

    def fields(self) -> dict[str, Any]:
        """Return the price, and each mechanism with its own."""
        parts = [
            {"mechanism": text, "outputs": times, "epsilon": one.epsilon}
            for text, times, one in self.alone
        ]
        return {**self.verdict.fields(), "parts": parts, "added_up": self.added_up}


def together(
    *mechanisms: str | Mechanism,
    times: object = 1,
    ratio: object = None,
    epsilon: object = None,
    delta: object = None,
    neighbours: Relation = None,
    group: object = None,
    width: object = None,
) -> Together:
    """Return what several mechanisms cost together, each run so many times.

    Numbers are asked for as in `measure`. ``width`` is how far the two ends of a number may be
    apart, as a share of epsilon.

    >>> print(together("laplace(epsilon=1)", "geometric(ratio=2)").added_up)
    Real(ln 2 + 1)
    """
    if not mechanisms:
        raise InvalidInput("name at least one mechanism, as in compose 'laplace(epsilon=1)' ...")
    given: dict[str, Any] = {} if width is None else {"width": width}
    built = build(*mechanisms, times=times, **given)
    beside: dict[str, Any] = {"neighbours": neighbours, "group": group}
    verdict = measure(built, ratio=ratio, epsilon=epsilon, delta=delta, **beside)
    parts: Sequence[tuple[Mechanism, int]]
    if isinstance(built, Several):
        parts = built.parts
    else:  # finitely many outputs, multiplied out
        runs = whole(times, "times", at_least=1)
        parts = [(build_mechanism(one), runs) for one in mechanisms]
    alone = tuple((one.expression, count, measure(one, **beside)) for one, count in parts)
    grown: list[tuple[int, Number]] = []
    if delta is not None and verdict.epsilon != INFINITY:
        for first in _firsts(parts):
            some = Several(first, width=_COARSE)
            found = measure(some, delta=delta, **beside).epsilon
            grown.append((sum(count for _, count in first), found))
    return Together(verdict, alone, tuple(grown))


def _firsts(
    parts: Sequence[tuple[Mechanism, int]],
) -> Iterator[list[tuple[Mechanism, int]]]:
    """Yield the first outputs, a few more each time, up to all of them."""
    total = sum(count for _, count in parts)
    for some in sorted({max(1, total * k // _POINTS) for k in range(1, _POINTS + 1)}):
        left, found = some, []
        for one, count in parts:
            if left:
                found.append((one, min(left, count)))
                left -= found[-1][1]
        yield found
