"""Mechanisms: randomized algorithms from databases to outputs, and the dense table they all are.

A mechanism's matrix has one row per output and one column per database (Lin & Kifer, Definition
2.1); every column sums to 1. `Mechanism` keeps that array behind `row` and `distribution`, so
that a mechanism with structure never builds it: definitions ask for `family`, the comparison of
all neighbouring worlds, and each structure answers in its own fast way. `Dense` is the table
itself, in exact numbers, and the closed form of the ways to combine: `then` (post-processing,
Lin & Kifer, Axiom 4.1), `mix` (choice, Axiom 4.2) and `restrict`. Several mechanisms together are
in `twoworlds.mechanisms.several`.

`sample` is for simulation only: it takes an explicit generator and promises nothing about floats.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from math import lcm
from typing import TYPE_CHECKING, Any

from twoworlds.answer import Answer
from twoworlds.charts import Chart, HeatMap
from twoworlds.errors import InvalidInput, NotStochastic, TooLarge, Unsupported
from twoworlds.laws.comparison import Comparison, Family, FiniteComparison
from twoworlds.laws.event import Anything, AtLeast, AtMost, Event, Listed
from twoworlds.numbers import INFINITY, Number, Real, Side, bounds, number, probability, show
from twoworlds.worlds import Explicit, Part, Point, Universe, pairs

if TYPE_CHECKING:
    import numpy as np

TABLE_LIMIT = 1 << 22
FINITE_OUTPUTS = "'truncated-geometric(ratio=2, bits=2)'"  # what to use where outputs are listed
_COMMON_DENOMINATOR_BITS = 4096
_SHOWN = 16


class Mechanism(ABC):
    """A randomized algorithm: a law of outputs for each database of a universe.

    >>> from twoworlds import mechanism
    >>> mechanism("randomized-response(bits=1, keep=3/4)").probability((1,), (1,))
    Fraction(3, 4)
    """

    universe: Universe
    outputs: Universe
    exact: bool = True
    expression: str  # the call that builds it, as one would type it

    @abstractmethod
    def probability(self, output: Point, database: Point) -> Number:
        """Return P(output | database), or the density on the real line."""

    @abstractmethod
    def family(self, relation: str, group: int = 1) -> Family:
        """Return the comparison of all databases at distance 1 to ``group``, both ways round."""

    def compare(self, x: Point, y: Point) -> Comparison:
        """Compare the laws on two databases, output by output."""
        _refuse_large(self.outputs, 2, f"the comparison of two laws of {self.expression}")
        order = tuple(self.outputs)
        p = [self.probability(o, x) for o in order]
        q = [self.probability(o, y) for o in order]
        return FiniteComparison.of(x, y, order, p, q)

    def comparisons(self, relation: str, group: int = 1) -> Iterator[Comparison]:
        """Yield the comparison of every pair, also of those that no hockey-stick gap needs.

        The mass of outputs that exceed a ratio may fall with distance, so that the furthest
        neighbours need not be the worst for it.
        """
        yield from self.family(relation, group)

    @abstractmethod
    def sample(self, database: object, rng: np.random.Generator) -> Point:
        """Draw one output, for simulation."""

    def distribution(self, database: object) -> Law:
        """Return the law of the output on a database."""
        return Law(self, self.universe.find(database))

    def row(self, output: object) -> dict[Point, Number]:
        """Return the likelihood row of an output: P(output | database) over the universe."""
        _refuse_large(self.universe, 1, f"the row of {self.expression}")
        point = self.outputs.find(output)
        return {x: self.probability(point, x) for x in self.universe}

    def mass(self, event: Event, database: Point) -> Number:
        """Return the probability of an event on a database, by plain addition."""
        if isinstance(event, Anything):
            return Fraction(1)
        if isinstance(event, Listed):
            found = (self.probability(o, database) for o in event.members if o in self.outputs)
            return sum(found, start=Fraction(0))
        _refuse_large(self.outputs, 1, f"the event on {self.expression}")
        return sum(
            (self.probability(o, database) for o in self.outputs if event.holds(o)),
            start=Fraction(0),
        )

    def masses(self, event: Event, databases: tuple[Point, Point]) -> tuple[Number, Number]:
        """Return the probabilities of an event on two databases."""
        return self.mass(event, databases[0]), self.mass(event, databases[1])

    def example(self, event: Event, database: Point) -> Point | None:
        """Return one output of the event that can occur, or None where only densities exist."""
        if isinstance(event, (AtLeast, AtMost)):
            return event.threshold
        if isinstance(event, Listed):
            return next(iter(event.members), None)
        possible = (o for o in self.outputs if event.holds(o))
        return next((o for o in possible if self.probability(o, database) != 0), None)

    def table(self) -> Dense:
        """Return the dense exact table."""
        size = self.outputs.size
        _refuse_large(
            self.universe, 1 if size is None else size, f"the matrix of {self.expression}"
        )
        _refuse_large(self.outputs, 1, f"the matrix of {self.expression}")
        rows = [[self.probability(o, x) for x in self.universe] for o in self.outputs]
        return Dense(self.universe, self.outputs, rows, expression=self.expression)

    def over(self, universe: Universe) -> Mechanism:
        """Return the same mechanism with other neighbours: a universe of the same databases."""
        rows = [[self.probability(o, x) for x in universe] for o in self.table().outputs]
        return Dense(universe, self.outputs, rows, expression=self.expression)

    def restrict(self, databases: Iterable[object]) -> Mechanism:
        """Return the mechanism on some of its databases only."""
        chosen = [self.universe.find(database) for database in databases]
        _refuse_large(self.outputs, len(chosen), f"the restriction of {self.expression}")
        rows = [[self.probability(o, x) for x in chosen] for o in self.outputs]
        shown = ", ".join(self.universe.label(x) for x in chosen)
        text = f"restrict({self.expression}, [{shown}])"
        return Dense(Part(self.universe, tuple(chosen)), self.outputs, rows, expression=text)

    def then(self, post: Mechanism | Mapping[Any, Point] | Callable[[Any], Point]) -> Dense:
        """Return this mechanism followed by post-processing of its output."""
        first = self.table()
        if isinstance(post, Mechanism):
            _refuse_large(post.outputs, self.universe.size or 1, "the post-processed mechanism")
            columns = {o: post.universe.find(o) for o in self.outputs}
            outputs: Universe = post.outputs
            weight = {
                (new, o): post.probability(new, x) for o, x in columns.items() for new in outputs
            }
        else:
            image = _images(post, self.outputs)
            outputs = Explicit(tuple(dict.fromkeys(image.values())))
            weight = {(new, o): Fraction(new == image[o]) for o in image for new in outputs}
        rows = [
            [
                _dot([weight[new, o] for o in self.outputs], [row[j] for row in first.rows])
                for j in range(len(first.rows[0]))
            ]
            for new in outputs
        ]
        after = post.expression if isinstance(post, Mechanism) else "a map of the outputs"
        return Dense(self.universe, outputs, rows, expression=f"then({self.expression}, {after})")

    def mix(self, other: Mechanism, weight: object) -> Mechanism:
        """Return the choice: this mechanism with probability ``weight``, else the other one."""
        w = probability(weight, "weight")
        _same_universe(self, other)
        mine, theirs = self.table(), other.table()
        outputs = self.outputs
        if other.outputs != self.outputs:
            outputs = Explicit(tuple(dict.fromkeys([*self.outputs, *other.outputs])))
        rows = [
            [
                w * mine.probability_or_zero(o, x) + (1 - w) * theirs.probability_or_zero(o, x)
                for x in self.universe
            ]
            for o in outputs
        ]
        text = f"mix({self.expression}, {other.expression}, weight={w})"
        return Dense(self.universe, outputs, rows, expression=text)

    def __repr__(self) -> str:
        return f"<{self.expression}: {self.universe.expression} -> {self.outputs.expression}>"

    def answer(self) -> Answer:
        """Say what it maps to what; of a small mechanism, show its matrix."""
        said = f"Databases: {self.universe.expression}; outputs: {self.outputs.expression}."
        return Answer(said, subject=self.expression, blocks=[*self._charts()])

    def _repr_html_(self) -> str:
        """Show a card in a notebook."""
        from twoworlds.show.html import card

        return card(self.answer())

    def _charts(self) -> Iterator[Chart]:
        """Chart the matrix of a small mechanism."""
        sizes = (self.universe.size, self.outputs.size)
        if any(size is None or size > _SHOWN for size in sizes):
            return
        heads = [self.universe.label(x) for x in self.universe]
        rows = [
            (self.outputs.label(o), [(show(p), float(p)) for p in self.row(o).values()])
            for o in self.outputs
        ]
        yield HeatMap("Probability of outputs (rows) on databases (columns)", heads, rows)


class Law(Mapping[Point, Number]):
    """The law of the output on one database: a view that computes what is asked of it."""

    def __init__(self, mechanism: Mechanism, database: Point) -> None:
        self._mechanism, self.database = mechanism, database

    def __getitem__(self, output: object) -> Number:
        return self._mechanism.probability(self._mechanism.outputs.find(output), self.database)

    def __iter__(self) -> Iterator[Point]:
        return iter(self._mechanism.outputs)

    def __len__(self) -> int:
        size = self._mechanism.outputs.size
        if size is None:
            raise Unsupported(f"{self._mechanism.expression} has infinitely many outputs")
        return size

    def mass(self, event: Event) -> Number:
        return self._mechanism.mass(event, self.database)


class Dense(Mechanism):
    """A finite mechanism as its matrix of exact numbers.

    >>> from twoworlds.worlds import BitStrings
    >>> m = Dense(BitStrings(1), BitStrings(1), [["3/4", "1/4"], ["1/4", "3/4"]])
    >>> m.probability((1,), (0,))
    Fraction(1, 4)
    """

    def __init__(
        self,
        universe: Universe,
        outputs: Universe,
        rows: Sequence[Sequence[object]],
        *,
        expression: str | None = None,
    ) -> None:
        self.universe, self.outputs = universe, outputs
        shape = f"matrix of {outputs.size} outputs and {universe.size} databases"
        self.expression = expression or shape
        _check_shape(universe, outputs, rows)
        self.rows: tuple[tuple[Number, ...], ...] = tuple(
            tuple(
                _finite(entry, f"P({outputs.label(o)} | {universe.label(x)})")
                for x, entry in zip(universe, row, strict=True)
            )
            for o, row in zip(outputs, rows, strict=True)
        )
        _check_stochastic(universe, outputs, self.rows)

    @staticmethod
    def from_function(universe: Universe, function: Callable[[Any], Mapping[Any, object]]) -> Dense:
        """Tabulate a Python function that returns its exact law, as a mapping from outputs.

        >>> from twoworlds.worlds import BitStrings
        >>> coin = lambda x: {"same": "2/3", "other": "1/3"} if x == (1,) else {"same": 1}
        >>> Dense.from_function(BitStrings(1), coin).outputs.size
        2
        """
        _refuse_large(universe, 1, "the table of the function")
        laws = [function(database) for database in universe]
        for database, law in zip(universe, laws, strict=True):
            if not isinstance(law, Mapping):
                raise InvalidInput(
                    f"the function returned {type(law).__name__} for {universe.label(database)}: "
                    'it must return a mapping from outputs to probabilities, as in {"yes": "3/4"}'
                )
        outputs = tuple(dict.fromkeys(output for law in laws for output in law))
        rows = [[law.get(output, 0) for law in laws] for output in outputs]
        return Dense(universe, Explicit(outputs), rows)

    def probability(self, output: Point, database: Point) -> Number:
        return self.rows[self.outputs.positions[output]][self.universe.positions[database]]

    def probability_or_zero(self, output: Point, database: Point) -> Number:
        """Look the entry up; an output that this mechanism does not have gets 0."""
        known = output in self.outputs.positions
        return self.probability(output, database) if known else Fraction(0)

    def table(self) -> Dense:
        return self

    def family(self, relation: str, group: int = 1) -> Family:
        return Family(
            self._comparisons(relation, group), "every ordered pair of neighbouring columns"
        )

    def _comparisons(self, relation: str, group: int) -> Iterator[Comparison]:
        columns, scale = self._columns
        order = tuple(self.outputs)
        position = self.universe.positions
        for x, y in pairs(self.universe, relation, group):
            p, q = columns[position[x]], columns[position[y]]
            yield FiniteComparison.of(x, y, order, p, q, scale)
            yield FiniteComparison.of(y, x, order, q, p, scale)

    @cached_property
    def _columns(self) -> tuple[list[tuple[Number | int, ...]], int]:
        """The columns as integers over one common denominator, where that is worth it."""
        columns = list(zip(*self.rows, strict=True))
        entries = [entry for row in self.rows for entry in row]
        if any(isinstance(entry, Real) for entry in entries):
            return columns, 1
        scale = lcm(*{e.denominator for e in entries if isinstance(e, Fraction)})
        if scale.bit_length() > _COMMON_DENOMINATOR_BITS:
            return columns, 1
        return [tuple(int(entry * scale) for entry in column) for column in columns], scale

    def sample(self, database: object, rng: np.random.Generator) -> Point:
        column = self.universe.positions[self.universe.find(database)]
        weights = [float(row[column]) for row in self.rows]
        total = sum(weights)
        chosen = rng.choice(len(weights), p=[weight / total for weight in weights])
        return tuple(self.outputs)[int(chosen)]


def _images(post: Any, outputs: Universe) -> dict[Point, Point]:
    if isinstance(post, Mapping):
        missing = [o for o in outputs if o not in post]
        if missing:
            raise InvalidInput(
                f"the post-processing says nothing about output {outputs.label(missing[0])}"
            )
        return {o: post[o] for o in outputs}
    return {o: post(o) for o in outputs}


def _dot(weights: Sequence[Number], column: Sequence[Number]) -> Number:
    return sum((w * p for w, p in zip(weights, column, strict=True) if w != 0), start=Fraction(0))


def _same_universe(a: Mechanism, b: Mechanism) -> None:
    if a.universe != b.universe:
        raise InvalidInput(
            f"the mechanisms look at different databases, {a.universe.expression} and "
            f"{b.universe.expression}: combine mechanisms on one universe"
        )


def _refuse_large(universe: Universe, other: int, what: str) -> None:
    if universe.size is None:
        raise TooLarge(
            f"{what} is infinite: ask for single outputs, tails or delta instead, or use a "
            f"mechanism with finitely many, such as {FINITE_OUTPUTS}"
        )
    if universe.size * other > TABLE_LIMIT:
        raise TooLarge(
            f"{what} would have {universe.size * other} entries, more than {TABLE_LIMIT}: "
            "keep its structure (randomized-response, pram, geometric, ... need no matrix) "
            "or use a smaller universe"
        )


def _finite(entry: object, name: str) -> Number:
    value = number(entry, name)
    if value == INFINITY:
        raise NotStochastic(f"{name} is infinite: a probability lies between 0 and 1")
    return value


def _check_shape(universe: Universe, outputs: Universe, rows: Sequence[Sequence[object]]) -> None:
    if len(rows) != outputs.size:
        raise InvalidInput(f"the matrix has {len(rows)} rows for {outputs.size} outputs")
    for output, row in zip(outputs, rows, strict=True):
        if len(row) != universe.size:
            raise InvalidInput(
                f"row {outputs.label(output)} has {len(row)} entries for {universe.size} databases"
            )


def _check_stochastic(
    universe: Universe, outputs: Universe, rows: Sequence[Sequence[Number]]
) -> None:
    for output, row in zip(outputs, rows, strict=True):
        for database, entry in zip(universe, row, strict=True):
            if entry < 0:
                raise NotStochastic(
                    f"P({outputs.label(output)} | {universe.label(database)}) = {show(entry)} "
                    "is negative: a probability must be at least 0"
                )
    turned = all(sum(row, start=Fraction(0)) == 1 for row in rows)
    for database, column in zip(universe, zip(*rows, strict=True), strict=True):
        low, high = bounds(sum(column, start=Fraction(0)))
        if not low <= 1 <= high:
            off = low - 1
            side: Side = "up" if off > 0 else "down"
            raise NotStochastic(
                f"column {universe.label(database)} sums to {show(low, side=side)}, "
                f"it must sum to 1 ({show(abs(off))} too {'much' if off > 0 else 'little'}): "
                + (
                    "each row does, and a row stands for an output here: swap rows and columns"
                    if turned
                    else "write exact fractions such as 1/3, or save it as floats in a .npy file"
                )
            )
