"""What does this data release let anyone learn about a person?

twoworlds compares two worlds, the one with a person's data and one without, exactly. Start with
`mechanism`, which reads what you would type, and `measure`:

>>> import twoworlds as tw
>>> survey = tw.mechanism("randomized-response(bits=40, keep=3/4)")
>>> tw.measure(survey).epsilon
Real(ln 3)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from twoworlds.late import names_of

if TYPE_CHECKING:
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

# Where each name is found when it is first used, so that a release does not load what it never
# needs; the imports above tell type checkers the same.
_PLACES = {
    "definitions": (
        "DifferentialPrivacy",
        "MutualInformation",
        "PointwiseIndistinguishability",
        "Profile",
        "StatisticalDifference",
        "TwoLaws",
        "Verdict",
        "Witness",
        "check",
        "definition",
        "measure",
    ),
    "errors": (
        "InvalidInput",
        "NotStochastic",
        "TooLarge",
        "TwoWorldsError",
        "Undecided",
        "UnknownName",
        "Unsupported",
    ),
    "mechanisms": ("Dense", "Mechanism", "PerRecord"),
    "mechanisms.named": ("mechanism",),
    "numbers": ("number",),
    "worlds": ("BitStrings", "Integers", "Reals", "Records", "Universe"),
    "worlds.catalogue": ("universe",),
}
_PARTS = (
    "attacks",
    "calls",
    "cones",
    "definitions",
    "errors",
    "files",
    "mechanisms",
    "noiseless",
    "numbers",
    "programs",
    "release",
    "report",
    "theorems",
    "worlds",
)

__getattr__, __dir__ = names_of(__name__, _PLACES, _PARTS)
