r"""Stable functions: an exact answer that one record seldom changes.

Bassily, Groce, Katz & Smith, Theorems 11 and 12. F is a deterministic function of lists of records,
defined on n records and on n - 1. For a finite class of beliefs about (X, Z), and every person i,
value v and side information z that a belief holds possible,

    instability  mu = max Pr[F(X) != F(X_-i) | X_i = v, Z = z]
    least        c  = min Pr[F(X) = t | X_i = v, Z = z]   over all outputs t that F can have at all

    Theorem 11   delta <= mu                      at epsilon = 0
    Theorem 12   epsilon <= ln((c + mu)/(c - mu)) at delta = 0, if mu < c;
                 tight: ln(c / (c - mu))

both by the canonical simulator, F of the others' records. Proofs: the two answers are equal but for
probability mu; and with A(t) >= c, |A(t) - B(t)| <= mu the quotients are at most
B/A <= 1 + mu/c <= c/(c - mu) and A/B <= A/(A - mu) <= c/(c - mu). The exact delta and epsilon of
that simulator are computed from the two laws themselves.

Differs: Theorem 11 is printed with "<" where "<=" is enough; Theorem 12 is loose; and F must be
defined on n - 1 records as well, which is checked. The outputs that count for c are those of F on
n and on n - 1 records: one that only fewer records can give has c = 0. What holds for the beliefs
of a class holds for their mixtures (Theorem 4: the simulator is the same for all).

**What breaks it.** Sets of records are tried from small to large, as knowing more never helps
privacy. With a claim,
the first set that makes it fail is named. Without one there is no line to cross, and two sets are
named: the worst of the smallest ones that make the number found any worse, and a smallest one that
makes delta exceed 1/2. A search that would take too long ends early, and says so.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial
from itertools import combinations, islice
from typing import Any

from twoworlds.definitions.base import read_delta, read_ratio
from twoworlds.definitions.coupled.words import assumed, claim, counted, even_bet, short, weakens
from twoworlds.definitions.verdict import Verdict, within
from twoworlds.definitions.words import digits_apart
from twoworlds.errors import InvalidInput
from twoworlds.laws.comparison import Each, between, larger
from twoworlds.laws.event import EventWitness, Listed, recomputed
from twoworlds.numbers import (
    INFINITY,
    Number,
    Order,
    compare,
    decimal,
    ln,
    number,
    show,
)
from twoworlds.worlds.joint import NOTHING, BeliefClass, Joint, plain_label

WITH, WITHOUT = "with the record", "without it"
_HALF = Fraction(1, 2)
_WORK = 50_000  # pairs of beliefs times records, looked at in all
_OUTSIDE = "a belief outside this class"
_UNSEARCHED = f"knowing more records, what they do was not searched; {_OUTSIDE}"

Records = tuple[Any, ...]
Function = Callable[[Records], Hashable]
Beliefs = (
    BeliefClass
    | Joint
    | Mapping[tuple[Records, Hashable], object]
    | Iterable[Joint | Mapping[tuple[Records, Hashable], object]]
)


def stable(
    function: Function,
    beliefs: Beliefs,
    *,
    ratio: object = None,
    epsilon: object = None,
    delta: object = None,
    name: str = "",
) -> Verdict:
    """Judge the exact release of a function under a finite class of beliefs.

    With a ratio (or epsilon) the exact delta is found; with delta as well, the claim is decided;
    with delta alone, the smallest epsilon; with none of them, delta at epsilon = 0.

    Args:
        function: takes a tuple of n records, or of n - 1, and returns its value.
        beliefs: a `BeliefClass`, a `Joint`, a mapping {(records, side): probability}, or several.
        ratio: e^epsilon.
        epsilon: its logarithm.
        delta: the probability that the claim allows.
        name: what is released, in words; the name of the function when not given.

    >>> from twoworlds.worlds.belief import uniform
    >>> from twoworlds.worlds.records import BitStrings
    >>> majority = lambda bits: int(2 * sum(bits) > len(bits))
    >>> found = stable(majority, Joint.of(uniform(BitStrings(3))))
    >>> found.delta, found.instability, found.least, found.pure_epsilon
    (Fraction(1, 2), Fraction(1, 2), Fraction(1, 4), Real(ln 3))
    """
    members, belief = _members(beliefs)
    table = _Values(function)
    cases = list(_cases(table, members))
    wanted, allowed = read_ratio(ratio, epsilon), None if delta is None else read_delta(delta)
    knowledge = Knowledge(
        cases,
        lambda places: _told(table, members, places),
        cost=sum(map(len, members)) * cases[0].size,
    )
    breaks: str | None = None
    if wanted is None and allowed is not None:
        worst, factor = worst_case(cases, lambda case: case.ratio_for(allowed))
        left_out, holds = allowed, None
        definition = f"ddp(delta={short(allowed)})"
        breaks = knowledge.ratio_breaks(factor, allowed)
    else:
        factor = Fraction(1) if wanted is None else wanted
        worst, left_out = worst_case(cases, lambda case: case.delta(factor))
        definition = claim("ddp", factor, allowed)
        holds = None if allowed is None else within(left_out, allowed)
        if allowed is None:
            breaks = knowledge.delta_breaks(factor, left_out)
        elif holds:
            breaks = knowledge.claim_breaks(factor, allowed)
    values: dict[str, Number] = {"ratio": factor, "epsilon": ln(factor), "delta": left_out}
    bounds, notes = _theorems(cases)
    values.update(bounds)
    meaning = f"on seeing the value {even_bet(factor, left_out)}"
    if holds is False and allowed is not None:
        meaning += f", where the claim allows {decimal(allowed, 3, 'about')}"
    what = name or getattr(function, "__name__", "the function").replace("<lambda>", "a function")
    size = cases[0].size
    return Verdict(
        f"the exact value of {what} on {counted(size, 'record')}",
        definition,
        values,
        assumed(belief, meaning, breaks),
        (
            belief,
            "compared: the value with your record, and the same function of the other "
            f"{counted(size - 1, 'record')} (canonical simulator)",
        ),
        holds=holds,
        witness=_witness(function, worst, factor),
        method=f"all of {counted(len(cases), 'case')}: belief, person, value of the record, side "
        "information",
        notes=tuple(notes),
    )


@dataclass(frozen=True)
class RecordCase:
    """What one belief says of F, given one person's record and the side information."""

    joint: Joint
    side: Hashable
    person: int
    value: Hashable
    size: int
    having: dict[Hashable, Number]
    without: dict[Hashable, Number]
    changed: Number

    @cached_property
    def laws(self) -> Each:
        """The two laws of the answer, with the record and without it, compared both ways."""
        there = between(self.having, self.without, WITH, WITHOUT)
        return Each([there, there.reverse()], "both ways")

    def delta(self, ratio: Number) -> Number:
        """Return the delta at a ratio."""
        return self.laws.gap(ratio)[1].delta

    def ratio_for(self, delta: Number) -> Number:
        """Return the smallest ratio with a delta."""
        return self.laws.ratio_for(delta)[1]


def _witness(function: Function, case: RecordCase, ratio: Number) -> EventWitness:
    """Return the event that is the worst at a ratio; without an excess, the likeliest one."""
    worlds, (delta, event) = case.laws.gap(ratio)
    if delta == 0:
        worlds, (_, event, _) = case.laws.peak()
    assert isinstance(event, Listed)
    chosen = tuple(t for t in {**case.having, **case.without} if event.holds(t))
    laws = (case.having, case.without) if worlds.x == WITH else (case.without, case.having)
    p, q = (sum((law.get(t, Fraction(0)) for t in chosen), start=Fraction(0)) for law in laws)

    def again() -> tuple[Number, Number]:
        """Run through the belief."""
        i, sums = case.person - 1, [Fraction(0), Fraction(0), Fraction(0)]
        for (x, z), mass in case.joint.masses.items():
            if z != case.side or x[i] != case.value:
                continue
            sums[0] += mass  # type: ignore[assignment]
            answers = (function(tuple(x)), function((*x[:i], *x[i + 1 :])))
            for place, answer in enumerate(answers, start=1):
                if answer in chosen:
                    sums[place] += mass  # type: ignore[assignment]
        having, without = sums[1] / sums[0], sums[2] / sums[0]
        return (having, without) if worlds.x == WITH else (without, having)

    side = "" if case.side == NOTHING else f", knowing {plain_label(case.side)}"
    name = f" under {case.joint.name}" if case.joint.name else ""
    said = f"the value {' or '.join(plain_label(t) for t in chosen) or 'none'}"
    return EventWitness(
        (worlds.x, worlds.y),
        said,
        (p, q),
        recomputed(again),
        (("given", f"person {case.person} having {plain_label(case.value)}{side}{name}"),),
        data={
            "person": case.person,
            "record": plain_label(case.value),
            "side_information": plain_label(case.side),
            "event": [plain_label(t) for t in chosen],
            "event_in_words": said,
        },
    )


Places = tuple[int, ...]
Measure = Callable[[RecordCase], Number]


def worst_case(cases: list[RecordCase], measure: Measure) -> tuple[RecordCase, Number]:
    """Return the first case with the largest measure, and that."""
    best, most = cases[0], measure(cases[0])
    for case in cases[1:]:
        found = measure(case)
        if larger(found, most):
            best, most = case, found
    return best, most


@dataclass(frozen=True)
class Knowledge:
    """Sets of records that the attacker may come to know."""

    cases: list[RecordCase]
    told: Callable[[Places], list[RecordCase]]
    cost: int

    def claim_breaks(self, ratio: Number, allowed: Number) -> str | None:
        """Say what breaks a claim that holds, if anything can."""
        if allowed == 1:
            return None
        for chosen, cases in self._sets():
            _, found = worst_case(cases, lambda case: case.delta(ratio))
            if larger(found, allowed):
                worst = decimal(found, digits_apart(found, allowed), "about")
                return (
                    f"knowing {_named_records(chosen)} too, after which delta can be {worst}; "
                    f"{_OUTSIDE}"
                )
        return self._nothing()

    def delta_breaks(self, ratio: Number, delta: Number) -> str | None:
        """Say what makes the delta that was found for a ratio worse, if anything can."""
        if delta == 1:
            return None
        return self._weakened(
            ratio,
            delta,
            delta,
            lambda case: case.delta(ratio),
            lambda found: f"delta {decimal(found, 3, 'about')}",
        )

    def ratio_breaks(self, ratio: Number, delta: Number) -> str | None:
        """Say what makes the ratio that was found for a delta worse, if anything can."""
        if ratio == INFINITY or delta == 1:
            return None
        return self._weakened(
            ratio,
            delta,
            ratio,
            lambda case: case.ratio_for(delta),
            lambda found: f"epsilon {decimal(ln(found), 3, 'about')} at delta {short(delta)}",
            where=" at this epsilon",
        )

    def _weakened(
        self,
        ratio: Number,
        delta: Number,
        now: Number,
        measure: Measure,
        gives: Callable[[Number], str],
        *,
        where: str = "",
    ) -> str:
        first: Places | None = None
        beyond: Places | None = None
        worst = now
        open_ended = not larger(delta, _HALF)
        for chosen, cases in self._sets():
            if first is not None and len(chosen) > len(first) and (beyond or not open_ended):
                break
            if first is None or len(chosen) == len(first):
                _, found = worst_case(cases, measure)
                if larger(found, worst):
                    first, worst = chosen, found
            if open_ended and beyond is None and self._beyond(cases, ratio):
                beyond = chosen
        if first is None:
            return self._nothing()
        if beyond is not None and self._beyond(self.told(first), ratio):
            beyond = first
        said = weakens(
            _named_records(first),
            gives(worst),
            None if beyond is None else _named_records(beyond),
            limit=f"delta exceed 1/2{where}",
            one="record",
        )
        unknown = open_ended and beyond is None and not self._complete
        more = "; what more of them do was not searched" if unknown else ""
        return f"{said}{more}; {_OUTSIDE}"

    def _beyond(self, cases: list[RecordCase], ratio: Number) -> bool:
        return any(larger(case.delta(ratio), _HALF) for case in cases)

    def _sets(self) -> Iterator[tuple[Places, list[RecordCase]]]:
        """Yield sets of records, the smaller ones first, as long as the work lasts."""
        places = range(self.cases[0].size)
        chosen = (c for many in range(1, len(places)) for c in combinations(places, many))
        for one in islice(chosen, _WORK // self.cost):
            yield one, self.told(one)

    @property
    def _complete(self) -> bool:
        """Whether the work lasts for all sets but none and all."""
        sets: int = 2 ** self.cases[0].size - 2
        return sets <= _WORK // self.cost

    def _nothing(self) -> str:
        return f"{_OUTSIDE}: knowing more records does not" if self._complete else _UNSEARCHED


def _named_records(places: Places) -> str:
    names = [f"person {i + 1}" for i in places]
    if len(names) == 1:
        return f"the record of {names[0]}"
    return f"the records of {', '.join(names[:-1])} and {names[-1]}"


class _Values:
    """The values of a function that has to be one."""

    def __init__(self, function: Function) -> None:
        self._function = function
        self._known: dict[Records, Hashable] = {}

    def __call__(self, records: Records, *, fewer: bool = False) -> Hashable:
        if records not in self._known:
            self._known[records] = self._evaluated(records, fewer=fewer)
        return self._known[records]

    def _evaluated(self, records: Records, *, fewer: bool) -> Hashable:
        size = counted(len(records), "record")
        try:
            value = self._function(records)
            again = self._function(records)
            hash(value)
        except Exception as error:
            rule = (
                "it must be defined on one record fewer too, as the simulator runs it on the others"
                if fewer
                else "it must have a hashable value on every database held possible"
            )
            raise InvalidInput(
                f"the function fails on {size} ({type(error).__name__}): {rule}"
            ) from error
        if value != again:
            raise InvalidInput(
                f"the function gives two values on the same {size}: it must be deterministic; "
                "for a random mechanism use a definition that takes one"
            )
        return value


def _members(beliefs: Beliefs) -> tuple[list[Joint], str]:
    """Return the beliefs of a class and the class in words."""
    if isinstance(beliefs, BeliefClass):
        return list(beliefs), beliefs.assumption
    given = [beliefs] if isinstance(beliefs, (Joint, Mapping)) else list(beliefs)
    if not given:
        raise InvalidInput("the class of beliefs is empty: give at least one belief")
    members = [one if isinstance(one, Joint) else _joint(one) for one in given]
    names = [member.name for member in members if member.name]
    if len(names) == len(members):
        return members, f"the attacker's belief is {' or '.join(names)}"
    if len(members) == 1:
        return members, "the attacker's belief is the one given"
    return members, f"the attacker's belief is one of the {len(members)} given, or a mixture"


def _joint(masses: Mapping[Any, object]) -> Joint:
    for key in masses:
        if not (isinstance(key, tuple) and len(key) == 2 and isinstance(key[0], tuple)):
            raise InvalidInput(
                f"{key!r} is not a pair of a tuple of records and side information: write "
                '{((1, 0), "nothing"): 1/2, ...}'
            )
    return Joint({pair: number(mass, "probability") for pair, mass in masses.items()})


def _cases(table: _Values, members: Iterable[Joint]) -> Iterator[RecordCase]:
    sizes = set()
    for joint in members:
        sizes |= {len(x) for x in joint.databases}
        if len(sizes) != 1 or 0 in sizes:
            raise InvalidInput(
                f"databases of {', '.join(map(str, sorted(sizes)))} records: all must have the "
                "same number of records, at least 1"
            )
        size = next(iter(sizes))
        for side in joint.sides:
            held = joint.given(side)
            for person in range(1, size + 1):
                for value in dict.fromkeys(x[person - 1] for x in held):
                    yield _case(table, joint, side, person, value, held)


def _case(
    table: _Values,
    joint: Joint,
    side: Hashable,
    person: int,
    value: Hashable,
    held: Mapping[Any, Number],
) -> RecordCase:
    i = person - 1
    chosen = {tuple(x): mass for x, mass in held.items() if x[i] == value}
    total = sum(chosen.values(), start=Fraction(0))
    having: dict[Hashable, Number] = {}
    without: dict[Hashable, Number] = {}
    changed: Number = Fraction(0)
    for x, mass in chosen.items():
        share = mass / total
        first, second = table(x), table((*x[:i], *x[i + 1 :]), fewer=True)
        having[first] = having.get(first, Fraction(0)) + share
        without[second] = without.get(second, Fraction(0)) + share
        if first != second:
            changed = changed + share
    size = len(next(iter(chosen)))
    return RecordCase(joint, side, person, value, size, having, without, changed)


def _told(table: _Values, members: list[Joint], places: Sequence[int]) -> list[RecordCase]:
    """Return the cases once some records are known too."""
    return list(_cases(table, (joint.knowing(partial(_records_at, places)) for joint in members)))


def _records_at(places: Sequence[int], database: Records) -> Records:
    return tuple(database[i] for i in places)


def _theorems(cases: list[RecordCase]) -> tuple[dict[str, Number], list[str]]:
    """Return instability, least probability, the theorems' bounds and the exact epsilon."""
    outputs = dict.fromkeys(t for case in cases for law in (case.having, case.without) for t in law)
    _, instability = worst_case(cases, lambda case: case.changed)
    least: Number = Fraction(1)
    for case in cases:
        for t in outputs:
            chance = case.having.get(t, Fraction(0))
            least = chance if larger(least, chance) else least
    _, ratio = worst_case(cases, lambda case: case.laws.peak()[1].ratio)
    values: dict[str, Number] = {
        "instability": instability,
        "least": least,
        "theorem_11": instability,
    }
    notes = [
        "theorem_11 bounds delta at epsilon = 0: the value changes with probability at most "
        f"{show(instability, side='up')}"
    ]
    if compare(instability, least) is Order.LESS:
        values["theorem_12"] = ln((least + instability) / (least - instability))
        values["theorem_12_tight"] = ln(least / (least - instability))
        notes.append(
            "theorem_12 bounds epsilon at delta = 0, loosely; theorem_12_tight does so too"
        )
    else:
        notes.append(
            f"Theorem 12 says nothing: some value of the function has probability {show(least)}, "
            f"which is not above the instability {show(instability)}"
        )
    values["pure_epsilon"] = ln(ratio)
    notes.append("pure_epsilon is the exact epsilon at delta = 0")
    return values, notes
