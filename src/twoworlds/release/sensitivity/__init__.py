"""How far one unit can move a whole query, and how much noise that takes.

    joint        the sensitivity of a query or a batch: of each measure, and of the whole
    calibrate    the noise with which the whole costs exactly what is wanted
    cost_for     the cost at which an answer is as exact as wanted

Nothing here looks at data: a release is planned from the query and the policy alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from twoworlds.late import names_of
from twoworlds.release.sensitivity.calibration import (
    Calibration,
    MeasureNoise,
    Moments,
    NoiseKind,
    calibrate,
)
from twoworlds.release.sensitivity.joint import Joint, joint

if TYPE_CHECKING:
    from twoworlds.release.sensitivity.inverse import cost_for

__all__ = [
    "Calibration",
    "Joint",
    "MeasureNoise",
    "Moments",
    "NoiseKind",
    "calibrate",
    "cost_for",
    "joint",
]

# Where each name is found when it is first used; the imports above tell type checkers the same.
_PLACES = {
    "inverse": ("cost_for",),
}

__getattr__, __dir__ = names_of(__name__, _PLACES)
