"""What tables leave to everybody of a register, as tables of DuckDB.

People who match the same groups of a table share a *signature*, and so what the table leaves them.
People who share the signatures of all tables are computed once:

*   ``profiles0``, ``profiles1``, ...: the signature of each profile that matches the table;
*   ``values0``, ...: for each signature the sensitive cells and how many matching rows have each;
*   ``signed``: the profiles with all signatures; ``combined``: how many people share them;
*   ``outcomes``: for those the number of candidates, the weight of the likeliest, and of all.

Weights of the belief without prior and population are computed in DuckDB. `posteriors` computes
what any belief says, one by one.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from math import lcm, prod
from typing import TYPE_CHECKING

from twoworlds.attacks.composition.agreement import (
    Candidate,
    Values,
    agreements,
    read_sensitive,
)
from twoworlds.attacks.composition.beliefs import TableBelief, choices_of
from twoworlds.attacks.composition.joining import fill, make_groups, make_matches
from twoworlds.attacks.composition.matching import KnownValues
from twoworlds.errors import TooLarge

if TYPE_CHECKING:
    import duckdb

    from twoworlds.attacks.composition.sources import Loaded

__all__ = ["joined", "make_outcomes", "make_signatures", "posteriors"]

_MOST_WAYS = 1 << 126


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
    Weights are those of `twoworlds.attacks.composition.beliefs`, multiplied to whole numbers; for
    people whose rows agree on a set without values that occur, they are the ways to choose rows.

    Raises:
        TooLarge: for weights of more than 126 bits.
    """
    numbers = range(len(tables))
    texts = [table.texts(sensitive) for table in tables]
    read = read_sensitive(texts)
    values = Values(read.values())
    _make_alone(connection, read, values, len(tables))
    common = _common(texts, read, values)
    if prod(table.rows * one for table, one in zip(tables, common, strict=True)) > _MOST_WAYS:
        raise TooLarge(
            "there are too many ways to choose a row in each of these tables: attack fewer tables "
            "at once"
        )
    fill(
        connection,
        "agreeing",
        [*(f"x{i}" for i in numbers), "label", "kind", "factor"],
        _agreeing(texts, read, values, common),
    )
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
        f"CREATE TABLE weighed AS SELECT c.id, a.label, min(kind) AS kind, sum({ways}) FILTER "
        f"(kind IS NOT NULL) AS ways, sum({ways} * factor::HUGEINT) AS weight, count(*) > "
        f"count(factor) AS empty FROM combined AS c {leaves} JOIN agreeing AS a ON {agree} GROUP "
        "BY c.id, a.label"
    )
    connection.execute(
        "CREATE TABLE outcomes AS SELECT id, count(kind) AS number, count(kind) = 1 AND min(kind) "
        "= 'value' AS pinned, CASE WHEN bool_or(empty) THEN max(ways) ELSE max(weight) END AS "
        "best, CASE WHEN bool_or(empty) THEN sum(ways) ELSE sum(weight) END AS total, "
        "min(label) FILTER (kind IS NOT NULL) AS label FROM weighed GROUP BY id"
    )


def joined(register: Loaded, known: Sequence[str], tables: int) -> tuple[str, str]:
    """Return the conditions that join ``signed`` as p with people as t, and with rows as r."""
    together = " AND ".join(f"p.s{i} IS NOT DISTINCT FROM t.s{i}" for i in range(tables))
    same = " AND ".join(
        f"r.{register.columns[column]} IS NOT DISTINCT FROM p.k{i}"
        for i, column in enumerate(known)
    )
    return together, same


def posteriors(
    tables: Sequence[Loaded], sensitive: str, belief: TableBelief, wanted: Container[int]
) -> Iterator[tuple[int, dict[str, Fraction]]]:
    """Yield the id of people in ``combined``, and how likely each value is for them.

    Args:
        tables: The tables, after `make_outcomes`.
        sensitive: The column that is attacked.
        belief: What the probabilities rest on.
        wanted: The ids that are asked for; they match all tables.
    """
    read = read_sensitive(table.texts(sensitive) for table in tables)
    values = Values(read.values())
    left: list[dict[int, dict[str | None, int]]] = []
    for i, table in enumerate(tables):
        left.append({})
        for signature, said, size in table.fetch(f"SELECT signature, said, size FROM values{i}"):
            left[i].setdefault(signature, {})[said] = size
    signatures = ", ".join(f"s{i}" for i in range(len(tables)))
    for one, *signed in tables[0].fetch(f"SELECT id, {signatures} FROM combined ORDER BY id"):
        if one not in wanted:
            continue
        counted = [mine[signature] for mine, signature in zip(left, signed, strict=True)]
        yield one, belief.posterior(choices_of(counted, read), values)


def _make_alone(
    connection: duckdb.DuckDBPyConnection,
    read: Mapping[str | None, Candidate],
    values: Values,
    tables: int,
) -> None:
    named = [
        (text, label, "set" if label in values.sets(one) else "value")
        for text, one in read.items()
        for label in values.alternatives(one)
    ]
    fill(connection, "named", ["said", "label", "kind"], named)
    each = len({label for _, label, _ in named}) == len(named)  # no label has two texts
    for i in range(tables):
        connection.execute(
            f"CREATE TABLE alone{i} AS SELECT signature, count(*) AS number, count(*) = 1 AND "
            f"min(kind) = 'value' AS pinned FROM (SELECT {'' if each else 'DISTINCT'} signature, "
            f"label, kind FROM values{i} AS v JOIN named ON v.said IS NOT DISTINCT FROM "
            "named.said) GROUP BY signature"
        )


def _common(
    texts: Sequence[Iterable[str | None]], read: Mapping[str | None, Candidate], values: Values
) -> list[int]:
    """Return for each table a number that each of its sets divides by how many values it has."""
    sizes = [{len(values.inside(read[text])) or 1 for text in table} for table in texts]
    return [lcm(*table) for table in sizes]


def _agreeing(
    texts: Sequence[Iterable[str | None]],
    read: Mapping[str | None, Candidate],
    values: Values,
    common: Sequence[int],
) -> Iterator[tuple[str | None, ...]]:
    """Yield cells that agree with a label that they leave, and by how much its ways count.

    The kind of the label is ``set`` or ``value`` for candidates, and None for values that are only
    in a candidate. The factor is None where no value that occurs is in what they say.
    """
    for chosen, candidate in agreements(texts, read):
        inside = values.inside(candidate)
        factor = "0"
        if inside:
            sizes = (len(values.inside(read[text])) for text in chosen)
            factor = str(prod(c // size for c, size in zip(common, sizes, strict=True)))
        sets, named = values.sets(candidate), values.alternatives(candidate)
        for label in named:
            counted = factor if label in inside else "0" if inside else None
            yield *chosen, label, "set" if label in sets else "value", counted
        for label in inside:
            if label not in named:
                yield *chosen, label, None, factor
