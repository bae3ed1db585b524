"""How long the exact delta of a total takes, and a proven bound for a very long one."""

from __future__ import annotations

from fractions import Fraction

from benchmarks import Row, best_of
from twoworlds.noiseless import solve_people, total
from twoworlds.noiseless.sums.setting import law_of_sum

VALUES = "0..20"
FEW, MANY, VERY_MANY = 60, 1000, 100_000
LIMIT, LIMIT_VERY_MANY, LIMIT_SOLVE = 0.5, 5.0, 5.0  # seconds
RATIO = Fraction(3, 2)


def ours(people: int, **asked: object) -> None:
    """Measure one total, with nothing remembered from the last time."""
    law_of_sum.cache_clear()
    total(VALUES, people=people, **asked)  # type: ignore[arg-type]


def plain(people: int) -> Fraction:
    """Return the same delta by adding entry after entry in a dictionary of whole numbers."""
    weights = {0: 1}
    for _ in range(people - 1):
        moved: dict[int, int] = {}
        for place, weight in weights.items():
            for value in range(21):
                moved[place + value] = moved.get(place + value, 0) + weight
        weights = moved
    scale, worst = sum(weights.values()), Fraction(0)
    for value in range(1, 21):
        for shift in (value, -value):
            excess = (
                max(0, 2 * weights.get(t - shift, 0) - 3 * weights.get(t, 0))
                for t in range(-20, 20 * people + 21)
            )
            worst = max(worst, Fraction(sum(excess), 2 * scale))
    return worst


def solve() -> None:
    """Find how many people make the total (0.5, 1e-9)-private."""
    law_of_sum.cache_clear()
    solve_people(VALUES, epsilon="0.5", delta="1e-9")


def run() -> list[Row]:
    """Four rows."""
    if plain(FEW) != total(VALUES, people=FEW, ratio=RATIO).delta:
        raise AssertionError("the plain sum and ours differ")
    return [
        Row(
            f"exact delta of a total, {FEW} entries of 21 values",
            best_of(3, lambda: ours(FEW, ratio=RATIO)),
            peer=best_of(1, lambda: plain(FEW)),
            against="plain Python integers",
            target=5.0,
        ),
        Row(
            f"exact delta of a total, {MANY} entries of 21 values",
            best_of(3, lambda: ours(MANY, epsilon="0.5")),
            peer=LIMIT,
            against="limit",
            target=1.0,
        ),
        Row(
            f"proven bound on delta of a total, {VERY_MANY} entries of 21 values",
            best_of(2, lambda: ours(VERY_MANY, epsilon="0.5")),
            peer=LIMIT_VERY_MANY,
            against="limit",
            target=1.0,
        ),
        Row(
            "people until a total of 21 values is (0.5, 1e-9)-private",
            best_of(1, solve),
            peer=LIMIT_SOLVE,
            against="limit",
            target=1.0,
        ),
    ]
