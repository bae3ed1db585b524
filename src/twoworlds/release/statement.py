r"""Statements: what is released, as plain data that decides the law of the answer.

The ledger knows a paid query by its statement, and a certificate holds it. It has the queries, the
part of the policy that they use, the cost, and what follows from these: the noise of every measure.
Who has the statement can work out the noise again (`made_of`, then `calibrate`) and compare. Of a
batch fixed in advance it has the epsilon of each query and the delta of the whole, from which the
cost follows; epsilon*, which is rounded up, is checked and kept, so that a version that rounds
otherwise still accepts the statement.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any, get_args

from twoworlds.errors import InvalidInput
from twoworlds.numbers import exact_text, rational
from twoworlds.release.costs import parse_cost
from twoworlds.release.policy.model import Column, Dataset, PublicTable, Unit, plain_value
from twoworlds.release.query import Resolved, resolve
from twoworlds.release.query.conditions import columns_of, plain
from twoworlds.release.query.model import query_of, value_of
from twoworlds.release.sensitivity import Calibration, MeasureNoise, Moments, calibrate
from twoworlds.release.sensitivity.fixed import calibrate_each

FORMAT = 1


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
        raise InvalidInput("this is no statement of a release: a field is missing") from None


def made_of(data: Any) -> tuple[list[Resolved], Calibration]:
    """Work out queries and noise again from the first part of a statement."""
    asked = asked_of(data)
    try:
        cost, noise = parse_cost(_text(data["cost"])), data["noise"]
    except (KeyError, TypeError):
        raise InvalidInput("this is no statement of a release: a field is missing") from None
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
        each = tuple(rational(_text(one), "each") for one in data["each"])
        return each, rational(_text(data["delta"]), "delta"), _number(data["composed"])
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
        "columns": [_column(dataset.columns[name]) for name in sorted(used & {*dataset.columns})],
        "public": [
            {
                "name": table.name,
                "key": table.key,
                "columns": [
                    _column(column)
                    for name, column in sorted(table.columns.items())
                    if f"{table.name}.{name}" in used
                ],
            }
            for _, table in sorted(dataset.public.items())
            if table.name in joined
        ],
    }


_MANY = 256
_columns: dict[int, tuple[Column, dict[str, Any]]] = {}  # by identity: policies live long


def _column(column: Column) -> dict[str, Any]:
    """Return a column as plain data: a copy, since a statement is given away."""
    known = _columns.get(id(column))
    if known is None or known[0] is not column:
        if len(_columns) >= _MANY:
            _columns.clear()
        known = _columns[id(column)] = column, plain_column(column)
    return {name: [*part] if type(part) is list else part for name, part in known[1].items()}


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
        _text(data["name"]),
        None,
        neighbours,
        Unit(None if unit["person"] is None else _text(unit["person"]), rows, groups),
        {column.name: column for column in map(_read_column, data["columns"])},
        {table.name: table for table in map(_read_table, data["public"])},
        _text(data["version"]),
    )


def _read_table(data: Mapping[str, Any]) -> PublicTable:
    columns = {column.name: column for column in map(_read_column, data["columns"])}
    return PublicTable(_text(data["name"]), None, _text(data["key"]), columns)


def _read_column(data: Mapping[str, Any]) -> Column:
    kind = data["kind"]
    if kind not in ("integer", "number", "text", "boolean", "date"):
        raise InvalidInput("a column of the statement has an unknown kind")
    low, high = (None, None) if data["bounds"] is None else map(_number, data["bounds"])
    unit, keys = _number(data["unit"]), tuple(value_of(key) for key in data["keys"])
    bins, grid = (tuple(rational(_text(x), n) for x in data[n]) for n in ("bins", "grid"))
    ascending = all(a < b for edges in (bins, grid) for a, b in pairwise(edges))
    ordered = low is None or high is None or low <= high
    if unit is None or unit <= 0 or not ascending or not ordered or len({*keys}) < len(keys):
        raise InvalidInput("a column of the statement is declared as no policy declares it")
    return Column(
        _text(data["name"]), kind, low, high, unit, keys, bins, grid, _number(data["missing"])
    )


def _exact(x: Fraction | None) -> str | None:
    return None if x is None else exact_text(x)


def _number(text: Any) -> Fraction | None:
    return None if text is None else rational(_text(text), "number")


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise InvalidInput("a field of the statement is not a text")
    return value
