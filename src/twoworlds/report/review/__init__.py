"""Reviews: a planned release, or a certificate, as two pages that a review board can sign.

>>> from twoworlds.report.review import review_mechanism
>>> found = review_mechanism("randomized-response(bits=2, keep=3/4)", claim="dp(epsilon=1)")
>>> found.outcome
'refuted'
>>> print(found.headline)
The claim does NOT hold: randomized-response(bits=2, keep=3/4) is not dp(epsilon=1).

`dataclasses.replace` adds purpose, date and reviewers; `Review.html` gives the page, one file with
nothing from elsewhere and no script but the checker of its certificate; `Review.to_dict` gives what
is on it as data.
"""

from __future__ import annotations

from twoworlds.report.review.certificates import is_certificate, review_certificate
from twoworlds.report.review.mechanisms import review_mechanism
from twoworlds.report.review.model import Review
from twoworlds.report.review.releases import review_planned, review_released

__all__ = [
    "Review",
    "is_certificate",
    "review_certificate",
    "review_mechanism",
    "review_planned",
    "review_released",
]
