r"""The forms of a release, each made from the one before by one function of the curator.

    Request    what was asked: queries or SQL, cost, analyst, noise
    Prepared   resolved queries, noise, plans, statement: from policy, request and schema alone
    Charge     what the ledger wrote, durable, or the stored answer (`twoworlds.release.ledger`)
    Released   the noisy answers, with what a certificate needs

One request is a batch of queries that is paid together: for one cost, or with an epsilon for each
query (`twoworlds.release.sensitivity.fixed`). Several requests, of several analysts, may
go the way together: each is charged on its own, and all of them wait for the disk together.

A `DryRun` says what a release would cost and how exact it would be, before anything is paid.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from math import ceil
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from twoworlds.answer import Answer, Block, Said
from twoworlds.charts import Bars
from twoworlds.errors import InvalidInput
from twoworlds.numbers import Number, decimal, to_json
from twoworlds.release.answers import Expected, expected_errors
from twoworlds.release.answers.cells import declared, excluded, group_label
from twoworlds.release.answers.estimates import EXACT
from twoworlds.release.answers.words import (
    accounts_text,
    asked,
    guess,
    guess_chart,
    meaning,
    price,
    printable,
    protected,
)
from twoworlds.release.costs import Cost
from twoworlds.release.ledger.entries import canonical, digest
from twoworlds.release.ledger.state import LedgerState, PaidQuery, Proposal
from twoworlds.release.policy import Dataset
from twoworlds.release.query import Query, Resolved
from twoworlds.release.sensitivity import Calibration, NoiseKind
from twoworlds.release.warnings import ReleaseWarning, warnings
from twoworlds.show import Result
from twoworlds.show.saving import Column, Columns, Kind, together

if TYPE_CHECKING:
    from twoworlds.release.answers import QueryAnswer
    from twoworlds.release.backends import Backend
    from twoworlds.release.ledger import Charge
    from twoworlds.release.plan import Plan


class Request(NamedTuple):
    """What is asked; see `Curator.release_all`, which takes the same."""

    asked: Sequence[Query | str]
    cost: object
    analyst: str | None = None
    noise: NoiseKind = "laplace"


@dataclass(frozen=True)
class Prepared:
    """A request that can be charged and answered: queries, noise, engine, plans and statement.

    ``covered`` is what was paid already for the strategy of which this is a question, and ``name``
    the name under which the ledger takes that once.
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


def check_approved(state: LedgerState, prepared: Prepared) -> None:
    """Refuse a release that no reviewer has approved; an approval is never taken back."""
    name, who = prepared.dataset.name, prepared.analyst
    wanted = digest(canonical(prepared.statement, "query"))
    paid = state.find(name, who, wanted, None)
    if paid is not None and who in paid.analysts:
        return
    known = state.proposed.get((name, who, wanted))
    if known is not None and known.approved:
        return
    if known is None:
        stands = "and this one was not proposed: propose it, with --propose 'what it is for', "
        stands += "or in Python with Curator.propose(query, cost, purpose='what it is for')"
    elif known.approved is None:
        stands = f"and proposal {known.place.sequence} waits for a reviewer"
    else:
        stands = (
            f"and proposal {known.place.sequence} was sent back: change it as the remark says, "
            "and propose it again"
        )
    raise InvalidInput(
        f"the policy asks for a review of every release from {name!r}, {stands}; nothing was "
        "charged"
    )


@dataclass(frozen=True, repr=False)
class Released(Result):
    """A batch of answers that were paid together, with what a certificate needs."""

    answers: tuple[QueryAnswer, ...]
    statement: Mapping[str, Any]
    stored: Mapping[str, Any]
    charge: Charge
    calibration: Calibration

    again = "it is paid for and stored: the same command again gives it, at no further cost"

    def answer(self) -> Answer:
        """Say what was asked and what came out; then, once, what all of it means and cost."""
        first, *others = self.answers
        blocks = [*first.blocks()]
        for one in others:
            blocks += [Said([one.heading()]), *one.blocks()]
        noise = _noise_lines(self.calibration, strategy=first.context.covered)
        means, *more = first.meaning()
        blocks += [Said([means]), Said([first.protection(), *noise], quiet=True)]
        blocks += [Said([price(first.context)]), *guess_chart(first.guess, means)]
        return Answer(first.heading(), blocks=blocks, more=(Said(more),))

    def to_columns(self) -> Columns:
        """Return the table of the answer; those of several queries as one, by their numbers."""
        if len(self.answers) == 1:
            return self.answers[0].to_columns()
        return together([one.to_columns() for one in self.answers], "query")

    def fields(self) -> dict[str, Any]:
        """Return the answers, and how a batch fixed in advance was priced."""
        return {"answers": self.answers, **_batch(self.calibration)}


Covered = Literal["asked before", "next question"]  # of a strategy
_LARGE = 1000  # an error from here on is said in whole numbers
_SIZES = (100, 1000)  # of groups, at which the errors of means and variances are shown


@dataclass(frozen=True, repr=False)
class DryRun(Result):
    """What a release would cost now.

    Attributes:
        price: What the analyst would be charged: nothing, if they paid for the same before.
        left: What is left of each account before, and ``after``, what would be left then.
        covered: How a strategy covers it, if it is a question of one, which cost ``strategy``.
        planned: What would be proposed of it, and ``statement``, what the ledger would keep.
        known: The charge of the dataset for the same, by whomever, if there is one.
        proposal: What the analyst proposed of the same, last, if anything.
    """

    resolved: tuple[Resolved, ...]
    calibration: Calibration
    price: Cost
    left: dict[str, Cost]
    after: dict[str, Cost]
    covered: Covered | None = None
    known: PaidQuery | None = None
    strategy: Cost | None = None
    proposal: Proposal | None = None
    planned: Proposal | None = None
    statement: Mapping[str, Any] = field(default_factory=dict)

    @property
    def stored(self) -> bool:
        """Whether the answer is stored already, and would be repeated."""
        return self.known is not None and self.known.answer is not None

    @cached_property
    def warnings(self) -> tuple[ReleaseWarning, ...]:
        """What looks like a mistake, by the queries, the policy and the ledger alone."""
        if self.stored or self.covered == "asked before":
            return ()
        found = warnings(self.resolved, self.calibration, self.price, self.left, self.after)
        known = self.proposal
        if known is None or known.approved is not False:
            return found
        said = f"Proposal {known.place.sequence} for it was sent back by {known.reviewer}."
        return ReleaseWarning("review", printable(said)), *found

    def cells(self) -> list[list[str] | None]:
        """Return the groups of each query by name, as its answer will show them; None if open."""
        return [
            None
            if one.discovers
            else [
                ", ".join(map(group_label, one.axes, cell)) or "all"
                for cell in declared(one)
                if cell not in {*excluded(one)}
            ]
            for one in self.resolved
        ]

    def errors(self, size: int | None = None) -> list[tuple[Expected, ...]]:
        """Return the errors to be expected of every query, in groups of a size where it matters."""
        return [
            expected_errors(one, self.calibration, size=size, query=i)
            for i, one in enumerate(self.resolved)
        ]

    def expectations(self) -> Iterator[Said]:
        """Say what would be asked, and how exact the answers would be."""
        for i, part in enumerate(self.resolved):
            both = zip(*(self.errors(size)[i] for size in _SIZES), strict=True)
            yield Said((asked(part), *(f"  {_said(small, large)}" for small, large in both)))

    def answer(self) -> Answer:
        """Say what it would cost, how exact it would be, and what it means."""
        one = self.resolved[0].dataset
        blocks: list[Block] = []
        if self.warnings:
            blocks.append(Said([f"Warning: {one.words}" for one in self.warnings]))
        blocks += self.expectations()
        lines = _noise_lines(self.calibration, strategy=self.strategy is not None)
        means, *more = self._meaning()
        blocks.append(Said((*lines, protected(one)), quiet=True))
        blocks.append(Said([means]))
        zcdp = self.price.kind == "zcdp"
        left = {f"left of {account}": cost for account, cost in self.left.items()}
        costs = {
            name: cost.rho if zcdp else cost.epsilon
            for name, cost in {"this release": self.price, **left}.items()
            if zcdp == bool(cost.rho)
        }
        title = "rho" if zcdp else "epsilon"
        blocks.append(Bars(title, costs, share=False, orange=["this release"]))
        blocks += guess_chart(self._guess, means)
        return Answer(self._headline(), blocks=blocks, more=(Said(more),))

    def to_columns(self) -> Columns:
        """Return the errors to be expected, a row for each aggregate."""
        kinds: dict[str, Kind] = {
            "name": "text",
            "half_width": "number",
            "ranks": "number",
            "size": "integer",
            "certainty": "text",
            "least_group": "integer",
        }
        numbers = [i for i, part in enumerate(self.resolved, 1) for _ in part.query.aggregates]
        rows = [each for part in self.errors(_SIZES[-1]) for each in part]
        found = {name: [getattr(each, name) for each in rows] for name in kinds}
        for name in ("half_width", "ranks"):
            found[name] = [None if x is None else float(x) for x in found[name]]
        columns = {name: Column(kind, found[name]) for name, kind in kinds.items()}
        return {"query": Column("integer", numbers), **columns}

    def fields(self) -> dict[str, Any]:
        """Return the costs, the errors to be expected, and what they mean."""
        one = self.resolved[0].dataset
        return {
            "dry_run": True,
            "cost": self.calibration.cost.to_dict(),
            "price": self.price.to_dict(),
            **_batch(self.calibration),
            "covered": self.covered,
            "stored": self.stored or self.covered == "asked before",
            "left": {account: cost.to_dict() for account, cost in self.left.items()},
            "left_after": {account: cost.to_dict() for account, cost in self.after.items()},
            "neighbours": one.neighbours,
            "sensitivity": {
                "whole": to_json(self.calibration.joint),
                "sum_of_parts": to_json(self.calibration.naive),
            },
            "review": {
                "needed": one.review,
                "proposal": self.proposal and self.proposal.place.sequence,
                "status": self.proposal and self.proposal.status,
            },
            "warnings": [one.to_dict() for one in self.warnings],
            "cells": self.cells(),
            "errors": [[_data(each) for each in part] for part in self.errors(_SIZES[-1])],
            "meaning": self._meaning(),
            "guess": self._guess,
        }

    @property
    def _whole(self) -> Cost:
        return self.calibration.price if self.strategy is None else self.strategy

    @property
    def _guess(self) -> Number | None:
        return guess(self._whole)

    def _meaning(self) -> list[str]:
        dataset = self.resolved[0].dataset
        return meaning(self._whole, dataset, strategy=self.strategy is not None)

    def _headline(self) -> str:
        left, after = accounts_text(self.left), accounts_text(self.after)
        if self.covered == "asked before":
            return f"This was asked before: the stored answer costs nothing more. Left: {left}."
        if self.covered is not None:
            return f"The strategy covers this, and nothing more would be charged. Left: {left}."
        if self.calibration.price == Cost():
            return f"This is free: no one person can change the answer. Left: {left}."
        if self.price == Cost():
            given = "the stored answer" if self.stored else "it was not answered"
            return f"This was paid for before ({given}), so it costs nothing. Left: {left}."
        cost = f"It would cost {self.price.shown()}"
        if self.known is not None:
            given = ", whose stored answer would be repeated" if self.stored else ""
            paid = self.resolved[0].dataset.name
            cost += f" of {[*self.left][-1]}, and nothing of {paid}: it has paid{given}"
        rest = f"Left before: {left}. Left after: {after}."
        return f"{cost}. {rest} Nothing was charged.{self._reviewed()}"

    def _reviewed(self) -> str:
        """Say how its review stands, where there is one or one is needed."""
        known = self.proposal
        if known is not None:
            return f" Proposal {known.place.sequence} for it is {known.status}."
        return " It needs a review first." if self.resolved[0].dataset.review else ""


def _batch(calibration: Calibration) -> dict[str, Any]:
    return {} if calibration.batch is None else {"batch": calibration.batch.to_dict()}


def _noise_lines(calibration: Calibration, *, strategy: bool) -> list[str]:
    """Say what a release costs, or one question of a strategy, and its noise."""
    first, *rest = calibration.explain().splitlines()
    return [calibration.whole_words("This question alone") if strategy else first, *rest]


def _said(small: Expected, large: Expected) -> str:
    if small.certainty == EXACT:
        return f"{small.name}: exact"
    if small.ranks is not None:
        return f"{small.name}: off by at most {_error(small.ranks)} ranks (at least 95%)"
    if not small.needs_size:
        return f"{small.name}: {_within(small)}"
    return (
        f"{small.name}: {_within(small)} in groups of {small.size}, {_within(large)} in groups of "
        f"{large.size}"
    )


def _within(expected: Expected) -> str:
    if expected.half_width is None:
        return "no bound"
    if expected.half_width == 0:
        return f"the true value, with probability at least {expected.certainty.split()[-1]}"
    return f"within {_error(expected.half_width)} ({expected.certainty})"


def _error(x: Fraction) -> str:
    """Write an error, rounded up: a large one in whole numbers, with separators."""
    return f"{ceil(x):,}" if x >= _LARGE or x.denominator == 1 else decimal(x, 4)


def _data(expected: Expected) -> dict[str, Any]:
    return {
        "name": expected.name,
        "kind": expected.kind,
        "half_width": None if expected.half_width is None else to_json(expected.half_width),
        "ranks": None if expected.ranks is None else to_json(expected.ranks),
        "group_size": expected.size if expected.needs_size else None,
        "certainty": expected.certainty,
        "least_group": expected.least_group,
    }
