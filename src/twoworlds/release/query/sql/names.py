"""Names in SQL: which column of which table is meant.

A name is matched exactly, or else without regard to capitals if only one name fits.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from sqlglot import exp

from twoworlds.errors import InvalidInput, UnknownName
from twoworlds.release.policy.model import ColumnKind, Dataset
from twoworlds.release.query.sql.refusals import check_arguments, refusal, why_not

__all__ = ["Scope", "match_name"]


def match_name(kind: str, name: str, known: Iterable[str]) -> str:
    """Return the known name that is meant.

    >>> match_name("column", "AGE", ["age", "region"])
    'age'
    """
    names = list(known)
    if name in names:
        return name
    alike = [other for other in names if other.casefold() == name.casefold()]
    if len(alike) > 1:
        raise InvalidInput(
            f"{kind} {name!r} may be {' or '.join(map(repr, alike))}: write it exactly"
        )
    if not alike:
        raise UnknownName(kind, name, names)
    return alike[0]


@dataclass(frozen=True)
class Scope:
    """The tables of a query, by the names under which its columns are written.

    Attributes:
        dataset: What the policy declares.
        tables: For each name or alias, the public table; None for the dataset itself.
    """

    dataset: Dataset
    tables: Mapping[str, str | None]

    def column(self, node: exp.Expr) -> str:
        """Return the name of a column as queries spell it."""
        if node.find(exp.AggFunc) is not None and node.find(exp.Query) is None:
            raise refusal(node, "an aggregate stands in SELECT and nowhere else")
        if type(node) is exp.Column and type(node.this) is exp.Star:
            raise refusal(node, "name the keys and the aggregates: SELECT region, COUNT(*)")
        if type(node) is not exp.Column or type(node.this) is not exp.Identifier:
            raise why_not(node, "a column is expected here")
        check_arguments(node, "this", "table")
        name = node.this.name
        if not node.table:
            known = [found for table in self.tables.values() for found in self._columns(table)]
            fits = [n for n in known if n[0] == name] or [
                n for n in known if n[0].casefold() == name.casefold()
            ]
            if len(fits) > 1:
                choices = " or ".join(repr(full) for _, full in fits)
                way_out = "write the table before it, and capitals exactly"
                raise InvalidInput(f"column {name!r} may be {choices}: {way_out}")
            return fits[0][1] if fits else match_name("column", name, [n for _, n in known])
        visible = match_name("table", node.table, self.tables)
        columns = dict(self._columns(self.tables[visible]))
        return columns[match_name("column", name, columns)]

    def kind(self, column: str) -> ColumnKind:
        """Return what the policy says a column holds."""
        return self.dataset.column(column).kind

    def _columns(self, table: str | None) -> list[tuple[str, str]]:
        """Return the columns of a table, each as written and as queries spell it."""
        if table is None:
            return [(name, name) for name in self.dataset.columns]
        return [(name, f"{table}.{name}") for name in self.dataset.public[table].columns]
