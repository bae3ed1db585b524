r"""The sensitivity of a query strategy: of the whole vector of answers, never of single queries.

    Delta F = sup_rho max_{D1 ~ D2} || f_rho(D1) - f_rho(D2) ||_1      (Dwork, before Theorem 5)

The supremum over transcripts is a maximum over courses. Beside it stand two numbers that are often
taken in its place: the largest sensitivity of any single query, which may be too small (two counts
of the same thing: 1 against 2), and the sum of the sensitivities along a course, which may be
larger than needed (counts of different things under add-remove: 2 against 1).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from twoworlds.answer import Answer, Said
from twoworlds.charts import Bars
from twoworlds.mechanisms.strategy.regions import Boxes, Transcripts
from twoworlds.mechanisms.strategy.strategy import Course, Strategy
from twoworlds.numbers import show
from twoworlds.show import Result
from twoworlds.worlds import Change, Point, Reals, Universe, check_group, resolve

__all__ = ["StrategySensitivity", "strategy_sensitivity"]


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
    """Return Delta F of a strategy, and the sensitivities of its single queries.

    Args:
        strategy: the strategy.
        neighbours: ``"substitute"``, ``"add-remove"`` or pairs; the universe's own if left out.
        group: how many people may differ.
    """
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
