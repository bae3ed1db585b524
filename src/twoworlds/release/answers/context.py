"""What stands around an answer: its price, what is left, who is protected, where it is recorded."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from twoworlds.release.budget import Composition, Cost
from twoworlds.release.policy.model import Dataset, Neighbours, Unit

__all__ = ["Context"]


@dataclass(frozen=True)
class Context:
    """The circumstances of an answer.

    Attributes:
        cost: What the answer costs, together with the others of its batch.
        paid: What the analyst paid this time: nothing when a stored answer is repeated to them.
        neighbours: Which two worlds are compared.
        unit: Whose data is protected.
        version: Of the data.
        left: What is left to be spent, by account: of the dataset, and of the analyst.
        entry: The hash of the ledger's entry, None without a ledger.
        covered: Whether the price was paid for a strategy, of which this is one question.
        spent: What was spent so far, by account, with the rule by which it adds up.
        charges: How many charges of the dataset that is; None without a ledger.
    """

    cost: Cost
    paid: Cost
    neighbours: Neighbours
    unit: Unit
    version: str
    left: Mapping[str, Cost] = field(default_factory=dict)
    entry: str | None = None
    covered: bool = False
    spent: Mapping[str, Composition] = field(default_factory=dict)
    charges: int | None = None

    @staticmethod
    def of(
        dataset: Dataset,
        cost: Cost,
        *,
        paid: Cost | None = None,
        left: Mapping[str, Cost] | None = None,
        entry: str | None = None,
        covered: bool = False,
        spent: Mapping[str, Composition] | None = None,
        charges: int | None = None,
    ) -> Context:
        """Take from a dataset what it declares; by default the whole cost was paid."""
        return Context(
            cost,
            cost if paid is None else paid,
            dataset.neighbours,
            dataset.unit,
            dataset.version,
            {} if left is None else dict(left),
            entry,
            covered,
            {} if spent is None else dict(spent),
            charges,
        )

    @property
    def repeated(self) -> bool:
        """Whether nothing was paid because the answer had been paid before."""
        return not self.covered and self.paid != self.cost and self.paid == Cost()

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        unit = self.unit
        person = {"person": unit.person, "rows": unit.rows, "groups": unit.groups}
        return {
            "cost": self.cost.to_dict(),
            "paid": self.paid.to_dict(),
            "repeated": self.repeated,
            "left": {account: cost.to_dict() for account, cost in self.left.items()},
            "spent": {account: used.to_dict() for account, used in self.spent.items()},
            "neighbours": self.neighbours,
            "unit": {"row": True} if unit.person is None else person,
            "version": self.version,
            "entry": self.entry,
        }
