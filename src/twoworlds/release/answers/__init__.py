"""From true totals to noisy answers with honest errors, and how they are shown.

`noisy` turns what the engine added up into noisy whole numbers, the only thing that is stored;
`QueryAnswer` computes everything else from those: estimates, errors, intervals, tables, words.
`expected_errors` says the errors before anything is paid.
"""

from __future__ import annotations

from twoworlds.release.answers.answer import QueryAnswer
from twoworlds.release.answers.cells import noisy
from twoworlds.release.answers.estimates import CellEstimate, Expected, expected_errors
from twoworlds.release.answers.words import AnswerContext

__all__ = [
    "AnswerContext",
    "CellEstimate",
    "Expected",
    "QueryAnswer",
    "expected_errors",
    "noisy",
]
