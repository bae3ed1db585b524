r"""Adaptive query strategies, whose next query depends on earlier answers, and their sensitivity.

A strategy is F = {f_rho}: for every transcript rho of d reported answers a function f_rho from
databases to R^d, whose i-th part is the i-th query, and which depends on rho_1, ..., rho_(i-1)
only (Dwork, Section 5, before Theorem 5: f_rho(X)_i = f_rho'(X)_i if the first i - 1 responses in
rho and rho' are equal). Here thresholds cut the answers into finitely many boxes, and f_rho is the
same for all rho of one box: a `Course`. A strategy that is given by its steps is consistent by
construction, since a step is told the intervals of the earlier answers and nothing else; one that
is given as a family of functions is checked (`from_family`).

A query may be a vector; its parts are answers of their own. A query whose second part depends on
the *true* value of its first is one query, a function of the database like any other.

Differs: Dwork writes transcripts in (R^+)^d; noisy answers can be negative, so here they are in
R^d. A threshold belongs to the interval above it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import islice, pairwise, product
from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple

from twoworlds.answer import Answer, Said
from twoworlds.charts import Bars
from twoworlds.errors import InvalidInput, TooLarge
from twoworlds.laws.event import Event, Listed
from twoworlds.mechanisms.strategy.boxes import Boxes, HalfOpen
from twoworlds.numbers import rational, show
from twoworlds.show import Result
from twoworlds.worlds import (
    Computed,
    Point,
    Product,
    Reals,
    Statistic,
    Universe,
    check_group,
    resolve,
)
from twoworlds.worlds.statistics import Batch

if TYPE_CHECKING:
    from twoworlds.mechanisms.strategy.interaction import Interaction

_MOST_COURSES = 1 << 12
_MOST_LISTED = 1 << 20
Query = Statistic | Callable[[Any], object]
_Row = tuple[Fraction, ...]


Box = tuple[HalfOpen, ...]


def tiles(cuts: Sequence[Fraction]) -> tuple[HalfOpen, ...]:
    """Return the intervals between thresholds: below the first, from the first on, ..."""
    return tuple(HalfOpen(low, high) for low, high in pairwise((None, *cuts, None)))


class Ask(NamedTuple):
    """A query, and the thresholds at which its answer is told apart later on.

    ``query`` is a statistic, or a function from a database to a number or a tuple of numbers;
    ``cuts`` rise, and a query with several parts has a list of them for each part, or none at all.
    """

    query: Query
    cuts: Sequence[object] = ()


class Then(NamedTuple):
    """A step that is chosen by the intervals in which the earlier answers lie."""

    choose: Callable[[Box], Query | Ask]


class Course(NamedTuple):
    """All transcripts of one box, and what is asked on the way: places in the vector of queries.

    With a ``coin`` the course is followed only when the adversary's coin shows it, which has the
    probability ``weight``.
    """

    box: Box
    queries: tuple[tuple[int, ...], ...]
    coin: Point = None
    weight: Fraction = Fraction(1)

    @property
    def picks(self) -> tuple[int, ...]:
        """The place of each answer in the strategy's vector of statistics."""
        return tuple(place for query in self.queries for place in query)

    def event(self, box: Box) -> tuple[Event, ...]:
        """Return a box of answers as events on outputs, which begin with the coin if any."""
        return box if self.coin is None else (Listed.of([self.coin]), *box)


@dataclass(frozen=True)
class Strategy:
    """A sequence of queries, each chosen by the answers that were reported before.

    Dwork's erratum in small: X is asked, and asked again only after an answer near 1/2.

    >>> from twoworlds.worlds import BitStrings
    >>> from twoworlds.worlds.statistics import constant, count
    >>> again = lambda earlier: count() if Fraction(1, 2) in earlier[0] else constant(0)
    >>> first = Ask(count(), cuts=["2/5", "3/5"])
    >>> strategy = Strategy.of(BitStrings(1), [first, Then(again)])
    >>> strategy.sensitivity().joint, strategy.answered("laplace(scale=1)").bound()
    (Fraction(2, 1), Real(e^2))
    """

    universe: Universe
    statistic: Statistic
    courses: tuple[Course, ...]

    def __post_init__(self) -> None:
        lengths = {(len(course.box), len(course.picks)) for course in self.courses}
        if len(lengths) != 1 or len(set(lengths.pop())) != 1:
            raise InvalidInput(
                "every course of a strategy must have the same number of answers: where fewer are "
                "wanted, ask constant(0)"
            )
        for coin in dict.fromkeys(course.coin for course in self.courses):
            _check_tree([course for course in self.courses if course.coin == coin], 0, ())

    @staticmethod
    def batch(universe: Universe, *queries: Query) -> Strategy:
        """Ask the same queries whatever the answers are.

        >>> from twoworlds.worlds import Records
        >>> from twoworlds.worlds.statistics import count
        >>> survey = Strategy.batch(Records("abc", 9), count("a"), count("b"))
        >>> found = survey.sensitivity()
        >>> str(found.largest), str(found.joint), str(found.total)
        ('1', '2', '2')
        """
        return Strategy.of(universe, queries)

    @staticmethod
    def of(universe: Universe, steps: Iterable[Query | Ask | Then]) -> Strategy:
        """Ask step by step."""
        listed = tuple(steps)
        if not listed:
            raise InvalidInput("the strategy asks nothing: name at least one query")
        first = next(iter(universe))
        known: dict[int, tuple[Query, Statistic, tuple[int, ...]]] = {}  # by identity, kept alive

        def places(query: Query) -> tuple[int, ...]:
            """Return the places of a query in the vector of all, adding it if it is new."""
            if id(query) not in known:
                read = _statistic(query)
                value = Computed(read, read.name)(first)
                width = len(value) if isinstance(value, tuple) else 1
                if width == 0:
                    raise InvalidInput(f"the query {read.name} answers nothing")
                start = sum(len(taken) for _, _, taken in known.values())
                known[id(query)] = query, read, tuple(range(start, start + width))
            return known[id(query)][2]

        def courses(left: tuple[Any, ...], box: Box, asked: tuple[Any, ...]) -> Iterator[Course]:
            if not left:
                yield Course(box, asked)
                return
            step = left[0].choose(box) if isinstance(left[0], Then) else left[0]
            ask = step if isinstance(step, Ask) else Ask(step)
            own = places(ask.query)
            for more in _intervals(ask.cuts, len(own)):
                yield from courses(left[1:], (*box, *more), (*asked, own))

        found = tuple(islice(courses(listed, (), ()), _MOST_COURSES + 1))
        if len(found) > _MOST_COURSES:
            raise TooLarge(
                f"the thresholds cut the transcripts into more than {_MOST_COURSES} boxes: "
                "use fewer"
            )
        return Strategy(universe, Batch.of([q for _, q, _ in known.values()], universe), found)

    @property
    def length(self) -> int:
        """d, the number of answers."""
        return len(self.courses[0].box)

    def course_of(self, transcript: Sequence[Any]) -> Course:
        """Return the course to which a transcript belongs."""
        if len(transcript) != self.length:
            raise InvalidInput(f"the transcript {transcript} must have {self.length} answers")
        return next(c for c in self.courses if Boxes((c.box,)).holds(transcript))

    def values(self, transcript: Sequence[Any], database: object) -> tuple[Any, ...]:
        """Return f_rho(X): the true answers to what is asked along a transcript."""
        found: Any = self.statistic(self.universe.find(database))
        return tuple(found[place] for place in self.course_of(transcript).picks)

    def sensitivity(self, *, neighbours: Any = None, group: object = 1) -> StrategySensitivity:
        """Return Delta F, beside what the single queries would give.

        Delta F = sup_rho max_{D1 ~ D2} || f_rho(D1) - f_rho(D2) ||_1  (Dwork, before Theorem 5),
        where the supremum over transcripts is a maximum over courses.
        """
        place, relation = resolve(self.universe, neighbours)
        size = check_group(group)
        single = {query: Fraction(0) for course in self.courses for query in course.queries}
        best, where = Fraction(0), None
        for change in self.statistic.differences(place, relation, size):
            difference: Any = change.difference
            moved = [abs(Fraction(part)) for part in difference]
            for query in single:
                single[query] = max(single[query], sum((moved[i] for i in query), Fraction(0)))
            for course in self.courses:
                joint = sum((moved[i] for i in course.picks), Fraction(0))
                if joint > best:
                    best, where = joint, ((change.x, change.y), course)
        total = max(sum((single[q] for q in c.queries), Fraction(0)) for c in self.courses)
        pair, found = where or (None, None)
        return StrategySensitivity(
            best, max(single.values()), total, relation, size, pair, found, place
        )

    def answered(self, noise: object, *, expression: str | None = None) -> Interaction:
        """Return the mechanism K_F that answers every query with independent noise."""
        from twoworlds.mechanisms.strategy.interaction import Answering, Interaction, read_noise

        channel = Answering(self.courses, read_noise(noise))
        text = expression or f"a strategy of {self.length} answers"
        return Interaction(self.universe, self.statistic, channel, expression=text)


def _statistic(query: Query) -> Statistic:
    if isinstance(query, Statistic):
        return query
    if callable(query):
        name = getattr(query, "__name__", "function")
        return Computed(query, "function" if name == "<lambda>" else name)
    raise InvalidInput(
        f"query={query!r} is not a query: give a statistic such as count(), or a function from a "
        "database to a number or a tuple of numbers"
    )


def _intervals(cuts: Sequence[object], width: int) -> list[Box]:
    """Return the boxes into which the thresholds cut one query's answer."""
    given: list[Any] = list(cuts)
    if not any(isinstance(cut, (list, tuple)) for cut in given):
        if given and width > 1:
            raise InvalidInput(
                f"the query has {width} parts: give cuts as {width} lists, one for each part"
            )
        given = [given] + [[]] * (width - 1)
    if len(given) != width or not all(isinstance(part, (list, tuple)) for part in given):
        raise InvalidInput(f"cuts={given}: give {width} lists of thresholds, one for each part")
    return list(product(*(tiles(_rising(part)) for part in given)))


def _rising(cuts: Sequence[object]) -> _Row:
    found = tuple(rational(cut, "cut") for cut in cuts)
    if any(a >= b for a, b in pairwise(found)):
        raise InvalidInput(f"cuts={[str(cut) for cut in found]} must rise from each to the next")
    return found


def _check_tree(courses: Sequence[Course], place: int, known: _Row) -> None:
    """Check that at each place one query is asked, and that its intervals tile the line."""
    if place == len(courses[0].box):
        if len(courses) > 1:
            raise InvalidInput(
                f"two courses have the same box, that of the transcript {_said(known)}"
            )
        return
    other = next((c for c in courses if c.picks[place] != courses[0].picks[place]), None)
    if other is not None:
        both = [(*known, *(i.inner() for i in c.box[place:])) for c in (courses[0], other)]
        raise InvalidInput(
            f"query {place + 1} is not the same after the transcripts {_said(both[0])} and "
            f"{_said(both[1])}, whose first {place} answers agree: a query may depend on earlier "
            "answers only"
        )
    groups: dict[HalfOpen, list[Course]] = {}
    for course in courses:
        groups.setdefault(course.box[place], []).append(course)
    ordered = sorted(groups, key=lambda i: (i.low is not None, i.low or Fraction(0)))
    ends = [(ordered[0].low, None), (None, ordered[-1].high)]
    ends += [(a.high, b.low) for a, b in pairwise(ordered)]
    if any(a != b for a, b in ends):
        said = ", ".join(i.describe(Reals(), "it") or "any" for i in ordered)
        raise InvalidInput(
            f"the intervals of answer {place + 1} do not cover the line once: {said}"
        )
    for interval, group in groups.items():
        _check_tree(group, place + 1, (*known, interval.inner()))


def _said(transcript: Iterable[object]) -> str:
    return f"({', '.join(map(str, transcript))})"


@dataclass(frozen=True)
class StrategySensitivity(Result):
    """How far one person can move the answers of a strategy.

    Beside Delta F stand two numbers that are often taken in its place: the largest sensitivity of
    any single query, which may be too small (two counts of the same thing: 1 against 2), and the
    sum of the sensitivities along a course, which may be larger than needed (counts of different
    things under add-remove: 2 against 1).

    Attributes:
        joint: Delta F, the L1 norm of the whole vector of answers, the largest over all courses.
        pair: two databases that attain Delta F, or None when nobody moves anything.
        course: the course on which they do.
    """

    joint: Fraction
    largest: Fraction
    total: Fraction
    relation: str
    group: int
    pair: tuple[Point, Point] | None
    course: Course | None
    universe: Universe = field(repr=False)

    def answer(self) -> Answer:
        """Say the three numbers, and where the first is attained.

        >>> from twoworlds.worlds import Records
        >>> from twoworlds.worlds.statistics import count
        >>> survey = Strategy.batch(Records("ab", 2, smallest=1), count("a"), count("b"))
        >>> print(survey.sensitivity(neighbours="add-remove").explain())
        Together the answers move by at most 1 under add-remove, as from a to aa.
        No single query moves by more than 1, and the sum over queries is 2.
        """
        moves = {"one query": self.largest, "together": self.joint, "sum over queries": self.total}
        title, grey = "How far one change moves the answers", ["sum over queries"]
        chart = Bars(title, moves, share=False, grey=grey, side="up")
        joint, single = (show(x, side="up") for x in (self.joint, self.largest))
        head = f"Together the answers move by at most {joint} under {self.relation}"
        if self.pair is None or self.course is None:
            return Answer(f"{head}: no neighbour moves them.", blocks=(chart,))
        x, y = map(self.universe.label, self.pair)
        box = Boxes((self.course.box,)).describe(Product((Reals(),) * len(self.course.box)))
        when = "" if box == "any answers" else f", after transcripts with {box}"
        more = f"No single query moves by more than {single}, and the sum over queries is"
        said = Said([f"{more} {show(self.total)}."])
        return Answer(f"{head}, as from {x} to {y}{when}.", blocks=(said, chart))

    def fields(self) -> dict[str, Any]:
        numbers = {"joint": self.joint, "largest": self.largest, "total": self.total}
        pair = None if self.pair is None else [self.universe.label(x) for x in self.pair]
        return {**numbers, "relation": self.relation, "group": self.group, "pair": pair}


def from_family(
    universe: Universe,
    family: Callable[[_Row, Any], Sequence[object]],
    responses: Sequence[Sequence[object]],
) -> Strategy:
    """Read a family of functions f_rho, and check that every query depends on earlier answers only.

    With finitely many responses to each query, as under noise clamped to a range, all transcripts
    are listed and the condition is checked on every database; what breaks it is named. Answers
    outside of the listed ones are treated as the nearest listed one below them, or the least.

    Args:
        universe: the databases that may be true.
        family: from a transcript rho and a database X to the d numbers f_rho(X).
        responses: for each of the d queries, all responses that are to be told apart.

    >>> from twoworlds.worlds import BitStrings
    >>> stop = lambda rho, x: (sum(x), sum(x) if rho[0] == 1 else 0)
    >>> from_family(BitStrings(2), stop, [[0, 1, 2], [0, 1, 2]]).sensitivity().joint
    Fraction(2, 1)
    >>> from_family(BitStrings(2), lambda rho, x: (rho[1], sum(x)), [[0], [0, 1]])
    Traceback (most recent call last):
    twoworlds.errors.InvalidInput: query 1 is 0 on 11 along the transcript (0, 0) but 1 along \
(0, 1), whose first 0 answers agree: a query may depend on earlier answers only
    """
    listed = tuple(tuple(sorted({rational(r, "response") for r in one})) for one in responses)
    if not listed or not all(listed):
        raise InvalidInput("name at least one query, and at least one response to each")
    if universe.size is None or universe.size * prod(map(len, listed)) > _MOST_LISTED:
        raise TooLarge(
            f"the transcripts and databases are more than {_MOST_LISTED} pairs: they cannot be "
            "listed; give the strategy step by step, with Strategy.of"
        )
    tables = _tables(universe, family, listed)
    queries: dict[_Row, Computed] = {}  # one for each column of values

    def step(place: int) -> Then:
        def choose(box: Box) -> Ask:
            begun = zip(box, listed[:place], strict=True)  # the intervals begin at the responses
            earlier = tuple(least[0] if part.low is None else part.low for part, least in begun)
            column = tables[earlier]
            if column not in queries:
                values = dict(zip(universe, column, strict=True))
                queries[column] = Computed(values.__getitem__, f"query {place + 1}")
            return Ask(queries[column], listed[place][1:] if place + 1 < len(listed) else ())

        return Then(choose)

    return Strategy.of(universe, [step(place) for place in range(len(listed))])


def _tables(
    universe: Universe, family: Callable[[_Row, Any], Sequence[object]], listed: tuple[_Row, ...]
) -> dict[_Row, _Row]:
    """Return the values on all databases of the query that follows each beginning."""
    databases, d = tuple(universe), len(listed)
    found: dict[_Row, tuple[_Row, _Row]] = {}  # the values, and the transcript they were read from
    for rho in product(*listed):
        rows = [family(rho, x) for x in databases]
        if not all(isinstance(row, (tuple, list)) and len(row) == d for row in rows):
            raise InvalidInput(f"f_rho(X) must be {d} numbers, as for the transcript {_said(rho)}")
        for place, values in enumerate(zip(*rows, strict=True)):
            column = tuple(rational(value, "f_rho(X)") for value in values)
            known, before = found.setdefault(rho[:place], (column, rho))
            if known != column:
                at = next(j for j, value in enumerate(column) if value != known[j])
                raise InvalidInput(
                    f"query {place + 1} is {known[at]} on {universe.label(databases[at])} along "
                    f"the transcript {_said(before)} but {column[at]} along {_said(rho)}, whose "
                    f"first {place} answers agree: a query may depend on earlier answers only"
                )
    return {beginning: column for beginning, (column, _) in found.items()}
