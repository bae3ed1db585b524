"""Randomized response and PRAM: every record passes through the same stochastic matrix.

Wu, Algorithm 1; Lin & Kifer, Section 3.2.2 and Definitions 5.2, 5.3 and 5.9.
"""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

from twoworlds.calls import Text
from twoworlds.errors import InvalidInput
from twoworlds.mechanisms.base import Dense
from twoworlds.mechanisms.files import read_table
from twoworlds.mechanisms.named.spelling import spelled_rows, spelled_values
from twoworlds.mechanisms.per_record import PerRecord
from twoworlds.mechanisms.registry import named
from twoworlds.numbers import INFINITY, Number, exact_text, exp, number, ratio_at_least_one, whole
from twoworlds.worlds import Explicit, Universe
from twoworlds.worlds.catalogue import read_values

__all__ = ["gamma", "pram", "randomized_response"]


@named("randomized-response")
def randomized_response(
    bits: object = None,
    keep: object = None,
    values: Text | None = None,
    records: object = None,
    ratio: object = None,
    epsilon: object = None,
) -> PerRecord:
    r"""Each person keeps their true value with probability keep, else reports another one evenly.

        P(report v | true v) = keep,   P(report w | true v) = (1 - keep) / (N - 1)

    where N = 2 for ``bits``, else the number of ``values`` of each of ``records`` records. Instead
    of keep, give ratio = keep (N - 1) / (1 - keep), or epsilon = ln ratio.

    >>> randomized_response(bits=2, keep="3/4").probability((1, 0), (1, 1))
    Fraction(3, 16)
    """
    if (bits is None) == (values is None):
        raise InvalidInput("randomized-response takes either bits=, or values= and records=")
    if bits is not None and records is not None:
        raise InvalidInput("randomized-response: bits= already says how many records there are")
    count = bits if values is None else records if records is not None else 1
    universe = _one_record((1, 0) if values is None else read_values(values))
    n = universe.size or 0
    p, other = _keep_and_other(keep, ratio, epsilon, n)
    rows = [[p if o == v else other for v in universe] for o in universe]
    shown = _shown_keep(p, ratio, epsilon)
    number_of = whole(count, "bits" if values is None else "records", at_least=1)
    if values is None:
        text = f"randomized-response(bits={number_of}, {shown})"
    else:
        text = (
            f"randomized-response(values={spelled_values(universe)}, records={number_of}, {shown})"
        )
    return PerRecord(Dense(universe, universe, rows), number_of, expression=text, alike=True)


def _shown_keep(p: Number, ratio: object, epsilon: object) -> str:
    """Spell keep where it can be typed, else what it was computed from."""
    if not isinstance(p, Fraction) and epsilon is not None:
        return f"epsilon={exact_text(number(epsilon))}"
    if not isinstance(p, Fraction) and ratio is not None:
        return f"ratio={exact_text(number(ratio))}"
    return f"keep={exact_text(p)}"


def _keep_and_other(keep: object, ratio: object, epsilon: object, n: int) -> tuple[Number, Number]:
    """Return the probability of the true value and that of each other one."""
    given = [value for value in (keep, ratio, epsilon) if value is not None]
    if len(given) != 1:
        raise InvalidInput("randomized-response takes exactly one of keep, ratio and epsilon")
    if n == 1:
        return Fraction(1), Fraction(0)
    if keep is not None:
        p = number(keep, "keep")
        if p < 0 or p > 1:
            raise InvalidInput(f"keep={keep} is not a probability: it must lie between 0 and 1")
        return p, (1 - p) / (n - 1)
    a = exp_of(epsilon) if ratio is None else _finite_ratio(ratio)
    whole_mass = a + (n - 1)  # one object, so that the ratio of both is exactly a
    return a / whole_mass, 1 / whole_mass


def _finite_ratio(ratio: object) -> Number:
    value = ratio_at_least_one(ratio)
    if value == INFINITY:
        raise InvalidInput("ratio=inf is no protection at all: give a finite ratio")
    return value


def exp_of(epsilon: object) -> Number:
    """Return e^epsilon for an epsilon of at least 0."""
    value = number(epsilon, "epsilon")
    if value < 0:
        raise InvalidInput(f"epsilon={epsilon} is negative: epsilon is at least 0")
    if value == INFINITY:
        raise InvalidInput("epsilon=inf is no protection at all: give a finite epsilon")
    return exp(value)


@named("pram")
def pram(matrix: Text, records: object = 1, values: Text | None = None) -> PerRecord:
    """Each record passes through the same stochastic matrix (rows: reports, columns: true values).

    The matrix is a list of rows, ``[[3/5, 1/5], [2/5, 4/5]]``, or the path of a CSV or JSON file.

    >>> pram([["3/5", "1/7"], ["2/5", "6/7"]], records=2).probability((0, 1), (1, 1))
    Fraction(6, 49)
    """
    if isinstance(matrix, (str, Path)):
        table = read_table(Path(matrix))
        return PerRecord(table, records, expression=f"pram({matrix}, records={records})")
    if not matrix or not all(isinstance(row, (list, tuple)) for row in matrix):
        raise InvalidInput("pram: matrix is a list of rows such as [[3/5, 1/5], [2/5, 4/5]]")
    width = len(matrix[0])
    universe = _one_record(width if values is None else read_values(values))
    square = len(matrix) == width
    outputs = universe if square else _one_record(len(matrix))
    transition = Dense(universe, outputs, matrix)
    names = "" if values is None else f", values={spelled_values(universe)}"
    text = f"pram({spelled_rows(matrix)}, records={records}{names})"
    return PerRecord(transition, records, expression=text)


def gamma(mechanism: PerRecord) -> Number:
    """Return the amplification of one record: the largest ratio within a row of its transition.

    Lin & Kifer, Definition 5.10. Differs: Section 3.2.2 prints the ratio of two outputs of one
    value, which is another number; the row ratio is the one that protects.

    >>> gamma(pram([["3/5", "1/7", "1/7"], ["1/5", "3/7", "3/7"], ["1/5", "3/7", "3/7"]]))
    Fraction(21, 5)
    """
    return PerRecord(mechanism.transition, 1).family("substitute").peak()[1].ratio


def _one_record(values: object) -> Universe:
    if isinstance(values, int):
        return Explicit(tuple(range(values)))
    return Explicit(tuple(values))  # type: ignore[arg-type]
