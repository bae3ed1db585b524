"""The ledger of privacy spending: hash-chained, durable, one charge before every answer."""

from __future__ import annotations

from twoworlds.release.errors import LedgerDamaged, LedgerUnavailable, OverBudget
from twoworlds.release.ledger.journal import remark
from twoworlds.release.ledger.ledger import Charge, Ledger
from twoworlds.release.ledger.views import export, show, summary, verify, verify_export

__all__ = [
    "Charge",
    "Ledger",
    "LedgerDamaged",
    "LedgerUnavailable",
    "OverBudget",
    "export",
    "remark",
    "show",
    "summary",
    "verify",
    "verify_export",
]
