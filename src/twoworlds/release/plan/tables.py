"""The rows of a dataset made clean: the columns that a query uses, public tables looked up.

A row finds at most one row of a public table: keys are checked when a table is opened
(`check_columns`), and should a key have been added twice since, one of its rows is taken.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from sqlglot import exp

from twoworlds.errors import InvalidInput, UnknownName
from twoworlds.release.backends.base import Backend, Field
from twoworlds.release.plan import sql
from twoworlds.release.plan.columns import Clean
from twoworlds.release.plan.sql import engine_of
from twoworlds.release.policy.model import Dataset, PublicTable
from twoworlds.release.query.conditions import columns_of
from twoworlds.release.query.resolve import Resolved

RAW, LOOKED = "raw", "looked"  # what statements call the table, and the tables looked up


def columns_used(resolved: Resolved) -> list[str]:
    """Return the columns that a query looks at, each once, the person's column included."""
    found = [*columns_of(resolved.query.condition), *(axis.column for axis in resolved.axes)]
    for measure in resolved.measures:
        found += columns_of(measure.where)
        found += [] if measure.column is None else [measure.column]
    person = resolved.dataset.unit.person
    return list(dict.fromkeys(found if person is None else [*found, person]))


def clean_rows(
    dataset: Dataset,
    names: Iterable[str],
    joins: Iterable[tuple[str, str]],
    relation: exp.Table,
    backend: Backend,
) -> tuple[dict[str, Clean], exp.Select]:
    """Return the clean columns of these names, and the statement that has one row for each row.

    A public table is joined by each of ``joins``, its name and a column of the dataset; its columns
    are missing where a row finds nothing.
    """
    engine = engine_of(backend.dialect)
    fields = backend.fields(relation)
    aliased = relation.copy()
    aliased.set("alias", exp.TableAlias(this=exp.to_identifier(RAW, quoted=True)))
    rows = exp.Select().from_(aliased, copy=False)
    columns: dict[str, Clean] = {}
    looked_up: dict[str, dict[str, Clean]] = {}
    for i, name in enumerate(names):
        kind = dataset.column(name).kind
        if name in dataset.columns:
            exact = name == dataset.unit.person
            found = Clean.of(f"c{i}", fields[name], kind, engine, RAW, exact=exact)
            rows = rows.select(sql.named(found.value, found.name), copy=False)
        else:
            table, _, rest = name.partition(".")
            theirs = backend.fields(backend.relation(dataset.public[table].source))
            found = Clean.of(f"c{i}", theirs[rest], kind, engine)
            looked_up.setdefault(table, {})[name] = found
        columns[name] = found
    for i, (table, on) in enumerate(joins):
        if table in looked_up:
            left = Clean.of("on", fields[on], dataset.column(on).kind, engine, RAW)
            used = [*looked_up[table].values()]
            unique = _unique(dataset.public[table], left, used, backend)
            name = f"{LOOKED}{i}"
            equal = sql.compare(left.value, "=", sql.column("key", name))
            rows = rows.select(*(sql.column(one.name, name) for one in used), copy=False)
            rows = rows.join(sql.part(unique, name), on=equal, join_type="left", copy=False)
    if not rows.expressions:
        rows = rows.select(sql.named(sql.number(1), "c"), copy=False)
    return columns, rows


def _unique(public: PublicTable, left: Clean, used: list[Clean], backend: Backend) -> exp.Select:
    """Return the columns of a public table, one row for each key."""
    relation = backend.relation(public.source)
    key = Clean.of("key", backend.fields(relation)[public.key], left.kind, left.engine)
    values = [sql.named(one.value, one.name) for one in (key, *used)]
    first = exp.Window(
        this=exp.RowNumber(),
        partition_by=[key()],
        order=exp.Order(expressions=[exp.Ordered(this=one()) for one in used]),
    )
    inner = sql.part(exp.Select().select(*values).from_(relation.copy()), "public")
    ranked = exp.Select().select("*", sql.named(first, "nth")).from_(inner)
    kept = sql.compare(sql.column("nth"), "=", sql.number(1))
    return exp.Select().select("*").from_(sql.part(ranked, "ranked")).where(kept)


# --- checks before anything is charged ----------------------------------------------------------


def check_columns(
    dataset: Dataset, resolved: Resolved, backend: Backend, relation: exp.Table
) -> None:
    """Check that the tables have the columns that a query uses, of the kinds that are declared.

    Public tables are checked for keys that occur twice; nothing is read off the dataset.
    """
    person = dataset.unit.person
    if person is not None and person not in dataset.columns:
        raise InvalidInput(
            f"column {person!r} identifies a person and is not declared: add it to the columns, "
            "such as {kind: integer}"
        )
    fields = backend.fields(relation)
    joins = resolved.query.joins
    for name in [*columns_used(resolved), *(on for _, on in joins)]:
        if name in dataset.columns:
            check_field(name, dataset.columns[name].kind, fields, f"dataset {dataset.name!r}")
    for table, on in joins:
        public = dataset.public[table]
        found = backend.relation(public.source)
        theirs = backend.fields(found)
        where = f"public table {public.name!r}"
        check_field(public.key, dataset.columns[on].kind, theirs, where)
        for name, column in public.columns.items():
            check_field(name, column.kind, theirs, where)
        _check_unique(public, found, theirs[public.key], dataset.columns[on].kind, backend)


def check_field(name: str, kind: str, fields: Mapping[str, Field], where: str) -> None:
    """Refuse a column that is absent, or that its table declares to be of another kind.

    The type that a column of a file or a frame has may be one record's doing, and decides nothing.
    """
    if name not in fields:
        raise InvalidInput(f"{where}: {UnknownName('column', name, fields)}")
    if not fields[name].inferred:
        check_kind(name, kind, fields[name], where)


def check_kind(name: str, kind: str, field: Field, where: str) -> None:
    """Refuse a column of another kind than it is declared, whose values would all be missing."""
    if not field.fits(kind):
        found = field.kind
        advice = (
            "values of a type that is not known here: cast it in a view of the table"
            if found == "other"
            else f"{found}: declare it so, or cast it in a view of the table"
        )
        raise InvalidInput(
            f"column {name!r} of {where} is declared {kind}, and its table has {advice}"
        )


def _check_unique(
    public: PublicTable, relation: exp.Table, field: Field, kind: str, backend: Backend
) -> None:
    key = Clean.of("key", field, kind, engine_of(backend.dialect)).value
    keys = exp.Select().select(sql.named(key, "key")).from_(relation.copy())
    twice = (
        exp.Select()
        .select(sql.named(sql.number(1), "twice"))
        .from_(sql.part(keys, "keys"))
        .where(sql.is_present(sql.column("key")))
        .group_by(sql.column("key"))
        .having(sql.compare(exp.Count(this=exp.Star()), ">", sql.number(1)))
        .limit(1)
    )
    if backend.fetch(twice):
        raise InvalidInput(
            f"a value of the key {public.key!r} occurs twice in the public table "
            f"{public.name!r}, and each row must find one match at most: remove the duplicates"
        )
