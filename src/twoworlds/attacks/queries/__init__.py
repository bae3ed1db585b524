"""Queries as weapons: what exact counts, repeated noise and published means give away.

* `twoworlds.attacks.queries.differencing`: one person from counts of many, past every size limit;
* `twoworlds.attacks.queries.averaging`: fresh noise, asked away;
* `twoworlds.attacks.queries.membership`: was this person in the study? and the same for everybody
  in a made-up study or histogram;
* `twoworlds.attacks.queries.server`: who answers the counts.

Each also runs against the release engine.
"""

from twoworlds.attacks.queries.averaging import average_out
from twoworlds.attacks.queries.differencing import single_out
from twoworlds.attacks.queries.membership import (
    histogram_study,
    membership_in_histogram,
    membership_in_means,
    study,
)
from twoworlds.attacks.queries.server import ExactServer, equal

__all__ = [
    "ExactServer",
    "average_out",
    "equal",
    "histogram_study",
    "membership_in_histogram",
    "membership_in_means",
    "single_out",
    "study",
]
