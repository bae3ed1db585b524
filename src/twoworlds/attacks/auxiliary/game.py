"""Who wins with auxiliary information: attacker and best simulators, by running through every z.

The auxiliary-information generator knows the database. It picks a breach y of ell bits uniformly
among those of the database, asks the sanitiser for a view w' of the utility vector, makes a pad
from it, (r, p) = Gen(w'), and tells everybody z = (p, r + y). The *attacker* has z and his own view
w'' through the sanitiser, reads the pad back and has y. The *simulator* has z alone; the best one
answers, for each z, the string that is most probably a breach. All probabilities are exact:

    attacker  = P(r'' + r + y is a breach),  r'' = Rec(w'', p)
    simulator = sum over z of max over y' of P(z, y' is a breach)
    simulator_ell                         the same with y' of ell bits alone
    mu        = sum over w'' of max over y' of P(w'', y' is a breach)    (Assumption 2, part 3)
    blind     = max over y' of ell bits of P(y' is a breach)             (printed d_l)
    epsilon   = distance of (r, p, y) from (uniform, p, y): given y, on average over y

If the database has no breach of ell bits, which happens with probability gamma, z says so, and the
attacker loses.

A sanitiser is a law of the error pattern, the set of bits that come out wrong, whatever the vector:
``errors(1)`` gets up to so many bits wrong, all such patterns equally likely; ``flips(1/4)`` flips
each bit independently, which is randomized response; ``exact`` is ``errors(0)``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from math import gcd, lcm

import numpy as np

from twoworlds.attacks.auxiliary.bits import Vector, check_bits, fitted, grouped, patterns, xor_sum
from twoworlds.attacks.auxiliary.extractors import FuzzyExtractor, unevenness
from twoworlds.attacks.auxiliary.laws import BreachLaw
from twoworlds.attacks.english import counted
from twoworlds.calls import parse
from twoworlds.errors import InvalidInput, TooLarge
from twoworlds.numbers import probability, whole
from twoworlds.progress import track


@dataclass(frozen=True, eq=False)
class Sanitiser:
    """A law of error patterns."""

    bits: int  # length of the utility vector
    noise: Vector  # weights of the patterns, as whole numbers
    total: int  # what they sum to
    reach: int  # the most bits that can be wrong
    name: str  # what it does, in words

    def seen(self, weights: Vector) -> Vector:
        """Return the law of what is seen, times `total`, for a law of the vector."""
        return xor_sum(weights, self.noise) if self.reach else np.asarray(weights * self.total)

    def differences(self) -> Vector:
        """Return the law of the difference of two views of one vector, times ``total ** 2``."""
        return xor_sum(self.noise, self.noise).astype(object)


def sanitiser(text: str, bits: object) -> Sanitiser:
    """Build a sanitiser from ``exact``, ``errors(1)`` or ``flips(1/4)``.

    >>> sanitiser("errors(1)", 5).total, sanitiser("flips(1/4)", 2).noise.tolist()
    (6, [9, 3, 3, 1])
    """
    k = check_bits(whole(bits, "bits", at_least=1), "a utility vector")
    call = parse(text)
    if call.named or (call.name, len(call.positional)) not in (
        ("exact", 0),
        ("errors", 1),
        ("flips", 1),
    ):
        raise InvalidInput(f"{text!r}: write exact, errors(1) or flips(1/4)")
    if call.name == "flips":
        return _flips(k, call.positional[0])
    most = whole((*call.positional, 0)[0], "errors")
    if most > k:
        raise InvalidInput(f"errors={most}: w has only {counted(k, 'bit')} that can be wrong")
    noise = np.zeros(1 << k, dtype=np.int64)
    noise[list(patterns(k, most))] = 1
    name = "reveals w" if most == 0 else f"gets up to {most} of {counted(k, 'bit')} wrong"
    return Sanitiser(k, noise, int(noise.sum()), most, name)


def _flips(bits: int, chance: object) -> Sanitiser:
    flipped = probability(chance, "flips")
    right, wrong = flipped.denominator - flipped.numerator, flipped.numerator
    by_weight = np.empty(bits + 1, dtype=object)
    by_weight[:] = [right ** (bits - i) * wrong**i for i in range(bits + 1)]
    weight = np.bitwise_count(np.arange(1 << bits)).astype(np.int64)
    total = flipped.denominator**bits
    name = f"flips each bit with probability {flipped}"
    reach = bits if flipped else 0
    return Sanitiser(bits, fitted(by_weight[weight], total), total, reach, name)


# --- the game -------------------------------------------------------------------------------------


# Shares of laws of the utility vector, by their place in a list.
_Mixture = tuple[tuple[int, int], ...]
_MOST_SCORES = 1 << 24
_MOST_STEPS = 1 << 32


class Game:
    """One attack, in whole numbers over ``self.total``; `chances` plays it."""

    def __init__(self, law: BreachLaw, pad: FuzzyExtractor, view: Sanitiser) -> None:
        self.law, self.pad, self.view = law, pad, view
        self.answers = {y: i for i, y in enumerate(law.answers)}
        self.told = [i for y, i in self.answers.items() if len(y) == pad.ell]
        self.long = [
            [int(y, 2) for y in group.breaches if len(y) == pad.ell] for group in law.groups
        ]
        self.among = lcm(*(len(ys) for ys in self.long if ys))
        self.total = law.total * view.total * self.among
        self._check_size()
        vectors: dict[int, tuple[int, Vector]] = {}
        for group in law.groups:
            vectors.setdefault(id(group.weights), (len(vectors), group.weights))
        self.index = [vectors[id(group.weights)][0] for group in law.groups]
        largest = (self.total << pad.ell + 1) * max(2, pad.extract.seeds)
        # The weights of each vector w, and of each view of it times view.total.
        self.true = np.array([fitted(vector, largest) for _, vector in vectors.values()])
        self.seen = np.array([fitted(view.seen(vector), largest) for vector in self.true])
        self._sums = [sum(map(int, vector)) for vector in self.true]
        self._is_uniform_secret = (
            len(self.true) == 1
            and len(law.groups) == 1 << pad.ell
            and all(len(group.breaches) == 1 for group in law.groups)
            and all(self.long)
            and len({group.factor for group in law.groups}) == 1
        )

    def _check_size(self) -> None:
        self.pad.check_size()
        pad, groups = self.pad, len(self.law.groups)
        if len(self.answers) * max(pad.cells, 1 << pad.bits) > _MOST_SCORES:
            raise TooLarge(
                f"{len(self.answers)} possible answers times {max(pad.cells, 1 << pad.bits)} "
                f"values of z are more than {_MOST_SCORES}: shorten the breaches or w"
            )
        steps = pad.extract.seeds * groups * ((1 << pad.bits) + pad.cells + 4096)
        if steps > _MOST_STEPS:
            raise TooLarge(
                f"{counted(pad.extract.seeds, 'seed')} times "
                f"{counted(groups, 'set')} of breaches times 2^{pad.bits} strings take too long: "
                "take fewer seeds (toeplitz, field, identity) or a shorter w"
            )

    def chances(self) -> dict[str, Fraction]:
        """Return who wins how often, and how far the pad is from uniform, by name."""
        secrets = self._secrets()
        told = [i for i, ys in enumerate(self.long) if ys]
        sets: list[_Mixture] = [((self.index[i], 1),) for i in told]
        simulator, simulator_ell, distance = self._over_seeds({*secrets, *sets})
        groups = self.law.groups
        weight = {i: self._chance(((self.index[i], groups[i].factor),)) for i in told}
        some = sum(weight.values(), Fraction(0))
        on_average = sum((distance[m] * c for m, c in secrets.items()), Fraction(0))
        given_all = sum(
            (distance[m] * weight[i] for m, i in zip(sets, told, strict=True)), Fraction(0)
        )
        return {
            "gamma": 1 - some,
            "attacker": self._attacker(),
            "simulator": simulator,
            "simulator_ell": simulator_ell,
            "mu": self._best(self.seen, told_length=False),
            "mu_public": self._best(self._sketched(), told_length=True),
            "blind": self._blind(lambda answer, _: len(answer) == self.pad.ell),
            "blind_any": self._blind(lambda *_: True),
            "epsilon": on_average / some,
            "epsilon_worst": max(distance[m] for m in secrets),
            "epsilon_given_breaches": given_all / some,
            "largest_utility": self._largest(self.true, secrets),
            "largest_seen": self._largest(self.seen, secrets),
            "largest_given_breaches": self._largest(self.true, sets),
            "residual": self._residual(secrets),
        }

    def _secrets(self) -> dict[_Mixture, Fraction]:
        """The law of the utility vector given each breach told, with the chance of that breach.

        Breaches with proportional laws are gathered.
        """
        parts: dict[int, dict[int, int]] = {}
        for i, ys in enumerate(self.long):
            for y in ys:
                part = parts.setdefault(y, {})
                share = self.law.groups[i].factor * (self.among // len(ys))
                part[self.index[i]] = part.get(self.index[i], 0) + share
        found: dict[_Mixture, Fraction] = {}
        for part in parts.values():
            divisor = gcd(*part.values())
            mixture = tuple(sorted((i, share // divisor) for i, share in part.items()))
            chance = self._chance(tuple(part.items())) / self.among
            found[mixture] = found.get(mixture, Fraction(0)) + chance
        return found

    def _chance(self, mixture: _Mixture) -> Fraction:
        weight = sum(share * self._sums[i] for i, share in mixture)
        return Fraction(weight, self.law.total)

    def _over_seeds(
        self, mixtures: Iterable[_Mixture]
    ) -> tuple[Fraction, Fraction, dict[_Mixture, Fraction]]:
        """Return what the best simulator wins, and the distance of the pad for each law of w.

        Twice: with answers of any length, and of ell bits.
        """
        pad, seeds = self.pad, self.pad.extract.seeds
        wins, wins_ell, uneven = 0, 0, dict.fromkeys(mixtures, 0)
        for seed in track(range(seeds), "seeds", seeds):
            cell = pad.cell(seed)
            sums = [grouped(cell, vector, pad.cells) for vector in self.seen]
            here, here_ell = self._wins(sums)
            wins, wins_ell = wins + here, wins_ell + here_ell
            for mixture in uneven:
                mixed = sum(share * sums[i] for i, share in mixture)
                uneven[mixture] += unevenness(np.asarray(mixed), pad.ell)
        simulator = Fraction(wins, self.total * seeds) + self._wins_without_a_breach()
        distance = {
            mixture: Fraction(found, (self._seen_sum(mixture) << pad.ell + 1) * seeds)
            for mixture, found in uneven.items()
        }
        return simulator, Fraction(wins_ell, self.total * seeds), distance

    def _seen_sum(self, mixture: _Mixture) -> int:
        return sum(share * self._sums[i] for i, share in mixture) * self.view.total

    def _wins(self, sums: list[Vector]) -> tuple[int, int]:
        """Return what the best answer to each z wins for one seed, and the best of ell bits."""
        if self._is_uniform_secret:  # then the best answer is the likeliest pad, whatever r + y is
            pads = sums[0].reshape(-1, 1 << self.pad.ell)
            best = int(pads.max(axis=1).sum()) * self.law.groups[0].factor << self.pad.ell
            return best, best
        cells = np.arange(self.pad.cells)
        scores = np.zeros((len(self.answers), self.pad.cells), dtype=self.seen.dtype)
        for i, (group, ys) in enumerate(zip(self.law.groups, self.long, strict=True)):
            if not ys:
                continue
            share = group.factor * (self.among // len(ys))
            shown = sum(sums[self.index[i]][cells ^ y] for y in ys) * share
            for answer in group.breaches:
                scores[self.answers[answer]] += shown
        return int(scores.max(axis=0).sum()), int(scores[self.told].max(axis=0).sum())

    def _wins_without_a_breach(self) -> Fraction:
        """Return what the simulator wins when z says that there is no breach of this length."""
        return self._blind(lambda _, i: not self.long[i])

    def _attacker(self) -> Fraction:
        """Return how often the attacker says a breach.

        What is wrong after mending depends on the difference of the two views alone, and shifts y
        by the pad of what is left over, because pads are linear.
        """
        pad, mended = self.pad, self.pad.left_over >= 0
        law = grouped(pad.left_over[mended], self.view.differences()[mended], 1 << pad.bits)
        hits = [self._hits(i) for i in range(len(self.law.groups))]
        seeds = pad.extract.seeds if law[1:].any() else 1
        wins = Fraction(0)
        for seed in range(seeds):
            shifts = grouped(pad.pads(seed), law, 1 << pad.ell)
            for i, hit in enumerate(hits):
                wins += self._sums[self.index[i]] * sum(hit[d] * int(shifts[d]) for d in hit)
        return wins / (self.law.total * self.view.total**2 * seeds)

    def _hits(self, i: int) -> dict[int, Fraction]:
        """Return, for each shift, the weight of the breaches told that it turns into breaches."""
        ys = set(self.long[i])
        found: dict[int, Fraction] = {}
        for y in ys:
            for other in ys:
                share = Fraction(self.law.groups[i].factor, len(ys))
                found[y ^ other] = found.get(y ^ other, Fraction(0)) + share
        return found

    def _sketched(self) -> Vector:
        size = 1 << self.pad.sketch_bits
        return np.array([grouped(self.pad.sketches, vector, size) for vector in self.seen])

    def _best(self, views: Vector, *, told_length: bool) -> Fraction:
        """Return what the best answer wins to somebody who has a view, and not z."""
        if len(views) == 1 and all(self.long):  # the view does not depend on the breaches
            return self._blind(lambda *_: True)
        scores = np.zeros((len(self.answers), views.shape[1]), dtype=views.dtype)
        for i, group in enumerate(self.law.groups):
            if told_length and not self.long[i]:
                continue
            for answer in group.breaches:
                scores[self.answers[answer]] += group.factor * views[self.index[i]]
        wins = Fraction(int(scores.max(axis=0).sum()), self.law.total * self.view.total)
        return wins + self._wins_without_a_breach() if told_length else wins

    def _blind(self, counts: Callable[[str, int], bool]) -> Fraction:
        """Return what the best answer wins of the answers and the groups that count."""
        chances = [Fraction(0)]
        for answer in self.answers:
            chosen = (
                (self.index[i], group.factor)
                for i, group in enumerate(self.law.groups)
                if answer in group.breaches and counts(answer, i)
            )
            chances.append(self._chance(tuple(chosen)))
        return max(chances)

    def _mixed(self, vectors: Vector, mixture: _Mixture) -> Vector:
        return np.asarray(sum(share * vectors[i] for i, share in mixture))

    def _largest(self, vectors: Vector, mixtures: Iterable[_Mixture]) -> Fraction:
        """Return the largest conditional probability of a string."""
        found = []
        for mixture in mixtures:
            mixed = self._mixed(vectors, mixture)
            found.append(Fraction(int(mixed.max()), int(mixed.sum())))
        return max(found)

    def _residual(self, mixtures: Iterable[_Mixture]) -> Fraction:
        """Return the chance of guessing the view from its syndrome, given the worst breach."""
        found = []
        for mixture in mixtures:
            mixed = self._mixed(self.seen, mixture)
            best = np.zeros(1 << self.pad.sketch_bits, dtype=mixed.dtype)
            np.maximum.at(best, self.pad.sketches, mixed)
            found.append(Fraction(int(best.sum()), int(mixed.sum())))
        return max(found)
