"""The policy file: YAML that says what is in the data, whom it protects and what may be spent.

    ledger: ledger.db                # a path, or postgresql://...
    datasets:
      people:
        source: people.parquet       # optional here; see `twoworlds.release.backends`
        neighbours: add-remove       # or substitute
        unit: row                    # or {person: patient, rows: 3, groups: 2}
        version: "2026-01"
        frozen: true                 # optional: the data of this version never change
        review: true                 # optional: a release needs a reviewer's approval
        columns:
          region: {kind: text, keys: [north, south, east, west]}
          age: {kind: integer, bounds: [0, 110], bins: [0, 18, 65, 110], grid: {step: 1}}
          income: {kind: number, bounds: [0, 200000], unit: 0.01, missing: 0}
        public:
          regions: {source: regions.parquet, key: code, columns: {zone: {kind: text, keys: [a]}}}
        budget: epsilon=3            # or {epsilon: 3, delta: 1e-6, composition: tighter}
        analysts: {ann: epsilon=1, bob: epsilon=2}

Every value is read as text and then exactly, so that 0.1 is one tenth. Unknown fields are refused.
All that is wrong with a policy is said at once, a line for each fault.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from datetime import date
from fractions import Fraction
from functools import partial
from itertools import pairwise
from numbers import Integral
from pathlib import Path
from typing import Any, TypeVar, get_args

from twoworlds.errors import InvalidInput, TwoWorldsError, UnknownName
from twoworlds.files import read_yaml
from twoworlds.numbers import rational, show
from twoworlds.release.backends.sources import check_distinct, import_command, text_file_of
from twoworlds.release.budget import Cap, parse_cap
from twoworlds.release.ledger.state import check_person, same_person
from twoworlds.release.policy.model import (
    Column,
    ColumnKind,
    Dataset,
    Neighbours,
    Policy,
    PublicTable,
    Unit,
    Value,
)

T = TypeVar("T")
_MOST_STEPS = 100_000
_LONGEST = 16 << 20
_NUMERIC = ("integer", "number")
_FIELDS = (
    *("source", "neighbours", "unit", "version", "frozen"),
    *("columns", "public", "budget", "analysts", "review"),
)


def read_policy(path: Path | str) -> Policy:
    """Read a policy file.

    Raises:
        InvalidInput: naming each field that is wrong, and the way out.
    """
    return _faultless(*read_with_faults(path))


def read_with_faults(path: Path | str, *, text_sources: bool = False) -> tuple[Policy, list[str]]:
    """Read a policy file; return what could be read of it, and all that is wrong with it."""
    place = Path(path)
    try:
        if place.stat().st_size > _LONGEST:
            raise InvalidInput(f"{place} has more than {_LONGEST:,} bytes: no policy is that long")
        text = place.read_text(encoding="utf-8")
    except OSError as error:
        raise InvalidInput(
            f"the policy {place} cannot be read: {error.strerror}: give its path; "
            "twoworlds policy new writes a first one"
        ) from error
    except UnicodeDecodeError as error:
        raise InvalidInput(f"the policy {place} is not text in UTF-8: save it as UTF-8") from error
    folder = (place.resolve() if place.is_symlink() else place).parent  # one file, one ledger
    return _parsed(text, str(place), folder, text_sources=text_sources)


def parse_policy(text: str, *, folder: Path = Path()) -> Policy:
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
    return _faultless(*_parsed(text, "the policy", folder))


def _faultless(policy: Policy, faults: list[str]) -> Policy:
    if faults:
        raise InvalidInput("\n".join(faults))
    return policy


def _parsed(
    text: str, source: str, folder: Path, *, text_sources: bool = False
) -> tuple[Policy, list[str]]:
    data = read_yaml(text, source, "'datasets:'")
    return _read(data, source, folder, text, text_sources=text_sources)


def declare(
    name: str,
    *,
    budget: object,
    unit: object,
    bounds: Mapping[str, Iterable[object]] | None = None,
    keys: Mapping[str, Iterable[object]] | None = None,
    columns: Mapping[str, Mapping[str, object]] | None = None,
    neighbours: str = "add-remove",
    version: str = "1",
) -> Policy:
    """Return the policy of one dataset that is declared in Python; `Curator` has the arguments.

    >>> one = declare("people", budget=3, unit="row", bounds={"age": (0, 110)}).dataset("people")
    >>> one.cap.most.epsilon, one.column("age").kind
    (Fraction(3, 1), 'number')
    """
    these = 'bounds={"age": (0, 110)} for numbers, keys={"region": ["north", "south"]} for groups'
    if budget is None and unit is None and not (bounds or keys or columns):
        raise InvalidInput(
            "declare the data, because nothing is read off them: budget=3, what may be spent in "
            f'all; unit="row", if every row is another person; {these}'
        )
    if budget is None:
        raise InvalidInput("say what may be spent on the data in all, such as budget=3")
    said = {column: dict(given) for column, given in (columns or {}).items()}
    for what, listed in (("bounds", bounds), ("keys", keys)):
        for column, values in (listed or {}).items():
            own = said.setdefault(column, {})
            if what in own:
                raise InvalidInput(f"{what} of {column!r} are given twice: give them once")
            if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
                such = {"keys": f"[{values!r}]", "bounds": "(0, 100)"}[what]
                raise InvalidInput(
                    f"{what} of {column!r} must be a list, not {values!r}: "
                    f"{what}={{{column!r}: {such}}}"
                )
            own[what] = [*values]
    _check_unit(unit, said)
    if not said:
        raise InvalidInput(
            "declare the columns that queries may use, because nothing is read off the data: "
            f"{these}"
        )
    for column, own in said.items():
        if "kind" not in own:
            own["kind"] = _kind_of(column, own)
    dataset = {"columns": said, "budget": budget, "unit": unit}
    dataset |= {"neighbours": neighbours, "version": version}
    data = _texts({"datasets": {name: dataset}})
    return _faultless(*_read(data, "the declaration", Path(), ""))


def _check_unit(unit: object, declared: Collection[str]) -> None:
    """Refuse what does not say whose data is protected, in the words of Python."""
    person = unit.get("person") if isinstance(unit, Mapping) and "rows" in unit else None
    if unit != "row" and person is None:
        given = "" if unit is None else f", not unit={unit!r}"
        raise InvalidInput(
            f'say whose data is protected{given}: unit="row" if every row is another person; else '
            'unit={"person": "patient", "rows": 3}, with the column that tells people apart and '
            'the number of their rows that a query may use, and columns={"patient": {"kind": '
            '"integer"}}, or "text", for that column'
        )
    if person is not None and person not in declared:
        raise InvalidInput(
            f"column {person!r} identifies a person and is not declared: add "
            f'columns={{"{person}": {{"kind": "integer"}}}}, or "text"'
        )


def _kind_of(column: str, own: Mapping[str, Any]) -> str:
    """Return the kind of a column by its declared keys; one that has bounds alone has numbers.

    Whole bounds do not mean whole numbers: of an integer column all others would be missing.
    """
    keys = own.get("keys", ())
    for kind, types in (("text", str), ("boolean", bool), ("integer", Integral), ("date", date)):
        if keys and all(isinstance(key, types) for key in keys):
            return kind
    if "bounds" in own or keys:
        return "number"
    raise InvalidInput(
        f"name the kind of {column!r}, such as columns={{{column!r}: {{'kind': 'text'}}}}: "
        f"{', '.join(get_args(ColumnKind))}"
    )


def _texts(value: Any) -> Any:
    """Return what was given in Python as a policy file has it: mappings and lists of texts."""
    if isinstance(value, Mapping):
        return {str(name): _texts(one) for name, one in value.items()}
    if isinstance(value, (list, tuple, range)):
        return [_texts(one) for one in value]
    return str(value).lower() if isinstance(value, bool) else str(value)


def _read(
    data: Mapping[str, Any], source: str, folder: Path, text: str, *, text_sources: bool = False
) -> tuple[Policy, list[str]]:
    fields = _Fields(data, source, [])
    fields.only("ledger", "mark", "datasets")
    datasets = fields.each("datasets", _dataset)
    if not fields.data.get("datasets"):
        fields.faults.append(f"{source}: declare at least one dataset under datasets:")
    fields.gather(lambda: check_distinct(datasets, {}, folder, source))
    if not text_sources:
        fields.faults.extend(_text_sources(datasets, source, folder))
    ledger, mark = (fields.gather(partial(fields.text, name)) for name in ("ledger", "mark"))
    return Policy(datasets, ledger, mark, folder, text), fields.faults


def _text_sources(datasets: Mapping[str, Dataset], source: str, folder: Path) -> Iterator[str]:
    """Refuse text files: releases read typed tables."""
    policy = source if Path(source).suffix else "policy.yml"
    for dataset in datasets.values():
        tables: list[Dataset | PublicTable] = [dataset, *dataset.public.values()]
        for table in tables:
            path = text_file_of(table.source)
            if path is not None:
                public = None if table is dataset else table.name
                command = import_command(folder / path, policy, dataset.name, public)
                parquet = Path(path).with_suffix(".parquet")
                yield (
                    f"{source}: {table.name}: source {str(path)!r} is a text file, and releases "
                    f"read typed tables: run `{command}`, and write {parquet} as the source"
                )


class _Fields:
    """The fields of one mapping, with the place it stands at for complaints, and all of these."""

    def __init__(self, data: Any, place: str, faults: list[str]) -> None:
        if not isinstance(data, Mapping):
            raise InvalidInput(f"{place} must have fields, such as 'kind: text'")
        self.data, self.place, self.faults = data, place, faults

    def of(self, name: str, data: Any) -> _Fields:
        """Return the fields of something within this."""
        return _Fields(data, f"{self.place}: {name}", self.faults)

    def gather(self, read: Callable[[], T]) -> T | None:
        """Return what is read; note what is wrong with it, and go on without."""
        try:
            return read()
        except InvalidInput as error:
            self.faults.append(str(error))
            return None

    def each(self, name: str, read: Callable[[str, _Fields, Any], T]) -> dict[str, T]:
        """Read whatever stands under a field, by name; leave out what is wrong."""
        given = self.gather(lambda: self.mapping(name)) or {}
        found = {key: self.gather(partial(read, key, self, data)) for key, data in given.items()}
        return {key: value for key, value in found.items() if value is not None}

    def only(self, *names: str) -> None:
        """Note fields that are none of these."""
        for name in self.data:
            if name not in names:
                self.faults.append(f"{self.place}: {UnknownName('field', name, names)}")

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
            such = "{ann: epsilon=1}" if name == "analysts" else "{NAME: {...}}"
            raise InvalidInput(
                f"{self.place}: {name} must have fields, one to a line, such as {name}: {such}"
            )
        return value

    def texts(self, name: str) -> list[str]:
        value = self.data.get(name, [])
        if isinstance(value, str) or not all(isinstance(part, str) for part in value):
            such = "[north, south]" if name == "keys" else "[0, 100]"
            if value in ("KEYS", "DATES"):  # as `policy new` writes it
                raise InvalidInput(f"{self.place}: fill in {name}: a list, such as {such}")
            raise InvalidInput(f"{self.place}: {name} must be a list, such as {such}")
        if value == ["LOW", "HIGH"]:
            raise InvalidInput(f"{self.place}: fill in {name}: a list, such as [0, 100]")
        least = {"bins": 2, "keys": 1}.get(name, 0)
        if name in self.data and len(value) < least:
            needs = {1: "at least one value", 2: "two or more ascending edges"}[least]
            raise InvalidInput(
                f"{self.place}: {name} needs {needs}: give them, or leave {name} out"
            )
        return list(value)

    def number(self, name: str) -> Fraction | None:
        value = self.text(name)
        return None if value is None else self.reading(value, name)

    def ascending(self, name: str) -> tuple[Fraction, ...]:
        found = self.numbers(name)
        if any(a >= b for a, b in pairwise(found)):
            raise InvalidInput(f"{self.place}: {name} must be in ascending order")
        return found

    def multiples(self, name: str, numbers: tuple[Fraction, ...], unit: Fraction) -> None:
        for x in numbers:
            if (x / unit).denominator != 1:
                raise InvalidInput(
                    f"{self.place}: {name}: {show(x)} is not a whole multiple of the unit "
                    f"{show(unit)}"
                )

    def numbers(self, name: str) -> tuple[Fraction, ...]:
        return tuple(self.reading(part, name) for part in self.texts(name))

    def reading(self, text: str, name: str) -> Fraction:
        try:
            return rational(text, name)
        except InvalidInput as error:
            raise InvalidInput(f"{self.place}: {error}") from None

    def truth(self, name: str) -> bool:
        value = self.text(name)
        if value not in (None, "true", "false"):
            raise InvalidInput(f"{self.place}: {name} must be true or false, not {value!r}")
        return value == "true"

    def whole(self, name: str, default: int) -> int:
        value = self.number(name)
        if value is None:
            return default
        if value.denominator != 1 or value < 1:
            raise InvalidInput(
                f"{self.place}: {name}={show(value)} must be a whole number, 1 or more"
            )
        return int(value)


def _dataset(name: str, policy: _Fields, given: Any) -> Dataset:
    fields = policy.of(name, given)
    fields.only(*_FIELDS)
    columns, public = fields.each("columns", _column), fields.each("public", _public)
    fields.gather(lambda: _check_dots(columns, public, fields))
    budget = fields.data.get("budget")
    return Dataset(
        name,
        fields.data.get("source"),
        fields.gather(lambda: _neighbours(fields)) or "add-remove",
        fields.gather(lambda: _unit(fields)) or Unit(),
        columns,
        public,
        fields.gather(lambda: fields.text("version") or "1") or "1",
        None if budget is None else fields.gather(lambda: _cap("budget", fields, budget)),
        fields.each("analysts", _analyst),
        fields.gather(lambda: fields.truth("frozen")) or False,
        fields.gather(lambda: fields.truth("review")) or False,
    )


def _analyst(name: str, fields: _Fields, given: Any) -> Cap:
    check_person(name, f"{fields.place}: analyst")
    for other in fields.mapping("analysts"):
        if other != name and same_person(other, name):
            raise InvalidInput(
                f"{fields.place}: analysts {other!r} and {name!r} look the same: name one of them"
            )
    return _cap(f"analysts: {name}", fields, given)


def _neighbours(fields: _Fields) -> Neighbours:
    related = fields.required("neighbours", f"say {' or '.join(get_args(Neighbours))}")
    if related not in get_args(Neighbours):
        raise InvalidInput(f"{fields.place}: neighbours={related!r}: say add-remove or substitute")
    return related  # type: ignore[return-value]  # checked above


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


def _unit(fields: _Fields) -> Unit:
    given = fields.data.get("unit")
    if given == "row":
        return Unit()
    if not isinstance(given, Mapping):
        raise InvalidInput(
            f"{fields.place}: unit must say whose data is protected: 'unit: row' if every row is "
            "another person, else 'unit: {person: COLUMN, rows: 3, groups: 2}'"
        )
    inner = fields.of("unit", given)
    inner.only("person", "rows", "groups")
    person = inner.required("person", "name the column that identifies a person")
    if person not in (fields.data.get("columns") or ()):
        fields.faults.append(
            f"{fields.place}: column {person!r} identifies a person and is not declared: add "
            "it to the columns, such as {kind: integer}"
        )
    if "rows" not in given:
        raise InvalidInput(
            f"{inner.place}: rows is missing: say how many rows of a person a query may use"
        )
    rows = inner.whole("rows", 1)
    groups = inner.whole("groups", rows)
    return Unit(person, rows, min(groups, rows))


def _public(name: str, dataset: _Fields, given: Any) -> PublicTable:
    fields = dataset.of(name, given)
    fields.only("source", "key", "columns")
    columns = fields.each("columns", _column)
    source = fields.data.get("source")
    if not source:
        raise InvalidInput(f"{fields.place}: source is missing: say where the public table lives")
    return PublicTable(name, source, fields.required("key", "name its unique column"), columns)


def _column(name: str, table: _Fields, given: Any) -> Column:
    fields = table.of(name, given)
    fields.only("kind", "bounds", "unit", "keys", "bins", "grid", "missing")
    kind = fields.required("kind", f"say {', '.join(get_args(ColumnKind))}")
    if kind not in get_args(ColumnKind):
        raise InvalidInput(f"{fields.place}: {UnknownName('kind', kind, get_args(ColumnKind))}")
    keys = fields.gather(lambda: _keys(fields, kind)) or ()
    if kind not in _NUMERIC:
        for field in ("bounds", "unit", "bins", "grid", "missing"):
            if field in fields.data:
                fields.faults.append(
                    f"{fields.place}: {field} is for numbers, and the kind is {kind}"
                )
        return Column(name, kind, keys=keys)  # type: ignore[arg-type]  # checked above
    bins = fields.gather(lambda: fields.ascending("bins")) or ()
    fill = fields.gather(
        lambda: None if fields.text("missing") == "skip" else fields.number("missing")
    )
    found = fields.gather(lambda: _bounds(fields, kind))
    bounds, unit = found or ((), Fraction(1))
    low, high = bounds or (None, None)
    grid = found and fields.gather(lambda: _grid(fields, unit, bounds))
    return Column(name, kind, low, high, unit, keys, bins, grid or (), fill)  # type: ignore[arg-type]


def _bounds(fields: _Fields, kind: str) -> tuple[tuple[Fraction, ...], Fraction]:
    bounds = fields.numbers("bounds")
    if bounds and (len(bounds) != 2 or bounds[0] > bounds[1]):
        raise InvalidInput(f"{fields.place}: bounds must be [smallest, largest]")
    unit = _step(fields, kind, bounds)
    fields.multiples("bounds", bounds, unit)
    return bounds, unit


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
        grid = fields.ascending("grid")
    else:
        inner = fields.of("grid", given)
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
    fields.multiples("grid", grid, unit)
    return grid


def _cap(name: str, fields: _Fields, given: Any) -> Cap:
    place = f"{fields.place}: {name}"
    if isinstance(given, Mapping):
        given = ", ".join(f"{name}={value}" for name, value in given.items())
    if not isinstance(given, str):
        raise InvalidInput(f"{place} must be a budget, such as epsilon=1")
    try:
        return parse_cap(given)
    except TwoWorldsError as error:
        raise InvalidInput(f"{place}: {error}") from None
