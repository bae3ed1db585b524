"""Maps that tell all, nothing, or one thing: identity, constant, exact statistics, parities, ..."""

from __future__ import annotations

from fractions import Fraction

from twoworlds.calls import Text
from twoworlds.errors import InvalidInput, TooLarge
from twoworlds.mechanisms.base import Dense
from twoworlds.mechanisms.named.per_record import randomized_response
from twoworlds.mechanisms.named.spelling import spelled_values
from twoworlds.mechanisms.on_statistic import Deterministic, OnStatistic, Through
from twoworlds.mechanisms.per_record import PerRecord
from twoworlds.mechanisms.random_index import RandomIndex
from twoworlds.mechanisms.registry import named
from twoworlds.numbers import number, whole
from twoworlds.worlds import (
    SUBSTITUTE,
    Additive,
    BitStrings,
    Explicit,
    Point,
    Records,
    Statistic,
    Universe,
)
from twoworlds.worlds.catalogue import read_values
from twoworlds.worlds.catalogue import statistic as build_statistic
from twoworlds.worlds.catalogue import universe as build_universe
from twoworlds.worlds.statistics import Constant

__all__ = ["constant", "exact", "identity", "noisy_parity", "parity", "random_index"]

_MOST_LISTED = 1 << 16


@named("identity")
def identity(bits: object = None, values: Text | None = None, records: object = None) -> PerRecord:
    """Publish the database as it is: no protection at all."""
    if (bits is None) == (values is None):
        raise InvalidInput("identity takes either bits=, or values= and records=")
    same = randomized_response(bits=bits, values=values, records=records, keep=1)
    if bits is not None:
        where = f"bits={same.records}"
    else:
        listed = spelled_values(same.transition.universe)
        where = f"values={listed}, records={same.records}"
    return PerRecord(same.transition, same.records, expression=f"identity({where})")


@named("constant")
def constant(bits: object = None, universe: str | Universe | None = None) -> OnStatistic:
    """Publish the same thing whatever the database: perfect protection."""
    if bits is not None and universe is not None:
        raise InvalidInput("constant takes bits= or universe=, not both")
    length = 1 if bits is None else bits
    where = build_universe(universe if universe is not None else f"bits({length})")
    text = f"constant(universe={where.expression})"
    return OnStatistic(where, Constant(0), Deterministic(Explicit((0,))), expression=text)


@named("parity")
def parity(bits: object) -> OnStatistic:
    """Publish whether the number of ones is odd (1) or even (0)."""
    n = whole(bits, "bits", at_least=1)
    channel = Deterministic(Explicit((1, 0)))
    return OnStatistic(BitStrings(n), _parity(), channel, expression=f"parity(bits={n})")


@named("exact")
def exact(statistic: str | Statistic, universe: str | Universe) -> OnStatistic:
    """Publish a statistic as it is, without any noise.

    What that costs is a question about what the attacker does not know: see the definitions that
    rest on beliefs, such as ddp. Differential privacy it has only where nobody moves the statistic.

    >>> total = exact("sum", universe="bits(3)")
    >>> total.probability(2, (1, 0, 1)), total.outputs.size
    (Fraction(1, 1), 4)
    """
    where = build_universe(universe)
    found = build_statistic(statistic, where)
    spelled = statistic if isinstance(statistic, str) else found.name
    text = f"exact({spelled}, universe={where.expression})"
    outputs = Explicit(_values(found, where))
    return OnStatistic(where, found, Deterministic(outputs), expression=text)


def _values(statistic: Statistic, universe: Universe) -> tuple[Point, ...]:
    """Return the values that a statistic takes, in order."""
    if universe.size is not None and universe.size <= _MOST_LISTED:
        return tuple(sorted({statistic(x) for x in universe}))
    if not isinstance(statistic, Additive) or not isinstance(universe, Records):
        raise TooLarge(
            f"the values of {statistic.name} on {universe.expression} cannot be listed one by one "
            f"(at most {_MOST_LISTED} databases can): use fewer people, or a sum, count or "
            "histogram"
        )
    # A sum takes each of its values next to another one, unless it takes one only.
    found = {change.before for change in statistic.changes(universe, SUBSTITUTE)}
    found.update(statistic((universe.values[0],) * length) for length in universe.lengths)
    return tuple(sorted(found))


@named("noisy-parity")
def noisy_parity(bits: object, keep: object) -> OnStatistic:
    """Publish the parity of the bits, true with probability keep.

    >>> noisy_parity(bits=2, keep="3/4").probability(0, (1, 1))
    Fraction(3, 4)
    """
    n = whole(bits, "bits", at_least=1)
    p = number(keep, "keep")
    if p < 0 or p > 1:
        raise InvalidInput(f"keep={keep} is not a probability: it must lie between 0 and 1")
    both = Explicit((1, 0))
    channel = Through(Dense(both, both, [[p, 1 - p], [1 - p, p]]))
    text = f"noisy-parity(bits={n}, keep={keep})"
    return OnStatistic(BitStrings(n), _parity(), channel, expression=text)


@named("random-index")
def random_index(records: object, values: Text = "2") -> RandomIndex:
    """Publish the record of one person chosen at random, in the clear."""
    made = RandomIndex(whole(records, "records", at_least=1), read_values(values))
    n, listed = made.universe.n, made.universe.values
    text = f"random-index(records={n}, values={spelled_values(listed)})"
    return RandomIndex(n, listed, expression=text)


def _parity() -> Additive:
    return Additive(lambda bit: bit, scale=Fraction(1), modulo=2, name="parity")
