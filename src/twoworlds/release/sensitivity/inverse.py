r"""The other way round: the least cost at which answers are as exact as wanted.

At the cost c the noise of a measure has the scale s / c (sigma^2 for rho), where s is its scale at
the cost 1, and both laws spread out as their scale grows. So there is a least cost at which

    P(|Z| <= h) >= 95%,    h = the wanted error in whole units,

and it is found by halving, with exact tails, among numbers of four digits.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import floor, log10

from twoworlds.errors import InvalidInput, UnknownName
from twoworlds.laws.noise import DiscreteGaussianNoise, GeometricNoise, Noise
from twoworlds.numbers import exp, show
from twoworlds.release.budget import Cost
from twoworlds.release.query.resolve import Recipe, Resolved
from twoworlds.release.sensitivity.calibration import NoiseKind, at_least, calibrate

__all__ = ["cost_for"]

FAILURE = Fraction(1, 20)
_FIRST, _LAST = 1_000, 10_000  # numbers of four digits


def cost_for(
    resolved: Sequence[Resolved],
    within: Fraction,
    *,
    aggregate: str | None = None,
    noise: NoiseKind = "laplace",
    delta: Fraction = Fraction(0),
) -> Cost:
    """Return the least cost at which 95% of the errors are at most ``within``, rounded up.

    >>> from twoworlds.release.policy import Dataset
    >>> from twoworlds.release.query import Query, resolve
    >>> asked = resolve(Query("people").count(), Dataset("people", None, "add-remove"))
    >>> str(cost_for([asked], Fraction(10)))
    'epsilon=711/2500'
    """
    if within <= 0:
        raise InvalidInput(f"within={show(within)} must be above 0: exact answers are not private")
    one = Cost(rho=Fraction(1)) if noise == "gaussian" else Cost(Fraction(1), delta)
    noises = calibrate(resolved, one, noise=noise).noises
    wanted: list[tuple[Fraction, int]] = []  # scale at the cost 1, error in units
    for q, j in _targets(resolved, aggregate):
        if noises[q][j].law is not None:
            units = floor(within / resolved[q].measures[j].unit)
            wanted.append((noises[q][j].scale, units))
    if not wanted:
        raise InvalidInput("nobody can move these answers: they are exact at any cost")

    def enough(cost: Fraction) -> bool:
        return all(_narrow(_law(scale / cost, noise), h) for scale, h in wanted)

    least = _least(enough, max(_guess(scale, h, noise) for scale, h in wanted))
    return Cost(rho=least) if noise == "gaussian" else Cost(least, delta)


def _targets(resolved: Sequence[Resolved], name: str | None) -> list[tuple[int, int]]:
    """Return the measure that is each answer."""
    found: list[tuple[int, int]] = []
    for q, one in enumerate(resolved):
        for aggregate, recipe in zip(one.query.aggregates, one.recipes, strict=True):
            if name in (None, aggregate.name):
                found.append((q, _single(aggregate.name, recipe)))
    if not found:
        names = {a.name for one in resolved for a in one.query.aggregates}
        raise UnknownName("aggregate", str(name), names)
    return found


def _single(name: str, recipe: Recipe) -> int:
    parts = (recipe.rows, recipe.people, recipe.total, recipe.squares, recipe.ranks)
    needed = [part for part in parts if part is not None]
    if len(needed) > 1 or recipe.ranks is not None:
        raise InvalidInput(
            f"the error of {name!r} depends on the data, so no cost promises it: ask for the error "
            "of a count or a sum by its name, or look at the expected errors of a planned release"
        )
    return needed[0]


def _law(scale: Fraction, noise: NoiseKind) -> Noise:
    return DiscreteGaussianNoise(scale) if noise == "gaussian" else GeometricNoise(exp(-1 / scale))


def _narrow(law: Noise, h: int) -> bool:
    """Tell whether P(|Z| <= h) >= 95%; the laws are symmetric."""
    return bool(2 * at_least(law, h + 1) <= FAILURE)


def _guess(scale: Fraction, h: int, noise: NoiseKind) -> float:
    return 4 * float(scale) / (h + 1) ** 2 if noise == "gaussian" else 3 * float(scale) / (h + 1)


def _least(enough: Callable[[Fraction], bool], guess: float) -> Fraction:
    """Return the least number of four digits that is enough."""
    power = floor(log10(guess)) - 3

    def at(digits: int) -> Fraction:
        return digits * Fraction(10) ** power

    while enough(at(_FIRST)):
        power -= 1
    while not enough(at(_LAST)):
        power += 1
    low, high = _FIRST, _LAST
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(at(middle)) else (middle, high)
    return at(high)
