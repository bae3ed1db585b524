"""Release engines that are broken on purpose, at least one for each check of ``selftest``.

A check that no engine fails shows nothing. Each of these is the installed engine with one mistake,
of the kind that its failure names, and fails that check. Inside a ``with`` block the engine of this
process is broken; afterwards it is whole again:

    with ENGINES["adds_floats"]:
        selftest([17])

Some mistakes show only in processes that a check starts. `Engine.prelude` breaks the engine there.
Nothing here may be used to release anything.
"""

from __future__ import annotations

from tests.attacks.selftest.broken_engines import answers, budgets, noise, sources
from tests.attacks.selftest.broken_engines.engine import ENGINES, Engine

__all__ = ["ENGINES", "Engine", "answers", "budgets", "noise", "sources"]
