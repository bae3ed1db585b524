"""What semantic privacy costs: floats, a rational matrix, and by structure."""

from __future__ import annotations

from benchmarks import Row, best_of
from benchmarks.dense import mechanism
from benchmarks.exact import unstructured
from twoworlds import mechanism as build
from twoworlds.definitions.semantics.privacy import SemanticPrivacy
from twoworlds.mechanisms.float_matrix import FloatMatrix
from twoworlds.worlds import BitStrings

LIMIT = 1.0  # seconds
BITS = 10


def run() -> list[Row]:
    """Three rows, each against a limit."""
    people = BitStrings(BITS)
    return [
        Row(
            name,
            best_of(3, lambda chosen=chosen: SemanticPrivacy().tightest(chosen)),  # type: ignore[misc]
            peer=LIMIT,
            against="limit",
            target=1.0,
        )
        for name, chosen in (
            (
                f"semantic value with its witness, floats 2^{BITS} x 2^{BITS}",
                FloatMatrix(people, people, mechanism(BITS)),
            ),
            ("exact semantic value, rational 2^6 x 2^6", unstructured()),
            (
                "exact semantic value of randomized response, 200 bits",
                build("randomized-response(bits=200, keep=3/4)"),
            ),
        )
    ]
