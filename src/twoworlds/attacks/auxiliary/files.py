"""Laws from files: a row for each database with its utility vector, breaches and probability.

CSV: columns ``utility``, ``breaches`` and ``probability``; ``database`` (its name) and ``size`` may
be added. Breaches are strings of bits separated by blanks or semicolons; a cell may be empty. JSON:
a list of such rows, with breaches as a list or as text, or an object with that list as "databases".
Bits stay text: ``0110`` keeps its leading zero.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from twoworlds.attacks.auxiliary.bits import read_bits
from twoworlds.attacks.auxiliary.laws import Case, Law, law_of
from twoworlds.errors import InvalidInput, TooLarge
from twoworlds.numbers import probability, whole

__all__ = ["read_law"]

_NEEDED = ("utility", "breaches", "probability")
_KNOWN = ("database", *_NEEDED, "size")
_LARGEST_FILE = 1 << 24


def read_law(path: Path) -> Law:
    """Read a law of databases from a CSV or JSON file.

    Raises:
        InvalidInput: when the file cannot be read, a column is missing, or an entry breaks a rule.
    """
    suffix = path.suffix.lower()
    if suffix not in (".csv", ".json"):
        raise InvalidInput(f"{path}: laws are read from .csv and .json files")
    try:
        if path.stat().st_size > _LARGEST_FILE:
            raise TooLarge(f"{path} is larger than {_LARGEST_FILE} bytes: gather equal databases")
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise InvalidInput(f"{path} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise InvalidInput(f"{path} is not UTF-8 text") from error
    rows = _csv_rows(text, path) if suffix == ".csv" else _json_rows(text, path)
    return law_of((_case(row, i, path) for i, row in enumerate(rows, 1)), name=str(path))


def _csv_rows(text: str, path: Path) -> list[dict[str, Any]]:
    reader = csv.DictReader(io.StringIO(text), skipinitialspace=True)
    try:
        rows = list(reader)
    except csv.Error as error:
        raise InvalidInput(f"{path} is not CSV: {error}") from error
    for i, row in enumerate(rows, 1):
        if None in row or None in row.values():
            raise InvalidInput(f"{path}: row {i} has another number of cells than the header")
    return rows


def _json_rows(text: str, path: Path) -> list[dict[str, Any]]:
    try:
        data = json.loads(text, parse_float=str, parse_int=str)
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"{path} is not JSON: {error}") from error
    if isinstance(data, Mapping):
        data = data.get("databases")
    if not isinstance(data, list) or not all(isinstance(row, Mapping) for row in data):
        raise InvalidInput(f"{path} must hold a list of rows with {', '.join(_NEEDED)}")
    return data


def _case(row: Mapping[str, Any], i: int, path: Path) -> Case:
    cells = {str(name).strip().lower(): value for name, value in row.items()}
    where = f"{path}, row {i}"
    for name in cells:
        if name not in _KNOWN:
            raise InvalidInput(f"{where}: unknown column {name!r}; known: {', '.join(_KNOWN)}")
    for name in _NEEDED:
        if name not in cells:
            raise InvalidInput(f"{where}: the column {name!r} is missing")
    breaches = cells["breaches"]
    if isinstance(breaches, str):
        breaches = breaches.replace(";", " ").split()
    if not isinstance(breaches, list):
        raise InvalidInput(f"{where}: breaches={breaches!r} must be a list of strings of bits")
    try:
        return Case(
            str(cells.get("database") or i),
            read_bits(_stripped(cells["utility"]), "utility"),
            tuple(read_bits(_stripped(breach), "breach") for breach in breaches),
            probability(cells["probability"]),
            whole(cells.get("size") or 0, "size"),
        )
    except InvalidInput as error:
        raise InvalidInput(f"{where}: {error}") from None


def _stripped(value: object) -> object:
    return value.strip() if isinstance(value, str) else value
