"""Matrices in files, CSV and JSON in exact numbers, NPY in floats; and in Python.

CSV: the header names the databases (``11,10,01,00``), each further line is an output. A first
column with the labels of the outputs is recognised when the header starts with an empty cell or
``output``, or when the lines are one cell longer than the header. JSON: ``{"databases": [...],
"outputs": [...], "matrix": [[...]], "universe": "bits(2)"}``, where outputs and universe may be
left out. Numbers are read exactly: ``0.1`` is one tenth.
"""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

from twoworlds.errors import InvalidInput
from twoworlds.files import write
from twoworlds.mechanisms.base import Dense, Mechanism
from twoworlds.numbers import exact_text
from twoworlds.worlds import BitStrings, Explicit, Records, Universe
from twoworlds.worlds.catalogue import universe as build_universe

SUFFIXES = (".csv", ".json", ".npy")
_LARGEST_FILE = 1 << 28


def read_mechanism(path: Path, *, universe: str | Universe | None = None) -> Mechanism:
    """Read a matrix file: exact for CSV and JSON, floats for NPY."""
    if path.suffix.lower() == ".npy":
        return _read_npy(path, universe)
    return read_table(path, universe=universe)


def read_table(path: Path, *, universe: str | Universe | None = None) -> Dense:
    """Read an exact matrix from CSV or JSON."""
    text = _text(path)
    parse = {".csv": _parse_csv, ".json": _parse_json}.get(path.suffix.lower())
    if parse is None:
        raise InvalidInput(f"{path}: matrices are read from {', '.join(SUFFIXES)} files")
    databases, outputs, rows, stated = parse(text, path)
    chosen = universe if universe is not None else stated
    if chosen is None and databases is not None:
        chosen = _inferred(databases)
    where = _universe(databases, chosen, path)
    if databases is not None and chosen is not None:
        order = [databases.index(where.label(x)) for x in where]
        rows = [[row[i] for i in order] for row in rows]
    return Dense(where, Explicit(tuple(outputs)), rows, expression=str(path))


def read_matrix(matrix: Any, *, universe: str | Universe | None = None) -> Mechanism:
    """Read a matrix with a row for each output: lists, an array of numpy, or a data frame.

    The columns of a frame name the databases, and the index of pandas the outputs. Without names
    and without a universe each column is another value of one record, so that all are neighbours.
    Floats of numpy are taken as an .npy file has them; all other numbers are exact.

    >>> read_matrix([["3/4", "1/4"], ["1/4", "3/4"]]).universe.expression
    'records(values=2, n=1)'
    """
    framed = hasattr(matrix, "columns") and hasattr(matrix, "to_numpy")
    databases = [str(name) for name in matrix.columns] if framed else None
    index = [str(name) for name in getattr(matrix, "index", ())] if framed else []
    values = matrix.to_numpy() if framed else matrix
    floats = hasattr(values, "dtype") and values.dtype.kind == "f"
    rows = values.tolist() if hasattr(values, "tolist") else values
    if not rows or not all(isinstance(row, (list, tuple)) and row for row in rows):
        raise InvalidInput(
            "this is not a matrix: give a row for each output, such as [['3/4', '1/4'], ...]"
        )
    chosen = universe if universe is not None or databases is None else _inferred(databases)
    if chosen is None and databases is None:
        chosen = Records(range(len(rows[0])), 1)
    where = _universe(databases, chosen, Path("the matrix"))
    if databases is not None and chosen is not None:
        order = [databases.index(where.label(x)) for x in where]
        rows = [[row[i] for i in order] for row in rows]
    outputs = Explicit(tuple(index or range(1, len(rows) + 1)))
    if not floats:
        return Dense(where, outputs, rows)
    from twoworlds.mechanisms.float_matrix import FloatMatrix

    return FloatMatrix(where, outputs, rows)


def write_table(mechanism: Mechanism, path: Path) -> None:
    """Write a mechanism's exact matrix as CSV or JSON."""
    form = {".csv": to_csv, ".json": to_json_text}.get(path.suffix.lower())
    if form is None:
        raise InvalidInput(f"{path}: matrices are written to .csv and .json files")
    write(path, form(mechanism))


def to_csv(mechanism: Mechanism) -> str:
    """Return the exact matrix as CSV, with the labels of the outputs in the first column."""
    table = mechanism.table()
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(["output", *(table.universe.label(x) for x in table.universe)])
    for output, row in zip(table.outputs, table.rows, strict=True):
        writer.writerow([table.outputs.label(output), *(_entry(entry) for entry in row)])
    return stream.getvalue()


def to_json_text(mechanism: Mechanism) -> str:
    """Return the exact matrix as JSON."""
    table = mechanism.table()
    data = {
        "universe": table.universe.expression,
        "databases": [table.universe.label(x) for x in table.universe],
        "outputs": [table.outputs.label(o) for o in table.outputs],
        "matrix": [[_entry(entry) for entry in row] for row in table.rows],
    }
    if not _can_be_read(table.universe):
        del data["universe"]
    return json.dumps(data, indent=1, ensure_ascii=False) + "\n"


def _can_be_read(universe: Universe) -> bool:
    """Tell whether the text of a universe builds it again; otherwise the labels must do."""
    try:
        return build_universe(universe.expression) == universe
    except InvalidInput:
        return False


def _entry(entry: Any) -> str:
    text = exact_text(entry)
    if text is None:
        raise InvalidInput("this matrix holds numbers without an exact form: it cannot be written")
    return text


def _text(path: Path) -> str:
    try:
        if path.stat().st_size > _LARGEST_FILE:
            raise InvalidInput(
                f"{path} is larger than {_LARGEST_FILE >> 20} MB: use a .npy float matrix instead"
            )
        return path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise InvalidInput(f"{path} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise InvalidInput(f"{path} is not UTF-8 text: {error.reason}") from error
    except ValueError as error:
        raise InvalidInput(f"{str(path)!r} is not a file name: {error}") from error


Parsed = tuple["list[str] | None", "list[str]", "list[list[Any]]", "str | None"]


def _parse_csv(text: str, path: Path) -> Parsed:
    try:
        read = [[cell.strip() for cell in line] for line in csv.reader(io.StringIO(text))]
    except csv.Error as error:
        raise InvalidInput(f"{path} is not valid CSV: {error}") from error
    lines = [line for line in read if any(line)]
    if len(lines) < 2:
        raise InvalidInput(f"{path} needs a header of databases and at least one line per output")
    header, body = lines[0], lines[1:]
    labelled = header[0].lower() in ("", "output", "outputs")
    if labelled:
        header = header[1:]
    elif all(len(line) == len(header) + 1 for line in body):
        labelled = True
    for number, line in enumerate(body, start=2):
        if len(line) - labelled != len(header):
            raise InvalidInput(
                f"{path}, line {number}: {len(line) - labelled} entries for {len(header)} databases"
            )
    outputs = [line[0] if labelled else f"row {i}" for i, line in enumerate(body, start=1)]
    return header, outputs, [line[labelled:] for line in body], None


def _parse_json(text: str, path: Path) -> Parsed:
    try:
        data = json.loads(text, parse_float=str, parse_constant=str)
    except (ValueError, RecursionError) as error:  # ValueError: also a whole number too long
        raise InvalidInput(f"{path} is not valid JSON: {error}") from error
    matrix = data.get("matrix") if isinstance(data, dict) else None
    if not isinstance(matrix, list) or not all(isinstance(row, list) for row in matrix):
        raise InvalidInput(f'{path}: expected {{"databases": [...], "matrix": [[...], ...]}}')
    databases, outputs = (_labels(data, key, path) for key in ("databases", "outputs"))
    stated = data.get("universe")
    if stated is not None and not isinstance(stated, str):
        raise InvalidInput(f'{path}: "universe" is a text such as "bits(2)"')
    if databases is None and stated is None:
        raise InvalidInput(f'{path}: name the columns with "databases", or give "universe"')
    if outputs is None:
        outputs = [f"row {i + 1}" for i in range(len(matrix))]
    if len(outputs) != len(matrix):
        raise InvalidInput(f"{path}: {len(outputs)} outputs are named for {len(matrix)} rows")
    width = None if databases is None else len(databases)
    for label, row in zip(outputs, matrix, strict=True):
        if width is not None and len(row) != width:
            raise InvalidInput(f"{path}, row {label}: {len(row)} entries for {width} databases")
    return databases, outputs, matrix, stated


def _labels(data: dict[str, Any], key: str, path: Path) -> list[str] | None:
    found = data.get(key)
    if found is not None and not isinstance(found, list):
        raise InvalidInput(f'{path}: "{key}" is a list of labels')
    return None if found is None else [str(label) for label in found]


def _inferred(databases: list[str]) -> Universe | None:
    """Read labels as people's records: all digit strings of one length, or one person's values.

    The answers name the universe that was read, so that nobody has to guess. Labels of any other
    shape are left as they are.
    """
    if len(set(databases)) != len(databases) or not all(databases):
        return None
    lengths = {len(label) for label in databases}
    if all(label.isascii() and label.isdigit() for label in databases) and len(lengths) == 1:
        digits = sorted({digit for label in databases for digit in label})
        n = lengths.pop()
        if len(digits) ** n != len(databases):
            return None
        return BitStrings(n) if digits == ["0", "1"] else Records([int(d) for d in digits], n)
    if any(separator in label for label in databases for separator in ",;| "):
        return None
    return Records(databases, 1)


def _universe(databases: list[str] | None, chosen: str | Universe | None, path: Path) -> Universe:
    if chosen is None:
        names = databases or []
        if twice := next((name for name in names if names.count(name) > 1), None):
            raise InvalidInput(
                f"{path}: database {twice!r} is named twice: the first line of a CSV file names "
                "each database once"
            )
        return Explicit(tuple(databases or ()))
    where = build_universe(chosen)
    if where.size is None:
        raise InvalidInput(f"{path}: a matrix needs a finite universe, not {where.expression}")
    if databases is None:
        return where
    # The number first: equal sets of labels would hide a label that is named twice.
    if where.size != len(databases) or {where.label(x) for x in where} != set(databases):
        raise InvalidInput(f"{path}: its databases are not those of {where.expression}")
    return where


def _read_npy(path: Path, universe: str | Universe | None) -> Mechanism:
    import numpy as np  # only float files need numpy

    from twoworlds.mechanisms.float_matrix import FloatMatrix

    try:
        with path.open("rb") as stream:
            matrix = np.load(stream, allow_pickle=False)
    except OSError as error:
        raise InvalidInput(f"{path} cannot be read: {error.strerror or error}") from error
    except (ValueError, EOFError, BadZipFile) as error:
        raise InvalidInput(f"{path} is not a .npy array of numbers") from error
    if not isinstance(matrix, np.ndarray) or matrix.dtype.kind not in "fiu":
        raise InvalidInput(f"{path} is not a .npy array of real numbers")
    if matrix.ndim != 2 or not matrix.size:
        raise InvalidInput(f"{path} has shape {matrix.shape}: expected outputs by databases")
    if universe is None:
        raise InvalidInput(
            f"{path} does not say what its {matrix.shape[1]} columns are: name their universe, "
            "as in --universe 'bits(2)' or --universe 'records(values=4, n=1)'"
        )
    outputs = Explicit(tuple(range(1, matrix.shape[0] + 1)))
    return FloatMatrix(build_universe(universe), outputs, matrix, expression=str(path))
