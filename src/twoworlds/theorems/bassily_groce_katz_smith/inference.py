r"""Theorems 1 and 2 of Bassily, Groce, Katz & Smith, corrected: what an attacker concludes.

Let F be (epsilon, delta)-private with coupled worlds, a = e^epsilon, and g the number of pairs
(alt, priv). Given (t, z) = (F(X), Z), compare the laws of priv(X) given F(X) = t and z (real) and
given Sim(alt(X)) = t and z (ideal). For every d in (0, 1] they are, for all pairs,

    (2 epsilon, d)-indistinguishable, but for (t, z) of probability g delta (1 + a (1 - d)) / d

The definitions use one delta for d and for this failure: the best choice makes them equal,

    delta'^2 = g delta (1 + a (1 - delta'))

Print has (3 epsilon, 2 sqrt(g delta)) for both numbers. With d = 2 sqrt(g delta) the bound above is
at most d if a (1 - d) <= 3: there print is true, so for every a <= 3. It is false for a > 4, by
`twoworlds.theorems.bassily_groce_katz_smith.denied_value`.

Proof, for one pair; several add up. Let P, Q be the laws of (priv(X), (t, z)) in the two worlds;
each exceeds a times the other by at most delta, since this holds given priv(X) and z. Fix (t, z)
and an event about priv(X). Let x, y be its real and ideal probability given (t, z), r = Q(t, z) /
P(t, z), and c1, c2 what (t, z) adds to the excess of P over a Q and of Q over a P, divided by
P(t, z). Merging values of priv(X) into that event and its opposite never adds to an excess, so

    c1 >= (x - a r y)+ + (1 - x - a r (1 - y))+        c2 >= (r y - a x)+ + (r (1 - y) - a (1 - x))+

If (t, z) is bad, some event has x >= a^2 y + d or y >= a^2 x + d. In each case c1 + a (1 - d) c2 is
at least d:

* x >= a^2 y + d, r <= a:  c1 >= x - a^2 y >= d.
* x >= a^2 y + d, r > a:   c2 >= r - a, the sum of both terms; c1 >= x - (r/a) (x - d), least at
  x = 1, which is d - (1 - d) (r - a)/a. The sum is at least d + (1 - d) (r - a) (a - 1/a).
* y >= a^2 x + d, a r >= 1:  c2 >= r y - (y - d)/a >= d r, since y >= d; c1 >= 1 - a r (1 - d),
  since 1 - y <= 1 - d - a^2 x and a^3 r >= 1. With u = a r (1 - d) the sum is at least
  (1 - u)+ + d u >= d.
* y >= a^2 x + d, a r < 1:  c1 >= 1 - x - a r (1 - d - a^2 x), which is linear in x: at x = 0 it is
  1 - a r (1 - d) >= d, and at the other end, x = (1 - d)/a^2, it is 1 - x >= d.

So the bad (t, z) have probability at most the sum of P(t, z) (c1 + a (1 - d) c2)/d, and the sums of
P(t, z) c1 and P(t, z) c2 are at most delta. One that is impossible in the ideal world has r = 0 and
c1 = 1: it counts as a failure here as well.
"""

from __future__ import annotations

from fractions import Fraction

from twoworlds.errors import InvalidInput
from twoworlds.numbers import Number, show, sqrt
from twoworlds.theorems.formulas import capped
from twoworlds.theorems.guarantee import Guarantee
from twoworlds.theorems.hypotheses import at_most, finite, needs
from twoworlds.theorems.statements import Check, Context, theorem

__all__ = ["inference_delta", "inference_failure"]

_PAPER = "Bassily, Groce, Katz & Smith"
_PRINTED = "(epsilon, delta) implies (3 epsilon, 2 sqrt(delta g)) if 2 sqrt(delta g) <= epsilon "
_PRINTED += "e^epsilon, g the number of {}"
_CORRECTED = (
    "(2 epsilon, d) but for probability g delta (1 + e^epsilon (1 - d))/d, for every d; the "
)
_CORRECTED += (
    "best d makes both equal. As printed it is true if e^epsilon (1 - 2 sqrt(delta g)) <= "
)
_CORRECTED += "3, so for every e^epsilon <= 3"
_ERRATUM = "false for e^epsilon > 4: one record with 10 values, e^epsilon = 5 and delta = 0.002401 "
_ERRATUM += "fails with probability 0.108045, where 0.098 is printed"
_TIGHT = "for delta = 0, 2 epsilon is approached"


def inference_failure(ratio: Number, delta: Number, pairs: object, inner: Number) -> Number:
    """Return the probability of (t, z) whose conclusions are not (2 epsilon, d)-close: a bound.

    >>> inference_failure(Fraction(3), Fraction(1, 10**6), 10, Fraction(1, 100))
    Fraction(397, 100000)

    Raises:
        InvalidInput: for d outside of (0, 1].
    """
    if not 0 < inner <= 1:
        raise InvalidInput(f"inner={show(inner)} must lie above 0, and at most at 1")
    return delta * _count(pairs) * (1 + ratio * (1 - inner)) / inner


def inference_delta(ratio: Number, delta: Number, pairs: object) -> Number:
    r"""Return the delta' for which (2 epsilon, delta') follows in both of its roles.

    The root of d^2 + g delta a d = g delta (1 + a), which is at most 1 if g delta is.

    >>> inference_delta(Fraction(2), Fraction(1, 8), 1)
    Fraction(1, 2)
    """
    small = delta * _count(pairs)
    return capped((sqrt((small * ratio) ** 2 + 4 * small * (1 + ratio)) - small * ratio) / 2)


def _count(pairs: object) -> Fraction:
    if not isinstance(pairs, int) or pairs < 1:
        raise InvalidInput(f"pairs={pairs}: the number of pairs (alt, priv) is at least 1")
    return Fraction(pairs)


def _known_pairs_unless_pure(given: Guarantee, _context: Context) -> Check:
    if given.delta == 0:
        return Check("delta = 0", ok=True, text="delta = 0: no output fails, for any pair")
    if given.kind == "ddp":
        name = "the number of persons, or a bound for it"
        return needs(name, known=given.records, how="records=")
    return needs("the number of pairs (alt, priv)", known=given.pairs, how="pairs=")


def _printed(kind: str, given: Guarantee) -> Guarantee | None:
    claimed = 2 * sqrt(given.delta * Fraction(given.count or 1))
    allowed = at_most("2 sqrt(delta g) <= epsilon e^epsilon", claimed, given.epsilon * given.ratio)
    return given.to(kind, ratio=given.ratio**3, delta=claimed) if allowed.ok else None


def _conclude(kind: str, given: Guarantee) -> Guarantee:
    delta = inference_delta(given.ratio, given.delta, given.count or 1)
    return given.to(kind, ratio=given.ratio**2, delta=delta)


@theorem(
    "bgks-1",
    premises=["ddp"],
    conclusion="inference-ddp",
    citation=f"{_PAPER}, Theorem 1, corrected and sharper",
    hypotheses=(finite, _known_pairs_unless_pure),
    printed=_PRINTED.format("records"),
    printed_rule=lambda given, _context: _printed("inference-ddp", given),
    printed_false=True,
    corrected=_CORRECTED,
    tight=_TIGHT,
    tightness="proved",
    erratum=_ERRATUM,
)
def ddp_implies_inference(given: Guarantee, _context: Context) -> Guarantee:
    """Distributional privacy bounds what is concluded: (2 epsilon, d), with d = failure.

    >>> given = Guarantee.parse("ddp(ratio=3/2, delta=1/50, records=3)")
    >>> print(ddp_implies_inference(given, Context("inference-ddp")))
    inference-ddp(ratio=2.25, delta=0.3449038343, records=3)
    """
    return _conclude("inference-ddp", given)


@theorem(
    "bgks-2",
    premises=["coupled-worlds"],
    conclusion="inference-coupled-worlds",
    citation=f"{_PAPER}, Theorem 2 with Lemma 1, corrected and sharper",
    hypotheses=(finite, _known_pairs_unless_pure),
    printed=_PRINTED.format("pairs (alt, priv)"),
    printed_rule=lambda given, _context: _printed("inference-coupled-worlds", given),
    printed_false=True,
    corrected=_CORRECTED,
    tight=_TIGHT,
    tightness="proved",
    erratum=_ERRATUM,
)
def coupled_worlds_implies_inference(given: Guarantee, _context: Context) -> Guarantee:
    """Coupled worlds bounds what is concluded: (2 epsilon, d), with d = failure.

    >>> given = Guarantee.parse("coupled-worlds(ratio=2)")
    >>> print(coupled_worlds_implies_inference(given, Context("inference-coupled-worlds")))
    inference-coupled-worlds(ratio=4)
    """
    return _conclude("inference-coupled-worlds", given)
