r"""Several outputs at once: mechanisms that run on the same people, independently of each other.

Mechanisms on equal universes look at one database. Noise on an answer (`Integers`, `Reals`) may
stand beside others: the person who changes the database then moves that answer too, by as much as
one person can. Comparisons of two worlds are composed in `twoworlds.laws.composition`; which two
worlds are the worst is asked here.

    one mechanism, several times    its own family of worst pairs: what dominates one output
                                    dominates several
    few databases                   every pair of neighbours
    else                            the pairs that are worst for some part, from below; from above
                                    what is worst for each part, whether or not one pair is all that

The same question asked again moves up whenever it moved up before; different questions need not. So
noise that is not symmetric has two ends as well: the same direction in all answers, from below, and
whatever is worse in each of them, from above.
"""

from __future__ import annotations

from abc import abstractmethod
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import groupby, pairwise, product
from math import prod
from typing import TYPE_CHECKING, Any

from twoworlds.errors import InvalidInput, Unsupported
from twoworlds.laws.comparison import Comparison, Family, FiniteComparison, larger, unlike
from twoworlds.laws.composition import WIDTH, compose
from twoworlds.laws.event import Event
from twoworlds.laws.grid import Grid, Marks, Part, rounded_places
from twoworlds.laws.sampling import Dominated, Worst
from twoworlds.mechanisms.base import Dense, Mechanism
from twoworlds.mechanisms.per_record import PerRecord
from twoworlds.numbers import (
    INFINITY,
    Number,
    Order,
    compare,
    decimal,
    exact_text,
    ln,
    rational,
    show,
    to_json,
)
from twoworlds.worlds import MIXED, Integers, Point, Product, Reals, Universe, pairs

if TYPE_CHECKING:
    import numpy as np

_SHOWN = 4
_LISTED = 256  # outputs that are compared one by one
_FEW_DATABASES = 64
_MOST_KINDS = 64  # of outputs for a record that is randomized several times


class Several(Mechanism):
    """The outputs of several mechanisms, each run a number of times on the same people.

    >>> from twoworlds import mechanism
    >>> survey = mechanism("randomized-response(bits=1, keep=3/4)")
    >>> Several([(survey, 100)]).family("substitute").gap(Fraction(3**20))[1].delta > 0
    True
    """

    def __init__(self, parts: Sequence[tuple[Mechanism, int]], *, width: object = WIDTH) -> None:
        self.parts = _flat(parts)
        self.width = rational(width, "width")
        if not 0 < self.width < 1:
            raise InvalidInput(f"width={width} must lie between 0 and 1: it is a share")
        self.exact = all(mechanism.exact for mechanism, _ in self.parts)
        self.universes = tuple(dict.fromkeys(one.universe for one, _ in self.parts))
        others = [one for one in self.universes if not _is_answer(one)]
        if len(others) > 1:
            raise InvalidInput(
                "the mechanisms look at different databases, "
                f"{' and '.join(one.expression for one in others)}: combine mechanisms on one "
                "universe, or noise on an answer"
            )
        alone = len(self.universes) == 1
        self.universe: Universe = self.universes[0] if alone else Product(self.universes)
        self.outputs: Product = Product(
            tuple(one.outputs for one, times in self.parts for _ in range(times))
        )
        self.expression = _expression(self.parts, self.width)

    def _own(self, database: Point) -> Iterator[tuple[Mechanism, int, Point]]:
        """Yield the parts with what each of them looks at."""
        seen = (database,) if len(self.universes) == 1 else database
        looked = dict(zip(self.universes, seen, strict=True))
        yield from ((one, times, looked[one.universe]) for one, times in self.parts)

    def _answers(self, output: Point) -> list[Sequence[Point]]:
        """Return the outputs of each part."""
        left = iter(output)
        return [[next(left) for _ in range(times)] for _, times in self.parts]

    def undisturbed(self, database: Point) -> Point:
        """Return the outputs of noise on answers that adds nothing."""
        return tuple(answer for _, times, answer in self._own(database) for _ in range(times))

    def probability(self, output: Point, database: Point) -> Number:
        return prod(
            (
                one.probability(answer, own)
                for (one, _, own), answers in zip(
                    self._own(database), self._answers(output), strict=True
                )
                for answer in answers
            ),
            start=Fraction(1),
        )

    def mass(self, event: Event, database: Point) -> Number:
        """Multiply, or add up, the masses of the parts; other events know their two worlds."""
        if isinstance(event, _TwoWorlds) and database in (event.x, event.y):
            return event.masses()[database != event.x]
        if isinstance(event, EveryAnswer):
            masses = zip(self._own(database), event.events, strict=True)
            return prod(
                (one.mass(e, own) ** times for (one, times, own), e in masses), start=Fraction(1)
            )
        return super().mass(event, database)

    def masses(self, event: Event, databases: tuple[Point, Point]) -> tuple[Number, Number]:
        """Compute both at once, where the event knows these two worlds."""
        if isinstance(event, _TwoWorlds) and databases == (event.x, event.y):
            return event.masses()
        return super().masses(event, databases)

    def example(self, event: Event, database: Point) -> Point | None:
        """Take an output of each part, where there are few of them."""
        if not isinstance(event, EveryAnswer) or len(self.outputs.parts) > _SHOWN:
            return None
        found = zip(self._own(database), event.events, strict=True)
        answers = [one.example(e, own) for (one, times, own), e in found for _ in range(times)]
        return None if None in answers else tuple(answers)

    def compare(self, x: Point, y: Point) -> Comparison:
        return self._composed(self.compared(x, y), x, y)

    def compared(self, x: Point, y: Point) -> list[Part]:
        """Compare the two databases by each part."""
        own = zip(self._own(x), self._own(y), strict=True)
        return [Part(one.compare(a, b), times) for (one, times, a), (_, _, b) in own]

    def _composed(self, parts: Sequence[Part], x: Point, y: Point) -> Comparison:
        """Compare outputs one by one where they are few, else by their losses."""
        size = self.outputs.size
        known = all(part.comparison.dominating is part.comparison for part in parts)
        if known and size is not None and size <= _LISTED:
            return super().compare(x, y)
        return compose(parts, _Answers(self, x, y), x, y, width=self.width)

    def family(self, relation: str, group: int = 1) -> Family:
        """Compose what is worst for the parts."""
        moves = (
            self._moves(universe, universe.relation if relation == MIXED else relation, group)
            for universe in self.universes
        )
        compared = []
        for chosen in product(*moves):
            alone = len(self.universes) == 1
            x: Point = chosen[0][0] if alone else tuple(one[0] for one in chosen)
            y: Point = chosen[0][1] if alone else tuple(one[1] for one in chosen)
            found = {index: comparison for one in chosen for index, comparison in one[2].items()}
            parts = [Part(found[i], times) for i, (_, times) in enumerate(self.parts)]
            compared.append(self._composed(parts, x, y))
        return Family(compared, "the losses of independent answers add up")

    def _moves(self, universe: Universe, relation: str, group: int) -> list[_Move]:
        """Return pairs of databases of one universe, with how each part on it compares them."""
        own = {i: one for i, (one, _) in enumerate(self.parts) if one.universe == universe}
        families = {i: unlike(one.family(relation, group)) for i, one in own.items()}
        if len(own) == 1 and not _is_answer(universe):
            ((i, family),) = families.items()
            return [(one.x, one.y, {i: one}) for one in family]
        known = all(one.dominating is one for family in families.values() for one in family)
        few = universe.size is not None and universe.size <= _FEW_DATABASES
        if few and known and not _is_answer(universe):
            listed = pairs(universe, relation, group)
            turned = ((a, b) for x, y in listed for a, b in ((x, y), (y, x)))
            return _unlike_moves(
                (x, y, {i: one.compare(x, y) for i, one in own.items()}) for x, y in turned
            )
        above = {
            i: family[0].dominating
            if len(family) == 1
            else Worst(family[0].x, family[0].y, tuple(one.dominating for one in family))
            for i, family in families.items()
        }
        both = dict.fromkeys((one.x, one.y) for family in families.values() for one in family)
        return _unlike_moves(
            (x, y, {i: _dominated(one.compare(x, y), above[i]) for i, one in own.items()})
            for x, y in both
        )

    def sample(self, database: object, rng: np.random.Generator) -> Point:
        own = self._own(self.universe.find(database))
        return tuple(one.sample(a, rng) for one, times, a in own for _ in range(times))


def composed(parts: Sequence[tuple[Mechanism, int]], *, width: object = WIDTH) -> Mechanism:
    """Return several mechanisms as one; those that randomize each record are one such again.

    >>> from twoworlds import mechanism
    >>> survey = mechanism("randomized-response(bits=40, keep=3/4)")
    >>> composed([(survey, 2)]).transition.outputs.size
    4
    """
    several = Several(parts, width=width)
    local = [
        one for one, times in several.parts if isinstance(one, PerRecord) for _ in range(times)
    ]
    kinds = prod(one.transition.outputs.size or 0 for one in local)
    if len(local) < len(several.outputs.parts) or kinds > _MOST_KINDS:
        return several
    outputs = Product(tuple(one.transition.outputs for one in local))
    values = local[0].transition.universe
    rows = [
        [
            prod(
                (one.transition.probability(o, x) for one, o in zip(local, word, strict=True)),
                start=Fraction(1),
            )
            for x in values
        ]
        for word in outputs
    ]
    return PerRecord(Dense(values, outputs, rows), local[0].records, expression=several.expression)


_Move = tuple[Point, Point, dict[int, Comparison]]


def _dominated(comparison: Comparison, above: Comparison) -> Comparison:
    alike = comparison.key is not None and comparison.key == above.key
    if alike:
        return comparison
    return Dominated(comparison.x, comparison.y, comparison, above)


def _unlike_moves(moves: Iterable[_Move]) -> list[_Move]:
    """Leave out moves that every part compares as it does an earlier one."""
    found: dict[object, _Move] = {}
    for number, move in enumerate(moves):
        keys = tuple(one.key for one in move[2].values())
        found.setdefault(number if None in keys else keys, move)
    return list(found.values())


def _is_answer(universe: Universe) -> bool:
    """Tell whether databases are true answers, which stand for themselves."""
    return isinstance(universe, (Integers, Reals))


def _flat(parts: Sequence[tuple[Mechanism, int]]) -> tuple[tuple[Mechanism, int], ...]:
    """Take compositions apart, and count mechanisms that are the same object."""
    counts: dict[int, tuple[Mechanism, int]] = {}
    for mechanism, times in parts:
        if times < 1:
            raise InvalidInput(f"times={times} must be at least 1: so often a mechanism runs")
        inner = mechanism.parts if isinstance(mechanism, Several) else ((mechanism, 1),)
        for one, more in inner:
            counts[id(one)] = one, counts.get(id(one), (one, 0))[1] + times * more
    if not counts:
        raise InvalidInput("there is nothing to compose: name at least one mechanism")
    return tuple(counts.values())


def _expression(parts: Sequence[tuple[Mechanism, int]], width: Fraction) -> str:
    wide = "" if width == WIDTH else f", width={exact_text(width)}"
    if len(parts) == 1:
        ((one, times),) = parts
        return f"compose({one.expression}, times={times}{wide})"
    texts = [
        one.expression if n == 1 else f"compose({one.expression}, times={n})" for one, n in parts
    ]
    return f"compose({', '.join(texts)}{wide})"


# --- events ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Answers:
    """Names sets of answers that tell one database from another."""

    mechanism: Several
    x: Point
    y: Point

    def likelier(self, ratio: Number) -> Event:
        """Name the answers of at least a likelihood ratio."""
        return LikelyAnswers(self.mechanism, self.x, self.y, ratio)

    def rounded(self, unit: Number, marks: Sequence[Marks], least: int, spare: int) -> Event:
        """Name the answers whose rounded losses add up to at least so many units."""
        return RoundedLosses(self.mechanism, self.x, self.y, unit, tuple(marks), least, spare)

    def reverse(self) -> _Answers:
        return _Answers(self.mechanism, self.y, self.x)

    def every(self, events: Sequence[Event]) -> Event:
        """Name the answers that each lie in an event."""
        return EveryAnswer(tuple(events), tuple(times for _, times in self.mechanism.parts))


@dataclass(frozen=True)
class EveryAnswer(Event):
    """Answers each of which lies in the event of its part."""

    events: tuple[Event, ...]
    times: tuple[int, ...]

    def holds(self, output: Point) -> bool:
        events = [event for event, n in zip(self.events, self.times, strict=True) for _ in range(n)]
        return all(event.holds(one) for event, one in zip(events, output, strict=True))

    def describe(self, outputs: Universe) -> str:
        said, place = [], 1
        for event, times in zip(self.events, self.times, strict=True):
            which = f"answer {place}" if times == 1 else f"answers {place} to {place + times - 1}"
            said.append(f"{which}: {event.describe(outputs.parts[place - 1])}")  # type: ignore[attr-defined]
            place += times
        return "; ".join(said)


@dataclass(frozen=True)
class _TwoWorlds(Event):
    """Answers that tell one database from another; their chances are known in these two worlds."""

    mechanism: Several = field(repr=False)
    x: Point
    y: Point

    @abstractmethod
    def masses(self) -> tuple[Number, Number]:
        """Compute the probabilities of the event in both worlds anew."""


@dataclass(frozen=True)
class LikelyAnswers(_TwoWorlds):
    """Answers that are together at least so many times as likely in the first world."""

    ratio: Number

    def holds(self, output: Point) -> bool:
        p, q = (self.mechanism.probability(output, one) for one in (self.x, self.y))
        if self.ratio == INFINITY:
            return bool(p != 0 and q == 0)
        return bool(p != 0) and compare(p, self.ratio * q) is not Order.LESS

    def masses(self) -> tuple[Number, Number]:
        """Add up the cells of at least this ratio, or take the tails of a density."""
        compared = self.mechanism.compare(self.x, self.y)
        if self.ratio == INFINITY:
            return compared.limit(), Fraction(0)
        if not isinstance(compared, FiniteComparison):
            [test] = compared.best_tests([ln(self.ratio)])
            return test.p, test.q
        cells = [
            (p, q)
            for p, q, _ in compared.cells()
            if p != 0 and compare(p, self.ratio * q) is not Order.LESS
        ]
        return sum((p for p, _ in cells), Fraction(0)), sum((q for _, q in cells), Fraction(0))

    def describe(self, outputs: Universe) -> str:
        """Count the answers of two kinds, or say how much likelier all are together."""
        if self.ratio == INFINITY:
            return "answers of which one at least is impossible in the second world"
        return self._counted() or (
            f"answers that are together at least {show(self.ratio, side='up')} times as likely in "
            "the first world as in the second"
        )

    def _counted(self) -> str | None:
        """Say of one mechanism with two kinds of outputs how many must be of the telling kind."""
        if len(self.mechanism.parts) > 1:
            return None
        ((one, times),) = self.mechanism.parts
        try:
            cells = one.compare(self.x, self.y).cells()
        except Unsupported:
            return None
        if len(cells) != 2 or any(cell.p == 0 or cell.q == 0 for cell in cells):
            return None
        low, high = sorted(cells, key=lambda cell: float(cell.p / cell.q))

        def enough(count: int) -> bool:
            ratio = (high.p / high.q) ** count * (low.p / low.q) ** (times - count)
            return compare(ratio, self.ratio) is not Order.LESS

        least = bisect_left(range(times + 1), 1, key=enough)
        return f"at least {least} of the {times} answers: {high.event.describe(one.outputs)}"


@dataclass(frozen=True)
class RoundedLosses(_TwoWorlds):
    """Answers whose losses ln P/Q, each rounded to a grid, add up to at least so many units.

    A loss in a cell between two marks is rounded to its middle, upwards: in a cell of one unit, to
    its upper mark. What lies up to the first mark is rounded to it, and what lies beyond the last
    one, to one unit more.
    """

    unit: Number
    marks: tuple[Marks, ...]
    least: int
    spare: int

    def holds(self, output: Point) -> bool:
        total, infinite = 0, False
        worlds = (self.mechanism._own(world) for world in (self.x, self.y))
        answers = self.mechanism._answers(output)
        for (one, _, a), (_, _, b), own, marks in zip(*worlds, answers, self.marks, strict=True):
            places = rounded_places(marks)
            for answer in own:
                p, q = one.probability(answer, a), one.probability(answer, b)
                if p == 0:
                    return False
                if q == 0:
                    infinite = True
                    continue
                loss = ln(p / q)
                total += places[
                    bisect_left(marks, 1, key=lambda m: not larger(loss, self.unit * m))
                ]
        return infinite or total >= self.least

    def masses(self) -> tuple[Number, Number]:
        """Compute both probabilities, more finely than before."""
        grid = Grid(tuple(self.mechanism.compared(self.x, self.y)), self.unit)
        return grid.below(self.spare, self.marks).masses(self.least)

    def describe(self, outputs: Universe) -> str:
        """Say how the losses are rounded, and to what they add up."""
        cells = (high - low for marks in self.marks for low, high in pairwise(marks))
        widest = max(cells, default=1)
        rare = "" if widest == 1 else f" (rare ones to the middle of up to {widest} such steps)"
        return (
            "answers whose privacy losses, each rounded up to a multiple of "
            f"{show(self.unit)}{rare}, add up to at least {self.least} such steps "
            f"({decimal(self.unit * self.least, 6, 'about')})"
        )

    def to_json(self, outputs: Universe) -> Any:
        """Return the labels of a small event, or all that the rounding needs."""
        found = super().to_json(outputs)
        if isinstance(found, list):
            return found
        marks = [_runs(marks) for marks in self.marks]
        return {"unit": to_json(self.unit), "marks": marks, "at_least": self.least}


def _runs(marks: Marks) -> list[tuple[int, int, int]]:
    """Return marks as ranges: the first one, the last one and the step, in units.

    >>> _runs((-8, -4, 0, 1, 2))
    [(-8, 0, 4), (0, 2, 1)]
    """
    ends = groupby(pairwise(marks), key=lambda cell: cell[1] - cell[0])
    found = ((step, list(cells)) for step, cells in ends)
    return [(cells[0][0], cells[-1][1], step) for step, cells in found]
