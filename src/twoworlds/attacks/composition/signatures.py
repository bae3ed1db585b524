"""What tables leave to everybody of a register, as tables of DuckDB.

People who match the same groups of a table share a *signature*, and so what the table leaves them.
People who share the signatures of all tables are computed once:

*   ``profiles0``, ``profiles1``, ...: the signature of each profile that matches the table;
*   ``values0``, ...: for each signature the sensitive cells and how many matching rows have each;
*   ``signed``: the profiles with all signatures; ``combined``: how many people share them;
*   ``outcomes``: for those the number of candidates, and the ways to choose agreeing rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from twoworlds.attacks.composition.agreement import agreements, read_sensitive
from twoworlds.attacks.composition.joining import fill, make_groups, make_matches
from twoworlds.attacks.composition.matching import KnownValues

if TYPE_CHECKING:
    import duckdb

    from twoworlds.attacks.composition.sources import Loaded

__all__ = ["make_outcomes", "make_signatures"]


def make_signatures(
    register: Loaded,
    table: Loaded,
    known: Mapping[str, KnownValues],
    sensitive: str,
    number: int,
) -> None:
    """Make what a table leaves to profiles; those that match the same groups share a signature."""
    run = register.connection.execute
    groups, pairs = f"groups{number}", f"matches{number}"
    make_groups(table, list(known), groups)
    make_matches(register, table, known, groups, pairs)
    # Most profiles match one group, whose number is their signature; others get a larger one.
    run(
        f"CREATE TABLE firsts AS SELECT profile, min(group_) AS signature, count(*) AS number "
        f"FROM {pairs} GROUP BY profile"
    )
    run(
        f"CREATE TABLE several AS SELECT profile, dense_rank() OVER (ORDER BY hidden) + (SELECT "
        f"max(id) FROM {groups}) AS signature, hidden FROM (SELECT profile, list(group_ ORDER BY "
        f"group_) AS hidden FROM {pairs} JOIN firsts USING (profile) WHERE number > 1 GROUP BY "
        "profile)"
    )
    run(
        f"CREATE TABLE profiles{number} AS SELECT profile, signature FROM firsts WHERE number = 1 "
        "UNION ALL SELECT profile, signature FROM several"
    )
    run(
        f"CREATE TABLE hidden{number} AS SELECT DISTINCT signature, signature AS group_ FROM "
        "firsts WHERE number = 1 UNION ALL SELECT signature, unnest(any_value(hidden)) FROM "
        "several GROUP BY signature"
    )
    run("DROP TABLE firsts")
    run("DROP TABLE several")
    here = [table.columns[column] for column in known if column in table.columns]
    same = " AND ".join(f"g.k{i} IS NOT DISTINCT FROM t.{c}" for i, c in enumerate(here))
    cells = ", ".join([*here, f"{table.columns[sensitive]} AS said"])
    run(
        f"CREATE TABLE values{number} AS SELECT signature, said, sum(size)::HUGEINT AS size FROM "
        f"hidden{number} JOIN (SELECT g.id AS group_, t.said, t.size FROM (SELECT {cells}, "
        f"count(*) AS size FROM {table.table} GROUP BY ALL) AS t JOIN {groups} AS g "
        f"ON {same or 'true'}) USING (group_) GROUP BY ALL"
    )


def make_outcomes(
    connection: duckdb.DuckDBPyConnection, tables: Sequence[Loaded], sensitive: str
) -> None:
    """Make what all tables leave together, and ``alone0``, ..., what each leaves alone.

    Somebody is pinned down by one candidate that is a value; one that is a set pins nobody down.
    """
    numbers = range(len(tables))
    texts = [table.texts(sensitive) for table in tables]
    read = read_sensitive(texts)
    fill(connection, "single", ["said"], ([text] for text, one in read.items() if one.value))
    for i in numbers:
        connection.execute(
            f"CREATE TABLE alone{i} AS SELECT signature, count(*) AS number, count(*) = 1 AND "
            f"count(single.said) = 1 AS pinned FROM values{i} LEFT JOIN single USING (said) "
            "GROUP BY signature"
        )
    agreed = (
        (*chosen, one.label, "pinned" if one.value else None)
        for chosen, one in agreements(texts, read)
    )
    fill(connection, "agreeing", [*(f"x{i}" for i in numbers), "label", "single"], agreed)
    signatures = ", ".join(f"profiles{i}.signature AS s{i}" for i in numbers)
    shared = ", ".join(f"s{i}" for i in numbers)
    joins = " ".join(f"LEFT JOIN profiles{i} ON profiles{i}.profile = profiles.id" for i in numbers)
    connection.execute(
        f"CREATE TABLE signed AS SELECT profiles.*, {signatures} FROM profiles {joins}"
    )
    connection.execute(
        f"CREATE TABLE combined AS SELECT {shared}, sum(people)::BIGINT AS people, min(first) AS "
        f"first, row_number() OVER () AS id FROM signed GROUP BY {shared}"
    )
    leaves = " ".join(f"JOIN values{i} ON values{i}.signature = c.s{i}" for i in numbers)
    agree = " AND ".join(f"a.x{i} IS NOT DISTINCT FROM values{i}.said" for i in numbers)
    ways = " * ".join(f"values{i}.size" for i in numbers)
    connection.execute(
        "CREATE TABLE outcomes AS SELECT id, count(*) AS number, count(*) = 1 AND count(single) = "
        "1 AS pinned, max(ways) AS best, sum(ways) AS total, any_value(label) AS label FROM "
        f"(SELECT c.id, a.label, any_value(a.single) AS single, sum({ways}) AS ways FROM combined "
        f"AS c {leaves} JOIN agreeing AS a ON {agree} GROUP BY c.id, a.label) GROUP BY id"
    )
