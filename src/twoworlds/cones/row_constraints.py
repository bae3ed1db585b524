r"""Definitions that ask the same linear constraints of the likelihood row of every output.

    a mechanism satisfies the definition   if and only if
    sum_D c_D P(output | D) >= 0   for every output and every constraint c

(Lin & Kifer, Sections 4.2.4 and 5.4: a definition may be given by its row cone directly.) Such a
definition is closed under post-processing and choice (Axioms 4.1 and 4.2), since rows of the new
mechanism are sums of multiples of rows of the old ones.

With the positive coefficients moved to one side a constraint reads smaller <= larger. The number
that `RowConstraints.tightest` gives is the largest factor smaller / larger over all outputs and
constraints: the definition holds when it is at most 1, and it always holds with every larger side
multiplied by that factor.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from twoworlds.cones.certificates import Certificate
from twoworlds.cones.kernel.vectors import primitive, rational
from twoworlds.cones.row_cone import variable
from twoworlds.definitions import PrivacyDefinition, Verdict
from twoworlds.definitions.verdict import agree
from twoworlds.errors import TooLarge, Unsupported
from twoworlds.mechanisms import Mechanism
from twoworlds.mechanisms.base import FINITE_OUTPUTS
from twoworlds.numbers import INFINITY, Number, Order, compare, number, show, to_json
from twoworlds.progress import track
from twoworlds.worlds import Point, Universe

__all__ = ["RowConstraints", "RowWitness"]

_MOST_TERMS = 1 << 22


@dataclass(frozen=True)
class RowWitness:
    """An output and a constraint, with the two sides of the constraint on the output's row."""

    mechanism: Mechanism
    output: Point
    coefficients: Mapping[Point, Fraction]
    smaller: Number
    larger: Number

    @staticmethod
    def of(
        mechanism: Mechanism, output: Point, coefficients: Mapping[Point, Fraction]
    ) -> RowWitness:
        """Compute both sides."""
        smaller, larger = _sides(mechanism, output, coefficients)
        return RowWitness(mechanism, output, coefficients, smaller, larger)

    @property
    def factor(self) -> Number:
        """How many times the larger side the smaller one is."""
        if self.smaller == 0:
            return Fraction(0)
        return INFINITY if self.larger == 0 else self.smaller / self.larger

    def verify(self) -> bool:
        """Recompute both sides from the mechanism."""
        smaller, larger = _sides(self.mechanism, self.output, self.coefficients)
        return agree(smaller, self.smaller) and agree(larger, self.larger)

    def text(self) -> str:
        """Write the constraint."""
        where = self.mechanism.universe
        sides = [
            " + ".join(
                (f"{abs(c)} " if abs(c) != 1 else "") + variable(where.label(x))
                for x, c in self.coefficients.items()
                if c * sign > 0
            )
            for sign in (-1, 1)
        ]
        return f"{sides[0] or '0'} <= {sides[1] or '0'}"

    def explain(self) -> str:
        """Say the output, the constraint and its sides."""
        label = self.mechanism.outputs.label(self.output)
        return (
            f"output {label} has {show(self.smaller, side='at least')} against "
            f"{show(self.larger, side='at most')} in "
            f"{self.text()}"
        )

    def facts(self) -> Iterator[tuple[str, str]]:
        """Yield the output, the constraint and its sides."""
        yield "output", self.mechanism.outputs.label(self.output)
        yield "constraint", self.text()
        yield (
            "",
            f"its sides are {show(self.smaller, side='at least')} and "
            f"{show(self.larger, side='at most')}",
        )

    def certificate(self) -> Certificate | None:
        """Return the proof that the row violates the constraint, or None if it does not."""
        if compare(self.smaller, self.larger) is not Order.GREATER:
            return None
        row = [self.mechanism.probability(self.output, x) for x in self.mechanism.universe]
        if not all(isinstance(p, Fraction) for p in row):
            return None
        dense = [self.coefficients.get(x, Fraction(0)) for x in self.mechanism.universe]
        fields = {"vector": primitive(row), "inequality": primitive(dense)}
        columns = [self.mechanism.universe.label(x) for x in self.mechanism.universe]
        return Certificate("violates", {**fields, "columns": columns})

    def to_dict(self) -> dict[str, Any]:
        """Return the witness as plain data."""
        proof = self.certificate()
        return {
            "output": self.mechanism.outputs.label(self.output),
            "constraint": self.text(),
            "smaller": to_json(self.smaller),
            "larger": to_json(self.larger),
            "certificate": None if proof is None else proof.to_dict(),
        }


class RowConstraints(PrivacyDefinition):
    """A definition whose `row_constraints` say all that it asks."""

    claim: str

    @abstractmethod
    def row_constraints(self, universe: Universe) -> Iterator[Mapping[Point, Number]]:
        """Yield the constraints on a row over the universe."""

    def approximates(self, universe: Universe) -> str | None:
        """Say why the constraints allow more rows than the definition they stand for, if so."""
        del universe
        return None

    def tightest(self, mechanism: Mechanism) -> Verdict:
        """Return the largest factor smaller / larger over all outputs and constraints."""
        return self.measured(mechanism)

    def check(self, mechanism: Mechanism) -> Verdict:
        """Decide whether every row satisfies every constraint."""
        found = self.measured(mechanism)
        judged = found.against(self.claim, found.values["factor"], Fraction(1))
        return replace(judged, notes=found.notes)

    def measured(self, mechanism: Mechanism) -> Verdict:
        """Evaluate every constraint on the row of every output."""
        witness, count = self._worst(mechanism)
        where = mechanism.universe
        larger = self.approximates(where)
        return Verdict(
            mechanism.expression,
            self.name,
            {"factor": Fraction(0) if witness is None else witness.factor},
            self._sentence(witness),
            (f"linear constraints on likelihood rows over {where.expression}: {count}",),
            witness=witness,
            method="every constraint on the row of every output",
            notes=() if larger is None else (larger,),
            exact=mechanism.exact,
        )

    def certificate(self, mechanism: Mechanism) -> Certificate:
        """Return the proof that a mechanism satisfies the definition, or that one row does not."""
        witness, _ = self._worst(mechanism)
        if witness is not None and (broken := witness.certificate()) is not None:
            return broken
        databases = tuple(mechanism.universe)
        listed = list(self._listed(mechanism.universe))
        dense = [primitive([c.get(x, Fraction(0)) for x in databases]) for c in listed]
        rows = [
            primitive([mechanism.probability(o, x) for x in databases]) for o in mechanism.outputs
        ]
        parts = [Certificate("satisfies", {"vector": row, "inequalities": dense}) for row in rows]
        return Certificate("all", {"parts": parts, "claim": self.claim})

    def _listed(self, universe: Universe) -> Iterator[Mapping[Point, Fraction]]:
        for constraint in self.row_constraints(universe):
            yield {x: rational(c, "coefficient") for x, c in constraint.items()}

    def _worst(self, mechanism: Mechanism) -> tuple[RowWitness | None, int]:
        if mechanism.outputs.size is None or mechanism.universe.size is None:
            raise Unsupported(
                f"{mechanism.expression} has infinitely many outputs or databases, and rows are "
                f"checked one by one: use finitely many, as in {FINITE_OUTPUTS}, or dp"
            )
        listed = list(self._listed(mechanism.universe))
        work = mechanism.outputs.size * sum(len(constraint) for constraint in listed)
        if work > _MOST_TERMS:
            raise TooLarge(
                f"{self.claim} on {mechanism.expression} evaluates {work} terms, more than "
                f"{_MOST_TERMS}: use fewer records, or a cone with structure (PerRecordCone)"
            )
        if not listed:
            return None, 0
        found = (next(iter(mechanism.outputs)), listed[0])
        top: tuple[Number | int, Number | int] = (0, 1)  # the sides of the worst constraint
        parts = [_parts(constraint) for constraint in listed]
        for output in track(mechanism.outputs, "outputs", mechanism.outputs.size):
            row = _scaled(mechanism.row(output))
            for constraint, (negative, positive) in zip(listed, parts, strict=True):
                smaller = sum(c * row[x] for x, c in negative)
                larger = sum(c * row[x] for x, c in positive)
                if _exceeds(smaller * top[1], larger * top[0]):  # as quotients, which may be x/0
                    found, top = (output, constraint), (smaller, larger)
        return RowWitness.of(mechanism, *found), len(listed)

    def _sentence(self, witness: RowWitness | None) -> str:
        if witness is None or compare(witness.factor, Fraction(1)) is not Order.GREATER:
            return "Every output keeps every constraint of the definition."
        label = witness.mechanism.outputs.label(witness.output)
        return (
            f"Output {label} breaks {witness.text()}: whoever believes in proportion to its "
            "coefficients holds the left side likelier after seeing it."
        )


def _sides(
    mechanism: Mechanism, output: Point, constraint: Mapping[Point, Fraction]
) -> tuple[Number, Number]:
    zero: Number = Fraction(0)
    row = {x: mechanism.probability(output, x) for x in constraint}
    smaller = sum((-c * row[x] for x, c in constraint.items() if c < 0), start=zero)
    return smaller, sum((c * row[x] for x, c in constraint.items() if c > 0), start=zero)


def _parts(constraint: Mapping[Point, Fraction]) -> tuple[list[tuple[Point, int]], ...]:
    """Return the terms of the smaller and of the larger side, as positive integers."""
    terms = list(zip(constraint, primitive(list(constraint.values())), strict=True))
    return [(x, -c) for x, c in terms if c < 0], [(x, c) for x, c in terms if c > 0]


def _scaled(row: Mapping[Point, Number]) -> Mapping[Point, Number | int]:
    """Return a multiple of the row in integers, where it is rational: they are faster."""
    if not all(isinstance(entry, Fraction) for entry in row.values()):
        return row
    return dict(zip(row, primitive(list(row.values())), strict=True))


def _exceeds(a: Number | int, b: Number | int) -> bool:
    if isinstance(a, int) and isinstance(b, int):
        return a > b
    return compare(number(a), number(b)) is Order.GREATER
