"""Limits on what one person adds: at most so many groups, and then at most so many rows.

Which groups and rows are kept is decided by a digest of them, a rule that looks at nothing but the
person's own rows, so that nobody's presence changes what is kept of somebody else. Rows that agree
in everything that the query uses are interchangeable.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sqlglot import exp

from twoworlds.release.plan import sql
from twoworlds.release.policy.model import Unit

__all__ = ["limited"]

Digest = Callable[[Sequence[exp.Expression]], exp.Expression]


def limited(
    rows: exp.Select,
    person: exp.Expression,
    groups: Sequence[exp.Expression],
    columns: Sequence[exp.Expression],
    digest: Digest,
    unit: Unit,
) -> exp.Select:
    """Keep at most ``unit.groups`` groups and ``unit.rows`` rows of each person.

    Args:
        rows: Rows with a person and a group each.
        person: The column that identifies a person.
        groups: The columns that make up a group.
        columns: The other columns that the query uses.
        digest: The engine's digest of columns.
        unit: The limits. As many groups as rows are no limit.
    """
    if groups and unit.groups < unit.rows:
        rows = _first(exp.Anonymous(this="DENSE_RANK"), rows, person, groups, digest, unit.groups)
    return _first(exp.RowNumber(), rows, person, [*groups, *columns], digest, unit.rows)


def _first(
    rank: exp.Expression,
    rows: exp.Select,
    person: exp.Expression,
    columns: Sequence[exp.Expression],
    digest: Digest,
    most: int,
) -> exp.Select:
    order = [digest([x.copy() for x in (person, *columns)]), *columns]
    window = exp.Window(
        this=rank,
        partition_by=[person.copy()],
        order=exp.Order(expressions=[exp.Ordered(this=x.copy()) for x in order]),
    )
    nth = exp.Alias(this=window, alias=exp.to_identifier("nth", quoted=True))
    everything = rows.named_selects
    ranked = (
        exp.Select()
        .select(*(sql.column(name) for name in everything), nth)
        .from_(sql.part(rows, "unlimited"))
    )
    return (
        exp.Select()
        .select(*(sql.column(name) for name in everything))
        .from_(sql.part(ranked, "ranked"))
        .where(sql.compare(sql.column("nth"), "<=", sql.number(most)))
    )
