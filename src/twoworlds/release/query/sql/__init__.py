"""Queries as SQL: a closed subset, read by `parse_sql` and written by `to_sql`.

Whatever is outside the subset is refused with the reason; nothing is guessed or left out. Four
functions say what SQL has no words for: ``WITH_OTHER``, ``BIN``, ``KEYS`` and ``DISCOVER`` in GROUP
BY, besides ``PEOPLE()``, ``WITH_SHARE(aggregate, share)`` and, in a join, ``KEY(table)``.
"""

from __future__ import annotations

from twoworlds.release.policy.model import Dataset, Policy
from twoworlds.release.query.model import Query
from twoworlds.release.query.sql.write import to_sql

__all__ = ["parse_sql", "to_sql"]


def parse_sql(text: str, dataset: Dataset | Policy) -> Query:
    """Read a query that is written in SQL, of a dataset or of one that a policy has.

    >>> from twoworlds.release.policy import Column, Dataset
    >>> columns = {"age": Column("age", "integer"), "region": Column("region", "text")}
    >>> people = Dataset("people", None, "add-remove", columns=columns)
    >>> query = parse_sql("SELECT region, COUNT(*) FROM people GROUP BY region", people)
    >>> query == Query("people").by("region").count()
    True

    Raises:
        InvalidInput: for anything outside the subset; the message names the part and a way out.
    """
    # sqlglot takes a third of a second to import, which only those pay who write SQL.
    from twoworlds.release.query.sql.parse import parse

    return parse(text, dataset)
