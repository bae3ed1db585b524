"""Results in files: tables as CSV and Parquet, whole results as JSON and HTML.

A table is columns by name, each with its kind, which depends on what was asked and never on the
data: so every file that answers a question has the same types.
"""

from __future__ import annotations

import csv
import io
import json
import os
import re
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from twoworlds.errors import InvalidInput, Unsupported
from twoworlds.files import check_place, write

if TYPE_CHECKING:
    from twoworlds.answer import Answer
    from twoworlds.show.result import Result

SUFFIXES = (".csv", ".parquet", ".json", ".html")
Kind = Literal["integer", "number", "text", "boolean", "date"]
_SQL = {
    "integer": "BIGINT",
    "number": "DOUBLE",
    "text": "VARCHAR",
    "boolean": "BOOLEAN",
    "date": "DATE",
}
DELIMITERS = {".csv": ",", ".tsv": "\t"}
_FORMULA = re.compile(r"[-=+@\t\r\n\uff1d\uff0b\uff20\uff0d]")  # how one begins, or in full width
_NUMBER = re.compile(r"-[\d.,/]+(e[+-]?\d+)?", re.ASCII | re.IGNORECASE)
_PANDAS = {"integer": "int64", "number": "float64"}


class Column(NamedTuple):
    """The cells of one column, and of which kind they are; None is a cell without a value."""

    kind: Kind
    cells: Sequence[Any]


Columns = Mapping[str, Column]


def first_table(answer: Answer) -> Columns:
    """Return the first table of an answer, in texts; without one, its sentence and its facts."""
    from twoworlds.answer import Table

    table = next((one for one in answer.blocks if isinstance(one, Table)), None)
    if table is None:
        table = Table(["name", "text"], [*_facts(answer)])
    cells = list(zip(*table.rows, strict=True)) or [()] * len(table.heads)
    found: dict[str, Column] = {}
    for place, (head, column) in enumerate(zip(table.heads, cells, strict=True), start=1):
        name = head or f"column {place}"
        while name in found:
            name += "_"
        found[name] = Column("text", column)
    return found


def _facts(answer: Answer) -> Iterator[tuple[str, str]]:
    """Return what an answer without a table says, each fact under its own name."""
    from twoworlds.answer import Facts, Said

    yield from (one for one in (("subject", answer.subject), ("claim", answer.verdict)) if one[1])
    yield "answer", answer.headline
    name = ""
    for block in answer.blocks:
        if isinstance(block, Said):
            yield from (("answer", sentence) for sentence in block.sentences)
        elif isinstance(block, Facts):
            for given, text in block.rows:
                name = given or name
                yield name, text
    yield from answer.foot


def together(tables: Sequence[Columns], number: str) -> Columns:
    """Return several tables as one, with a column that numbers them; what one lacks has no value.

    >>> first, second = {"a": Column("integer", [1])}, {"b": Column("text", ["x", "y"])}
    >>> [list(column.cells) for column in together([first, second], "query").values()]
    [[1, 2, 2], [1, None, None], [None, 'x', 'y']]
    """
    sizes = [max((len(one.cells) for one in table.values()), default=0) for table in tables]
    names = list(dict.fromkeys(name for table in tables for name in table))
    while number in names:
        number += "_"
    numbers = [place for place, size in enumerate(sizes, start=1) for _ in range(size)]
    found = {number: Column("integer", numbers)}
    for name in names:
        kinds = {table[name].kind for table in tables if name in table}
        cells: list[Any] = []
        for table, size in zip(tables, sizes, strict=True):
            cells += table[name].cells if name in table else [None] * size
        one = kinds.pop()
        found[name] = Column("text", [*map(_text, cells)]) if kinds else Column(one, cells)
    return found


def frame(columns: Columns) -> Any:
    """Return a data frame of pandas."""
    try:
        import pandas
    except ImportError:
        raise Unsupported(
            "a data frame needs pandas: pip install 'twoworlds[frames]', or use to_dict()"
        ) from None
    return pandas.DataFrame(
        {
            name: pandas.Series(
                list(one.cells),
                dtype="object" if _gaps(one) else _PANDAS.get(one.kind, "object"),
            )
            for name, one in columns.items()
        }
    )


def _gaps(column: Column) -> bool:
    """Whether whole numbers are missing, which 64 bits cannot say."""
    return column.kind == "integer" and None in column.cells


def check_path(path: Path) -> Path:
    """Return the path of a file that can be written, and takes nobody's place."""
    if path.suffix.lower() not in SUFFIXES:
        raise InvalidInput(f"{path}: an answer is written as {', '.join(SUFFIXES)}: name it so")
    if path.exists():
        raise InvalidInput(f"{path} is there already: give another name, or move it away")
    check_place(path)
    if not os.access(path.parent, os.W_OK):
        raise InvalidInput(f"{path}: you may not write in {path.parent}; choose another folder")
    return path


def save(result: Result, path: Path) -> Path:
    """Write a result, in the format of the suffix, whole or not at all."""
    form = check_path(path).suffix.lower()
    if form == ".json":
        return write(path, json.dumps(result.to_dict(), indent=2, ensure_ascii=False) + "\n")
    if form == ".html":
        return write(path, result.html())
    columns = result.to_columns()
    return write(path, sheet_text(columns) if form == ".csv" else table_file(columns, form))


def page(answer: Answer) -> str:
    """Return an answer as a page of its own."""
    from twoworlds.show.html import card

    title = escape(answer.subject or "twoworlds")
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f"<title>{title}</title></head>\n<body>{card(answer)}</body></html>\n"
    )


def table_file(columns: Columns, form: str) -> str | bytes:
    """Return a table as a file of the form .csv, .tsv or .parquet holds it."""
    return _parquet(columns) if form == ".parquet" else csv_text(columns, DELIMITERS[form])


def sheet_text(columns: Columns) -> str:
    """Return a table as CSV in which no text or name begins as a formula of a spreadsheet does.

    Such a text gets an apostrophe in front (OWASP, "CSV Injection"); numbers stay as they are.
    """
    names = [harmless(name) for name in columns]
    return _csv(names, ([*map(harmless, one.cells)] for one in columns.values()), ",")


def harmless(cell: Any) -> Any:
    """Return a cell that no spreadsheet takes for a formula.

    >>> [harmless(cell) for cell in ("=1", "-1+1", "-1", "a=1", -1)]
    ["'=1", "'-1+1", '-1', 'a=1', -1]
    """
    begins = isinstance(cell, str) and _FORMULA.match(cell) and not _NUMBER.fullmatch(cell)
    return f"'{cell}" if begins else cell


def csv_text(columns: Columns, delimiter: str = ",") -> str:
    """Return a table as the text of a CSV file, every cell as it is."""
    return _csv(columns, (one.cells for one in columns.values()), delimiter)


def _csv(names: Iterable[str], cells: Iterable[Sequence[Any]], delimiter: str) -> str:
    stream = io.StringIO()
    writer = csv.writer(stream, delimiter=delimiter, lineterminator="\n")
    writer.writerow(names)
    for row in zip(*cells, strict=True):
        writer.writerow([_text(cell) for cell in row])
    return stream.getvalue()


def _text(cell: Any) -> str | None:
    """Return a cell as text, a number with all its digits."""
    return None if cell is None else str(cell).lower() if isinstance(cell, bool) else str(cell)


def _parquet(columns: Columns) -> bytes:
    """Return a Parquet file, made by DuckDB, which needs no other package."""
    import duckdb

    names = ['"' + name.replace('"', '""') + '"' for name in columns]
    cells = ", ".join(
        f"unnest($v{i}::{_SQL[one.kind]}[]) AS {name}"
        for i, (name, one) in enumerate(zip(names, columns.values(), strict=True))
    )
    values = {f"v{i}": list(one.cells) for i, one in enumerate(columns.values())}
    try:
        with duckdb.connect(":memory:") as connection, tempfile.TemporaryDirectory() as folder:
            connection.execute(f"CREATE TABLE answer AS SELECT {cells}", values)
            place = Path(folder, "answer.parquet")
            quoted = str(place).replace("'", "''")
            connection.execute(f"COPY answer TO '{quoted}' (FORMAT parquet)")
            return place.read_bytes()
    except duckdb.Error as error:
        why = str(error).partition("\n")[0]
        raise InvalidInput(f"the table cannot be written as Parquet: {why}") from None
