"""Truncated histograms of random samples: laws of sizes, bins, and tables."""

from __future__ import annotations

from twoworlds.noiseless.histograms.data import (
    release_histogram,
)
from twoworlds.noiseless.histograms.histogram import (
    truncated_histogram,
)
from twoworlds.noiseless.histograms.size_condition import (
    size_condition,
)
from twoworlds.noiseless.histograms.size_laws import (
    SizeLaw,
)
from twoworlds.noiseless.histograms.sizes import (
    SIZES,
    size_law,
)
from twoworlds.noiseless.histograms.solve import (
    solve_known_members,
    solve_population,
    solve_rate,
    solve_threshold,
)

__all__ = [
    "SIZES",
    "SizeLaw",
    "release_histogram",
    "size_condition",
    "size_law",
    "solve_known_members",
    "solve_population",
    "solve_rate",
    "solve_threshold",
    "truncated_histogram",
]
