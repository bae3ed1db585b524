"""Several noisy answers by name: `batch` and `adaptive` (Dwork, Section 5 and Theorem 5).

An adaptive strategy is a tree. Each round asks a query, tells its answers apart, and names what is
asked next: one step for each interval, or one text in which ``{1}``, ``{2}``, ... stand for the
answers that were reported in the first, the second, ... round.
"""

from __future__ import annotations

import re
from fractions import Fraction
from itertools import pairwise
from typing import NamedTuple

from twoworlds.calls import Text, is_python, parse
from twoworlds.errors import InvalidInput
from twoworlds.mechanisms.base import Mechanism
from twoworlds.mechanisms.named.load import mechanism, named
from twoworlds.mechanisms.strategy.boxes import HalfOpen
from twoworlds.mechanisms.strategy.interaction import Interaction, read_noise
from twoworlds.mechanisms.strategy.strategy import Ask, Box, Strategy, Then, tiles
from twoworlds.numbers import counted, rational
from twoworlds.worlds import Statistic, Universe
from twoworlds.worlds.catalogue import statistic as build_statistic
from twoworlds.worlds.catalogue import universe as build_universe
from twoworlds.worlds.statistics import constant


@named("batch")
def batch(
    *queries: str | Statistic, noise: str | Mechanism, universe: str | Universe
) -> Interaction:
    """Answer several queries about one database, each with noise of its own.

    >>> both = batch("count", "histogram", noise="geometric(ratio=2)", universe="bits(3)")
    >>> both.strategy.sensitivity().joint, both.bound()
    (Fraction(3, 1), Fraction(8, 1))
    """
    where, added = build_universe(universe), mechanism(noise)
    if not queries:
        raise InvalidInput("the batch is empty: name at least one query, as in batch(count, ...)")
    found = [build_statistic(query, where) for query in queries]
    shown = ", ".join(map(_listed, queries))
    text = f"batch({shown}, noise={added.expression}, universe={where.expression})"
    return Strategy.batch(where, *found).answered(read_noise(added), expression=text)


@named("adaptive")
def adaptive(
    first: str | Statistic,
    then: Text,
    noise: str | Mechanism,
    universe: str | Universe,
    cuts: Text | None = None,
    values: Text | None = None,
) -> Interaction:
    """Answer queries with noise, each one chosen by the answers that were reported before.

    Dwork's bound is not always reached (erratum to Theorem 5): here it is 2, and 6/5 is exact.

    >>> again = adaptive("count", cuts=["2/5", "3/5"], then=["constant", "count", "constant"],
    ...                  noise="laplace(scale=1)", universe="bits(1)")
    >>> again.bound_epsilon(), again.family("substitute").peak()[1].ratio
    (Fraction(2, 1), Real(e^(6/5)))

    Three rounds, in which the value that was reported is asked for:

    >>> chase = adaptive("count(0)", values=["0", "1", "2"],
    ...     then="ask(count({1}), values=[0, 1, 2], then=count({2}))",
    ...     noise="geometric(ratio=2)", universe="records(values=[0, 1, 2], n=3)")
    >>> chase.strategy.length, chase.bound()
    (3, Fraction(8, 1))
    """
    where, added = build_universe(universe), mechanism(noise)
    known: dict[str, Statistic] = {}

    def query(given: str | Statistic) -> Statistic:
        """Read each text once: the same text is the same query."""
        if isinstance(given, Statistic):
            return given
        if mark := re.search(r"{\d+}", given):
            raise InvalidInput(
                f"{given}: there is no answer {mark[0]} here: where then is one text, not a list, "
                "{1} is the answer of the first round in all later ones, {2} that of the second"
            )
        return known.setdefault(given, build_statistic(given, where))

    start = _Round.of(first, then, cuts, values)
    nothing = constant(0)

    def following(box: Box) -> Ask:
        """Return what is asked after answers in these intervals."""
        here: _Round | None = start
        for place, interval in enumerate(box, start=1):
            here = None if here is None else here.after(interval, place)
        return Ask(nothing) if here is None else Ask(query(here.query), here.cuts)

    steps = [Then(following)] * start.rounds()
    marks = f"cuts={_listed(cuts)}" if values is None else f"values={_listed(values)}"
    text = (
        f"adaptive({_listed(first)}, {marks}, then={_listed(then)}, "
        f"noise={added.expression}, universe={where.expression})"
    )
    return Strategy.of(where, steps).answered(read_noise(added), expression=text)


class _Round(NamedTuple):
    """A query, how its answers are told apart, and what is asked after each kind of them.

    ``reported`` is what stands for an answer of each interval, where ``then`` is one text.
    """

    query: str | Statistic
    cuts: tuple[Fraction, ...] = ()
    reported: tuple[Fraction, ...] = ()
    then: Text | None = None

    @staticmethod
    def of(query: str | Statistic, then: Text, cuts: Text | None, values: Text | None) -> _Round:
        if (cuts is None) == (values is None) or isinstance(cuts, str) or isinstance(values, str):
            raise InvalidInput(
                f"after {_listed(query)}, answers are told apart by a list: cuts=[0, 10] gives "
                "intervals; with values=[0, 1, 2] an answer in between counts as the value below it"
            )
        ends = tuple(rational(end, "cut") for end in cuts or values or ())
        if not ends or any(a >= b for a, b in pairwise(ends)):
            raise InvalidInput(f"{_listed(cuts or values)} must list numbers that rise")
        if values is not None:
            found = _Round(query, ends[1:], ends, then)
        else:
            found = _Round(query, ends, (ends[0] - 1, *ends), then)
        if not isinstance(then, str) and len(then) != len(found.reported):
            raise InvalidInput(
                f"answers to {_listed(query)} are told apart into {len(found.reported)} kinds, but "
                f"then has {counted(len(then), 'step')}: give one for each, or one text for all"
            )
        return found

    @staticmethod
    def read(step: str | Statistic) -> _Round:
        """Read a query, or ``ask(query, cuts=[...], then=[...])``."""
        call = None if isinstance(step, Statistic) or is_python(step) else parse(step)
        if call is None or call.name != "ask":
            return _Round(step)
        given = call.named
        match call.positional:
            case (str(query),) if {"then"} <= {*given} <= {"then", "cuts", "values"}:
                return _Round.of(query, given["then"], given.get("cuts"), given.get("values"))
        raise InvalidInput(f"{step}: write it like ask(count, cuts=[0, 10], then=[a, b, c])")

    def rounds(self, place: int = 1) -> int:
        """Return how many rounds there are at most, from this one on."""
        alike = isinstance(self.then, str)  # one text: whatever was reported
        intervals = tiles(self.cuts)[:1] if alike else tiles(self.cuts)
        steps = [self.after(interval, place) for interval in intervals]
        return 1 + max(0 if step is None else step.rounds(place + 1) for step in steps)

    def after(self, interval: HalfOpen, place: int) -> _Round | None:
        """Return the round after an answer in this interval, the ``place``-th answer."""
        if self.then is None:
            return None
        which = tiles(self.cuts).index(interval)
        if isinstance(self.then, str):
            return _Round.read(self.then.replace(f"{{{place}}}", str(self.reported[which])))
        return _Round.read(self.then[which])


def _listed(given: object) -> str:
    """Write what was given as it would be typed."""
    if isinstance(given, (list, tuple)):
        return f"[{', '.join(map(_listed, given))}]"
    return given.name if isinstance(given, Statistic) else str(given)
