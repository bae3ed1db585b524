"""The policy: what the owner of the data declares about it."""

from __future__ import annotations

from twoworlds.release.policy.model import Column, Dataset, Policy, PublicTable, Unit
from twoworlds.release.policy.reading import declare, parse_policy, read_policy

__all__ = [
    "Column",
    "Dataset",
    "Policy",
    "PublicTable",
    "Unit",
    "declare",
    "parse_policy",
    "read_policy",
]
