r"""The mechanism K_F: every query of a strategy is answered with independent noise.

The law of a transcript rho on a database X is (Dwork, equations 5 to 7)

    P(rho | X) = prod_i P(rho_i | rho_1, ..., rho_(i-1), X)          the chain rule         (5)
               = prod_i p(rho_i - f_rho(X)_i)                        the noise of query i   (6)
               = p(rho - f_rho(X))                                   one density in R^d     (7)

since rho_1, ..., rho_(i-1) fix the i-th query. By Theorem 5, Laplace noise of scale sigma on every
answer is (Delta F / sigma)-differentially private. That is a bound: where a query is asked only
after answers that tell little, the exact epsilon, which `family` gives, is smaller.

The mechanism looks at the database through the queries only, so it is an `OnStatistic`; its channel
`Answering` goes from their true values to transcripts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from twoworlds.errors import Unsupported
from twoworlds.laws.comparison import Comparison
from twoworlds.laws.event import Anything, Event, Listed
from twoworlds.mechanisms.on_statistic import Channel, OnStatistic
from twoworlds.mechanisms.strategy.compared import LikelyTranscripts, TwoTranscriptLaws
from twoworlds.mechanisms.strategy.noise import AnswerNoise
from twoworlds.mechanisms.strategy.regions import Box, Boxes, Transcripts
from twoworlds.mechanisms.strategy.strategy import Course, Strategy, course_of
from twoworlds.numbers import Number, ln
from twoworlds.worlds import Change, Point, Universe

if TYPE_CHECKING:
    import numpy as np


@dataclass(frozen=True)
class Answering(Channel):
    """From the true values of all queries to the law of the transcript."""

    courses: tuple[Course, ...]
    noise: AnswerNoise

    why = "the ratios of independent answers multiply, and the boxes of answers are taken in turn"

    @property
    def by_difference(self) -> bool:  # type: ignore[override]
        """Whether only differences of true values matter: thresholds look at the values."""
        return len(self.courses) == 1 and self.noise.by_difference

    @property
    def outputs(self) -> Universe:  # type: ignore[override]
        """All transcripts."""
        return Transcripts(self.noise.answers, len(self.courses[0].box))

    def asked(self, output: Sequence[Any], value: Sequence[Any]) -> tuple[Any, ...]:
        """Return f_rho(X), the true values of what is asked along a transcript."""
        return tuple(value[i] for i in course_of(self.courses, output).picks)

    def factors(self, output: Sequence[Any], value: Sequence[Any]) -> tuple[Number, ...]:
        """Return P(rho_i | rho_1, ..., rho_(i-1)) for each i (Dwork, equations 5 and 6)."""
        asked = self.asked(output, value)
        return tuple(self.noise.density(a, v) for a, v in zip(output, asked, strict=True))

    def probability(self, output: Point, value: Any) -> Number:
        """Return the density of the noise vector at rho - f_rho(X) (Dwork, equation 7)."""
        return self.noise.joint_density(output, self.asked(output, value))

    def mass(self, event: Event, value: Any) -> Number:
        """Add up the boxes of an event, course by course."""
        if isinstance(event, Anything):
            return Fraction(1)
        if isinstance(event, LikelyTranscripts):
            return event.mass(value)
        if isinstance(event, Boxes):
            boxes = (
                (self._mass(box, course, value)) for box in event.parts for course in self.courses
            )
            return sum(boxes, start=Fraction(0))
        if isinstance(event, Listed):
            listed = event.members if self.noise.discrete else ()
            found = (self.probability(o, value) for o in listed if o in self.outputs)
            return sum(found, start=Fraction(0))
        if self.outputs.size is None:
            raise Unsupported(f"the mass of {event} under a strategy")
        return super().mass(event, value)

    def _mass(self, box: Box, course: Course, value: Any) -> Number:
        found: Number = Fraction(1)
        for mine, own, place in zip(box, course.box, course.picks, strict=True):
            met = mine.meet(own)
            if met is None:
                return Fraction(0)
            found = found * self.noise.mass(met, value[place])
        return found

    def compare(self, change: Change) -> Comparison:
        """Compare the laws of the transcript for two vectors of true values."""
        u: Any = change.before
        v: Any = change.after
        return TwoTranscriptLaws(change.x, change.y, u, v, self.courses, self.noise)

    def sample(self, value: Any, rng: np.random.Generator) -> Point:
        """Draw answer after answer."""
        courses, drawn = self.courses, []
        for i in range(len(courses[0].box)):
            answer = self.noise.sample(value[courses[0].picks[i]], rng)
            courses = tuple(course for course in courses if answer in course.box[i])
            drawn.append(answer)
        return tuple(drawn)


class Interaction(OnStatistic):
    """A strategy whose queries are all answered with noise of one law.

    >>> from twoworlds.worlds import BitStrings
    >>> from twoworlds.worlds.statistics import count
    >>> twice = Strategy.batch(BitStrings(2), count(), count()).answered("geometric(ratio=2)")
    >>> twice.probability((1, 2), (1, 0)), twice.bound()
    (Fraction(1, 18), Fraction(4, 1))
    """

    channel: Answering

    @property
    def strategy(self) -> Strategy:
        """The strategy that is answered."""
        return Strategy(self.universe, self.statistic, self.channel.courses)

    def factors(self, transcript: object, database: object) -> tuple[Number, ...]:
        """Return the conditional probability, or density, of each answer given the earlier ones.

        Their product is `probability` (Dwork, equations 5 and 7).
        """
        rho, x = self.outputs.find(transcript), self.universe.find(database)
        return self.channel.factors(rho, self.statistic(x))  # type: ignore[arg-type]

    def bound(self, *, neighbours: Any = None, group: object = 1) -> Number:
        """Return e^epsilon by Theorem 5: epsilon = Delta F / sigma, or p^(-Delta F)."""
        found = self.strategy.sensitivity(neighbours=neighbours, group=group)
        return self.channel.noise.bound(found.joint)

    def bound_epsilon(self, *, neighbours: Any = None, group: object = 1) -> Number:
        """Return the epsilon of Theorem 5."""
        return ln(self.bound(neighbours=neighbours, group=group))

    def example(self, event: Event, database: Point) -> Point | None:
        """Return one transcript of the event, where transcripts have probability."""
        if not self.channel.noise.discrete:
            return None
        if isinstance(event, Boxes):
            return self._within(event, database)
        if isinstance(event, Listed):
            return next(iter(event.members), None)
        return None if self.outputs.size is None else super().example(event, database)

    def _within(self, event: Boxes, database: Point) -> Point | None:
        """Return the corner of a box that is nearest to the true values."""
        value: Any = self.statistic(database)
        for box in event.parts:
            for course in self.channel.courses:
                met = [a.meet(b) for a, b in zip(box, course.box, strict=True)]
                if None in met:
                    continue
                centre = [value[i] for i in course.picks]
                answers = tuple(_nearest(i, v) for i, v in zip(met, centre, strict=True))
                if answers in self.outputs and self.probability(answers, database) != 0:
                    return answers
        return None


def _nearest(interval: Any, value: int) -> int:
    low, high = interval.whole_numbers
    value = value if low is None else max(value, low)
    return value if high is None else min(value, high)
