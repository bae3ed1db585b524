"""The registry of named mechanisms; `twoworlds.mechanisms.named` fills it."""

from __future__ import annotations

from twoworlds.calls import Registry
from twoworlds.mechanisms.base import Mechanism

__all__ = ["MECHANISMS", "named"]

MECHANISMS: Registry[Mechanism] = Registry("mechanism")
named = MECHANISMS.register
