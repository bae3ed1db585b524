"""Noise by name for what it has to keep: epsilon with or without delta, rho, or mu; for many uses.

`calibrated` finds the parameter of a law such that all uses together keep a promise, and builds the
mechanism of one use. Closed forms are exact (`twoworlds.mechanisms.calibration`); everything else
is the least amount of noise that can be typed (`twoworlds.mechanisms.least_noise`).

    epsilon alone        Laplace, geometric, randomized response: each of k uses gets epsilon / k
    epsilon and delta    every law
    rho (zCDP)           Gaussian and discrete Gaussian
    mu                   Gaussian

Other arguments of a law, such as r, are given in a call: ``differenced-negative-binomial(r=3)``.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from twoworlds.calls import parse
from twoworlds.errors import InvalidInput, UnknownName
from twoworlds.mechanisms.base import Mechanism
from twoworlds.mechanisms.calibration import gaussian_variance, geometric_p
from twoworlds.mechanisms.least_noise import AMOUNTS, Amount, Claim, amount_of, least, read_claim
from twoworlds.mechanisms.named.load import MECHANISMS, poisson_sample
from twoworlds.mechanisms.named.noise import builder
from twoworlds.numbers import (
    Number,
    exact_text,
    ln,
    number,
    positive,
    power,
    probability,
    whole,
)

_MOST_TIMES = 1_000_000


@dataclass(frozen=True)
class Calibrated:
    """Noise that keeps a promise.

    Attributes:
        law: its name.
        mechanism: one use.
        moved: how far one person moves the answer.
        times: how many uses there are.
        rate: with which probability a record is drawn into the sample; 1 where there is none.
        claim: the ratio and delta that all uses keep together; None for rho and mu.
        rho: the same for zCDP.
        mu: the same for Gaussian differential privacy.
        reached: the delta that all uses have at the ratio of the claim, or their ratio.
        short: one use with a little less noise, with which all uses do not keep the promise; None
            where the noise is exactly as much as needed.
    """

    law: str
    mechanism: Mechanism
    moved: Number
    times: int = 1
    rate: Fraction = Fraction(1)
    claim: Claim | None = None
    rho: Number | None = None
    mu: Number | None = None
    reached: Number | None = None
    short: Mechanism | None = None


def calibrated(
    noise: str,
    *,
    sensitivity: object = 1,
    epsilon: object = None,
    ratio: object = None,
    delta: object = None,
    rho: object = None,
    mu: object = None,
    times: object = 1,
    rate: object = None,
) -> Calibrated:
    """Return the least noise of a law with which so many uses keep a promise together.

    Args:
        noise: The name of a law, or a call with its other arguments.
        sensitivity: How far one person moves the answer.
        epsilon: The promise, with a delta or without; or the ratio e^epsilon.
        ratio: The same as epsilon, as e^epsilon.
        delta: The delta that is allowed at that epsilon.
        rho: The promise in zCDP.
        mu: The promise in Gaussian differential privacy.
        times: How many answers there are, each with noise of its own.
        rate: The probability with which every record is drawn into a new sample for each answer.

    >>> calibrated("laplace", epsilon=1, delta="1e-6", times=1000).mechanism.expression
    'laplace(scale=133.3)'
    """
    law, others, moved = _read(noise, sensitivity)
    count = whole(times, "times", at_least=1, at_most=_MOST_TIMES)
    chance = Fraction(1) if rate is None else probability(rate, "rate")
    if chance == 0:
        raise InvalidInput("rate=0 draws nobody: give a probability above 0")

    def drawn(one: Mechanism) -> Mechanism:
        return one if chance == 1 else poisson_sample(one, chance)

    def make(**width: object) -> Mechanism:
        return MECHANISMS[law].build(**others, **width)

    asked = [value is not None for value in (epsilon if ratio is None else ratio, rho, mu)]
    if sum(asked) != 1 or (delta is not None and not asked[0]):
        raise InvalidInput(
            "give exactly one of epsilon (or ratio), with a delta or without, rho and mu"
        )
    if not asked[0]:
        width = _gaussian_width(law, moved, count, chance, rho, mu)
        promised = [None if one is None else number(one) for one in (rho, mu)]
        return Calibrated(law, make(**width), moved, count, rho=promised[0], mu=promised[1])
    claim = read_claim(epsilon, ratio=ratio, delta=delta, times=count)
    amount = amount_of(law, whole(others.get("r", 1), "r", at_least=1))
    price = _share(claim, amount, moved) if chance == 1 else None
    if price is not None:
        one = make(epsilon=price)
        return Calibrated(law, one, moved, count, claim=claim, reached=claim.ratio)

    def typed(value: Fraction) -> Mechanism:
        return drawn(builder(law, **others)(value))

    found, below, reached = least(typed, amount, claim, moved=moved, rate=chance)
    return Calibrated(
        law,
        typed(found),
        moved,
        count,
        chance,
        claim=claim,
        reached=reached,
        short=None if below is None else typed(below),
    )


def _share(claim: Claim, amount: Amount, moved: Number) -> Number | None:
    """Return the epsilon of one use where all have equal shares and that is exact, else None."""
    if claim.delta or not amount.bounded:
        return None
    price = ln(power(claim.ratio, Fraction(1, claim.times)))
    closed = not amount.share or isinstance(geometric_p(moved, price), Fraction)
    return price if closed else None


def _read(noise: str, sensitivity: object) -> tuple[str, dict[str, Any], Number]:
    """Read a law, its other arguments, and how far one person moves the answer."""
    call = parse(noise)
    if call.name not in AMOUNTS:
        raise UnknownName("noise to calibrate", call.name, AMOUNTS)
    if call.positional:
        raise InvalidInput(f"{noise!r}: name the arguments, as in {call.name}(sensitivity=2)")
    others: dict[str, Any] = dict(call.named)
    if "sensitivity" in others and number(sensitivity, "sensitivity") != 1:
        raise InvalidInput(f"the sensitivity is given twice, in {noise!r} and beside it")
    moved = positive(others.pop("sensitivity", sensitivity), "sensitivity")
    if call.name != "randomized-response":
        return call.name, {**others, **({} if moved == 1 else {"sensitivity": moved})}, moved
    if moved != 1:
        raise InvalidInput(
            f"sensitivity={sensitivity}: in randomized-response everybody randomizes a record of "
            "their own, which has no sensitivity; leave it out"
        )
    return call.name, {**({} if {"bits", "values"} & {*others} else {"bits": 1}), **others}, moved


def _gaussian_width(
    law: str, moved: Number, times: int, chance: Fraction, rho: object, mu: object
) -> dict[str, Number]:
    """Return the argument that makes Gaussian noise keep rho or mu, exactly."""
    if mu is not None and law == "discrete-gaussian":
        raise InvalidInput(
            f"mu={mu}: mu belongs to Gaussian noise on real numbers; discrete Gaussian noise of "
            "the same sigma tells two worlds apart a little better; use gaussian, or give rho, or "
            "epsilon with a delta"
        )
    if law not in ("gaussian", "discrete-gaussian"):
        name, value = ("rho", rho) if mu is None else ("mu", mu)
        raise InvalidInput(
            f"{name}={value}: {law} has no closed form for it; give epsilon, with a delta or "
            "without, or use gaussian"
        )
    if chance != 1:
        raise InvalidInput(
            f"rate={exact_text(chance)}: a sample is calibrated to an epsilon with a delta; give "
            "them instead of rho or mu"
        )
    if mu is not None and times == 1:
        return {"sigma": moved / positive(mu, "mu")}
    return {"sigma2": gaussian_variance(moved, rho=rho, mu=mu, times=times)}
