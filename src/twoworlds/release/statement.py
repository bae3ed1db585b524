r"""Statements: what is released, as plain data that decides the law of the answer.

The ledger knows a paid query by its statement, and a certificate holds it. It has the queries, the
part of the policy that they use, the cost, and what follows from these: the noise of every measure.
Who has the statement can work out the noise again (`made_of`, then `calibrate`) and compare. Of a
batch fixed in advance it has the epsilon of each query and the delta of the whole, from which the
cost follows; epsilon*, which is rounded up, is checked and kept, so that a version that rounds
otherwise still accepts the statement.

A release that is charged must be one that can be answered. So `check_size` refuses a batch of
queries, in dry runs too, when its noise is too wide to be drawn or its answer too large, and when
it asks for the mean, variance or quantile of values that its conditions rule out. All of it is
known from the queries, the policy and the noise; the data are not looked at, so a refusal tells
nothing about them.

    bytes       of the certificate, which holds the statement, all groups by name, estimates and
                stored numbers, and must fit into 16 MiB, as an entry of the ledger must. That is
                up to about 100,000 counts, each of which takes 0.1 ms and 5 kB until it is sent
    candidates  of quantiles: each cell weighs every value of its grid, in 1.5 microseconds
    width       of discrete Gaussian noise as far as it is drawn
                (`twoworlds.release.noise.sampler`); of Laplace noise as far as it has a meaning: no
                total is above 2^95, which 2^33 rows of 2^62 units are

Bytes are counted from above: a measure has at most as many digits as 2^40 rows of the largest value
with 2^8 times the scale on top, which noise passes with a probability below 2^-300.

Keys that are discovered are as many as the data have, so their number is no limit that could be
refused: that would be an answer about the data, for nothing. Instead a query shows at most
`MOST_DISCOVERED` cells, those with the largest noisy counts, and only keys of up to `LONGEST_KEY`
bytes. Both are computed from what the query would show otherwise, noisy counts of keys above the
threshold, so they cost nothing more; and the limits take each such query for one that shows all of
these.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import product
from math import isqrt, prod
from typing import Any, get_args

from twoworlds.errors import InvalidInput, TooLarge
from twoworlds.laws.noise import DiscreteGaussianNoise
from twoworlds.numbers import decimal, exact_text, rational
from twoworlds.release.answers.cells import LONGEST_KEY, MOST_DISCOVERED, excluded, group_label
from twoworlds.release.costs import parse_cost
from twoworlds.release.ledger.entries import canonical
from twoworlds.release.noise.sampler import WIDEST
from twoworlds.release.policy.model import Column, Dataset, PublicTable, Unit, plain_value
from twoworlds.release.query import Resolved, resolve
from twoworlds.release.query.conditions import columns_of, plain
from twoworlds.release.query.model import GroupAxis, query_of, text_of, value_of
from twoworlds.release.query.resolve import SummedMeasure
from twoworlds.release.sensitivity import Calibration, MeasureNoise, Moments, calibrate
from twoworlds.release.sensitivity.contributions import reachable
from twoworlds.release.sensitivity.fixed import calibrate_each

FORMAT = 1
MOST_BYTES = 15 << 20  # of 16 MiB; the rest is for the promise, the charge and the digest
MOST_CANDIDATES = 10_000_000
WIDEST_LAPLACE = 1 << 112
_ROWS = 1 << 40
_FAR = 1 << 8
_CELL, _AGGREGATE = 32, 64  # bytes around the group of a cell, and around an estimate
_FEWER = "use fewer keys or bins, or ask for parts of it"
_LESS_GRID = "use fewer groups, or bounds (between) that leave less of the grid"


def statement(asked: Sequence[Resolved], calibration: Calibration, source: str | None) -> Any:
    """Return the statement of one query or of a batch on the same dataset."""
    dataset = asked[0].dataset
    return {
        **({} if calibration.moments == "one" else {"moments": calibration.moments}),
        **({} if calibration.batch is None else {"fixed": calibration.batch.plain()}),
        "format": FORMAT,
        "source": source,
        "dataset": _dataset(dataset, asked),
        "queries": [one.query.plain() for one in asked],
        "cost": str(calibration.cost),
        "noise": calibration.kind,
        "threshold": calibration.threshold,
        "measures": [
            [_measure(m, n) for m, n in zip(one.measures, noises, strict=True)]
            for one, noises in zip(asked, calibration.noises, strict=True)
        ],
    }


def asked_of(data: Any) -> list[Resolved]:
    """Return the queries of a statement, with what it says of the policy filled in."""
    try:
        if data["format"] != FORMAT:
            raise InvalidInput(f"the statement has format {data['format']!r}, not {FORMAT}")
        dataset = _read_dataset(data["dataset"])
        return [resolve(query_of(query), dataset) for query in data["queries"]]
    except InvalidInput:
        raise
    except (KeyError, TypeError, AttributeError, ValueError):
        raise InvalidInput("this is not a statement of a release: a field is missing") from None


def made_of(data: Any) -> tuple[list[Resolved], Calibration]:
    """Work out queries and noise again from the first part of a statement."""
    asked = asked_of(data)
    try:
        cost, noise = parse_cost(text_of(data["cost"])), data["noise"]
    except (KeyError, TypeError):
        raise InvalidInput("this is not a statement of a release: a field is missing") from None
    if noise not in ("laplace", "gaussian"):
        raise InvalidInput("the noise of a statement is laplace or gaussian")
    moments = data.get("moments", "one")
    if moments not in get_args(Moments):
        raise InvalidInput("the moments of a statement are one, frozen or several")
    if "fixed" not in data:
        return asked, calibrate(asked, cost, noise=noise, moments=moments)
    each, delta, stated = _read_fixed(data["fixed"])
    return asked, calibrate_each(asked, each, delta, moments=moments, stated=stated)


def _read_fixed(data: Any) -> tuple[tuple[Fraction, ...], Fraction, Fraction | None]:
    """Return the epsilon of each query, the delta of all, and the epsilon* that was stated."""
    try:
        each = tuple(rational(text_of(one), "each") for one in data["each"])
        return each, rational(text_of(data["delta"]), "delta"), _number(data["composed"])
    except (KeyError, TypeError):
        raise InvalidInput("the batch of a statement has each, delta and composed") from None


def _measure(measure: Any, noise: MeasureNoise) -> dict[str, Any]:
    return {
        "kind": measure.kind,
        "column": measure.column,
        "where": plain(measure.where),
        "unit": exact_text(measure.unit),
        "bounds": [measure.low, measure.high],
        "center": measure.center,
        "law": noise.name,
        "scale": exact_text(noise.scale),
        "rate": None if noise.rate is None else exact_text(noise.rate),
        "sensitivity": exact_text(noise.sensitivity),
    }


def _used(asked: Iterable[Resolved]) -> set[str]:
    """Return the names of the columns that queries look at."""
    names: set[str] = set()
    for one in asked:
        names.update(columns_of(one.query.condition))
        names.update(axis.column for axis in one.axes)
        names.update(on for _, on in one.query.joins)
        for aggregate in one.query.aggregates:
            names.update(columns_of(aggregate.where))
            names.update(() if aggregate.column is None else (aggregate.column,))
    return names


def _dataset(dataset: Dataset, asked: Sequence[Resolved]) -> dict[str, Any]:
    used = _used(asked)
    unit = dataset.unit
    joined = {table for one in asked for table, _ in one.query.joins}
    return {
        "name": dataset.name,
        "version": dataset.version,
        "neighbours": dataset.neighbours,
        "unit": {"person": unit.person, "rows": unit.rows, "groups": unit.groups},
        "columns": [
            plain_column(dataset.columns[name]) for name in sorted(used & {*dataset.columns})
        ],
        "public": [
            {
                "name": table.name,
                "key": table.key,
                "columns": [
                    plain_column(column)
                    for name, column in sorted(table.columns.items())
                    if f"{table.name}.{name}" in used
                ],
            }
            for _, table in sorted(dataset.public.items())
            if table.name in joined
        ],
    }


def plain_column(column: Column) -> dict[str, Any]:
    """Return what the policy says of a column."""
    return {
        "name": column.name,
        "kind": column.kind,
        "bounds": None if column.low is None else [_exact(column.low), _exact(column.high)],
        "unit": _exact(column.unit),
        "keys": [plain_value(key) for key in column.keys],
        "bins": [_exact(edge) for edge in column.bins],
        "grid": [_exact(x) for x in column.grid],
        "missing": _exact(column.fill),
    }


def _read_dataset(data: Mapping[str, Any]) -> Dataset:
    unit, neighbours = data["unit"], data["neighbours"]
    if neighbours not in ("add-remove", "substitute"):
        raise InvalidInput("the neighbours of a statement are add-remove or substitute")
    rows, groups = unit["rows"], unit["groups"]
    if not all(type(x) is int and x >= 1 for x in (rows, groups)):
        raise InvalidInput("rows and groups of a unit are whole numbers, 1 or more")
    if unit["person"] is None and (rows, groups) != (1, 1):
        raise InvalidInput("a unit of several rows needs the column that identifies a person")
    return Dataset(
        text_of(data["name"]),
        None,
        neighbours,
        Unit(None if unit["person"] is None else text_of(unit["person"]), rows, groups),
        {column.name: column for column in map(_read_column, data["columns"])},
        {table.name: table for table in map(_read_table, data["public"])},
        text_of(data["version"]),
    )


def _read_table(data: Mapping[str, Any]) -> PublicTable:
    columns = {column.name: column for column in map(_read_column, data["columns"])}
    return PublicTable(text_of(data["name"]), None, text_of(data["key"]), columns)


def _read_column(data: Mapping[str, Any]) -> Column:
    low, high = (None, None) if data["bounds"] is None else map(_number, data["bounds"])
    keys = tuple(value_of(key) for key in data["keys"])
    bins, grid = (tuple(rational(text_of(x), n) for x in data[n]) for n in ("bins", "grid"))
    unit = rational(text_of(data["unit"]), "unit")
    return Column(
        text_of(data["name"]),
        data["kind"],
        low,
        high,
        unit,
        keys,
        bins,
        grid,
        _number(data["missing"]),
    )


def _exact(x: Fraction | None) -> str | None:
    return None if x is None else exact_text(x)


def _number(text: Any) -> Fraction | None:
    return None if text is None else rational(text_of(text), "number")


# --- what can be answered ------------------------------------------------------------------------


def check_size(resolved: Sequence[Resolved], calibration: Calibration) -> Calibration:
    """Return a calibration whose release can be answered; see the module."""
    for one in resolved:
        _check_defined(one)
    for noises in calibration.noises:
        for noise in noises:
            _check_width(noise)
    for what, found, most, way_out in (
        ("bytes", certificate_bytes(resolved, calibration), MOST_BYTES, _FEWER),
        (
            "candidates of quantiles, over all groups",
            sum(map(_candidates, resolved)),
            MOST_CANDIDATES,
            _LESS_GRID,
        ),
    ):
        if found > most:
            raise TooLarge(f"the answer may have {found:,} {what}, more than {most:,}: {way_out}")
    return calibration


def _check_defined(one: Resolved) -> None:
    """Refuse a mean, variance or quantile in a cell where no row can count for it.

    A count or a sum of no rows is 0. Of these there is none, and noise would be shown instead.
    """
    keys = {axis.column for axis in one.axes if axis.discover}
    for aggregate, recipe in zip(one.query.aggregates, one.recipes, strict=True):
        if aggregate.kind not in ("mean", "variance", "quantile"):
            continue
        allowed = reachable(one, one.measures[recipe[:2][-1]])  # the total, or the ranks
        if not allowed:
            raise InvalidInput(
                f"{aggregate.name} asks for the {aggregate.kind} of no values: its conditions rule "
                f"out every value of {aggregate.column!r}. Change them, or leave it out"
            )
        if one.threshold is not None:
            answered = reachable(one, one.measures[one.threshold])
        else:
            answered = {*product(*map(range, one.shape))}.difference(excluded(one))
        if answered - allowed or keys.intersection(columns_of(aggregate.where)):
            raise InvalidInput(
                f"{aggregate.name} has no value in some of the groups that are answered: its "
                "condition leaves no rows there. Say the condition in WHERE, or ask for it in a "
                "query of its own"
            )


def certificate_bytes(resolved: Sequence[Resolved], calibration: Calibration) -> int:
    """Return a bound on the bytes of statement, published estimates and stored numbers."""
    noises = calibration.noises
    cells = sum(_bytes(one, own) for one, own in zip(resolved, noises, strict=True))
    return len(canonical(statement(resolved, calibration, None))) + cells


def _check_width(noise: MeasureNoise) -> None:
    if noise.law is None:
        return
    gaussian = isinstance(noise.law, DiscreteGaussianNoise)
    widest = Fraction(WIDEST if gaussian else WIDEST_LAPLACE)
    if noise.scale > (widest**2 if gaussian else widest):
        power = widest.numerator.bit_length() - 1
        name, most = ("sigma^2", f"(2^{power})^2") if gaussian else ("scale", f"2^{power}")
        raise TooLarge(
            f"{noise.words}: {noise.name} noise of {name} {decimal(noise.scale, 3)}, and at most "
            f"{most} is drawn: pay more, give it a larger share, or declare narrower bounds or a "
            "larger unit in the policy"
        )


def _cells(one: Resolved) -> int:
    return MOST_DISCOVERED if one.discovers else prod(one.shape)


def _candidates(one: Resolved) -> int:
    return _cells(one) * sum(len(measure.grid) for measure in one.measures)


def _bytes(one: Resolved, noises: Sequence[MeasureNoise]) -> int:
    """Return a bound on the bytes of one query: in every cell its groups, estimates and numbers."""
    digits = [_digits(m, noise) for m, noise in zip(one.measures, noises, strict=True)]
    each = _CELL + sum(digits) + len(digits)
    for aggregate, recipe in zip(one.query.aggregates, one.recipes, strict=True):
        text = sum(digits[place] + _unit_digits(one.measures[place]) for place in recipe)
        ends = 3 * text * (1 if len(recipe) == 1 else 2)  # value and interval; ratios are fractions
        each += _AGGREGATE + len(canonical(aggregate.name)) + ends
    return _cells(one) * each + sum(_label_bytes(axis, _cells(one)) for axis in one.axes)


def _label_bytes(axis: GroupAxis, cells: int) -> int:
    """Return what the names of the groups along an axis take in so many cells."""
    if axis.discover:  # as a name, and as a stored key
        return 2 * cells * (LONGEST_KEY + 1)
    names = (len(canonical(group_label(axis, place))) + 1 for place in range(axis.size))
    return cells * sum(names) // max(1, axis.size) + cells * len(str(axis.size))


def _digits(measure: SummedMeasure, noise: MeasureNoise) -> int:
    """Return how long a noisy number of a measure can be, with its sign."""
    if measure.kind == "ranks":
        return max(len(str(measure.low)), len(str(measure.high)), len(str(len(measure.grid))))
    gaussian = isinstance(noise.law, DiscreteGaussianNoise)
    width = isqrt(int(noise.scale)) if gaussian else int(noise.scale)
    return len(str(_ROWS * max(measure.largest, 1) + _FAR * (width + 1))) + 1


def _unit_digits(measure: SummedMeasure) -> int:
    return len(str(measure.unit.numerator)) + len(str(measure.unit.denominator)) + 1
