"""One statement for a whole query, so that all its totals are of one moment.

    clean rows  ->  those that satisfy the condition, with their groups
                ->  at most so many of each person, when people are protected
                ->  sums by group  (and, for each quantile, counts by group and bin of its grid)

When rows are protected, they are added up by the raw values of their keys and only these sums are
looked up in the list of declared keys, so each row is touched once. Where the declared ones come
back themselves, `Layout.decode` looks them up.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from sqlglot import exp

from twoworlds.release.backends.base import Backend
from twoworlds.release.plan import sql
from twoworlds.release.plan.columns import Clean, truth
from twoworlds.release.plan.groups import Grouping, Layout, Totals, aggregates, limbs, limited, rank
from twoworlds.release.plan.sql import Engine, engine_of
from twoworlds.release.plan.tables import PlannedTable
from twoworlds.release.query.conditions import columns_of
from twoworlds.release.query.resolve import Resolved, SummedMeasure


@dataclass(frozen=True)
class Plan:
    """A statement, and how its rows are read.

    Attributes:
        statement: One query; `Backend.rows` runs it.
        layout: What its columns are.
    """

    statement: exp.Query
    layout: Layout

    def decode(self, rows: Iterable[Sequence[Any]]) -> Totals:
        """Return the totals that the rows of the statement hold."""
        return self.layout.decode(rows)


def plan(resolved: Resolved, relation: exp.Table, backend: Backend) -> Plan:
    """Return the statement that computes the true totals of a query in its engine."""
    return _Planner.of(resolved, relation, backend).plan()


@dataclass(frozen=True)
class _Planner:
    resolved: Resolved
    table: PlannedTable
    engine: Engine
    groupings: tuple[Grouping, ...]
    prefix: str  # of the names of common tables

    @classmethod
    def of(cls, resolved: Resolved, relation: exp.Table, backend: Backend) -> _Planner:
        table = PlannedTable.of(resolved, relation, backend)
        taken = [relation.name]
        taken += [backend.relation(p.source).name for p in _publics(resolved)]
        prefix = "shared"
        while any(name.lower().startswith(prefix) for name in taken):
            prefix += "_"
        groupings = tuple(
            Grouping(axis, table.columns[axis.column], f"g{i}", f"{prefix}_keys{i}")
            for i, axis in enumerate(resolved.axes)
        )
        return cls(resolved, table, engine_of(backend.dialect), groupings, prefix)

    def plan(self) -> Plan:
        measures = self.resolved.measures
        layout = Layout(
            tuple(g.column.kind if g.axis.discover else None for g in self.groupings),
            self.resolved.shape,
            tuple(measure.kind for measure in measures),
            tuple(limbs(measure, self.engine) for measure in measures),
            tuple(2 * len(m.grid) + 1 if m.kind == "ranks" else 0 for m in measures),
            once=self._once,
            keys=tuple(g.places() if self._returned(g) else None for g in self.groupings),
        )
        ranked = [j for j, measure in enumerate(measures) if measure.kind == "ranks"]
        rows = self._limited() if self._person is not None else self._grouped()
        shared = self._person is not None and len(ranked) + any(layout.limbs) > 1
        source = f"{self.prefix}_rows"
        parts = []
        if any(layout.limbs):
            parts.append(_part(0, self._sums(_from(rows, source, shared=shared))))
        for j in ranked:
            parts.append(_part(j + 1, self._ranks(measures[j], _from(rows, source, shared=shared))))
        statement = _together(parts)
        for g in self.groupings:
            if g.looked_up and not self._listed(g):
                alias = _alias(g.keys, "key", "cell")
                statement = statement.with_(alias, as_=g.key_table(), copy=False)
        if shared:
            statement = statement.with_(_alias(source), as_=rows, copy=False)
        return Plan(statement, layout)

    @property
    def _person(self) -> Clean | None:
        name = self.resolved.dataset.unit.person
        return None if name is None else self.table.columns[name]

    @property
    def _once(self) -> bool:
        """Whether the rows of each cell have been added up by the statement.

        Discovered keys that differ may be read as one. Sums by raw keys are looked up afterwards,
        and among floats an engine may have two groups for 0 and -0, which are one key.
        """
        if any(g.axis.discover for g in self.groupings):
            return False
        raw = [g for g in self.groupings if g.looked_up] if self._person is None else []
        again = any(g.axis.other for g in raw)
        return again or not any(g.column.family in ("float", "dynamic") for g in raw)

    def _listed(self, grouping: Grouping) -> bool:
        """Whether keys are searched in a list: those of sums only, never those of each row."""
        return self._person is None and grouping.looked_up and grouping.listed

    def _returned(self, grouping: Grouping) -> bool:
        """Whether keys in the list come back themselves, and no others do."""
        return grouping.must_exist and self._listed(grouping)

    def _column(self, name: str) -> Clean:
        return self.table.columns[name]

    def _values(self) -> list[str]:
        """Return the clean columns that measures use, without the one that identifies a person."""
        names: dict[str, None] = {}
        for measure in self.resolved.measures:
            names.update(dict.fromkeys(columns_of(measure.where)))
            if measure.column is not None:
                names[measure.column] = None
        names.pop(self.resolved.dataset.unit.person or "", None)
        return [self._column(name).name for name in names]

    def _grouped(self) -> exp.Select:
        """Return the rows that count, each with its group: a raw key, or the index of a bin."""
        query = exp.Select().from_(sql.part(self.table.rows(), "clean"), copy=False)
        query = query.select(*(sql.named(g.raw(), g.name) for g in self.groupings), copy=False)
        query = query.select(*map(sql.column, self._values()), copy=False)
        if self._person is not None:
            query = query.select(self._person(), copy=False)
            query = query.where(sql.is_present(self._person()), copy=False)
        if self.resolved.query.condition is not None:
            query = query.where(truth(self.resolved.query.condition, self._column), copy=False)
        if not query.expressions:
            query = query.select(sql.named(sql.number(1), "c"), copy=False)
        return query

    def _limited(self) -> exp.Select:
        """Return the rows that count, at most so many of each person, with declared groups."""
        person = self._person
        assert person is not None
        others = [*self._values(), person.name]
        rows = self._looked_up(self._grouped(), [sql.column(n, "found") for n in others])
        rows = _present(rows, [g.name for g in self.groupings if g.must_exist])
        groups = [g() for g in self.groupings]
        values = [sql.column(name) for name in self._values()]
        unit = self.resolved.dataset.unit
        return limited(rows, person(), groups, values, self.engine.digest, unit)

    def _looked_up(self, query: exp.Select, others: Sequence[exp.Expression]) -> exp.Select:
        """Turn raw keys into indices; a key that is not declared goes to others, or leaves."""
        if not any(g.looked_up and not self._returned(g) for g in self.groupings):
            return query
        found = exp.Select().from_(sql.part(query, "found"), copy=False)
        for g in self.groupings:
            if g.looked_up and not self._listed(g):
                index = g.index()
                found = g.look_up(found, "found")
            elif g.looked_up and not self._returned(g):
                index = g.position("found")
            else:
                index = sql.column(g.name, "found")
            found = found.select(sql.named(index, g.name), copy=False)
        return found.select(*others, copy=False)

    def _sums(self, source: exp.Expression) -> exp.Select:
        sums = [
            total
            for measure in self.resolved.measures
            for total in aggregates(measure, self.engine, self._column, self._person)
        ]
        return self._added_up(source, sums)

    def _ranks(self, measure: SummedMeasure, source: exp.Expression) -> exp.Select:
        """Return counts by group and bin: the bin comes after the groups."""
        groups = [g.name for g in self.groupings]
        values = exp.Select().from_(source, copy=False).select(*map(sql.column, groups), copy=False)
        v = self._column(str(measure.column)).units(measure)
        values = values.select(sql.named(v, "v"), copy=False)
        if measure.where is not None:
            values = values.where(truth(measure.where, self._column), copy=False)
        bins = exp.Select().from_(sql.part(_present(values, ["v"]), "units"), copy=False)
        bins = bins.select(*map(sql.column, groups), copy=False)
        index = rank(sql.column("v"), measure.grid, self.engine)
        bins = bins.select(sql.named(index, "bin"), copy=False)
        return self._added_up(sql.part(bins, "binned"), [exp.Count(this=exp.Star())], "bin")

    def _added_up(
        self, source: exp.Expression, sums: Sequence[exp.Expression], *extra: str
    ) -> exp.Select:
        """Add up by group; for rows, by raw key first and then by the keys that are declared."""
        groups = [*(g.name for g in self.groupings), *extra]
        names = [f"m{i}" for i in range(len(sums))]
        query = exp.Select().from_(source, copy=False)
        query = query.select(*map(sql.column, groups), copy=False)
        query = query.select(
            *(sql.named(x, name) for x, name in zip(sums, names, strict=True)), copy=False
        )
        if groups:
            query = query.group_by(*map(sql.column, groups), copy=False)
        returned = [g.declared() for g in self.groupings if self._returned(g)]
        query = query.having(*returned, copy=False)
        if self._person is not None:
            return query
        dropped = [g for g in self.groupings if g.must_exist and not g.looked_up]
        query = query.where(*(sql.is_present(g()) for g in dropped), copy=False)
        others = [sql.column(name, "found") for name in (*extra, *names)]
        query = self._looked_up(query, others)
        if not any(g.looked_up and g.axis.other for g in self.groupings):
            return query
        outer = exp.Select().from_(sql.part(query, "declared"), copy=False)
        outer = outer.select(*map(sql.column, groups), copy=False)
        totals = [sql.named(exp.Sum(this=sql.column(name)), name) for name in names]
        outer = outer.select(*totals, copy=False)
        return outer.group_by(*map(sql.column, groups), copy=False)


def _publics(resolved: Resolved) -> list[Any]:
    return [resolved.dataset.public[join.table] for join in resolved.query.joins]


def _alias(name: str, *columns: str) -> exp.TableAlias:
    names = [exp.to_identifier(column, quoted=True) for column in columns]
    return exp.TableAlias(this=exp.to_identifier(name, quoted=True), columns=names)


def _from(rows: exp.Select, name: str, *, shared: bool) -> exp.Expression:
    return sql.table(name) if shared else sql.part(rows.copy(), name)


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
