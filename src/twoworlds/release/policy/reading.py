"""The policy file: YAML that says what is in the data, whom it protects and what may be spent.

    ledger: ledger.db                # a path, or postgresql://...
    datasets:
      people:
        source: people.parquet       # optional here; see `twoworlds.release.backends`
        neighbours: add-remove       # or substitute
        unit: row                    # or {person: patient, rows: 3, groups: 2}
        version: "2026-01"
        columns:
          region: {kind: text, keys: [north, south, east, west]}
          age: {kind: integer, bounds: [0, 110], bins: [0, 18, 65, 110], grid: {step: 1}}
          income: {kind: number, bounds: [0, 200000], unit: 0.01, missing: 0}
        public:
          regions: {source: regions.csv, key: code, columns: {zone: {kind: text, keys: [a, b]}}}
        budget: epsilon=3            # or {epsilon: 3, delta: 1e-6, composition: tighter}
        analysts: {ann: epsilon=1, bob: epsilon=2}

Every value is read as text and then exactly, so that 0.1 is one tenth. Unknown fields are refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any, get_args

from twoworlds.errors import InvalidInput, TwoWorldsError, UnknownName
from twoworlds.files import read_yaml
from twoworlds.numbers import rational, show
from twoworlds.release.backends.sources import check_distinct
from twoworlds.release.budget import Cap, parse_cap
from twoworlds.release.policy.model import (
    Column,
    ColumnKind,
    Dataset,
    Neighbours,
    Policy,
    PublicTable,
    Unit,
)
from twoworlds.release.values import Value

__all__ = ["parse_policy", "read_policy"]

_MOST_STEPS = 100_000
_LONGEST = 16 << 20
_NUMERIC = ("integer", "number")


def read_policy(path: Path | str) -> Policy:
    """Read a policy file.

    Raises:
        InvalidInput: naming the field and the way out.
    """
    place = Path(path)
    try:
        if place.stat().st_size > _LONGEST:
            raise InvalidInput(f"{place} has more than {_LONGEST:,} bytes: no policy is that long")
        text = place.read_text(encoding="utf-8")
    except OSError as error:
        raise InvalidInput(f"the policy {place} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise InvalidInput(f"the policy {place} is not UTF-8 text: save it as such") from error
    return parse_policy(text, str(place), folder=place.parent)


def parse_policy(text: str, source: str = "the policy", *, folder: Path = Path()) -> Policy:
    """Read the text of a policy.

    >>> parsed = parse_policy('''
    ... datasets:
    ...   people:
    ...     neighbours: add-remove
    ...     unit: row
    ...     columns: {age: {kind: integer, bounds: [0, 110]}}
    ...     budget: epsilon=1
    ... ''')
    >>> parsed.dataset("people").column("age").high
    Fraction(110, 1)
    """
    data = read_yaml(text, source, "'datasets:'")
    fields = _Fields(data, source)
    fields.only("ledger", "mark", "datasets")
    tables = fields.mapping("datasets")
    if not tables:
        raise InvalidInput(f"{source}: declare at least one dataset under datasets:")
    datasets = {
        name: _dataset(name, _Fields(given, f"{source}: {name}")) for name, given in tables.items()
    }
    check_distinct({name: one.source for name, one in datasets.items()}, folder, source)
    return Policy(
        datasets,
        fields.text("ledger"),
        fields.text("mark"),
        folder,
    )


class _Fields:
    """The fields of one mapping, with the place it stands at for complaints."""

    def __init__(self, data: Any, place: str) -> None:
        if not isinstance(data, Mapping):
            raise InvalidInput(f"{place} must have fields, such as 'kind: text'")
        self.data, self.place = data, place

    def only(self, *names: str) -> None:
        for name in self.data:
            if name not in names:
                try:
                    raise UnknownName("field", name, names)
                except UnknownName as error:
                    raise InvalidInput(f"{self.place}: {error}") from None

    def text(self, name: str) -> str | None:
        value = self.data.get(name)
        if value is None or (isinstance(value, str) and value.strip()):
            return None if value is None else str(value).strip()
        raise InvalidInput(f"{self.place}: {name} must be one text, and not empty")

    def required(self, name: str, hint: str) -> str:
        found = self.text(name)
        if found is None:
            raise InvalidInput(f"{self.place}: {name} is missing: {hint}")
        return found

    def mapping(self, name: str) -> Mapping[str, Any]:
        value = self.data.get(name, {})
        if value == "":
            return {}
        if not isinstance(value, Mapping):
            raise InvalidInput(f"{self.place}: {name} must have fields, one to a line")
        return value

    def texts(self, name: str) -> list[str]:
        value = self.data.get(name, [])
        if isinstance(value, str) or not all(isinstance(part, str) for part in value):
            such = "[north, south]" if name == "keys" else "[0, 100]"
            if value == name.upper():  # as `policy new` writes it
                raise InvalidInput(f"{self.place}: fill in {name}: a list, such as {such}")
            raise InvalidInput(f"{self.place}: {name} must be a list, such as {such}")
        return list(value)

    def number(self, name: str) -> Fraction | None:
        value = self.text(name)
        return None if value is None else self.reading(value, name)

    def numbers(self, name: str) -> tuple[Fraction, ...]:
        return tuple(self.reading(part, name) for part in self.texts(name))

    def reading(self, text: str, name: str) -> Fraction:
        try:
            return rational(text, name)
        except InvalidInput as error:
            raise InvalidInput(f"{self.place}: {error}") from None

    def whole(self, name: str, default: int) -> int:
        value = self.number(name)
        if value is None:
            return default
        if value.denominator != 1 or value < 1:
            raise InvalidInput(
                f"{self.place}: {name}={show(value)} must be a whole number, 1 or more"
            )
        return int(value)


def _dataset(name: str, fields: _Fields) -> Dataset:
    fields.only(
        "source", "neighbours", "unit", "version", "columns", "public", "budget", "analysts"
    )
    related = fields.required("neighbours", f"say {' or '.join(get_args(Neighbours))}")
    if related not in get_args(Neighbours):
        raise InvalidInput(f"{fields.place}: neighbours={related!r}: say add-remove or substitute")
    columns = {c: _column(c, _Fields(d, f"{fields.place}: {c}")) for c, d in _declared(fields)}
    unit = _unit(fields)
    if unit.person is not None and unit.person not in columns:
        raise InvalidInput(
            f"{fields.place}: column {unit.person!r} identifies a person and is not declared: add "
            "it to the columns, such as {kind: integer}"
        )
    public = {
        table: _public(table, _Fields(given, f"{fields.place}: {table}"))
        for table, given in fields.mapping("public").items()
    }
    _check_dots(columns, public, fields)
    budget = fields.data.get("budget")
    analysts = {
        analyst: _cap(given, f"{fields.place}: analysts: {analyst}")
        for analyst, given in fields.mapping("analysts").items()
    }
    return Dataset(
        name,
        fields.data.get("source"),
        related,  # type: ignore[arg-type]  # checked above
        unit,
        columns,
        public,
        fields.text("version") or "1",
        None if budget is None else _cap(budget, f"{fields.place}: budget"),
        analysts,
    )


def _check_dots(
    columns: Mapping[str, Column], public: Mapping[str, PublicTable], fields: _Fields
) -> None:
    """Refuse names that could not be told apart, since queries write ``table.column``."""
    for table in public.values():
        if "." in table.name:
            raise InvalidInput(f"{fields.place}: public table {table.name!r} has a dot in its name")
        for column in table.columns:
            if f"{table.name}.{column}" in columns:
                raise InvalidInput(
                    f"{fields.place}: column '{table.name}.{column}' may be of the dataset or of "
                    f"the public table {table.name!r}: call the table something else"
                )


def _declared(fields: _Fields) -> Iterable[tuple[str, Any]]:
    return fields.mapping("columns").items()


def _unit(fields: _Fields) -> Unit:
    given = fields.data.get("unit")
    if given == "row":
        return Unit()
    if not isinstance(given, Mapping):
        raise InvalidInput(
            f"{fields.place}: unit must say whose data is protected: 'unit: row' if every row is "
            "another person, else 'unit: {person: COLUMN, rows: 3, groups: 2}'"
        )
    inner = _Fields(given, f"{fields.place}: unit")
    inner.only("person", "rows", "groups")
    person = inner.required("person", "name the column that identifies a person")
    if "rows" not in given:
        raise InvalidInput(
            f"{inner.place}: rows is missing: say how many rows of a person a query may use"
        )
    rows = inner.whole("rows", 1)
    groups = inner.whole("groups", rows)
    return Unit(person, rows, min(groups, rows))


def _public(name: str, fields: _Fields) -> PublicTable:
    fields.only("source", "key", "columns")
    columns = {c: _column(c, _Fields(d, f"{fields.place}: {c}")) for c, d in _declared(fields)}
    source = fields.data.get("source")
    if not source:
        raise InvalidInput(f"{fields.place}: source is missing: say where the public table lives")
    return PublicTable(name, source, fields.required("key", "name its unique column"), columns)


def _column(name: str, fields: _Fields) -> Column:
    fields.only("kind", "bounds", "unit", "keys", "bins", "grid", "missing")
    kind = fields.required("kind", f"say {', '.join(get_args(ColumnKind))}")
    if kind not in get_args(ColumnKind):
        raise InvalidInput(f"{fields.place}: {UnknownName('kind', kind, get_args(ColumnKind))}")
    if kind not in _NUMERIC:
        for field in ("bounds", "unit", "bins", "grid", "missing"):
            if field in fields.data:
                raise InvalidInput(
                    f"{fields.place}: {field} is for numbers, and the kind is {kind}"
                )
        return Column(name, kind, keys=_keys(fields, kind))  # type: ignore[arg-type]
    bounds = fields.numbers("bounds")
    if bounds and (len(bounds) != 2 or bounds[0] > bounds[1]):
        raise InvalidInput(f"{fields.place}: bounds must be [smallest, largest]")
    low, high = bounds or (None, None)
    unit = _step(fields, kind, bounds)
    fill = fields.text("missing")
    for x in bounds:
        _check_multiple(x, unit, "bounds", fields)
    return Column(
        name,
        kind,  # type: ignore[arg-type]  # checked above
        low,
        high,
        unit,
        _keys(fields, kind),
        _ascending(fields.numbers("bins"), "bins", fields),
        _grid(fields, unit, bounds),
        None if fill in (None, "skip") else fields.number("missing"),
    )


def _step(fields: _Fields, kind: str, bounds: tuple[Fraction, ...]) -> Fraction:
    """Return the unit: 1 for integers; for numbers, if none is given, a power of ten.

    The range then has a million steps or a little more; nothing is read off the data.
    """
    given = fields.number("unit")
    if given is not None:
        if given <= 0:
            raise InvalidInput(f"{fields.place}: unit={show(given)} must be positive")
        return given
    if kind == "integer" or not bounds or bounds[0] == bounds[1]:
        return Fraction(1)
    unit = Fraction(1)
    width = bounds[1] - bounds[0]
    while width / unit < 10**6 or any((x / unit).denominator != 1 for x in bounds):
        unit /= 10
        if unit < Fraction(1, 10**30):
            raise InvalidInput(f"{fields.place}: give a unit of which the bounds are multiples")
    while width / unit >= 10**7 and all((x / unit / 10).denominator == 1 for x in bounds):
        unit *= 10
    return unit


def _keys(fields: _Fields, kind: str) -> tuple[Value, ...]:
    keys = tuple(_key(text, kind, fields) for text in fields.texts("keys"))
    if len(set(keys)) < len(keys):
        raise InvalidInput(f"{fields.place}: a key is given twice")
    return keys


def _key(text: str, kind: str, fields: _Fields) -> Value:
    if kind == "text":
        return text
    if kind == "boolean":
        if text.lower() not in ("true", "false"):
            raise InvalidInput(f"{fields.place}: keys of a boolean are true and false")
        return text.lower() == "true"
    if kind == "date":
        try:
            return date.fromisoformat(text)
        except ValueError:
            raise InvalidInput(f"{fields.place}: write dates as 2026-01-31") from None
    return fields.reading(text, "keys")


def _grid(fields: _Fields, unit: Fraction, bounds: tuple[Fraction, ...]) -> tuple[Fraction, ...]:
    given = fields.data.get("grid")
    if given is None:
        return ()
    if not isinstance(given, Mapping):
        grid = _ascending(fields.numbers("grid"), "grid", fields)
    else:
        inner = _Fields(given, f"{fields.place}: grid")
        inner.only("from", "to", "step")
        step, start, end = (inner.number(name) for name in ("step", "from", "to"))
        if bounds:
            start, end = bounds[0] if start is None else start, bounds[1] if end is None else end
        if step is None or step <= 0 or start is None or end is None or end < start:
            raise InvalidInput(f"{inner.place} needs from, to and a positive step")
        count = int((end - start) / step) + 1
        if count > _MOST_STEPS:
            raise InvalidInput(
                f"{inner.place} has {count:,} values, at most {_MOST_STEPS:,} are used"
            )
        grid = tuple(start + step * i for i in range(count))
    for x in grid:
        _check_multiple(x, unit, "grid", fields)
    return grid


def _ascending(edges: tuple[Fraction, ...], name: str, fields: _Fields) -> tuple[Fraction, ...]:
    if any(a >= b for a, b in pairwise(edges)):
        raise InvalidInput(f"{fields.place}: {name} must be in ascending order")
    return edges


def _check_multiple(x: Fraction, unit: Fraction, name: str, fields: _Fields) -> None:
    if (x / unit).denominator != 1:
        raise InvalidInput(
            f"{fields.place}: {name}: {show(x)} is no whole multiple of the unit {show(unit)}"
        )


def _cap(given: Any, place: str) -> Cap:
    if isinstance(given, Mapping):
        given = ", ".join(f"{name}={value}" for name, value in given.items())
    if not isinstance(given, str):
        raise InvalidInput(f"{place} must be a budget, such as epsilon=1")
    try:
        return parse_cap(given)
    except TwoWorldsError as error:
        raise InvalidInput(f"{place}: {error}") from None
