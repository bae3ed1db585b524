"""Questions on their way through the curator: prepared, then paid, then answered.

A question is one batch of queries that is paid together. Several questions, of several analysts,
may go the way together: each is charged on its own, and all of them wait for the disk together.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from twoworlds.answer import Answer, Said
from twoworlds.release.budget import Cost
from twoworlds.release.ledger.ledger import Asked
from twoworlds.release.policy import Dataset
from twoworlds.release.query import Query, Resolved
from twoworlds.release.sensitivity import Calibration
from twoworlds.show import Result

if TYPE_CHECKING:
    from twoworlds.release.answers import QueryAnswer
    from twoworlds.release.backends import Backend
    from twoworlds.release.ledger import Reservation
    from twoworlds.release.plan import Plan

__all__ = ["NoiseKind", "Question", "Released", "Wanted"]

NoiseKind = Literal["laplace", "gaussian"]


class Wanted(NamedTuple):
    """What `Curator.release_all` takes, for `Curator.release_each`."""

    asked: Sequence[Query | str]
    cost: object
    analyst: str | None = None
    noise: NoiseKind = "laplace"


@dataclass(frozen=True)
class Question:
    """A prepared question.

    Attributes:
        resolved: The queries.
        calibration: Their noise.
        engine: The engine that has the data.
        plans: The plan of each, read together.
        analyst: Who asks.
        statement: What the ledger keeps of it.
        covered: What was paid already for the strategy of which this is a question.
        request: The name under which the ledger takes it once.
    """

    resolved: Sequence[Resolved]
    calibration: Calibration
    engine: Backend
    plans: Sequence[Plan]
    analyst: str
    statement: Mapping[str, Any]
    covered: Cost | None = None
    request: str | None = None

    @property
    def dataset(self) -> Dataset:
        """What is asked."""
        return self.resolved[0].dataset

    @property
    def charge(self) -> Asked:
        """What the ledger is to charge."""
        price = self.calibration.price if self.covered is None else Cost()
        return Asked(self.dataset.name, self.analyst, self.statement, price, self.request)


@dataclass(frozen=True)
class Released(Result):
    """A batch of answers that were paid together, with what a certificate needs."""

    answers: tuple[QueryAnswer, ...]
    statement: Mapping[str, Any]
    stored: Mapping[str, Any]
    reservation: Reservation
    calibration: Calibration

    def answer(self) -> Answer:
        """Say what was asked and what came out; then, once, what all of it means and cost."""
        from twoworlds.release.answers.words import price

        first, *others = self.answers
        blocks = [*first.blocks()]
        for one in others:
            blocks += [Said([one.heading()]), *one.blocks()]
        noise = self.calibration.explain().splitlines()
        blocks += [Said(first.meaning()), Said([first.protection(), *noise], quiet=True)]
        return Answer(first.heading(), blocks=(*blocks, Said([price(first.context)])))

    def fields(self) -> dict[str, Any]:
        """Return the answers."""
        return {"answers": self.answers}
