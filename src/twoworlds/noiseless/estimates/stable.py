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
B/A <= 1 + mu/c <= c/(c - mu) and A/B <= A/(A - mu) <= c/(c - mu). The exact delta and epsilon are
those of `DistributionalPrivacy` with that simulator.

Differs: Theorem 11 is printed with "<" where "<=" is enough; Theorem 12 is loose; and F must be
defined on n - 1 records as well, which is checked. The outputs that count for c are those of F on
n and on n - 1 records: one that only fewer records can give has c = 0. What holds for the beliefs
of a class holds for their mixtures (Theorem 4: the simulator is the same for all).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import cache
from typing import Any

from twoworlds.definitions.base import read_ratio
from twoworlds.definitions.coupled.coupled_worlds import DistributionalPrivacy
from twoworlds.definitions.coupled.measures import ByEvents, real_and_ideal
from twoworlds.definitions.coupled.scene import Release, Scene, canonical
from twoworlds.definitions.coupled.words import claim, short
from twoworlds.definitions.verdict import Verdict
from twoworlds.errors import InvalidInput
from twoworlds.laws.comparison import larger
from twoworlds.laws.event import EventWitness
from twoworlds.numbers import Number, Order, compare, counted, ln, number, show
from twoworlds.worlds.joint import BeliefClass, Joint

Records = tuple[Any, ...]
Function = Callable[[Records], Hashable]
Masses = Mapping[tuple[Records, Hashable], object]
Beliefs = BeliefClass | Joint | Masses | Iterable[Joint | Masses]


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
    held = _class(beliefs)
    size = _records(held)
    wanted = read_ratio(ratio, epsilon)
    if wanted is None and delta is None:
        wanted = Fraction(1)
    asked = DistributionalPrivacy(held, simulator="canonical", ratio=wanted, delta=delta)
    value = _values(function, size)
    what = name or getattr(function, "__name__", "the function").replace("<lambda>", "a function")
    release = Release(what, lambda x: {value(tuple(x)): Fraction(1)})
    claimed = wanted is not None and delta is not None
    found = asked.check(release) if claimed else asked.tightest(release)
    bounds, notes = _theorems(asked.scene(release), value)
    allowed = asked.delta
    alone = "" if allowed is None else f"ddp(delta={short(allowed)})"
    return replace(
        found,
        mechanism=f"the exact value of {what} on {counted(size, 'record')}",
        definition=alone if wanted is None else claim("ddp", wanted, allowed),
        values={**found.values, **bounds},
        witness=_named(found.witness),
        notes=(*found.notes, *notes),
    )


def _named(witness: object) -> EventWitness:
    """Name the person, the record and the side information of a witness."""
    assert isinstance(witness, EventWitness)
    data = witness.data
    more = {
        "person": int(data["about"].removeprefix("person ")),
        "record": data["values"][0],
        "side_information": data["side"],
        "event_in_words": witness.event,
    }
    return replace(witness, data={**data, **more})


def _values(function: Function, size: int) -> Function:
    """Return a function whose values are checked: it must have one for every list of records."""

    @cache
    def value(records: Records) -> Hashable:
        many = counted(len(records), "record")
        try:
            found, again = function(records), function(records)
            hash(found)
        except Exception as error:
            rule = (
                "it must be defined on one record fewer too, as the simulator runs it on the others"
                if len(records) < size
                else "it must have a hashable value on every database held possible"
            )
            raise InvalidInput(
                f"the function fails on {many} ({type(error).__name__}): {rule}"
            ) from error
        if found != again:
            raise InvalidInput(
                f"the function gives two values on the same {many}: it must be deterministic; "
                "for a random mechanism use a definition that takes one"
            )
        return found

    return value


def _class(beliefs: Beliefs) -> BeliefClass:
    if isinstance(beliefs, BeliefClass):
        return beliefs
    given = [beliefs] if isinstance(beliefs, (Joint, Mapping)) else list(beliefs)
    members = tuple(one if isinstance(one, Joint) else _joint(one) for one in given)
    names = [member.name for member in members if member.name]
    if len(names) == len(members):
        said = " or ".join(names)
    elif len(members) == 1:
        said = "the one given"
    else:
        said = f"one of the {len(members)} given, or a mixture"
    return BeliefClass(members, f"the attacker's belief is {said}")


def _joint(masses: Mapping[Any, object]) -> Joint:
    for key in masses:
        if not (isinstance(key, tuple) and len(key) == 2 and isinstance(key[0], tuple)):
            raise InvalidInput(
                f"{key!r} is not a pair of a tuple of records and side information: write "
                '{((1, 0), "nothing"): 1/2, ...}'
            )
    return Joint({pair: number(mass, "probability") for pair, mass in masses.items()})


def _records(beliefs: BeliefClass) -> int:
    """Return how many records all databases have."""
    sizes = {len(x) for joint in beliefs for x in joint.databases}
    if len(sizes) != 1 or 0 in sizes:
        raise InvalidInput(
            f"databases of {', '.join(map(str, sorted(sizes)))} records: all must have the "
            "same number of records, at least 1"
        )
    return sizes.pop()


def _theorems(
    scene: Scene, value: Callable[[Any], Hashable]
) -> tuple[dict[str, Number], list[str]]:
    """Return instability, least probability, the theorems' bounds and the exact epsilon."""
    outputs = dict.fromkeys([*scene.outputs, *(value(y) for y in scene.inputs)])
    instability: Number = Fraction(0)
    least: Number = Fraction(1)
    for cell in scene.cells:
        changed: dict[Hashable, Number] = dict.fromkeys(cell.mass, Fraction(0))
        for x, p in scene.beliefs.members[cell.belief].given(cell.side).items():
            if value(tuple(x)) != value(cell.scrub.scrubbed(x)):
                changed[cell.scrub.private(x)] += p
        for v, mass in cell.mass.items():
            here = changed[v] / mass
            instability = here if larger(here, instability) else instability
            for t in outputs:
                chance = cell.real[v].get(t, Fraction(0)) / mass
                least = chance if larger(least, chance) else least
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
    values["pure_epsilon"] = ln(
        ByEvents(scene, real_and_ideal(scene, canonical(scene.release))).peak().ratio
    )
    notes.append("pure epsilon is the exact epsilon at delta = 0")
    return values, notes
