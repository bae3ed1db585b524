"""One statement for a whole query, so that all its totals are of one moment.

    clean rows  ->  those that satisfy the condition, with their groups
                ->  at most so many of each person, when people are protected
                ->  sums by group  (and, for each quantile, counts by group and bin of its grid)

When rows are protected, they are added up by the raw values of their keys and only these sums are
looked up in the table of declared keys, so each row is touched once.

Clean rows have the columns that a query uses, those of public tables looked up. A row finds at most
one row of a public table: keys are checked when a table is opened (`check_columns`), and should a
key have been added twice since, one of its rows is taken.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from sqlglot import exp

from twoworlds.errors import InvalidInput, UnknownName
from twoworlds.release.backends.base import Backend, Field
from twoworlds.release.plan import sql
from twoworlds.release.plan.columns import Clean, truth
from twoworlds.release.plan.groups import Grouping, Plan, aggregates, limbs, limited, rank
from twoworlds.release.plan.sql import engine_of
from twoworlds.release.policy.model import Dataset, PublicTable
from twoworlds.release.query.conditions import columns_of
from twoworlds.release.query.resolve import Resolved, SummedMeasure

RAW, LOOKED = "raw", "looked"  # what statements call the table, and the tables looked up


def plan(resolved: Resolved, relation: exp.Table, backend: Backend) -> Plan:
    """Return the statement that computes the true totals of a query in its engine."""
    return _Planner(resolved, relation, backend).plan()


class _Planner:
    """The parts of one statement."""

    def __init__(self, resolved: Resolved, relation: exp.Table, backend: Backend) -> None:
        self.resolved, self.engine = resolved, engine_of(backend.dialect)
        dataset, joins = resolved.dataset, resolved.query.joins
        self.columns, self.clean = clean_rows(
            dataset, columns_used(resolved), joins, relation, backend
        )
        unit = dataset.unit
        self.person = None if unit.person is None else self.columns[unit.person]
        publics = [backend.relation(dataset.public[table].source) for table, _ in joins]
        self.prefix = "shared"  # of the names of common tables
        while any(one.name.lower().startswith(self.prefix) for one in (relation, *publics)):
            self.prefix += "_"
        self.groupings = [
            Grouping(axis, self.columns[axis.column], f"g{i}", f"{self.prefix}_keys{i}")
            for i, axis in enumerate(resolved.axes)
        ]
        names = dict.fromkeys(
            name
            for measure in resolved.measures
            for name in (*columns_of(measure.where), measure.column)
            if name not in (None, unit.person)
        )
        self.values = [self.columns[str(name)].name for name in names]  # that measures use

    def plan(self) -> Plan:
        measures = self.resolved.measures
        columns = tuple(limbs(measure, self.engine) for measure in measures)
        ranked = [j for j, measure in enumerate(measures) if measure.kind == "ranks"]
        rows = self._grouped() if self.person is None else self._limited()
        shared = self.person is not None and len(ranked) + any(columns) > 1
        name = f"{self.prefix}_rows"

        def source() -> exp.Expression:
            return sql.table(name) if shared else sql.part(rows.copy(), name)

        parts = [_part(0, self._sums(source()))] if any(columns) else []
        parts += [_part(j + 1, self._ranks(measures[j], source())) for j in ranked]
        statement = _together(parts)
        for g in self.groupings:
            if g.axis.keys:
                alias = _alias(g.keys, "key", "cell")
                statement = statement.with_(alias, as_=g.key_table(), copy=False)
        if shared:
            statement = statement.with_(_alias(name), as_=rows, copy=False)
        return Plan(
            statement,
            tuple(g.column.kind if g.axis.discover else None for g in self.groupings),
            self.resolved.shape,
            tuple(measure.kind for measure in measures),
            columns,
            tuple(2 * len(m.grid) + 1 if m.kind == "ranks" else 0 for m in measures),
            once=self._once(),
        )

    def _once(self) -> bool:
        """Whether the rows of each cell have been added up by the statement.

        Discovered keys that differ may be read as one. Sums by raw keys are looked up afterwards,
        and among floats an engine may have two groups for 0 and -0, which are one key.
        """
        if any(g.axis.discover for g in self.groupings):
            return False
        raw = [g for g in self.groupings if g.axis.keys] if self.person is None else []
        again = any(g.axis.other for g in raw)
        return again or not any(g.column.family in ("float", "dynamic") for g in raw)

    def _grouped(self) -> exp.Select:
        """Return the rows that count, each with its group: a raw key, or the index of a bin."""
        query = exp.Select().from_(sql.part(self.clean, "clean"), copy=False)
        query = query.select(*(sql.named(g.raw(), g.name) for g in self.groupings), copy=False)
        query = query.select(*map(sql.column, self.values), copy=False)
        if self.person is not None:
            query = query.select(self.person(), copy=False)
            query = query.where(sql.is_present(self.person()), copy=False)
        if self.resolved.query.condition is not None:
            query = query.where(truth(self.resolved.query.condition, self.columns), copy=False)
        if not query.expressions:
            query = query.select(sql.named(sql.number(1), "c"), copy=False)
        return query

    def _limited(self) -> exp.Select:
        """Return the rows that count, at most so many of each person, with declared groups."""
        assert self.person is not None
        rows = self._looked_up(self._grouped(), [*self.values, self.person.name])
        rows = _present(rows, [g.name for g in self.groupings if not g.axis.other])
        groups = [g() for g in self.groupings]
        values = [sql.column(name) for name in self.values]
        unit = self.resolved.dataset.unit
        return limited(rows, self.person(), groups, values, self.engine.digest, unit)

    def _looked_up(self, query: exp.Select, others: Sequence[str]) -> exp.Select:
        """Turn raw keys into indices; a key that is not declared goes to others, or leaves."""
        if not any(g.axis.keys for g in self.groupings):
            return query
        found = exp.Select().from_(sql.part(query, "found"), copy=False)
        for g in self.groupings:
            found = g.look_up(found, "found")
        return found.select(*(sql.column(name, "found") for name in others), copy=False)

    def _sums(self, source: exp.Expression) -> exp.Select:
        sums = [
            total
            for measure in self.resolved.measures
            for total in aggregates(measure, self.engine, self.columns, self.person)
        ]
        return self._added_up(source, sums)

    def _ranks(self, measure: SummedMeasure, source: exp.Expression) -> exp.Select:
        """Return counts by group and bin: the bin comes after the groups."""
        groups = [g.name for g in self.groupings]
        v = self.columns[str(measure.column)].units(measure)
        values = exp.Select().from_(source, copy=False)
        values = values.select(*map(sql.column, groups), sql.named(v, "v"), copy=False)
        if measure.where is not None:
            values = values.where(truth(measure.where, self.columns), copy=False)
        index = rank(sql.column("v"), measure.grid, self.engine)
        bins = exp.Select().from_(sql.part(_present(values, ["v"]), "units"), copy=False)
        bins = bins.select(*map(sql.column, groups), sql.named(index, "bin"), copy=False)
        return self._added_up(sql.part(bins, "binned"), [exp.Count(this=exp.Star())], "bin")

    def _added_up(
        self, source: exp.Expression, sums: Sequence[exp.Expression], *extra: str
    ) -> exp.Select:
        """Add up by group; for rows, by raw key first and then by the keys that are declared."""
        groups = [*(g.name for g in self.groupings), *extra]
        names = [f"m{i}" for i in range(len(sums))]
        query = exp.Select().from_(source, copy=False)
        query = query.select(*map(sql.column, groups), *map(sql.named, sums, names), copy=False)
        query = query.group_by(*map(sql.column, groups), copy=False)
        if self.person is not None:
            return query
        dropped = [g for g in self.groupings if not g.axis.other and not g.axis.keys]
        query = query.where(*(sql.is_present(g()) for g in dropped), copy=False)
        query = self._looked_up(query, [*extra, *names])
        if not any(g.axis.keys and g.axis.other for g in self.groupings):
            return query
        outer = exp.Select().from_(sql.part(query, "declared"), copy=False)
        totals = [sql.named(exp.Sum(this=sql.column(name)), name) for name in names]
        outer = outer.select(*map(sql.column, groups), *totals, copy=False)
        return outer.group_by(*map(sql.column, groups), copy=False)


def _alias(name: str, *columns: str) -> exp.TableAlias:
    names = [exp.to_identifier(column, quoted=True) for column in columns]
    return exp.TableAlias(this=exp.to_identifier(name, quoted=True), columns=names)


def _part(part: int, query: exp.Select) -> exp.Select:
    """Put the number of its part in front of each row."""
    query.set("expressions", [sql.named(sql.number(part), "part"), *query.expressions])
    return query


def _present(rows: exp.Select, names: Sequence[str]) -> exp.Select:
    """Keep the rows in which these columns have a value."""
    if not names:
        return rows
    kept = exp.Select().from_(sql.part(rows, "some"), copy=False)
    kept = kept.select(*map(sql.column, rows.named_selects), copy=False)
    return kept.where(*(sql.is_present(sql.column(name)) for name in names), copy=False)


def _together(parts: Sequence[exp.Select]) -> exp.Query:
    """Put the rows of several statements below each other, with as many columns each."""
    width = max(len(part.expressions) for part in parts)
    for part in parts:
        missing = width - len(part.expressions)
        part.select(*(sql.null("BIGINT") for _ in range(missing)), copy=False)
    found: exp.Query = parts[0]
    for part in parts[1:]:
        found = exp.union(found, part, distinct=False, copy=False)
    return found


# --- clean rows ---------------------------------------------------------------------------------


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
            "values of a type that is not known here: convert the column"
            if found == "other"
            else f"{found}: declare it so, or convert the column"
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
