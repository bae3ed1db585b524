"""The rows of a dataset made clean: the columns that a query uses, public tables looked up.

A row finds at most one row of a public table: keys are checked when a table is opened
(`check_columns`), and should a key have been added twice since, one of its rows is taken.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

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
    found = dict.fromkeys(_columns(resolved))
    return list(found)


def _columns(resolved: Resolved) -> Iterator[str]:
    yield from columns_of(resolved.query.condition)
    for axis in resolved.axes:
        yield axis.column
    for measure in resolved.measures:
        yield from columns_of(measure.where)
        if measure.column is not None:
            yield measure.column
    if resolved.dataset.unit.person is not None:
        yield resolved.dataset.unit.person


@dataclass(frozen=True)
class PlannedTable:
    """The table of a dataset as one query sees it.

    Attributes:
        resolved: The query.
        relation: The table in its engine.
        backend: The engine.
        columns: The clean columns that the query uses, by their names in the policy.
    """

    resolved: Resolved
    relation: exp.Table
    backend: Backend
    columns: dict[str, Clean]

    @classmethod
    def of(cls, resolved: Resolved, relation: exp.Table, backend: Backend) -> PlannedTable:
        """Return the table as a query sees it."""
        engine = engine_of(backend.dialect)
        columns = {}
        for i, name in enumerate(columns_used(resolved)):
            field = _field(name, resolved.dataset, relation, backend)
            kind = resolved.dataset.column(name).kind
            person = name == resolved.dataset.unit.person
            columns[name] = Clean.of(f"c{i}", field, kind, engine, exact=person)
        return cls(resolved, relation, backend, columns)

    def rows(self) -> exp.Select:
        """Return the clean rows: one for each row of the table."""
        query = exp.Select().from_(_aliased(self.relation, RAW), copy=False)
        fields, dataset = self.backend.fields(self.relation), self.resolved.dataset
        for name, clean in self.columns.items():
            if name in dataset.columns:
                value = clean.cleaning(fields[name], sql.column(fields[name].name, RAW))
                query = query.select(sql.named(value, clean.name), copy=False)
        for i, join in enumerate(self.resolved.query.joins):
            query = self._look_up(query, f"{LOOKED}{i}", dataset.public[join.table], join.on)
        if not query.expressions:
            query = query.select(sql.named(sql.number(1), "c"), copy=False)
        return query

    def _look_up(
        self, query: exp.Select, name: str, public: PublicTable, column: str
    ) -> exp.Select:
        """Join a public table; its columns are missing where a row finds nothing."""
        used = {n: c for n, c in self.columns.items() if self._belongs(n, public)}
        if not used:
            return query
        relation = self.backend.relation(public.source)
        fields, dataset = self.backend.fields(relation), self.resolved.dataset
        engine = engine_of(self.backend.dialect)
        mine = self.backend.fields(self.relation)[column]
        kind = dataset.column(column).kind
        left = Clean.of("on", mine, kind, engine).cleaning(mine, sql.column(mine.name, RAW))
        theirs = fields[public.key]
        right = Clean.of("key", theirs, kind, engine).cleaning(theirs, sql.column(theirs.name))
        inner = exp.Select().select(sql.named(right, "key")).from_(relation.copy())
        for full, clean in used.items():
            field = fields[full.partition(".")[2]]
            value = clean.cleaning(field, sql.column(field.name))
            inner = inner.select(sql.named(value, clean.name), copy=False)
            query = query.select(sql.column(clean.name, name), copy=False)
        first = exp.Window(
            this=exp.RowNumber(),
            partition_by=[sql.column("key")],
            order=exp.Order(expressions=[exp.Ordered(this=clean()) for clean in used.values()]),
        )
        ranked = exp.Select().select("*", sql.named(first, "nth")).from_(sql.part(inner, "public"))
        unique = (
            exp.Select()
            .select("*")
            .from_(sql.part(ranked, "ranked"))
            .where(sql.compare(sql.column("nth"), "=", sql.number(1)))
        )
        on = sql.compare(left, "=", sql.column("key", name))
        return query.join(sql.part(unique, name), on=on, join_type="left", copy=False)

    def _belongs(self, name: str, public: PublicTable) -> bool:
        table, _, rest = name.partition(".")
        in_dataset = name in self.resolved.dataset.columns
        return not in_dataset and table == public.name and rest in public.columns


def _aliased(relation: exp.Table, name: str) -> exp.Table:
    found = relation.copy()
    found.set("alias", exp.TableAlias(this=exp.to_identifier(name, quoted=True)))
    return found


def _field(name: str, dataset: Dataset, relation: exp.Table, backend: Backend) -> Field:
    if name in dataset.columns:
        return backend.fields(relation)[name]
    table, _, rest = name.partition(".")
    return backend.fields(backend.relation(dataset.public[table].source))[rest]


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
    for name in [*columns_used(resolved), *(join.on for join in joins)]:
        if name in dataset.columns:
            check_field(name, dataset.columns[name].kind, fields, f"dataset {dataset.name!r}")
    for join in joins:
        public = dataset.public[join.table]
        found = backend.relation(public.source)
        theirs = backend.fields(found)
        where = f"public table {public.name!r}"
        check_field(public.key, dataset.columns[join.on].kind, theirs, where)
        for name, column in public.columns.items():
            check_field(name, column.kind, theirs, where)
        _check_unique(public, found, theirs[public.key], dataset.columns[join.on].kind, backend)


def check_field(name: str, kind: str, fields: Mapping[str, Field], where: str) -> None:
    """Refuse a column that is absent, or that its table declares to be of another kind.

    The type that a column of a file or a frame has may be one record's doing, and decides nothing.
    """
    if name not in fields:
        raise UnknownName(f"column of the table of {where}", name, fields)
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
    clean = Clean.of("key", field, kind, engine_of(backend.dialect))
    key = clean.cleaning(field, sql.column(field.name))
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
