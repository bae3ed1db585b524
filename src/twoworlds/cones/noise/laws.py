r"""Laws of integer noise and their inverses, by their transforms.

A `NoiseLaw` knows its probabilities, the mass beyond a window, and its convolution inverse.
`law` reads the noise of any mechanism that adds integer noise to a true answer.

Adding integer noise with probabilities f is the matrix M(o, d) = f(o - d). By Wiener's theorem it
has a summable inverse g, with g * f = delta, exactly when the characteristic function
sum_k f(k) e^(ikt) has no zero; then M^-1(d, o) = g(d - o) (Lin & Kifer, Section 5.3.3; Differs:
"if it exists" must mean summable, because formal inverses are not unique: Bernoulli(3/4) also has
the unbounded 4 (-3)^k).

Zeros of the transform of a law with a rational generating function are decided exactly
(`circle_zero`). An irreducible rational polynomial with a root on the circle shares it with its
reciprocal, so it equals its reciprocal up to sign; then it is z + 1 (angle pi), z - 1, or
z^d H(z + 1/z), and its roots on the circle are the real roots of H between -2 and 2, where z + 1/z
is twice the cosine of the angle.

Two inverses have a closed form. With q = e^(-1 / (2 sigma2)),

    Poisson difference   g(k) = e^(2 (l1 + l2)) (-1)^k f(k)      (Lin & Kifer, Theorem 5.16)
    discrete Gaussian    g(k) = (-1)^k T q^|k| sum_m (-1)^m q^(m (m+1) + 2 m |k|) / S,
                         T = sum_k q^(k^2),  S = prod_n (1 - q^(2n))^3,

the second by partial fractions of the reciprocal theta function, whose poles are -q^(2n+1). Both
alternate. Differs: at the end of Appendix 9 the factor e^(2 (l1 + l2)) is missing, which does not
change the cone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, cached_property, lru_cache
from math import factorial

from flint import arb, fmpq, fmpq_poly, fmpz, fmpz_poly

from twoworlds.cones.noise.rational import Rational, Summable, polynomial, refuse_large, roots
from twoworlds.errors import InvalidInput, Unsupported
from twoworlds.laws.noise import (
    DiscreteGaussianNoise,
    GeometricNoise,
    NegativeBinomialDifference,
    Noise,
    SkellamNoise,
    summed_tail,
)
from twoworlds.mechanisms import Mechanism
from twoworlds.mechanisms.base import FINITE_OUTPUTS
from twoworlds.mechanisms.continuous import Continuous
from twoworlds.mechanisms.named import mechanism
from twoworlds.mechanisms.on_statistic import AddedNoise, FiniteNoise, OnStatistic, noise_parts
from twoworlds.numbers import Number, Real, ball, exp, working_precision
from twoworlds.worlds import Integers

_START_BITS, _GUARD = 64, 32

Masses = Callable[[int], Number]


class NoSummableInverse(Unsupported):
    """The transform of the noise has a zero, so no summable inverse exists (Wiener)."""

    def __init__(self, expression: str, angle: str) -> None:
        """Say which noise, where its transform vanishes, and what to do instead."""
        self.angle = angle
        listed = expression.startswith("integer-noise(")
        on_bits = expression if listed else "integer-noise([1/4, 1/2, 1/4], start=-1)"
        super().__init__(
            f"{expression} has no such form: its characteristic function is 0 at {angle}, so "
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
            transform has a zero.
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
        if (angle := circle_zero(numerator)) is not None:
            raise NoSummableInverse(expression, angle)
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


def _of_mechanism(source: Mechanism) -> NoiseLaw:
    parts = noise_parts(source.channel) if isinstance(source, OnStatistic) else ()
    if not parts:
        more = "; member, compare and odds take it" if isinstance(source, Continuous) else ""
        raise Unsupported(
            f"{source.expression} does not add integer noise to a true answer: use noise that "
            "does, such as 'geometric(ratio=2)', or finitely many databases and outputs, as in "
            f"{FINITE_OUTPUTS}{more}"
        )
    everywhere = isinstance(source.universe, Integers) and source.universe.size is None
    if not everywhere or source.universe.low is not None or source.universe.high is not None:  # type: ignore[attr-defined]
        raise Unsupported(
            f"{source.expression} answers on {source.universe.expression}: the shifted "
            "inequalities need every whole number as a possible answer, and noise that is not "
            "clamped. Leave out bits= or the range, or use row_cone if the outputs are finite"
        )
    return _of_parts(parts, source.expression)


def _of_parts(
    noises: Sequence[tuple[Fraction, AddedNoise | FiniteNoise]], expression: str
) -> NoiseLaw:
    parts = []
    for w, one in noises:
        if isinstance(one, FiniteNoise):
            parts.append((w, finite_law(one.masses, one.start, expression=expression)))
        else:
            parts.append((w, _of_noise(one.noise, expression)))
    if len(parts) == 1:
        return parts[0][1]
    forms = [(w, *part.parts) for w, part in parts if part.parts is not None]
    if len(forms) < len(parts):
        raise Unsupported(
            f"{expression}: of mixtures, the noise that undoes them is found where all parts are "
            "geometric or differenced negative binomial noise, or have finitely many values"
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
        raise Unsupported(
            f"{text}: the convolution inverse of this noise is not known; cut it off, and give its "
            "probabilities to integer-noise"
        )
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


# --- inverses with a closed form ------------------------------------------------------------------


class FiniteSequence(Summable):
    """A sequence with finitely many terms, exact wherever the terms are."""

    def __init__(self, terms: Mapping[int, Number]) -> None:
        """Keep the terms that are not 0."""
        self.terms = {k: term for k, term in sorted(terms.items()) if term != 0}
        if not self.terms:
            raise InvalidInput("a sequence of zeros has no inverse: give at least one term")
        self.low, self.high = min(self.terms), max(self.terms)

    def at(self, k: int) -> Number:
        """Look the term up."""
        return self.terms.get(k, Fraction(0))

    @property
    def l1(self) -> Number:
        """Add up all terms."""
        return self.tail(-1)

    def tail(self, reach: int) -> Number:
        """Add up the terms outside."""
        outside = (abs(term) for k, term in self.terms.items() if abs(k) > reach)
        return sum(outside, start=Fraction(0))

    @cached_property
    def signs(self) -> dict[int, int]:
        """Look at all terms."""
        return {k: self.sign(k) for k in self.terms}


class PoissonInverse(Summable):
    """The inverse of X - Y for Poisson variables with means l1 and l2, one of which may be 0.

    The belief is the law itself: it is its own dual (Theorem 5.16 and Appendix 9). With one mean 0
    the inverse is one-sided like the law.
    """

    def __init__(self, l1: Number, l2: Number) -> None:
        """Invert the law."""
        self.means = l1, l2
        self.low = 0 if l2 == 0 else None
        self.high = 0 if l1 == 0 else None
        self._noise = SkellamNoise(l1, l2) if l1 != 0 and l2 != 0 else None

    @property
    def alternating(self) -> bool:
        """All probabilities are positive, so the signs are those of (-1)^k."""
        return True

    @cached_property
    def l1(self) -> Number:
        """Return e^(2 (l1 + l2))."""
        return exp(2 * (self.means[0] + self.means[1]))

    def sign(self, k: int) -> int:
        """Return (-1)^k on the support."""
        outside = (self.low == 0 and k < 0) or (self.high == 0 and k > 0)
        return 0 if outside else 1 - 2 * (k % 2)

    def at(self, k: int) -> Number:
        """Return the signed probability times the scale."""
        return self.sign(k) * self.l1 * self.belief(k)

    def belief(self, k: int) -> Number:
        """Return P(X - Y = k)."""
        if self._noise is not None:
            return self._noise.pmf(k)
        mean, j = (self.means[0], k) if self.low == 0 else (self.means[1], -k)
        return exp(-mean) * mean**j / factorial(j) if j >= 0 else Fraction(0)

    def belief_tail(self, reach: int) -> Number:
        """Return P(|X - Y| > reach)."""
        if self._noise is not None:
            mirrored = self._noise.reflected()
            return self._noise.at_least(reach + 1) + mirrored.at_least(reach + 1)
        if reach < 0:
            return Fraction(1)
        mean = self.means[0] if self.low == 0 else self.means[1]

        def tail(bits: int) -> arb:
            l = ball(mean, bits)  # noqa: E741 - the paper's letter
            return summed_tail(lambda j: (-l).exp() * l**j / factorial(j), reach + 1, bits)

        return Real(tail)

    def tail(self, reach: int) -> Number:
        """Return the tail of the law times the scale."""
        return self.l1 * self.belief_tail(reach)


class GaussianInverse(Summable):
    """The inverse of discrete Gaussian noise, for any sigma2 above 0."""

    def __init__(self, sigma2: Fraction) -> None:
        """Prepare q = e^(-1 / (2 sigma2))."""
        self.sigma2 = sigma2

    @property
    def alternating(self) -> bool:
        """The sum over m alternates with falling terms, so it is positive for every k."""
        return True

    def sign(self, k: int) -> int:
        """Return (-1)^k."""
        return 1 - 2 * (k % 2)

    @cached_property
    def l1(self) -> Number:
        """Return 1 / P^(pi) = prod_n ((1 + q^(2n-1)) / (1 - q^(2n-1)))^2, without cancellation."""
        return Real(lambda bits: _products(self.sigma2, bits)[0])

    def at(self, k: int) -> Number:
        """Sum the partial fractions."""
        return Real(lambda bits: self.sign(k) * self._sum(bits, abs(k), closed=False))

    def tail(self, reach: int) -> Number:
        """Sum both sides of each partial fraction in closed form."""
        if reach < 0:
            return self.l1
        return Real(lambda bits: 2 * self._sum(bits, reach + 1, closed=True))

    def _sum(self, bits: int, k: int, *, closed: bool) -> arb:
        """Return T / S sum_m (-1)^m q^(m (m+1) + (2m+1) k), each over 1 - q^(2m+1) if closed.

        The terms fall, so the first one left out bounds the rest. For a large sigma2 they nearly
        cancel, so the precision is raised until ``bits`` of the sum are right.
        """
        work = bits + _GUARD
        while True:
            with working_precision(work):
                total = _falling(self.sigma2, k, work, closed=closed)
                result: arb = total * _products(self.sigma2, work)[1]
            if result.rel_accuracy_bits() >= bits or work > 64 * (bits + _GUARD):
                return result
            work *= 2


def _falling(sigma2: Fraction, k: int, bits: int, *, closed: bool) -> arb:
    q = ball(-1 / (2 * sigma2), bits).exp()
    total, m = arb(0), 0
    while True:
        term = q ** (m * (m + 1) + (2 * m + 1) * k)
        if closed:
            term /= 1 - q ** (2 * m + 1)
        if term < arb(2) ** -(2 * bits):
            return total + arb(0, term.abs_upper())
        total += -term if m % 2 else term
        m += 1


@lru_cache(maxsize=64)
def _products(sigma2: Fraction, bits: int) -> tuple[arb, arb]:
    """Return the absolute sum and T / S, from Jacobi's triple product.

    T / S = prod_n (1 + q^(2n-1))^2 / (1 - q^(2n))^2. After n factors the exponents of what
    remains sum to less than 8 q^(2n+1) / (1 - q)^2 in absolute value.
    """
    with working_precision(bits + _GUARD):
        q = ball(-1 / (2 * sigma2), bits + _GUARD).exp()
        norm, factor, n = arb(1), arb(1), 1
        while True:
            odd, even = q ** (2 * n - 1), q ** (2 * n)
            norm *= ((1 + odd) / (1 - odd)) ** 2
            factor *= ((1 + odd) / (1 - even)) ** 2
            rest = 8 * even * q / (1 - q) ** 2
            if rest < arb(2) ** -bits:
                spread = arb(0, rest.abs_upper()).exp()
                return norm * spread, factor * spread
            n += 1


# --- zeros on the unit circle ---------------------------------------------------------------------


def circle_zero(of: fmpq_poly) -> str | None:
    """Return the angle t of a zero e^(it) on the unit circle, or None; decided exactly.

    >>> circle_zero(fmpq_poly([1, 1, 1]))
    '2 pi/3'
    >>> circle_zero(fmpq_poly([2, 5, 2])) is None
    True
    """
    refuse_large(of)
    zeros = (_zero_of_irreducible(factor) for factor, _ in of.numer().factor()[1])
    return next((zero for zero in zeros if zero is not None), None)


def _zero_of_irreducible(factor: fmpz_poly) -> str | None:
    coefficients = factor.coeffs()
    backwards = coefficients[::-1]
    if coefficients != backwards and coefficients != [-c for c in backwards]:
        return None
    degree = factor.degree()
    if degree == 0 or (degree == 1 and coefficients[0] == 0):
        return None
    if degree == 1:  # z + 1 or z - 1, since it is its own reciprocal
        return "pi" if coefficients[0] == coefficients[1] else "0"
    if order := factor.is_cyclotomic():
        return "pi/2" if order == 4 else f"2 pi/{int(order)}"
    folded = _folded(coefficients)
    cosines = (_cosine(folded, place) for place in range(folded.degree()))
    found = next((cosine for cosine in cosines if cosine is not None), None)
    if found is None:
        return None
    return f"arccos({found if isinstance(found, Fraction) else f'{float(found):.12g}...'})"


def _folded(coefficients: Sequence[fmpz]) -> fmpz_poly:
    """Return H with z^d H(z + 1/z) = the palindrome of degree 2d.

    z^j + z^-j = 2 T_j(u / 2) obeys V_(j+1) = u V_j - V_(j-1) with V_0 = 2, V_1 = u.
    """
    d = len(coefficients) // 2
    u, before, current = fmpz_poly([0, 1]), fmpz_poly([2]), fmpz_poly([0, 1])
    result = fmpz_poly([coefficients[d]])
    for j in range(1, d + 1):
        result += coefficients[d + j] * current
        before, current = current, u * current - before
    return result


def _cosine(folded: fmpz_poly, place: int) -> Number | None:
    """Return half of the root number ``place`` of H if it is real and inside (-2, 2)."""
    if folded.degree() == 1:
        cosine = Fraction(-int(folded[0]), 2 * int(folded[1]))
        return cosine if abs(cosine) < 1 else None
    bits = _START_BITS
    while True:
        with working_precision(bits):
            root = roots(folded, bits)[place]  # real roots are given as exactly real
            if root.imag != 0 or abs(root.real) > 2:
                return None
            if abs(root.real) < 2:
                return Real(lambda b: roots(folded, b)[place].real / 2)
        bits *= 2  # it ends, because the factor does not vanish at z = 1 or -1, where u is 2 or -2
