"""A release as a page that can be signed: the questions, the answers, their meaning, the proof."""

from __future__ import annotations

from twoworlds.release.curator import Released
from twoworlds.report.review.releases import review_released

__all__ = ["release_page"]


def release_page(released: Released) -> str:
    """Return the page of a release, as HTML: the review of its certificate."""
    return review_released(released).html()
