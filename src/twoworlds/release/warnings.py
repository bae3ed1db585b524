r"""Warnings: what looks like a mistake in a planned release, said before it is paid for.

They are made from the queries, the policy, the noise and what is left in the ledger. No record is
looked at, so that they tell nothing about the data and may be shown to anybody who may ask.

    value    a condition or a group names a value that is no declared key, or lies beyond the bounds
    empty    no row can be selected: by the conditions alone, or if the declarations are right
    groups   the conditions exclude groups, which the answer leaves out
    spend    the release takes more than half of what is left to the dataset, or to the analyst, or
             leaves weak protection or less
    noise    a group of 1,000 rows would be lost in noise, or a quantile falls between two
             neighbours of its grid
    review   a reviewer sent the same release back

A warning is no refusal. Keys and bounds are for grouping and for clamping: the data may hold other
values, and who means them may ask for them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from math import ceil
from typing import Any, Literal, NamedTuple

from twoworlds.errors import UnknownName
from twoworlds.release.answers.estimates import estimators
from twoworlds.release.answers.words import (
    between_words,
    guess_data,
    left_out,
    printable,
    strength_of,
)
from twoworlds.release.costs import Cost, pure_within
from twoworlds.release.policy.model import Column, Value, grouped, shown_value
from twoworlds.release.query import Resolved
from twoworlds.release.query.conditions import Compare, OneOf, leaves
from twoworlds.release.sensitivity import Calibration
from twoworlds.release.sensitivity.contributions import reachable

SHARE = Fraction(1, 2)  # of what is left: to spend more takes a second thought
ROWS = 1000  # a group of so many rows should be seen above the noise
WarningKind = Literal["value", "empty", "groups", "spend", "noise", "review"]


class ReleaseWarning(NamedTuple):
    """What looks like a mistake: its kind (see the module), and a sentence or two."""

    kind: WarningKind
    words: str

    @property
    def confirm(self) -> bool:
        """Whether somebody should say yes before it is paid; groups are left out on purpose."""
        return self.kind != "groups"

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        return {**self._asdict(), "confirm": self.confirm}


def warnings(
    asked: Sequence[Resolved],
    calibration: Calibration,
    price: Cost,
    left: Mapping[str, Cost],
    after: Mapping[str, Cost],
) -> tuple[ReleaseWarning, ...]:
    """Return what looks like a mistake, with what is left before a price is paid and after."""
    found: list[tuple[WarningKind, str]] = []
    for number, one in enumerate(asked):
        found += [("value", words) for words in _values(one)]
        empty = [*_empty(one)]
        found += [("empty", words) for words in empty]
        found += [("groups", words) for words in left_out(one)]
        if not empty:
            found += [("noise", words) for words in between_words(one)]
            found += [("noise", words) for words in _noise(one, calibration, number)]
    told = [ReleaseWarning(kind, printable(words)) for kind, words in dict.fromkeys(found)]
    return *told, *spend_warnings(price, left, after, asked[0].dataset.neighbours)


def spend_warnings(
    price: Cost, left: Mapping[str, Cost], after: Mapping[str, Cost], neighbours: str
) -> tuple[ReleaseWarning, ...]:
    """Return the warning of a price that takes too much of what is left, or protects too little."""
    return tuple(
        ReleaseWarning("spend", printable(words))
        for words in _spend(price, left, after, neighbours)
    )


def _values(asked: Resolved) -> Iterator[str]:
    """Name the values that are not declared, where they are asked for."""
    query, dataset = asked.query, asked.dataset
    for condition in (query.condition, *(each.where for each in query.aggregates)):
        for leaf in leaves(condition):
            match leaf:
                case Compare(name, operator, value):
                    yield from _value(
                        dataset.column(name), name, value, listed=operator in ("=", "!=")
                    )
                case OneOf(name, values):
                    for value in values:
                        yield from _value(dataset.column(name), name, value, listed=True)
    for axis in asked.axes:
        column = dataset.column(axis.column)
        for key in axis.keys:
            yield from _value(column, axis.column, key, listed=True)
        low, high = column.low, column.high
        for start, end in pairwise(axis.bins):
            if low is not None and high is not None and (start > high or end < low):
                yield from _value(column, axis.column, start, listed=False)


def _value(column: Column, name: str, value: Value, *, listed: bool) -> Iterator[str]:
    """Say of a value that it is beyond the bounds, or, if it is ``listed``, that it is no key."""
    low, high = column.low, column.high
    if low is not None and high is not None:
        if isinstance(value, Fraction) and not low <= value <= high:
            yield (
                f"{grouped(value)} lies outside the declared bounds of {name}, {grouped(low)} to "
                f"{grouped(high)}."
            )
    elif listed and column.keys and value not in column.keys:
        keys = [shown_value(key) for key in column.keys]
        near = UnknownName("key", shown_value(value), keys).nearest
        hint = f"did you mean {near!r}?" if near else f"declared are {', '.join(keys)}."
        yield f"{shown_value(value)!r} is not a declared key of {name}: {hint}"


def _empty(asked: Resolved) -> Iterator[str]:
    """Say which aggregates can count no row."""
    never, hardly = [], []
    for aggregate, recipe in zip(asked.query.aggregates, asked.recipes, strict=True):
        measures = [asked.measures[i] for i in recipe]
        if not any(reachable(asked, one) for one in measures):
            never.append(aggregate.name)
        elif not any(reachable(asked, one, declared=True) for one in measures):
            hardly.append(aggregate.name)
    asked_where = (asked.query.condition, *(each.where for each in asked.query.aggregates))
    several = sum(1 for one in asked_where for _ in leaves(one)) > 1
    for names, why in (
        (
            never,
            "The conditions contradict each other" if several else "No row meets the condition",
        ),
        (hardly, "No row meets the conditions if the declared keys and bounds are right"),
    ):
        if names:
            all_of_them = len(names) == len(asked.query.aggregates)
            which = "the answer" if all_of_them else " and ".join(names)
            yield f"{why}: {which} would be about nobody."


def _noise(asked: Resolved, calibration: Calibration, number: int) -> Iterator[str]:
    """Say which aggregates would not show above their noise."""
    for each in estimators(asked, calibration.noises[number]):
        if each.least_group <= ROWS:
            continue
        small = f"a group of fewer than {each.least_group:,} rows"
        if each.linear:
            said = f"{each.name} of {small} would be lost in noise"
        elif each.kind == "quantile":
            said = f"{each.name} of {small} may be off by more ranks than the group has rows"
        else:
            said = f"{each.name} of {small} may be off by as much as the declared bounds allow"
        yield f"{said}: spend more, or ask for less at once."


def _spend(
    price: Cost, left: Mapping[str, Cost], after: Mapping[str, Cost], neighbours: str
) -> Iterator[str]:
    """Say that a release takes more than a share of what is left, or that it is large in itself."""
    shares = {account: _share(price, rest, after[account]) for account, rest in left.items()}
    account = max(shares, key=lambda one: shares[one], default=None)
    if account is None or shares[account] <= SHARE:
        if strength_of(price) in ("weak", "none"):
            bought = guess_data(price, neighbours)["words"]
            yield f"{price.shown()} is a lot for one release. {bought}"
        return
    share = shares[account]
    part = "all" if share == 1 else f"{min(99, ceil(100 * share))}%"
    before, then = (
        (one[account] if price.delta else replace(one[account], delta=Fraction(0))).shown(
            "at least"
        )
        for one in (left, after)
    )
    yield (
        f"This takes {part} of what is left to {account}: {before} before, {then} after. "
        f"{guess_data(price, neighbours)['words']}"
    )


def _share(price: Cost, left: Cost, after: Cost) -> Fraction:
    """Return which part of what is left a price takes; costs that do not fit are refused before.

    A rho may change the rule by which a budget adds up, so that an epsilon is left before and a
    rho after. Then both are compared as the largest epsilon of one query.
    """
    mixed = bool(left.rho) != bool(after.rho)
    rest, still = (
        pure_within(one.rho) if mixed and one.rho else one.rho or one.epsilon
        for one in (left, after)
    )
    parts = [(price.delta, left.delta), (rest - still, rest)]
    return max(min(Fraction(1), taken / whole) if whole else Fraction(0) for taken, whole in parts)
