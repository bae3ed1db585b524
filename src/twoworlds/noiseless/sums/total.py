"""The exact total of a table, published as it is: how private that is, and against whom.

Nothing is random but what the attacker does not know: L of the n entries are known to them, and the
others are independent with given laws (Bassily, Groce, Katz & Smith, Section III-A, Theorems 8 and
9, and Theorem 17 for noiseless privacy). The paper's bounds hide their constants; here delta is
computed, exactly for laws on listed values as long as the law of the sum fits, and else enclosed.

Differs: the paper lets entries lie in [-1, 1] without loss of generality while its simulator is
canonical. Shifting all entries does change that simulator: {9, 10, 11} with 50 unknown others has
delta 0.567 at epsilon 0.5, and {-1, 0, 1} has 0.000169. The centred simulator adds the midpoint and
restores the claim. Nothing here says that no other simulator does better.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

from flint import nmod_poly

from twoworlds.definitions.base import read_delta
from twoworlds.definitions.coupled.words import (
    assumed,
    claim,
    counted,
    enclosed_words,
    even_bet,
    undecided_words,
)
from twoworlds.definitions.verdict import Verdict, within
from twoworlds.laws.entry import AnyLaw, EntryLaw, UniformInterval, common_step
from twoworlds.laws.event import EventWitness, Ranges, agree
from twoworlds.laws.lattice import OnLattice
from twoworlds.noiseless.sums.breaking import HALF, breaking_words
from twoworlds.noiseless.sums.setting import (
    EXACT_BITS,
    TotalSetting,
    World,
    WorstTotal,
    asked_ratio,
    centres,
    law_of_sum,
    read_groups,
    read_setting,
)
from twoworlds.numbers import Number, Real, at_most_one, bounds, ln, power, show

_PRIME = (1 << 61) - 1
_PLAIN = 100_000
_BITS = 24
INDEPENDENT = (
    "the entries must be independent given what the attacker knows; "
    "entries that move together, or a law with less spread, end the guarantee"
)


def total(
    law: AnyLaw | str | Mapping[object, object] | Iterable[object],
    *,
    people: object = None,
    known: object = 0,
    ratio: object = None,
    epsilon: object = None,
    delta: object = None,
    simulator: str = "canonical",
    definition: str = "ddp",
) -> Verdict:
    """Measure the release of an exact total, or check a claim about it if a delta is given.

    Args:
        law: what the attacker believes about each entry (`read_law`), or a list of pairs
            (law, how many people).
        people: how many entries are added up.
        known: how many of them the attacker may know.
        ratio: e^epsilon.
        epsilon: instead of the ratio.
        delta: what the claim allows.
        simulator: "canonical" (the total of the others), "centred" (and a constant), "resampled"
            (and a fresh draw), or "best", the best of these. Of several groups, the simulator is
            told whose entry is left out, and constants and the best are those of each group.
        definition: "ddp" compares with and without the entry, "noiseless" two values of it.

    >>> total("0,1", people=3, ratio="3/2").delta
    Fraction(3, 8)
    >>> total("0,1", people=3, ratio="3/2", simulator="resampled").delta
    Fraction(1, 8)
    """
    groups = read_groups(law, people)
    asked = asked_ratio(ratio, epsilon)
    target = None if delta is None else read_delta(delta)
    if len(groups) == 1 and isinstance(groups[0][0], UniformInterval):
        from twoworlds.noiseless.sums.continuous import continuous_total

        return continuous_total(
            groups[0][0], groups[0][1], known, asked, target, simulator, definition
        )
    return judged(read_setting(groups, known, simulator, definition), asked, target)


def judged(setting: TotalSetting, ratio: Number, target: Number | None) -> Verdict:
    """Return the verdict on a question about discrete entries."""
    goal = None if target is None else bounds(target)[0]
    worst = setting.answer(ratio, target=goal)
    delta = at_most_one(worst.delta)
    holds = None if target is None else within(delta, target)
    words = TotalWords(setting.groups, setting.known, worst.ways)
    notes = _notes(setting, worst, ratio, target)  # of the same sum, which is still remembered
    if target is not None and holds is None:
        notes = (undecided_words(delta, target), *notes)
    breaks = breaking_words(setting, ratio, delta, target, holds=holds)
    values = {"ratio": ratio, "epsilon": ln(ratio), "delta": delta}
    if setting.definition == "noiseless":
        values["theorem_17"] = _theorem_17(setting, ratio)
    return Verdict(
        words.released,
        claim(setting.definition, ratio, target),
        values,
        words.sentence(ratio, delta, breaks),
        words.assumptions,
        holds=holds,
        witness=_witness(worst),
        method=_method(setting, worst),
        notes=notes,
        exact=worst.exact,
    )


def largest_exact(law: EntryLaw) -> int:
    """Return how many entries of this law can be added up exactly.

    >>> from twoworlds.laws.entry import EntryLaw
    >>> largest_exact(EntryLaw.uniform(range(21))) > 1000
    True
    """
    return math.isqrt(int(EXACT_BITS / max(1.0, law.places[-1] * math.log2(law.scale))))


def _witness(worst: WorstTotal) -> EventWitness | None:
    """Return the worst event, unless delta may be 0 for all that is known.

    Small sums are added up again in plain integers, entry by entry. Long ones are computed again
    modulo a prime of 61 bits: a stated probability is accepted when it agrees with the true one in
    that field, which a wrong one does by accident with a chance of about 1 in 10^18. Probabilities
    that are only enclosed are enclosed again, in another window and with another precision.
    """
    comparison, event = worst.comparison, worst.event
    if comparison is None or bounds(worst.delta)[0] <= 0:
        return None
    first, second = comparison.x, comparison.y
    masses: tuple[Number, Number] = Fraction(1), Fraction(0)
    said = "every total: none is possible in both worlds"
    if isinstance(comparison, OnLattice):
        p, q = (
            law.known(event, comparison.origin, comparison.step)
            for law in (comparison.p, comparison.q)
        )
        masses, said = (p, q), f"a total (known entries aside) {event.describe()}"

    def check(stated: tuple[Number, Number]) -> bool:
        if not isinstance(comparison, OnLattice):
            return _apart(first, second) and list(stated) == [1, 0]
        pairs = zip((first, second), stated, strict=True)
        return all(_agrees(world, event, mass) for world, mass in pairs)

    data = {"event": event.to_json(), "event_in_words": said}
    return EventWitness((first.text, second.text), said, masses, check, data=data)


def _apart(first: World, second: World) -> bool:
    """Tell whether the lattices of both worlds are disjoint."""
    laws = [law for world in (first, second) for law, _ in world.groups]
    certain = all(len(law.values) == 1 for law in laws)  # one total is possible in each world
    distance = first.least - second.least
    return distance != 0 if certain else distance % common_step(laws) != 0


def _agrees(world: World, event: Ranges, stated: Number) -> bool:
    if isinstance(stated, Real):
        return agree(stated, _again(world, event, stated))
    entries = sum(count for _, count in world.groups)
    values = max((len(law.values) for law, _ in world.groups), default=1)
    if entries * entries * values * values <= _PLAIN:
        return _plain(world, event) == stated
    return _modular(world, event, stated)


def _plain(world: World, event: Ranges) -> Fraction:
    """Add up the probability of the totals, entry by entry, in whole numbers."""
    step = common_step(law for law, _ in world.groups)
    weights, scale = {0: 1}, 1
    for law, count in world.groups:
        bottom, times = law.scale, int(law.step / step)
        terms = [(p * times, w) for p, w in zip(law.places, law.weights, strict=True)]
        for _ in range(count):
            moved: dict[int, int] = {}
            for place, weight in weights.items():
                for value, mass in terms:
                    moved[place + value] = moved.get(place + value, 0) + weight * mass
            weights, scale = moved, scale * bottom
    least = world.least
    totals = ((least + place * step, weight) for place, weight in weights.items())
    inside = sum(w for t, w in totals if event.holds(t))
    return Fraction(inside, scale)


def _modular(world: World, event: Ranges, stated: Fraction) -> bool:
    """Compare the stated probability with the true one modulo a prime."""
    step = common_step(law for law, _ in world.groups)
    row, scale = nmod_poly([1], _PRIME), 1
    for law, count in world.groups:
        times = int(law.step / step)
        base = [0] * (law.places[-1] * times + 1)
        for place, weight in zip(law.places, law.weights, strict=True):
            base[place * times] = weight % _PRIME
        row *= nmod_poly(base, _PRIME) ** count
        scale = scale * pow(law.scale, count, _PRIME) % _PRIME
    least, places = world.least, [int(c) for c in row.coeffs()]
    inside = 0
    for low, high in event.pieces:
        first, last = math.ceil((low - least) / step), math.floor((high - least) / step)
        inside += sum(places[max(0, first) : max(0, last + 1)])
    return (stated.numerator * scale - inside * stated.denominator) % _PRIME == 0


def _again(world: World, event: Ranges, stated: Real) -> Number:
    """Enclose the probability of the totals once more, with digits enough to tell it from 0."""
    step, (low, _) = common_step(law for law, _ in world.groups), bounds(stated)
    small = low.denominator.bit_length() - low.numerator.bit_length() if low > 0 else _BITS
    law = law_of_sum.__wrapped__(world.groups, step, small + _BITS)
    return law.known(event, world.least, step)


def _method(setting: TotalSetting, worst: WorstTotal) -> str:
    found = worst.comparison
    concave = isinstance(found, OnLattice) and found.p.row is found.q.row and found.p.log_concave
    values = (
        "the law of the sum is log-concave, so only the extreme values of an entry count"
        if concave
        else "all values of an entry are tried"
    )
    first = setting.groups[0][0]
    exact = f"up to {largest_exact(first):,} entries of this law are added up exactly"
    if worst.exact:
        return f"whole-number convolution; {values}, in both directions ({exact})"
    return (
        f"fixed-point convolution in a window, rounded down, with all that is lost added to delta: "
        f"both ends are proven; {values}, in both directions ({exact})"
    )


def _notes(
    setting: TotalSetting, worst: WorstTotal, ratio: Number, target: Number | None
) -> tuple[str, ...]:
    notes = [] if target is None else [f"the claim allows delta {show(target)}"]
    if not worst.exact:
        low, high = bounds(worst.delta)
        notes.append(enclosed_words(low, high))
    if setting.simulator == "canonical" and setting.definition == "ddp" and _off_centre(setting):
        better = replace(setting, simulator="centred").answer(ratio, quick=not worst.exact)
        delta = show(better.delta, side="about" if better.exact else "at most")
        notes.append(
            f"a simulator that adds {better.ways[0].split()[1]} instead of nothing has delta "
            f"{delta}: moving all entries changes the canonical simulator"
        )
    return (*notes, INDEPENDENT)


def _off_centre(setting: TotalSetting) -> bool:
    law, _ = setting.groups[0]
    return len(setting.groups) == 1 and 0 not in centres(law, setting.step)


def _theorem_17(setting: TotalSetting, ratio: Number) -> Number:
    """Return (1 + e^(epsilon/2)) delta' with delta' of ddp at epsilon/2: Theorem 17's bound."""
    root = power(ratio, HALF)
    ddp = replace(setting, definition="ddp", simulator="centred").answer(root)
    return at_most_one((1 + root) * ddp.delta)


@dataclass(frozen=True)
class TotalWords:
    """How a total is spoken of."""

    groups: tuple[tuple[AnyLaw, int], ...]
    known: int
    ways: tuple[str, ...]

    @property
    def people(self) -> int:
        """How many entries there are."""
        return sum(count for _, count in self.groups)

    @property
    def released(self) -> str:
        """What is released."""
        return f"the exact total of {counted(self.people, 'entry', 'entries')}"

    @property
    def belief(self) -> str:
        """The belief class, as a clause."""
        if self.people == 1:
            return f"nobody knows the one entry and everybody holds it to be {self._only.text}"
        if len(self.groups) == 1:
            laws = f"each {self._only.text}"
        else:
            laws = "; ".join(
                f"for {counted(count, 'entry', 'entries')}: {law.text}"
                for law, count in self.groups
            )
        entries = counted(self.people, "entry", "entries")
        if self.known == 0:
            return (
                f"nobody knows any of the {entries} and everybody holds them to be independent, "
                f"{laws}"
            )
        return (
            f"nobody knows more than {self.known:,} of the {entries} and everybody holds the "
            f"others to be independent, {laws}"
        )

    @property
    def _only(self) -> AnyLaw:
        return self.groups[0][0]

    @property
    def bet(self) -> str:
        """What the odds are on."""
        if len(set(self.ways)) > 1:
            return "on whether your entry, or what the simulator adds in its place, was used"
        way = self.ways[0]
        if way == "noiseless":
            return "between two values of your entry"
        if way == "resampled":
            return "on whether your entry or a fresh draw in its place was used"
        if way.startswith("centred") and way != "centred 0":
            return f"on whether your entry or {way.split()[1]} in its place was used"
        return "on whether your entry was used"

    @property
    def assumptions(self) -> tuple[str, ...]:
        """The belief class first, then what is compared."""
        if self.ways[0] == "noiseless":
            return self.belief, "any two values of your entry are compared (noiseless privacy)"
        compared = "the total with your entry is compared with the total of the others"
        if set(self.ways) == {"canonical"}:
            return self.belief, f"{compared} (canonical simulator)"
        if len(self.groups) > 1:
            told = "the simulator is told the group of the person left out, and adds"
            return self.belief, f"{compared}; {told} {', '.join(self._added())}"
        if self.ways[0] == "resampled":
            return self.belief, f"{compared} and a fresh draw of your law"
        return self.belief, f"{compared} plus {self.ways[0].split()[1]} (centred simulator)"

    def _added(self) -> Iterator[str]:
        """Yield what is added in place of a person of each group."""
        names = {"canonical": "nothing", "resampled": "a fresh draw of that law"}
        for (law, _), way in zip(self.groups, self.ways, strict=True):
            yield f"{names.get(way) or way.split()[1]} for an entry {law.text}"

    def sentence(self, ratio: Number, delta: Number, breaks: str | None) -> str:
        """Return assumption, odds and what breaks it."""
        odds = even_bet(ratio, delta, bet=self.bet)
        return assumed(self.belief, f"on seeing the exact total {odds}", breaks)
