"""The theorems of Dwork, Differential Privacy (2006), that lead from noise to a guarantee."""

from __future__ import annotations

from twoworlds.theorems.dwork.strategies import strategy_guarantee

__all__ = ["strategy_guarantee"]
