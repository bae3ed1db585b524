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

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from math import comb, lcm, prod
from typing import Any

from twoworlds.definitions.coupled.words import first_where, short, weakens
from twoworlds.definitions.words import digits_apart
from twoworlds.laws.comparison import Comparison, Family, FiniteComparison, larger
from twoworlds.laws.event import Event, EventWitness, Listed, recomputed
from twoworlds.noiseless.estimates.counting import Counting, Counts, likelihoods, samples
from twoworlds.noiseless.estimates.family import LawFamily
from twoworlds.numbers import INFINITY, Number, counted, decimal, ln, show, to_json

DDP, NOISELESS = "ddp", "noiseless"
_LONGEST_LIST = 1_000_000  # counts to list, times the entries in each
_SEARCHED = 1000  # points of the box times its rows, up to which the breaking point is looked for
_STEPPED = 20_000  # points of the box times choices of known entries, for one more known entry
_HALF = Fraction(1, 2)
_SOME = "knowing entries of others, as each known entry can weaken it"
_DEPENDENT = "entries that depend on one another, or come from other laws"

Worst = tuple[Number, Comparison, Event]
"""The worst value, and the pair and event that attain it (the first law is the likelier)."""


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
    counts: Counts | None = None
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

    def pairs(self) -> Iterator[FiniteComparison]:
        """Yield every pair of worlds that can be the worst."""
        compared = self._between_values if self.definition == NOISELESS else self._with_and_without
        for known in self._known():
            yield from compared(known)

    def unsure_pairs(self) -> Iterator[FiniteComparison]:
        """Yield two values of your entry, for one who at first gives all laws equal chances.

        The entry changes what they think of the law, and so of the answer: the two posteriors
        differ, which no comparison of `pairs` allows.
        """
        even = [Fraction(1)] * len(self.family.laws)
        for known in self._known():
            mixed = []
            for entry in range(len(self.family.kinds)):
                start = _added(known, entry)
                for posterior in self._posteriors(start, [even]):
                    mixed.append(self._mixed(posterior, start, self.people))
            for first, second in combinations(mixed, 2):
                yield _pair(first, second)

    def worst_delta(self, ratio: Number) -> Worst:
        """Return the largest delta of any pair, in any direction."""
        return largest_delta(self.pairs(), ratio)

    def worst_ratio(self, delta: Fraction) -> Worst:
        """Return the smallest ratio that holds for every pair, in both directions, with a delta."""
        both = _both(self.pairs())
        if delta == 0:
            pair, (ratio, event, _) = both.peak()
            return max(ratio, Fraction(1)), pair, event
        pair, ratio = both.ratio_for(delta)
        return ratio, pair, pair.gap(ratio).event

    def _known(self) -> Iterable[Counts]:
        if self.counts is not None:
            return [self.counts]
        return samples(self.known, len(self.family.kinds))

    def _with_and_without(self, known: Counts) -> Iterator[FiniteComparison]:
        size = len(self.family.laws)
        for entry in range(len(self.family.kinds)):
            start = _added(known, entry)
            if self.least is None:
                posteriors = [_certain(j, size) for j in self._possible(start)]
            else:
                posteriors = list(self._posteriors(start, _corners(self.least, size)))
            for posterior in posteriors:
                having = self._mixed(posterior, start, self.people)
                without = self._mixed(posterior, known, self.people - 1)
                yield _pair(having, without, (posterior, entry, None, known))

    def _between_values(self, known: Counts) -> Iterator[FiniteComparison]:
        size, kinds = len(self.family.laws), range(len(self.family.kinds))
        starts = [_added(known, entry) for entry in kinds]
        possible = [self._possible(start) for start in starts]
        for j in range(size):
            certain = _certain(j, size)
            values = [g for g in kinds if j in possible[g]]
            answers = {g: self._mixed(certain, starts[g], self.people) for g in values}
            # A law with one kind of entry only: its values make no difference.
            for g, h in combinations(values, 2) if len(values) != 1 else [(values[0], values[0])]:
                yield _pair(answers[g], answers[h], (certain, g, h, known))

    def _possible(self, counts: Counts) -> list[int]:
        """Return the laws that allow so many entries of each kind."""
        kinds = [k for k, c in zip(self.family.kinds, counts, strict=True) if c]
        return [j for j in range(len(self.family.laws)) if all(k.masses[j] for k in kinds)]

    def _posteriors(
        self, counts: Counts, priors: Iterable[Sequence[Fraction]]
    ) -> Iterator[tuple[Fraction, ...]]:
        """Yield what priors become on seeing some entries."""
        chances = likelihoods(self.family, counts)
        for prior in priors:
            joint = [p * chance for p, chance in zip(prior, chances, strict=True)]
            if total := sum(joint):
                yield tuple(mass / total for mass in joint)

    def _mixed(
        self, posterior: Sequence[Fraction], start: Counts, n: int
    ) -> tuple[tuple[int, ...], int]:
        """Return the law of what is elected, in whole numbers, and their common denominator."""
        drawn = self.people - 1 - self.known
        common = lcm(*(share.denominator for share in posterior))
        parts = [
            (int(share * common), self.counting.outcome(j, start, n, drawn))
            for j, share in enumerate(posterior)
            if share
        ]
        mixed = tuple(sum(share * law[t] for share, law in parts) for t in range(len(posterior)))
        return mixed, common * self.counting.denominator**drawn


def _added(counts: Counts, kind: int) -> Counts:
    return tuple(c + (g == kind) for g, c in enumerate(counts))


def _certain(j: int, size: int) -> tuple[Fraction, ...]:
    return tuple(Fraction(int(i == j)) for i in range(size))


def _corners(least: Fraction, size: int) -> Iterator[list[Fraction]]:
    """Yield the extreme priors: one law has all that the others need not have."""
    for favoured in range(size):
        yield [1 - (size - 1) * least if j == favoured else least for j in range(size)]


def _pair(
    first: tuple[tuple[int, ...], int], second: tuple[tuple[int, ...], int], scene: object = None
) -> FiniteComparison:
    """Return two laws of the elected law; each world is its scene and number.

    A scene is the posterior of the laws, your entry in both worlds (None: without), and what is
    known of others, by kind.
    """
    (p, scale), (q, other) = first, second
    if scale != other:
        common = lcm(scale, other)
        p, q = (tuple(x * (common // s) for x in law) for law, s in (first, second))
        scale = common
    return FiniteComparison((scene, 0), (scene, 1), p, q, Listed.of, scale)


def _both(pairs: Iterable[FiniteComparison]) -> Family:
    return Family((way for one in pairs for way in (one, one.reverse())), "every pair, both ways")


def largest_delta(pairs: Iterable[FiniteComparison], ratio: Number) -> Worst:
    """Return the largest delta of any pair in any direction; there must be a pair."""
    pair, gap = _both(pairs).gap(ratio)
    return gap.delta, pair, gap.event


# --- the witness ----------------------------------------------------------------------------------


def witness(election: Election, worst: Worst) -> EventWitness:
    """Describe the worst pair of an election.

    It re-verifies by listing all counts of the unknown entries with their multinomial
    probabilities, and electing a law for each by comparing whole numbers: no polynomials and no
    runs. Only where the list would be too long are the probabilities recomputed by `Counting`.
    """
    _, pair, event = worst
    family, kinds = election.family, election.family.kinds
    assert isinstance(pair, FiniteComparison)
    assert isinstance(event, Listed)
    (posterior, entry, other, known), number = pair.x
    outputs = range(len(pair.p))
    likelier = max(outputs, key=lambda t: (pair.p[t] - pair.q[t], pair.p[t]))
    chosen = sorted(event.members) or [likelier]
    values = (kinds[entry].values[0], None if other is None else kinds[other].values[-1])
    entries = values if number == 0 else values[::-1]
    drawn = election.people - 1 - sum(known)

    def again() -> list[Number]:
        return [_chance(family, posterior, value, known, drawn, chosen) for value in entries]

    p, q = (Fraction(sum(law[t] for t in chosen), pair.scale) for law in (pair.p, pair.q))
    first, second = (
        "without your entry" if value is None else f"with your entry {value}" for value in entries
    )
    laws = [t + 1 for t in chosen]
    said = f"{' or '.join(f'law {t}' for t in laws)} is named"
    counts = {kind.values[0]: n for kind, n in zip(kinds, known, strict=True) if n}
    return EventWitness(
        (first, second),
        said,
        (p, q),
        recomputed(again),
        besides=(("", f"if {_background(posterior, counts)}"),),
        data={
            "entry": list(entries),
            "known": counts,
            "posterior_of_laws": [to_json(share) for share in posterior],
            "event": laws,
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


def _chance(
    family: LawFamily,
    posterior: Sequence[Fraction],
    value: str | None,
    known: Counts,
    drawn: int,
    chosen: Sequence[int],
) -> Fraction:
    """Return the probability that one of some laws is named in one world."""
    start = known if value is None else _added(known, family.kind_of(value))
    parts = (
        share * _elected(family, j, start, drawn, chosen)
        for j, share in enumerate(posterior)
        if share
    )
    return sum(parts, start=Fraction(0))


def _elected(
    family: LawFamily, truth: int, start: Counts, drawn: int, chosen: Sequence[int]
) -> Fraction:
    """Return the probability that one of some laws is elected, entries being drawn from one law."""
    kinds = len(family.kinds)
    if comb(drawn + kinds - 1, kinds - 1) * max(drawn, 1) > _LONGEST_LIST:
        people = sum(start) + drawn
        counting = Counting(family, people)
        law = counting.outcome(truth, start, people, drawn)
        return Fraction(sum(law[t] for t in chosen), counting.denominator**drawn)
    scale = lcm(*(mass.denominator for kind in family.kinds for mass in kind.masses))
    whole = [[int(mass * scale) for mass in kind.masses] for kind in family.kinds]
    common = lcm(*(weight.denominator for weight in family.weights))
    scores = [
        int(weight * common) * prod(row[j] ** c for row, c in zip(whole, start, strict=True))
        for j, weight in enumerate(family.weights)
    ]
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


# --- what breaks it -------------------------------------------------------------------------------


def first_known(election: Election, fails: Callable[[Election], bool]) -> int | None:
    """Return the least number of known entries, above that of now, for which something fails.

    Knowing more never helps privacy, so that it goes on failing; None when it never fails.
    """
    most = election.people - 1
    found = first_where(lambda n: fails(election.variant(known=n)), election.known + 1, most + 1)
    return None if found > most else found


def broken_by(
    election: Election, ratio: Number, delta: Number, *, asked: str, claimed: bool = False
) -> str | None:
    """Say what breaks a claim that holds, or makes the delta (the ratio) that was asked worse."""
    if delta == 1 or (asked == "ratio" and ratio == INFINITY):
        return None
    unsure = _unsure(election, ratio, delta)

    def number(known: int) -> Number:
        more = election.variant(known=known)
        if asked == "ratio":
            assert isinstance(delta, Fraction)
            return more.worst_ratio(delta)[0]
        return more.worst_delta(ratio)[0]

    def gives(known: int) -> str:
        if asked == "delta":
            return f"delta {decimal(number(known), 3, 'about')}"
        return f"epsilon {decimal(ln(number(known)), 3, 'about')} at delta {short(delta)}"

    now = ratio if asked == "ratio" else delta
    further = election.known + 1
    if not _searchable(election):
        if claimed or not _steppable(election) or not larger(number(further), now):
            return _listed(unsure, _SOME)
        return _listed(unsure, weakens(further, gives(further)))
    first = first_known(election, lambda more: larger(number(more.known), now))
    if first is None:
        return _listed(unsure)
    if claimed:
        found = number(first)
        worst = decimal(found, digits_apart(found, delta), "about")
        known = f"knowing {counted(first, 'entry', 'entries')} of others, after which delta can be"
        return _listed(unsure, f"{known} {worst}")
    beyond = None
    if not larger(delta, _HALF):
        beyond = first_known(election, lambda more: larger(more.worst_delta(ratio)[0], _HALF))
    where = " at this epsilon" if asked == "ratio" else ""
    said = weakens(first, gives(first), beyond, limit=f"delta exceed 1/2{where}")
    return _listed(unsure, said)


def something_breaks(election: Election) -> str:
    """Say what breaks it where nothing can be counted."""
    unsure = election.definition == NOISELESS
    return _listed("being unsure which of the laws is true" if unsure else None, _SOME)


def _unsure(election: Election, ratio: Number, delta: Number) -> str | None:
    """Say what noiseless privacy is to one who is not sure of the law, if that is worse."""
    if election.definition != NOISELESS:
        return None
    pairs = list(election.unsure_pairs())
    if not pairs or not larger(worst := largest_delta(pairs, ratio)[0], delta):
        return None
    return (
        "being unsure which of the laws is true, since your entry tells about that, as the answer "
        f"does: delta is {decimal(worst, 3, 'about')} for one who gives all of them equal chances"
    )


def _listed(*parts: str | None) -> str:
    return "; ".join(part for part in (*parts, _DEPENDENT) if part is not None)


def _searchable(election: Election) -> bool:
    """Tell whether every number of known entries can be tried in little time."""
    if election.counts is not None:
        return False
    rows: int = (election.people + 1) ** max(0, len(election.family.kinds) - 2)
    return rows * rows * (election.people + 1) <= _SEARCHED


def _steppable(election: Election) -> bool:
    """Tell whether one more known entry can be tried in little time."""
    if election.counts is not None or election.known + 1 == election.people:
        return False
    kinds = len(election.family.kinds)
    choices = comb(election.known + kinds, kinds - 1)
    points: int = (election.people + 1) ** (kinds - 1)
    return choices * points <= _STEPPED
