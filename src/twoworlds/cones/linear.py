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

``linear("x11 <= 3 x10; 2 x10 >= x00")`` names the entries of a row by the labels of the databases;
``linear(cone.json)`` reads a row cone that was saved as JSON; `LinearDefinition.of` takes a row
cone, for example one that was relaxed.
"""

from __future__ import annotations

import json
import re
from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from twoworlds.calls import Text
from twoworlds.cones.certificates import Certificate
from twoworlds.cones.kernel.vectors import primitive, rational, rationals
from twoworlds.cones.row_cone import Inequality, RowCone, variable
from twoworlds.definitions import PrivacyDefinition, Verdict
from twoworlds.definitions.catalogue import DEFINITIONS
from twoworlds.errors import InvalidInput, TooLarge, TwoWorldsError, Unsupported
from twoworlds.laws.event import agree
from twoworlds.mechanisms import Mechanism
from twoworlds.mechanisms.base import FINITE_OUTPUTS
from twoworlds.numbers import (
    INFINITY,
    Number,
    Order,
    compare,
    number,
    show,
    to_json,
)
from twoworlds.progress import track
from twoworlds.worlds import Explicit, Point, Universe
from twoworlds.worlds.catalogue import universe as build_universe

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
            f"{show(self.larger, side='at most')} in {self.text()}"
        )

    def facts(self) -> Iterator[tuple[str, str]]:
        """Yield the output, the constraint and its sides."""
        yield "output", self.mechanism.outputs.label(self.output)
        yield "constraint", self.text()
        smaller, larger = show(self.smaller, side="at least"), show(self.larger, side="at most")
        yield "", f"its sides are {smaller} and {larger}"

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

    @property
    def irredundant(self) -> bool:
        """Whether no constraint follows from the others, but all entries are at least 0 by them."""
        return False

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


Constraint = Mapping[str, Fraction]
_LONGEST = 100_000
_TERM = re.compile(
    r"\s*(?P<sign>[-+]?)\s*(?P<number>\d+(?:\.\d+)?(?:\s*/\s*\d+)?)?\s*(?P<times>\*?)\s*"
    r"(?P<entry>x(?:\[(?P<label>[^\]]*)\]|(?P<plain>[^\W_]+)))?\s*"
)
_RELATION = re.compile(r"<=|>=|==|=|<|>")


@dataclass(frozen=True)
class LinearDefinition(RowConstraints):
    """A definition by listed constraints, each a mapping from labels of databases to numbers.

    >>> from twoworlds import check
    >>> own = LinearDefinition.read("x1 <= 3 x0; x0 <= 3 x1")
    >>> bool(check("randomized-response(bits=1, keep=3/4)", own))
    True
    >>> check("randomized-response(bits=1, keep=4/5)", own).factor
    Fraction(4, 3)
    """

    constraints: tuple[Constraint, ...]
    claim: str
    universe: Universe | None = None
    approximation: str | None = None
    name = "linear"

    @staticmethod
    def read(text: str) -> LinearDefinition:
        """Read constraints such as ``x11 <= 3 x10; 2*x10 >= x00``."""
        return LinearDefinition(tuple(read_constraints(text)), f'linear("{text.strip()}")')

    @staticmethod
    def of(cone: RowCone) -> LinearDefinition:
        """Return the definition that trusts every mechanism with all rows in the cone."""
        return LinearDefinition(
            tuple(_by_label(cone.columns, cone.inequalities())),
            f"linear({cone.source})",
            cone.universe,
            cone.approximation,
        )

    @staticmethod
    def load(path: Path) -> LinearDefinition:
        """Read a cone that was saved as JSON by `RowCone.to_dict`."""
        data = _data(path)
        columns, universe = [str(label) for label in data["columns"]], _universe(data)
        listed = [
            Inequality(universe, primitive(vector), equality=key == "equalities")
            for key in ("facets", "equalities")
            for vector in _vectors(data, key, len(columns), path)
        ]
        constraints = tuple(_by_label(columns, listed))
        return LinearDefinition(constraints, f"linear({path})", universe, data.get("approximation"))

    def row_constraints(self, universe: Universe) -> Iterator[Mapping[Point, Number]]:
        """Yield the constraints with the universe's databases for their labels."""
        for constraint in self.constraints:
            yield {universe.find(label): c for label, c in constraint.items()}

    def approximates(self, universe: Universe) -> str | None:
        """Return what the cone that it was made from says."""
        del universe
        return self.approximation

    def __hash__(self) -> int:
        """Agree with the equality of the fields."""
        return hash((self.claim, len(self.constraints)))


def _by_label(columns: Sequence[str], inequalities: Sequence[Inequality]) -> Iterator[Constraint]:
    for inequality in inequalities:
        pairs = zip(columns, inequality.coefficients, strict=True)
        found = {label: Fraction(c) for label, c in pairs if c}
        yield found
        if inequality.equality:
            yield {label: -c for label, c in found.items()}


def read_constraints(text: str) -> Iterator[Constraint]:
    """Read constraints on the entries x of a row, separated by semicolons."""
    parts = [part for part in re.split(r"[;\n]", text) if part.strip()]
    if not parts or len(text) > _LONGEST:
        raise InvalidInput(
            f"{text[:60]!r}: write linear constraints such as x11 <= 3 x10; 2 x10 >= x00"
        )
    for part in parts:
        relations = _RELATION.findall(part)
        if len(relations) != 1 or relations[0] in "<>":
            raise InvalidInput(
                f"constraint {part.strip()!r}: write one of <=, >= or = between two sums, such as "
                "x11 <= 3 x10 (a strict < has no closed cone)"
            )
        left, right = (_sum(side, part) for side in part.split(relations[0]))
        gap = {x: right.get(x, Fraction(0)) - left.get(x, Fraction(0)) for x in {**right, **left}}
        found = {label: c for label, c in gap.items() if c}
        opposite = {label: -c for label, c in found.items()}
        if relations[0] != ">=":
            yield found
        if relations[0] != "<=":
            yield opposite


def _sum(text: str, whole: str) -> dict[str, Fraction]:
    """Read a sum of multiples of entries; 0 is the empty one."""
    found: dict[str, Fraction] = {}
    place = 0
    while place < len(text) or not place:
        match = _TERM.match(text, place)
        if match is None or not (match["number"] or match["entry"]):
            raise _unreadable(whole)
        factor = rational(match["number"] or 1, "coefficient")
        constant = match["entry"] is None and (factor != 0 or match["times"])
        if constant or (place and not match["sign"]) or (match["times"] and not match["number"]):
            raise _unreadable(whole)
        if match["entry"]:
            label = (match["plain"] or match["label"] or "").strip()
            signed = -factor if match["sign"] == "-" else factor
            found[label] = found.get(label, Fraction(0)) + signed
        place = match.end()
    return found


def _unreadable(whole: str) -> InvalidInput:
    return InvalidInput(
        f"constraint {whole.strip()[:60]!r} is not read: both sides are sums such as "
        "3 x10 + 1/2 x[a,b], or 0, with the label of a database after x; there is no constant term"
    )


def _data(path: Path) -> dict[str, Any]:
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InvalidInput(f"{path} cannot be read as JSON: {error}") from None
    if not isinstance(data, dict) or not isinstance(data.get("columns"), list):
        raise InvalidInput(f"{path} is not a saved cone: it needs columns, facets and equalities")
    return data


def _vectors(data: Mapping[str, Any], key: str, width: int, path: Path) -> Iterator[Any]:
    listed = data.get(key, [])
    if not isinstance(listed, list):
        raise InvalidInput(f"{path}: {key} is a list of vectors, one entry per column")
    for vector in listed:
        entries = rationals(vector, key)
        if len(entries) != width:
            raise InvalidInput(f"{path}: a vector of {key} has {len(entries)} entries, not {width}")
        yield entries


def _universe(data: Mapping[str, Any]) -> Universe:
    """Return the universe that was saved, or a plain one of the same labels."""
    columns = [str(label) for label in data["columns"]]
    try:
        stated = build_universe(str(data.get("universe")))
        if stated.size == len(columns) and [stated.label(x) for x in stated] == columns:
            return stated
    except TwoWorldsError:
        pass
    return Explicit(tuple(columns))


@DEFINITIONS.register("linear")
def linear(*constraints: Text) -> PrivacyDefinition:
    """Linear constraints on likelihood rows, ``x11 <= 3 x10; ...``, or a cone saved as JSON."""
    texts = [str(constraint).strip() for constraint in constraints]
    if len(texts) == 1 and texts[0].lower().endswith(".json"):
        return LinearDefinition.load(Path(texts[0]))
    return LinearDefinition.read("; ".join(texts))
