"""A dry run: what a release would cost and how exact it would be, before anything is paid."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from twoworlds.answer import Answer, Said
from twoworlds.charts import Bars
from twoworlds.numbers import decimal, to_json
from twoworlds.release.answers import Expected, expected_errors
from twoworlds.release.answers.words import asked, meaning, protected
from twoworlds.release.budget import Cost
from twoworlds.release.ledger.state import PaidQuery
from twoworlds.release.query import Resolved
from twoworlds.release.sensitivity import Calibration
from twoworlds.release.values import grouped
from twoworlds.show import Result

__all__ = ["Covered", "DryRun"]

Covered = Literal["asked before", "next question"]  # of a strategy
_SIZES = (100, 1000)  # of groups, at which the errors of means and variances are shown


@dataclass(frozen=True)
class DryRun(Result):
    """What a release would cost now.

    Attributes:
        resolved: The queries.
        calibration: The noise that they would get.
        price: What the analyst would be charged: nothing, if they paid for the same before.
        left: What is left of each account before.
        covered: How a strategy covers it, if it is a question of one.
        known: The charge of the dataset for the same, by whomever, if there is one.
    """

    resolved: tuple[Resolved, ...]
    calibration: Calibration
    price: Cost
    left: dict[str, Cost]
    covered: Covered | None = None
    known: PaidQuery | None = None

    @property
    def stored(self) -> bool:
        """Whether the answer is stored already, and would be repeated."""
        return self.known is not None and self.known.answer is not None

    def errors(self, size: int | None = None) -> list[tuple[Expected, ...]]:
        """Return the errors to be expected of every query, in groups of a size where it matters."""
        return [
            expected_errors(one, self.calibration, size=size, query=i)
            for i, one in enumerate(self.resolved)
        ]

    def answer(self) -> Answer:
        """Say what it would cost, how exact it would be, and what it means."""
        one = self.resolved[0].dataset
        blocks: list[Said | Bars] = []
        for i, part in enumerate(self.resolved):
            both = zip(*(self.errors(size)[i] for size in _SIZES), strict=True)
            blocks.append(
                Said((asked(part), *(f"  {_said(small, large)}" for small, large in both)))
            )
        lines = self.calibration.explain().splitlines()
        means = " ".join(meaning(self.calibration.price, one.unit, one.neighbours))
        blocks.append(Said((*lines, protected(one.unit, one.neighbours)), quiet=True))
        blocks.append(Said([means]))
        zcdp = self.price.kind == "zcdp"
        left = {f"left of {account}": cost for account, cost in self.left.items()}
        costs = {
            name: cost.rho if zcdp else cost.epsilon
            for name, cost in {"this release": self.price, **left}.items()
        }
        title = "rho" if zcdp else "epsilon"
        blocks.append(Bars(title, costs, share=False, orange=["this release"]))
        return Answer(self._headline(), blocks=blocks)

    def fields(self) -> dict[str, Any]:
        """Return the costs, the errors to be expected, and what they mean."""
        one = self.resolved[0].dataset
        return {
            "dry_run": True,
            "cost": self.calibration.cost.to_dict(),
            "price": self.price.to_dict(),
            "covered": self.covered,
            "stored": self.stored or self.covered == "asked before",
            "left": {account: cost.to_dict() for account, cost in self.left.items()},
            "neighbours": one.neighbours,
            "sensitivity": {
                "whole": to_json(self.calibration.joint),
                "sum_of_parts": to_json(self.calibration.naive),
            },
            "errors": [[_data(each) for each in part] for part in self.errors(_SIZES[-1])],
            "meaning": meaning(self.calibration.price, one.unit, one.neighbours),
        }

    def _headline(self) -> str:
        left = "; ".join(
            f"{account} {cost.shown('at least')}" for account, cost in self.left.items()
        )
        if self.covered == "asked before":
            return f"Already asked: the stored answer, nothing more. Left: {left}."
        if self.covered is not None:
            return f"The strategy covers it, and nothing more would be charged. Left: {left}."
        if self.calibration.price == Cost():
            return f"It is free: nobody can move it. Left: {left}."
        if self.price == Cost():
            given = "the stored answer" if self.stored else "it was not answered"
            return f"It was paid before ({given}): it would cost nothing. Left: {left}."
        cost = f"It would cost {self.price.shown()}"
        if self.known is not None:
            given = ", whose stored answer would be repeated" if self.stored else ""
            paid = self.resolved[0].dataset.name
            cost += f" of {[*self.left][-1]}, and nothing of {paid}: it has paid{given}"
        return f"{cost}. Left before: {left}. Nothing was charged."


def _said(small: Expected, large: Expected) -> str:
    if small.ranks is not None:
        return (
            f"{small.name}: off by at most {decimal(small.ranks, 4)} ranks, {small.certainty.value}"
        )
    if small.half_width == 0:
        return f"{small.name}: exact"
    if not small.needs_size:
        return f"{small.name}: {_within(small)}"
    return (
        f"{small.name}: {_within(small)} in groups of {small.size}, {_within(large)} in groups of "
        f"{large.size}"
    )


def _within(expected: Expected) -> str:
    if expected.half_width is None:
        return "no bound"
    half = expected.half_width
    within = grouped(half) if half.denominator == 1 else decimal(half, 4)
    return f"within {within} ({expected.certainty.value})"


def _data(expected: Expected) -> dict[str, Any]:
    return {
        "name": expected.name,
        "kind": expected.kind,
        "half_width": None if expected.half_width is None else to_json(expected.half_width),
        "ranks": None if expected.ranks is None else to_json(expected.ranks),
        "group_size": expected.size if expected.needs_size else None,
        "certainty": expected.certainty.value,
    }
