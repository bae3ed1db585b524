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
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import partial
from typing import Any

from twoworlds.definitions.base import read_delta, read_ratio
from twoworlds.definitions.verdict import Verdict, within
from twoworlds.errors import InvalidInput
from twoworlds.mechanisms.comparison import larger
from twoworlds.noiseless.estimates._stable_knowledge import Knowledge, worst_case
from twoworlds.noiseless.estimates._stable_witness import Case, Function, Records, StableWitness
from twoworlds.noiseless.words import assumed, claim, counted, odds_words, short
from twoworlds.numbers import (
    Number,
    Order,
    compare,
    decimal,
    ln,
    number,
    show,
)
from twoworlds.worlds.joint import BeliefClass, Joint

__all__ = ["stable"]

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

    Raises:
        InvalidInput: when the function is not defined on n - 1 records, or is not a function.

    >>> from twoworlds.worlds.belief import uniform
    >>> from twoworlds.worlds.words import BitStrings
    >>> majority = lambda bits: int(2 * sum(bits) > len(bits))
    >>> found = stable(majority, Joint.of(uniform(BitStrings(3))))
    >>> found.delta, found.instability, found.least, found.pure_epsilon
    (Fraction(1, 2), Fraction(1, 2), Fraction(1, 4), Real(ln 3))
    """
    members, belief = _members(beliefs)
    table = _Table(function)
    cases = list(_cases(table, members))
    wanted, allowed = read_ratio(ratio, epsilon), None if delta is None else read_delta(delta)
    knowledge = Knowledge(
        cases,
        lambda places: _told(table, members, places),
        cost=sum(map(len, members)) * cases[0].size,
    )
    breaks: str | None = None
    if wanted is None and allowed is not None:
        worst, factor = worst_case(cases, lambda case: case.laws.ratio_for(allowed))
        left_out, holds = allowed, None
        definition = f"ddp(delta={short(allowed)})"
        breaks = knowledge.ratio_breaks(factor, allowed)
    else:
        factor = Fraction(1) if wanted is None else wanted
        worst, left_out = worst_case(cases, lambda case: case.laws.delta(factor))
        definition = claim("ddp", factor, allowed)
        holds = None if allowed is None else within(left_out, allowed)
        if allowed is None:
            breaks = knowledge.delta_breaks(factor, left_out)
        elif holds:
            breaks = knowledge.claim_breaks(factor, allowed)
    values: dict[str, Number] = {"ratio": factor, "epsilon": ln(factor), "delta": left_out}
    bounds, notes = _theorems(cases)
    values.update(bounds)
    meaning = f"on seeing the value {odds_words(factor, left_out)}"
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
        witness=StableWitness.of(function, worst, factor),
        method=f"all of {counted(len(cases), 'case')}: belief, person, value of the record, side "
        "information",
        notes=tuple(notes),
    )


class _Table:
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


def _cases(table: _Table, members: Iterable[Joint]) -> Iterator[Case]:
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
    table: _Table,
    joint: Joint,
    side: Hashable,
    person: int,
    value: Hashable,
    held: Mapping[Any, Number],
) -> Case:
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
    return Case(joint, side, person, value, size, having, without, changed)


def _told(table: _Table, members: list[Joint], places: Sequence[int]) -> list[Case]:
    """Return the cases once some records are known too."""
    return list(_cases(table, (joint.knowing(partial(_records_at, places)) for joint in members)))


def _records_at(places: Sequence[int], database: Records) -> Records:
    return tuple(database[i] for i in places)


def _theorems(cases: list[Case]) -> tuple[dict[str, Number], list[str]]:
    """Return instability, least probability, the theorems' bounds and the exact epsilon."""
    outputs = dict.fromkeys(t for case in cases for law in (case.having, case.without) for t in law)
    _, instability = worst_case(cases, lambda case: case.changed)
    least: Number = Fraction(1)
    for case in cases:
        for t in outputs:
            chance = case.having.get(t, Fraction(0))
            least = chance if larger(least, chance) else least
    _, ratio = worst_case(cases, lambda case: case.laws.ratio)
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
