"""Questions on their way through the curator: prepared, then paid, then answered.

A question is one batch of queries that is paid together. Several questions, of several analysts,
may go the way together: each is charged on its own, and all of them wait for the disk together.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from twoworlds.release.budget import Cost
from twoworlds.release.ledger.ledger import Asked
from twoworlds.release.policy import Dataset
from twoworlds.release.query import Query, Resolved
from twoworlds.release.sensitivity import Calibration

if TYPE_CHECKING:
    from twoworlds.release.answers import Answer
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
class Released:
    """A batch of answers that were paid together, with what a certificate needs."""

    answers: tuple[Answer, ...]
    statement: Mapping[str, Any]
    stored: Mapping[str, Any]
    reservation: Reservation
    calibration: Calibration

    def _repr_html_(self) -> str:
        """Show the answers in a notebook."""
        return "".join(answer._repr_html_() for answer in self.answers)
