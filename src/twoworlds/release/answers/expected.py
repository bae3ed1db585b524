"""The errors that an answer will have, before it is paid for."""

from __future__ import annotations

from twoworlds.numbers import whole
from twoworlds.release.answers.estimators import estimators
from twoworlds.release.answers.parts import Expected
from twoworlds.release.query.measures import Resolved
from twoworlds.release.sensitivity import Calibration

__all__ = ["expected_errors"]


def expected_errors(
    resolved: Resolved, calibration: Calibration, *, size: int | None = None, query: int = 0
) -> tuple[Expected, ...]:
    """Return for each aggregate the standard error and the 95 % half width to be expected.

    Those of counts, sums and quantiles do not depend on the data. Those of means and variances
    fall with the size of the group: they are None unless a size is supposed, and then they hold
    whatever the values in the group are.

    Args:
        resolved: What is asked.
        calibration: The noise that it would get.
        size: How many rows a group is supposed to have.
        query: The place of the query in the batch.
    """
    supposed = None if size is None else whole(size, "size")
    noises = calibration.noises[query]
    return tuple(each.expected(supposed) for each in estimators(resolved, noises))
