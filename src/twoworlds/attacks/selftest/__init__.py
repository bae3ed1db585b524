"""The release engine under its known kinds of failure, as it is installed here.

``twoworlds selftest`` asks the engine as any user does, in folders of its own: tables with odd
values and names, processes that are killed, ledgers that are put back, noise that is compared with
the law that its cost demands. It is a test, no proof.
"""

from twoworlds.attacks.selftest.service import AttackedService
from twoworlds.attacks.selftest.suite import (
    FAILURES,
    KnownFailure,
    selftest,
    selftest_of,
)

__all__ = [
    "FAILURES",
    "AttackedService",
    "KnownFailure",
    "selftest",
    "selftest_of",
]
