"""Failures 1, 2, 8 and 16: what noise gives away besides the number that it hides."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise
from time import perf_counter_ns

from twoworlds.attacks.selftest.bench import CERTAIN, Bench, Failed, expect, values

__all__ = ["cost_falls_as_noise_grows", "low_bits", "precision", "sampler_timing"]

_UGLY = (0.1, 0.2, 0.30000000000000004, 1 / 3, math.pi, 1e-17, 5e-324, 2 / 3, 0.005, 99.995)
_UNIT = Fraction(1, 100)
_FINE = "{k: {kind: text, keys: [a, b, c]}, x: {kind: number, bounds: [0, 1], unit: 0.01}}"
_BY_KEY = "SELECT k, COUNT(*), SUM(x) FROM people GROUP BY k"


def low_bits(bench: Bench) -> str:
    """Look for digits that noise in floating point would leave behind."""
    rows = [("abc"[i % 3], x) for i, x in enumerate(_UGLY * 3)]
    seen = 0
    for cost in ("1/10", "1", "10"):
        answer = bench.asked(bench.sqlite(rows), _BY_KEY, cost, _FINE)
        for value in values(answer, "sum_x"):
            expect((value / _UNIT).denominator == 1, f"a sum is {value}, not on the grid of 1/100")
        for value in values(answer, "count"):
            expect(value.denominator == 1, f"a count is {value}")
        seen += 6
    without = values(bench.asked(bench.sqlite(rows), _BY_KEY, CERTAIN, _FINE), "sum_x")
    tiny = [*rows, ("a", 1e-17)]
    expect(
        values(bench.asked(bench.sqlite(tiny), _BY_KEY, CERTAIN, _FINE), "sum_x") == without,
        "a value far below the grid moved a sum",
    )
    return f"{seen} published numbers are whole multiples of the declared unit"


def precision(bench: Bench) -> str:
    """See whether large numbers are published on a coarser grid."""
    keys = [f"k{i}" for i in range(40)]
    columns = (
        f"{{k: {{kind: text, keys: [{', '.join(keys)}]}}, "
        "x: {kind: number, bounds: [-1e15, 1e15], unit: 0.01}}"
    )
    sizes = (1e-9, 1.0, 1e15)
    for size in sizes:
        rows = [(key, part * size) for key in keys for part in (1, -1, 0.5)]
        asked = "SELECT k, SUM(x) FROM people GROUP BY k"
        answer = bench.asked(bench.sqlite(rows), asked, "1/1000", columns)
        found = [value / _UNIT for value in values(answer, "sum_x")]
        off = [step * _UNIT for step in found if step.denominator != 1]
        expect(not off, f"{off[:1]} is not on the declared grid")
        # Of 40 numbers on the whole grid a prime divides all with probability below 2^-39.
        step = math.gcd(*map(int, found))
        expect(step == 1, f"of values near {size:g} only every {step:,}th of the grid is answered")
        unit = answer.resolved.measures[0].unit
        expect(unit == _UNIT, f"the unit became {unit}")
    return f"{len(sizes)} tables, from 10^-9 to 10^15, are answered on one grid, and all of it"


def sampler_timing(bench: Bench) -> str:
    """Compare the time of large draws with that of small ones."""
    from twoworlds.release.noise import Sampler, SystemBits

    with bench.opened(bench.sqlite([("a", 1.0)])) as curator:
        plan = curator.plan("SELECT COUNT(*) FROM people", "1/10")
    law = plan.calibration.noises[0][0].law
    if law is None:
        raise Failed("a count had no noise")
    sampler, bits = Sampler.of(law), SystemBits()
    sampler.draw_integers(1000, bits)
    found = []
    for _ in range(10_000):
        started = perf_counter_ns()
        [z] = sampler.draw_integers(1, bits)
        found.append((perf_counter_ns() - started, abs(z)))
    share = _slower(found)
    # Equal times differ from half by 0.006 at random; a cold cache makes some 0.03 of it.
    expect(abs(share - 0.5) < 0.1, f"large draws are slower in {share:.1%} of pairs, not in half")
    return f"of 10,000 draws, large ones are slower than small ones in {share:.1%} of pairs"


def _slower(found: list[tuple[int, int]]) -> float:
    """Return P(time of a large draw > time of a small one), ties counted half."""
    middle = sorted(size for _, size in found)[len(found) // 2]
    ranks: dict[int, float] = {}
    times = sorted(time for time, _ in found)
    for rank, time in enumerate(times):
        ranks.setdefault(time, rank)
    many: dict[int, int] = {}
    for time in times:
        many[time] = many.get(time, 0) + 1
    large = [time for time, size in found if size > middle]
    small = len(found) - len(large)
    total = sum(ranks[time] + (many[time] - 1) / 2 for time in large)
    return (total - len(large) * (len(large) - 1) / 2) / (len(large) * small)


def cost_falls_as_noise_grows(bench: Bench) -> str:
    """Work out the noise for rising costs."""
    batch = [_BY_KEY, "SELECT AVG(x) FROM people"]
    costs = [Fraction(1, 1000), Fraction(1, 10), Fraction(1, 3), 1, 2, 10, 40]
    with bench.opened(bench.sqlite([("a", 1.0)])) as curator:
        plans = [curator.plan(batch, f"epsilon={cost}") for cost in costs]
        prices = [
            Fraction(curator.cost_for(_BY_KEY.replace(", SUM(x)", ""), within).epsilon)
            for within in (1, 10, 100)
        ]
    scales = [[m.scale for q in plan.calibration.noises for m in q] for plan in plans]
    for one, two in pairwise(scales):
        falling = all(a > b > 0 for a, b in zip(one, two, strict=True))
        expect(falling, "a higher price bought more noise")
    expect(prices[0] > prices[1] > prices[2] > 0, "a smaller error has a lower price")
    return f"{len(costs)} prices, from 1/1000 to 40: the higher, the less noise, in every measure"
