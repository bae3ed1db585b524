"""The release engine under its known kinds of failure, as it is installed here.

``twoworlds selftest`` asks the engine as any user does, in folders of its own: tables with odd
values and names, processes that are killed, ledgers that are put back, noise that is compared with
the law that its cost demands. It is a test, no proof.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from twoworlds.late import names_of

if TYPE_CHECKING:
    from twoworlds.attacks.selftest.suite import FAILURES, Failure, Outcome, SelfTest

__all__ = ["FAILURES", "Failure", "Outcome", "SelfTest"]

_PLACES = {"suite": ("FAILURES", "Failure", "Outcome", "SelfTest")}

__getattr__, __dir__ = names_of(__name__, _PLACES)
