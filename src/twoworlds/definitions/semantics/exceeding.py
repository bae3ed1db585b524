r"""Witnesses against a claim of semantic privacy whose supremum no output attains.

The swing R of an output (see `swing`) may grow without end, as under Gaussian noise, or be infinite
for one output without any belief that makes the most of it. A claim of epsilon is refuted by far
less: any output with R > ((1 + epsilon) / (1 - epsilon))^2, and a belief on the two databases that
show it. On bare answers a person may turn u into v in one world and v into u in the other; with
even odds between these worlds, and r = P(t | u) / P(t | v), the conclusions after t differ by

    (r - 1) / (r + 1).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from twoworlds.definitions.semantics.swing_cases import Case, Swing, bare
from twoworlds.definitions.verdict import agree
from twoworlds.laws.comparison import larger
from twoworlds.mechanisms import Mechanism
from twoworlds.numbers import INFINITY, Number, show, sqrt, to_json
from twoworlds.worlds import Point
from twoworlds.worlds.belief import Belief

__all__ = ["AnswersWitness", "output_beyond", "prior_for"]

_FURTHEST_BITS = 40


@dataclass(frozen=True)
class AnswersWitness:
    """Two true answers and an output after which even odds between them differ by so much.

    Attributes:
        answers: u, which is v without the person; in the other world they change places.
        difference: of the conclusions with and without that person's data.
    """

    mechanism: Mechanism = field(repr=False)
    answers: tuple[Point, Point]
    output: Point
    difference: Number

    @staticmethod
    def of(mechanism: Mechanism, answers: tuple[Point, Point], output: Point) -> AnswersWitness:
        """Compute the difference after the output."""
        return AnswersWitness(mechanism, answers, output, _apart(mechanism, answers, output))

    def verify(self) -> bool:
        """Recompute both conclusions from the likelihoods of the output."""
        return agree(_apart(self.mechanism, self.answers, self.output), self.difference)

    def facts(self) -> Iterator[tuple[str, str]]:
        """Yield the belief and the output."""
        label = self.mechanism.universe.label
        u, v = (label(answer) for answer in self.answers)
        yield "belief", f"1/2 in a true answer of {u}, which is {v} without the person"
        yield "belief", f"1/2 in a true answer of {v}, which is {u} without the person"
        output = self.mechanism.outputs.label(self.output)
        said = (
            f"output {output}: the conclusions differ by {show(self.difference, side='at least')}"
        )
        yield "worst case" if self.difference == 1 else "shown by", said

    def explain(self) -> str:
        """Say the belief and the output."""
        return "; ".join(f"{name}: {fact}" for name, fact in self.facts())

    def to_dict(self) -> dict[str, Any]:
        """Return the witness as plain data."""
        label = self.mechanism.universe.label
        return {
            "answers": [label(answer) for answer in self.answers],
            "output": self.mechanism.outputs.label(self.output),
            "difference": to_json(self.difference, side="down"),
        }


def output_beyond(mechanism: Mechanism, swing: Swing, epsilon: Number) -> Swing | None:
    """Return the swing at an output that moves some belief by more than epsilon, or None.

    The cases are those of ``swing``; far outputs are tried at powers of 2, both ways.
    """
    limit = ((1 + epsilon) / (1 - epsilon)) ** 2
    for output in _outputs(swing):
        found = _at(mechanism, swing, output)
        if found is not None and larger(found.ratio, limit):
            return found
    return None


def prior_for(mechanism: Mechanism, swing: Swing, epsilon: Number) -> Belief:
    """Return a belief on the two databases of a swing that differs by more than epsilon.

    With weight g of Game i's posterior on the largest r, the difference is g R / (g R + 1 - g) - g,
    largest for g = 1 / (sqrt R + 1), and 1 - g where R is infinite.
    """
    g = (1 - epsilon) / 2 if swing.ratio == INFINITY else 1 / (sqrt(swing.ratio) + 1)
    high, low = g / swing.high.q, (1 - g) / swing.low.q
    total = high + low
    masses = {swing.high.database: high / total, swing.low.database: low / total}
    return Belief(mechanism.universe, masses)


def _outputs(swing: Swing) -> Iterator[Point]:
    if swing.output is not None:
        yield swing.output
        return
    for k in range(_FURTHEST_BITS):
        yield from (1 << k, -(1 << k))


def _at(mechanism: Mechanism, swing: Swing, output: Point) -> Swing | None:
    """Return the swing of the same two databases at another output.

    A swing that names one database only stands against that database without the person, whom
    leaving out changes nothing there.
    """
    high, low = swing.high, swing.low
    if low.database == high.database:
        low = Case(high.removed, high.removed, high.q, high.q)
    cases = [
        Case(
            case.database,
            case.removed,
            mechanism.probability(output, case.database),
            mechanism.probability(output, case.removed),
        )
        for case in (high, low)
    ]
    if any(case.q == 0 for case in cases):
        return None
    if larger(cases[1].r, cases[0].r):
        cases.reverse()
    high, low = cases
    ratio = INFINITY if low.p == 0 else high.r / low.r
    return Swing(ratio, output, swing.person, high, low)


def _apart(mechanism: Mechanism, answers: tuple[Point, Point], output: Point) -> Number:
    assert bare(mechanism.universe)
    p, q = (mechanism.probability(output, answer) for answer in answers)
    return abs((p - q) / (p + q))
