"""The forms of a release, each made from the one before by one function of the curator.

    Request    what was asked: queries or SQL, cost, analyst, noise
    Prepared   resolved queries, noise, plans, statement: from policy, request and schema alone
    Charge     what the ledger wrote, durable, or the stored answer (`twoworlds.release.ledger`)
    Released   the noisy answers, with what a certificate needs

One request is a batch of queries that is paid together. Several requests, of several analysts, may
go the way together: each is charged on its own, and all of them wait for the disk together.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from twoworlds.answer import Answer, Said
from twoworlds.release.budget import Cost
from twoworlds.release.policy import Dataset
from twoworlds.release.query import Query, Resolved
from twoworlds.release.sensitivity import Calibration, NoiseKind
from twoworlds.show import Result

if TYPE_CHECKING:
    from twoworlds.release.answers import QueryAnswer
    from twoworlds.release.backends import Backend
    from twoworlds.release.ledger import Charge
    from twoworlds.release.plan import Plan

__all__ = ["NoiseKind", "Prepared", "Released", "Request"]


class Request(NamedTuple):
    """What is asked; see `Curator.release_all`, which takes the same."""

    asked: Sequence[Query | str]
    cost: object
    analyst: str | None = None
    noise: NoiseKind = "laplace"


@dataclass(frozen=True)
class Prepared:
    """A request that can be charged and answered.

    Attributes:
        resolved: The queries.
        calibration: Their noise.
        engine: The engine that has the data.
        plans: The plan of each, read together.
        analyst: Who asks.
        statement: What the ledger keeps of it.
        covered: What was paid already for the strategy of which this is a question.
        name: The name under which the ledger takes it once.
    """

    resolved: Sequence[Resolved]
    calibration: Calibration
    engine: Backend
    plans: Sequence[Plan]
    analyst: str
    statement: Mapping[str, Any]
    covered: Cost | None = None
    name: str | None = None

    @property
    def dataset(self) -> Dataset:
        """What is asked."""
        return self.resolved[0].dataset

    @property
    def to_charge(self) -> tuple[str, str, Mapping[str, Any], Cost, str | None]:
        """What `Ledger.reserve` takes."""
        price = self.calibration.price if self.covered is None else Cost()
        return self.dataset.name, self.analyst, self.statement, price, self.name


@dataclass(frozen=True)
class Released(Result):
    """A batch of answers that were paid together, with what a certificate needs."""

    answers: tuple[QueryAnswer, ...]
    statement: Mapping[str, Any]
    stored: Mapping[str, Any]
    charge: Charge
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
