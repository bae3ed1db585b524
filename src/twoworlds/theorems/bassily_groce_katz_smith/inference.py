r"""Theorems 1 and 2 of Bassily, Groce, Katz & Smith, corrected: what an attacker concludes.

Let F be (epsilon, delta)-private with coupled worlds, a = e^epsilon, and g the number of pairs
(alt, priv). Given (t, z) = (F(X), Z), compare the laws of priv(X) given F(X) = t and z (real) and
given Sim(alt(X)) = t and z (ideal). For every d > 0, but for (t, z) of probability ``failure``,
they are indistinguishable for all pairs with

    (3 epsilon, d),  failure g delta (1 + a (1 - d)) / d      for d <= 1 - 1/a; `inference_failure`
    (2 epsilon, d),  failure g delta (1 + a + a^2) / d        found here

The first is Lemma 1, which is Kasiviswanathan & Smith's Lemma 3.4, as corrected in
`twoworlds.theorems.conditioning_failure`. Print has (3 epsilon, 2 sqrt(g delta)) for both numbers,
which is false for e^epsilon > 4. The definitions use one delta for d and failure: the best choice
makes them equal (`inference_delta`, `sharper_inference_delta`).

Proof of the second line: for one pair let P, Q be the laws of (priv(X), (t, z)) in the two worlds,
P <= a Q + h, Q <= a P + k, where h, k >= 0 have mass at most delta, and P_t, Q_t, h_t, k_t what
they give to (t, z). Given (t, z), the excess of P over a^2 Q is at most (h_t + a k_t)/P_t, since
Q_t <= a P_t + k_t. The excess of Q over a^2 P is at most e = min(1, (k_t + a h_t)/Q_t), and
P_t e <= a Q_t e + h_t <= a k_t + (a^2 + 1) h_t. So both are at most (a k_t + (a^2 + 1) h_t)/P_t,
whose mean is at most delta (1 + a + a^2): Markov, and add up the pairs. A (t, z) that is impossible
in the ideal world has h_t = P_t and counts as a failure here as well.
"""

from __future__ import annotations

from fractions import Fraction

from twoworlds.errors import InvalidInput
from twoworlds.numbers import Number, Order, maximum, show, sqrt
from twoworlds.theorems.formulas import capped, minimum, order
from twoworlds.theorems.guarantee import Guarantee
from twoworlds.theorems.hypotheses import at_most, finite, needs, positive_delta, strictly_below
from twoworlds.theorems.kasiviswanathan_smith import conditioning_failure
from twoworlds.theorems.statements import Check, Context, theorem

__all__ = ["inference_delta", "inference_failure", "sharper_inference_delta"]

_PAPER = "Bassily, Groce, Katz & Smith"
_PRINTED = "(epsilon, delta) implies (3 epsilon, 2 sqrt(delta g)) if 2 sqrt(delta g) <= epsilon "
_PRINTED += "e^epsilon, g the number of {}"
_CORRECTED = "(3 epsilon, d) but for probability g delta (1 + e^epsilon (1 - d))/d, for "
_CORRECTED += "d <= 1 - e^-epsilon; the best d makes both equal. As printed it is true for "
_CORRECTED += "epsilon <= 0.5526, and for e^epsilon <= 3 if 2 sqrt(delta g) <= 1 - e^-epsilon"
_ERRATUM = "false for e^epsilon > 4: one record with 10 values, e^epsilon = 5 and delta = 0.002401 "
_ERRATUM += "fails with probability 0.108045, where 0.098 is printed"


def inference_failure(ratio: Number, delta: Number, pairs: object, inner: Number) -> Number:
    """Return the probability of (t, z) whose conclusions are not (3 epsilon, d)-close: a bound.

    >>> inference_failure(Fraction(3), Fraction(1, 10**6), 10, Fraction(1, 100))
    Fraction(397, 100000)
    """
    return conditioning_failure(ratio, delta, inner) * _count(pairs)


def inference_delta(ratio: Number, delta: Number, pairs: object) -> Number:
    r"""Return the smallest delta' for which (3 epsilon, delta') follows in both of its roles.

    The root of d^2 + g delta a d = g delta (1 + a), if that is at most 1 - 1/a. Else the smaller of
    two: the failure probability at d = 1 - 1/a, which is above d then; and what the general form of
    the Conditioning Lemma gives. Where print is known to be true, this is never larger.

    >>> inference_delta(Fraction(2), Fraction(1, 8), 1)
    Fraction(1, 2)
    """
    if not ratio > 1:
        raise InvalidInput(f"ratio={show(ratio)}: this needs an epsilon above 0")
    small = delta * _count(pairs)
    root = (sqrt((small * ratio) ** 2 + 4 * small * (1 + ratio)) - small * ratio) / 2
    largest = 1 - 1 / ratio
    if order(root, largest) in (Order.LESS, Order.EQUAL):
        return root
    return capped(minimum(maximum(largest, 2 * small / largest), _general(ratio, small)))


def _general(ratio: Number, small: Number) -> Number:
    """Return d >= 1 - 1/a with s/(1 - 1/a) + s a/min(d, a^2 (a - 1)) <= d, for s = g delta."""
    largest = 1 - 1 / ratio
    first = small / largest
    root = (first + sqrt(first**2 + 4 * small * ratio)) / 2
    beyond = first + small / (ratio * (ratio - 1))
    found = order(root, ratio**2 * (ratio - 1))
    if found is Order.UNDECIDED:
        return maximum(largest, maximum(root, beyond))
    return maximum(largest, beyond if found is Order.GREATER else root)


def sharper_inference_delta(ratio: Number, delta: Number, pairs: object) -> Number:
    r"""Return sqrt(g delta (1 + a + a^2)), for which (2 epsilon, delta') follows in both roles.

    >>> sharper_inference_delta(Fraction(2), Fraction(1, 700), 1)
    Fraction(1, 10)
    """
    return capped(sqrt(delta * _count(pairs) * (1 + ratio + ratio**2)))


def _count(pairs: object) -> Fraction:
    if not isinstance(pairs, int) or pairs < 1:
        raise InvalidInput(f"pairs={pairs}: the number of pairs (alt, priv) is at least 1")
    return Fraction(pairs)


def _known_pairs(given: Guarantee, _context: Context) -> Check:
    name = "the number of pairs (alt, priv)"
    if given.kind == "ddp":
        name = "the number of persons, or a bound for it"
    return needs(name, known=given.records, how="records=")


def _known_pairs_unless_pure(given: Guarantee, context: Context) -> Check:
    if given.delta == 0:
        return Check("delta = 0", ok=True, text="delta = 0: no output fails, for any pair")
    return _known_pairs(given, context)


def _positive_epsilon(given: Guarantee, _context: Context) -> Check:
    return strictly_below("0 < epsilon", Fraction(0), given.epsilon)


def _printed(kind: str, given: Guarantee) -> Guarantee | None:
    claimed = 2 * sqrt(given.delta * Fraction(given.records or 1))
    allowed = at_most("2 sqrt(delta g) <= epsilon e^epsilon", claimed, given.epsilon * given.ratio)
    return given.to(kind, ratio=given.ratio**3, delta=claimed) if allowed.ok else None


def _conclude(kind: str, given: Guarantee) -> Guarantee:
    delta = inference_delta(given.ratio, given.delta, given.records or 1)
    return given.to(kind, ratio=given.ratio**3, delta=delta)


def _conclude_sharper(kind: str, given: Guarantee) -> Guarantee:
    delta = sharper_inference_delta(given.ratio, given.delta, given.records or 1)
    return given.to(kind, ratio=given.ratio**2, delta=delta)


_HYPOTHESES = (finite, _positive_epsilon, positive_delta, _known_pairs)


@theorem(
    "bgks-1",
    premises=["ddp"],
    conclusion="inference-ddp",
    citation=f"{_PAPER}, Theorem 1, corrected",
    hypotheses=_HYPOTHESES,
    printed=_PRINTED.format("records"),
    printed_rule=lambda given, _context: _printed("inference-ddp", given),
    printed_false=True,
    corrected=_CORRECTED,
    tightness="proved",
    erratum=_ERRATUM,
)
def ddp_implies_inference(given: Guarantee, _context: Context) -> Guarantee:
    """Distributional privacy bounds what is concluded: (3 epsilon, d), with d = failure."""
    return _conclude("inference-ddp", given)


@theorem(
    "bgks-2",
    premises=["coupled-worlds"],
    conclusion="inference-coupled-worlds",
    citation=f"{_PAPER}, Theorem 2, corrected, by Lemma 1 (Kasiviswanathan & Smith, Lemma 3.4)",
    hypotheses=_HYPOTHESES,
    printed=_PRINTED.format("pairs (alt, priv)"),
    printed_rule=lambda given, _context: _printed("inference-coupled-worlds", given),
    printed_false=True,
    corrected=_CORRECTED,
    tightness="proved",
    erratum=_ERRATUM,
)
def coupled_worlds_implies_inference(given: Guarantee, _context: Context) -> Guarantee:
    """Coupled worlds bounds what is concluded: (3 epsilon, d), with d = failure."""
    return _conclude("inference-coupled-worlds", given)


@theorem(
    "bgks-1-sharper",
    premises=["ddp"],
    conclusion="inference-ddp",
    citation=f"twoworlds, sharper in epsilon than {_PAPER}, Theorem 1",
    hypotheses=(finite, _known_pairs_unless_pure),
    tight="for delta = 0, 2 epsilon is approached",
    tightness="proved",
)
def ddp_implies_inference_sharper(given: Guarantee, _context: Context) -> Guarantee:
    """Distributional privacy: (2 epsilon, sqrt(n delta (1 + e^epsilon + e^(2 epsilon))))."""
    return _conclude_sharper("inference-ddp", given)


@theorem(
    "bgks-2-sharper",
    premises=["coupled-worlds"],
    conclusion="inference-coupled-worlds",
    citation=f"twoworlds, sharper in epsilon than {_PAPER}, Theorem 2",
    hypotheses=(finite, _known_pairs_unless_pure),
    tight="for delta = 0, 2 epsilon is approached",
    tightness="proved",
)
def coupled_worlds_implies_inference_sharper(given: Guarantee, _context: Context) -> Guarantee:
    """Coupled worlds: (2 epsilon, sqrt(g delta (1 + e^epsilon + e^(2 epsilon)))), g pairs.

    >>> given = Guarantee.parse("coupled-worlds(ratio=2)")
    >>> print(coupled_worlds_implies_inference_sharper(given, Context("inference-coupled-worlds")))
    inference-coupled-worlds(ratio=4)
    """
    return _conclude_sharper("inference-coupled-worlds", given)
