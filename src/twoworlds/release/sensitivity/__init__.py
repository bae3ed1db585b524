"""How far one unit can move a whole query, and how much noise that takes.

    domain          the values of a column, cut into pieces that nothing in a batch tells apart
    contributions   every way in which one row can enter a batch of queries
    bounds          the largest L1 or squared L2 loss of a row, or of a person with several rows
    joint           what one unit loses of a whole query or batch, for any noise of its measures
    calibrate       the noise with which the whole costs exactly what is wanted
    cost_for        the cost at which an answer is as exact as wanted
    fixed           batches in which each query has an epsilon of its own, and their cost together

Nothing here looks at data: a release is planned from the query and the policy alone.
"""

from __future__ import annotations

from twoworlds.release.sensitivity.calibration import (
    Calibration,
    MeasureNoise,
    Moments,
    NoiseKind,
    calibrate,
    cost_for,
)

__all__ = ["Calibration", "MeasureNoise", "Moments", "NoiseKind", "calibrate", "cost_for"]
