"""Exact releases without noise: private, if at all, by what the attacker does not know.

A total, a truncated histogram or a likeliest model published as it is protects nobody against
everybody; it can protect everybody against whoever holds the entries for random (Bassily, Groce,
Katz & Smith, Section III). Every answer begins with that assumption and ends with what breaks it,
and its numbers are exact or enclosed: no hidden constants.
"""

from __future__ import annotations

from twoworlds.laws.entry import EntryLaw, StepDensity, read_law
from twoworlds.noiseless.data import ExactRelease, read_column, release_histogram, release_total
from twoworlds.noiseless.estimates.family import LawFamily, Rates, rates
from twoworlds.noiseless.estimates.likeliest import likeliest, release_likeliest
from twoworlds.noiseless.estimates.stable import stable
from twoworlds.noiseless.estimates.tempered import tempered
from twoworlds.noiseless.histograms.histogram import truncated_histogram
from twoworlds.noiseless.histograms.size_condition import size_condition
from twoworlds.noiseless.histograms.size_laws import SIZES, SizeLaw, size_law
from twoworlds.noiseless.solve import (
    likeliest_known,
    likeliest_people,
    solve_epsilon,
    solve_known,
    solve_known_members,
    solve_people,
    solve_population,
    solve_rate,
    solve_threshold,
)
from twoworlds.noiseless.sums.total import largest_exact, total

__all__ = [
    "SIZES",
    "EntryLaw",
    "ExactRelease",
    "LawFamily",
    "Rates",
    "SizeLaw",
    "StepDensity",
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
    "tempered",
    "total",
    "truncated_histogram",
]
