r"""Theorem 4.2 and Corollary 4.4 of Kasiviswanathan & Smith: privacy for most databases.

Let E be the databases at which a mechanism is (epsilon, delta)-indistinguishable from all
neighbours, and b a belief with b[E] >= 1 - delta_1. With delta_2 = delta + delta_1 and
epsilon > sqrt(n delta_2), the mechanism is (epsilon', delta')-local semantically private for b:

    epsilon' = e^(3 epsilon) - 1 + sqrt(n delta_2),   delta' = 4 sqrt(n delta_2)       (printed)

True, with 2.4 in place of 4 (the proof repaired as for Theorem 2.4(1)), and with the smaller
delta_2 = delta_1 + (1 - delta_1) delta. `s4-local` needs no condition: the proof of S4 uses only
that (x, A(x)) and (x, A(x_-i)) are indistinguishable. `good_databases` runs the theorem on a
mechanism and a belief, `calibrate_locally` the corollary on a function, a belief and a threshold,
with Laplace noise or, as footnote 3 there suggests, Gaussian noise.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from typing import Any

from twoworlds.answer import Answer, Facts, Said
from twoworlds.charts import Bars
from twoworlds.definitions.base import read_delta, read_ratio
from twoworlds.definitions.semantics.games import default_value, many_alike, without
from twoworlds.errors import InvalidInput, TooLarge
from twoworlds.mechanisms import Mechanism, OnStatistic, PerRecord
from twoworlds.mechanisms.named.noise import gaussian
from twoworlds.numbers import (
    INFINITY,
    Number,
    Order,
    compare,
    maximum,
    number,
    positive,
    show,
)
from twoworlds.progress import track
from twoworlds.show import Result
from twoworlds.theorems.formulas import order
from twoworlds.theorems.guarantee import Guarantee
from twoworlds.theorems.implication import Implication
from twoworlds.theorems.kasiviswanathan_smith import printed_local
from twoworlds.theorems.statements import THEOREMS, Context
from twoworlds.worlds import SUBSTITUTE, Additive, Point, Records, Universe
from twoworlds.worlds.belief import Belief, records_of
from twoworlds.worlds.beliefs import belief as build_belief
from twoworlds.worlds.sensitivity import L1, L2, local_sensitivity
from twoworlds.worlds.statistic import NO_RECORD, Statistic

_SHOWN = 8
_MOST_PAIRS = 1 << 20


@dataclass(frozen=True)
class LocalCalibration(Result):
    """Noise calibrated to a bound on local sensitivity that holds with high probability.

    ``scale`` is that of Laplace noise, or the standard deviation of Gaussian noise.
    """

    scale: Number
    outside: Number
    implication: Implication
    noise: str = "Laplace"

    def answer(self) -> Answer:
        """Say the noise, the mass left out, and what follows."""
        follows = self.implication.answer()
        width = "scale" if self.noise == "Laplace" else "standard deviation"
        return replace(
            follows,
            headline=f"Add {self.noise} noise of {width} {show(self.scale)}. The belief gives "
            f"probability {show(self.outside)} to databases at which one person moves the "
            "statistic further than the threshold.",
            blocks=(Said([follows.headline]), *follows.blocks),
        )


def calibrate_locally(
    statistic: Statistic | Callable[[Any], object],
    universe: Universe,
    belief: Mapping[Point, Number],
    *,
    threshold: object,
    epsilon: object,
    noise_delta: object = 0,
    **wanted: object,
) -> LocalCalibration:
    r"""Run Corollary 4.4 for a function, a belief and a threshold s on local sensitivity.

    delta_1 is computed exactly: the belief in databases with local sensitivity above s. With
    ``noise_delta`` the noise is Gaussian (footnote 3 there): of the least standard deviation, to
    six digits, that is (epsilon, noise_delta)-indistinguishable between answers s apart, in the
    Euclidean norm; answers that lie nearer are told apart no better.

    >>> from statistics import median
    >>> from twoworlds.worlds import BitStrings
    >>> bits = BitStrings(3)
    >>> sure = {(1, 1, 1): Fraction(99, 100), (1, 1, 0): Fraction(1, 100)}
    >>> found = calibrate_locally(median, bits, sure, threshold="1/2", epsilon=1)
    >>> found.outside, found.scale
    (Fraction(1, 100), Fraction(1, 2))
    """
    if not isinstance(universe, Records) or not universe.fixed:
        raise InvalidInput(f"{universe.expression} has no fixed number of records")
    s, loss = positive(threshold, "threshold"), positive(epsilon, "epsilon")
    masses = {universe.find(x): number(mass, "belief") for x, mass in belief.items()}
    total = sum(masses.values(), start=Fraction(0))
    if compare(total, 1) in (Order.LESS, Order.GREATER):
        raise InvalidInput(f"the belief sums to {show(total)}, it must sum to 1")
    outside: Number = Fraction(0)
    d = read_delta(noise_delta, "delta")
    norm = L1 if d == 0 else L2
    for x, mass in masses.items():
        found = local_sensitivity(statistic, universe, x, neighbours="substitute", norm=norm)
        if found.value > s:
            outside += mass
    if d == 0:
        given = Guarantee.of("local-laplace", epsilon=loss, records=universe.n)
        implication = given.implies("local-semantic", delta1=outside, **wanted)
        return LocalCalibration(s / loss, outside, implication)
    sigma = gaussian(sensitivity=s, epsilon=loss, delta=d).sigma  # type: ignore[union-attr]
    given = Guarantee.of("local-dp", epsilon=loss, delta=d, records=universe.n)
    implication = given.implies("local-semantic", delta1=outside, **wanted)
    return LocalCalibration(sigma, outside, implication, "Gaussian")


_REACHES_ONE = "nothing: its bound on a probability is not below 1"


def _stated(conclusion: Guarantee | None, otherwise: str) -> str:
    if conclusion is None:
        return otherwise
    return _REACHES_ONE if conclusion.vacuous else str(conclusion)


@dataclass(frozen=True)
class GoodDatabases(Result):
    """Theorem 4.2 on a mechanism and a belief: where the mechanism is private, and what follows.

    Attributes:
        good: the databases held possible that belong to E: all their neighbours are
            (epsilon, delta)-indistinguishable from them.
        bad: those that do not.
        outside: delta_1, the belief in ``bad``.
        needed: the belief in databases that are distinguishable from some x_-i. The proof needs no
            other neighbours, so this may stand in for delta_1.
        joint: the smallest delta_2 with which (x, A(x)) and (x, A(x_-i)) are
            (epsilon, delta_2)-indistinguishable for every person, computed directly.
        printed: what Theorem 4.2 states for delta_1, or None where its condition fails.
        repaired: the same with the proof repaired, or None where its condition fails.
        sharper: what S4 gives for this belief, from ``joint``.
        default: the value of a record that stands for no data.
        people: where so many people are alike, good and bad are values: a database is bad if one
            of its records is.
    """

    mechanism: str
    ratio: Number
    delta: Number
    good: tuple[str, ...]
    bad: tuple[str, ...]
    outside: Number
    needed: Number
    joint: Number
    printed: Guarantee | None
    repaired: Guarantee | None
    sharper: Guarantee | None
    default: Point
    people: int | None = None

    def answer(self) -> Answer:
        """Say which databases are good, their mass, and the three guarantees."""
        shown = ", ".join(self.bad[:_SHOWN]) + (", ..." if len(self.bad) > _SHOWN else "")
        ratio, delta = show(self.ratio, side="up"), show(self.delta, side="up")
        unmet = (
            "nothing: the number of persons times the probability that the factor fails must be "
            "below the square of its logarithm"
        )
        unprotected = {
            "not good": self.outside,
            "not good to leave out": self.needed,
            "on average over the belief": self.joint,
        }
        which = f"{len(self.good)} of {len(self.good) + len(self.bad)} databases held possible are"
        makes = "makes nothing"
        if self.people is not None:
            which = "All databases held possible are"
            if self.good and self.bad:
                which = f"The databases of records that are {' or '.join(self.good)} are"
                shown = f"those with a record that is {' or '.join(self.bad)}"
            elif self.bad:
                which, makes, shown = "No database held possible is", "makes something", "all"
        return Answer(
            f"{which} good: another value of one record {makes} more than {ratio} times as "
            f"likely, or as unlikely, plus {delta}.",
            subject=self.mechanism,
            blocks=(
                Said(
                    [
                        f"Not good: {shown or 'none'}. The belief gives them probability "
                        f"{show(self.outside)}; and {show(self.needed)} if only leaving a person "
                        f"out counts, that is, {self._leaving_out}.",
                        "On the average over the belief, leaving a person out keeps the factor "
                        f"{ratio} but for a probability of {show(self.joint)}.",
                        "For this belief follows, with epsilon for how far leaving a person out "
                        "can move what is concluded, and delta for the probability that it moves "
                        "further:",
                    ]
                ),
                Facts(
                    [
                        ("Theorem 4.2 as printed", _stated(self.printed, unmet)),
                        ("with its proof repaired", _stated(self.repaired, unmet)),
                        ("sharper", _stated(self.sharper, _REACHES_ONE)),
                    ]
                ),
                Bars("How much the belief leaves unprotected", unprotected, side="up"),
            ),
        )

    @property
    def _leaving_out(self) -> str:
        if self.default is NO_RECORD:
            return "taking the record away"
        return f"putting {self.default} in place of the record"

    def fields(self) -> dict[str, Any]:
        return {**super().fields(), "default": str(self.default)}


def good_databases(
    mechanism: Mechanism,
    belief: str | Belief,
    *,
    ratio: object = None,
    epsilon: object = None,
    delta: object = 0,
    default: object = None,
    semantic_epsilon: object = None,
    semantic_delta: object = None,
) -> GoodDatabases:
    r"""Run Theorem 4.2: find E, its mass under a belief, and the guarantee that follows.

        E = {x : for all neighbours y of x, A(x) and A(y) are (epsilon, delta)-indistinguishable}

    where x without a person is a neighbour, too, if that means to take their record away.

    ``semantic_epsilon`` or ``semantic_delta`` is what the sharper form is to aim at, if anything.

    >>> from twoworlds import Dense
    >>> from twoworlds.worlds import BitStrings
    >>> both = Dense.from_function(BitStrings(2), lambda x: {min(x): 1})
    >>> found = good_databases(both, "explicit(00=9/10, 01=1/10)", ratio=2)
    >>> found.bad, found.outside, found.needed
    (('01',), Fraction(1, 10), Fraction(0, 1))
    """
    a = read_ratio(ratio, epsilon)
    if a is None or a == INFINITY:
        raise InvalidInput("Theorem 4.2 needs a finite number: give ratio= or epsilon=")
    d, records = read_delta(delta), records_of(mechanism.universe)
    aims = {"epsilon": semantic_epsilon, "delta": semantic_delta}
    goal = {name: aim for name, aim in aims.items() if aim is not None}
    value = default_value(records, default, mechanism)
    gaps = _gaps(mechanism, a)

    @cache
    def exceed(found: tuple[Number, Number]) -> bool:
        """What is not decided counts as further apart."""
        return any(order(gap, d) not in (Order.LESS, Order.EQUAL) for gap in found)

    def concluded(
        good: Iterable[str],
        bad: Iterable[str],
        masses: tuple[Number, Number, Number],
        people: int | None = None,
    ) -> GoodDatabases:
        """Say what Theorem 4.2 gives, printed and repaired, and the sharper form."""
        stated = Guarantee.of("local-dp", ratio=a, delta=d, records=records.n)
        context = Context("local-semantic", delta1=masses[0])
        checked = THEOREMS["ks-4.2"].apply(stated, context)[0].conclusion
        printed = None if checked is None else printed_local(stated, context)
        sharper = Guarantee.of("local-joint", ratio=a, delta=masses[2], records=records.n)
        best = sharper.implies("local-semantic", **goal).best
        shown = (mechanism.expression, a, d, tuple(good), tuple(bad), *masses)
        return GoodDatabases(*shown, printed, checked, best, value, people)

    held = build_belief(belief, mechanism.universe)
    if many_alike(held) and _by_value(mechanism):
        return concluded(*_of_values(gaps, exceed, held, value), records.n)
    pairs = len(held) * records.n * len(records.values)
    structured = isinstance(mechanism, (PerRecord, OnStatistic))  # many pairs are of one kind
    if pairs * (1 if structured else mechanism.outputs.size or 1) > _MOST_PAIRS:
        raise TooLarge(
            f"{pairs} pairs of neighbours are too many to compare one by one: give a belief that "
            "holds fewer databases possible, such as explicit(...) or informed(...), or ask for "
            "what holds of all databases at once, as twoworlds measure does"
        )

    bad = dict.fromkeys(
        x
        for x in track(held, "comparing neighbours", len(held))
        if any(exceed(gaps(x, y)) for y in (*records.around(x, SUBSTITUTE), *_left_out(x, value)))
    )
    exposed = [x for x in held if any(exceed(gaps(x, y)) for y in _left_out(x, value))]
    outside, needed = (sum((held[x] for x in one), start=Fraction(0)) for one in (bad, exposed))
    joint = _joint(gaps, held, records.n, value)
    label = records.label
    good = (label(x) for x in held if x not in bad)
    return concluded(good, map(label, bad), (outside, needed, joint))


def _by_value(mechanism: Mechanism) -> bool:
    """Tell whether what a change of one record does depends on its two values alone."""
    if isinstance(mechanism, OnStatistic):
        additive = isinstance(mechanism.statistic, Additive) and mechanism.statistic.modulo is None
        return additive and mechanism.channel.by_difference
    return isinstance(mechanism, PerRecord)


def _of_values(
    gaps: Gaps, exceed: Callable[[tuple[Number, Number]], bool], held: Belief, default: Point
) -> tuple[list[str], list[str], tuple[Number, Number, Number]]:
    """Return the good and the bad values, and delta_1, the belief needed, and delta_2."""
    records = records_of(held.universe)
    values, rest = records.values, (records.values[0],) * (records.n - 1)

    def moved(u: Point, v: Point) -> tuple[Number, Number]:
        return (Fraction(0), Fraction(0)) if u == v else gaps((u, *rest), (v, *rest))

    bad = [u for u in values if any(exceed(moved(u, v)) for v in (*values, default))]
    exposed = [u for u in values if exceed(moved(u, default))]
    law = held.marginal(1)
    means = [sum((law[u] * moved(u, default)[k] for u in values), Fraction(0)) for k in (0, 1)]
    masses = (held.meets(bad), held.meets(exposed), maximum(means[0], means[1]))
    return [str(u) for u in values if u not in bad], [str(u) for u in bad], masses


Gaps = Callable[[Point, Point], tuple[Number, Number]]


def _gaps(mechanism: Mechanism, ratio: Number) -> Gaps:
    """Return the gaps at a ratio of A(x) over A(y) and of A(y) over A(x), each kind of pair once.

    Where every record is treated on its own, only the values that differ matter; noise on a
    statistic sees nothing but its two values.
    """
    known: dict[object, tuple[Number, Number]] = {}
    answer = cache(mechanism.statistic) if isinstance(mechanism, OnStatistic) else None

    def kind(x: Point, y: Point) -> tuple[Any, Any]:
        if isinstance(mechanism, PerRecord):
            moves = sorted(((u, v) for u, v in zip(x, y, strict=True) if u != v), key=repr)
            return tuple(u for u, _ in moves), tuple(v for _, v in moves)
        return (x, y) if answer is None else (answer(x), answer(y))

    def both(x: Point, y: Point) -> tuple[Number, Number]:
        pair = kind(x, y)
        if pair not in known:
            compared = mechanism.compare(x, y)
            forth, back = compared.gap(ratio).delta, compared.reverse().gap(ratio).delta
            known[pair], known[pair[::-1]] = (forth, back), (back, forth)
        return known[pair]

    return both


def _left_out(x: tuple[Point, ...], default: Point) -> Iterator[tuple[Point, ...]]:
    return (without(x, i, default) for i in range(len(x)) if x[i] != default)


def _joint(
    gaps: Callable[[Point, Point], tuple[Number, Number]], held: Belief, people: int, default: Point
) -> Number:
    """Return the largest, over persons and directions, of the mean gap under the belief."""
    worst: Number = Fraction(0)
    for i in range(people):
        totals: list[Number] = [Fraction(0), Fraction(0)]
        for x, mass in held.items():
            y = without(x, i, default)
            if y == x:
                continue
            for side, gap in enumerate(gaps(x, y)):
                totals[side] += mass * gap
        worst = maximum(worst, maximum(totals[0], totals[1]))
    return worst
