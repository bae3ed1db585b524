r"""All pairs of worlds in which the likeliest law is compared, with exact probabilities.

People: n + 1, one of them you, with entry v; the attacker knows w, the entries of L others; the
remaining m = n - L are drawn from one law f_j. With the canonical simulator, distributional
privacy compares F(v, w, Y) with F(w, Y), and noiseless privacy F(v, w, Y) with F(v', w, Y), where
Y has m independent entries of f_j.

*Which priors.* Let p be the attacker's prior on the laws. Given v and w the laws have posterior
q_j proportional to p_j c_j, c_j = f_j(v) f_j(w), and the two worlds have the laws
P = sum_j q_j A_j and Q = sum_j q_j B_j. For each event E, P(E) - a Q(E) is linear in q. So delta
and the ratio are convex and quasi-convex in q: the worst q is an extreme point of the set of all
posteriors. The map p -> q is a linear map followed by a division by a positive number, so it takes
segments to segments and the convex hull of points to the convex hull of their images. Hence

    all priors                q ranges over all laws on {j : c_j > 0}; extreme: one law for certain
                              (so an unknown but fixed law is no better: Theorem 4)
    all priors p_j >= lambda  extreme points are the images of the k priors that give one law
                              1 - (k - 1) lambda and all others lambda

*Which w.* All multisets of L values, by their coordinates. Knowing more never helps privacy: P and
Q are mixtures, with equal weights, of what they are given one more entry, and delta and the ratio
of a mixture are at most the largest of the parts. So "at most L" is the same as "L", and a person
whose own entry is among the known ones is the case L - 1.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from math import lcm
from typing import Any

from twoworlds.noiseless.estimates._coordinates import Point
from twoworlds.noiseless.estimates._counting import Counting
from twoworlds.noiseless.estimates._worst import Pair
from twoworlds.noiseless.estimates.family import Family

__all__ = ["DDP", "NOISELESS", "Election", "Scene"]

DDP, NOISELESS = "ddp", "noiseless"


@dataclass(frozen=True)
class Scene:
    """One pair of worlds.

    Attributes:
        posterior: of each law, for one who knows the entry and the known ones.
        entry: the kind of your entry.
        other: the kind that it is compared with; None for the world without it.
        known: the coordinates of the known entries.
    """

    posterior: tuple[Fraction, ...]
    entry: int
    other: int | None
    known: Point


@dataclass(frozen=True)
class Election:
    """A question about the likeliest law: who is compared with whom, who knows what.

    Attributes:
        family: the laws.
        people: n + 1.
        known: L, how many others' entries are known.
        counts: which ones, by kind; None for the worst ones.
        least: lambda; None for all priors.
        definition: ``ddp`` or ``noiseless``.
    """

    family: Family
    people: int
    known: int = 0
    counts: tuple[int, ...] | None = None
    least: Fraction | None = None
    definition: str = DDP

    @cached_property
    def counting(self) -> Counting:
        """The exact counts behind all probabilities."""
        return Counting(self.family, self.people)

    def variant(self, **changes: Any) -> Election:
        """Return the election with some answers changed, and what has been counted already."""
        found = replace(self, **changes)
        if found.people == self.people:
            found.__dict__["counting"] = self.counting
        return found

    @property
    def drawn(self) -> int:
        """How many entries are unknown to the attacker, apart from yours."""
        return self.people - 1 - self.known

    def pairs(self) -> Iterator[Pair[Scene]]:
        """Yield every pair of worlds that can be the worst."""
        for known in self._known_points():
            if self.definition == NOISELESS:
                yield from self._between_values(known)
            else:
                yield from self._with_and_without(known)

    def unsure_pairs(self) -> Iterator[Pair[None]]:
        """Yield two values of your entry, for one who at first gives all laws equal chances.

        The entry changes what they think of the law, and so of the answer: the two posteriors
        differ, which no comparison of `pairs` allows.
        """
        size = self.known + 1
        for known in self._known_points():
            posteriors, answers = [], []
            for step in self.counting.grid.steps:
                start = _added(known, step)
                chances = self.counting.grid.likelihoods(start, size)
                truths = [j for j, chance in enumerate(chances) if chance]
                if truths:
                    total = sum(chances)
                    posteriors.append({j: chances[j] / total for j in truths})
                    answers.append({j: self._outcome(j, start, self.people) for j in truths})
            common = lcm(*(share.denominator for law in posteriors for share in law.values()))
            mixed = [
                _mixed({j: int(share * common) for j, share in law.items()}, answer)
                for law, answer in zip(posteriors, answers, strict=True)
            ]
            for first, second in combinations(mixed, 2):
                yield Pair(first, second, common * self._scale, None)

    def _known_points(self) -> list[Point]:
        if self.counts is not None:
            return [self.counting.point(self.counts)]
        return self.counting.reachable(self.known)

    def _with_and_without(self, known: Point) -> Iterator[Pair[Scene]]:
        for entry, step in enumerate(self.counting.grid.steps):
            start = _added(known, step)
            truths = self._possible(start)
            having = {j: self._outcome(j, start, self.people) for j in truths}
            without = {j: self._outcome(j, known, self.people - 1) for j in truths}
            if self.least is None:
                for j in truths:
                    scene = Scene(self._certain[j], entry, None, known)
                    yield Pair(having[j], without[j], self._scale, scene)
                continue
            for posterior in self._posteriors(start):
                common = lcm(*(share.denominator for share in posterior))
                shares = {j: int(posterior[j] * common) for j in truths}
                first, second = _mixed(shares, having), _mixed(shares, without)
                scene = Scene(posterior, entry, None, known)
                yield Pair(first, second, common * self._scale, scene)

    def _between_values(self, known: Point) -> Iterator[Pair[Scene]]:
        starts = [_added(known, step) for step in self.counting.grid.steps]
        possible = [self._possible(start) for start in starts]
        for j, certain in enumerate(self._certain):
            kinds = [g for g, laws in enumerate(possible) if j in laws]
            answers = {g: self._outcome(j, starts[g], self.people) for g in kinds}
            # A law with one kind of entry only: its values make no difference.
            pairs = combinations(kinds, 2) if len(kinds) != 1 else [(kinds[0], kinds[0])]
            for g, h in pairs:
                yield Pair(answers[g], answers[h], self._scale, Scene(certain, g, h, known))

    def _possible(self, point: Point) -> list[int]:
        return self.counting.grid.possible(point, self.known + 1)

    @cached_property
    def _scale(self) -> int:
        scale: int = self.counting.denominator**self.drawn
        return scale

    @cached_property
    def _certain(self) -> list[tuple[Fraction, ...]]:
        places = range(len(self.family.laws))
        return [tuple(Fraction(int(i == j)) for i in places) for j in places]

    def _outcome(self, truth: int, start: Point, n: int) -> tuple[int, ...]:
        return self.counting.outcome(truth, start, n, self.drawn)

    def _posteriors(self, point: Point) -> Iterator[tuple[Fraction, ...]]:
        """Yield what the extreme priors become on seeing some entries."""
        assert self.least is not None
        chances = self.counting.grid.likelihoods(point, self.known + 1)
        size = len(chances)
        for favoured in range(size):
            prior = [self.least] * size
            prior[favoured] = 1 - (size - 1) * self.least
            joint = [p * chance for p, chance in zip(prior, chances, strict=True)]
            total = sum(joint)
            if total:
                yield tuple(mass / total for mass in joint)


def _added(first: Point, second: Point) -> Point:
    return tuple(a + b for a, b in zip(first, second, strict=True))


def _mixed(shares: dict[int, int], laws: dict[int, tuple[int, ...]]) -> tuple[int, ...]:
    parts = [(share, laws[j]) for j, share in shares.items() if share]
    return tuple(sum(share * law[t] for share, law in parts) for t in range(len(parts[0][1])))
