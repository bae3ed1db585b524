"""Small datasets with a policy and a ledger of their own, in the engines that people have."""

from __future__ import annotations

import sqlite3
from fractions import Fraction

from twoworlds.release import Curator, parse_policy
from twoworlds.release.policy.imports import import_text

NUMBER = "{x: {kind: number, bounds: [-100, 100], unit: 0.01, grid: {step: 10}}}"
KEYED = (
    "{k: {kind: text, keys: [a, b, c]}, "
    "x: {kind: number, bounds: [0, 100], unit: 0.01, grid: {step: 10}}}"
)


def policy_text(
    columns=KEYED,
    *,
    name="people",
    unit="row",
    neighbours="add-remove",
    budget="epsilon=1000, delta=1/2",
    analysts=None,
    public=None,
    source=None,
):
    lines = [
        "ledger: ledger.db",
        "datasets:",
        f"  {name}:",
        f"    neighbours: {neighbours}",
        f"    unit: {unit}",
        f"    columns: {columns}",
        f"    budget: {budget}",
    ]
    for field, given in (("analysts", analysts), ("public", public), ("source", source)):
        if given is not None:
            lines.append(f"    {field}: {given}")
    return "\n".join(lines) + "\n"


def opened(folder, source, columns=KEYED, **declared):
    """Open a curator in a folder of its own, with nothing spent."""
    folder.mkdir(parents=True, exist_ok=True)
    policy = parse_policy(policy_text(columns, **declared), folder=folder)
    sources = None if source is None else {next(iter(policy.datasets)): source}
    return Curator.open(policy, sources=sources)


def asked(folder, source, sql, columns=KEYED, *, cost="1", noise="laplace", **declared):
    """Ask one query of a new curator."""
    with opened(folder, source, columns, **declared) as curator:
        return curator.release(sql, cost, noise=noise)


def exact(answer, name):
    """Return the exact published values of one aggregate, by group in order."""
    return [Fraction(row["values"][name]["value"]["exact"]) for row in answer.to_dict()["rows"]]


def table(rows, names=("k", "x"), types=("string", "float64")):
    """Return rows as an Arrow table of declared types."""
    import pyarrow

    columns = [
        pyarrow.array([row[i] for row in rows], getattr(pyarrow, kind)())
        for i, kind in enumerate(types)
    ]
    return pyarrow.Table.from_arrays(columns, names=list(names))


def parquet(path, rows, **form):
    import pyarrow.parquet

    path.parent.mkdir(parents=True, exist_ok=True)
    pyarrow.parquet.write_table(table(rows, **form), path)
    return str(path)


def imported(path, rows, names=("k", "x")):
    """Write rows as text, and import it."""

    def cell(value):
        if value is None:
            return ""
        if isinstance(value, str):
            return '"' + value.replace('"', '""') + '"'
        return repr(value)

    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [",".join(cell(name) for name in names)]
    lines += [",".join(map(cell, row)) for row in rows]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8", newline="")
    kinds = dict(zip(names, ("text", "number"), strict=True))
    return str(import_text(path, kinds=kinds, header=True).target)


def sqlite_file(path, rows, names=("k", "x"), types=("TEXT", "REAL"), called="people"):
    def quoted(name):
        return '"' + name.replace('"', '""') + '"'

    path.parent.mkdir(parents=True, exist_ok=True)
    columns = ", ".join(f"{quoted(n)} {t}" for n, t in zip(names, types, strict=True))
    connection = sqlite3.connect(path)
    with connection:
        connection.execute(f"CREATE TABLE {quoted(called)} ({columns})")
        marks = ", ".join("?" * len(names))
        connection.executemany(f"INSERT INTO {quoted(called)} VALUES ({marks})", rows)
    connection.close()
    return {"sqlite": str(path), "table": called}


def duckdb_file(path, rows, called="people", **form):
    import duckdb

    path.parent.mkdir(parents=True, exist_ok=True)
    found = table(rows, **form)
    quoted = '"' + called.replace('"', '""') + '"'
    with duckdb.connect(str(path)) as connection:
        connection.register("found", found)
        connection.execute(f"CREATE TABLE {quoted} AS SELECT * FROM found")
    return {"duckdb": str(path), "table": called}
