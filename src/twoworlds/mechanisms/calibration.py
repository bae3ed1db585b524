r"""Calibration: how much noise buys a given epsilon, and which epsilon a given noise gives.

With Delta the L1 sensitivity of the whole query, one number or a vector:

    Laplace noise of scale b on every coordinate:       epsilon = Delta / b
    geometric noise, P(Z = k) ~ p^|k|, on every one:    e^epsilon = p^(-Delta),  Delta whole

(Wu, Algorithm 2 and Theorem 4.3; Dwork, Theorem 4). Both are exact, so the noise is not only
enough but the least of its kind. Epsilon may be a logarithm (``"ln 3"``), and ``ratio=3`` is the
same thing; nothing is rounded.

A statistic that nobody moves has Delta = 0 and needs no noise: scale 0, p = 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from twoworlds.answer import Answer
from twoworlds.charts import Bars
from twoworlds.errors import InvalidInput
from twoworlds.numbers import (
    INFINITY,
    Log,
    Number,
    exp,
    ln,
    number,
    positive,
    power,
    ratio_at_least_one,
    show,
    sqrt,
    whole,
)
from twoworlds.show import Result
from twoworlds.worlds.sensitivity import L1, Sensitivity


def laplace_scale(sensitivity: object, epsilon: object = None, *, ratio: object = None) -> Number:
    """Return the scale of Laplace noise that makes the whole query epsilon-private.

    b = Delta / epsilon   (Wu, Algorithm 2)

    Differs: after Theorem 4 Dwork prints sigma >= epsilon / Delta; see `dwork_scale`.

    >>> laplace_scale(3, "3/4"), laplace_scale(1, "ln 3")
    (Fraction(4, 1), Real(1/(ln 3)))
    """
    return _sensitivity(sensitivity) / read_epsilon(epsilon, ratio)


def laplace_rate(sensitivity: object, epsilon: object = None, *, ratio: object = None) -> Number:
    """Return 1/b = epsilon / Delta, in which a logarithm stays a logarithm.

    >>> laplace_rate(1, ratio=3)
    Real(ln 3)
    """
    moved = _sensitivity(sensitivity)
    if moved == 0:
        raise InvalidInput("sensitivity=0: nobody moves the answer, so no noise is needed")
    return read_epsilon(epsilon, ratio) / moved


def laplace_epsilon(scale: object, sensitivity: object) -> Number:
    """Return the epsilon that Laplace noise of a given scale gives.

    epsilon = Delta / b   (Dwork, Theorem 4)

    >>> laplace_epsilon("1/4", 2)
    Fraction(8, 1)
    """
    return _sensitivity(sensitivity) / positive(scale, "scale")


def laplace_epsilon_for_error(error: object, sensitivity: object) -> Number:
    """Return the epsilon at which the expected absolute error is the one wanted.

    E|Z| = b = Delta / epsilon   (Wu, Lemma 4.4(1a)), so epsilon = Delta / error

    >>> laplace_epsilon_for_error(5, 1)
    Fraction(1, 5)
    """
    return _sensitivity(sensitivity) / positive(error, "error")


def geometric_p(sensitivity: object, epsilon: object = None, *, ratio: object = None) -> Number:
    """Return the p of geometric noise that makes the whole query epsilon-private.

    p = e^(-epsilon / Delta) = ratio^(-1 / Delta),  Delta a whole number

    >>> geometric_p(1, "ln 3"), geometric_p(2, ratio=9), geometric_p(2, "1/2")
    (Fraction(1, 3), Fraction(1, 3), Real(e^(-1/4)))
    """
    moved = _whole_sensitivity(sensitivity)
    price = read_epsilon(epsilon, ratio)
    if moved == 0:
        return Fraction(0)
    if isinstance(price, Log):
        return power(1 / price.of, Fraction(1, moved))
    return exp(-(price / moved))


def geometric_ratio(p: object, sensitivity: object) -> Number:
    """Return e^epsilon = p^(-Delta), what geometric noise gives; its logarithm is epsilon.

    >>> geometric_ratio("1/3", 2)
    Fraction(9, 1)
    """
    chance = number(p, "p")
    if not 0 < chance < 1:
        raise InvalidInput(f"p={p} must lie strictly between 0 and 1")
    return (1 / chance) ** _whole_sensitivity(sensitivity)


def geometric_epsilon_for_error(error: object, sensitivity: object) -> Number:
    """Return the epsilon at which the expected absolute error is the one wanted.

    E|Z| = 2p / (1 - p^2) = a  gives  1/p = (1 + sqrt(1 + a^2)) / a,  e^epsilon = p^(-Delta)

    >>> geometric_epsilon_for_error("3/4", 1)
    Real(ln 3)
    """
    wanted = positive(error, "error")
    inverse = (1 + sqrt(1 + wanted * wanted)) / wanted
    return ln(inverse ** _whole_sensitivity(sensitivity))


def gaussian_variance(
    sensitivity: object, *, rho: object = None, mu: object = None, times: object = 1
) -> Number:
    """Return sigma^2 of Gaussian noise with which so many answers together keep rho or mu.

        rho = k Delta^2 / (2 sigma^2)     zCDP (Bun & Steinke 2016)
        mu = sqrt(k) Delta / sigma        Gaussian differential privacy (Dong, Roth & Su 2022)

    where: Delta is the L2 sensitivity, k is ``times``. Both are exact. The first is so for discrete
    Gaussian noise too (Canonne, Kamath & Steinke 2020), the second is not: with sigma = 1 and
    Delta = 1 its gap at the ratio 1 is 0.399, and that of mu = 1 is 0.383.

    >>> gaussian_variance(1, rho="1/8"), gaussian_variance(2, mu=1, times=10)
    (Fraction(4, 1), Fraction(40, 1))
    """
    if (rho is None) == (mu is None):
        raise InvalidInput("give exactly one of rho and mu: mu is rho = mu^2 / 2")
    moved, count = positive(sensitivity, "sensitivity"), whole(times, "times", at_least=1)
    if rho is not None:
        return count * moved * moved / (2 * positive(rho, "rho"))
    share = moved / positive(mu, "mu")
    return count * share * share


@dataclass(frozen=True)
class PrintedScale(Result):
    """The least scale by the correct and by the printed rule, and what the latter really gives."""

    sensitivity: Number
    epsilon: Number
    scale: Number
    printed: Number
    epsilon_if_printed: Number
    citation: str = "Dwork, after Theorem 4"
    note: str = "printed sigma >= epsilon / Delta; Theorem 4 itself gives sigma >= Delta / epsilon"

    def answer(self) -> Answer:
        """Say what the printed rule would have cost, and chart both."""
        losses = {"wanted": self.epsilon, "by the printed rule": self.epsilon_if_printed}
        return Answer(
            f"Sensitivity {show(self.sensitivity)} and epsilon {show(self.epsilon)} need Laplace "
            f"noise of scale {show(self.scale)}; the printed rule ({self.citation}) asks for "
            f"{show(self.printed)}, which gives epsilon {show(self.epsilon_if_printed)}.",
            blocks=(Bars("epsilon", losses, share=False, orange=["by the printed rule"]),),
        )


def dwork_scale(sensitivity: object, epsilon: object) -> PrintedScale:
    """Return Dwork's rule for sigma as printed, as corrected, and what the printed one costs.

    sigma >= Delta / epsilon   (Dwork, Theorem 4)

    Differs: the sentence after Theorem 4 prints the fraction upside down.

    >>> dwork = dwork_scale(2, "1/2")
    >>> [str(x) for x in (dwork.scale, dwork.printed, dwork.epsilon_if_printed)]
    ['4', '1/4', '8']
    """
    moved, price = positive(_sensitivity(sensitivity), "sensitivity"), read_epsilon(epsilon)
    printed = price / moved
    return PrintedScale(moved, price, moved / price, printed, moved / printed)


class NoiseLevel(NamedTuple):
    """Laplace noise calibrated to one sensitivity; the variance of each coordinate is 2 b^2."""

    sensitivity: int
    scale: Number
    variance: Number


def histogram_calibration(cells: object, epsilon: object) -> dict[str, NoiseLevel]:
    """Return the noise for a histogram whose cells partition the records, naive and joint.

        naive: k counts of sensitivity 1, each with epsilon / k of the budget, b = k / epsilon
        add-remove: the whole histogram, one record more or less, b = 1 / epsilon
        substitute: the whole histogram, one record replaced, b = 2 / epsilon (0 with one cell only)

    where: k is the number of cells  (Dwork, Section 5.1; Wu, Section 4)

    Differs: Dwork prints the scales k / epsilon and 1 / epsilon as variances, and the distance for
    add-remove only.

    >>> plan = histogram_calibration(10, "1/2")
    >>> [(name, str(noise.scale), str(noise.variance)) for name, noise in plan.items()]
    [('naive', '20', '800'), ('add-remove', '2', '8'), ('substitute', '4', '32')]
    """
    k, price = whole(cells, "cells", at_least=1), read_epsilon(epsilon)
    # Replacing a record moves it from one cell to another; with one cell there is no other.
    moves = {"naive": k, "add-remove": 1, "substitute": 2 if k > 1 else 0}
    scales = {name: laplace_scale(moved, price) for name, moved in moves.items()}
    return {name: NoiseLevel(moves[name], b, 2 * b * b) for name, b in scales.items()}


def _sensitivity(given: object) -> Number:
    if isinstance(given, Sensitivity):
        if given.norm != L1:
            raise InvalidInput(
                f"norm={given.norm}: Laplace and geometric noise need the L1 sensitivity, "
                "use global_sensitivity(..., norm='L1')"
            )
        if given.at is not None:
            raise InvalidInput(
                "a local sensitivity depends on the data, so noise of its size is not private: "
                "use global_sensitivity"
            )
        return given.value
    value = number(given, "sensitivity")
    if value == INFINITY or value < 0:
        raise InvalidInput(f"sensitivity={given} must be a finite number, at least 0")
    return value


def _whole_sensitivity(given: object) -> int:
    value = _sensitivity(given)
    if isinstance(value, Fraction) and value.denominator == 1:
        return int(value)
    raise InvalidInput(
        f"sensitivity={show(value)}: geometric noise moves in whole steps, so the sensitivity "
        "must be a whole number; scale the statistic to whole units first, or use laplace"
    )


def read_epsilon(epsilon: object = None, ratio: object = None) -> Number:
    """Read epsilon, given as such or as the ratio e^epsilon: a finite number above 0."""
    if (epsilon is None) == (ratio is None):
        raise InvalidInput('give exactly one of epsilon and ratio: epsilon="ln 3" is ratio=3')
    if ratio is None:
        return positive(epsilon, "epsilon")
    bound = ratio_at_least_one(ratio)
    if bound == 1 or bound == INFINITY:
        raise InvalidInput(f"ratio={ratio} must be finite and above 1: no finite noise gives it")
    return ln(bound)
