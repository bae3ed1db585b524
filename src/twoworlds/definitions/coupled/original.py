r"""Noiseless privacy as first defined: epsilon, but for what is rare.

Bassily, Groce, Katz & Smith say after Definition 6 how it differs from the definition of their
reference [1] (Bhaskar, Bhowmick, Goyal, Laxman & Thakurta 2011): there epsilon alone must hold,
but for values x_i, x'_i that occur with probability at most delta. Here a set V of values of
entries and a set O of releases are left out. Given z, with a = e^epsilon,

    P(F(X) = t | X_i = v) <= a P(F(X) = t | X_i = w)   for all i, v, w outside V, t outside O
    P(F(X) in O) + P(X_i in V) <= delta                for all i

and delta is the least number for which there are such sets. For given V the least O is
{t : r_t > a}, with r_t the largest quotient of any two values outside V. Sets V are tried in the
order of their size, but for those that cost more than leaving out releases alone.

**Against Definition 6.** Neither implies the other with the same numbers.

*A rare value may be given away.* A value of probability delta goes into V, and the release may show
it: Definition 6, which compares every two values, then has delta = 1.

*Small excesses count in full.* At ratio 1 every release whose probabilities differ a little lies in
O, while Definition 6 adds up how much they differ.

*From Definition 6.* Let it hold with a and d, and let R be the law of F(X) given z, a mixture of
the laws P_iv given X_i = v. As the hockey-stick divergence is convex, P_iv and R are within a and
d of each other too. For b > a, {P_iv > b R} has probability at most d b / (b - a) under P_iv, hence
d / (b - a) under R; {R > b P_iv} has at most d b / (b - a) under R (this is the argument of
Kasiviswanathan & Smith, Lemma 3.3, with its constants corrected). Let O be the union of these sets
over N different laws P_iv. Outside O, P_iv <= b R <= b^2 P_iw. So the original definition holds
with ratio b^2 and N d (b + 1) / (b - a).

*To Definition 6.* For v, w outside V, P_iv(E) <= a P_iw(E) + P_iv(O), and P_iv(O) is at most
delta / P(X_i = v). Of values in V nothing follows.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, cmp_to_key
from typing import NamedTuple

from twoworlds.definitions.coupled.measures import (
    ByEvents,
    Found,
    TwoWorlds,
    WorstEvent,
    two_values,
)
from twoworlds.definitions.coupled.scene import Scene, WorldPair
from twoworlds.definitions.coupled.witness import event_witness
from twoworlds.errors import TooLarge
from twoworlds.laws.comparison import larger
from twoworlds.numbers import INFINITY, Number, at_most_one, exact_text, show
from twoworlds.worlds.joint import plain_label

_MOST_SETS = 1 << 12
ONE_VALUE = "one value of an entry alone is left, so that nothing is compared with it"

Weights = Mapping[Hashable, Number | int]


Entry = tuple[Mapping[Hashable, Number], Mapping[Hashable, Weights]]
"""One person's entry: the probability of each value, and the release given each of them."""


class Need(NamedTuple):
    """What an output needs: the entry and the two values of the largest quotient p / q."""

    p: Number | int
    q: Number | int
    entry: int
    values: tuple[Hashable, Hashable]

    def exceeds(self, ratio: Number) -> bool:
        """Tell whether p > ratio q."""
        if ratio == INFINITY or self.q == 0:
            return self.q == 0
        return larger(self.p, ratio * self.q)

    @property
    def ratio(self) -> Number:
        """The quotient."""
        return INFINITY if self.q == 0 else Fraction(1) * self.p / self.q


class Spared(NamedTuple):
    """What is left out, what that costs, and the largest quotient of what is left out or kept."""

    ratio: Number
    delta: Number
    values: tuple[Hashable, ...]
    outputs: tuple[Hashable, ...]
    shown: tuple[Hashable, Need] | None


@dataclass(frozen=True)
class Rare:
    """Entries, and the law of the release; masses of releases are over a common ``scale``."""

    entries: Sequence[Entry]
    release: Weights
    scale: int = 1

    def at_ratio(self, ratio: Number) -> Spared:
        """Return the cheapest sets that may be left out."""
        best = self._spared((), Fraction(0), ratio)
        for left_out, cost in self._sets(best.delta):
            if larger(best.delta, cost):
                found = self._spared(left_out, cost, ratio)
                best = found if larger(best.delta, found.delta) else best
        return best

    def _spared(self, left_out: tuple[Hashable, ...], cost: Number, ratio: Number) -> Spared:
        needs = self._needs(left_out)
        outputs = tuple(t for t, need in needs.items() if need.exceeds(ratio))
        shown = _largest(needs, outputs or tuple(needs))
        return Spared(ratio, cost + self._mass(outputs), left_out, outputs, shown)

    def at_delta(self, delta: Number) -> Spared:
        """Return the smallest ratio for which sets of so little probability may be left out."""
        best: Spared | None = None
        for left_out, cost in self._sets(delta):
            needs = self._needs(left_out)
            kept = sorted(needs, key=lambda t: _order(needs[t]), reverse=True)
            outputs: list[Hashable] = []
            for t in kept:
                if larger(cost + self._mass((*outputs, t)), delta):
                    break
                outputs.append(t)
            rest = kept[len(outputs) :]
            ratio = needs[rest[0]].ratio if rest else Fraction(1)
            if best is None or larger(best.ratio, ratio):
                out = tuple(t for t in outputs if needs[t].exceeds(ratio))
                shown = (rest[0], needs[rest[0]]) if rest else None
                best = Spared(ratio, cost + self._mass(out), left_out, out, shown)
        assert best is not None
        return best

    @cached_property
    def _values(self) -> tuple[Hashable, ...]:
        found = dict.fromkeys(v for masses, _ in self.entries for v in masses)
        return tuple(sorted(found, key=lambda v: float(self._cost((v,)))))

    def _cost(self, values: tuple[Hashable, ...]) -> Number:
        """Return the largest probability that an entry has one of these values."""
        costs = [
            sum((masses.get(v, Fraction(0)) for v in values), start=Fraction(0))
            for masses, _ in self.entries
        ]
        worst = costs[0]
        for cost in costs[1:]:
            worst = cost if larger(cost, worst) else worst
        return worst

    def _sets(self, limit: Number) -> Iterator[tuple[tuple[Hashable, ...], Number]]:
        """Yield the sets of values that cost no more than the limit, smallest first."""
        waiting: list[tuple[tuple[Hashable, ...], int]] = [((), 0)]
        tried = 0
        while waiting:
            values, following = waiting.pop(0)
            cost = self._cost(values)
            if larger(cost, limit):
                continue
            tried += 1
            if tried > _MOST_SETS:
                raise TooLarge(
                    f"{len(self._values)} values of an entry: more than {_MOST_SETS:,} sets of "
                    "them are rare enough to be left out; ask for a smaller delta or a larger "
                    "ratio, or for noiseless, which leaves none out"
                )
            yield values, cost
            later = range(following, len(self._values))
            waiting += [((*values, self._values[i]), i + 1) for i in later]

    def _needs(self, left_out: tuple[Hashable, ...]) -> dict[Hashable, Need]:
        """Return the largest quotient of every output that is possible given a value kept."""
        found: dict[Hashable, Need] = {}
        for index, (_, laws) in enumerate(self.entries):
            kept = [(v, law) for v, law in laws.items() if v not in left_out]
            if len(kept) < 2:
                continue
            for t in self.release:
                need = _extremes(t, kept, index)
                if need.p == 0:
                    continue
                if t not in found or larger(need.p * found[t].q, found[t].p * need.q):
                    found[t] = need
        return found

    def _mass(self, outputs: Sequence[Hashable]) -> Number:
        total = sum((self.release[t] for t in outputs), start=0)
        return Fraction(total, self.scale) if isinstance(total, int) else total / self.scale


def _extremes(t: Hashable, kept: Sequence[tuple[Hashable, Weights]], index: int) -> Need:
    """Return the likeliest and the least likely value for an output."""
    (most, law), *others = kept
    least, p, q = most, law.get(t, 0), law.get(t, 0)
    for v, weights in others:
        here = weights.get(t, 0)
        if larger(here, p):
            most, p = v, here
        elif larger(q, here):
            least, q = v, here
    return Need(p, q, index, (most, least))


@cmp_to_key
def _order(need: Need, other: Need) -> int:
    """Order needs by their quotients, the infinite ones last."""
    a, b = need.ratio, other.ratio
    if INFINITY in (a, b):
        return (a == INFINITY) - (b == INFINITY)
    return int(larger(a, b)) - int(larger(b, a))


def _largest(
    needs: Mapping[Hashable, Need], among: Sequence[Hashable]
) -> tuple[Hashable, Need] | None:
    if not among:
        return None
    t = max(among, key=lambda t: _order(needs[t]))
    return t, needs[t]


class ButForRare:
    """The measure of the original definition: the worst belief and side information."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.groups: dict[tuple[int, Hashable], list[WorldPair]] = {}
        for cell in scene.cells:
            self.groups.setdefault((cell.belief, cell.side), []).append(cell)

    def at_ratio(self, ratio: Number) -> Found:
        """Return the least probability of what may be left out at a ratio."""
        found = [(cells, _rare(cells).at_ratio(ratio)) for cells in self.groups.values()]
        cells, worst = found[0]
        for others, spared in found[1:]:
            if larger(spared.delta, worst.delta):
                cells, worst = others, spared
        return self._found(cells, worst)

    def at_delta(self, delta: Number) -> Found:
        """Return the least ratio at which so little may be left out."""
        found = [(cells, _rare(cells).at_delta(delta)) for cells in self.groups.values()]
        cells, worst = found[0]
        for others, spared in found[1:]:
            if larger(spared.ratio, worst.ratio):
                cells, worst = others, spared
        if worst.ratio == INFINITY:
            return self.at_ratio(INFINITY)
        return replace(self._found(cells, worst), delta=delta)

    def _found(self, cells: Sequence[WorldPair], spared: Spared) -> Found:
        if spared.shown is None:
            empty = ByEvents(self.scene, two_values(self.scene)).at_ratio(Fraction(1))
            if empty.nothing_left:
                return empty
            delta = at_most_one(spared.delta)
            return replace(empty, ratio=spared.ratio, delta=delta, notes=(ONE_VALUE,))
        output, need = spared.shown
        cell = cells[need.entry]
        v, w = need.values
        laws = {x: {t: p / cell.mass[x] for t, p in cell.real[x].items()} for x in (v, w)}
        worlds = TwoWorlds(cell, need.values, laws[v], laws[w])
        event = WorstEvent(spared.delta, spared.ratio, worlds, swapped=False, event=(output,))
        witness = event_witness(self.scene, event)
        besides = (("left out", left_out_words(spared)),)
        data = {
            **witness.data,
            "left_out_values": [plain_label(x) for x in spared.values],
            "left_out_outputs": [plain_label(t) for t in spared.outputs],
        }
        return Found(
            spared.ratio,
            at_most_one(spared.delta),
            replace(witness, besides=besides, data=data),
            "every set of values that may be left out, and for each the releases that must be",
        )


def left_out_words(spared: Spared) -> str:
    """Say what is left out.

    >>> left_out_words(Spared(Fraction(2), Fraction(1, 4), (), ("a",), None))
    'no value of an entry, and 1 release: a; probability 1/4 (0.25)'
    """
    values = ", ".join(_label(v) for v in spared.values[:4])
    rest = f" and {len(spared.values) - 4} more" if len(spared.values) > 4 else ""
    said = f"entries of {values}{rest}" if spared.values else "no value of an entry"
    many = len(spared.outputs)
    if not many:
        return f"{said}, and no release; probability {show(spared.delta)}"
    outputs = ", ".join(_label(t) for t in spared.outputs[:4])
    more = f" and {many - 4} more" if many > 4 else ""
    plural = "release" if many == 1 else "releases"
    return f"{said}, and {many:,} {plural}: {outputs}{more}; probability {show(spared.delta)}"


def _label(value: Hashable) -> str:
    return str(exact_text(value)) if isinstance(value, Fraction) else plain_label(value)


def _rare(cells: Sequence[WorldPair]) -> Rare:
    entries = [
        (
            cell.mass,
            {v: {t: p / cell.mass[v] for t, p in law.items()} for v, law in cell.real.items()},
        )
        for cell in cells
    ]
    release: dict[Hashable, Number] = {}
    for law in cells[0].real.values():
        for t, p in law.items():
            release[t] = release.get(t, Fraction(0)) + p
    return Rare(entries, release)
