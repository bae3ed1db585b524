r"""An answer in words: what was asked, who is protected, what it means.

What a cost means comes from the theorems (`twoworlds.theorems.promise`): first how often a guess at
even odds is right, then odds and beliefs. What is left of a budget in zCDP is compared at the delta
`STATED_DELTA`, by conversion.

`AnswerContext` is what stands around an answer: its price, what is left, who is protected, where
it is recorded.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from itertools import product
from typing import TYPE_CHECKING, Any

from twoworlds.numbers import Number, counted, decimal, show, to_json
from twoworlds.release.answers.cells import (
    LONGEST_KEY,
    MOST_DISCOVERED,
    excluded,
    group_label,
)
from twoworlds.release.answers.estimates import Estimator
from twoworlds.release.budget import Cap, ComposedCost, Spent
from twoworlds.release.costs import Cost, zcdp_to_epsilon
from twoworlds.release.policy.model import (
    ENDLESS,
    Dataset,
    Neighbours,
    Unit,
    grouped,
    shown_value,
)
from twoworlds.release.query.conditions import (
    All,
    AnyOf,
    Compare,
    Condition,
    Missing,
    Not,
    OneOf,
)
from twoworlds.release.query.model import Aggregate, GroupAxis
from twoworlds.release.query.resolve import Resolved, SummedMeasure
from twoworlds.release.sensitivity.contributions import between_the_grid, reachable

if TYPE_CHECKING:
    from twoworlds.charts import Icons
    from twoworlds.theorems import Guarantee

STATED_DELTA = Fraction(1, 10**6)
_LISTED = 5
_HUGE = 1000  # an epsilon whose exponential nobody reads


def asked(resolved: Resolved) -> str:
    """Say what was asked."""
    query = resolved.query
    what = _listed([_aggregate(each) for each in query.aggregates])
    empty = {*excluded(resolved)}
    every = product(*map(range, resolved.shape)) if empty else ()
    left = [*zip(*(cell for cell in every if cell not in empty), strict=True)]  # along each axis
    by = _listed([_axis(axis, {*left[i]} if left else ()) for i, axis in enumerate(resolved.axes)])
    where = "" if query.condition is None else f", where {condition_text(query.condition)}"
    return printable(f"Asked of {query.dataset}: {what}{f', by {by}' if by else ''}{where}.")


def protected(dataset: Dataset) -> str:
    """Say whose data is protected, and which two worlds are compared."""
    unit, neighbours = dataset.unit, dataset.neighbours
    who = "row" if unit.person is None else "person"
    worlds = f"We compare the data with and without any one {who} ({neighbours})."
    if neighbours == "substitute":
        worlds = f"We compare the data with any one {who} and with another in its place"
        worlds += f" ({neighbours})."
        worlds += " How many rows there are is public." if unit.person is None else ""
    if unit.person is None:
        return (
            f"Each row is protected. {worlds} Somebody with several rows is protected for each of "
            "them, not for all together."
        )
    return (
        f"Each person, told apart by {unit.person!r}, is protected with all their rows. {worlds} "
        f"A query uses at most {counted(unit.rows, 'row')} of a person, in at most "
        f"{counted(unit.groups, 'group')}, and leaves out the others."
    )


def unit_text(dataset: Dataset) -> str:
    """Say whose data the costs of a dataset are about, as the ledger keeps it."""
    unit = dataset.unit
    if unit.person is None:
        return f"rows, by {dataset.neighbours}"
    return (
        f"people by {unit.person!r} (at most {unit.rows} rows, {unit.groups} groups), "
        f"by {dataset.neighbours}"
    )


def related(unit: str | None) -> str | None:
    """Return the neighbour relation of what `unit_text` says."""
    return None if unit is None else unit.rpartition(", by ")[2]


def learned(
    name: str, unit: str | None, cap: Cap | None, spent: Spent, *, released: bool
) -> dict[str, str | None]:
    """Say what everything released from a dataset lets anyone learn: so far, and at the most.

    All of it holds for every adaptive choice of queries and costs (`twoworlds.release.budget`).

    Args:
        name: Of the dataset.
        unit: Whose data the costs are about (`unit_text`), if that is known.
        cap: Of the dataset, if it has one.
        spent: What was paid.
        released: Whether anything was paid for at all.
    """
    about = related(unit)
    dataset, so_far, whole = printable(name), "", None
    if cap is None or not released:
        so_far = f"Nothing has been released from {dataset} so far."
    else:
        so_far = _so_far(dataset, cap, spent, about)
    if cap is not None and cap.rule(spent) is None:  # it was lowered
        whole = f"More than the whole budget of {dataset} is spent: nothing more can be charged."
    elif cap is not None:
        whole = f"If the whole budget of {dataset} is spent: {_going_on(_guessed(cap.most, about))}"
    row = unit is not None and unit.startswith("rows,")
    you = None if unit is None else _you(person=not row)
    return {"so_far": so_far, "whole_budget": whole, "you": you}


def together(cap: Cap, spent: Spent) -> tuple[Cost | None, bool]:
    """Return what bounds all that was released, and whether it is the promise of the whole budget.

    None where more was spent than the budget now allows, and only the budget would promise.
    """
    found, most = cap.so_far(spent), cap.most
    promised = zcdp_to_epsilon(most.rho, STATED_DELTA) if most.rho else most.epsilon
    if cap.rule(spent) is not None and (found is None or found.epsilon > promised):
        return most, True
    return found, False


def _so_far(name: str, cap: Cap, spent: Spent, about: str | None) -> str:
    everything = f"Everything released from {name} so far, together"
    found, whole = together(cap, spent)
    if found is None:
        return (
            f"More was spent on {name} than its budget now allows. So the budget promises nothing "
            "about what was released before it was set."
        )
    if whole:
        return (
            f"{everything}, stays within its budget, if that was set before the first release: "
            f"{_going_on(_guessed(found, about))}"
        )
    allowed = ", with all of the delta that its budget allows" if found.delta else ""
    return f"{everything}{allowed}: {_going_on(_guessed(found, about))}"


def _guessed(cost: Cost, about: str | None) -> str:
    """Say in a sentence what a cost lets those guess who know all others, of tables if unknown."""
    from twoworlds.definitions.words import Subject, protection
    from twoworlds.theorems.promise import guess_of
    from twoworlds.worlds import EXPLICIT

    if max(cost.epsilon, cost.rho) > _HUGE:
        nothing = f"{cost.shown()} promises nothing"
        return f"{nothing}: someone guessing may get practically everybody right."
    chance = guess_of(guarantee_of(cost))
    if chance is None:
        return f"{cost.shown()} promises nothing."
    return protection(Subject.of(1, about or EXPLICIT), chance, cost.delta)


def guess_data(cost: Cost, about: str | None) -> dict[str, Any]:
    """Return the chance of a right guess at even odds that a cost allows, and the sentence.

    >>> from twoworlds.release.costs import parse_cost
    >>> guess_data(parse_cost("0"), "add-remove")["chance"]["exact"]
    '1/2'
    """
    chance = None if max(cost.epsilon, cost.rho) > _HUGE else guess(cost)
    return {
        "chance": to_json(Fraction(1) if chance is None else chance),
        "words": _guessed(cost, about),
    }


def strength_of(cost: Cost) -> str:
    """Return the word for the protection that a cost leaves: strong, moderate, weak or none.

    A delta above 1/1000 leaves none, which a guess hardly shows.

    >>> from twoworlds.release.costs import parse_cost
    >>> [strength_of(parse_cost(cost)) for cost in ("2", "3", "5000", "epsilon=1, delta=1/2")]
    ['moderate', 'weak', 'none', 'none']
    """
    from twoworlds.definitions.words import RARE, strength

    huge = max(cost.epsilon, cost.rho) > _HUGE or cost.delta > RARE
    chance = None if huge else guess(cost)
    return "none" if chance is None else strength(chance)


def _going_on(sentence: str) -> str:
    """Return a sentence as it goes on after a colon."""
    return sentence[:1].lower() + sentence[1:]


def meaning(cost: Cost, dataset: Dataset, *, strategy: bool = False) -> list[str]:
    """Say what a cost means to one person: a guess first, then odds; or what a strategy's does."""
    first, *more = _meaning(cost, dataset.unit, dataset.neighbours)
    if strategy:
        whole = f"All questions of the strategy together cost at most {cost.shown()}"
        first = f"{whole}: {_going_on(first)}"
    return [first, *more]


@lru_cache(maxsize=256)  # a service says the same of most answers
def _meaning(cost: Cost, unit: Unit, neighbours: Neighbours) -> tuple[str, ...]:
    from twoworlds.theorems.promise import sentences

    return *sentences(guarantee_of(cost, neighbours)), _you(person=unit.person is not None)


def guess(cost: Cost) -> Number | None:
    """Return the chance of a right guess at even odds that a cost allows."""
    from twoworlds.theorems.promise import guess_of

    return guess_of(guarantee_of(cost))


def guess_chart(chance: Number | None, words: str) -> Iterator[Icons]:
    """Chart a guess, where one is bounded."""
    from twoworlds.definitions.words import icons

    if chance is not None:
        yield icons(chance, words)


def guarantee_of(cost: Cost, neighbours: Neighbours = "substitute") -> Guarantee:
    """Return a cost as a guarantee."""
    from twoworlds.theorems import Guarantee

    if cost.rho:
        return Guarantee.of("zcdp", rho=cost.rho, neighbours=neighbours)
    return Guarantee.of("dp", epsilon=cost.epsilon, delta=cost.delta, neighbours=neighbours)


def accuracy(column: Estimator) -> str:
    """Say what the error of a column is worth."""
    name = printable(column.name)
    match column.certainty:
        case "exact":
            worth = "exact, without noise, because no single unit can change it"
        case "95%":
            worth = "95% interval from the exact law of the noise"
        case "at least 95%":
            worth = "the interval holds with probability at least 95% in a group that is not empty"
        case _:
            worth = (
                "with probability at least 95% its rank is at most "
                f"{decimal(column.ranks or Fraction(0), 4)} further from the wanted one than that "
                "of the best value of the grid"
            )
    return f"{name}: {worth}."


def notes(resolved: Resolved) -> list[str]:
    """Say what bounds and limits do to rows before they are added up, and what is not shown.

    All of it follows from the query and the policy; nothing depends on the data.
    """
    found = [*_bounds(resolved), *_in_no_group(resolved), *left_out(resolved)]
    found += between_words(resolved)
    unit = resolved.dataset.unit
    if unit.person is not None:
        found.append(
            printable(
                f"All of this is about at most {counted(unit.rows, 'row')} of each person, and "
                f"none whose {unit.person} is missing: intervals say nothing about the rows that "
                "are left out."
            )
        )
    if resolved.discovers:
        found.append(
            "Keys are shown when their noisy count reaches a threshold. At most the "
            f"{MOST_DISCOVERED:,} largest groups are shown, and no key of more than "
            f"{LONGEST_KEY} bytes. Keys near the threshold are shown only if their noise was "
            "large. So their counts are too large on average, and their intervals hold less often "
            "than stated. Far above the threshold this does not matter."
        )
    return found


def between_words(resolved: Resolved) -> Iterator[str]:
    """Say which quantiles have nothing to choose by."""
    for name in between_the_grid(resolved):
        yield printable(
            f"{name} may be any value of the grid, whatever is spent: the conditions leave only "
            "values between two neighbours of it. Ask with wider conditions, or let the policy "
            "declare a finer grid."
        )


def _bounds(resolved: Resolved) -> Iterator[str]:
    """Say which values the bounds change, and what becomes of missing ones, once for each column.

    A column has a sentence for each of its bounds.
    """
    means = {a.column for a in resolved.query.aggregates if a.kind == "mean"}
    found: dict[tuple[Any, ...], set[str]] = {}
    for one in resolved.measures:
        if one.kind in ("total", "squares", "ranks"):
            known = one.column, one.low * one.unit, one.high * one.unit
            found.setdefault(known, set()).update(_missing(resolved, one))
    for (column, *ends), missing in found.items():
        low, high = map(grouped, ends)
        mean = ", and a mean near a bound may be the bound, not the data" if column in means else ""
        yield printable(
            f"Values of {column} below {low} count as {low}, and values above {high} as {high}: "
            f"what lies beyond does not show{mean}.{''.join(missing)}"
        )


def _missing(resolved: Resolved, measure: SummedMeasure) -> Iterator[str]:
    """Say what missing values count as, where a row that has none can count."""
    only = Missing(str(measure.column))
    where = only if measure.where is None else All((measure.where, only))
    if reachable(resolved, SummedMeasure("rows", where=where)):
        count = "are left out"
        if measure.fill is not None:
            count = f"count as {grouped(measure.fill * measure.unit)}"
        yield f" Missing values {count}."


def _in_no_group(resolved: Resolved) -> Iterator[str]:
    """Say which rows no group takes."""
    for axis in resolved.axes:
        if axis.other:
            continue
        which = "missing"
        if axis.bins:
            which = f"below {grouped(axis.bins[0])}, above {grouped(axis.bins[-1])} or missing"
        elif axis.keys:
            which = "none of the keys, or missing,"
        elif resolved.dataset.column(axis.column).kind == "number":
            which = "missing, infinite or not a number"
        yield printable(f"Rows whose {axis.column} is {which} are in no group.")


def left_out(resolved: Resolved) -> Iterator[str]:
    """Name the groups that the conditions exclude."""
    empty = excluded(resolved)
    if not empty:
        return
    axes = resolved.axes
    names = [
        ", ".join(group_label(axis, part) for axis, part in zip(axes, cell, strict=True))
        for cell in empty[: len(empty) if len(empty) == _LISTED + 1 else _LISTED]
    ]
    more = len(empty) - len(names)
    names += [f"{more:,} more"] if more else []
    groups = "this group" if len(empty) == 1 else "these groups"
    yield printable(
        f"Left out: {_listed(names, '; ' if len(axes) > 1 else ', ')}. The conditions leave no "
        f"rows in {groups}, whatever the data hold."
    )


def price(context: AnswerContext) -> str:
    """Say what was paid and what is left."""
    if context.covered:
        paid = f"Covered by a strategy that cost {context.cost.shown()}."
    elif context.paid == Cost() != context.cost:
        before = "repeats a stored answer that cost" if context.stored else "was paid for before:"
        paid = f"This {before} {context.cost.shown()}; you pay nothing more."
    else:
        paid = f"Paid: {context.paid.shown()}."
    left = accounts_text(context.left)
    said = f"{paid} Left: {left}." if left else paid
    ends = "" if context.kept else " This budget ends with its curator: give ledger= to keep it."
    return printable(f"{said}{_spent(context)}{ends}")


def accounts_text(left: Mapping[str, Cost]) -> str:
    """Say what is left of each account; where no analyst is named, that of the dataset."""
    from twoworlds.release.ledger.views import SOLE_ANALYST

    said = {account: cost.shown("at least") for account, cost in left.items()}
    if len({*said.values()}) == 1 < len(said):
        said.pop(SOLE_ANALYST, None)
    return "; ".join(f"{account} {cost}" for account, cost in said.items())


def _spent(context: AnswerContext) -> str:
    """Name the rule by which costs add up, where a budget has more than one."""
    accounts: dict[str, list[str]] = {}
    for account, used in context.spent.items():
        if len(used.all) > 1:
            accounts.setdefault(used.shown(), []).append(account)
    return "".join(
        f" Spent so far ({', '.join(names)}): {used}." for used, names in accounts.items()
    )


def printable(text: str) -> str:
    r"""Write out what cannot be printed, such as line breaks and the escapes of terminals.

    >>> print(printable("a\tb"))
    a\tb
    """
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


def condition_text(condition: Condition) -> str:
    """Write a condition as a person would.

    >>> condition_text(All((Compare("age", ">=", Fraction(18)), Not(Missing("income")))))
    'age >= 18 and income has a value'
    """
    match condition:
        case Compare(column, operator, value):
            return f"{column} {operator} {_constant(value)}"
        case OneOf(column, values):
            return f"{column} is one of {_listed([_constant(value) for value in values])}"
        case Missing(column):
            return f"{column} is missing"
        case Not(Missing(column)):
            return f"{column} has a value"
        case Not(part):
            return f"not ({condition_text(part)})"
        case All(parts):
            return " and ".join(_bracketed(part) for part in parts)
        case AnyOf(parts):
            return " or ".join(_bracketed(part) for part in parts)


def _you(*, person: bool) -> str:
    if person:
        return "Here you are one person, and your record is all your rows."
    return "Here you are one row, and your record is that row."


def _aggregate(aggregate: Aggregate) -> str:
    of = "" if aggregate.column is None else f" of {aggregate.column}"
    match aggregate.kind:
        case "count":
            what = "the number of rows" + (f" with a value of {aggregate.column}" if of else "")
        case "people":
            what = "the number of people"
        case "quantile":
            at = Fraction(0) if aggregate.at is None else aggregate.at
            what = f"the median{of}" if at == Fraction(1, 2) else f"the quantile {at}{of}"
        case kind:
            what = f"the {kind}{of}"
    if aggregate.between is not None:
        what += f" between {show(aggregate.between[0])} and {show(aggregate.between[1])}"
    return what if aggregate.where is None else f"{what} where {condition_text(aggregate.where)}"


def _axis(axis: GroupAxis, left: Collection[int]) -> str:
    """Say by what rows are grouped, and in which groups; those that are left, if some are not."""
    if axis.discover:
        return f"{axis.column} (keys that enough people share)"
    shown = sorted(left or range(axis.size))
    if len(shown) > _LISTED:
        of = "" if len(shown) == axis.size else f" of {axis.size:,}"
        return f"{axis.column} ({len(shown):,}{of} groups)"
    return f"{axis.column} ({', '.join(group_label(axis, i) for i in shown)})"


def _constant(value: object) -> str:
    if isinstance(value, Fraction) and abs(value) >= ENDLESS:
        return grouped(Fraction(round(value)))
    return repr(value) if isinstance(value, str) else shown_value(value)  # type: ignore[arg-type]


def _bracketed(part: Condition) -> str:
    text = condition_text(part)
    return f"({text})" if isinstance(part, (All, AnyOf)) and len(part.parts) > 1 else text


def _listed(items: list[str], between: str = ", ") -> str:
    if len(items) < 2:
        return "".join(items)
    return f"{between.join(items[:-1])} and {items[-1]}"


@dataclass(frozen=True)
class AnswerContext:
    """The circumstances of an answer.

    Attributes:
        cost: What the answer costs, together with the others of its batch.
        paid: What the analyst paid this time: nothing when a stored answer is repeated to them.
        left: What is left, by account: of the dataset, and of the analyst; ``spent`` likewise.
        entry: The hash of the ledger's entry, None without a ledger.
        covered: Whether the price was paid for a strategy, of which this is one question.
        account: The cap of the dataset and what is spent of it; None without a ledger.
        stored: Whether the answer was stored before; a charge may have been left without one.
        kept: Whether the budget outlives the curator.
    """

    dataset: Dataset
    cost: Cost
    paid: Cost
    left: Mapping[str, Cost] = field(default_factory=dict)
    spent: Mapping[str, ComposedCost] = field(default_factory=dict)
    entry: str | None = None
    covered: bool = False
    account: tuple[Cap, Spent] | None = None
    stored: bool = True
    kept: bool = True

    @property
    def learned(self) -> dict[str, str | None]:
        """What everything released from the dataset lets anyone learn; nothing without a ledger."""
        if self.account is None:
            return {}
        one = self.dataset
        return learned(one.name, unit_text(one), *self.account, released=True)

    @property
    def repeated(self) -> bool:
        """Whether nothing was paid because the answer was paid for and stored before."""
        return self.stored and not self.covered and self.paid == Cost() != self.cost

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        unit = self.dataset.unit
        person = {"person": unit.person, "rows": unit.rows, "groups": unit.groups}
        return {
            "cost": self.cost.to_dict(),
            "paid": self.paid.to_dict(),
            "repeated": self.repeated,
            "left": {account: cost.to_dict() for account, cost in self.left.items()},
            "spent": {account: used.to_dict() for account, used in self.spent.items()},
            "neighbours": self.dataset.neighbours,
            "unit": {"row": True} if unit.person is None else person,
            "version": self.dataset.version,
            "entry": self.entry,
        }
