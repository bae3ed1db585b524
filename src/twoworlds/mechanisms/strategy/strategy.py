r"""Adaptive query strategies, whose next query depends on earlier answers, and their sensitivity.

A strategy is F = {f_rho}: for every transcript rho of d reported answers a function f_rho from
databases to R^d, whose i-th part is the i-th query, and which depends on rho_1, ..., rho_(i-1)
only (Dwork, Section 5, before Theorem 5: f_rho(X)_i = f_rho'(X)_i if the first i - 1 responses in
rho and rho' are equal). Here thresholds cut the answers into finitely many boxes, and f_rho is the
same for all rho of one box: a `Course`. A strategy that is given by its steps is consistent by
construction, since a step is told the intervals of the earlier answers and nothing else; one that
is given as a family of functions is checked (`twoworlds.mechanisms.strategy.randomized`).

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
from typing import TYPE_CHECKING, Any

from twoworlds.answer import Answer, Said
from twoworlds.charts import Bars
from twoworlds.errors import InvalidInput, TooLarge
from twoworlds.mechanisms.strategy.regions import Box, Boxes, HalfOpen, Transcripts, tiles
from twoworlds.numbers import rational, show
from twoworlds.show import Result
from twoworlds.worlds import (
    Change,
    Computed,
    Point,
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
Query = Statistic | Callable[[Any], object]


@dataclass(frozen=True)
class Ask:
    """A query, and the thresholds at which its answer is told apart later on.

    Attributes:
        query: a statistic, or a function from a database to a number or a tuple of numbers.
        cuts: thresholds in rising order; for a query with several parts a list of thresholds for
            each part, or nothing at all.
    """

    query: Query
    cuts: Sequence[object] = ()


@dataclass(frozen=True)
class Then:
    """A step that is chosen by the intervals in which the earlier answers lie."""

    choose: Callable[[Box], Query | Ask]


Step = Query | Ask | Then


@dataclass(frozen=True)
class Course:
    """All transcripts of one box, and what is asked on the way."""

    box: Box
    queries: tuple[tuple[int, ...], ...]

    @property
    def picks(self) -> tuple[int, ...]:
        """The place of each answer in the strategy's vector of statistics."""
        return tuple(place for query in self.queries for place in query)


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
        """Check that the boxes tile all transcripts and that every query comes after its cause."""
        lengths = {(len(course.box), len(course.picks)) for course in self.courses}
        if len(lengths) != 1 or len(set(lengths.pop())) != 1:
            raise InvalidInput(
                "every course of a strategy must have the same number of answers: where fewer are "
                "wanted, ask constant(0)"
            )
        _check_tree(self.courses, 0, ())

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
    def of(universe: Universe, steps: Iterable[Step]) -> Strategy:
        """Ask step by step."""
        listed = tuple(steps)
        if not listed:
            raise InvalidInput("the strategy asks nothing: name at least one query")
        known = _Known(universe)
        courses = tuple(islice(_courses(known, listed, (), ()), _MOST_COURSES + 1))
        if len(courses) > _MOST_COURSES:
            raise TooLarge(
                f"the thresholds cut the transcripts into more than {_MOST_COURSES} boxes: "
                "use fewer"
            )
        return Strategy(universe, Batch.of(known.queries, universe), courses)

    @property
    def length(self) -> int:
        """d, the number of answers."""
        return len(self.courses[0].box)

    def course_of(self, transcript: Sequence[Any]) -> Course:
        """Return the course to which a transcript belongs."""
        if len(transcript) != self.length:
            raise InvalidInput(f"the transcript {transcript} must have {self.length} answers")
        return course_of(self.courses, transcript)

    def values(self, transcript: Sequence[Any], database: object) -> tuple[Any, ...]:
        """Return f_rho(X): the true answers to what is asked along a transcript."""
        found: Any = self.statistic(self.universe.find(database))
        return tuple(found[place] for place in self.course_of(transcript).picks)

    def sensitivity(self, *, neighbours: Any = None, group: object = 1) -> StrategySensitivity:
        """Return Delta F, beside what the single queries would give."""
        from twoworlds.mechanisms.strategy.strategy import strategy_sensitivity

        return strategy_sensitivity(self, neighbours=neighbours, group=group)

    def answered(self, noise: object, *, expression: str | None = None) -> Interaction:
        """Return the mechanism K_F that answers every query with independent noise."""
        from twoworlds.mechanisms.strategy.interaction import Answering, Interaction
        from twoworlds.mechanisms.strategy.noise import read_noise

        channel = Answering(self.courses, read_noise(noise))
        text = expression or f"a strategy of {self.length} answers"
        return Interaction(self.universe, self.statistic, channel, expression=text)


def course_of(courses: Sequence[Course], transcript: Sequence[Any]) -> Course:
    """Return the course whose box holds a transcript."""
    return next(
        course
        for course in courses
        if all(answer in part for answer, part in zip(transcript, course.box, strict=True))
    )


class _Known:
    """The queries met so far, each with its places in the vector of all."""

    def __init__(self, universe: Universe) -> None:
        self.first = next(iter(universe))
        self.queries: list[Statistic] = []
        self._places: dict[int, tuple[int, ...]] = {}
        self._given: list[object] = []  # kept, so that no identity is used twice
        self._width = 0

    def places(self, query: Query) -> tuple[int, ...]:
        """Return the places of a query, adding it if it is new."""
        if id(query) not in self._places:
            read = _statistic(query)
            value = Computed(read, read.name)(self.first)
            width = len(value) if isinstance(value, tuple) else 1
            if width == 0:
                raise InvalidInput(f"the query {read.name} answers nothing")
            self._given.append(query)
            self.queries.append(read)
            self._places[id(query)] = tuple(range(self._width, self._width + width))
            self._width += width
        return self._places[id(query)]


def _statistic(query: Query) -> Statistic:
    if isinstance(query, Statistic):
        return query
    if callable(query):
        name = getattr(query, "__name__", "function")
        return Computed(query, "function" if name == "<lambda>" else name)
    raise InvalidInput(
        f"query={query!r} is no query: give a statistic such as count(), or a function from a "
        "database to a number or a tuple of numbers"
    )


def _courses(
    known: _Known, steps: tuple[Any, ...], box: Box, queries: tuple[tuple[int, ...], ...]
) -> Iterator[Course]:
    if not steps:
        yield Course(box, queries)
        return
    step = steps[0].choose(box) if isinstance(steps[0], Then) else steps[0]
    ask = step if isinstance(step, Ask) else Ask(step)
    places = known.places(ask.query)
    for more in _intervals(ask.cuts, len(places)):
        yield from _courses(known, steps[1:], (*box, *more), (*queries, places))


def _intervals(cuts: Sequence[object], width: int) -> list[Box]:
    """Return the boxes into which the thresholds cut one query's answer."""
    given: list[Any] = list(cuts)
    nested = any(isinstance(cut, (list, tuple)) for cut in given)
    if not nested:
        if given and width > 1:
            raise InvalidInput(
                f"the query has {width} parts: give cuts as {width} lists, one for each part"
            )
        given = [given] + [[]] * (width - 1)
    if len(given) != width or not all(isinstance(part, (list, tuple)) for part in given):
        raise InvalidInput(f"cuts={given}: give {width} lists of thresholds, one for each part")
    return list(product(*(tiles(_rising(part)) for part in given)))


def _rising(cuts: Sequence[object]) -> tuple[Fraction, ...]:
    found = tuple(rational(cut, "cut") for cut in cuts)
    if any(a >= b for a, b in pairwise(found)):
        raise InvalidInput(f"cuts={[str(cut) for cut in found]} must rise from each to the next")
    return found


def _check_tree(courses: Sequence[Course], place: int, known: tuple[Fraction, ...]) -> None:
    """Check that at each place one query is asked, and that its intervals tile the line."""
    if place == len(courses[0].box):
        if len(courses) > 1:
            raise InvalidInput(
                f"two courses have the same box, that of the transcript {_said(known)}"
            )
        return
    other = next((c for c in courses if c.picks[place] != courses[0].picks[place]), None)
    if other is not None:
        rest = slice(place, None)
        both = [(*known, *(i.inner() for i in c.box[rest])) for c in (courses[0], other)]
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
        said = ", ".join(i.describe("it") for i in ordered)
        raise InvalidInput(
            f"the intervals of answer {place + 1} do not cover the line once: {said}"
        )
    for interval, group in groups.items():
        _check_tree(group, place + 1, (*known, interval.inner()))


def _said(transcript: Sequence[object]) -> str:
    return f"({', '.join(str(answer) for answer in transcript)})"


# --- The sensitivity of a query strategy ---------------------------------------------------------
#     Delta F = sup_rho max_{D1 ~ D2} || f_rho(D1) - f_rho(D2) ||_1      (Dwork, before Theorem 5)
#
# The supremum over transcripts is a maximum over courses. Beside it stand two numbers that are
# often taken in its place: the largest sensitivity of any single query, which may be too small
# (two counts of the same thing: 1 against 2), and the sum of the sensitivities along a course,
# which may be larger than needed (counts of different things under add-remove: 2 against 1).


@dataclass(frozen=True)
class StrategySensitivity(Result):
    """How far one person can move the answers of a strategy.

    Attributes:
        joint: Delta F, the L1 norm of the whole vector of answers, the largest over all courses.
        largest: the largest sensitivity of any single query that is ever asked.
        total: the sum of the sensitivities of the queries along a course, the largest such sum.
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
        joint = show(self.joint, side="up")
        head = f"Together the answers move by at most {joint} under {self.relation}"
        if self.pair is None or self.course is None:
            return Answer(f"{head}: no neighbour moves them.", blocks=(self._chart(),))
        x, y = map(self.universe.label, self.pair)
        outputs = Transcripts(Reals(), len(self.course.box))
        box = Boxes((self.course.box,)).describe(outputs)
        when = "" if box == "any answers" else f", after transcripts with {box}"
        single = show(self.largest, side="up")
        return Answer(
            f"{head}, as from {x} to {y}{when}.",
            blocks=(
                Said(
                    [
                        f"No single query moves by more than {single}, and the sum over queries "
                        f"is {show(self.total)}."
                    ]
                ),
                self._chart(),
            ),
        )

    def _chart(self) -> Bars:
        moves = {"one query": self.largest, "together": self.joint, "sum over queries": self.total}
        title, grey = "How far one change moves the answers", ["sum over queries"]
        return Bars(title, moves, share=False, grey=grey, side="up")

    def fields(self) -> dict[str, Any]:
        """Return the three numbers, what they rest on, and the pair by its labels."""
        return {
            "joint": self.joint,
            "largest": self.largest,
            "total": self.total,
            "relation": self.relation,
            "group": self.group,
            "pair": None if self.pair is None else [self.universe.label(x) for x in self.pair],
        }


def strategy_sensitivity(
    strategy: Strategy, *, neighbours: Any = None, group: object = 1
) -> StrategySensitivity:
    """Return Delta F of a strategy, and the sensitivities of its single queries."""
    place, relation = resolve(strategy.universe, neighbours)
    size = check_group(group)
    single: dict[tuple[int, ...], Fraction] = {
        query: Fraction(0) for course in strategy.courses for query in course.queries
    }
    best, where = Fraction(0), None
    for change in strategy.statistic.differences(place, relation, size):
        moved = _moves(change)
        for query in single:
            single[query] = max(single[query], sum((moved[i] for i in query), Fraction(0)))
        for course in strategy.courses:
            joint = sum((moved[i] for i in course.picks), Fraction(0))
            if joint > best:
                best, where = joint, (change.x, change.y, course)
    totals = (sum((single[q] for q in c.queries), Fraction(0)) for c in strategy.courses)
    return StrategySensitivity(
        best,
        max(single.values()),
        max(totals),
        relation,
        size,
        None if where is None else where[:2],
        None if where is None else where[2],
        place,
    )


def _moves(change: Change) -> list[Fraction]:
    """Return how far each number of the vector moves."""
    moved: Any = change.difference
    return [abs(Fraction(part)) for part in moved]
