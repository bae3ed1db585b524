r"""The formulas of the theorems, on exact numbers, with their proofs.

Bounds are kept as ratios a = e^epsilon, in which the hyperbolic functions are rational:

    tanh(epsilon/2) = (a - 1) / (a + 1)          e^(4 artanh s) = ((1 + s) / (1 - s))^2

so that epsilon = ln 3 gives tanh(epsilon/2) = 1/2 exactly.
"""

from __future__ import annotations

from fractions import Fraction

from twoworlds.errors import InvalidInput
from twoworlds.numbers import (
    INFINITY,
    Number,
    Order,
    Real,
    Side,
    ball,
    compare,
    exact_text,
    exp,
    ln,
    show,
    sqrt,
)
from twoworlds.numbers import decimal as rounded

_BITS = 512
_SHORT, _LONG = 12, 24


def tanh_half(ratio: Number) -> Number:
    """Return tanh(epsilon/2) for the ratio a = e^epsilon: (a - 1) / (a + 1)."""
    return Fraction(1) if ratio == INFINITY else (ratio - 1) / (ratio + 1)


def tanh_quarter(ratio: Number) -> Number:
    """Return tanh(epsilon/4) for the ratio a = e^epsilon: (sqrt a - 1) / (sqrt a + 1)."""
    return tanh_half(sqrt(ratio))


def ratio_of_four_artanh(distance: Number) -> Number:
    """Return e^(4 artanh s) = ((1 + s) / (1 - s))^2, the ratio whose tanh(epsilon/4) is s."""
    if order(distance, Fraction(1)) is not Order.LESS:
        return INFINITY
    return ((1 + distance) / (1 - distance)) ** 2


def order(a: Number, b: Number) -> Order:
    """Compare two numbers; formulas of one value that agree to many bits stay undecided."""
    return compare(a, b, limit=_BITS)


def minimum(a: Number, b: Number) -> Number:
    """Return the smaller of two numbers, or an enclosure of it when their order is not known."""
    found = order(a, b)
    if found is Order.UNDECIDED:
        return Real(lambda bits: ball(a, bits).min(ball(b, bits)))
    return b if found is Order.GREATER else a


def capped(x: Number) -> Number:
    """Return a bound on a probability, which is never above 1."""
    return minimum(x, Fraction(1))


def typed(x: Number) -> str:
    """Write a number so that it can be typed in again, rounded up where it is not exact.

    >>> typed(Fraction(1, 10)), typed(Fraction(1, 3)), typed(tanh_half(exp(Fraction(1, 10))))
    ('0.1', '1/3', '0.04995837496')
    """
    if x == INFINITY:
        return "inf"
    digits = rounded(x, 10)
    if isinstance(x, Fraction):
        text = str(exact_text(x))
        return digits if Fraction(digits) == x else text if len(text) <= _LONG else digits
    return digits


def typed_ratio(ratio: Number) -> str:
    """Write a ratio, or its epsilon where that is the shorter text, so that it can be typed."""
    if isinstance(ratio, Fraction) and ratio != 1:
        return f"ratio={typed(ratio)}"
    return f"epsilon={typed(ln(ratio))}"


def brief(x: Number, side: Side = "about") -> str:
    """Write a number for a sentence: as exactly as it is short."""
    if x == INFINITY:
        return "infinity"
    text = exact_text(x)
    if isinstance(x, Fraction) and text is not None and len(text) <= _SHORT:
        return text
    return rounded(x, 6, side)


def smaller_ratio_delta(ratio: Number, delta: Number, smaller: Number) -> Number:
    r"""Return the delta at a smaller ratio b that follows from (a, delta), for 1 <= b <= a.

        delta(b) = delta + (1 - delta) (a - b) / (a + 1)

    Proof: let S be the event with H_b = P(S) - b Q(S), and u = Q(S). Then P(S) <= a u + delta and,
    from the complement, P(S) <= 1 - (1 - delta - u) / a. The bound (a - b) u + delta rises in u,
    the other falls; they meet at u = (1 - delta) / (a + 1). Attained by the laws with masses
    (delta, a v, v, 0) and (0, v, a v, delta), v = (1 - delta) / (a + 1).

    >>> smaller_ratio_delta(Fraction(3), Fraction(0), Fraction(1))
    Fraction(1, 2)
    """
    return delta + (1 - delta) * (ratio - smaller) / (ratio + 1)


def group_delta(ratio: Number, delta: Number, steps: int) -> Number:
    r"""Return the delta for c single steps at ratio a^c.

        delta (1 + a + ... + a^(c-1)) = delta (a^c - 1) / (a - 1)

    Each step multiplies by a and adds delta. The cruder c a^(c-1) delta is larger.

    >>> group_delta(Fraction(2), Fraction(1, 100), 3)
    Fraction(7, 100)
    """
    if delta == 0 or ratio == 1 or steps == 1:
        return delta * steps
    return delta * (ratio**steps - 1) / (ratio - 1)


# --- power of tests -------------------------------------------------------------------------------


def largest_power(ratio: Number, delta: Number, level: Number) -> Number:
    r"""Return min(1, a alpha + delta, 1 - (1 - delta - alpha)/a), the largest power at a level.

    >>> largest_power(Fraction(3), Fraction(0), Fraction(1, 4))
    Fraction(3, 4)
    """
    first, second = ratio * level + delta, 1 - (1 - delta - level) / ratio
    return capped(minimum(first, second))


def sharper_semantic(
    ratio: Number,
    delta: Number,
    records: int,
    *,
    epsilon: Number | None = None,
    failure: Number | None = None,
) -> tuple[Number, Number]:
    r"""Return (tanh(epsilon/2) + tau, n delta (2 + e^epsilon) / tau) for one tau.

    tau is chosen to give the semantic epsilon that is wanted, or the failure probability that is
    wanted; without either, tau = sqrt(n delta (2 + e^epsilon)), which makes both equal to tau. With
    delta = 0, tau = 0.

    >>> sharper_semantic(Fraction(3), Fraction(1, 10**6), 2, failure=Fraction(1, 1000))
    (Fraction(51, 100), Fraction(1, 1000))
    """
    pure, product = tanh_half(ratio), delta * records * (2 + ratio)
    if delta == 0:
        return pure, Fraction(0)
    if epsilon is not None:
        return epsilon, product / (epsilon - pure)
    tau = sqrt(product) if failure is None else product / failure
    return pure + tau, tau if failure is None else failure


def _largest_weight(distance: Number, ratio: Number) -> Number:
    """Return w, the larger belief for which transcripts of this ratio are just not bad."""
    least = ratio_of_four_artanh(distance)
    found = order(ratio, least)
    if found is Order.LESS:
        raise InvalidInput(
            f"e^epsilon = {show(ratio)} is below e^(4 artanh s) = {show(least)}: no multiple of "
            "delta is enough there"
        )
    if found is not Order.GREATER:  # the root is 0 there
        return (1 - distance) / 2
    return (1 - distance + sqrt((1 - distance) ** 2 - 4 * distance / (ratio - 1))) / 2


def simple_dp_factor(distance: Number, ratio: Number) -> Number:
    r"""Return the simple c = 1/w with which (s, delta)-semantic implies (epsilon', c delta)-DP.

    >>> simple_dp_factor(Fraction(1, 10), Fraction(3, 2))
    Fraction(2, 1)
    """
    return 1 / _largest_weight(distance, ratio)


def dp_factor(distance: Number, ratio: Number) -> Number:
    r"""Return the c with which (s, delta)-semantic implies (epsilon', c delta)-DP.

    The proof stands beside the theorem (`s3`). It falls to 1/(1 - s) for large epsilon'.

    >>> from twoworlds.numbers import decimal
    >>> decimal(dp_factor(Fraction(1, 10), exp(Fraction(3, 5))), 12)
    '1.18305377172'
    """
    if distance == 0:
        return Fraction(1)
    if ratio == INFINITY:
        return 1 / (1 - distance)
    w = _largest_weight(distance, ratio)
    odds = (1 - distance) * (1 - w) / (distance * w)
    k = exp(distance * ln(odds)) / (1 - distance)
    return 1 + (1 - w) * k - ratio * (1 - w * k)


def pointwise_delta(ratio: Number, delta: Number, wider: Number) -> Number:
    r"""Return the largest mass of outputs beyond the ratio b: delta (b + 1) / (b - a).

    >>> pointwise_delta(Fraction(2), Fraction(1, 1000), Fraction(4))
    Fraction(1, 400)
    """
    return capped(delta * (wider + 1) / (wider - ratio)) if delta != 0 else Fraction(0)


def widened_delta(delta: Number, outside: Number) -> Number:
    r"""Return delta_1 + (1 - delta_1) delta, the joint delta when a mass delta_1 is not protected.

    >>> widened_delta(Fraction(1, 10), Fraction(1, 2))
    Fraction(11, 20)
    """
    return outside + (1 - outside) * delta


def largest_difference(ratio: Number, delta: Number) -> Number:
    r"""Return the largest statistical difference: (e^epsilon - 1 + 2 delta) / (e^epsilon + 1).

    >>> largest_difference(Fraction(3), Fraction(0))
    Fraction(1, 2)
    """
    return capped((ratio - 1 + 2 * delta) / (ratio + 1))


# --- The Conditioning Lemma of Kasiviswanathan & Smith (Lemma 3.4), corrected and sharper --------
# Let (A, B) and (A', B') be (epsilon, delta)-indistinguishable, a = e^epsilon, and 0 < d <= 1.
# Then, but for t of probability at most delta'' under B, and also under B', A given B = t and A'
# given B' = t are (2 epsilon, d)-indistinguishable, with
#
#     delta'' = delta (1 + a (1 - d)) / d        tight for d <= 1 - 1/a, also with 3 epsilon
#
# Differs: printed are 3 epsilon and 2 delta/d + 2 delta/(epsilon e^epsilon), "over t drawn from
# A"; the number is too small, and t is drawn from B. The step "similarly, Bad_2 has probability at
# most delta/d" is true under B', not under B.
#
# Proof. Fix t and an event about A. Let x, y be its probabilities given t under the two laws, r =
# B'(t) / B(t), and c1, c2 what t adds to the excess of the first law over a times the second and
# the other way round, divided by B(t). The event and its opposite give
#
#     c1 >= (x - a r y)+ + (1 - x - a r (1 - y))+      c2 >= (r y - a x)+ + (r (1 - y) - a (1 - x))+
#
# If t is bad, some event has x > a^2 y + d or y > a^2 x + d, and then c1 + a (1 - d) c2 >= d:
#
# * x > a^2 y + d, r <= a:  c1 >= x - a^2 y >= d.
# * x > a^2 y + d, r > a:   c2 >= r - a, the sum of both terms; and y <= (1 - d)/a^2, so that c1 >=
#   x - a r y >= d - (r - a) a y >= d - (r - a) (1 - d)/a. The sum is at least d + (1 - d) (r - a)
#   (a - 1/a).
# * y > a^2 x + d, a r >= 1:  c2 >= r y - a x >= d r, since a^2 x < y - d and a r >= 1; also c1 >=
#   1 - x - a r (1 - d - a^2 x) >= 1 - a r (1 - d). With u = a r (1 - d) the sum is at least (1 -
#   u)+ + d u >= d.
# * y > a^2 x + d, a r < 1:  c1 >= 1 - x - a r (1 - d - a^2 x), which is linear in x: at x = 0 it
#   is 1 - a r (1 - d) >= d, and at the other end, x = (1 - d)/a^2, it is 1 - x >= d.
#
# The means of c1 and c2 under B are at most delta, and so bad t have probability at most delta''.
# A t that is impossible in the second world has r = 0 and c1 = 1, and is bad. Exchange the laws
# for B'. (The proof of Theorems 1 and 2 of Bassily, Groce, Katz & Smith is the same, for pairs.)


def conditioning_failure(ratio: Number, delta: Number, inner: Number) -> Number:
    r"""Return delta'' = delta (1 + a (1 - d)) / d of the Conditioning Lemma, for the inner delta d.

    >>> conditioning_failure(Fraction(3), Fraction(1, 100), Fraction(99, 1000))
    Fraction(3703, 9900)
    """
    if ratio == INFINITY:
        raise InvalidInput(f"ratio={show(ratio)}: the lemma needs a finite epsilon")
    if not 0 < inner <= 1:
        raise InvalidInput(f"inner={show(inner)} must lie above 0, and at most at 1")
    return delta * (1 + ratio * (1 - inner)) / inner


def printed_conditioning_failure(
    ratio: Number, epsilon: Number, delta: Number, inner: Number
) -> Number:
    """Return 2 delta/d + 2 delta/(epsilon e^epsilon), as printed: too small."""
    return 2 * delta / inner + 2 * delta / (epsilon * ratio)


def there_and_back(ratio: Number, delta: Number) -> tuple[Number, Number]:
    """Return the numbers between two laws that are both (epsilon, delta)-close to a third.

    P <= a S + delta and S <= a Q + delta give P <= a^2 Q + (1 + a) delta. Attained on an event with
    Q = 0, S = delta, P = (1 + a) delta.
    """
    return ratio**2, delta * (1 + ratio)


def inference_failure(ratio: Number, delta: Number, pairs: object, inner: Number) -> Number:
    """Return the probability of (t, z) whose conclusions are not (2 epsilon, d)-close: a bound.

    >>> inference_failure(Fraction(3), Fraction(1, 10**6), 10, Fraction(1, 100))
    Fraction(397, 100000)
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


def pufferfish_failure(ratio: Number, delta: Number, wider: Number) -> Number:
    r"""Return how often an output moves the odds of a secret by more than b: a bound.

        delta (1 + 1/b) / (1 - a/b)        for b > a

    Where the ratio p_0/p_1 of the laws given 0 and 1 exceeds b, p_0 - a p_1 >= (1 - a/b) p_0, so
    that this event has at most delta/(1 - a/b) under p_0, and 1/b of that under p_1; likewise the
    other way round. Within b, posterior and prior probabilities of the secret differ by at most b.

    >>> pufferfish_failure(Fraction(2), Fraction(1, 100), Fraction(4))
    Fraction(1, 40)
    """
    return capped(delta * (1 + 1 / wider) / (1 - ratio / wider)) if delta != 0 else Fraction(0)
