"""Several noisy answers by name: `batch` and `adaptive` (Dwork, Section 5 and Theorem 5).

Longer strategies are built in Python.
"""

from __future__ import annotations

from twoworlds.calls import Text
from twoworlds.errors import InvalidInput
from twoworlds.mechanisms.base import Mechanism
from twoworlds.mechanisms.named.load import mechanism, named
from twoworlds.mechanisms.strategy.interaction import Interaction, read_noise
from twoworlds.mechanisms.strategy.strategy import Ask, Strategy, Then, tiles
from twoworlds.numbers import rational
from twoworlds.worlds import Statistic, Universe
from twoworlds.worlds.catalogue import statistic as build_statistic
from twoworlds.worlds.catalogue import universe as build_universe


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
    shown = ", ".join(map(_spelled, queries))
    text = f"batch({shown}, noise={added.expression}, universe={where.expression})"
    return Strategy.batch(where, *found).answered(read_noise(added), expression=text)


@named("adaptive")
def adaptive(
    first: str | Statistic,
    cuts: Text,
    then: Text,
    noise: str | Mechanism,
    universe: str | Universe,
) -> Interaction:
    """Answer a query with noise, then another one that is chosen by the reported answer.

    Dwork's bound is not always reached (erratum to Theorem 5): here it is 2, and 6/5 is exact.

    >>> again = adaptive("count", cuts=["2/5", "3/5"], then=["constant", "count", "constant"],
    ...                  noise="laplace(scale=1)", universe="bits(1)")
    >>> again.bound_epsilon(), again.family("substitute").peak()[1].ratio
    (Fraction(2, 1), Real(e^(6/5)))
    """
    where, added = build_universe(universe), mechanism(noise)
    for name, given in (("cuts", cuts), ("then", then)):
        if isinstance(given, str):
            raise InvalidInput(f"{name}={given}: give a list, as in cuts=[0, 10], then=[a, b, c]")
    if len(then) != len(cuts) + 1:
        raise InvalidInput(
            f"{len(cuts)} cuts make {len(cuts) + 1} intervals, but then has {len(then)} queries: "
            "give one query for each interval"
        )
    ends = tuple(rational(cut, "cut") for cut in cuts)
    built = {str(query): build_statistic(query, where) for query in then}
    follow = dict(zip(tiles(ends), (built[str(query)] for query in then), strict=True))

    text = (
        f"adaptive({_spelled(first)}, cuts=[{', '.join(map(str, ends))}], "
        f"then=[{', '.join(map(_spelled, then))}], noise={added.expression}, "
        f"universe={where.expression})"
    )
    steps = (Ask(build_statistic(first, where), ends), Then(lambda box: follow[box[0]]))
    return Strategy.of(where, steps).answered(read_noise(added), expression=text)


def _spelled(query: str | Statistic) -> str:
    return query if isinstance(query, str) else query.name
