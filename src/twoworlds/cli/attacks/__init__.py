"""``twoworlds attack ...``: attacks on tables and on answers, one command in each module."""

from __future__ import annotations

import twoworlds.cli.attacks.auxiliary
import twoworlds.cli.attacks.averaging
import twoworlds.cli.attacks.differencing
import twoworlds.cli.attacks.membership
import twoworlds.cli.attacks.reconstruct  # noqa: F401 (each adds its command)
from twoworlds.cli.attacks.group import attack_app

__all__ = ["attack_app"]
