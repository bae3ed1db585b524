r"""Laws of integer noise, by their transform: named ones, finite ones, any law.

A `NoiseLaw` knows its probabilities, the mass beyond a window, and its convolution inverse.
`law` reads the noise of any mechanism that adds integer noise to a true answer. Zeros of the
transform of a law with a rational generating function are decided exactly. Any other law is
inverted by the recipe of Lin & Kifer, Section 5.3.3, with rigorous bounds. It is replaced by a
finite rational h with ||f - h|| <= eta in the absolute sum. If h has a summable inverse u and
eta ||u|| < 1, then so has f, by the Neumann series

    g = u * (delta + (f - h) * u)^-1,   ||g - u|| <= ||u|| theta / (1 - theta),  theta = eta ||u||.

Whether h has a zero on the unit circle is decided exactly, so no value of a transform that may be
near 0 is ever divided by. A law whose transform does have a zero is never proved to have one by
the recipe: that ends in `Undecided`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache

from flint import arb, fmpq, fmpq_poly

from twoworlds.cones.noise.rational import CircleZero, Rational, circle_zero, polynomial
from twoworlds.cones.noise.summable import (
    FiniteSequence,
    GaussianInverse,
    PoissonInverse,
    Summable,
    widened,
)
from twoworlds.errors import InvalidInput, TooLarge, Undecided, Unsupported
from twoworlds.laws.noise import (
    DiscreteGaussianNoise,
    GeometricNoise,
    NegativeBinomialDifference,
    Noise,
    SkellamNoise,
)
from twoworlds.mechanisms import Dense, Mechanism
from twoworlds.mechanisms.base import FINITE_OUTPUTS
from twoworlds.mechanisms.named import mechanism
from twoworlds.mechanisms.on_statistic import AddedNoise, FiniteNoise, MixedNoise, OnStatistic
from twoworlds.numbers import (
    Number,
    Real,
    ball,
    bounds,
    show,
    whole,
    working_precision,
)
from twoworlds.worlds import Integers, Universe

_FIRST_BITS, _LAST_BITS = 24, 192
_LARGEST_REACH = 256

Masses = Callable[[int], Number]


class NoSummableInverse(Unsupported):
    """The transform of the noise has a zero, so no summable inverse exists (Wiener)."""

    def __init__(self, expression: str, zero: CircleZero) -> None:
        """Say which noise, where its transform vanishes, and what to do instead."""
        self.zero = zero
        listed = expression.startswith("integer-noise(")
        on_bits = expression if listed else "integer-noise([1/4, 1/2, 1/4], start=-1)"
        super().__init__(
            f"{expression} has no such form: its characteristic function is 0 at {zero.angle}, so "
            "no summable sequence undoes the noise and the row cone over all whole numbers is not "
            "given by shifted inequalities. The way out: the row cone on a bounded range of "
            f"answers, which needs no inverse, as in '{on_bits[:-1]}, bits=2)'"
        )


@dataclass(frozen=True)
class NoiseLaw:
    """A law on the whole numbers.

    Attributes:
        expression: the call that names it.
        pmf: the probability of k.
        outside: P(|Z| > reach), or a bound above it.
        inverse: the summable g with g * f = delta; it raises `NoSummableInverse` when the
            transform has a zero, `Undecided` when no bound could keep the transform away from 0.
        parts: (shift, A, B) where the generating function is z^shift A(z) / B(z); else None.
        noise: the named noise that it is, if it is one.
    """

    expression: str
    pmf: Masses
    outside: Masses
    inverse: Callable[[], Summable]
    parts: tuple[int, fmpq_poly, fmpq_poly] | None = None
    noise: Noise | None = None


LawSource = str | Mechanism | Noise | NoiseLaw


def law(source: LawSource) -> NoiseLaw:
    """Return the law of integer noise.

    >>> law("geometric(ratio=2)").pmf(1)
    Fraction(1, 6)
    """
    if isinstance(source, NoiseLaw):
        return source
    if isinstance(source, Noise):
        return _of_noise(source)
    return _of_mechanism(mechanism(source))


def rational_law(
    expression: str, shift: int, numerator: fmpq_poly, denominator: fmpq_poly
) -> NoiseLaw:
    """Return the law with generating function z^shift A(z) / B(z); the inverse exchanges A and B.

    >>> rational_law("coin", 0, fmpq_poly([1, 1]) / 2, fmpq_poly([1])).pmf(1)
    Fraction(1, 2)
    """
    sequence = cache(lambda: Rational(shift, numerator, denominator))

    def inverse() -> Summable:
        if (zero := circle_zero(numerator)) is not None:
            raise NoSummableInverse(expression, zero)
        return Rational(-shift, denominator, numerator)

    parts = (shift, numerator, denominator)
    return NoiseLaw(
        expression,
        lambda k: sequence().at(k),
        lambda reach: sequence().tail(reach),
        inverse,
        parts,
    )


def finite_law(
    masses: Sequence[object], start: int = 0, *, expression: str | None = None
) -> NoiseLaw:
    """Return the law with these probabilities on start, start + 1, ...

    >>> finite_law(["1/4", "3/4"]).pmf(1)
    Fraction(3, 4)
    """
    checked = FiniteNoise.of(masses, start)
    shown = ", ".join(str(mass) for mass in checked.masses)
    text = expression or f"integer-noise([{shown}], start={start})"
    return rational_law(text, start, polynomial(checked.masses), fmpq_poly([1]))


def any_law(expression: str, pmf: Masses, outside: Masses) -> NoiseLaw:
    """Return any law: its probabilities, and a bound on the mass beyond a window that falls to 0.

    >>> masses = {0: Fraction(1, 4), 1: Fraction(3, 4)}
    >>> coin = any_law("coin", lambda k: masses.get(k, Fraction(0)), lambda r: Fraction(r < 1))
    >>> round(float(coin.inverse().at(-1)), 6)
    1.333333
    """
    return NoiseLaw(expression, pmf, outside, lambda: Approximated(expression, pmf, outside))


def _of_mechanism(source: Mechanism) -> NoiseLaw:
    channel = source.channel if isinstance(source, OnStatistic) else None
    if not isinstance(channel, (AddedNoise, FiniteNoise, MixedNoise)):
        raise Unsupported(
            f"{source.expression} does not add integer noise to a true answer: use noise that "
            "does, such as 'geometric(ratio=2)', or finitely many databases and outputs, as in "
            f"{FINITE_OUTPUTS}"
        )
    everywhere = isinstance(source.universe, Integers) and source.universe.size is None
    if not everywhere or source.universe.low is not None or source.universe.high is not None:  # type: ignore[attr-defined]
        raise Unsupported(
            f"{source.expression} answers on {source.universe.expression}: the shifted "
            "inequalities need every whole number as a possible answer, and noise that is not "
            "clamped. Leave out bits= or the range, or use row_cone if the outputs are finite"
        )
    return _of_channel(channel, source.expression)


def _of_channel(channel: AddedNoise | FiniteNoise | MixedNoise, expression: str) -> NoiseLaw:
    if isinstance(channel, FiniteNoise):
        return finite_law(channel.masses, channel.start, expression=expression)
    if isinstance(channel, AddedNoise):
        return _of_noise(channel.noise, expression)
    parts = [(w, _of_channel(part, expression)) for w, part in channel.parts if w]
    forms = [(w, *part.parts) for w, part in parts if part.parts is not None]
    if len(forms) < len(parts):
        return any_law(
            expression,
            lambda k: sum((w * part.pmf(k) for w, part in parts), start=Fraction(0)),
            lambda reach: sum((w * part.outside(reach) for w, part in parts), start=Fraction(0)),
        )
    shift = min(own for _, own, _, _ in forms)
    top, bottom = fmpq_poly([0]), fmpq_poly([1])
    for w, own, p, q in forms:
        above = p.left_shift(own - shift) * fmpq(w.numerator, w.denominator)
        top, bottom = top * q + above * bottom, bottom * q
    common = top.gcd(bottom)
    return rational_law(expression, shift, top // common, bottom // common)


def _of_noise(noise: Noise, expression: str | None = None) -> NoiseLaw:
    text, mirrored = expression or noise.expression, noise.reflected()

    def outside(reach: int) -> Number:
        return noise.at_least(reach + 1) + mirrored.at_least(reach + 1)

    if isinstance(noise, SkellamNoise):
        return poisson_law(text, noise.l1, noise.l2)
    if isinstance(noise, DiscreteGaussianNoise):
        sigma2 = noise.sigma2
        return NoiseLaw(text, noise.pmf, outside, lambda: GaussianInverse(sigma2))
    if not isinstance(noise, (GeometricNoise, NegativeBinomialDifference)):
        return any_law(text, noise.pmf, outside)
    # Theorem 5.15: the generating function is ((1-p)^2 z / ((1 - p z)(z - p)))^r.
    r = noise.r if isinstance(noise, NegativeBinomialDifference) else 1
    p = noise.p
    if isinstance(p, Fraction):
        top = polynomial([(1 - p) ** (2 * r)])
        bottom = (polynomial([Fraction(1), -p]) * polynomial([-p, Fraction(1)])) ** r
        return replace(rational_law(text, r, top, bottom), noise=noise)
    scale = (1 - p) ** -2
    terms = {-1: -(p * scale), 0: (1 + p**2) * scale, 1: -(p * scale)}
    return NoiseLaw(text, noise.pmf, outside, lambda: FiniteSequence(terms), noise=noise)


def poisson_law(text: str, l1: Number, l2: Number) -> NoiseLaw:
    """Return the law of the difference of two Poisson variables, one of whose means may be 0."""
    own = PoissonInverse(l1, l2)  # its belief is the law
    return NoiseLaw(text, own.belief, own.belief_tail, lambda: own)


# --- the recipe for any law -----------------------------------------------------------------------

_Step = tuple[Rational, Fraction]  # a rational inverse u, and a bound on ||g - u||


class Approximated(Summable):
    """The inverse of any law, known through better and better rational inverses."""

    def __init__(self, expression: str, pmf: Masses, outside: Masses) -> None:
        """Find a first approximation."""
        self._pmf, self._outside = pmf, outside
        self._bits = _FIRST_BITS
        self._known: dict[tuple[str, int, int, int], arb] = {}
        while (step := _step(pmf, outside, self._bits)) is None:
            self._bits *= 2
            if self._bits > _LAST_BITS:
                raise Undecided(
                    f"{expression}: its characteristic function comes too near 0 to show that a "
                    f"summable inverse exists ({_LAST_BITS} bits tried); it may have a zero. Give "
                    "it by rational probabilities, for which this is decided exactly"
                )
        self._step: _Step = step

    @property
    def error(self) -> Fraction:
        """A bound on ||g - u|| for the approximation in use."""
        return self._step[1]

    def at(self, k: int) -> Number:
        """Enclose by the approximation and its error."""
        return Real(lambda bits: self._enclosed("at", k, bits))

    def beyond(self, reach: int) -> Number:
        """Sum the approximation, whose absolute sum is off by the error at most."""
        return Real(lambda bits: self._enclosed("tail", reach, bits).nonnegative_part())

    def _enclosed(self, what: str, k: int, bits: int) -> arb:
        """Widen a value of the approximation by its error; once that is all, nothing is redone."""
        (inverse, bound), work = self._at_work(bits)
        key = (what, k, self._bits, work)
        if key not in self._known:
            with working_precision(work):
                error = ball(bound, work).abs_upper()
                near = ball(inverse.at(k), work) if what == "at" else inverse.summed(k, work, error)
                self._known[key] = near + arb(0, error)
        return self._known[key]

    def _at_work(self, bits: int) -> tuple[_Step, int]:
        """Return an approximation and the precision that its error makes worth while."""
        wanted = Fraction(1, 1 << (bits // 2))
        while self.error > wanted and 2 * self._bits <= _LAST_BITS:
            self._bits *= 2
            try:
                better = _step(self._pmf, self._outside, self._bits)
            except TooLarge:
                break
            self._step = better or self._step
        size = self.error.denominator.bit_length() - self.error.numerator.bit_length()
        return self._step, min(bits, max(size, 0) + 64)

    def remainder(self, reach: int, bits: int) -> arb:
        """Add the error to the remainder of the approximation."""
        (inverse, bound), work = self._at_work(bits)
        return widened(inverse.remainder(reach, work), ball(bound, work))


def _step(pmf: Masses, outside: Masses, bits: int) -> _Step | None:
    """Approximate the law to about 2^-bits; None when the bound does not reach."""
    reach, small = 1, Fraction(1, 1 << bits)
    while (beyond := bounds(outside(reach), bits)[1]) > small:
        reach *= 2
        if reach > _LARGEST_REACH:
            raise TooLarge(
                f"{show(beyond)} of the mass lies beyond {reach // 2}: the recipe takes laws that "
                "are nearly contained in a window of that size; use a law with a closed form"
            )
    masses: list[Fraction] = []
    eta = beyond
    for k in range(-reach, reach + 1):
        low, high = bounds(pmf(k), bits)
        if high < 0:
            raise InvalidInput(f"the probability of {k} is negative: {show(high)}")
        middle = Fraction(round((low + high) * (1 << (bits + 16))), 1 << (bits + 17))
        masses.append(middle)
        eta += max(high - middle, middle - low)
    together = sum(masses, start=Fraction(0))
    if abs(together - 1) > eta:
        raise InvalidInput(f"the probabilities sum to {show(together)}, they must sum to 1")
    top = polynomial(masses)
    if circle_zero(top) is not None:
        return None
    inverse = Rational(reach, fmpq_poly([1]), top)
    norm = bounds(inverse.l1, 64)[1]
    theta = eta * norm
    return (inverse, norm * theta / (1 - theta)) if theta < Fraction(1, 2) else None


# --- Noise on a cycle: answers 0, ..., m - 1, added modulo m -------------------------------------
# The matrix is circulant, M(o, d) = f(o - d mod m): it has an inverse exactly when the generating
# polynomial of f has no root among the m-th roots of unity (Lin & Kifer, Section 5.3.3, on a
# finite group instead of the whole numbers). The general machinery does the rest: `inverse` gives
# M^-1, and `row_cone` the cone, whose m facets are then the shifts of one vector. Uniform noise on
# -1, 0, 1 is singular exactly when 3 divides m.

CycleMasses = Sequence[object] | Mapping[int, object]


def cyclic_noise(pmf: CycleMasses, m: object, *, start: int = 0) -> Dense:
    """Return the mechanism that adds noise on a cycle; neighbours are one step apart.

    >>> cyclic_noise(["1/3", "1/3", "1/3"], 5, start=-1).probability(4, 0)
    Fraction(1, 3)
    """
    masses = _wrapped(pmf, m, start)
    size = len(masses)
    pairs = {(min(k, (k + 1) % size), max(k, (k + 1) % size)) for k in range(size)}
    universe = Universe.of(range(size), [(a, b) for a, b in sorted(pairs) if a != b])
    rows = [[masses[(o - d) % size] for d in range(size)] for o in range(size)]
    text = f"cyclic-noise([{', '.join(map(str, masses))}], m={size})"
    return Dense(universe, Universe.of(range(size)), rows, expression=text)


def cyclic_zero(pmf: CycleMasses, m: object, *, start: int = 0) -> CircleZero | None:
    """Return a zero of the transform on the cycle, named by its angle; None if M has an inverse.

    >>> cyclic_zero(["1/4", "1/2", "1/4"], 4, start=-1).angle
    'pi'
    """
    masses = _wrapped(pmf, m, start)
    cycle = fmpq_poly([-1] + [0] * (len(masses) - 1) + [1])  # z^m - 1
    common = polynomial(masses).gcd(cycle)
    return circle_zero(common) if common.degree() > 0 else None


def _wrapped(pmf: CycleMasses, m: object, start: int) -> list[Fraction]:
    """Return the probability of each place of the cycle."""
    size = whole(m, "m", at_least=1)
    if isinstance(pmf, str):
        raise InvalidInput(f"pmf={pmf!r}: give a list such as [1/4, 1/2, 1/4]")
    items = list(pmf.items() if isinstance(pmf, Mapping) else enumerate(pmf, start))
    checked = FiniteNoise.of([mass for _, mass in items], 0).masses
    wrapped = [Fraction(0)] * size
    for (place, _), mass in zip(items, checked, strict=True):
        if type(place) is not int:
            raise InvalidInput(f"place {place!r} must be a whole number")
        wrapped[place % size] += mass
    return wrapped
