"""The best adversary that a rule lets through, by brute force in exact rationals.

A `Tool` is a mechanism with few outputs, given by their probabilities in the two worlds, and what
it costs. The adversary sees every output and then chooses the next tool, or stops; a rule says
which collections of tools may be used. `worst` is the largest delta of all such adversaries, found
by going through all that may be seen; `transcripts` gives the whole law of the best one.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import ROUND_FLOOR, Decimal, localcontext
from fractions import Fraction
from functools import cache
from math import comb

from twoworlds.release.budget import Spent
from twoworlds.release.costs import Cost, parse_cost, pure_to_zcdp
from twoworlds.release.sensitivity.fixed import composed_epsilon


@dataclass(frozen=True)
class Tool:
    """What it costs, and (probability in this world, in the other) of each output."""

    cost: Cost
    outputs: tuple[tuple[Fraction, Fraction], ...]


def response(ratio, delta=0, *, as_rho=False, cost=None):
    """Randomized response that leaks with probability delta: the worst of all at its cost."""
    ratio, delta = Fraction(ratio), Fraction(delta)
    if cost is None:
        epsilon = parse_cost(f"ln({ratio})").epsilon  # rounded up
        cost = Cost(rho=pure_to_zcdp(epsilon)) if as_rho else Cost(epsilon, delta)
    high, low = (1 - delta) * ratio / (1 + ratio), (1 - delta) / (1 + ratio)
    leaks = ((delta, Fraction(0)), (Fraction(0), delta)) if delta else ()
    return Tool(cost, ((high, low), (low, high), *leaks))


def fixed_batch(ratio, times, delta):
    """Several randomized responses at once, at the price of a batch fixed in advance."""
    ratio, delta = Fraction(ratio), Fraction(delta)
    each = parse_cost(f"ln({ratio})").epsilon
    masses = [comb(times, j) * ratio**j / (1 + ratio) ** times for j in range(times + 1)]
    cost = Cost(composed_epsilon((each,) * times, delta), delta)
    return Tool(cost, tuple(zip(masses, reversed(masses), strict=True)))


def power(epsilon):
    """e^epsilon, a little too small."""
    with localcontext() as context:
        context.prec = 40
        exact = (Decimal(epsilon.numerator) / Decimal(epsilon.denominator)).exp()
    return Fraction(exact.quantize(Decimal(10) ** -12, ROUND_FLOOR))


@dataclass(frozen=True)
class Adversary:
    """Tools, the rule that says how often each may be used, and e^epsilon, a little too small.

    Where ``bound`` is a function, e^epsilon depends on how often each tool was used.
    """

    tools: tuple[Tool, ...]
    admits: Callable[[tuple[int, ...]], bool]
    bound: Fraction | Callable[[tuple[int, ...]], Fraction]

    def worst(self) -> Fraction:
        """The largest sum of (P - bound * Q)_+ over what is seen."""
        return self._values()[1]((0,) * len(self.tools), Fraction(1))

    def transcripts(self) -> Iterator[tuple[Fraction, Fraction]]:
        """Yield the two probabilities of each transcript of the best adversary."""
        choice, _ = self._values()

        def follow(used, p, q):
            best = choice(used, p / q) if p and q else None
            if best is None:
                yield p, q
                return
            for a, b in self.tools[best].outputs:
                yield from follow(_more(used, best), p * a, q * b)

        yield from follow((0,) * len(self.tools), Fraction(1), Fraction(1))

    def _values(self):
        admits = cache(self.admits)

        @cache
        def found(used, ratio):
            """The best tool to use next, and the delta ahead, in this world."""
            bound = self.bound(used) if callable(self.bound) else self.bound
            best, value = None, max(Fraction(0), 1 - bound / ratio)
            for i, tool in enumerate(self.tools):
                after = _more(used, i)
                if admits(after):
                    ahead = sum(
                        (p * (found(after, ratio * p / q)[1] if q else 1))
                        for p, q in tool.outputs
                        if p
                    )
                    if ahead > value:
                        best, value = i, ahead
            return best, value

        return lambda used, ratio: found(used, ratio)[0], lambda used, ratio: found(used, ratio)[1]


def spent(tools, used):
    """What a collection of tools costs."""
    total = Spent()
    for tool, count in zip(tools, used, strict=True):
        for _ in range(count):
            total = total.plus(tool.cost)
    return total


def under(cap, tools):
    """The adversary under a cap."""
    return Adversary(
        tuple(tools),
        lambda used: cap.rule(spent(tools, used)) is not None,
        power(cap.most.epsilon),
    )


def _more(used, i):
    return (*used[:i], used[i] + 1, *used[i + 1 :])
