"""What a source may be: a path, a table by name, a frame; the parts that all engines share."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from twoworlds.errors import InvalidInput

if TYPE_CHECKING:
    from sqlglot import exp

__all__ = [
    "FILES",
    "FORMS",
    "TEXT_FILES",
    "Origin",
    "as_file",
    "check_typed",
    "existing",
    "import_command",
    "named_table",
    "origin_of",
    "table_name",
    "text_file_of",
]

FILES = (".parquet",)
TEXT_FILES = (".csv", ".tsv")  # imported, and never read by a release
FORMS = ("duckdb", "sqlite", "postgresql", "mysql", "spark", "connection")
Origin = tuple[str, Any]  # which of the forms, and what it says


class _Catalogue(Protocol):
    def exists(self, relation: exp.Table) -> bool: ...


def existing(path: str | Path, folder: Path) -> Path:
    """Return a path, from the folder if it is relative.

    Raises:
        InvalidInput: when nothing is there.
    """
    if "\0" in str(path):
        raise InvalidInput("a path holds the character NUL")
    found = folder / path
    if not found.exists():
        raise InvalidInput(f"there is no file {str(path)!r}: check the path in the policy")
    return found


def text_file_of(source: Any) -> str | None:
    """Return the text file that a source names, if it does."""
    if isinstance(source, Mapping):
        source = source.get("spark")
    if isinstance(source, (str, Path)) and str(source).lower().endswith(TEXT_FILES):
        return str(source)
    return None


def import_command(path: Path, policy: str, dataset: str, public: str | None = None) -> str:
    """Return the command that imports a text file as a policy declares it.

    >>> import_command(Path("my people.csv"), "policy.yml", "people")
    "twoworlds policy import 'my people.csv' --policy policy.yml --dataset people"
    """
    words = ["twoworlds", "policy", "import", str(path), "--policy", policy, "--dataset", dataset]
    return shlex.join(words if public is None else [*words, "--public", public])


def check_typed(source: Any) -> None:
    """Refuse a text file.

    Raises:
        InvalidInput: naming the commands that import it.
    """
    text = text_file_of(source)
    if text is not None:
        raise InvalidInput(
            f"{text!r} is a text file, and releases read typed tables: import it with "
            f"`twoworlds policy import {shlex.quote(text)} --policy POLICY`, or begin a policy "
            f"with `twoworlds policy new {shlex.quote(text)}`"
        )


def as_file(source: Any, folder: Path) -> Path | None:
    """Return the file of a source: a Parquet file, or a folder of them.

    Raises:
        InvalidInput: when nothing is there, or it is a text file.
    """
    check_typed(source)
    if isinstance(source, Path):
        return existing(source, folder)
    if isinstance(source, str) and (source.lower().endswith(FILES) or "/" in source):
        return existing(source, folder)
    return None


def origin_of(source: Any) -> Origin | None:
    """Return the engine that a source names, if it does."""
    if not isinstance(source, Mapping):
        return None
    return next(((form, source[form]) for form in FORMS if form in source), None)


def table_name(source: Any, origin: Origin | None = None) -> tuple[str | None, str] | None:
    """Return the schema, if any, and the table that a source names.

    Raises:
        InvalidInput: when the source is in another engine than ``origin``.
    """
    if origin_of(source) not in (None, origin):
        raise InvalidInput(
            "a public table is looked up in the engine that holds the dataset, and this one is in "
            "another: copy it there, or export both to Parquet"
        )
    if isinstance(source, Mapping) and "table" in source:
        schema = source.get("schema")
        return (None if schema is None else str(schema)), str(source["table"])
    return (None, source) if isinstance(source, str) else None


def named_table(catalogue: _Catalogue, schema: str | None, name: str) -> exp.Table:
    """Return a table by its name; ``schema.table`` is split where no table is called so.

    Raises:
        InvalidInput: when there is no such table.
    """
    from twoworlds.release.plan import sql

    relation = sql.table(name, schema)
    if catalogue.exists(relation):
        return relation
    before, dot, after = name.partition(".")
    if schema is None and dot and before and after:
        relation = sql.table(after, before)
        if catalogue.exists(relation):
            return relation
    if name.lower().endswith((*FILES, *TEXT_FILES)):
        raise InvalidInput(
            f"{name!r} looks like a file, and this engine reads tables: load it into one first"
        )
    raise InvalidInput(f"there is no table {name!r}: check its name and its case, or give schema:")
