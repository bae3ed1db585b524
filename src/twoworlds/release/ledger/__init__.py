"""The ledger of privacy spending: hash-chained, durable, one charge before every answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from twoworlds.late import names_of
from twoworlds.release.errors import LedgerDamaged, LedgerUnavailable, OverBudget
from twoworlds.release.ledger.ledger import Charge, Ledger

if TYPE_CHECKING:
    from twoworlds.release.ledger.journal import remark
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

# Where each name is found when it is first used; the imports above tell type checkers the same.
_PLACES = {
    "journal": ("remark",),
    "views": ("export", "show", "summary", "verify", "verify_export"),
}

__getattr__, __dir__ = names_of(__name__, _PLACES)
