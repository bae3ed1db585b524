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

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from math import comb, lcm, prod
from typing import Any, NamedTuple

from twoworlds.laws.comparison import Comparison, Each, FiniteComparison
from twoworlds.laws.event import Event, EventWitness, Listed, recomputed
from twoworlds.noiseless.estimates.counting import Counting, Point
from twoworlds.noiseless.estimates.family import LawFamily
from twoworlds.numbers import Number, show, to_json

DDP, NOISELESS = "ddp", "noiseless"
_LONGEST_LIST = 1_000_000  # counts to list, times the entries in each


class WorstElection(NamedTuple):
    """The worst value, and the pair and event that attain it (the first law is the likelier)."""

    value: Number
    pair: Comparison
    event: Event


@dataclass(frozen=True)
class ElectionScene:
    """One pair of worlds."""

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

    family: LawFamily
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

    def pairs(self) -> Iterator[FiniteComparison]:
        """Yield every pair of worlds that can be the worst."""
        for known in self._known_points():
            if self.definition == NOISELESS:
                yield from self._between_values(known)
            else:
                yield from self._with_and_without(known)

    def unsure_pairs(self) -> Iterator[FiniteComparison]:
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
                yield _pair(first, second, common * self._scale, None)

    def worst_delta(self, ratio: Number) -> WorstElection:
        """Return the largest delta of any pair, in any direction."""
        return largest_delta(self.pairs(), ratio)

    def worst_ratio(self, delta: Fraction) -> WorstElection:
        """Return the smallest ratio that holds for every pair, in both directions, with a delta."""
        both = _both(self.pairs())
        if delta == 0:
            pair, (ratio, event, _) = both.peak()
            return WorstElection(max(ratio, Fraction(1)), pair, event)
        pair, ratio = both.ratio_for(delta)
        return WorstElection(ratio, pair, pair.gap(ratio).event)

    def _known_points(self) -> list[Point]:
        if self.counts is not None:
            return [self.counting.point(self.counts)]
        return self.counting.reachable(self.known)

    def _with_and_without(self, known: Point) -> Iterator[FiniteComparison]:
        for entry, step in enumerate(self.counting.grid.steps):
            start = _added(known, step)
            truths = self._possible(start)
            having = {j: self._outcome(j, start, self.people) for j in truths}
            without = {j: self._outcome(j, known, self.people - 1) for j in truths}
            if self.least is None:
                for j in truths:
                    scene = ElectionScene(self._certain[j], entry, None, known)
                    yield _pair(having[j], without[j], self._scale, scene)
                continue
            for posterior in self._posteriors(start):
                common = lcm(*(share.denominator for share in posterior))
                shares = {j: int(posterior[j] * common) for j in truths}
                first, second = _mixed(shares, having), _mixed(shares, without)
                scene = ElectionScene(posterior, entry, None, known)
                yield _pair(first, second, common * self._scale, scene)

    def _between_values(self, known: Point) -> Iterator[FiniteComparison]:
        starts = [_added(known, step) for step in self.counting.grid.steps]
        possible = [self._possible(start) for start in starts]
        for j, certain in enumerate(self._certain):
            kinds = [g for g, laws in enumerate(possible) if j in laws]
            answers = {g: self._outcome(j, starts[g], self.people) for g in kinds}
            # A law with one kind of entry only: its values make no difference.
            pairs = combinations(kinds, 2) if len(kinds) != 1 else [(kinds[0], kinds[0])]
            for g, h in pairs:
                yield _pair(
                    answers[g], answers[h], self._scale, ElectionScene(certain, g, h, known)
                )

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


def _pair(
    first: tuple[int, ...], second: tuple[int, ...], scale: int, scene: ElectionScene | None
) -> FiniteComparison:
    """Return two laws of the elected law, as numerators; each world is its scene and number."""
    return FiniteComparison((scene, 0), (scene, 1), first, second, Listed.of, scale)


def _both(pairs: Iterable[FiniteComparison]) -> Each:
    return Each((way for one in pairs for way in (one, one.reverse())), "every pair, both ways")


def largest_delta(pairs: Iterable[FiniteComparison], ratio: Number) -> WorstElection:
    """Return the largest delta of any pair in any direction; there must be a pair."""
    pair, gap = _both(pairs).gap(ratio)
    return WorstElection(gap.delta, pair, gap.event)


def witness(election: Election, worst: WorstElection) -> EventWitness:
    """Describe the worst pair of an election.

    It re-verifies by listing all counts of the unknown entries with their multinomial
    probabilities, and electing a law for each by comparing whole numbers: no polynomials,
    coordinates or logarithms. Only where the list would be too long are the probabilities
    recomputed by `Counting`.
    """
    pair, family = worst.pair, election.family
    assert isinstance(pair, FiniteComparison)
    assert isinstance(worst.event, Listed)
    (scene, number), kinds = pair.x, family.kinds
    chosen = sorted(worst.event.members) or [_likelier(pair)]
    entries: tuple[str | None, str | None] = (
        kinds[scene.entry].values[0],
        None if scene.other is None else kinds[scene.other].values[-1],
    )
    entries = entries if number == 0 else entries[::-1]
    known = election.counts or election.counting.counts_at(scene.known, election.known)
    laws = tuple(t + 1 for t in chosen)
    drawn = election.people - 1 - sum(known)

    def again() -> list[Number]:
        return [_chance(family, scene.posterior, value, known, drawn, laws) for value in entries]

    p, q = (Fraction(sum(law[t] for t in chosen), pair.scale) for law in (pair.p, pair.q))
    first, second = (
        "without your entry" if value is None else f"with your entry {value}" for value in entries
    )
    said = f"{' or '.join(f'law {t}' for t in laws)} is named"
    counts = {kind.values[0]: n for kind, n in zip(kinds, known, strict=True) if n}
    return EventWitness(
        (first, second),
        said,
        (p, q),
        recomputed(again),
        besides=(("", f"if {_background(scene.posterior, counts)}"),),
        data={
            "entry": list(entries),
            "known": counts,
            "posterior_of_laws": [to_json(share) for share in scene.posterior],
            "event": list(laws),
            "event_in_words": said,
        },
    )


def _background(posterior: Sequence[Fraction], counts: Mapping[str, int]) -> str:
    """Say which law is true, and which entries are known."""
    sure = [j for j, share in enumerate(posterior, start=1) if share == 1]
    if sure:
        said = f"law {sure[0]} is true"
    else:
        shares = ", ".join(f"{show(share)}" for share in posterior)
        said = f"the laws have, given all that is known, probabilities {shares}"
    named = ", ".join(f"{count} times {value}" for value, count in counts.items())
    return f"{said} and the known entries are {named}" if counts else said


def _likelier(pair: FiniteComparison) -> int:
    """Return one output that is no less likely in the first world: there always is one."""
    outputs = range(len(pair.p))
    return max(outputs, key=lambda t: (pair.p[t] - pair.q[t], pair.p[t]))


def _chance(
    family: LawFamily,
    posterior: Sequence[Fraction],
    value: str | None,
    known: Sequence[int],
    drawn: int,
    laws: Sequence[int],
) -> Fraction:
    """Return the probability that one of some laws is named in one world."""
    start = list(known)
    if value is not None:
        start[family.kind_of(value)] += 1
    parts = (
        share * _elected(family, j, start, drawn, laws)
        for j, share in enumerate(posterior)
        if share
    )
    return sum(parts, start=Fraction(0))


def _elected(
    family: LawFamily, truth: int, start: Sequence[int], drawn: int, event: Sequence[int]
) -> Fraction:
    """Return the probability that one of some laws is elected, entries being drawn from one law."""
    kinds = len(family.kinds)
    if comb(drawn + kinds - 1, kinds - 1) * max(drawn, 1) > _LONGEST_LIST:
        people = sum(start) + drawn
        counting = Counting(family, people)
        law = counting.outcome(truth, counting.point(start), people, drawn)
        return Fraction(sum(law[t - 1] for t in event), counting.denominator**drawn)
    scale = lcm(*(mass.denominator for kind in family.kinds for mass in kind.masses))
    whole = [[int(mass * scale) for mass in kind.masses] for kind in family.kinds]
    common = lcm(*(weight.denominator for weight in family.weights))
    scores = [
        int(weight * common) * prod(row[j] ** c for row, c in zip(whole, start, strict=True))
        for j, weight in enumerate(family.weights)
    ]
    chosen = {t - 1 for t in event}
    found = sum(
        chance
        for chance, final in _samples(whole, truth, drawn, scores)
        if final.index(max(final)) in chosen
    )
    return Fraction(found, scale**drawn)


def _samples(
    whole: Sequence[Sequence[int]], truth: int, left: int, scores: list[int]
) -> Iterator[tuple[int, list[int]]]:
    """Yield the weight of every way to draw the entries that are left, and the final scores."""
    first, rest = whole[0], whole[1:]
    if not rest:
        yield first[truth] ** left, [x * f**left for x, f in zip(scores, first, strict=True)]
        return
    ways, chance = 1, 1
    for count in range(left + 1):
        for further, final in _samples(rest, truth, left - count, scores):
            yield ways * chance * further, final
        ways = ways * (left - count) // (count + 1)
        chance *= first[truth]
        scores = [x * f for x, f in zip(scores, first, strict=True)]
