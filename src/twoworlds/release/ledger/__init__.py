"""The ledger of privacy spending: hash-chained, durable, one charge before every answer."""

from __future__ import annotations

from twoworlds.release.ledger.failures import LedgerDamaged, LedgerUnavailable, OverBudget
from twoworlds.release.ledger.ledger import Ledger
from twoworlds.release.ledger.opening import remark
from twoworlds.release.ledger.reservation import Reservation
from twoworlds.release.ledger.views import export, show, summary, verify, verify_export

__all__ = [
    "Ledger",
    "LedgerDamaged",
    "LedgerUnavailable",
    "OverBudget",
    "Reservation",
    "export",
    "remark",
    "show",
    "summary",
    "verify",
    "verify_export",
]
