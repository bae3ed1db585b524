"""Laws of integer noise, by their transform: named ones, finite ones, sums, mixtures, any law.

A `Law` knows its probabilities, how much mass lies beyond a window, and its convolution inverse.
`law` reads the noise of any mechanism that adds integer noise to a true answer, and five more
calls, which may be nested:

    binomial(n, q), poisson(mean), mixture([law, ...], weights), sum([law, ...]), delta(at)

Sums and mixtures of laws with rational generating functions stay rational, so that zeros of their
transforms are decided exactly.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, reduce

from flint import fmpq, fmpq_poly

from twoworlds.calls import Registry, Text, parse
from twoworlds.cones.noise.circle import CircleZero, circle_zero, polynomial
from twoworlds.cones.noise.closed_forms import GaussianInverse, PoissonInverse, PoissonLaw
from twoworlds.cones.noise.convolution import Convolved, Finite, Summable
from twoworlds.cones.noise.rational import Rational
from twoworlds.cones.noise.recipe import recipe
from twoworlds.errors import InvalidInput, Unsupported
from twoworlds.laws.noise import (
    DiscreteGaussianNoise,
    GeometricNoise,
    NegativeBinomialDifference,
    Noise,
    SkellamNoise,
)
from twoworlds.mechanisms import Mechanism
from twoworlds.mechanisms.base import FINITE_OUTPUTS
from twoworlds.mechanisms.named import mechanism
from twoworlds.mechanisms.on_statistic import AddedNoise, FiniteNoise, OnStatistic
from twoworlds.numbers import Number, exact_text, positive, probability, rational, whole
from twoworlds.worlds import Integers

__all__ = [
    "LAWS",
    "AnyLaw",
    "Law",
    "NoSummableInverse",
    "RationalLaw",
    "finite_law",
    "law",
    "mixture",
    "total",
]

LAWS: Registry[Law] = Registry("integer noise")


class NoSummableInverse(Unsupported):
    """The transform of the noise has a zero, so no summable inverse exists (Wiener).

    Attributes:
        zero: the angle, named, with its cosine.
    """

    def __init__(self, expression: str, zero: CircleZero) -> None:
        """Say which noise, where its transform vanishes, and what to do instead."""
        self.zero = zero
        super().__init__(
            f"{expression} has no such form: its characteristic function is 0 at {zero.angle}, so "
            "no summable sequence undoes the noise and the row cone over all whole numbers is not "
            "given by shifted inequalities. The way out: the row cone on a bounded range of "
            "answers, which needs no inverse, or noise on a cycle whose length avoids that angle"
        )


class Law(ABC):
    """A law on the whole numbers."""

    expression: str

    @abstractmethod
    def pmf(self, k: int) -> Number:
        """Return the probability of k."""

    @abstractmethod
    def outside(self, reach: int) -> Number:
        """Return P(|Z| > reach), or a bound above it."""

    @abstractmethod
    def inverse(self) -> Summable:
        """Return the summable g with g * f = delta.

        Raises:
            NoSummableInverse: when the transform has a zero.
            Undecided: when no rigorous bound could keep the transform away from 0.
        """


@dataclass(frozen=True)
class RationalLaw(Law):
    """A law with generating function z^shift A(z) / B(z)."""

    expression: str
    shift: int
    numerator: fmpq_poly
    denominator: fmpq_poly

    @cached_property
    def sequence(self) -> Rational:
        """The probabilities as a sequence."""
        return Rational(self.shift, self.numerator, self.denominator)

    def pmf(self, k: int) -> Number:
        """Return the Laurent coefficient."""
        return self.sequence.at(k)

    def outside(self, reach: int) -> Number:
        """Return the tail."""
        return self.sequence.tail(reach)

    def inverse(self) -> Summable:
        """Exchange numerator and denominator, unless the numerator vanishes on the circle."""
        if (zero := circle_zero(self.numerator)) is not None:
            raise NoSummableInverse(self.expression, zero)
        return Rational(-self.shift, self.denominator, self.numerator)


@dataclass(frozen=True)
class _ClosedForm(Law):
    """A law whose inverse has a closed form of its own."""

    expression: str
    mass: Callable[[int], Number]
    beyond: Callable[[int], Number]
    inverted: Callable[[], Summable]
    poisson: PoissonLaw | None = None

    def pmf(self, k: int) -> Number:
        """Ask the noise."""
        return self.mass(k)

    def outside(self, reach: int) -> Number:
        """Ask the noise."""
        return self.beyond(reach)

    def inverse(self) -> Summable:
        """Build the closed form."""
        return self.inverted()


@dataclass(frozen=True)
class _Sum(Law):
    """The law of a sum of independent noises."""

    expression: str
    first: Law
    second: Law

    def pmf(self, k: int) -> Number:
        """Probabilities of a sum of infinite laws are not needed: it is inverted by its parts."""
        raise Unsupported(f"the probabilities of {self.expression}: ask for those of its parts")

    def outside(self, reach: int) -> Number:
        """If |X + Y| > reach then |X| > reach / 2 or |Y| > reach / 2."""
        return self.first.outside(reach // 2) + self.second.outside(reach // 2)

    def inverse(self) -> Summable:
        """Convolve the inverses; a zero of either transform is a zero of the product."""
        return Convolved(self.first.inverse(), self.second.inverse())


@dataclass(frozen=True)
class AnyLaw(Law):
    """Any law: its probabilities, and a bound on the mass beyond a window that falls to 0.

    >>> masses = {0: Fraction(1, 4), 1: Fraction(3, 4)}
    >>> coin = AnyLaw("coin", lambda k: masses.get(k, Fraction(0)), lambda r: Fraction(r < 1))
    >>> round(float(coin.inverse().at(-1)), 6)
    1.333333
    """

    expression: str
    mass: Callable[[int], Number]
    beyond: Callable[[int], Number]

    def pmf(self, k: int) -> Number:
        """Call the function."""
        return self.mass(k)

    def outside(self, reach: int) -> Number:
        """Call the bound."""
        return self.beyond(reach)

    def inverse(self) -> Summable:
        """Follow the recipe of Section 5.3.3 with rigorous bounds."""
        return recipe(self.expression, self.mass, self.beyond)


def law(source: str | Mechanism | Noise | Law) -> Law:
    """Return the law of integer noise.

    >>> law("binomial(2, 1/4)").pmf(0)
    Fraction(9, 16)
    >>> law("geometric(ratio=2)").pmf(1)
    Fraction(1, 6)
    """
    if isinstance(source, Law):
        return source
    if isinstance(source, Noise):
        return _of_noise(source)
    if isinstance(source, str) and parse(source).name in LAWS:
        return LAWS.build(source)
    return _of_mechanism(mechanism(source))


def _of_mechanism(source: Mechanism) -> Law:
    channel = source.channel if isinstance(source, OnStatistic) else None
    if not isinstance(channel, (AddedNoise, FiniteNoise)):
        raise Unsupported(
            f"{source.expression} does not add integer noise to a true answer: use noise that "
            "does, such as 'geometric(ratio=2)', or finitely many databases and outputs, as in "
            f"{FINITE_OUTPUTS} (row_cone)"
        )
    everywhere = isinstance(source.universe, Integers) and source.universe.size is None
    if not everywhere or source.universe.low is not None or source.universe.high is not None:  # type: ignore[attr-defined]
        raise Unsupported(
            f"{source.expression} answers on {source.universe.expression}: the shifted "
            "inequalities need every whole number as a possible answer, and noise that is not "
            "clamped. Leave out bits= or the range, or use row_cone if the outputs are finite"
        )
    if isinstance(channel, FiniteNoise):
        return finite_law(channel.masses, channel.start, expression=source.expression)
    return _of_noise(channel.noise, source.expression)


def finite_law(
    masses: Sequence[object], start: int = 0, *, expression: str | None = None
) -> RationalLaw:
    """Return the law with these probabilities on start, start + 1, ...

    >>> finite_law(["1/4", "3/4"]).pmf(1)
    Fraction(3, 4)
    """
    checked = FiniteNoise.of(masses, start)
    shown = ", ".join(str(mass) for mass in checked.masses)
    text = expression or f"integer-noise([{shown}], start={start})"
    return RationalLaw(text, start, polynomial(checked.masses), fmpq_poly([1]))


def _of_noise(noise: Noise, expression: str | None = None) -> Law:
    text = expression or noise.expression
    if isinstance(noise, (GeometricNoise, NegativeBinomialDifference)):
        return _negative_binomial(noise, text)
    if isinstance(noise, SkellamNoise):
        return _poisson(text, noise.l1, noise.l2)
    if isinstance(noise, DiscreteGaussianNoise):
        sigma2 = noise.sigma2
        return _ClosedForm(text, noise.pmf, _both_tails(noise), lambda: GaussianInverse(sigma2))
    return AnyLaw(text, noise.pmf, _both_tails(noise))


def _both_tails(noise: Noise) -> Callable[[int], Number]:
    mirrored = noise.reflected()
    return lambda reach: noise.at_least(reach + 1) + mirrored.at_least(reach + 1)


def _negative_binomial(noise: GeometricNoise | NegativeBinomialDifference, text: str) -> Law:
    """Theorem 5.15: the generating function is ((1-p)^2 z / ((1 - p z)(z - p)))^r."""
    r = noise.r if isinstance(noise, NegativeBinomialDifference) else 1
    p = noise.p
    if isinstance(p, Fraction):
        top = polynomial([(1 - p) ** (2 * r)])
        bottom = (polynomial([Fraction(1), -p]) * polynomial([-p, Fraction(1)])) ** r
        return RationalLaw(text, r, top, bottom)
    scale = (1 - p) ** -2
    terms = {-1: -(p * scale), 0: (1 + p**2) * scale, 1: -(p * scale)}
    return _ClosedForm(text, noise.pmf, _both_tails(noise), lambda: Finite(terms))


def _poisson(text: str, l1: Number, l2: Number) -> Law:
    law_ = PoissonLaw(l1, l2)
    return _ClosedForm(text, law_.pmf, law_.outside, lambda: PoissonInverse(law_), law_)


def total(parts: Sequence[str | Mechanism | Noise | Law]) -> Law:
    """Return the law of the sum of independent noises.

    >>> total(["integer-noise([1/4, 3/4])", "integer-noise([1/4, 3/4])"]).pmf(2)
    Fraction(9, 16)
    """
    laws = _several(parts, "sum")
    return reduce(_added, laws)


def _added(a: Law, b: Law) -> Law:
    text = f"sum([{a.expression}, {b.expression}])"
    if isinstance(a, RationalLaw) and isinstance(b, RationalLaw):
        return RationalLaw(
            text, a.shift + b.shift, a.numerator * b.numerator, a.denominator * b.denominator
        )
    means = [part.poisson for part in (a, b) if isinstance(part, _ClosedForm)]
    if len(means) == 2 and means[0] is not None and means[1] is not None:
        return _poisson(text, means[0].l1 + means[1].l1, means[0].l2 + means[1].l2)
    return _Sum(text, a, b)


def mixture(
    parts: Sequence[str | Mechanism | Noise | Law], weights: Sequence[object] | None = None
) -> Law:
    """Return the law that is each part with its weight (equal weights if left out).

    >>> mixture(["delta()", "geometric(p=1/2)"]).pmf(0)
    Fraction(2, 3)
    """
    laws = _several(parts, "mixture")
    even = [Fraction(1, len(laws))] * len(laws)
    read = even if weights is None else [probability(w, "weight") for w in weights]
    if len(read) != len(laws) or sum(read) != 1:
        shown = ", ".join(map(str, read))
        raise InvalidInput(
            f"weights [{shown}] for {len(laws)} laws: give one weight each, with sum 1"
        )
    inner = ", ".join(part.expression for part in laws)
    text = f"mixture([{inner}], weights=[{', '.join(map(str, read))}])"
    pairs = [(w, part) for w, part in zip(read, laws, strict=True) if w]
    if all(isinstance(part, RationalLaw) for _, part in pairs):
        return _rational_mixture(text, pairs)  # type: ignore[arg-type]

    def weighed(values: Callable[[Law], Number]) -> Number:
        return sum((w * values(part) for w, part in pairs), start=Fraction(0))

    return AnyLaw(
        text,
        lambda k: weighed(lambda part: part.pmf(k)),
        lambda reach: weighed(lambda part: part.outside(reach)),
    )


def _rational_mixture(text: str, pairs: Sequence[tuple[Fraction, RationalLaw]]) -> RationalLaw:
    shift = min(part.shift for _, part in pairs)
    top, bottom = fmpq_poly([0]), fmpq_poly([1])
    for w, part in pairs:
        above = part.numerator.left_shift(part.shift - shift) * fmpq(w.numerator, w.denominator)
        top, bottom = top * part.denominator + above * bottom, bottom * part.denominator
    common = top.gcd(bottom)
    return RationalLaw(text, shift, top // common, bottom // common)


def _several(parts: object, name: str) -> list[Law]:
    if isinstance(parts, str) or not isinstance(parts, Sequence) or not parts:
        raise InvalidInput(f"{name}: give a list of laws such as [delta(), geometric(ratio=2)]")
    return [law(part) for part in parts]


@LAWS.register("binomial")
def _binomial(n: object, q: object) -> Law:
    """Add the number of successes in n trials of probability q."""
    trials, chance = whole(n, "n", at_least=1), probability(q, "q")
    top = polynomial([1 - chance, chance]) ** trials
    return RationalLaw(f"binomial(n={trials}, q={chance})", 0, top, fmpq_poly([1]))


@LAWS.register("poisson")
def _poisson_law(mean: object) -> Law:
    """Add a Poisson variable."""
    l1 = positive(mean, "mean")
    return _poisson(f"poisson(mean={exact_text(l1)})", l1, Fraction(0))


@LAWS.register("delta")
def _delta(at: object = 0) -> Law:
    """Add a fixed number: no noise."""
    place = rational(at, "at")
    if place.denominator != 1:
        raise InvalidInput(f"at={place} must be a whole number")
    return RationalLaw(f"delta(at={place})", int(place), fmpq_poly([1]), fmpq_poly([1]))


@LAWS.register("mixture")
def _mixture(laws: Sequence[Text], weights: Sequence[Text] | None = None) -> Law:
    """Add one of several noises, chosen with the given weights."""
    return mixture(laws, weights)  # type: ignore[arg-type]


@LAWS.register("sum")
def _sum(laws: Sequence[Text]) -> Law:
    """Add several independent noises."""
    return total(laws)  # type: ignore[arg-type]
