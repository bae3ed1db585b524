r"""Calibration: how much noise each measure gets, so that the whole costs exactly what is wanted.

Let b_j be the sensitivity of measure j over all of its cells, and share_j its part of the budget.

    epsilon   discrete Laplace noise of scale b_j t / share_j; loss of the whole = epsilon
    rho       discrete Gaussian noise with sigma^2 = b_j^2 t / share_j (b_j in the Euclidean norm);
              rho = the largest sum of difference^2 / (2 sigma^2) (Canonne, Kamath & Steinke 2020)

and t, a rational, makes both equal. (epsilon, delta) with Laplace noise spends delta on the
threshold of discovered keys. With Gaussian noise rho is the largest that implies (epsilon, tail),
where the tail is delta, or half of it when the other half is needed for a threshold.

A quantile is chosen by the exponential mechanism, P(i) proportional to e^(rate s_i / (2 D)) where
adding a row moves every score s_i by at most D. Then k rows added or taken away change ln P(i) by
an amount that lies, for all i, in an interval of length k rate: it costs k rate, and with zCDP
(k rate)^2 / 8. Proof: let L be the change of ln P(i) and K(a) = ln E[e^(a L)] under the second
world. K(0) = K(1) = 0 and K'' is a variance of values in an interval of that length, at most
(k rate)^2 / 4; so K(a), which is a - 1 times the divergence of order a, is at most
a (a - 1) (k rate)^2 / 8. So a rate weighs as Gaussian noise with sigma^2 = 4 / rate^2; it is
rounded down to a rational, and the whole costs a little less than wanted.

The threshold above which a discovered key is shown follows from its delta. Only keys that occur are
ever shown. Let a unit be alone in m cells; each has the count 1, and is shown with probability p =
P(1 + Z >= threshold). Without the unit these cells do not occur. Then

    (1)  1 - (1 - p)^m <= delta:      with the unit, a cell that gives it away is seldom shown;
    (2)  1 - p >= e^-w:               without it, that none is shown is at most e^(m w) as likely,

where w is the weight of the count: moving it by 1 in one cell costs w, and the m w is part of the
cost of the whole already. So with probability at least 1 - delta the loss is within that cost, in
both directions, and the least threshold with (1) and (2) is taken. The same holds for a unit that
is replaced: (1) bounds what the old one gives away, (2) pays for the cells of the new one.

The other way round: the least epsilon at which answers are as exact as wanted.

At epsilon the noise of a measure has the scale s / epsilon, where s is its scale at epsilon 1, and
its law spreads out as the scale grows. So there is a least epsilon at which

    P(|Z| <= h) >= 95%,    h = the wanted error in whole units,

and it is found by halving, with exact tails, among numbers of four digits.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import floor, isqrt, log10
from typing import TYPE_CHECKING, Any, Literal, get_args

from flint import arb

from twoworlds.answer import Answer, Said
from twoworlds.charts import Bars
from twoworlds.errors import InvalidInput, UnknownName
from twoworlds.laws.noise import DiscreteGaussianNoise, GeometricNoise, Noise
from twoworlds.numbers import Number, Real, ball, exp, show, sqrt
from twoworlds.release.costs import Cost, amount, zcdp_within
from twoworlds.release.policy.model import Neighbours, Unit, grouped
from twoworlds.release.query.resolve import Resolved, SummedMeasure
from twoworlds.release.sensitivity.bounds import cells_of_one
from twoworlds.release.sensitivity.contributions import Index
from twoworlds.release.sensitivity.joint import Analysis, measure_words, neighbour_words
from twoworlds.show import Result

if TYPE_CHECKING:
    from twoworlds.release.sensitivity.fixed import FixedBatch

NoiseKind = Literal["laplace", "gaussian"]
Moments = Literal["one", "frozen", "several"]
_MOMENTS = {
    "frozen": "This rests on the promise in the policy that the data do not change (frozen: true).",
    "several": "They may be read at different moments, so their costs add up.",
}
FAILURE = Fraction(1, 20)  # intervals hold with probability 95 %
_ROOT_BITS = 64
_WIDE = 1000


def at_least(law: Noise, k: int) -> Number:
    """Return P(Z >= k), or for a wide Gaussian law a bound from above.

    With s = sigma^2 the weight at j is at most its integral from j - 1/2 to j + 1/2 where it is
    convex, for j - 1/2 >= sqrt(s), and the sum of all weights is at least sqrt(2 pi s) (Poisson
    summation). So P(Z >= k) <= 1/2 erfc((k - 1/2) / sqrt(2 s)).

    >>> from twoworlds.numbers import decimal
    >>> decimal(at_least(DiscreteGaussianNoise(Fraction(10**12)), 2 * 10**6))
    '0.0227502'
    """
    if not isinstance(law, DiscreteGaussianNoise) or law.sigma2 <= _WIDE:
        return law.at_least(k)
    if k <= 0 or (2 * k - 1) ** 2 < 4 * law.sigma2:
        return Fraction(1)

    def bound(bits: int) -> arb:
        inside: arb = ball((2 * k - 1) ** 2 / (8 * law.sigma2), bits)
        return inside.sqrt().erfc() / 2

    return Real(bound)


def least_threshold(law: Noise, weight: Fraction, cells: int, delta: Fraction) -> int:
    """Return the least threshold for a count with this noise.

    >>> from twoworlds.laws.noise import GeometricNoise
    >>> least_threshold(GeometricNoise(exp(Fraction(-1))), Fraction(1), 1, Fraction(1, 10**6))
    15
    """

    def enough(threshold: int) -> bool:
        hidden = 1 - at_least(law, threshold - 1)
        return bool(hidden >= exp(-weight)) and bool(hidden**cells >= 1 - delta)

    return least(lambda threshold: threshold > 0 and enough(threshold), 1)


def least(holds: Callable[[int], bool], guess: int) -> int:
    """Return the least h >= 0 for which a condition holds that, once true, stays true.

    >>> least(lambda h: h * h >= 50, 3)
    8
    """
    high, step = max(0, guess), 1
    if holds(high):
        while high >= step and holds(high - step):
            high, step = high - step, 2 * step
        low = max(-1, high - step)
    else:
        while not holds(high + step):
            high, step = high + step, 2 * step
        low, high = high, high + step
    while high - low > 1:
        middle = (low + high) // 2
        if holds(middle):
            high = middle
        else:
            low = middle
    return high


@dataclass(frozen=True)
class MeasureNoise:
    """The noise of one measure."""

    sensitivity: Fraction  # how far one unit moves it over all cells, in units; 0 when nobody can
    law: Noise | None  # of the noise in each cell; None when there is none, and for a quantile
    scale: Fraction  # the scale of Laplace, sigma^2 of Gaussian noise; 0 when there is none
    rate: Fraction | None = None  # for a quantile, what a row more or less costs at most
    words: str = ""  # what the measure is

    @property
    def name(self) -> str:
        """What the noise is called."""
        if self.rate is not None:
            return "exponential mechanism"
        if self.law is None:
            return "none"
        gaussian = isinstance(self.law, DiscreteGaussianNoise)
        return "discrete Gaussian" if gaussian else "discrete Laplace"


@dataclass(frozen=True)
class Calibration(Result):
    """The noise of a batch of queries.

    Attributes:
        cost: What the whole costs.
        kind: Which noise.
        noises: For each query, for each measure.
        threshold: A discovered key is shown when its noisy count is at least this.
        joint: What the whole loses at this noise: epsilon, or rho for Gaussian noise; ``naive``
            what all measures and cells would cost one by one.
        attained: Whether some unit loses all of ``joint``; otherwise it is a bound from above.
        neighbours: Which two tables are neighbours.
        unit: Whose data is protected.
        moments: Whether all is read at one moment.
        batch: What its queries cost one by one and together, where each has an epsilon of its own.
    """

    cost: Cost
    kind: NoiseKind
    noises: tuple[tuple[MeasureNoise, ...], ...]
    threshold: int | None
    joint: Fraction
    naive: Fraction
    attained: bool
    neighbours: Neighbours
    unit: Unit
    moments: Moments = "one"
    batch: FixedBatch | None = None

    @property
    def price(self) -> Cost:
        """What it is worth paying: nothing, when nobody can move any of it."""
        return self.cost if self.joint or self.threshold is not None else Cost()

    def answer(self) -> Answer:
        """Say what the whole costs, and what each measure gets.

        >>> from twoworlds.release.policy import Column, Dataset
        >>> from twoworlds.release.query import Query, resolve
        >>> region = Column("region", "text", keys=("north", "east", "south"))
        >>> people = Dataset("people", None, "add-remove", columns={"region": region})
        >>> asked = resolve(Query("people").by("region").count(), people)
        >>> print(calibrate([asked], Cost(Fraction(1, 2))).explain())
        The whole costs epsilon 0.5; cell by cell it would cost 1.5.
        Neighbours: one row is added or taken away.
        rows: moved by at most 1, all groups together; discrete Laplace noise of scale 2.
        """
        lines = [neighbour_words(self.neighbours, self.unit)]
        lines += [_noise_words(noise) for noises in self.noises for noise in noises]
        if self.moments == "several" and self.batch is not None and self.batch.composes:
            lines.append("They may be read at different moments: composition allows for that.")
        elif self.moments != "one":
            lines.append(_MOMENTS[self.moments])
        if self.threshold is not None:
            lines.append(
                f"A discovered key is shown when its noisy count is at least {self.threshold}."
            )
        other, alone = "cell by cell", self.naive
        if self.batch is not None:
            other, alone = "added up", self.batch.added
        whole = self.joint if self.batch is None else self.price.epsilon
        name = "epsilon" if self.kind == "laplace" else "rho"
        costs = {"the whole": whole, other: alone}
        chart = Bars(f"What it costs: {name}", costs, share=False, grey=[other])
        return Answer(self.whole_words(), blocks=(Said(lines), chart))

    def fields(self) -> dict[str, Any]:
        """Return what the whole costs, and the noise of each measure."""
        return {
            "cost": self.cost,
            "neighbours": self.neighbours,
            "whole": self.joint,
            "sum_of_parts": self.naive,
            "attained": self.attained,
            "threshold": self.threshold,
            "measures": [
                [
                    {
                        "measure": noise.words,
                        "sensitivity": noise.sensitivity,
                        "law": noise.name,
                        "scale": noise.scale,
                        "rate": noise.rate,
                    }
                    for noise in noises
                ]
                for noises in self.noises
            ],
            **({} if self.batch is None else {"batch": self.batch}),
        }

    def whole_words(self, whole: str = "The whole") -> str:
        """Say what the whole costs, beside its cells one by one."""
        if not self.joint:
            return "Nobody can move any of it: it is answered exactly and gives nothing away."
        name = "epsilon" if self.kind == "laplace" else "rho"
        costs = "costs" if self.attained else "costs at most"
        if self.batch is not None:
            return f"{whole} {self.batch.words(costs)}"
        whole = f"{whole} {costs} {name} {amount(self.joint)}"
        if self.joint < self.naive:
            return f"{whole}; cell by cell it would cost {amount(self.naive)}."
        parts = sum(noise.sensitivity > 0 for noises in self.noises for noise in noises)
        return f"{whole}, as much as its parts." if parts > 1 else f"{whole}."


def calibrate(
    resolved: Sequence[Resolved],
    cost: Cost,
    *,
    noise: NoiseKind = "laplace",
    moments: Moments = "one",
) -> Calibration:
    """Return the noise with which a batch of queries costs what is wanted.

    Args:
        resolved: The queries, all on one dataset.
        cost: What the whole may cost: epsilon (with a delta when keys are discovered) for Laplace
            noise, rho or (epsilon, delta) for Gaussian noise.
        noise: Which noise.
        moments: Whether all is read at one moment, at several of a table that its owner promises
            not to change, or at several.

    Raises:
        InvalidInput: when the cost does not suit the noise or the queries.
    """
    analysis = Analysis(resolved, one_moment=moments != "several")
    _check(analysis, cost, noise)
    if noise == "laplace":
        wanted, power = cost.epsilon, 1
    else:
        wanted, power = cost.rho or _concentrated(analysis, cost), 2
    scales = _scales(analysis, wanted, power)
    weights = {i: 1 / (power * scale) for i, scale in scales.items()}
    whole = analysis.loss(weights, power)
    noises = tuple(
        tuple(
            _noise(m, analysis.own((q, j)), scales.get((q, j)), power)
            for j, m in enumerate(one.measures)
        )
        for q, one in enumerate(analysis.batch)
    )
    return Calibration(
        cost,
        noise,
        noises,
        _threshold(analysis, noises, weights, cost, noise),
        whole.value,
        analysis.naive(weights, power),
        whole.attained,
        analysis.dataset.neighbours,
        analysis.dataset.unit,
        moments,
    )


def _check(analysis: Analysis, cost: Cost, noise: str) -> None:
    if noise not in get_args(NoiseKind):
        raise UnknownName("noise", str(noise), get_args(NoiseKind))
    discovers = any(one.discovers for one in analysis.batch)
    laplace = noise == "laplace"
    if discovers and not cost.delta:
        why = (
            "keys that are discovered need a delta, the probability that a key gives somebody "
            f"away: beside {cost.shown()} pay --delta 1e-6, or delta='1e-6' in Python, or declare "
            "the keys"
        )
    elif laplace and cost.rho:
        why = f"{cost.shown()} is paid for Gaussian noise: choose noise='gaussian', or epsilon"
    elif laplace and cost.delta and not discovers:
        why = (
            f"delta {amount(cost.delta)} would be wasted: Laplace noise needs a delta only "
            "for discovered keys; pay epsilon alone"
        )
    elif not laplace and not cost.rho and not cost.delta:
        why = (
            f"{cost.shown()} is pure, and Gaussian noise never is: pay rho, or epsilon and delta, "
            "or choose noise='laplace'"
        )
    elif not cost.rho and not cost.epsilon:
        why = "a cost of 0 would need infinitely much noise: pay more than 0"
    else:
        return
    raise InvalidInput(why)


def _concentrated(analysis: Analysis, cost: Cost) -> Fraction:
    """Return the largest rho that implies (epsilon, tail)."""
    discovers = any(one.discovers for one in analysis.batch)
    found = zcdp_within(cost.epsilon, cost.delta / 2 if discovers else cost.delta)
    if not found:
        raise InvalidInput(
            f"{cost.shown()} is too little for Gaussian noise: pay more, or use Laplace noise"
        )
    return found


def _scales(analysis: Analysis, wanted: Fraction, power: int) -> dict[Index, Fraction]:
    """Return the scale (power 1) or sigma^2 (power 2) of each measure that anybody can move."""
    base = {}
    for index in analysis.indices:
        own = analysis.own(index, power)
        if own:
            base[index] = own / analysis.measure(index).share
    weights = {i: 1 / (power * b) for i, b in base.items()}
    t = analysis.loss(weights, power).value / wanted
    scales = {i: b * t for i, b in base.items()}
    if power == 2:
        for index in scales:
            if analysis.measure(index).kind == "ranks":
                scales[index] = 4 / _rate(scales[index]) ** 2
    return scales


def _rate(sigma2: Fraction) -> Fraction:
    """Return 2 / sigma, rounded down."""
    square = 4 / sigma2
    root = sqrt(square)
    if isinstance(root, Fraction):
        return root
    shift = max(0, _ROOT_BITS - square.numerator.bit_length() + square.denominator.bit_length())
    return Fraction(isqrt((square.numerator << 2 * shift) // square.denominator), 1 << shift)


def _noise(
    measure: SummedMeasure, own: Fraction, scale: Fraction | None, power: int
) -> MeasureNoise:
    words = measure_words(measure)
    if scale is None:
        rate = Fraction(0) if measure.kind == "ranks" else None
        return MeasureNoise(Fraction(0), None, Fraction(0), rate, words)
    if measure.kind == "ranks":
        return MeasureNoise(own, None, scale, 1 / scale if power == 1 else _rate(scale), words)
    return MeasureNoise(own, _law(scale, power), scale, None, words)


def _threshold(
    analysis: Analysis,
    noises: tuple[tuple[MeasureNoise, ...], ...],
    weights: Mapping[Index, Fraction],
    cost: Cost,
    kind: NoiseKind,
) -> int | None:
    """Return one threshold for all queries, each of which has its part of delta."""
    found = []
    discovering = [(q, one) for q, one in enumerate(analysis.batch) if one.threshold is not None]
    for q, one in discovering:
        index = (q, one.threshold or 0)
        law = noises[q][index[1]].law
        delta = cost.delta / len(discovering) / (2 if kind == "gaussian" else 1)
        if law is not None:
            found.append(least_threshold(law, weights[index], cells_of_one(one), delta))
    return max(found, default=None)


def laplace_weights(
    noises: Sequence[Sequence[MeasureNoise]],
) -> dict[Index, Fraction]:
    """Return what moving each measure by a unit costs, by query and measure."""
    return {
        (q, j): 1 / noise.scale
        for q, own in enumerate(noises)
        for j, noise in enumerate(own)
        if noise.scale
    }


def _noise_words(noise: MeasureNoise) -> str:
    most = grouped(noise.sensitivity, "up")
    moved = f"{noise.words}: moved by at most {most}, all groups together"
    if not noise.sensitivity:
        return f"{noise.words}: moved by nobody, answered exactly."
    if noise.rate is not None:
        return f"{moved}; chosen so that one row costs {amount(noise.rate)}."
    scale = "sigma^2" if isinstance(noise.law, DiscreteGaussianNoise) else "scale"
    return f"{moved}; {noise.name} noise of {scale} {grouped(noise.scale)}."


_FIRST, _LAST = 1_000, 10_000  # numbers of four digits


def cost_for(resolved: Sequence[Resolved], within: Fraction) -> Cost:
    """Return the least epsilon at which 95% of the errors are at most ``within``, rounded up.

    >>> from twoworlds.release.policy import Dataset
    >>> from twoworlds.release.query import Query, resolve
    >>> asked = resolve(Query("people").count(), Dataset("people", None, "add-remove"))
    >>> str(cost_for([asked], Fraction(10)))
    'epsilon=711/2500'
    """
    if within <= 0:
        raise InvalidInput(f"within={show(within)} must be above 0: exact answers are not private")
    noises = calibrate(resolved, Cost(Fraction(1))).noises
    wanted: list[tuple[Fraction, int]] = []  # scale at the cost 1, error in units
    for one, own in zip(resolved, noises, strict=True):
        for aggregate, recipe in zip(one.query.aggregates, one.recipes, strict=True):
            if aggregate.kind not in ("count", "people", "sum"):
                raise InvalidInput(
                    f"the error of {aggregate.name!r} depends on the data, so no cost promises "
                    "it: ask for counts and sums alone, or choose an epsilon and see the "
                    "errors to be expected in a dry run"
                )
            [j] = recipe
            if own[j].law is not None:
                wanted.append((own[j].scale, floor(within / one.measures[j].unit)))
    if not wanted:
        raise InvalidInput("nobody can move these answers: they are exact at any cost")

    def enough(cost: Fraction) -> bool:  # P(|Z| <= h) >= 95%; the laws are symmetric
        return all(2 * at_least(_law(scale / cost, 1), h + 1) <= FAILURE for scale, h in wanted)

    return Cost(_least(enough, max(3 * float(scale) / (h + 1) for scale, h in wanted)))


def _law(scale: Fraction, power: int) -> Noise:
    return DiscreteGaussianNoise(scale) if power == 2 else GeometricNoise(exp(-1 / scale))


def _least(enough: Callable[[Fraction], bool], guess: float) -> Fraction:
    """Return the least number of four digits that is enough."""
    power = floor(log10(guess)) - 3

    def at(digits: int) -> Fraction:
        return digits * Fraction(10) ** power

    while enough(at(_FIRST)):
        power -= 1
    while not enough(at(_LAST)):
        power += 1
    return at(least(lambda digits: enough(at(digits)), _FIRST))
