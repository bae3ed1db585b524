r"""From how many people on a trusted curator beats randomized response, at the same epsilon.

With a = e^epsilon, the mean square errors of a count over n people are

    randomized response, keep a / (1 + a):    n a / (a - 1)^2      (Wu, Proposition 3.3)
    Laplace noise of scale 1 / epsilon:       2 / epsilon^2        (Wu, Lemma 4.4(1b))
    geometric noise with p = 1 / a:           2 a / (a - 1)^2

Differs: Wu's summary says that for the same budget "the Laplace mechanism adds far less error".
For few people it adds more: at epsilon = ln 3 it is better from n = 3 on. Geometric noise is better
from n = 3 on at every epsilon, and equal at n = 2.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from twoworlds.answer import Answer
from twoworlds.charts import Bars
from twoworlds.mechanisms.calibration import read_epsilon
from twoworlds.numbers import Number, bounds, exp, show, sqrt
from twoworlds.show import Result

__all__ = ["Crossover", "geometric_crossover", "laplace_crossover"]


@dataclass(frozen=True)
class Crossover(Result):
    """The number of people from which central noise is the more accurate.

    Attributes:
        records: the smallest n at which the noise has the smaller root mean square error.
        threshold: the real number that n must exceed.
        per_record: mean square error of randomized response, per person.
        central: mean square error of the noise, whatever the number of people.
    """

    noise: str
    epsilon: Number
    records: int
    threshold: Number
    per_record: Number
    central: Number

    def answer(self) -> Answer:
        """Say where the two cross, and chart the error for some numbers of people."""
        local, central = sqrt(self.records * self.per_record), sqrt(self.central)
        numbers = sorted({1, self.records - 1, self.records, 2 * self.records} - {0})
        errors = {f"randomized response, n = {n:,}": sqrt(n * self.per_record) for n in numbers}
        mark = (f"{self.noise} noise, any n:", central)
        title = "Root mean square error of a count"
        return Answer(
            f"At epsilon {show(self.epsilon)} {self.noise} noise estimates a count better than "
            f"randomized response from {self.records} people on: root mean square error "
            f"{show(central)} against {show(local)}.",
            blocks=(Bars(title, errors, share=False, mark=mark),),
        )


def laplace_crossover(epsilon: object = None, *, ratio: object = None) -> Crossover:
    """Return the n from which Laplace noise beats randomized response.

    n > 2 (a - 1)^2 / (a epsilon^2),  where: a = e^epsilon

    >>> laplace_crossover("ln 3").records
    3
    """
    price = read_epsilon(epsilon, ratio)
    return _crossover("Laplace", price, 2 / (price * price))


def geometric_crossover(epsilon: object = None, *, ratio: object = None) -> Crossover:
    """Return the n from which geometric noise beats randomized response: 3, at every epsilon.

    n a / (a - 1)^2 > 2 a / (a - 1)^2  exactly when  n > 2

    >>> geometric_crossover("1/10").records
    3
    """
    price = read_epsilon(epsilon, ratio)
    each = _per_record(price)
    return Crossover("geometric", price, 3, Fraction(2), each, 2 * each)


def _crossover(noise: str, epsilon: Number, central: Number) -> Crossover:
    each = _per_record(epsilon)
    threshold = central / each
    return Crossover(noise, epsilon, _first_above(threshold), threshold, each, central)


def _per_record(epsilon: Number) -> Number:
    a = exp(epsilon)
    return a / ((a - 1) * (a - 1))


def _first_above(x: Number) -> int:
    """Return the smallest whole number above x, decided by enclosures and never by floats."""
    low, high = bounds(x)
    if high - low > 1:  # more people than 128 bits can tell apart: as many bits as x has, and more
        low, high = bounds(x, int(high).bit_length() + 128)
    n = high.numerator // high.denominator + 1
    while n - 1 > x:
        n -= 1
    return n
