r"""What integer noise protects, in words.

Each inequality sum_j g(j) x_(k+j) >= 0 compares two sets of answers, those with positive and those
with negative coefficients, under the belief |g(j)| / sum |g| that the true answer is k + j. The
terms of g sum to 1, so the belief gives the first set the probability (1 + 1 / sum |g|) / 2, a
little above one half, and after any output the first set is still at least as likely as the second
(Lin & Kifer, Sections 5.3.1 and 5.3.2; Differs: "likelier" holds weakly, many outputs leave a tie).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby
from typing import Any

from twoworlds.cones.noise.cone import NoiseCone, noise_cone
from twoworlds.cones.noise.laws import Law
from twoworlds.cones.noise.telescoping import Telescoping, telescoping
from twoworlds.errors import InvalidInput, Unsupported
from twoworlds.laws.noise import Noise
from twoworlds.mechanisms import Mechanism
from twoworlds.numbers import Number, decimal, exact_text, to_json

__all__ = ["NoiseStatement", "noise_statements"]

_MOST_NAMED = 7


@dataclass(frozen=True)
class NoiseStatement:
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

    @property
    def sets(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Both sets."""
        return self.first, self.second

    def posterior(self, law: Law, output: int) -> Number:
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

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        belief = self.belief
        return {
            "sentence": self.sentence,
            "at": self.at,
            "first": list(self.first),
            "second": list(self.second),
            "belief": None if belief is None else {str(d): to_json(b) for d, b in belief.items()},
            "tail": to_json(self.tail),
            "factor": to_json(self.factor),
            "prior": None if self.prior is None else to_json(self.prior),
            "derivation": None
            if self.derivation is None
            else [d.to_dict() for d in self.derivation],
        }


def noise_statements(
    source: str | Mechanism | Noise | Law | NoiseCone, *, at: int | None = None
) -> list[NoiseStatement]:
    """Return what the noise protects: the guarantee at a place k, and what follows from all k.

    Args:
        source: integer noise or its cone.
        at: the place k to speak of; by default the sentence speaks of any k and places are
            distances from it.

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
