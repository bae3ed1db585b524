"""The composition attack on two anonymised tables of a million rows, as CSV files.

*One person*: from the files to the candidates. *Everyone*: the same for each of a million people of
a register. *Linkage*: the register against the first table. The tables are two generalisations of
the same made-up people, 800 and 3,000 groups.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import duckdb

from benchmarks import Row, best_of
from twoworlds.attacks import compose, expose, link

ROWS = 1_000_000
LIMIT = 5.0  # seconds
REPEATS = 3
PEOPLE = """
CREATE TABLE people AS
SELECT i, 10000 + hash(i, 1) % 10000 AS zip, 18 + hash(i, 2) % 72 AS age,
       'condition ' || (hash(i, 3) % 20) AS condition
FROM range({rows}) AS numbers(i)
"""
FILES = {
    "first.csv": "substr(zip::VARCHAR, 1, 3) || '**' AS zip, (age // 10) || '*' AS age, condition",
    "second.csv": "substr(zip::VARCHAR, 1, 4) || '*' AS zip, CASE WHEN age < 35 THEN '<35' "
    "WHEN age < 60 THEN '[35, 60)' ELSE '≥60' END AS age, condition",
    "register.csv": "'person ' || i AS name, zip, age",
}


def write(folder: str, rows: int = ROWS) -> list[Path]:
    """Write two tables and the register they are made from."""
    connection = duckdb.connect()
    connection.execute(PEOPLE.format(rows=rows))
    for name, columns in FILES.items():
        connection.execute(f"COPY (SELECT {columns} FROM people) TO '{folder}/{name}' (HEADER)")
    connection.close()
    return [Path(folder, name) for name in FILES]


def run() -> list[Row]:
    """Write the files, then attack."""
    with tempfile.TemporaryDirectory() as folder:
        first, second, register = write(folder)
        known = {"age": 28, "zip": "13012"}
        works = {
            "composition, one person": lambda: compose([first, second], known, "condition"),
            "composition, everyone": lambda: expose([first, second], register, "condition"),
            "linkage": lambda: link(register, first, "zip,age", sensitive="condition"),
        }
        return [
            Row(
                f"{name}, tables of {ROWS:,} rows",
                best_of(REPEATS, work),
                peer=LIMIT,
                against="limit",
                target=1.0 if name.startswith("composition") else None,
            )
            for name, work in works.items()
        ]
