"""How long the exact price of a rational mechanism takes, and a structured one of 40 bits."""

from __future__ import annotations

from fractions import Fraction

from benchmarks import Row, best_of
from twoworlds import Dense, DifferentialPrivacy, mechanism
from twoworlds.worlds import BitStrings

LIMIT = 1.0  # seconds
BITS = 6
RATIOS = (Fraction(1), Fraction(3, 2), Fraction(2))


def unstructured() -> Dense:
    """Return a 2^6 by 2^6 rational mechanism with no two equal columns, as a table only."""
    people = BitStrings(BITS)
    columns = []
    for i in range(2**BITS):
        weights = [1 + (i * 31 + o * 17 + i * o) % 97 for o in range(2**BITS)]
        columns.append([Fraction(w, sum(weights)) for w in weights])
    return Dense(people, people, [list(row) for row in zip(*columns, strict=True)])


def price(dense: Dense) -> None:
    """Compute the tight ratio and three deltas, witnesses verified."""
    asked = DifferentialPrivacy()
    asked.tightest(dense)
    for ratio in RATIOS:
        asked.delta_at(dense, ratio)


def run() -> list[Row]:
    """Two rows."""
    dense = unstructured()
    survey = mechanism("randomized-response(bits=40, keep=3/4)")
    return [
        Row(
            f"exact ratio and three deltas, rational 2^{BITS} x 2^{BITS}",
            best_of(3, lambda: price(dense)),
            peer=LIMIT,
            against="limit",
            target=1.0,
        ),
        Row(
            "exact ratio of randomized response, 40 bits",
            best_of(3, lambda: DifferentialPrivacy().tightest(survey)),
            peer=LIMIT,
            against="limit",
            target=1.0,
        ),
    ]
