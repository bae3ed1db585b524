"""Noise by name: integer noise, densities, and several noisy answers.

Integer noise on a true answer: geometric, truncated, negative binomial, Skellam, Gaussian.

The universe is the set of possible true answers, ``integers()`` with neighbours ``sensitivity``
apart, or, with ``bits``, that many bits whose count is published. Lin & Kifer, Section 5.3.

Laplace and Gaussian noise on a real-valued answer. Wu, Algorithm 2; Dwork, Theorem 4.

The universe is the set of possible true answers, ``reals()``, or, with ``bits``, that many bits
whose count is published.

How much noise there is is said in exactly one way: by the parameter of the law, or by what the
noise has to keep, such as epsilon with a delta. Then the parameter is the least one that does
(`twoworlds.mechanisms.least_noise`), and the expression of the mechanism spells it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import TypeVar

from twoworlds.calls import Text
from twoworlds.errors import InvalidInput
from twoworlds.laws.noise import (
    DiscreteGaussianNoise,
    GeometricNoise,
    NegativeBinomialDifference,
    Noise,
    SkellamNoise,
)
from twoworlds.mechanisms.base import Mechanism
from twoworlds.mechanisms.calibration import gaussian_variance, geometric_p, laplace_rate
from twoworlds.mechanisms.continuous import (
    AddedDensity,
    Continuous,
    Gaussian,
    Laplace,
)
from twoworlds.mechanisms.least_noise import amount_of, least, read_claim
from twoworlds.mechanisms.named.load import MECHANISMS, named
from twoworlds.mechanisms.on_statistic import AddedNoise, Channel, FiniteNoise, OnStatistic
from twoworlds.numbers import (
    Exp,
    decimal,
    exact_text,
    number,
    positive,
    rational,
    spelled,
    whole,
)
from twoworlds.worlds import Additive, BitStrings, Integers, TrueAnswer

_LARGEST_R = 128  # whose polynomials are added up in seconds
_LARGEST_STEP = 1_000_000  # every step up to it is compared


@named("geometric")
def geometric(
    ratio: object = None,
    epsilon: object = None,
    p: object = None,
    sensitivity: object = 1,
    bits: object = None,
    *,
    delta: object = None,
) -> OnStatistic:
    """Add two-sided geometric noise to a whole-numbered answer of given sensitivity.

    The price of the whole query is ``ratio`` (= e^epsilon), with a ``delta`` if there is one; ``p``
    sets the noise directly.

    >>> geometric(ratio=2).probability(0, 0)
    Fraction(1, 3)
    """
    _one_way("geometric noise", {"ratio": ratio, "epsilon": epsilon, "p": p}, delta)
    if _is_given(delta):
        price = _least("geometric", epsilon, delta, sensitivity, ratio=ratio)
        return geometric(epsilon=price, sensitivity=sensitivity, bits=bits)
    noise = _geometric(ratio, epsilon, p, sensitivity)
    return _added("geometric", noise, _shown_noise(noise, ratio, epsilon), sensitivity, bits)


@named("truncated-geometric")
def truncated_geometric(
    ratio: object = None,
    high: object = None,
    low: object = 0,
    epsilon: object = None,
    p: object = None,
    sensitivity: object = 1,
    bits: object = None,
) -> OnStatistic:
    """Add two-sided geometric noise, then clamp the output to the range low..high of the answer.

    >>> truncated_geometric(ratio=2, high=2).probability(2, 2)
    Fraction(2, 3)
    """
    noise = _geometric(ratio, epsilon, p, sensitivity)
    if bits is not None:
        if high is not None or number(low, "low") != 0:
            raise InvalidInput("truncated-geometric: bits= already sets the range 0..bits")
        high = whole(bits, "bits", at_least=1)
    if high is None:
        raise InvalidInput("truncated-geometric needs high=, the largest true answer, or bits=")
    ends = Integers(low, high)  # type: ignore[arg-type]
    detail = _shown_noise(noise, ratio, epsilon)
    detail += "" if bits is not None else f", low={ends.low}, high={ends.high}"
    return _added("truncated-geometric", noise, detail, sensitivity, bits, ends.low, ends.high)


@named("differenced-negative-binomial")
def differenced_negative_binomial(
    p: object = None,
    r: object = None,
    sensitivity: object = 1,
    bits: object = None,
    *,
    epsilon: object = None,
    delta: object = None,
) -> OnStatistic:
    """Add the difference of two negative binomial variables; r = 1 is geometric noise.

    >>> differenced_negative_binomial(r=3, epsilon=1, delta="1e-6").expression
    'differenced-negative-binomial(p=0.312559, r=3)'
    """
    if r is None:
        raise InvalidInput("differenced-negative-binomial needs the argument 'r', a whole number")
    times = whole(r, "r", at_least=1, at_most=_LARGEST_R)
    _one_way("differenced-negative-binomial", {"p": p, "epsilon": epsilon}, delta)
    if p is None:
        p = geometric_p(sensitivity, epsilon) if not _is_given(delta) else None
        if not isinstance(p, Fraction):
            p = _least("differenced-negative-binomial", epsilon, delta, sensitivity, r=times)
    noise = NegativeBinomialDifference(rational(p, "p"), times)
    detail = f"p={spelled(noise.p)}, r={noise.r}"
    return _added("differenced-negative-binomial", noise, detail, sensitivity, bits)


@named("skellam")
def skellam(
    l1: object = None,
    l2: object = None,
    sensitivity: object = 1,
    bits: object = None,
    *,
    epsilon: object = None,
    delta: object = None,
) -> OnStatistic:
    """Add the difference of two Poisson variables with means l1 and l2.

    They are equal where they are computed from epsilon and delta.

    >>> skellam(l1=2, l2=2).expression
    'skellam(l1=2, l2=2)'
    """
    _one_way("skellam", {"l1": l1, "epsilon": epsilon}, delta)
    if (l1 is None) != (l2 is None):
        raise InvalidInput("skellam needs both means: write l1=2, l2=2")
    if l1 is None:
        l1 = l2 = _least("skellam", epsilon, delta, sensitivity)
    noise = SkellamNoise(l1, l2)  # type: ignore[arg-type]
    detail = f"l1={spelled(noise.l1)}, l2={spelled(noise.l2)}"
    return _added("skellam", noise, detail, sensitivity, bits)


@named("discrete-gaussian")
def discrete_gaussian(
    sigma2: object = None,
    sigma: object = None,
    sensitivity: object = 1,
    bits: object = None,
    *,
    epsilon: object = None,
    delta: object = None,
    rho: object = None,
) -> OnStatistic:
    """Add discrete Gaussian noise with parameter sigma2 = sigma^2.

    >>> discrete_gaussian(epsilon=1, delta="1e-6").expression
    'discrete-gaussian(sigma2=17.8995)'
    """
    ways = {"sigma2": sigma2, "sigma": sigma, "epsilon": epsilon, "rho": rho}
    _one_way("discrete-gaussian", ways, delta)
    if epsilon is not None:
        sigma2 = _least("discrete-gaussian", epsilon, delta, sensitivity)
    elif rho is not None:
        sigma2 = gaussian_variance(_step(sensitivity), rho=rho)
    noise = DiscreteGaussianNoise(rational(sigma2, "sigma2") if sigma is None else _square(sigma))
    return _added("discrete-gaussian", noise, f"sigma2={spelled(noise.sigma2)}", sensitivity, bits)


@named("integer-noise")
def integer_noise(
    masses: Sequence[Text], start: object = 0, sensitivity: object = 1, bits: object = None
) -> OnStatistic:
    """Add noise with the given probabilities on start, start + 1, ...

    >>> integer_noise(["1/4", "1/2", "1/4"], start=-1).probability(1, 0)
    Fraction(1, 4)
    """
    if isinstance(masses, str):
        raise InvalidInput(f"masses={masses}: give a list such as [1/4, 1/2, 1/4]")
    first = rational(start, "start")
    if first.denominator != 1:
        raise InvalidInput(f"start={start} must be a whole number")
    channel = FiniteNoise.of(masses, int(first))
    shown = ", ".join(str(exact_text(mass)) for mass in channel.masses)
    text = f"integer-noise([{shown}], start={channel.start}"
    if bits is not None:
        channel = channel.among((0, whole(bits, "bits", at_least=1)))
    return _on_answer(text, channel, sensitivity, bits)


def _square(sigma: object) -> Fraction:
    value = rational(sigma, "sigma")
    if value <= 0:
        raise InvalidInput(f"sigma={sigma} must be above 0")
    return value**2


def _one_way(law: str, ways: dict[str, object], delta: object = None) -> None:
    """Refuse noise whose amount is said in two ways or in none; a delta belongs to an epsilon."""
    given = [name for name, value in ways.items() if value is not None]
    *names, last = ways
    if len(given) != 1:
        such = f"{names[0]}={'1/2' if names[0] == 'p' else 2}"
        raise InvalidInput(
            f"{law} takes exactly one of {', '.join(names)} and {last}: write {such}"
        )
    if delta is not None and given[0] not in ("epsilon", "ratio"):
        raise InvalidInput(
            f"{law}: delta={delta} belongs to an epsilon, and {given[0]}={ways[given[0]]} says how "
            "much noise there is already: leave one of them out"
        )


def _is_given(delta: object) -> bool:
    """Tell whether there is a delta above 0; without one, epsilon has a closed form."""
    return delta is not None and number(delta, "delta") != 0


def _least(
    law: str,
    epsilon: object,
    delta: object,
    sensitivity: object,
    *,
    ratio: object = None,
    **others: int,
) -> Fraction:
    """Return the least amount of noise that keeps epsilon and delta."""
    claim = read_claim(epsilon, ratio=ratio, delta=delta)
    moved = positive(sensitivity, "sensitivity")
    build = builder(law, sensitivity=sensitivity, **others)
    return least(build, amount_of(law, **others), claim, moved=moved)[0]


def builder(law: str, **others: object) -> Callable[[Fraction], Mechanism]:
    """Return what makes the mechanism of a law from its amount of noise."""
    name = amount_of(law).name
    names = ("l1", "l2") if law == "skellam" else (name,)
    return lambda value: MECHANISMS[law].build(**others, **dict.fromkeys(names, value))


def _step(sensitivity: object) -> int:
    return whole(sensitivity, "sensitivity", at_least=1, at_most=_LARGEST_STEP)


def _geometric(ratio: object, epsilon: object, p: object, sensitivity: object) -> GeometricNoise:
    _one_way("geometric noise", {"ratio": ratio, "epsilon": epsilon, "p": p})
    if p is not None:
        return GeometricNoise(number(p, "p"))
    return GeometricNoise(geometric_p(_step(sensitivity), epsilon, ratio=ratio))


def _shown_noise(noise: GeometricNoise, ratio: object, epsilon: object) -> str:
    """Spell p where it can be typed, else the price that it was computed from."""
    if isinstance(noise.p, (Fraction, Exp)):
        return f"p={spelled(noise.p)}"
    name, given = ("epsilon", epsilon) if ratio is None else ("ratio", ratio)
    value = number(given)
    # What has no closed form is spelled as it was typed, or else by more digits than a float has.
    return (
        f"{name}={exact_text(value) or (given if isinstance(given, str) else decimal(value, 20))}"
    )


def _added(
    name: str,
    noise: Noise,
    detail: str,
    sensitivity: object,
    bits: object,
    low: int | None = None,
    high: int | None = None,
) -> OnStatistic:
    return _on_answer(f"{name}({detail}", AddedNoise(noise, low, high), sensitivity, bits)


def _on_answer(text: str, channel: Channel, sensitivity: object, bits: object) -> OnStatistic:
    step = _step(sensitivity)
    if bits is not None:
        n = whole(bits, "bits", at_least=1)
        if step != 1:
            raise InvalidInput(f"sensitivity={step}: a count of bits has sensitivity 1")
        count = Additive(lambda bit: bit, name="count")
        return OnStatistic(BitStrings(n), count, channel, expression=f"{text}, bits={n})")
    clamped = isinstance(channel, AddedNoise)
    universe = Integers(channel.low, channel.high, step) if clamped else Integers(step=step)  # type: ignore[attr-defined]
    tail = "" if step == 1 else f", sensitivity={step}"
    return OnStatistic(universe, TrueAnswer(), channel, expression=f"{text}{tail})")


@named("laplace")
def laplace(
    scale: object = None,
    epsilon: object = None,
    ratio: object = None,
    rate: object = None,
    sensitivity: object = 1,
    bits: object = None,
    *,
    delta: object = None,
) -> Laplace | OnStatistic:
    """Add Laplace noise; the scale is given, or set so that the whole query costs epsilon.

    The rate is 1 / scale; it stays exact where it is a logarithm. With a delta, the scale is the
    least one of six digits.

    >>> laplace(epsilon="1/2", sensitivity=2).scale, laplace(epsilon=1, delta="1/100").expression
    (Fraction(4, 1), 'laplace(scale=0.980296)')
    """
    ways = {"scale": scale, "epsilon": epsilon, "ratio": ratio, "rate": rate}
    _one_way("laplace", ways, delta)
    if _is_given(delta):
        scale = _least("laplace", epsilon, delta, sensitivity, ratio=ratio)
    if scale is not None:
        return _on(Laplace(scale=scale, sensitivity=sensitivity), bits)
    if rate is None:
        rate = laplace_rate(sensitivity, epsilon, ratio=ratio)
    return _on(Laplace(rate=rate, sensitivity=sensitivity), bits)


@named("gaussian")
def gaussian(
    sigma: object = None,
    sigma2: object = None,
    sensitivity: object = 1,
    bits: object = None,
    *,
    epsilon: object = None,
    delta: object = None,
    rho: object = None,
    mu: object = None,
) -> Gaussian | OnStatistic:
    """Add Gaussian noise of standard deviation sigma (sensitivity in the L2 norm).

    >>> gaussian(epsilon=1, delta="1e-6").expression, gaussian(rho="1/8").expression
    ('gaussian(sigma=4.22468)', 'gaussian(sigma2=4)')
    """
    ways = {"sigma": sigma, "sigma2": sigma2, "epsilon": epsilon, "rho": rho, "mu": mu}
    _one_way("gaussian", ways, delta)
    if epsilon is not None:
        sigma = _least("gaussian", epsilon, delta, sensitivity)
    elif rho is not None:
        sigma2 = gaussian_variance(sensitivity, rho=rho)
    elif mu is not None:
        sigma = positive(sensitivity, "sensitivity") / positive(mu, "mu")
    return _on(Gaussian(sigma=sigma, sigma2=sigma2, sensitivity=sensitivity), bits)


Density = TypeVar("Density", bound=Continuous)


def _on(noise: Density, bits: object) -> Density | OnStatistic:
    """Return the bare noise, or the noise on a count of bits."""
    if bits is None:
        return noise
    n = whole(bits, "bits", at_least=1)
    if noise.sensitivity != 1:
        raise InvalidInput(
            f"sensitivity={exact_text(noise.sensitivity)}: a count of bits has sensitivity 1"
        )
    count = Additive(lambda bit: bit, name="count")
    text = f"{noise.expression[:-1]}, bits={n})"
    return OnStatistic(BitStrings(n), count, AddedDensity(noise), expression=text)
