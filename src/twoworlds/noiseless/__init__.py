"""Exact releases without noise: private, if at all, by what the attacker does not know.

A total, a truncated histogram or a likeliest model published as it is protects nobody against
everybody; it can protect everybody against whoever holds the entries for random (Bassily, Groce,
Katz & Smith, Section III). Every answer begins with that assumption and ends with what breaks it,
and its numbers are exact or enclosed: no hidden constants.
"""

from __future__ import annotations

from twoworlds.noiseless.data import Release, read_column, release_total
from twoworlds.noiseless.estimates import (
    Family,
    Rates,
    likeliest,
    likeliest_known,
    likeliest_people,
    rates,
    release_likeliest,
    stable,
)
from twoworlds.noiseless.histograms import (
    SIZES,
    SizeLaw,
    release_histogram,
    size_condition,
    size_law,
    solve_known_members,
    solve_population,
    solve_rate,
    solve_threshold,
    truncated_histogram,
)
from twoworlds.noiseless.sums import (
    EntryLaw,
    Interval,
    UniformComponent,
    largest_exact,
    read_law,
    solve_epsilon,
    solve_known,
    solve_people,
    total,
)

__all__ = [
    "SIZES",
    "EntryLaw",
    "Family",
    "Interval",
    "Rates",
    "Release",
    "SizeLaw",
    "UniformComponent",
    "largest_exact",
    "likeliest",
    "likeliest_known",
    "likeliest_people",
    "rates",
    "read_column",
    "read_law",
    "release_histogram",
    "release_likeliest",
    "release_total",
    "size_condition",
    "size_law",
    "solve_epsilon",
    "solve_known",
    "solve_known_members",
    "solve_people",
    "solve_population",
    "solve_rate",
    "solve_threshold",
    "stable",
    "total",
    "truncated_histogram",
]
