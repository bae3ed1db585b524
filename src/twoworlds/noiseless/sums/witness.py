"""The worst event of an exact total, computed once more from the worlds themselves.

Sums are computed again modulo a prime of 61 bits: a stated probability is accepted when it agrees
with the true one in that field, which a wrong one does by accident with a chance of about 1 in
10^18. Probabilities that are only enclosed are enclosed again, in another window and with another
precision.
"""

from __future__ import annotations

import math
from fractions import Fraction

from flint import nmod_poly

from twoworlds.laws.entry import common_step
from twoworlds.laws.event import EventWitness, Ranges, agree, recomputed
from twoworlds.laws.lattice import OnLattice
from twoworlds.laws.uniform import MOST_UNIFORM, irwin_hall, nearly_best, shift_of
from twoworlds.noiseless.sums.setting import TotalSetting, World, WorstTotal, law_of_sum
from twoworlds.numbers import Number, Real, bounds, exact_text, show

_PRIME = (1 << 61) - 1
_BITS, _UNIFORM_BITS = 24, 40


def total_witness(setting: TotalSetting, worst: WorstTotal, ratio: Number) -> EventWitness | None:
    """Return the worst event, unless delta may be 0 for all that is known."""
    if setting.density is not None:
        return _half_line(setting, ratio, worst.ways[0])
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
        return all(agrees(world, event, mass) for world, mass in pairs)

    data = {"event": event.to_json(), "event_in_words": said}
    return EventWitness((first.text, second.text), said, masses, check, data=data)


def _half_line(setting: TotalSetting, ratio: Number, how: str) -> EventWitness | None:
    """Return a half-line of totals of entries with a density, nearly the worst one."""
    unknown, law = setting.unknown, setting.density
    if law is None or not law.flat or not 0 < unknown <= MOST_UNIFORM:
        return None
    shift = shift_of(law, setting.compared)
    reach = nearly_best(unknown, shift, ratio, _UNIFORM_BITS)
    low, high = law.ends
    far = high if abs(high) >= abs(low) else low
    worlds = {
        "noiseless": (f"entry {exact_text(high)}", f"entry {exact_text(low)}"),
        "canonical": (f"entry {exact_text(far)}", "without it"),
    }
    names = worlds.get(how, (f"entry {exact_text(high)}", f"without it, {how.split()[-1]} added"))

    def again() -> tuple[Number, Number]:
        return irwin_hall(unknown, reach + shift), irwin_hall(unknown, reach)

    event = (
        f"the unknown entries (in lengths of the interval) add up to at least "
        f"{show(unknown - reach, side='down')}"
    )
    return EventWitness(names, event, again(), recomputed(again), data={"event_in_words": event})


def _apart(first: World, second: World) -> bool:
    """Tell whether the lattices of both worlds are disjoint."""
    laws = [law for world in (first, second) for law, _ in world.groups]
    certain = all(len(law.values) == 1 for law in laws)  # one total is possible in each world
    distance = first.least - second.least
    return distance != 0 if certain else distance % common_step(laws) != 0


def agrees(world: World, event: Ranges, stated: Number) -> bool:
    """Tell whether the totals have the stated probability, computed once more."""
    if isinstance(stated, Real):
        return agree(stated, _again(world, event, stated))
    return _modular(world, event, stated)


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
