"""Spark: a data frame, a table of its catalogue, or files, through a session that is given.

Each source is seen through a temporary view whose columns are numbered, so that no name of a
column, odd or twice given, ever stands in a statement. Works with ANSI mode on and off.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from twoworlds.errors import InvalidInput
from twoworlds.release.backends.base import Field, kinds_of
from twoworlds.release.backends.sources import as_file, origin_of, table_name

if TYPE_CHECKING:
    from sqlglot import exp

__all__ = ["SparkBackend", "active_session"]

_TYPES = {
    "tinyint": Field("", "integer", bits=8),
    "smallint": Field("", "integer", bits=16),
    "int": Field("", "integer", bits=32),
    "bigint": Field("", "integer", bits=64),
    "float": Field("", "float", cast=True),
    "double": Field("", "float"),
    "string": Field("", "text"),
    "boolean": Field("", "boolean"),
    "date": Field("", "date"),
    "timestamp": Field("", "timestamp"),
    "timestamp_ntz": Field("", "timestamp"),
}
_WORDS = {"decimal": Field("", "decimal"), "char": Field("", "text"), "varchar": Field("", "text")}
ESCAPES = "spark.sql.parser.escapedStringLiterals"


def active_session() -> Any:
    """Return the session of Spark that is running, or start one on this machine.

    Raises:
        InvalidInput: when Spark is not installed.
    """
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        raise InvalidInput("Spark needs pyspark: pip install 'twoworlds[spark]'") from None
    return SparkSession.getActiveSession() or SparkSession.builder.getOrCreate()


class SparkBackend:
    """Tables that Spark reads."""

    dialect = "spark"

    def __init__(self, session: Any, *, folder: Path = Path()) -> None:
        """Use a session, which stays open.

        Raises:
            InvalidInput: when the session reads texts in another way.
        """
        if str(session.conf.get(ESCAPES, "false")).lower() == "true":
            raise InvalidInput(
                f"{ESCAPES} is on in this session, and a quote in a text would change its "
                "meaning: turn it off"
            )
        self._session = session
        self._folder = folder
        self._views: dict[Any, exp.Table] = {}
        self._kept: list[object] = []
        self._fields: dict[str, dict[str, Field]] = {}

    def relation(self, source: Any) -> exp.Table:
        """Return the table of a data frame, a file or a name in the catalogue."""
        key = source if isinstance(source, (str, Path)) else id(source)
        if key not in self._views:
            self._kept.append(source)
            self._views[key] = self._view(*self._frame(source))
        return self._views[key]

    def fields(self, relation: exp.Table) -> Mapping[str, Field]:
        """Return the columns of a table by the names that their owner gave them."""
        return self._fields[relation.name]

    def kinds(self, relation: exp.Table) -> Mapping[str, str]:
        """Return the kind of each column in the words of a policy, or ``other``."""
        return kinds_of(self.fields(relation))

    def rows(self, statement: exp.Query) -> Iterator[tuple[Any, ...]]:
        """Run one statement and yield its rows."""
        for row in self._session.sql(statement.sql("spark")).collect():
            yield tuple(row)

    def fetch(self, statement: exp.Query) -> list[tuple[Any, ...]]:
        """Run one statement and return its rows."""
        return list(self.rows(statement))

    def close(self) -> None:
        """Drop the views; the session stays open."""
        for relation in self._views.values():
            self._session.catalog.dropTempView(relation.name)
        self._views.clear()

    def _frame(self, source: Any) -> tuple[Any, bool]:
        """Return the data frame of a source, and whether it is text that is read as declared."""
        origin = origin_of(source)
        if origin is not None and origin[0] == "spark":
            source = origin[1]
        path = as_file(source, self._folder)
        if path is not None:
            return self._file(path)
        name = table_name(source)
        if name is not None:
            return self._table(*name), False
        return source, False

    def _file(self, path: Path) -> tuple[Any, bool]:
        separators = {".csv": ",", ".tsv": "\t"}
        where = path.absolute().as_uri()
        if path.suffix.lower() in separators:
            options = {"sep": separators[path.suffix.lower()], "escape": '"', "header": "true"}
            return self._session.read.options(**options, emptyValue="").csv(where), True
        return self._session.read.parquet(where), False

    def _table(self, schema: str | None, name: str) -> Any:
        names = [f"`{part.replace('`', '``')}`" for part in (schema, name) if part is not None]
        for full in (".".join(names), name):
            try:
                if self._session.catalog.tableExists(full):
                    return self._session.table(full)
            except Exception:  # names that are no names of Spark
                continue
        if schema is None and (self._folder / name).is_dir():
            return self._file(self._folder / name)[0]
        raise InvalidInput(f"there is no table {name!r} in Spark's catalogue: check its name")

    def _view(self, frame: Any, untyped: bool) -> exp.Table:  # noqa: FBT001
        from twoworlds.release.plan import sql

        names = list(frame.columns)
        if len(set(names)) < len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise InvalidInput(f"two columns are called {twice!r}: rename one")
        view = f"twoworlds_{uuid4().hex}"
        kinds = [field.dataType.simpleString() for field in frame.schema.fields]
        frame.toDF(*(f"c{i}" for i in range(len(names)))).createOrReplaceTempView(view)
        self._fields[view] = {
            name: Field(f"c{i}", "untyped") if untyped else _field(f"c{i}", kind)
            for i, (name, kind) in enumerate(zip(names, kinds, strict=True))
        }
        return sql.table(view)


def _field(name: str, kind: str) -> Field:
    word = kind.partition("(")[0]
    plain = _TYPES.get(kind) or _WORDS.get(word) or Field("", "other")
    return Field(name, plain.family, bits=plain.bits, cast=plain.cast)
