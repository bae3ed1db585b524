r"""Is one integer noise another one with more noise added?

Let f and h be two laws with rational generating functions. Every row of the mechanism that adds h
is a shift of h backwards, so it lies in the row cone of f exactly when

    (g * h)(k) >= 0 for every k,   g the summable inverse of f.

These numbers sum to 1: if none is negative they are the law of the noise that is to be added to f
to get h, a post-processing of the whole numbers (Lin & Kifer, Theorem 5.1, for integer noise). So
differenced negative binomial noise with r + 1 is noise with r and geometric noise added, and its
row cone is the smaller one.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from twoworlds.cards.explained import Explained
from twoworlds.cones.noise.circle import circle_zero
from twoworlds.cones.noise.laws import Law, NoSummableInverse, RationalLaw, law
from twoworlds.cones.noise.rational import Rational
from twoworlds.errors import Undecided, Unsupported
from twoworlds.laws.noise import Noise
from twoworlds.mechanisms import Mechanism
from twoworlds.numbers import Number, to_json

__all__ = ["NoiseQuotient", "noise_quotient"]

_DRAWN = 3


@dataclass(frozen=True)
class NoiseQuotient(Explained):
    """The sequence g * h: the noise that turns the first law into the second, if it is one.

    Attributes:
        sequence: its terms.
        at: a place with a negative term, or None when it is a law.
    """

    first: str
    second: str
    sequence: Rational
    at: int | None

    def __bool__(self) -> bool:
        """Tell whether the second is the first with more noise."""
        return self.at is None

    @property
    def value(self) -> Number | None:
        """The negative term that refutes it, or None."""
        return None if self.at is None else self.sequence.at(self.at)

    def explain(self) -> str:
        """Say it in words."""
        if self.at is None:
            return (
                f"{self.second} is {self.first} with independent noise added, whose probabilities "
                f"at -1, 0, 1 are {', '.join(self._shown(k) for k in (-1, 0, 1))}"
            )
        return (
            f"{self.second} is not {self.first} with noise added, nor anything else done to its "
            f"output: that noise would have the probability {self._shown(self.at)} at {self.at}"
        )

    def picture(self) -> str:
        """Draw the middle of the sequence, and its negative term."""
        from twoworlds.cards import bars

        places = sorted({*range(-_DRAWN, _DRAWN + 1), *([] if self.at is None else [self.at])})
        terms = {f"at {k}": self.sequence.at(k) for k in places}
        return bars("What the added noise would have to be", terms, share=False)

    def _shown(self, k: int) -> str:
        term = self.sequence.at(k)
        return str(term) if isinstance(term, Fraction) else f"{float(term):.6g}"

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        value = None if self.value is None else to_json(self.value)
        return {
            "first": self.first,
            "second": self.second,
            "holds": bool(self),
            "at": self.at,
            "value": value,
        }


def noise_quotient(
    first: str | Mechanism | Noise | Law, second: str | Mechanism | Noise | Law
) -> NoiseQuotient:
    """Decide whether the second noise is the first with independent noise added.

    >>> bool(noise_quotient("geometric(ratio=3)", "geometric(ratio=2)"))
    True
    >>> noise_quotient("geometric(ratio=2)", "geometric(ratio=3)").value
    Fraction(-5, 18)

    Raises:
        NoSummableInverse: when the first transform has a zero.
        Unsupported: when a generating function is not rational.
        Undecided: when the signs far out could not be settled.
    """
    f, h = law(first), law(second)
    if not isinstance(f, RationalLaw) or not isinstance(h, RationalLaw):
        other = h if isinstance(f, RationalLaw) else f
        raise Unsupported(
            f"{other.expression} has no rational generating function: quotients are decided for "
            "geometric, negative binomial, binomial and finite noise, their sums and mixtures"
        )
    top, bottom = h.numerator * f.denominator, h.denominator * f.numerator
    common = top.gcd(bottom)
    if (zero := circle_zero(bottom // common)) is not None:
        raise NoSummableInverse(f.expression, zero)
    sequence = Rational(h.shift - f.shift, top, bottom)
    signs = sequence.signs
    if signs is None:
        raise Undecided(
            f"the signs of the quotient of {h.expression} by {f.expression} do not settle where "
            "they could be computed"
        )
    negative = [k for k, sign in signs.items() if sign < 0]
    at = min(negative, key=lambda k: (float(sequence.at(k)), abs(k)), default=None)
    return NoiseQuotient(f.expression, h.expression, sequence, at)
