r"""The Fourier recipe of Lin & Kifer, Section 5.3.3, for any law, with rigorous bounds.

The law f is replaced by a finite rational h with ||f - h|| <= eta in the absolute sum. If h has a
summable inverse u and eta ||u|| < 1, then so has f, by the Neumann series

    g = u * (delta + (f - h) * u)^-1,   ||g - u|| <= ||u|| theta / (1 - theta),  theta = eta ||u||.

Whether h has a zero on the unit circle is decided exactly, so no value of a transform that may be
near 0 is ever divided by. A law whose transform does have a zero is never proved to have one
here: that ends in `Undecided`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from flint import arb, fmpq_poly

from twoworlds.cones.noise.circle import circle_zero, polynomial
from twoworlds.cones.noise.convolution import Summable, widened
from twoworlds.cones.noise.rational import Rational
from twoworlds.errors import InvalidInput, TooLarge, Undecided
from twoworlds.numbers import Number, Real, ball, bounds, show, working_precision

__all__ = ["Approximated", "recipe"]

_FIRST_BITS = 24
_LAST_BITS = 192
_LARGEST_REACH = 256


@dataclass(frozen=True)
class _Step:
    """A rational inverse u with ||g - u|| <= error."""

    inverse: Rational
    error: Fraction


def recipe(
    expression: str, pmf: Callable[[int], Number], outside: Callable[[int], Number]
) -> Summable:
    """Invert a law given by its probabilities and a bound on the mass beyond a window.

    >>> law = {-1: Fraction(1, 6), 0: Fraction(2, 3), 1: Fraction(1, 6)}
    >>> g = recipe("three", lambda k: law.get(k, Fraction(0)), lambda r: Fraction(r < 1))
    >>> round(float(g.at(0)), 6)
    1.732051

    Raises:
        Undecided: when the transform could not be kept away from 0.
    """
    bits = _FIRST_BITS
    while bits <= _LAST_BITS:
        if (step := _step(pmf, outside, bits)) is not None:
            return Approximated(expression, pmf, outside, bits, step)
        bits *= 2
    raise Undecided(
        f"{expression}: its characteristic function comes too near 0 to show that a summable "
        f"inverse exists ({_LAST_BITS} bits tried); it may have a zero. Give it as a sum or "
        "mixture of named laws with rational parameters, for which this is decided exactly"
    )


def _step(
    pmf: Callable[[int], Number], outside: Callable[[int], Number], bits: int
) -> _Step | None:
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
    return _Step(inverse, norm * theta / (1 - theta)) if theta < Fraction(1, 2) else None


class Approximated(Summable):
    """The inverse of any law, known through better and better rational inverses."""

    def __init__(
        self,
        expression: str,
        pmf: Callable[[int], Number],
        outside: Callable[[int], Number],
        bits: int,
        step: _Step,
    ) -> None:
        """Start from a first approximation."""
        self.expression, self._pmf, self._outside = expression, pmf, outside
        self._bits, self._step = bits, step
        self._known: dict[tuple[str, int, int, int], arb] = {}

    def _within(self, bits: int) -> _Step:
        """Return an approximation with an error of about 2^-bits, or the best that was found."""
        wanted = Fraction(1, 1 << bits)
        while self._step.error > wanted and 2 * self._bits <= _LAST_BITS:
            self._bits *= 2
            try:
                better = _step(self._pmf, self._outside, self._bits)
            except TooLarge:
                break
            self._step = better or self._step
        return self._step

    @property
    def error(self) -> Fraction:
        """A bound on ||g - u|| for the approximation in use."""
        return self._step.error

    def at(self, k: int) -> Number:
        """Enclose by the approximation and its error."""
        return Real(lambda bits: self._enclosed("at", k, bits))

    def beyond(self, reach: int) -> Number:
        """Sum the approximation, whose absolute sum is off by the error at most."""
        return Real(lambda bits: self._enclosed("tail", reach, bits).nonnegative_part())

    def _enclosed(self, what: str, k: int, bits: int) -> arb:
        """Widen a value of the approximation by its error; once that is all, nothing is redone."""
        step, work = self._at_work(bits)
        key = (what, k, self._bits, work)
        if key not in self._known:
            with working_precision(work):
                error = ball(step.error, work).abs_upper()
                if what == "at":
                    value = ball(step.inverse.at(k), work)
                else:
                    value = step.inverse.summed(k, work, error)
                self._known[key] = value + arb(0, error)
        return self._known[key]

    def _at_work(self, bits: int) -> tuple[_Step, int]:
        """Return an approximation and the precision that its error makes worth while."""
        step = self._within(bits // 2)
        size = step.error.denominator.bit_length() - step.error.numerator.bit_length()
        return step, min(bits, max(size, 0) + 64)

    def remainder(self, reach: int, bits: int) -> arb:
        """Add the error to the remainder of the approximation."""
        step, work = self._at_work(bits)
        return widened(step.inverse.remainder(reach, work), ball(step.error, work))
