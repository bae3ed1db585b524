"""A published table as DuckDB reads it: every cell as text, only the columns that are needed.

A table is given as a CSV, TSV or Parquet file, a list of rows (mappings from columns to values), or
a data frame of pandas, polars or pyarrow. An empty cell, or one that is missing, is None: it says
nothing. Every attack on tables reads through `load`.

Four small tables come with the package and are found by their bare names. `figure1.csv` and
`figure2.csv` are Figures 1 and 2 of Wu's lecture, row by row. `register.csv` is made up: six people
with their names, of whom an attacker knows what a list of voters would say. So is `staff.csv`: the
people of a university, one of whom is the only woman among its professors of physics.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.resources import files
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

from twoworlds.errors import InvalidInput
from twoworlds.progress import track
from twoworlds.show.saving import DELIMITERS

if TYPE_CHECKING:
    import duckdb

EXAMPLES = {
    "figure1.csv": "the 4-anonymous table of Wu's lecture, Figure 1",
    "figure2.csv": "the 6-anonymous table of Wu's lecture, Figure 2",
    "register.csv": "a made-up register of six people",
    "staff.csv": "the people of a made-up university",
}

Origin = Any  # a path, a list of rows or a frame
_SEPARATORS = ",;\t"
_NUMBERS = count()  # of the tables that are loaded
_NOT_UTF_8 = "is not text in UTF-8: save it as UTF-8 (in a spreadsheet, as CSV UTF-8)"
_NAME = re.compile(r'\s*(?:"((?:[^"]|"")*)"\s*|([^,"]*))(?:,|\Z)')
_MOST_LISTED = 8


@dataclass(frozen=True)
class LoadedTable:
    """A table in DuckDB; ``rowid + 1`` is the number of a row."""

    connection: duckdb.DuckDBPyConnection
    name: str  # what it is called in words
    place: str  # what it is called in statements
    columns: Mapping[str, str]  # the columns that were read, and their names in statements
    rows: int  # how many rows it has

    def fetch(self, statement: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Run a statement."""
        return self.connection.execute(statement, list(values)).fetchall()

    def row(self, number: int) -> dict[str, str | None]:
        """Return one row by its number, from 1."""
        names = ", ".join(self.columns.values())
        [found] = self.fetch(f"SELECT {names} FROM {self.place} WHERE rowid = ?", [number - 1])
        return dict(zip(self.columns, found, strict=True))

    def texts(self, column: str) -> list[str | None]:
        """Return the distinct cells of a column, in the order of their first rows."""
        name = self.columns[column]
        found = self.fetch(f"SELECT {name} FROM {self.place} GROUP BY {name} ORDER BY min(rowid)")
        return [row[0] for row in found]


@contextmanager
def opened() -> Iterator[duckdb.DuckDBPyConnection]:
    """Open a database in memory; nothing is installed, and no variable of Python is a table."""
    import duckdb

    connection = duckdb.connect(
        ":memory:",
        config={
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
            "python_enable_replacements": "false",
        },
    )
    try:
        yield connection
    finally:
        connection.close()


def named(tables: object) -> list[tuple[str, Origin]]:
    """Return tables with their names: those of a mapping, those of files, or their numbers."""
    if isinstance(tables, Mapping):
        found = [(str(name), table) for name, table in tables.items()]
    elif isinstance(tables, Sequence) and not isinstance(tables, str):
        found = [
            (str(table) if isinstance(table, str | Path) else f"table {number}", table)
            for number, table in enumerate(tables, start=1)
        ]
    else:
        raise InvalidInput(f"tables={tables!r}: give a list of tables, such as ['figure1.csv']")
    if not found:
        raise InvalidInput("no table was given: give one or more, such as ['figure1.csv']")
    return found


def repeated(tables: Sequence[tuple[str, Origin]]) -> list[str]:
    """Say of each table that is given again that it adds nothing but wrong probabilities."""
    before: list[Origin] = []
    notes: dict[str, None] = {}
    for name, table in tables:
        same = Path(table).resolve() if isinstance(table, str | Path) else table
        if any(one is same or (isinstance(one, Path) and one == same) for one in before):
            said = (
                f"{name} is given more than once: that adds nothing to the candidates, and the "
                "probabilities are wrong, because they take its rows for other people's each time. "
                "Give it once."
            )
            notes[said] = None
        before.append(same)
    return list(notes)


def named_columns(columns: object, name: str, sensitive: str | None = None) -> list[str]:
    """Return the columns that an attacker knows: a list, or text with commas between names.

    In text any name may stand in double quotes. Inside quotes a comma and blanks are part of the
    name, and two quotes are one.
    """
    if not isinstance(columns, Sequence):
        raise InvalidInput(f"{name}={columns!r}: give columns, such as ['zip', 'age']")
    found: list[Any] = _split(columns) if isinstance(columns, str) else [*columns]
    if not found:
        raise InvalidInput(f"{name} names no column: give those that an attacker knows: zip,age")
    for column in found:
        if not (isinstance(column, str) and column):
            raise InvalidInput(f"{name}={found!r}: {column!r} is not the name of a column")
        if found.count(column) > 1:
            raise InvalidInput(f"{name} names {column!r} twice: once is enough")
    if sensitive in found:
        raise InvalidInput(
            f"{sensitive!r} is what is attacked, and whoever knows it has nothing left to learn: "
            "leave it out of the columns that are known"
        )
    return found


def _split(text: str) -> list[str]:
    found, at = [], 0
    while at < len(text):
        name = _NAME.match(text, at)
        if name is None:
            raise InvalidInput(
                f"{text!r} is not a list of columns: write a,b,c, and a name with a comma, a quote "
                "or blanks at its ends in double quotes"
            )
        quoted, bare = name.groups()
        found.append(bare.strip() if quoted is None else quoted.replace('""', '"'))
        at = name.end()
    return [one for one in found if one]


def _written_column(name: str) -> str:
    """Write the name of a column as `named_columns` reads it."""
    if name == name.strip() and not {",", '"'} & {*name} and name:
        return name
    return '"' + name.replace('"', '""') + '"'


def listed(texts: Sequence[str], last: str = "and") -> str:
    """Return a list in words; a long one by its first items, unless one alone were left out."""
    shown = list(texts)
    if len(shown) > _MOST_LISTED + 1:
        shown = [*shown[:_MOST_LISTED], f"{len(shown) - _MOST_LISTED:,} more"]
    return f"{', '.join(shown[:-1])} {last} {shown[-1]}" if len(shown) > 1 else "".join(shown)


def check_columns(name: str, columns: Iterable[str], needed: Iterable[str]) -> None:
    """Refuse a table that lacks a needed column."""
    there = list(columns)
    for column in needed:
        if column not in there:
            has = listed([*map(_written_column, there)])
            raise InvalidInput(f"{name} has no column {column!r}: it has {has}")


def check_known(tables: Sequence[LoadedTable], columns: Iterable[str]) -> None:
    """Refuse a known column that no table has."""
    for column in columns:
        if not any(column in table.columns for table in tables):
            which = tables[0].name if len(tables) == 1 else "any of the tables"
            raise InvalidInput(
                f"there is no column {column!r} in {which}, so what is known of it says nothing: "
                "check its spelling, or leave it out"
            )


def load_all(
    connection: duckdb.DuckDBPyConnection,
    tables: Sequence[tuple[str, Origin]],
    wanted: Sequence[str] | None,
    needed: Sequence[str],
) -> list[LoadedTable]:
    """Load several tables; each must have the needed columns, and may have the wanted ones."""
    return [
        load(connection, name, table, wanted, needed)
        for name, table in track(tables, "reading tables", total=len(tables))
    ]


def load(
    connection: duckdb.DuckDBPyConnection,
    name: str,
    table: Origin,
    wanted: Sequence[str] | None,
    needed: Sequence[str] = (),
) -> LoadedTable:
    """Load the wanted columns that a table has (None: all), and the needed ones."""
    place = f"loaded{next(_NUMBERS)}"
    if isinstance(table, str | Path):
        names, reader, values = _file(connection, example_path(table), name)
    elif isinstance(table, Sequence):
        names, reader, values = _rows(table, name)
    else:
        names, reader, values = _frame(connection, table, name, place)
    if len(set(names)) < len(names):
        twice = next(one for one in names if names.count(one) > 1)
        raise InvalidInput(f"{name} has two columns {twice!r}: rename one")
    check_columns(name, names, needed)
    kept = {
        one: f"c{i}"
        for i, one in enumerate(names)
        if wanted is None or one in wanted or one in needed
    }
    # An empty cell, and one of blanks, says as little as one that is missing.
    cells = ", ".join(f"nullif(trim(CAST({c} AS VARCHAR)), '') AS {c}" for c in kept.values())
    _run(
        connection,
        f"CREATE TABLE {place} AS SELECT {cells or 'NULL AS nothing'} FROM {reader}",
        values,
        name,
    )
    rows = connection.execute(f"SELECT count(*) FROM {place}").fetchall()[0][0]
    if not rows:
        raise InvalidInput(f"{name} has no rows: nobody can be found in it")
    return LoadedTable(connection, name, place, kept, rows)


def text_of(value: object) -> str | None:
    """Return a value of Python as the text of a cell."""
    if value is None or value != value:  # NaN is missing too
        return None
    return str(value)


def example_path(path: str | Path, *, bundled: bool = False) -> Path:
    """Return a path as it is if something is there, else the bundled example of that bare name."""
    given = Path(path)
    if not bundled and "\0" not in str(path) and given.exists():
        return given
    if str(path) in EXAMPLES:
        return Path(str(files(__package__).joinpath("data", str(path))))
    raise InvalidInput(
        f"there is no file {str(path)!r}: check the path; the bundled examples are "
        f"{', '.join(EXAMPLES)}"
    )


def example_note(path: str | Path) -> str | None:
    """Say that a bundled example is used, if the path itself leads nowhere."""
    if str(path) not in EXAMPLES or Path(path).exists():
        return None
    return f"{path} is bundled with twoworlds: {EXAMPLES[str(path)]}."


def read_lines(path: Path, what: str, separators: str = ",") -> list[list[str]]:
    """Read a small CSV file without a header; the first separator unless another one occurs."""
    try:
        text = path.read_text(encoding="utf-8-sig")
        used = next((one for one in separators[1:] if one in text), separators[0])
        return [row for row in csv.reader(text.splitlines(), delimiter=used) if row]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise InvalidInput(f"{what} cannot be read: {reason}") from error


def _file(
    connection: duckdb.DuckDBPyConnection, path: Path, name: str
) -> tuple[list[str], str, Any]:
    if path.is_dir():
        raise InvalidInput(f"{name} is a folder: give a CSV, TSV or Parquet file")
    plain = re.sub(r"([*?\[])", r"[\1]", str(path))  # else DuckDB takes it for a pattern
    place = "'" + plain.replace("'", "''") + "'"
    if path.suffix.lower() == ".parquet":
        reader = f"read_parquet({place}, hive_partitioning = false)"
        names = [row[0] for row in _run(connection, f"DESCRIBE (FROM {reader})", None, name)]
        return names, f"(FROM {reader}) AS read({_numbered(names)})", None
    if path.suffix.lower() not in DELIMITERS:
        raise InvalidInput(f"{name}: give a CSV, TSV or Parquet file (.csv, .tsv, .parquet)")
    delimiter, names = _header(path, DELIMITERS[path.suffix.lower()], name)
    kinds = ", ".join(f"'c{i}': 'VARCHAR'" for i in range(len(names)))
    reader = (
        f"read_csv({place}, auto_detect = false, delim = '{delimiter}', quote = '\"', "
        f"escape = '\"', header = true, columns = {{{kinds}}})"
    )
    return names, reader, None


def _header(path: Path, expected: str, name: str) -> tuple[str, list[str]]:
    """Return the separator and the columns: the expected one, unless it leaves one column."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            line = next(csv.reader(file, delimiter=expected), [])
            headers = {expected: line}
            if len(line) == 1:
                for other in _SEPARATORS:
                    file.seek(0)
                    headers[other] = next(csv.reader(file, delimiter=other))
    except UnicodeDecodeError:
        raise InvalidInput(f"{name} {_NOT_UTF_8}") from None
    except (OSError, csv.Error) as error:
        raise InvalidInput(f"{name} cannot be read: {error}") from error
    delimiter = max(headers, key=lambda one: len(headers[one]))
    header = headers[delimiter]
    if any("\x00" in one for one in header):
        raise InvalidInput(f"{name} {_NOT_UTF_8}")
    if not header:
        raise InvalidInput(f"{name} is empty: its first line names the columns")
    return delimiter, [one.strip() for one in header]


def _numbered(names: Sequence[str]) -> str:
    return ", ".join(f"c{i}" for i in range(len(names)))


def _rows(table: Sequence[Any], name: str) -> tuple[list[str], str, Any]:
    if not table:
        raise InvalidInput(f"{name} has no rows: nobody can be found in it")
    for number, row in enumerate(table, start=1):
        if not isinstance(row, Mapping):
            raise InvalidInput(
                f"row {number} of {name} is of type {type(row).__name__}: give mappings from "
                "columns to values"
            )
        if row.keys() != table[0].keys():
            raise InvalidInput(f"row {number} of {name} has other columns than row 1")
    names = [str(column) for column in table[0]]
    values = {f"v{i}": [text_of(row[column]) for row in table] for i, column in enumerate(table[0])}
    cells = ", ".join(f"unnest($v{i}::VARCHAR[]) AS c{i}" for i in range(len(names)))
    return names, f"(SELECT {cells})", values


def _frame(
    connection: duckdb.DuckDBPyConnection, frame: Any, name: str, place: str
) -> tuple[list[str], str, Any]:
    from twoworlds.release.backends.frames import as_arrow, library_of

    if library_of(frame) is None:
        raise InvalidInput(
            f"{name} is of type {type(frame).__name__}: give a path, a list of rows or a data frame"
        )
    arrow = as_arrow(frame)
    names = [str(column) for column in arrow.column_names]
    connection.register(f"frame_{place}", arrow.rename_columns(_numbered(names).split(", ")))
    return names, f"frame_{place}", None


def _run(
    connection: duckdb.DuckDBPyConnection, statement: str, values: Any, name: str
) -> list[tuple[Any, ...]]:
    import duckdb

    try:
        return connection.execute(statement, values).fetchall()
    except duckdb.Error as error:
        said = str(error).split("Possible fixes")[0].split("\n\n")[0]
        reason = " ".join(said.partition(": ")[2].split()) or said
        line = re.search(r"Line: (\d+)", reason)
        where = f" (line {line[1]})" if line else ""
        if "not utf-8" in reason:
            raise InvalidInput(f"{name}{where} {_NOT_UTF_8}") from None
        cells = re.search(r"Expected Number of Columns: (\d+) Found: (\d+)", reason)
        if line and cells:
            raise InvalidInput(
                f"{name}, line {line[1]}: {cells[2]} cells under a header of {cells[1]}; give "
                "every row one cell per column, and quote a cell that holds the separator"
            ) from None
        if line:
            raise InvalidInput(
                f"{name}, line {line[1]} cannot be read: is a quote left open, or is it very long?"
            ) from None
        raise InvalidInput(f"{name} cannot be read: {reason}") from None
