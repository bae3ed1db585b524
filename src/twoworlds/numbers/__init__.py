"""Exact numbers and rigorous enclosures.

A *number* is a ``Fraction`` or a `Real`. Inputs are read exactly (`number`), bounds e^epsilon are
kept as ratios, and where no exact value exists an enclosure is carried and rounded to the side
that never overstates privacy. `compare` answers ``Order.UNDECIDED`` rather than guess.
"""

from __future__ import annotations

from twoworlds.numbers.named import Exp, Log, Root, exp, ln, power, rough_log, sqrt
from twoworlds.numbers.real import (
    INFINITY,
    LIMIT_BITS,
    Number,
    Order,
    Real,
    at_most_one,
    ball,
    compare,
    maximum,
    positive_part,
    working_precision,
)
from twoworlds.numbers.text import (
    Side,
    above,
    below,
    bounds,
    counted,
    decimal,
    exact_text,
    number,
    offered,
    plural,
    positive,
    probability,
    ratio_at_least_one,
    rational,
    show,
    signed,
    spelled,
    stated,
    to_json,
    whole,
)

__all__ = [
    "INFINITY",
    "LIMIT_BITS",
    "Exp",
    "Log",
    "Number",
    "Order",
    "Real",
    "Root",
    "Side",
    "above",
    "at_most_one",
    "ball",
    "below",
    "bounds",
    "compare",
    "counted",
    "decimal",
    "exact_text",
    "exp",
    "ln",
    "maximum",
    "number",
    "offered",
    "plural",
    "positive",
    "positive_part",
    "power",
    "probability",
    "ratio_at_least_one",
    "rational",
    "rough_log",
    "show",
    "signed",
    "spelled",
    "sqrt",
    "stated",
    "to_json",
    "whole",
    "working_precision",
]
