"""What does this data release let anyone learn about a person?

twoworlds compares two worlds, the one with a person's data and one without, exactly. Start with
`mechanism`, which reads what you would type, and `measure`:

>>> import twoworlds as tw
>>> survey = tw.mechanism("randomized-response(bits=40, keep=3/4)")
>>> tw.measure(survey).epsilon
Real(ln 3)
"""

from __future__ import annotations

import twoworlds.cones.linear  # noqa: F401 (registers its definitions)
from twoworlds.definitions import (
    DifferentialPrivacy,
    MutualInformation,
    PointwiseIndistinguishability,
    Profile,
    StatisticalDifference,
    TwoLaws,
    Verdict,
    Witness,
    check,
    definition,
    measure,
)
from twoworlds.errors import (
    InvalidInput,
    NotStochastic,
    TooLarge,
    TwoWorldsError,
    Undecided,
    UnknownName,
    Unsupported,
)
from twoworlds.mechanisms import Dense, Mechanism, PerRecord
from twoworlds.mechanisms.named import mechanism
from twoworlds.numbers import number
from twoworlds.worlds import BitStrings, Integers, Reals, Records, Universe
from twoworlds.worlds.catalogue import universe

__all__ = [
    "BitStrings",
    "Dense",
    "DifferentialPrivacy",
    "Integers",
    "InvalidInput",
    "Mechanism",
    "MutualInformation",
    "NotStochastic",
    "PerRecord",
    "PointwiseIndistinguishability",
    "Profile",
    "Reals",
    "Records",
    "StatisticalDifference",
    "TooLarge",
    "TwoLaws",
    "TwoWorldsError",
    "Undecided",
    "Universe",
    "UnknownName",
    "Unsupported",
    "Verdict",
    "Witness",
    "check",
    "definition",
    "measure",
    "mechanism",
    "number",
    "universe",
]

__version__ = "0.1.0"
