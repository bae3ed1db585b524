"""From a query to one SQL statement, the same for every engine, and from its rows to totals."""

from __future__ import annotations

from twoworlds.release.plan.groups import Plan, Totals
from twoworlds.release.plan.statement import check_columns, plan

__all__ = ["Plan", "Totals", "check_columns", "plan"]
