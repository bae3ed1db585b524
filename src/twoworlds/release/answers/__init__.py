"""From true totals to noisy answers with honest errors, and how they are shown.

`noisy` turns what the engine added up into noisy whole numbers, the only thing that is stored;
`Answer` computes everything else from those: estimates, errors, intervals, tables, words.
`expected_errors` says the errors before anything is paid.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from twoworlds.late import names_of

if TYPE_CHECKING:
    from twoworlds.release.answers.answer import Answer
    from twoworlds.release.answers.context import Context
    from twoworlds.release.answers.draw import noisy, simulated
    from twoworlds.release.answers.estimates import Certainty, Estimate, Expected, expected_errors
    from twoworlds.release.answers.glance import Utility

__all__ = [
    "Answer",
    "Certainty",
    "Context",
    "Estimate",
    "Expected",
    "Utility",
    "expected_errors",
    "noisy",
    "simulated",
]

# Where each name is found when it is first used; the imports above tell type checkers the same.
_PLACES = {
    "answer": ("Answer",),
    "context": ("Context",),
    "draw": ("noisy", "simulated"),
    "estimates": ("Certainty", "Estimate", "Expected", "expected_errors"),
    "glance": ("Utility",),
}

__getattr__, __dir__ = names_of(__name__, _PLACES)
