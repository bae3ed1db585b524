r"""Sensitivity: how far one person can move a statistic, and the two databases that show it.

    global:   GS(f)    = max ||f(x) - f(y)||  over neighbours x, y
    local:    LS(f, x) = max ||f(x) - f(y)||  over the neighbours y of x

(Wu, Definition 4.1; Dwork, Definition 3; Kasiviswanathan & Smith, Definition 4.3) in the L1 norm
(sum of absolute values) or the L2 norm (Euclidean length). The value is exact, and the pair that
attains it is named.

Differs: Dwork's Definition 3 speaks of databases "differing in at most one element" and leaves open
which; here the relation is part of the answer. A histogram moves by 1 under add-remove and by 2
under substitution. For a vector of answers the norm is that of the whole vector: neither the
largest nor the sum of the single sensitivities.

Local sensitivity depends on the database, so noise of that scale is not private by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from twoworlds.answer import Answer
from twoworlds.charts import Dots
from twoworlds.errors import InvalidInput, UnknownName
from twoworlds.numbers import Number, exact_text, show, sqrt
from twoworlds.show import Result
from twoworlds.worlds.graphs import Graph, Graphs
from twoworlds.worlds.records import Records, check_group, pairs, resolve
from twoworlds.worlds.statistic import Additive, Change, Computed, Statistic, Value
from twoworlds.worlds.universe import Explicit, Part, Point, Universe

L1, L2 = "L1", "L2"
_LONGEST_LABEL, _KEPT = 40, 12
Function = Statistic | Callable[[Any], object]
Relation = str | Iterable[tuple[object, object]] | None


@dataclass(frozen=True)
class Sensitivity(Result):
    """How far a statistic moves between neighbours, with the pair that attains it.

    Attributes:
        value: the exact sensitivity.
        norm: ``"L1"`` or ``"L2"``.
        relation: which databases count as neighbours.
        pair: two databases that attain the value, or None when there are no neighbours at all.
        values: the statistic on the two.
        at: the database whose neighbours were looked at (local), or None (global).
        group: how many people may differ.
    """

    statistic: str
    value: Number
    norm: str
    relation: str
    pair: tuple[Point, Point] | None
    values: tuple[Value, Value] | None
    universe: Universe = field(repr=False)
    at: Point | None = None
    group: int = 1

    @property
    def kind(self) -> str:
        """``"global"`` or ``"local"``."""
        return "global" if self.at is None else "local"

    def answer(self) -> Answer:
        """Say the sensitivity, under which relation, and where it is attained.

        >>> from twoworlds.worlds.statistics import count
        >>> from twoworlds.worlds.records import BitStrings
        >>> global_sensitivity(count(), BitStrings(2)).explain()  # doctest: +NORMALIZE_WHITESPACE
        "The global L1 sensitivity of the count of 1 is 1 under substitute (the databases differ in
        one person's record): the statistic is 2 on 11 and 1 on 01."
        """
        where = "" if self.at is None else f" at {self._label(self.at)}"
        people = "" if self.group == 1 else f"; up to {self.group} such steps apart"
        head = (
            f"The {self.kind} {self.norm} sensitivity of the {self.statistic}{where} is "
            f"{show(self.value)} under {self.relation} ({self.universe.explain(self.relation)}"
            f"{people})"
        )
        if self.pair is None or self.values is None:
            return Answer(f"{head}: there are no neighbours.")
        x, y = map(self._label, self.pair)
        u, v = map(_text, self.values)
        same = self.value == 0
        moved = (
            f"no neighbour moves it, and the statistic is {u} on {x} and {y}"
            if same
            else f"the statistic is {u} on {x} and {v} on {y}"
        )
        return Answer(f"{head}: {moved}.", blocks=() if same else (self._chart(x, y),))

    def _chart(self, x: str, y: str) -> Dots:
        """Chart the values on the two neighbours that differ most."""
        assert self.values is not None
        first, second = map(_coordinates, self.values)
        names = ["value"] if len(first) == 1 else [f"cell {i}" for i in range(1, len(first) + 1)]
        moved = zip(names, zip(first, second, strict=True), strict=True)
        rows = {name: both for name, both in moved if both[0] != both[1]}
        worlds = (x, y) if max(len(x), len(y)) <= _KEPT else ("on the first", "on the second")
        return Dots(f"The {self.statistic} on two neighbours", worlds, rows, share=False)

    def fields(self) -> dict[str, Any]:
        label = self.universe.label
        return {
            "statistic": self.statistic,
            "kind": self.kind,
            "norm": self.norm,
            "relation": self.relation,
            "group": self.group,
            "sensitivity": self.value,
            "at": None if self.at is None else label(self.at),
            "pair": None if self.pair is None else [label(x) for x in self.pair],
            "values": None if self.values is None else [_exact(value) for value in self.values],
        }

    def _label(self, point: Point) -> str:
        text = self.universe.label(point)
        if len(text) <= _LONGEST_LABEL:
            return text
        if isinstance(point, Graph):
            return f"a graph of {point.size}"
        size = f"{len(point)} records" if isinstance(point, tuple) else f"{len(text)} characters"
        return f"{text[:_KEPT]}...{text[-_KEPT:]} ({size})"


def global_sensitivity(
    statistic: Function,
    universe: Universe,
    *,
    norm: str = L1,
    neighbours: Relation = None,
    group: object = 1,
) -> Sensitivity:
    """Return the largest move of a statistic between any two neighbours.

    GS(f) = max ||f(x) - f(y)||  over x, y at distance 1 to ``group``  (Wu, Definition 4.1)

    Args:
        statistic: a `Statistic` (sums over records need no enumeration), or any function from
            a database to a number or a tuple of numbers (all pairs are enumerated).
        universe: the databases that may be true.
        norm: ``"L1"`` or ``"L2"``.
        neighbours: ``"substitute"``, ``"add-remove"`` or pairs; the universe's own if left out.
        group: how many people may differ.

    >>> from twoworlds.worlds.statistics import histogram
    >>> from twoworlds.worlds.records import Records
    >>> people = Records("abc", 50, smallest=49)
    >>> for relation in ("substitute", "add-remove"):
    ...     print(global_sensitivity(histogram("abc"), people, neighbours=relation).value)
    2
    1
    """
    _check_norm(norm)
    place, relation = resolve(universe, neighbours)
    f = _statistic(statistic, place)
    size = check_group(group)
    best = _largest(f.furthest(place, relation, size), norm)
    pair = _any_pair(place, relation) if best is None else (best.x, best.y)
    return _result(f, place, relation, norm, pair, None, size)


def local_sensitivity(
    statistic: Function,
    universe: Universe,
    database: object,
    *,
    norm: str = L1,
    neighbours: Relation = None,
) -> Sensitivity:
    """Return the largest move of a statistic from one database to its neighbours.

    LS(f, x) = max ||f(x) - f(y)||  over the neighbours y of x
    (Kasiviswanathan & Smith, Definition 4.3)

    >>> from statistics import median
    >>> from twoworlds.worlds.records import BitStrings
    >>> [local_sensitivity(median, BitStrings(3), x).value for x in ("111", "110")]
    [Fraction(0, 1), Fraction(1, 1)]
    """
    _check_norm(norm)
    place, relation = resolve(universe, neighbours)
    f = _statistic(statistic, place)
    x = place.find(database)
    here = f(x)
    near = list(place.around(x, relation))
    best = _largest((Change(here, f(y), x, y) for y in near), norm)
    pair = (x, best.y if best is not None else near[0]) if near else None
    return _result(f, place, relation, norm, pair, x, 1)


def _largest(changes: Iterable[Change], norm: str) -> Change | None:
    """Return the change of largest norm; lengths are compared squared, so nothing is rounded."""
    best, furthest = None, Fraction(0)
    for change in changes:
        size = _size(change.difference, norm)
        if size > furthest:
            best, furthest = change, size
    return best


def _size(difference: Value, norm: str) -> Fraction:
    """Return the L1 norm, or the square of the L2 norm."""
    parts = difference if isinstance(difference, tuple) else (difference,)
    exact = [Fraction(part) for part in parts]
    return sum((abs(p) if norm == L1 else p * p for p in exact), start=Fraction(0))


def _result(
    f: Statistic,
    universe: Universe,
    relation: str,
    norm: str,
    pair: tuple[Point, Point] | None,
    at: Point | None,
    group: int,
) -> Sensitivity:
    """Evaluate the statistic afresh on the pair, so that the answer is what the pair shows."""
    if pair is None:
        return Sensitivity(
            f.name, Fraction(0), norm, relation, None, None, universe, at=at, group=group
        )
    change = Change(f(pair[0]), f(pair[1]), *pair)
    size = _size(change.difference, norm)
    value = size if norm == L1 else sqrt(size)
    values = (change.before, change.after)
    return Sensitivity(f.name, value, norm, relation, pair, values, universe, at=at, group=group)


def _any_pair(universe: Universe, relation: str) -> tuple[Point, Point] | None:
    """Return two neighbours, or None when there are none by nature, as with one value only."""
    if isinstance(universe, Graphs):
        return universe.two_neighbours()
    x = next(iter(universe))
    y = next(iter(universe.around(x, relation)), None)
    if y is not None:
        return x, y
    # The longest database of a universe of records has neighbours if any database has.
    return None if isinstance(universe, Records) else next(pairs(universe, relation), None)


def _statistic(given: Function, universe: Universe) -> Statistic:
    if isinstance(given, Additive):
        _check_readable(given, universe)
    if isinstance(given, Statistic):
        return given
    if not callable(given):
        raise InvalidInput(
            f"statistic={given!r} is not a statistic: give one, as count() or total(), "
            "or a function from a database to a number"
        )
    name = getattr(given, "__name__", "function")
    return Computed(_one_shape(given), "function" if name == "<lambda>" else name)


def _one_shape(function: Callable[[Any], object]) -> Callable[[Point], object]:
    """Refuse a function that gives a number here and a vector, or a longer vector, there."""
    widths: set[int | None] = set()

    def checked(database: Point) -> object:
        value = function(database)
        widths.add(len(value) if isinstance(value, (tuple, list)) else None)
        if len(widths) > 1:
            raise InvalidInput(
                "the function gives answers of different lengths on different databases: "
                "it must give a number everywhere, or vectors of one length"
            )
        return value

    return checked


def _check_readable(statistic: Additive, universe: Universe) -> None:
    """Refuse to add over records where a database is not a list of records."""
    universe = universe.whole if isinstance(universe, Part) else universe
    if isinstance(universe, Records):
        return
    points = universe.points if isinstance(universe, Explicit) else (None,)
    lengths = {len(point) for point in points if isinstance(point, str)}
    one_length = len(lengths) <= 1 or 0 in lengths
    if not one_length or not all(isinstance(p, tuple) or _is_digits(p) for p in points):
        raise InvalidInput(
            f"the {statistic.name} adds over records, but the databases of {universe.expression} "
            "are not lists of records: use records(...), tuples, or digit strings such as 0110"
        )


def _is_digits(point: Point) -> bool:
    return isinstance(point, str) and (point.isdigit() or not point)


def _check_norm(norm: str) -> None:
    if norm not in (L1, L2):
        raise UnknownName("norm", str(norm), [L1, L2])


def _text(value: Value) -> str:
    if isinstance(value, tuple):
        more = f", ... {len(value)} numbers" if len(value) > _KEPT else ""
        return f"({', '.join(map(_text, value[:_KEPT]))}{more})"
    return str(exact_text(Fraction(value)))


def _coordinates(value: Value) -> list[float]:
    if isinstance(value, tuple):
        return [x for part in value for x in _coordinates(part)]
    return [float(value)]


def _exact(value: Value) -> Any:
    return [*map(_exact, value)] if isinstance(value, tuple) else Fraction(value)
