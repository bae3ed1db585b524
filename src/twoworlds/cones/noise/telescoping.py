r"""Differential privacy derived from the row cone of geometric noise, by a telescoping sum.

The inequalities of geometric noise with continuation probability p are, for every k,

    I(k) = -x_(k-1) + (p + 1/p) x_k - x_(k+1) >= 0     (Lin & Kifer, Theorem 5.15 with r = 1).

Adding them upward from k with weights p^j telescopes (Section 5.3.1):

    sum_(j=0..J) p^j I(k+j) = x_k / p - x_(k-1) + p^J (p x_(k+J) - x_(k+J+1)).

Differs: the paper writes only the limit. For a finite J the last part remains; it vanishes because
x is bounded and defined on all whole numbers. On a finite range nothing of the kind follows.
Downward from k the same sum gives x_k / p - x_(k+1) >= 0. The identity is checked for every J at
once, by induction: at J = 0, and one step further with p^J divided out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from twoworlds.cards.explained import Explained
from twoworlds.cones.noise.cone import NoiseCone, noise_cone
from twoworlds.cones.noise.laws import Law
from twoworlds.errors import InvalidInput, Unsupported
from twoworlds.mechanisms import Mechanism
from twoworlds.numbers import exact_text, rational

__all__ = ["Telescoping", "telescoping"]

Form = dict[int, Fraction]


@dataclass(frozen=True)
class Telescoping(Explained):
    """The derivation of x_(k - direction) <= x_k / p from infinitely many inequalities.

    Attributes:
        p: the continuation probability; the ratio derived is 1 / p.
        direction: 1 to add the inequalities at k, k + 1, ..., or -1 for k, k - 1, ...
    """

    p: Fraction
    direction: int = 1

    def __post_init__(self) -> None:
        """Check the numbers and the induction, so that no wrong derivation exists."""
        object.__setattr__(self, "p", rational(self.p, "p"))
        if not 0 < self.p < 1:
            raise InvalidInput(f"p={self.p} must lie strictly between 0 and 1")
        if self.direction not in (1, -1):
            raise InvalidInput(f"direction={self.direction} must be 1 (upward) or -1 (downward)")
        if not self.verify():
            raise InvalidInput(f"the telescoping identity fails for p={self.p}")  # pragma: no cover

    @property
    def ratio(self) -> Fraction:
        """Return 1 / p = e^epsilon."""
        return 1 / self.p

    def premise(self, k: int) -> Form:
        """Return the coefficients of I(k)."""
        return {k - 1: Fraction(-1), k: self.p + 1 / self.p, k + 1: Fraction(-1)}

    def conclusion(self, k: int = 0) -> Form:
        """Return the coefficients of x_k / p - x_(k - direction)."""
        return {k: 1 / self.p, k - self.direction: Fraction(-1)}

    def multipliers(self, last: int, k: int = 0) -> Form:
        """Return p^j for the inequality at k + j direction, j = 0..last."""
        return {k + self.direction * j: self.p**j for j in range(_count(last) + 1)}

    def remainder(self, last: int, k: int = 0) -> Form:
        """Return the coefficients of p^J (p x_(k+J) - x_(k+J+1)) in the given direction."""
        end, power = k + self.direction * _count(last), self.p**last
        return {end: self.p * power, end + self.direction: -power}

    def remainder_bound(self, last: int, largest: object = 1) -> Fraction:
        """Return a bound on the remainder for rows between 0 and ``largest``: it tends to 0."""
        return self.p ** _count(last) * rational(largest, "largest")

    def combined(self, last: int, k: int = 0) -> Form:
        """Return the sum of multiplier times premise, added up term by term."""
        weighed = ((w, self.premise(place)) for place, w in self.multipliers(last, k).items())
        return _sum(*({i: w * c for i, c in form.items()} for w, form in weighed))

    def identity(self, last: int, k: int = 0) -> bool:
        """Check combined = conclusion + remainder for one J."""
        return self.combined(last, k) == _sum(self.conclusion(k), self.remainder(last, k))

    def verify(self) -> bool:
        """Check the identity for every J: at J = 0, and the step from J to J + 1.

        remainder(J) + p^(J+1) I(k + J + 1) = remainder(J + 1), where p^J divides both sides and
        the place only shifts, so one step stands for all.
        """
        step = {i: self.p * c for i, c in self.premise(self.direction).items()}
        return self.identity(0) and _sum(self.remainder(0), step) == self.remainder(1)

    def value(self, row: Mapping[int, object], k: int, *, otherwise: object = 0) -> Fraction:
        """Evaluate I(k) on a row that is constant but for a few places.

        >>> Telescoping(Fraction(1, 2)).value({0: 1}, 0, otherwise=2)
        Fraction(-3, 2)
        """
        form = self.premise(k)
        terms = (c * rational(row.get(i, otherwise), f"x({i})") for i, c in form.items())
        return sum(terms, start=Fraction(0))

    def not_conversely(self) -> tuple[dict[int, Fraction], Fraction]:
        """Return a row, as (places, otherwise), that is private with the ratio but not in the cone.

        It is 1 at 0 and 1/p elsewhere: neighbours differ by 1/p at most, but I(0) = p - 1/p < 0.
        """
        return {0: Fraction(1)}, self.ratio

    def certificate(self, last: int, k: int = 0) -> dict[str, Any]:
        """Return plain data that prove what the first J + 1 inequalities give, and no more.

        With x_(k+J+1) >= 0 as a further premise they imply x_k / p - x_(k-1) + p^(J+1) x_(k+J)
        >= 0; the last term is what the limit removes. Any verifier of ``implied`` checks it.
        """
        end = k + self.direction * (_count(last) + 1)
        places = range(min(k - self.direction, end), max(k - self.direction, end) + 1)
        forms = [self.premise(place) for place in self.multipliers(last, k)]
        multipliers = [*self.multipliers(last, k).values(), self.p**last]
        goal = _sum(self.combined(last, k), {end: self.p**last})
        return {
            "kind": "implied",
            "claim": f"x({k - self.direction}) <= {self.ratio} x({k}) up to the last term",
            "columns": [str(place) for place in places],
            "inequality": [_plain(goal.get(place, 0)) for place in places],
            "premises": [
                [_plain(form.get(place, 0)) for place in places]
                for form in [*forms, {end: Fraction(1)}]
            ],
            "multipliers": [_plain(w) for w in multipliers],
        }

    def explain(self) -> str:
        """Say the derivation in words."""
        other = "k-1" if self.direction == 1 else "k+1"
        sign, back = ("+", "-") if self.direction == 1 else ("-", "+")
        p, ratio = exact_text(self.p), exact_text(self.ratio)
        return (
            f"Write I(k) for -x(k-1) + {self.p + self.ratio} x(k) - x(k+1) >= 0. For every J, "
            f"the sum of ({p})^j I(k{sign}j) over j = 0..J is {ratio} x(k) - x(k{back}1) plus "
            f"({p})^J ({p} x(k{sign}J) - x(k{sign}J{sign}1)). The row is bounded and reaches over "
            f"all whole numbers, so the last part tends to 0, and x({other}) <= {ratio} x(k): "
            f"differential privacy with ratio {ratio}. The converse fails: x(0) = 1 and {ratio} "
            f"elsewhere obeys every such bound, but I(0) = {self.p - self.ratio} is below 0."
        )

    def to_dict(self) -> dict[str, Any]:
        """Return plain data, with the first steps spelled out as a certificate."""
        return {
            "kind": "telescoping",
            "p": str(self.p),
            "ratio": str(self.ratio),
            "direction": self.direction,
            "multiplier": f"({self.p})^j",
            "verified": self.verify(),
            "explanation": self.explain(),
            "certificate": self.certificate(3),
        }


def telescoping(source: str | Mechanism | Law | NoiseCone) -> tuple[Telescoping, Telescoping]:
    """Return both derivations for geometric noise with rational p, checked against its cone.

    >>> [str(part.ratio) for part in telescoping("geometric(ratio=2)")]
    ['2', '2']
    """
    cone = source if isinstance(source, NoiseCone) else noise_cone(source)
    form = cone.integers
    if form is None or len(form) != 3 or cone.window.start != -1 or form[0] != form[2]:
        raise Unsupported(
            f"{cone.source}: the telescoping sum is for geometric noise with a rational ratio, "
            "whose inequalities have the three terms x(k-1), x(k), x(k+1)"
        )
    p = _continuation(cone)
    return Telescoping(p, 1), Telescoping(p, -1)


def _continuation(cone: NoiseCone) -> Fraction:
    """Read p off the probabilities, and check it against the coefficients of the cone."""
    p = cone.law.pmf(1) / cone.law.pmf(0)
    a, b = cone.inverse.at(0), cone.inverse.at(1)
    if not isinstance(p, Fraction) or a / -b != p + 1 / p:
        raise Unsupported(f"{cone.source} is not geometric noise")
    return p


def _plain(value: Fraction | int) -> int | str:
    """Return a number as certificates have it: an int, or a fraction in lowest terms."""
    return int(value) if value == int(value) else str(value)


def _count(last: int) -> int:
    if type(last) is not int or last < 0:
        raise InvalidInput(f"J={last!r} must be a whole number, at least 0")
    return last


def _sum(*forms: Mapping[int, Fraction]) -> Form:
    places = sorted({place for form in forms for place in form})
    added = {i: sum((form.get(i, Fraction(0)) for form in forms), Fraction(0)) for i in places}
    return {i: c for i, c in added.items() if c}
