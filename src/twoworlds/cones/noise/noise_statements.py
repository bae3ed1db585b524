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

from twoworlds.answer import Answer
from twoworlds.cones.certificates import proved
from twoworlds.cones.noise.laws import LawSource
from twoworlds.cones.noise.noise_cone import NoiseCone, noise_cone
from twoworlds.errors import InvalidInput, Unsupported
from twoworlds.numbers import Number, decimal, exact_text
from twoworlds.show import Result, Told

_MOST_NAMED, _SHOWN_STEPS = 7, 3

Form = dict[int, Fraction]


def telescoped(p: Fraction, direction: int = 1) -> Told:
    """Return the derivation of x_(k - direction) <= x_k / p from infinitely many inequalities.

    The identity is checked for every J: at J = 0, and from J to J + 1, where p^J divides both sides
    and the place only shifts, so that one step stands for all. The certificate proves what the
    first inequalities give, and no more: with x_(J+1) >= 0 as a further premise they imply
    x_0 / p - x_(-1) + p^(J+1) x_J >= 0 upward; the last term is what the limit removes.

    >>> [float(m) for m in telescoped(Fraction(1, 2)).data["certificate"]["multipliers"]]
    [1.0, 0.5, 0.25, 0.125, 0.125]
    """

    def premise(k: int) -> Form:
        return {k - 1: Fraction(-1), k: p + 1 / p, k + 1: Fraction(-1)}

    def remainder(last: int) -> Form:
        return {direction * last: p ** (last + 1), direction * (last + 1): -(p**last)}

    conclusion = {0: 1 / p, -direction: Fraction(-1)}
    step = _sum(remainder(0), _times(p, premise(direction)))
    verified = premise(0) == _sum(conclusion, remainder(0)) and step == remainder(1)
    end = direction * (_SHOWN_STEPS + 1)
    places = range(min(-direction, end), max(-direction, end) + 1)
    premises = [premise(direction * j) for j in range(_SHOWN_STEPS + 1)] + [{end: Fraction(1)}]
    weights = [p**j for j in range(_SHOWN_STEPS + 1)] + [p**_SHOWN_STEPS]
    goal = _sum(*map(_times, weights, premises))
    proof = proved(
        "implied",
        claim=f"x({-direction}) <= {1 / p} x(0) up to the last term",
        columns=list(map(str, places)),
        inequality=[goal.get(place, Fraction(0)) for place in places],
        premises=[[form.get(place, Fraction(0)) for place in places] for form in premises],
        multipliers=weights,
    )
    sentence = _telescoping_sentence(p, direction)
    data = {
        "kind": "telescoping",
        "p": str(p),
        "ratio": str(1 / p),
        "direction": direction,
        "multiplier": f"({p})^j",
        "verified": verified,
        "explanation": sentence,
        "certificate": proof,
    }
    return Told(Answer.of(sentence), data)


def _telescoping_sentence(p: Fraction, direction: int) -> str:
    other = "k-1" if direction == 1 else "k+1"
    sign, back = ("+", "-") if direction == 1 else ("-", "+")
    share, ratio = exact_text(p), exact_text(1 / p)
    return (
        f"Write I(k) for -x(k-1) + {p + 1 / p} x(k) - x(k+1) >= 0. For every J, "
        f"the sum of ({share})^j I(k{sign}j) over j = 0..J is {ratio} x(k) - x(k{back}1) plus "
        f"({share})^J ({share} x(k{sign}J) - x(k{sign}J{sign}1)). The row is bounded and reaches "
        f"over all whole numbers, so the last part tends to 0, and x({other}) <= {ratio} x(k): "
        f"differential privacy with ratio {ratio}. The converse fails: x(0) = 1 and {ratio} "
        f"elsewhere obeys every such bound, but I(0) = {p - 1 / p} is below 0."
    )


def telescoping(source: LawSource | NoiseCone) -> tuple[Told, Told]:
    """Return both derivations for geometric noise with rational p, checked against its cone.

    >>> [part.data["ratio"] for part in telescoping("geometric(ratio=2)")]
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
    return telescoped(p, 1), telescoped(p, -1)


def _times(factor: Fraction, form: Form) -> Form:
    return {place: factor * c for place, c in form.items()}


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
    derivation: tuple[Told, Told] | None = None

    def answer(self) -> Answer:
        """Say it, and how it follows from infinitely many inequalities."""
        derived = (self.derivation or ())[:1]
        return Answer(self.sentence, notes=[f"Why: {one.data['explanation']}" for one in derived])


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


def _differential_privacy(derived: tuple[Told, Told], at: int | None) -> NoiseStatement:
    k, ratio = at or 0, Fraction(derived[0].data["ratio"])
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
