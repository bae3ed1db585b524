"""Failures 3, 4 and 5: sums that move too far, overflow, or meet what is no number."""

from __future__ import annotations

import random
from fractions import Fraction

from twoworlds.attacks.selftest.bench import CERTAIN, Bench, expect, values

__all__ = ["missing_and_infinite", "overflow", "rounding_of_sums"]

_SUM = "SELECT SUM(x) FROM people"
_NUMBER = "{x: {kind: number, bounds: [-1, 1], unit: 0.01}}"


def rounding_of_sums(bench: Bench) -> str:
    """Add floats in many orders, and take one row away."""
    rng = random.Random(0)
    rows = [(rng.choice([0.1, 1e-9, 0.999, -0.999, 1 / 3, 1e16, -1e16]),) for _ in range(500)]
    totals = set()
    for _ in range(3):
        rng.shuffle(rows)
        source = bench.sqlite(rows, ("x",), ("REAL",))
        totals.add(values(bench.asked(source, _SUM, CERTAIN, _NUMBER), "sum_x")[0])
        file = bench.parquet(rows, ("x",), ("DOUBLE",))
        totals.add(values(bench.asked(file, _SUM, CERTAIN, _NUMBER), "sum_x")[0])
    expect(len(totals) == 1, f"the order of rows, or the engine, changes the sum: {totals}")
    [whole] = totals
    for extra in (1e308, -1e308, 0.005, 1.0):
        source = bench.sqlite([*rows, (extra,)], ("x",), ("REAL",))
        [moved] = values(bench.asked(source, _SUM, CERTAIN, _NUMBER), "sum_x")
        expect(abs(moved - whole) <= 1, f"the row {extra} moved the sum by {moved - whole}")
    return "500 floats in 3 orders and 2 engines have one sum; one row more moves it by 1 at most"


def overflow(bench: Bench) -> str:
    """Add a million of the largest integers."""
    top = 2**62 - 1
    columns = f"{{x: {{kind: integer, bounds: [-{top}, {top}]}}}}"
    source = bench.selected(f"SELECT {top} AS x FROM range(1000000)")
    answer = bench.asked(source, _SUM, CERTAIN, columns)
    [total] = values(answer, "sum_x")
    scale = answer.calibration.noises[0][0].scale
    expect(abs(total - top * 1_000_000) <= 1000 * scale, f"a million times 2^62 became {total}")
    large = bench.sqlite([(1e308,)] * 10, ("x",), ("REAL",))
    [total] = values(bench.asked(large, _SUM, CERTAIN, _NUMBER), "sum_x")
    expect(total == 10, f"ten times 10^308, clamped to 1, became {total}")
    return "a million times 2^62, and ten times 10^308, are added exactly"


def missing_and_infinite(bench: Bench) -> str:
    """Put NULL, NaN and infinities among the values."""
    odd = (
        "SELECT CASE i % 4 WHEN 0 THEN NULL WHEN 1 THEN 'NaN'::DOUBLE WHEN 2 THEN "
        "'Infinity'::DOUBLE ELSE '-Infinity'::DOUBLE END AS x FROM range(40) t(i)"
    )
    asked = "SELECT COUNT(*), COUNT(x), SUM(x) FROM people"
    answer = bench.asked(bench.selected(odd), asked, CERTAIN, _NUMBER)
    found = [values(answer, name)[0] for name in ("count", "count_x", "sum_x")]
    expect(found == [40, 20, 0], f"40 odd values are answered as {[str(x) for x in found]}")
    plain = bench.selected("SELECT 1.0::DOUBLE AS x FROM range(40) t(i)")
    likewise = bench.asked(plain, asked, CERTAIN, _NUMBER)
    same = answer.calibration.noises == likewise.calibration.noises
    expect(same, "odd values change the noise")
    expect(Fraction(values(likewise, "sum_x")[0]) == 40, "forty ones are not 40")
    return "10 each of NULL, NaN, infinity and minus infinity are left out or clamped, as declared"
