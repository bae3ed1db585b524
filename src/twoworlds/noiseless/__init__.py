"""Exact releases without noise: private, if at all, by what the attacker does not know.

A total, a truncated histogram or a likeliest model published as it is protects nobody against
everybody; it can protect everybody against whoever holds the entries for random (Bassily, Groce,
Katz & Smith, Section III). Every answer begins with that assumption and ends with what breaks it,
and its numbers are exact or enclosed: no hidden constants.
"""

from __future__ import annotations

from twoworlds.noiseless.data import Release, read_column, release_total
from twoworlds.noiseless.family import Family
from twoworlds.noiseless.histogram import truncated_histogram
from twoworlds.noiseless.histogram_data import HistogramRelease, release_histogram
from twoworlds.noiseless.histogram_solve import (
    solve_known_members,
    solve_population,
    solve_rate,
    solve_threshold,
)
from twoworlds.noiseless.laws import EntryLaw, Interval, UniformComponent, read_law
from twoworlds.noiseless.likeliest import (
    likeliest,
    likeliest_known,
    likeliest_people,
    release_likeliest,
)
from twoworlds.noiseless.rates import Rates, rates
from twoworlds.noiseless.size_condition import size_condition
from twoworlds.noiseless.size_laws import SizeLaw
from twoworlds.noiseless.sizes import SIZES, size_law
from twoworlds.noiseless.solve import solve_epsilon, solve_known, solve_people
from twoworlds.noiseless.stable import stable
from twoworlds.noiseless.total import largest_exact, total
from twoworlds.noiseless.words import assumed, claim, counted, odds_words, short

__all__ = [
    "SIZES",
    "EntryLaw",
    "Family",
    "HistogramRelease",
    "Interval",
    "Rates",
    "Release",
    "SizeLaw",
    "UniformComponent",
    "assumed",
    "claim",
    "counted",
    "largest_exact",
    "likeliest",
    "likeliest_known",
    "likeliest_people",
    "odds_words",
    "rates",
    "read_column",
    "read_law",
    "release_histogram",
    "release_likeliest",
    "release_total",
    "short",
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
