"""From a query to one SQL statement, the same for every engine, and from its rows to totals."""

from __future__ import annotations

from twoworlds.release.plan.groups import Cell, Totals
from twoworlds.release.plan.statement import Plan, plan
from twoworlds.release.plan.tables import check_columns

__all__ = ["Cell", "Plan", "Totals", "check_columns", "plan"]
