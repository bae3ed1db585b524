"""The exact total: laws of entries, their sum, and what the attacker must not know."""

from __future__ import annotations

from twoworlds.laws.entry import (
    EntryLaw,
    Interval,
    UniformComponent,
    read_law,
)
from twoworlds.noiseless.sums.solve import (
    solve_epsilon,
    solve_known,
    solve_people,
)
from twoworlds.noiseless.sums.total import (
    largest_exact,
    total,
)

__all__ = [
    "EntryLaw",
    "Interval",
    "UniformComponent",
    "largest_exact",
    "read_law",
    "solve_epsilon",
    "solve_known",
    "solve_people",
    "total",
]
