r"""What integer noise protects, in words, and differential privacy derived from it.

Each inequality sum_j g(j) x_(k+j) >= 0 compares two sets of answers, those with positive and those
with negative coefficients, under the belief |g(j)| / sum |g| that the true answer is k + j. The
terms of g sum to 1, so the belief gives the first set the probability (1 + 1 / sum |g|) / 2, a
little above one half, and after any output the first set is still at least as likely as the second
(Lin & Kifer, Sections 5.3.1 and 5.3.2; Differs: "likelier" holds weakly, many outputs leave a tie).

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

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby
from typing import Any

from twoworlds.answer import Answer
from twoworlds.cones.certificates import Certificate
from twoworlds.cones.noise.laws import LawSource, NoiseLaw
from twoworlds.cones.noise.noise_cone import NoiseCone, noise_cone
from twoworlds.errors import InvalidInput, Unsupported
from twoworlds.numbers import Number, decimal, exact_text, rational
from twoworlds.show import Result

_MOST_NAMED = 7

Form = dict[int, Fraction]


@dataclass(frozen=True)
class Telescoping(Result):
    """The derivation of x_(k - direction) <= x_k / p from infinitely many inequalities."""

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
        return {k + self.direction * j: self.p**j for j in range(last + 1)}

    def remainder(self, last: int, k: int = 0) -> Form:
        """Return the coefficients of p^J (p x_(k+J) - x_(k+J+1)), which tends to 0."""
        end, power = k + self.direction * last, self.p**last
        return {end: self.p * power, end + self.direction: -power}

    def combined(self, last: int, k: int = 0) -> Form:
        """Return the sum of multiplier times premise, added up term by term."""
        weighed = ((w, self.premise(place)) for place, w in self.multipliers(last, k).items())
        return _sum(*({i: w * c for i, c in form.items()} for w, form in weighed))

    def verify(self) -> bool:
        """Check combined = conclusion + remainder for every J: at J = 0, and from J to J + 1.

        remainder(J) + p^(J+1) I(k + J + 1) = remainder(J + 1), where p^J divides both sides and
        the place only shifts, so one step stands for all.
        """
        start = self.combined(0) == _sum(self.conclusion(), self.remainder(0))
        step = {i: self.p * c for i, c in self.premise(self.direction).items()}
        return start and _sum(self.remainder(0), step) == self.remainder(1)

    def certificate(self, last: int, k: int = 0) -> Certificate:
        """Return the proof of what the first J + 1 inequalities give, and no more.

        With x_(k+J+1) >= 0 as a further premise they imply x_k / p - x_(k-1) + p^(J+1) x_(k+J)
        >= 0; the last term is what the limit removes.
        """
        end = k + self.direction * (last + 1)
        places = range(min(k - self.direction, end), max(k - self.direction, end) + 1)
        forms = [self.premise(place) for place in self.multipliers(last, k)]
        goal = _sum(self.combined(last, k), {end: self.p**last})

        def listed(form: Form) -> list[Fraction]:
            return [form.get(place, Fraction(0)) for place in places]

        fields = {
            "claim": f"x({k - self.direction}) <= {self.ratio} x({k}) up to the last term",
            "columns": list(map(str, places)),
            "inequality": listed(goal),
            "premises": [listed(form) for form in [*forms, {end: Fraction(1)}]],
            "multipliers": [*self.multipliers(last, k).values(), self.p**last],
        }
        return Certificate("implied", fields)

    @property
    def sentence(self) -> str:
        """The derivation in words."""
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

    def answer(self) -> Answer:
        """Say the derivation."""
        return Answer.of(self.sentence)

    def fields(self) -> dict[str, Any]:
        """Return the multipliers, with the first steps spelled out as a certificate."""
        return {
            "kind": "telescoping",
            "p": str(self.p),
            "ratio": str(self.ratio),
            "direction": self.direction,
            "multiplier": f"({self.p})^j",
            "verified": self.verify(),
            "explanation": self.sentence,
            "certificate": self.certificate(3),
        }


def telescoping(source: LawSource | NoiseCone) -> tuple[Telescoping, Telescoping]:
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
    p = cone.law.pmf(1) / cone.law.pmf(0)
    a, b = cone.inverse.at(0), cone.inverse.at(1)
    if not isinstance(p, Fraction) or a / -b != p + 1 / p:
        raise Unsupported(f"{cone.source} is not geometric noise")
    return Telescoping(p, 1), Telescoping(p, -1)


def _sum(*forms: Mapping[int, Fraction]) -> Form:
    places = sorted({place for form in forms for place in form})
    added = {i: sum((form.get(i, Fraction(0)) for form in forms), Fraction(0)) for i in places}
    return {i: c for i, c in added.items() if c}


@dataclass(frozen=True)
class NoiseStatement(Result):
    """One guarantee of integer noise.

    Attributes:
        sentence: the guarantee in words.
        first: places of the set that stays the likelier one; the window, if there are more.
        second: places of the other set.
        belief: the probability of each place, or None when every belief is meant.
        tail: the probability that the belief gives to places outside of the window.
        factor: by how much the odds of the second set against the first can grow beyond what the
            sentence compares with: 1, or the ratio of differential privacy.
        prior: the probability of the first set before any output, or None.
        at: the place k, or None for any.
        derivation: how it follows from infinitely many inequalities, if that is where it is from.
    """

    sentence: str
    first: tuple[int, ...]
    second: tuple[int, ...]
    belief: dict[int, Number] | None
    tail: Number
    factor: Fraction
    prior: Number | None
    at: int | None = None
    derivation: tuple[Telescoping, Telescoping] | None = None

    def posterior(self, law: NoiseLaw, output: int) -> Number:
        """Return the probability of the first set after an output, by Bayes, for a finite belief.

        >>> guard = noise_statements("geometric(ratio=2)", at=2)[0]
        >>> guard.posterior(noise_cone("geometric(ratio=2)").law, 2)
        Fraction(5, 7)
        """
        if self.belief is None or self.tail != 0:
            raise Unsupported(
                "the posterior is summed over finitely many places: this statement has none or "
                "infinitely many"
            )
        mass = {d: b * law.pmf(output - d) for d, b in self.belief.items()}
        everything = sum(mass.values(), start=Fraction(0))
        return sum((mass[d] for d in self.first), start=Fraction(0)) / everything

    def answer(self) -> Answer:
        """Say it, and how it follows from infinitely many inequalities."""
        derived = (self.derivation or ())[:1]
        return Answer(self.sentence, notes=[f"Why: {one.sentence}" for one in derived])


def noise_statements(
    source: LawSource | NoiseCone, *, at: int | None = None
) -> list[NoiseStatement]:
    """Return what the noise protects: the guarantee at a place k, and what follows from all k.

    >>> print(noise_statements("geometric(ratio=2)", at=2)[0].sentence)
    An attacker who believes that the true answer is 2 with probability 5/9 and 1 or 3 with \
probability 2/9 each, and so thinks {2} likelier than {1, 3}, still thinks so (weakly) after any \
output.
    """
    if at is not None and type(at) is not int:
        raise InvalidInput(f"at={at!r} must be a whole number")
    cone = source if isinstance(source, NoiseCone) else noise_cone(source)
    found = [_guard(cone, at)]
    try:
        derived = telescoping(cone)
    except Unsupported:
        return found
    return [*found, _differential_privacy(derived, at)]


def _guard(cone: NoiseCone, at: int | None) -> NoiseStatement:
    k = at or 0
    offsets = [j for j in cone.window if cone.inverse.sign(j) != 0]
    first = [j for j in offsets if cone.inverse.sign(j) > 0]
    second = [j for j in offsets if cone.inverse.sign(j) < 0]
    belief = {j: cone.inverse.belief(j) for j in offsets}
    tail = cone.left_out
    return NoiseStatement(
        sentence=_sentence(cone, at, first, second, belief, tail),
        first=tuple(k + j for j in first),
        second=tuple(k + j for j in second),
        belief={k + j: b for j, b in belief.items()},
        tail=tail,
        factor=Fraction(1),
        prior=(1 + 1 / cone.l1) / 2,
        at=at,
    )


def _sentence(
    cone: NoiseCone,
    at: int | None,
    first: Sequence[int],
    second: Sequence[int],
    belief: dict[int, Number],
    tail: Number,
) -> str:
    if not second:
        return (
            "No belief is protected: the noise is a fixed number, and the output gives the true "
            "answer away."
        )
    opening = "An attacker" if at is not None else "For every whole number k: an attacker"
    believed = _spoken(belief, at) + _left_out(cone, tail, at)
    return (
        f"{opening} who believes that the true answer is {believed}, and so thinks "
        f"{_sides(cone, at, first, second)}, still thinks so (weakly) after any output."
    )


def _spoken(belief: dict[int, Number], at: int | None) -> str:
    """List the likeliest places, those of equal probability together."""
    order = sorted(belief, key=lambda j: (-float(belief[j]), j))[:_MOST_NAMED]
    parts = []
    for shown, group in groupby(order, key=lambda j: _probability(belief[j])):
        places = [_name(j, at) for j in group]
        each = " each" if len(places) > 1 else ""
        parts.append(f"{' or '.join(places)} with probability {shown}{each}")
    more = len(belief) > len(order)
    text = ", ".join(parts[:-1]) + " and " + parts[-1] if len(parts) > 1 else parts[0]
    return f"{text} (and so on)" if more else text


def _left_out(cone: NoiseCone, tail: Number, at: int | None) -> str:
    if cone.finite:
        return ""
    ends = f"{_name(cone.window[0], at)} to {_name(cone.window[-1], at)}"
    return f", with probability at most {decimal(tail, 3)} in all outside of {ends}"


def _sides(cone: NoiseCone, at: int | None, first: Sequence[int], second: Sequence[int]) -> str:
    if len(first) + len(second) <= 3 and cone.finite:
        return f"{_listed(first, at)} likelier than {_listed(second, at)}"
    k = "k" if at is None else str(at)
    if cone.alternating:
        likelier = "an even" if first[0] % 2 == 0 else "an odd"
        other = "an odd" if likelier == "an even" else "an even"
        return f"{likelier} distance from {k} likelier than {other} one"
    if cone.inverse.peak is not None:
        return f"{_listed([cone.inverse.peak], at)} likelier than all the rest together"
    dots = "" if cone.finite else ", ..."
    left, right = (_listed(side, at)[:-1] + dots + "}" for side in (first, second))
    return f"{left} likelier than {right}"


def _differential_privacy(
    derived: tuple[Telescoping, Telescoping], at: int | None
) -> NoiseStatement:
    k, ratio = at or 0, derived[0].ratio
    here = "k" if at is None else str(at)
    shown = exact_text(ratio)
    return NoiseStatement(
        sentence=(
            f"Whatever an attacker believes, the odds of the answer {here} against either "
            f"neighbour {_name(-1, at)} or {_name(1, at)} change by a factor of at most {shown}: "
            f"differential privacy with ratio {shown}, which follows from the inequalities at all "
            "places by a telescoping sum, for bounded rows on all whole numbers."
        ),
        first=(k,),
        second=(k - 1, k + 1),
        belief=None,
        tail=Fraction(0),
        factor=ratio,
        prior=None,
        at=at,
        derivation=derived,
    )


def _name(j: int, at: int | None) -> str:
    if at is not None:
        return str(at + j)
    return f"k{j:+d}" if j else "k"


def _listed(places: Sequence[int], at: int | None) -> str:
    return "{" + ", ".join(_name(j, at) for j in places) + "}"


def _probability(value: Number) -> str:
    text = exact_text(value) if isinstance(value, Fraction) else None
    return text if text is not None and len(text) <= 9 else f"about {float(value):.4g}"
