"""The policy: what the owner of the data declares about it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from twoworlds.late import names_of
from twoworlds.release.policy.model import Column, Dataset, Policy, PublicTable, Unit

if TYPE_CHECKING:
    from twoworlds.release.policy.reading import parse_policy, read_policy

__all__ = ["Column", "Dataset", "Policy", "PublicTable", "Unit", "parse_policy", "read_policy"]

# Where each name is found when it is first used; the imports above tell type checkers the same.
_PLACES = {
    "reading": ("parse_policy", "read_policy"),
}

__getattr__, __dir__ = names_of(__name__, _PLACES)
