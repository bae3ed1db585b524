"""How little unpredictability is too little: the best strong extractor there can be.

Assumption 2 (part 2a) asks that the utility vector keep a min-entropy of ell given a breach, and
the proof takes ell nearly uniform bits from it. That is too much to ask: whatever the extractor,
some source of that min-entropy leaves the pad at a distance from uniform that is not small.

`least_distance` computes the least epsilon exactly, over all functions of a seed and w, any number
of seeds and any law of the seed. It is the value of a game: one player picks a function, the other
a source. The distance is convex in the source, so the sources that are uniform on 2^m strings
suffice. Renaming the strings changes nothing, so the second player may take all of these sources
equally often, and a function matters only through how many strings it sends to each output; the
first player may take all functions with the best such sizes equally often. Hence

    epsilon = min over sizes n_1 + ... + n_L = N of sum_i 1/2 E|H(n_i)/K - 1/L|,

where H(n) is hypergeometric: how many of K = 2^m strings, drawn from N = 2^bits, are among n.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, combinations_with_replacement, product
from math import comb
from typing import Any

import numpy as np

from twoworlds.attacks.auxiliary.bits import counted
from twoworlds.cards.explained import Explained
from twoworlds.errors import InvalidInput, TooLarge
from twoworlds.numbers import show, to_json, whole
from twoworlds.progress import track

__all__ = ["LeastDistance", "Search", "least_distance", "search_extractors"]

_MOST_BITS = 7
_MOST_WORK = 1 << 22


@dataclass(frozen=True)
class LeastDistance(Explained):
    """The least distance from uniform that a strong extractor can promise.

    Attributes:
        bits: Length of w.
        ell: Length of the pad.
        entropy: Min-entropy that sources have at least.
        distance: What the best extractor promises; each has a source at least that bad.
        sizes: How many strings each output of its functions has.
    """

    bits: int
    ell: int
    entropy: int
    distance: Fraction
    sizes: tuple[int, ...]

    def verify(self) -> bool:
        """Check by plain counting that the sizes give the distance, and that no function beats it.

        The second part lists all functions, where there are few.
        """
        count, chosen, outputs = 1 << self.bits, 1 << self.entropy, 1 << self.ell
        function = [i for i, size in enumerate(self.sizes) for _ in range(size)]
        if _mean_distance(function, chosen, outputs) != self.distance:
            return False
        if outputs**count > _MOST_WORK >> 6 or count > 8:
            return True
        return all(
            _mean_distance(other, chosen, outputs) >= self.distance
            for other in product(range(outputs), repeat=count)
        )

    def explain(self) -> str:
        """Say what it means."""
        return (
            f"Every strong extractor of {self.ell} from {counted(self.bits, 'bit')} has a "
            f"source of min-entropy {self.entropy} for which its output is at least "
            f"{show(self.distance, side='down')} from uniform, given the seed; with enough seeds "
            "that is attained."
        )

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {
            "bits": self.bits,
            "ell": self.ell,
            "min_entropy": self.entropy,
            "least_epsilon": to_json(self.distance),
            "sizes": list(self.sizes),
            "explanation": self.explain(),
        }


def least_distance(bits: object, ell: object, entropy: object) -> LeastDistance:
    """Return the least epsilon of any strong extractor for sources of a whole min-entropy.

    >>> least_distance(2, 1, 1).distance, least_distance(4, 1, 3).distance
    (Fraction(1, 6), Fraction(245, 2574))
    """
    k, length, m = _sizes(bits, ell, entropy)
    if k > _MOST_BITS:
        raise TooLarge(f"bits={k}: the best extractor is computed up to {_MOST_BITS} bits")
    count, outputs = 1 << k, 1 << length
    price = [_price(n, count, 1 << m, outputs) for n in range(count + 1)]
    # best[n]: the least sum of prices of the outputs so far, with n strings given to them.
    best: dict[int, tuple[int, tuple[int, ...]]] = {0: (0, ())}
    for _ in track(range(outputs), "outputs", outputs):
        following: dict[int, tuple[int, tuple[int, ...]]] = {}
        for used, (spent, sizes) in best.items():
            for n in range(count - used + 1):
                found = spent + price[n]
                if used + n not in following or found < following[used + n][0]:
                    following[used + n] = found, (*sizes, n)
        best = following
    total, sizes = best[count]
    distance = Fraction(total, 2 * comb(count, 1 << m) * outputs << m)
    return LeastDistance(k, length, m, distance, tuple(sorted(sizes, reverse=True)))


def _price(n: int, count: int, chosen: int, outputs: int) -> int:
    """Return E|H/K - 1/L| for H of K drawn strings among n of N, times (N choose K) K L."""
    return sum(
        comb(n, h) * comb(count - n, chosen - h) * abs(outputs * h - chosen)
        for h in range(min(n, chosen) + 1)
    )


def _mean_distance(function: Any, chosen: int, outputs: int) -> Fraction:
    """Return the distance of one function's output, on average over all sources."""
    found = 0
    subsets = 0
    for subset in combinations(function, chosen):
        subsets += 1
        found += sum(abs(outputs * subset.count(i) - chosen) for i in range(outputs))
    return Fraction(found, 2 * outputs * chosen * subsets)


@dataclass(frozen=True)
class Search(Explained):
    """All extractors with so many seeds, tried one by one.

    Attributes:
        bits: Length of w.
        ell: Length of the pad.
        entropy: Min-entropy of the sources.
        seeds: How many seeds, equally likely.
        functions: How many functions of w there are.
        tried: How many extractors: choices of a function for each seed, in any order.
        sources: How many sources, uniform on 2^entropy strings.
        distance: The least, over extractors, of the distance for the worst source.
    """

    bits: int
    ell: int
    entropy: int
    seeds: int
    functions: int
    tried: int
    sources: int
    distance: Fraction

    def explain(self) -> str:
        """Say exactly what was searched."""
        return (
            f"All {self.tried} ways to give {counted(self.seeds, 'seed')} a function of "
            f"{counted(self.bits, 'bit')} with {counted(self.ell, 'bit')} of output "
            f"({self.functions} functions, the order of seeds does not matter) were tried "
            f"on all {self.sources} sources that are uniform on "
            f"{counted(1 << self.entropy, 'string')}: the worst source leaves at least "
            f"{show(self.distance, side='down')}."
        )

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {
            "seeds": self.seeds,
            "functions": self.functions,
            "extractors_tried": self.tried,
            "sources": self.sources,
            "least_epsilon": to_json(self.distance),
            "explanation": self.explain(),
        }


def search_extractors(
    seeds: object, *, bits: object = 2, ell: object = 1, entropy: object = 1
) -> Search:
    """Try every extractor with so many seeds on every source of the min-entropy.

    >>> [str(search_extractors(seeds).distance) for seeds in (1, 2, 3)]
    ['1/2', '1/4', '1/6']
    """
    k, length, m = _sizes(bits, ell, entropy)
    many = whole(seeds, "seeds", at_least=1)
    count, outputs, chosen = 1 << k, 1 << length, 1 << m
    functions = outputs**count if count * length <= 16 else 0
    tried = comb(functions + many - 1, many) if functions else 0
    if not functions or tried * comb(count, chosen) > _MOST_WORK:
        raise TooLarge(
            f"bits={k}, ell={length}, seeds={many}: there are too many extractors to try them all; "
            "least_distance gives the least epsilon over any number of seeds"
        )
    subsets = list(combinations(range(count), chosen))
    uneven = np.array(
        [
            [
                sum(abs(outputs * sum(f[w] == i for w in s) - chosen) for i in range(outputs))
                for s in subsets
            ]
            for f in product(range(outputs), repeat=count)
        ]
    )
    least = min(
        int(uneven[list(one)].sum(axis=0).max())
        for one in track(combinations_with_replacement(range(functions), many), "extractors", tried)
    )
    distance = Fraction(least, 2 * outputs * chosen * many)
    return Search(k, length, m, many, functions, tried, len(subsets), distance)


def _sizes(bits: object, ell: object, entropy: object) -> tuple[int, int, int]:
    k, length, m = (
        whole(bits, "bits", at_least=1),
        whole(ell, "ell", at_least=1),
        whole(entropy, "min-entropy"),
    )
    if m > k or length > k:
        raise InvalidInput(
            f"min-entropy={m}, ell={length}: a string of {counted(k, 'bit')} has min-entropy at "
            f"most {k} and gives at most {counted(k, 'bit')}"
        )
    return k, length, m
