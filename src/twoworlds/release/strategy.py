r"""Strategies: questions one after the other, each chosen by earlier answers, at one price.

A strategy is paid once, with epsilon. Its questions get noise as they come, and whatever the
answers were, the whole vector of questions asked so far must satisfy

    sup over neighbours of  sum_i |f_i(D) - f_i(D')|_1 / scale_i  <=  epsilon

which is checked, exactly, before each question is answered. Along every transcript the logarithm of
the ratio of the two likelihoods is at most the left side for the questions of that transcript, and
what is asked depends on earlier answers only; so the transcript is epsilon-private (Dwork, Theorem
5, with the sensitivity of the whole vector: neither the largest of its parts nor their sum).
Questions about different people cost nothing more.

A question whose second part depends on the true answer to the first is one function of the data,
and must be asked as one query.

Each question has a number, and the ledger takes each number once. After a crash, run the same
program again: it gets the same answers at the same price.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from twoworlds.errors import InvalidInput
from twoworlds.numbers import show
from twoworlds.release.answers import Answer
from twoworlds.release.budget import parse_cost
from twoworlds.release.ledger import OverBudget
from twoworlds.release.query import Query, Resolved, resolve
from twoworlds.release.sensitivity import Calibration, calibrate
from twoworlds.release.sensitivity.joint import Analysis

if TYPE_CHECKING:
    from twoworlds.release.curator import Curator

__all__ = ["Strategy"]


class Strategy:
    """Questions to one dataset, each of which may depend on earlier answers; see the module.

    Use `Curator.strategy`.

    Attributes:
        joint: What the questions so far cost together; ``naive`` what they would one by one.
    """

    def __init__(self, curator: Curator, dataset: str, name: str, cost: object, who: str) -> None:
        """Pay for it, or find that it was paid."""
        self.cost = parse_cost(cost)
        if self.cost.kind != "pure" or not self.cost.epsilon:
            raise InvalidInput(f"a strategy is paid with an epsilon above 0, not with {self.cost}")
        self._curator, self._who = curator, who
        self.dataset = curator.policy.dataset(dataset)
        opening = {  # with the analyst: questions are numbered for each of them
            "strategy": name,
            "analyst": who,
            "version": self.dataset.version,
            "cost": str(self.cost),
        }
        self._paid = curator.ledger.reserve(dataset, who, opening, self.cost)
        if not self._paid.answered:
            curator.ledger.commit(self._paid, {"open": True})
        self._asked: list[tuple[Resolved, Calibration]] = []
        self.joint = self.naive = Fraction(0)

    def ask(self, asked: Query | str, epsilon: object) -> Answer:
        """Answer the next question, with the noise that it would have alone at this epsilon.

        Raises:
            OverBudget: when all questions together would cost more than was paid.
            InvalidInput: when the question with this number was another one before.
        """
        query = self._curator.query(asked)
        if query.dataset != self.dataset.name:
            raise InvalidInput(f"this strategy asks {self.dataset.name!r}, not {query.dataset!r}")
        resolved = resolve(query, self.dataset)
        if resolved.discovers:
            raise InvalidInput(
                "discovered keys cost a delta, and a strategy has none: declare them"
            )
        cost = parse_cost(epsilon)
        calibration = calibrate([resolved], cost)
        together = [*self._asked, (resolved, calibration)]
        joint = _together(together)
        if joint > self.cost.epsilon:
            raise OverBudget(
                f"with this question the strategy would cost {show(joint)}, and "
                f"{show(self.cost.epsilon)} was paid: ask with a smaller epsilon, or ask about "
                "other people"
            )
        answer = self._answer(resolved, calibration)
        self._asked = together
        self.joint, self.naive = joint, self.naive + cost.epsilon
        return answer

    def explain(self) -> str:
        """Say what it cost so far."""
        count = len(self._asked)
        return (
            f"{count} question{'s' if count != 1 else ''} for epsilon {show(self.cost.epsilon)}: "
            f"together they cost {show(self.joint)}, one by one they would cost "
            f"{show(self.naive)} (neighbours by {self.dataset.neighbours})."
        )

    def _answer(self, resolved: Resolved, calibration: Calibration) -> Answer:
        within = {"strategy": self._paid.hash, "question": len(self._asked) + 1}
        return self._curator._ask(
            [resolved],
            calibration,
            self._who,
            within=within,
            covered=self.cost,
            request=f"{self._paid.hash}:{len(self._asked) + 1}",
        ).answers[0]


def _together(asked: list[tuple[Resolved, Calibration]]) -> Fraction:
    """Return what questions with given noise cost together."""
    weights: dict[Any, Fraction] = {}
    for q, (_, calibration) in enumerate(asked):
        for j, noise in enumerate(calibration.noises[0]):
            if noise.scale:
                weights[q, j] = 1 / noise.scale
    return Analysis([resolved for resolved, _ in asked]).loss(weights, 1).value
