"""The policy: what the owner of the data declares about it."""

from __future__ import annotations

from twoworlds.release.policy.model import (
    Column,
    Dataset,
    Policy,
    PublicTable,
    Unit,
)

__all__ = ["Column", "Dataset", "Policy", "PublicTable", "Unit"]
