r"""Small worlds that separate the definitions, as releases with simulators that can be evaluated.

`known_parity`    Example 1: the parity of fair bits, which the attacker knows beforehand
`hidden_sign`     Section II-E: records follow a hidden sign; published is their majority
`denied_value`    against Theorems 1 and 2 as printed: outputs that deny one value each
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import prod

from twoworlds.definitions.coupled.compare import Closest, two_values
from twoworlds.definitions.coupled.operations import Coupled
from twoworlds.definitions.coupled.scene import Law, Release
from twoworlds.definitions.coupled.simulator import Simulator, canonical, coin
from twoworlds.numbers import Number, number, ratio_at_least_one, whole
from twoworlds.worlds import Point
from twoworlds.worlds.joint import NOTHING, BeliefClass, Joint
from twoworlds.worlds.scrubbing import persons

__all__ = ["denied_value", "hidden_sign", "known_parity", "noiseless_delta"]

_HALF = Fraction(1, 2)


def known_parity(records: object = 2) -> Coupled:
    """Return the parity of n fair bits, known to the attacker, with a coin for a simulator.

    >>> known_parity(3).delta(10), noiseless_delta(known_parity(3), 1)
    (Fraction(1, 2), Fraction(0, 1))
    """
    n = whole(records, "records", at_least=1)
    bits = list(product((0, 1), repeat=n))
    belief = Joint.of(dict.fromkeys(bits, Fraction(1, len(bits))), _parity)
    assumed = "the bits are fair coins, of which the attacker knows the parity"
    release = Release("the parity", lambda x: {_parity(x): Fraction(1)})
    return Coupled(release, coin((0, 1)), BeliefClass((belief,), assumed), persons(n))


def _parity(x: Point) -> int:
    return sum(x) % 2


def hidden_sign(
    records: object = 5, *, follows: object = Fraction(9, 10), known: bool = False
) -> Coupled:
    """Return the majority of records that each follow a hidden fair sign, independently.

    The simulator takes the majority of those who are left; a tie counts as +1. With ``known`` the
    attacker knows the hidden sign.

    >>> found = hidden_sign()
    >>> found.delta(1), noiseless_delta(found, 1), noiseless_delta(hidden_sign(known=True), 1)
    (Fraction(243, 5000), Fraction(4019, 5000), Fraction(243, 5000))
    """
    n = whole(records, "records", at_least=2)
    chance = number(follows, "follows")
    masses: dict[tuple[Point, Point], Number] = {}
    for sign in (1, -1):
        for x in product((1, -1), repeat=n):
            mass = _HALF * prod(chance if entry == sign else 1 - chance for entry in x)
            key = x, sign if known else NOTHING
            masses[key] = masses.get(key, Fraction(0)) + mass
    knows = ", which the attacker knows" if known else ""
    assumed = f"each record follows one hidden sign{knows}"
    release = Release("the majority", lambda x: {1 if sum(x) >= 0 else -1: Fraction(1)})
    beliefs = BeliefClass((Joint(masses),), assumed)
    return Coupled(release, canonical(release), beliefs, persons(n))


def denied_value(values: object, ratio: object, chance: object) -> Coupled:
    r"""Return one record, evenly one of m values, and outputs that each deny one value.

    With a the ratio and d the chance, F says "not u" with probability a d for every u but the true
    value, and nothing otherwise; the simulator, which knows nothing, says each with probability d.
    If (a^2 (m - 1) - m) d <= a - 1, that is (epsilon, d)-private. Yet "not u" excludes a value of
    prior probability 1/m, whatever the simulator, and one of these is said with probability
    (m - 1) a d.

    >>> denied_value(10, 5, "0.002401").delta(5)
    Fraction(2401, 1000000)
    """
    m = whole(values, "values", at_least=2)
    a, d = ratio_at_least_one(ratio), number(chance, "chance")

    def law(x: Point) -> Law:
        said: dict[Point, Number] = {f"not {u}": a * d for u in range(m) if (u,) != x}
        return {**said, "nothing": 1 - (m - 1) * a * d}

    said: Law = {**{f"not {u}": d for u in range(m)}, "nothing": 1 - m * d}
    belief = Joint({((u,), NOTHING): Fraction(1, m) for u in range(m)})
    return Coupled(
        Release("a denial", law),
        Simulator.of(lambda _: said, "denies each value equally often"),
        BeliefClass((belief,), f"all {m} values are equally likely"),
        persons(1),
    )


def noiseless_delta(example: Coupled, ratio: object) -> Number:
    """Return how far two values of one record are apart at a ratio (Definition 6)."""
    found = Closest(two_values(example.scene))
    return found.gap(ratio_at_least_one(ratio)).delta if found.pairs else Fraction(0)
