"""How much noise a promise needs, as `calibrate` says it; computed again by hand, in floats."""

import itertools
import math
import re
from fractions import Fraction

import pytest

from tests.claims.reading import OPEN, fit, guess_is

GUESS = f" Of # people in your position, {OPEN} would get at most # right (# without your data)~."
ON = " on an answer that one person moves by at most # gives epsilon # and delta #."
ALLOWED = f" The promise alone allows this.{GUESS}"
SAID = {
    "gaussian": "Gaussian noise of standard deviation #" + ON,
    "discrete-gaussian": "Discrete Gaussian noise with sigma2 = #" + ON,
    "skellam": "Skellam noise with l1 = l2 = #" + ON,
    "laplace": "Laplace noise of scale #" + ON,
    "geometric": "Geometric noise with p = e^(-~) (#)" + ON,
    "differenced-negative-binomial": "Differenced negative binomial noise with p = #" + ON,
}
REACH = 400


def masses(law, x):
    """Return the probabilities of the noise at -REACH..REACH."""
    ks = range(-REACH, REACH + 1)
    if law == "discrete-gaussian":
        weights = [math.exp(-k * k / (2 * x)) for k in ks]
    elif law == "geometric":
        weights = [math.exp(-x * abs(k)) for k in ks]
    else:  # the difference of two variables
        one = [math.exp(j * math.log(x) - math.lgamma(j + 1)) for j in range(REACH + 1)]
        if law == "differenced-negative-binomial":  # r = 2
            one = [(j + 1) * x**j for j in range(REACH + 1)]
        weights = [sum(one[j + abs(k)] * one[j] for j in range(REACH + 1 - abs(k))) for k in ks]
    total = sum(weights)
    return [weight / total for weight in weights]


def gap(law, x, moved, epsilon):
    """Return sum (P - e^epsilon Q)_+, for noise on the line by its two tails."""
    ratio = math.exp(epsilon)
    if law == "laplace":
        return max(0.0, 1 - math.exp((epsilon - moved / x) / 2))
    if law == "gaussian":
        m, away = moved / (2 * x), epsilon * x / moved
        p, q = (math.erfc((away - side) / 2**0.5) / 2 for side in (m, -m))
        return p - ratio * q
    law_of = masses(law, x)
    pairs = zip(law_of[: -int(moved)], law_of[int(moved) :], strict=True)
    return sum(max(0.0, p - ratio * q) for p, q in pairs)


@pytest.mark.parametrize("law", SAID)
@pytest.mark.parametrize(("epsilon", "delta", "moved"), [("1", "1/1000", 1), ("1/2", "1/50", 2)])
def test_the_noise_gives_what_is_said_and_is_not_needlessly_much(ask, law, epsilon, delta, moved):
    name = f"{law}(r=2)" if law.startswith("differenced") else law
    promise = ("--epsilon", epsilon, "--delta", delta, "--sensitivity", moved)
    _, said = ask("calibrate", name, *promise)
    headline, _, rest = said.partition(" mechanism ")
    _, found = fit(headline, SAID[law] + GUESS)
    if law == "geometric":  # p = e^-x, spelled and as a decimal
        x = float(Fraction(found.pop(0)))
        assert 0 <= float(found[0]) - math.exp(-x) < 1e-5
        found[0] = x
    x, by, e, d = map(float, found[:4])
    half = Fraction(1, 2) + Fraction(gap(law, x, moved, 0)) / 2  # of the noise, not of the promise
    people, right, without = map(Fraction, found[4:7])
    assert (people, without) == (100, 50)
    assert 100 * half * (1 - Fraction(1, 10**9)) <= right < 100 * half + 1
    assert (by, e, d) == (moved, float(Fraction(epsilon)), float(Fraction(delta)))
    assert gap(law, x, moved, e) <= d * (1 + 1e-9)
    # What is not enough is the noise of a number next to it, and of all with less noise.
    short = re.match(r".* not enough \S+?\((?:p=e\^\(-|p=|\w+=)([\d./e-]+)", rest)
    number = float(Fraction(short[1]))
    assert abs(number / x - 1) < 1e-4
    assert gap(law, number, moved, e) > d * (1 - 1e-9)
    assert ("nor anything with less noise" in rest) == (law != "discrete-gaussian")
    for less in (1.01, 1.1, 2):
        smaller = x * less if law == "geometric" else x / less
        assert gap(law, smaller, moved, e) > d
    reached = re.search(r" delta (?:<= |1 - e\S+ \()([\d.e-]+)", rest)
    assert float(reached[1]) == pytest.approx(gap(law, x, moved, e), rel=1e-4)


@pytest.mark.parametrize(("times", "delta"), [(2, "1/100"), (5, "1/1000")])
def test_several_reports_together(ask, times, delta):
    """Every sequence of reports of one bit, looked at one by one."""
    _, said = ask(
        "calibrate", "randomized-response", "--epsilon", 1, "--delta", delta, "--times", times
    )
    tail = f" in each of # reports gives all of them together epsilon # and delta #.{ALLOWED}"
    before = "Randomized response that keeps the true value with probability "
    _, found = fit(said.partition(" mechanism ")[0], f"{before}#{tail}", f"{before}~ (#){tail}")
    keep, count, e, d = map(float, found[-8:-4])
    assert guess_is(*found[-4:-1], e, d)
    assert (count, e, d) == (times, 1, float(Fraction(delta)))
    alone = float(Fraction(re.search(r" mechanism \S+ epsilon=([\d./]+)\)", said)[1]))
    assert keep == pytest.approx(math.exp(alone) / (1 + math.exp(alone)), rel=1e-5)

    def together(price):
        p = math.exp(price) / (1 + math.exp(price))
        reports = itertools.product((p, 1 - p), repeat=times)
        both = ((math.prod(one), math.prod(1 - x for x in one)) for one in reports)
        return sum(max(0.0, x - math.e * y) for x, y in both)

    assert together(alone) <= d < together(alone * 1.001)


@pytest.mark.parametrize(("epsilon", "delta"), [("1/2", "1/1000000"), ("3", "1/1000")])
def test_other_rules_keep_the_promise_with_more_noise(ask_json, epsilon, delta):
    told = ask_json("calibrate", "gaussian", "--epsilon", epsilon, "--delta", delta)
    exact, *others = (one["value"]["value"] for one in told["rules"])
    assert others
    assert exact == pytest.approx(told["value"]["value"] ** 2)
    for square in others:
        assert square > exact
        assert gap("gaussian", square**0.5, 1, float(Fraction(epsilon))) < float(Fraction(delta))
