"""Definitions that rest on beliefs: what they have in common.

Each is asked of a release (a mechanism, or anything that has a law of outputs for each database)
and a class of beliefs about (X, Z), and bounds two numbers, a ratio e^epsilon and a delta:

    ratio given             the smallest delta at it
    delta given, no ratio   the smallest ratio at it
    neither                 the smallest ratio at delta 0 and, beside it, the delta at ratio 1

An answer names its assumption before anything else.

What breaks a guarantee that rests on beliefs: the smallest extra knowledge that does.

The attacker is told the entries of one person, then of two, and so on, until the number exceeds
what was promised. All choices of so many persons are tried, as long as that is cheap; where the
search ends early, a note says so.
"""

from __future__ import annotations

from abc import abstractmethod
from bisect import bisect
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations
from math import comb
from typing import Any, ClassVar

from twoworlds.definitions.base import PrivacyDefinition, read_delta, read_ratio
from twoworlds.definitions.coupled.best import Measure
from twoworlds.definitions.coupled.measures import Found
from twoworlds.definitions.coupled.scene import (
    Law,
    Release,
    Scene,
    blind,
    refuse_large_table,
    scene,
    seeing,
)
from twoworlds.definitions.coupled.words import assumed, numbers_text, refuted
from twoworlds.definitions.verdict import Verdict, within
from twoworlds.errors import InvalidInput, TooLarge, Unsupported
from twoworlds.mechanisms import Mechanism
from twoworlds.mechanisms.on_statistic import OnStatistic
from twoworlds.numbers import INFINITY, Number, Order, compare, ln, offered, show
from twoworlds.worlds import Point, Universe
from twoworlds.worlds.graphs import GraphOrbits, Graphs, GraphStatistic
from twoworlds.worlds.joint import BeliefClass
from twoworlds.worlds.orbits import Orbits, likelihood
from twoworlds.worlds.records import Records
from twoworlds.worlds.scrubbing import Scrub
from twoworlds.worlds.scrubbing import persons as every_person
from twoworlds.worlds.statistic import Additive
from twoworlds.worlds.statistics import Constant

Beliefs = Any
"""A class of beliefs, a belief, several of them, or the call of one."""
Released = Mechanism | Release


@dataclass(frozen=True, init=False)
class OverBeliefs(PrivacyDefinition):
    """A definition asked of a release and a class of beliefs."""

    beliefs: Beliefs
    side: str | Callable[[Any], Any] | None
    ratio: Number | None
    delta: Number | None

    typed: ClassVar[str]
    takes_mixtures: ClassVar[bool] = False

    def __init__(
        self,
        beliefs: Beliefs,
        *,
        side: str | Callable[[Any], Any] | None = None,
        ratio: object = None,
        epsilon: object = None,
        delta: object = None,
    ) -> None:
        read = None if delta is None else read_delta(delta)
        self._assign(beliefs=beliefs, side=side, ratio=read_ratio(ratio, epsilon), delta=read)

    @abstractmethod
    def _pairs(self, beliefs: BeliefClass, universe: Universe | None) -> tuple[Scrub, ...]:
        """Return what is private, and what is scrubbed."""

    @abstractmethod
    def _measure(self, scene: Scene) -> Measure:
        """Return who answers."""

    @abstractmethod
    def _meaning(self, found: Found) -> str:
        """Say what the numbers mean, as a clause that follows "then"."""

    @abstractmethod
    def _comparison(self, scene: Scene, found: Found) -> tuple[str, ...]:
        """Say what is compared with what."""

    def _alike(self, scene: Scene) -> Iterable[tuple[Law, Law]]:
        """Yield the pairs of laws that have to be within the ratio of each other, if that is all.

        The release of the scene is the database itself; a pair may be scaled by a common factor.
        """
        del scene
        raise self._no_row_constraints()

    def row_constraints(self, universe: Universe) -> Iterator[Mapping[Point, Number]]:
        """Yield sum_x p(x) r_x <= ratio sum_x q(x) r_x for every two laws of the database compared.

        P(F(X) = t | v, z) = sum_x P(X = x | v, z) r_x is linear in the likelihood row r of t, and
        so is what a definition asks at delta 0 of the laws of F(X) given v, z and given w, z (Lin
        & Kifer, Section 4.2.4 and footnote 10, of Pufferfish).

        >>> from twoworlds.definitions.coupled import Pufferfish
        >>> from twoworlds.worlds import BitStrings
        >>> parity = Pufferfish("uniform", "parity", ratio=3).row_constraints(BitStrings(2))
        >>> {x: str(c) for x, c in next(iter(parity)).items()}
        {(1, 1): '-1/2', (0, 0): '-1/2', (1, 0): '3/2', (0, 1): '3/2'}
        """
        if self.ratio is None:
            raise InvalidInput(f"{self.typed} has no numbers: give ratio=, as in ratio=3")
        beliefs = self._class(universe)
        database = Release("the database", lambda x: {x: Fraction(1)})
        alike = self._alike(scene(database, beliefs, self._pairs(beliefs, universe)))
        if self.delta is not None and self.delta != 0:
            raise Unsupported(
                f"{self.claim}: delta is a sum over outputs, where every row may fail a little, so "
                "it is not a condition on single likelihood rows: take delta=0"
            )
        if self.ratio == INFINITY:
            return
        for pair in alike:
            for small, large in (pair, pair[::-1]):
                found = {x: -p for x, p in small.items()}
                for x, q in large.items():
                    found[x] = found.get(x, Fraction(0)) + self.ratio * q
                yield found

    def _arguments(self) -> Iterable[str]:
        """Yield the arguments of the claim other than belief, side and numbers."""
        return ()

    @property
    def claim(self) -> str:
        """The definition with its numbers, as one would type it."""
        parts = []
        if isinstance(self.beliefs, str):
            parts.append(f"belief={self.beliefs}")
        elif isinstance(self.beliefs, list) and all(isinstance(b, str) for b in self.beliefs):
            parts.append(f"belief=[{', '.join(self.beliefs)}]")
        if isinstance(self.side, str):
            parts.append(f"side={self.side}")
        parts += self._arguments()
        return f"{self.typed}({', '.join([*parts, *numbers_text(self.ratio, self.delta)])})"

    def scene(self, released: Released) -> Scene:
        """Return the tables of the two worlds for a release.

        Where listing all databases would take long and everybody is alike, one person stands for
        all, and databases are listed up to the order of the others.
        """
        made = Release.of(released)
        universe = None if made.source is None else made.source.universe
        beliefs = self._class(universe)
        orbits = self._orbits(made.source, beliefs)
        if orbits is None:
            pairs = self._pairs(beliefs, universe)
            if self._best:
                refuse_large_table(made, beliefs, len(pairs))
            return scene(made, beliefs, pairs)
        found = scene(made, beliefs.on(orbits), self._pairs(beliefs, orbits))
        if self._best and _alone(beliefs):
            found = blind(found)
        elif self._best and isinstance(orbits, Orbits) and orbits.sum_of:
            found = seeing(found, beliefs.on(_by_likelihood(orbits, beliefs)))
        return replace(found, people=orbits.n)

    def _orbits(
        self, mechanism: Mechanism | None, beliefs: BeliefClass
    ) -> Orbits | GraphOrbits | None:
        universe = None if mechanism is None else mechanism.universe
        if isinstance(universe, Graphs) and isinstance(mechanism, OnStatistic):
            named = not isinstance(mechanism.statistic, GraphStatistic)
            few = universe.size * len(universe.nodes) <= _MOST_WORK
            if named or few or not self._of_everybody or not beliefs.alike:
                return None
            return mechanism.statistic.up_to_names(universe)  # type: ignore[attr-defined,no-any-return]
        if not isinstance(mechanism, OnStatistic) or not isinstance(universe, Records):
            return None
        if universe.size * universe.n <= _MOST_WORK or not self._of_everybody:
            return None
        statistic = mechanism.statistic
        if isinstance(statistic, Constant):
            statistic = Additive(lambda _: 0, name=statistic.name)
        if not isinstance(statistic, Additive) or not beliefs.alike:
            return None
        by_sums = self._by_sums(beliefs) and all(member.by_sums for member in beliefs)
        orbits = Orbits(universe, statistic if by_sums else None)
        if orbits.size > _MOST_ORBITS and by_sums and _alone(beliefs) and self._by_likely:
            return Orbits(universe, statistic, likely=True)
        return _require_few(orbits, "sums" if by_sums else "counts")

    @property
    def _best(self) -> bool:
        """Whether the simulator is the best one there is."""
        return False

    @property
    def _of_everybody(self) -> bool:
        """Whether everybody's entry is private in the same way, and one may stand for all."""
        return False

    @property
    def _by_likely(self) -> bool:
        """Whether the probability of what is left out may be counted to the unsafe side."""
        return False

    def _by_sums(self, beliefs: BeliefClass) -> bool:
        """Whether the entries of others matter through what the release shows of them alone."""
        del beliefs
        return True

    def tightest(self, mechanism: Released) -> Verdict:
        """Return the smallest number that holds, and the worst case."""
        where = self.scene(mechanism)
        measure = self._measure(where)
        found = self._ask(measure)
        more: dict[str, Number] = {}
        if self.ratio is None and self.delta is None:
            more["delta_at_ratio_1"] = measure.at_ratio(Fraction(1)).delta
        by, unsearched = self._breaks(where, found, None)
        sentence = assumed(where.beliefs.assumption, self._meaning(found), by)
        notes = (*found.notes, *([] if unsearched is None else [unsearched]))
        return self._verdict(where, found, self.name, sentence, notes, more=more)

    def check(self, mechanism: Released) -> Verdict:
        """Decide whether the claim holds; a refuted one names the nearest claims that do."""
        if self.ratio is None:
            raise InvalidInput(
                f"{self.typed} has no numbers to check: give ratio= or epsilon=, and delta="
            )
        allowed = self.delta if self.delta is not None else Fraction(0)
        where = self.scene(mechanism)
        measure = self._measure(where)
        found = measure.at_ratio(self.ratio)
        holds = within(found.delta, allowed)
        approached = found.reached is not None and found.delta == allowed
        if approached:
            holds = False
        notes = (f"the claim allows delta {show(allowed)}", *found.notes)
        if holds is False:
            numbers = self._numbers(allowed)
            meaning = refuted(numbers, found.delta, allowed, approached=approached)
            sentence = assumed(where.beliefs.assumption, meaning)
            notes += self._nearest(where, measure, found, allowed)
        else:
            by, unsearched = self._breaks(where, found, allowed)
            sentence = assumed(where.beliefs.assumption, self._meaning(found), by)
            notes += () if unsearched is None else (unsearched,)
        return self._verdict(where, found, self.claim, sentence, notes, holds=holds)

    def _numbers(self, allowed: Number) -> str:
        return f"{self.typed}({', '.join(numbers_text(self.ratio, allowed))})"

    def _ask(self, measure: Measure) -> Found:
        if self.ratio is not None:
            return measure.at_ratio(self.ratio)
        return measure.at_delta(Fraction(0) if self.delta is None else self.delta)

    def _nearest(
        self, where: Scene, measure: Measure, found: Found, allowed: Number
    ) -> tuple[str, ...]:
        if found.reached is None:
            least = f"delta {offered(found.delta)}"
        else:
            least = f"every delta above {show(found.delta, side='up')}"
        same = f"holds with {least} at this ratio"
        if found.ratio == INFINITY or not self._cheap(where, for_ratio=True):
            return (same,)
        try:
            ratio = measure.at_delta(allowed).ratio
        except Unsupported:
            return (same,)
        if ratio == INFINITY:
            return (f"{same}; no ratio is large enough for delta {show(allowed)}",)
        return (f"{same}, or with ratio {show(ratio, side='at most')} at this delta",)

    def _class(self, universe: Universe | None) -> BeliefClass:
        """Return the class of beliefs, with the side information added."""
        from twoworlds.worlds.classes import belief_class

        if universe is None and not (isinstance(self.beliefs, BeliefClass) and self.side is None):
            raise InvalidInput(
                f"{self.typed}: the release does not say what its databases are, so beliefs cannot "
                "be read for it: give a BeliefClass without side=, or a mechanism"
            )
        found = (
            self.beliefs
            if universe is None
            else belief_class(self.beliefs, universe, side=self.side)
        )
        if found.hull and not self.takes_mixtures:
            raise Unsupported(
                f"{self.name} can hold for two beliefs and fail for a mixture of them, so all "
                "mixtures cannot be checked one by one: list the mixtures that you mean, or ask "
                "for ddp or coupled-worlds, where mixtures are covered too"
            )
        return found

    def _breaks(self, where: Scene, found: Found, allowed: Number | None) -> Breaks:
        """Say which further knowledge ends the guarantee, or that it was not searched."""
        if found.nothing_left or found.ratio == INFINITY:
            return None, None
        asked_ratio = self.ratio is None and allowed is None
        certain = compare(found.delta, 1, limit=64) is not Order.LESS
        if certain:
            return None, None
        if where.people is not None or not self._cheap(where, for_ratio=asked_ratio):
            return None, TOO_COSTLY

        def number(beliefs: BeliefClass) -> Number:
            measure = self._measure(scene(where.release, beliefs, where.scrubs))
            if asked_ratio:
                return measure.at_delta(found.delta).ratio
            return measure.at_ratio(found.ratio).delta

        limit = found.ratio if asked_ratio else allowed if allowed is not None else found.delta
        return broken_by(where.beliefs, number, limit, "the ratio" if asked_ratio else "delta")

    def _cheap(self, where: Scene, *, for_ratio: bool) -> bool:
        """Tell whether a delta, or a ratio, may be asked for many times."""
        return True

    def _verdict(
        self,
        where: Scene,
        found: Found,
        definition: str,
        sentence: str,
        notes: tuple[str, ...],
        *,
        holds: bool | None = None,
        more: dict[str, Number] | None = None,
    ) -> Verdict:
        source = where.release.source
        values = {"ratio": found.ratio, "epsilon": ln(found.ratio), "delta": found.delta}
        if where.people is not None:
            said = f"everybody is alike here: person 1 stands for all {where.people:,} people"
            nodes = source is not None and isinstance(source.universe, Graphs)
            notes += (said.replace("person", "node").replace("people", "nodes") if nodes else said,)
        return Verdict(
            where.release.name,
            definition,
            values | (more or {}),
            sentence,
            (where.beliefs.assumption, *self._comparison(where, found)),
            holds=holds,
            witness=found.witness,
            method=found.method,
            notes=notes,
            exact=source is None or source.exact,
        )


def _alone(beliefs: BeliefClass) -> bool:
    """Tell whether there is one belief, and records are independent by it."""
    return len(beliefs) == 1 and beliefs.members[0].independent


def _by_likelihood(orbits: Orbits, beliefs: BeliefClass) -> Orbits:
    """Return what the best simulator sees of the others: which laws they make likely."""
    parts = [part for member in beliefs for _, b, _ in member.drawn for part in b.common_laws or ()]
    laws: list[Any] = []
    for _, law in parts:
        if law not in laws:
            laws.append(law)
    values = [v for v in orbits.values if any(law[v] for law in laws)]
    seen = likelihood(values, laws)
    return _require_few(Orbits(Records(values, orbits.n), seen, example=True), "likelihoods")


def _require_few(orbits: Orbits, what: str) -> Orbits:
    """Refuse points that are too many, with the number of people who have few enough."""

    def size(n: int) -> int:
        return Orbits(Records(orbits.values, n), orbits.sum_of).size

    if orbits.size > _MOST_ORBITS:
        most = bisect(range(1, orbits.n), _MOST_ORBITS, key=size)
        raise TooLarge(
            f"{orbits.n:,} records of {len(orbits.values)} values have {orbits.size:,} different "
            f"{what}, at most {_MOST_ORBITS:,} are listed: {most:,} such records would do; for an "
            "exact sum with the simulator canonical, ask `noiseless sum`"
        )
    return orbits


def read_scrubs(
    given: str | Scrub | Sequence[Any], universe: Universe | None, typed: str
) -> tuple[Scrub, ...]:
    """Return the pairs (alt, priv) that are given, as objects or as text."""
    if isinstance(given, Scrub):
        return (given,)
    if not isinstance(given, str) and all(isinstance(pair, Scrub) for pair in given):
        return tuple(given)
    if universe is None:
        raise InvalidInput(
            f"{typed}: the release does not say what its databases are, so scrubs={given!r} "
            "cannot be read for it: give Scrub objects, or a mechanism"
        )
    from twoworlds.worlds.scrubs import scrubs

    return scrubs(given, universe)


def read_persons(
    beliefs: BeliefClass, universe: Universe | None, *, tagged: bool, typed: str
) -> tuple[Scrub, ...]:
    """Return one pair for each person: the entry, and the list without it."""
    if universe is not None:
        from twoworlds.worlds.scrubs import scrubs

        return scrubs("persons(tagged)" if tagged else "persons", universe)
    n = entries(beliefs)
    if not n:
        raise InvalidInput(
            f"{typed}: the databases are not lists of one length, so it is not clear who the "
            "persons are: name what is private with coupled-worlds(scrubs=...)"
        )
    return every_person(n, tagged=tagged)


_MOST_WORK = 1 << 12
_MOST_ORBITS = 1 << 15
_BITS = 256
_WHICH = "which further knowledge breaks it was not searched"
TOO_COSTLY = f"{_WHICH}: that would take too long"


Breaks = tuple[str | None, str | None]
"""What was found to break a guarantee, and what was not searched."""


def entries(beliefs: BeliefClass) -> int | None:
    """Return how many entries every database has; None where they differ, or are no lists."""
    sizes = {
        len(x) if isinstance(x, tuple) else None for member in beliefs for x in member.databases
    }
    return sizes.pop() if len(sizes) == 1 else None


def broken_by(
    beliefs: BeliefClass, number: Callable[[BeliefClass], Number], allowed: Number, what: str
) -> Breaks:
    """Return the smallest set of entries whose knowledge raises a number above what is allowed."""
    n = entries(beliefs)
    if n is None:
        return None, f"{_WHICH}: the databases are no lists of one length"
    work = sum(len(member) for member in beliefs) * n
    for k in range(1, n + 1):
        if work * comb(n, k) > _MOST_WORK:
            return None, _ended(k - 1)
        worst: tuple[Number, tuple[int, ...]] | None = None
        for chosen in combinations(range(n), k):
            value = number(beliefs.knowing(_known(chosen), "more"))
            if worst is None or compare(value, worst[0], limit=_BITS) is Order.GREATER:
                worst = value, chosen
        assert worst is not None
        if compare(worst[0], allowed, limit=_BITS) is Order.GREATER:
            named = " and ".join(str(i + 1) for i in worst[1])
            whose = f"entr{'y' if k == 1 else 'ies'} {named} too"
            return f"knowing {whose}: {what} is then {show(worst[0], side='at least')}", None
    return None, None


def _ended(k: int) -> str:
    if k == 0:
        return TOO_COSTLY
    known = "any one entry" if k == 1 else f"any {k} entries"
    return f"knowing {known} too does not break it; whether knowing more does was not searched"


def _known(chosen: tuple[int, ...]) -> Callable[[Any], Hashable]:
    return lambda x: tuple(x[i] for i in chosen)
