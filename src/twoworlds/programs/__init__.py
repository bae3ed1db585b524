"""Linear programs with exact answers: solved in floats, repaired to rationals, verified."""

from twoworlds.programs.solver import (
    Infeasible,
    Optimal,
    Outcome,
    Rational,
    Unbounded,
    combine,
    solve,
)

__all__ = ["Infeasible", "Optimal", "Outcome", "Rational", "Unbounded", "combine", "solve"]
