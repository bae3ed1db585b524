r"""The least noise that keeps a claim (epsilon, delta): a search over numbers that can be typed.

One parameter, the *amount*, sets how much noise a law has. Where the law with more noise is the law
with less of it plus further independent noise, it is a post-processing: no gap grows with the
amount then, be it of one output, of several outputs, or of a sample. With b < c and p < q,

    Gaussian, Skellam              the sum of two independent ones is of the same kind
    Laplace                        Z_c = Z_b + W,  W = 0 with probability (b / c)^2, else a new Z_c
    geometric                      Z_q = Z_p + W,  W = 0 with probability p (1-q)^2 / (q (1-p)^2),
                                   else a new Z_q
    differenced negative binomial  the sum of r geometric ones
    randomized response            the report is randomized once more

(the characteristic function of geometric noise is (1-p)^2 / (1 - 2p cos t + p^2)). An amount of
these laws that is not enough proves that no smaller one is.

The discrete Gaussian law is none of them, and its gap can grow with the amount: at epsilon 7/4,
sigma2 = 4.86 keeps delta = 0.00001052, and sigma2 = 4.9 does not. What is found for it keeps the
claim, and the number just below it does not; nothing is said of others.

Floats only choose what is tried next. What is returned was compared with the claim rigorously, and
so was what is said to be too little. Where gaps are exact, that is the next smaller number of so
many digits. Where they lie between two ends, as those of several uses do, the upper end has to
keep the claim, and the lower one to break it.

For Gaussian noise this is the analytic Gaussian mechanism (Balle & Wang 2018).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from functools import cache
from typing import NamedTuple

from twoworlds.errors import InvalidInput, TooLarge, Unsupported
from twoworlds.laws.comparison import Comparison, Family, unlike
from twoworlds.laws.composition import WIDTH, Composed
from twoworlds.mechanisms.base import Mechanism
from twoworlds.mechanisms.continuous import Gaussian
from twoworlds.mechanisms.several import Several
from twoworlds.numbers import (
    INFINITY,
    Number,
    Order,
    bounds,
    compare,
    exp,
    ln,
    number,
    positive,
    probability,
    ratio_at_least_one,
    rough_log,
)

DIGITS, DIGITS_BETWEEN_ENDS = 6, 4
_COARSE = Fraction(1, 20)  # how far two ends may be apart while the search is far from its goal
_CLOSE = 8  # places from the goal, from which on ends are computed as near to each other as asked
_MOST_TRIES = 400
_FEW = 6.0  # by about so much a logarithm changes as the first digit does
_FAR = 60.0  # logarithms beyond it only say: much too large, or much too small
_LARGEST_LOSS = 600.0  # whose exponential is a float
_SMALLEST = 1e-12  # where the search starts, not where it ends


# --- what is asked for ----------------------------------------------------------------------------


class Claim(NamedTuple):
    """What so many uses have to keep together: H_a <= delta at the ratio a.

    Where delta is 0, the ratio is a bound on all likelihood ratios.
    """

    ratio: Number
    delta: Fraction
    times: int = 1


def read_claim(
    epsilon: object = None, *, ratio: object = None, delta: object = None, times: int = 1
) -> Claim:
    """Read epsilon, or the ratio e^epsilon, with a delta or without.

    >>> read_claim("1/2", delta="1e-6")
    Claim(ratio=Real(e^(1/2)), delta=Fraction(1, 1000000), times=1)
    """
    allowed = Fraction(0) if delta is None else probability(delta, "delta")
    if (epsilon is None) == (ratio is None):
        alone = f"delta={delta} alone does not say how much noise: " if delta is not None else ""
        raise InvalidInput(
            f'{alone}give exactly one of epsilon and ratio: epsilon="ln 3" is ratio=3'
        )
    if allowed == 1:
        raise InvalidInput("delta=1 allows everything: give a delta below 1")
    if ratio is not None:
        top = ratio_at_least_one(ratio)
    elif allowed and number(epsilon, "epsilon") == 0:
        top = Fraction(1)
    else:
        top = exp(positive(epsilon, "epsilon"))
    if top == INFINITY or (top == 1 and not allowed):
        raise InvalidInput(f"ratio={ratio} must be finite and above 1: no finite noise gives it")
    return Claim(top, allowed, times)


# --- how much noise a law has ---------------------------------------------------------------------


class Amount(NamedTuple):
    """The parameter that sets how much noise a law has.

    Attributes:
        law: the mechanism that adds the noise.
        name: the argument as which the parameter is typed.
        start: about how large it is where one person moves the answer by so many standard
            deviations of Gaussian noise, and by so much.
        bounded: whether the likelihood ratio has a bound, so that a delta is not needed.
        falls: whether there is more noise the smaller it is.
        share: whether it lies between 0 and 1.
        divisible: whether more noise is less noise with further noise added.
    """

    law: str
    name: str
    start: Callable[[float, float], float]
    bounded: bool = False
    falls: bool = False
    share: bool = False
    divisible: bool = True

    def at(self, place: int, digits: int) -> Fraction:
        """Return the number at a place among those of so many digits, in order of rising noise.

        A share has so many digits as it is, or as its difference from 1, if that is smaller.
        """
        place, half = -place if self.falls else place, _place_of(0.5, digits)
        if not self.share:
            return _decimal_at(place, digits)
        if place < 0:
            return _decimal_at(half + place, digits)
        return 1 - _decimal_at(half - place, digits)

    def near(self, value: float, digits: int) -> int:
        """Return the place of a number that is about as large."""
        place, half = _place_of(value, digits), _place_of(0.5, digits)
        if self.share:
            place = place - half if value < 1 / 2 else half - _place_of(1 - value, digits)
        return -place if self.falls else place


def _decimal_at(place: int, digits: int) -> Fraction:
    """Count the decimals of so many digits from 1, upward and downward.

    >>> [str(_decimal_at(place, 2)) for place in (-1, 0, 1, 90)]
    ['99/100', '1', '11/10', '10']
    """
    first = int(10 ** (digits - 1))
    exponent, rest = divmod(place, 9 * first)
    shift = exponent - digits + 1
    ten = Fraction(10**shift) if shift >= 0 else Fraction(1, 10**-shift)
    return (first + rest) * ten


def _place_of(value: float, digits: int) -> int:
    """Return the place of a decimal near a float.

    >>> [_place_of(float(_decimal_at(place, 3)), 3) - place for place in (-4321, -900, 0, 17)]
    [0, 0, 0, 0]
    """
    first = int(10 ** (digits - 1))
    exponent = math.floor(math.log10(value))
    rest = round(value / 10.0**exponent * first) - first
    return exponent * 9 * first + rest


AMOUNTS = {
    one.law: one
    for one in (
        Amount("gaussian", "sigma", lambda m, d: d / m),
        Amount("discrete-gaussian", "sigma2", lambda m, d: (d / m) ** 2, divisible=False),
        Amount("skellam", "l1", lambda m, d: (d / m) ** 2 / 2),
        Amount("laplace", "scale", lambda m, d: d / m, bounded=True),
        Amount("geometric", "epsilon", lambda m, _d: m, bounded=True, falls=True),
        Amount("randomized-response", "epsilon", lambda m, _d: m, bounded=True, falls=True),
        Amount(
            "differenced-negative-binomial",
            "p",
            lambda m, d: math.exp(-m / d),
            bounded=True,
            share=True,
        ),
    )
}


def amount_of(law: str, r: int = 1) -> Amount:
    """Return the parameter of a law; r is that of differenced negative binomial noise.

    There the search starts from its variance, 2 r p / (1 - p)^2 = (d / m)^2.
    """

    def start(m: float, d: float) -> float:
        variance = (d / m) ** 2
        p = 1 - r * (math.sqrt(1 + 2 * variance / r) - 1) / variance
        return min(max(p, _SMALLEST), 1 - _SMALLEST)

    found = AMOUNTS[law]
    return found._replace(start=start) if found.share else found


# --- the search -----------------------------------------------------------------------------------


class _Try(NamedTuple):
    """How an amount compares with a claim, certainly; and by how much, as logarithms, nearly."""

    reached: Number
    keeps: bool
    breaks: bool
    low: float
    high: float
    refused: TooLarge | None = None  # why it could not be compared, if so


def least(
    build: Callable[[Fraction], Mechanism],
    amount: Amount,
    claim: Claim,
    *,
    moved: Number = Fraction(1),
    rate: Number = Fraction(1),
) -> tuple[Fraction, Fraction | None, Number]:
    """Return the least amount of noise with which all uses keep a claim, and what shows it.

    Second comes the next smaller amount, or one a little below where gaps lie between two ends;
    None where none was found that certainly breaks the claim. Third comes the gap at the ratio of
    the claim with the least amount, or the ratio if delta is 0.

    Args:
        build: Makes the mechanism of one use.
        amount: What is looked for.
        claim: What all uses have to keep together.
        moved: How far one person moves the answer: only where to start depends on it.
        rate: The probability of being drawn into a sample: only where to start depends on it.

    >>> claim = read_claim(1, delta="1e-6")
    >>> found, short, _ = least(lambda sigma: Gaussian(sigma=sigma), AMOUNTS["gaussian"], claim)
    >>> float(found), float(short)
    (4.22468, 4.22467)
    """
    if claim.delta == 0 and not amount.bounded:
        raise InvalidInput(
            f"{amount.law} keeps no epsilon alone, since its likelihood ratio has no bound: give a "
            "delta above 0 too, such as delta=1e-6, on the command line --delta 1e-6"
        )
    value = amount.start(_deviations(claim, float(rate), amount), float(moved))
    exact = _is_exact(_compared(build(amount.at(amount.near(value, DIGITS), DIGITS)), claim))
    digits = DIGITS if exact else DIGITS_BETWEEN_ENDS

    def tried(width: Fraction) -> Callable[[int], _Try]:
        return cache(lambda place: _tried(build(amount.at(place, digits)), claim, width))

    start, many, fine = amount.near(value, digits), int(10 ** (digits - 1)), tried(WIDTH)
    if not exact:
        coarse = tried(_COARSE)
        start = _crossing(lambda place: _middle(coarse(place)), start, many, _CLOSE)
    found = _crossing(lambda place: _upper(fine(place)), start, many)
    if (refused := fine(found).refused) is not None:
        raise refused
    short, step = found - 1, 1
    while not fine(short).breaks and step < many:
        short, step = short - step, 2 * step
    below = amount.at(short, digits) if fine(short).breaks else None
    return amount.at(found, digits), below, fine(found).reached


def _compared(mechanism: Mechanism, claim: Claim, width: Fraction = WIDTH) -> Sequence[Comparison]:
    """Return the comparisons of two worlds, of all uses, that are not alike."""
    every = Several([(mechanism, claim.times)], width=width) if claim.times > 1 else mechanism
    return unlike(every.family(every.universe.relation))


def _is_exact(compared: Iterable[Comparison]) -> bool:
    return not any(isinstance(one, Composed) or one.dominating is not one for one in compared)


def _tried(mechanism: Mechanism, claim: Claim, width: Fraction) -> _Try:
    """Compare what so many uses show with what the claim allows."""
    compared = _compared(mechanism, claim, width)
    worst = Family(compared, "all uses")
    if claim.delta:
        try:
            reached = worst.gap(claim.ratio)[1].delta
        except TooLarge as error:
            # Where the ratio is all but its bound, outputs matter that are too far out to be looked
            # at, and too rare to matter: the noise is more than enough, most likely.
            if not _is_exact(compared):
                raise
            return _Try(
                Fraction(0), keeps=False, breaks=False, low=-_FAR, high=-_FAR, refused=error
            )
        order = compare(reached, claim.delta)
        low, high = (_over(end, claim.delta) for end in bounds(reached))
    else:
        reached = worst.peak()[1].ratio
        order = compare(reached, claim.ratio)
        low, high = (_over(end, bounds(ln(claim.ratio))[0]) for end in bounds(ln(reached)))
    keeps = order is Order.LESS or order is Order.EQUAL
    return _Try(reached, keeps, order is Order.GREATER, low, high)


def _upper(one: _Try) -> tuple[bool, float]:
    return one.keeps or one.refused is not None, one.high


def _middle(one: _Try) -> tuple[bool, float]:
    middle = (one.low + one.high) / 2
    return middle <= 0, middle


def _crossing(
    has: Callable[[int], tuple[bool, float]], start: int, many: int, near: int = 1
) -> int:
    """Return a place that has a property, at most ``near`` above one that has it not.

    ``has`` also tells how much is missing, nearly, and that is interpolated; where two tries have
    not halved the places between, the next one does. ``many`` places change that by a few units.
    """
    without: tuple[int, float] | None = None
    with_: tuple[int, float] | None = None
    place, step, widths = start, 0, [math.inf, math.inf]
    for _ in range(_MOST_TRIES):
        found, missing = has(place)
        if found:
            with_ = place, min(missing, 0.0)
        else:
            without = place, max(missing, 0.0)
        if without is None or with_ is None:
            told = abs(missing) < _FAR
            step = 4 * step or (1 + int(min(abs(missing), _FEW) * many / _FEW) if told else 1)
            place += -step if found else step
            continue
        left = with_[0] - without[0]
        if left <= near:
            return with_[0]
        share = without[1] / (without[1] - with_[1]) if without[1] > with_[1] else 1 / 2
        halve = left > widths[-2] / 2
        widths.append(left)
        further = left // 2 if halve else math.ceil(share * left)
        place = without[0] + min(max(further, 1), left - 1)
    raise Unsupported("no amount of noise was found that keeps this claim: ask for a weaker one")


def _deviations(claim: Claim, rate: float, amount: Amount) -> float:
    """Return by how many standard deviations of Gaussian noise one use may move, nearly.

    All uses together are nearly one Gaussian comparison, of m deviations. Losses add up, and so do
    their variances: m^2 is k times that of one use, or k q^2 (e^(m^2) - 1) with a sample. A law of
    bounded loss needs no more noise than with an equal share of epsilon for each use, and for one
    use of Laplace noise epsilon + 2 ln(1 / (1 - delta)) is the loss itself.
    """
    epsilon = min(float(ln(claim.ratio)), _LARGEST_LOSS)
    m = epsilon
    if claim.delta and amount.law == "gaussian":
        wide = -2 * rough_log(claim.delta)  # from delta = e^(-(epsilon/m - m/2)^2 / 2)
        m = max(math.sqrt(wide + 2 * epsilon) - math.sqrt(wide), 2 * float(claim.delta))
    elif claim.delta:
        gaussian = claim._replace(times=1)
        m = 1 / float(least(lambda x: Gaussian(sigma=x), AMOUNTS["gaussian"], gaussian)[0])
    one = m / math.sqrt(claim.times)
    if rate < 1:
        one = math.sqrt(math.log1p((one / rate) ** 2))
    share = (epsilon - 2 * math.log1p(-float(claim.delta))) / claim.times
    pure = math.log1p(math.expm1(share) / rate)
    return max(one, pure if amount.bounded else _SMALLEST)


def _over(x: Fraction, allowed: Fraction) -> float:
    """Return the logarithm of a quotient, cut off where it only says: far too little, too much."""
    return max(-_FAR, min(_FAR, rough_log(x) - rough_log(allowed))) if x > 0 else -_FAR
