"""Spark: a data frame, a table of its catalogue, or Parquet files, through a session.

Each source is seen through a temporary view whose columns are numbered, so that no name of a
column, odd or twice given, ever stands in a statement. Works with ANSI mode on and off. Spark plans
each statement anew and promises no moment: what is read together may be of several.

The session is classic, on this machine or on a cluster, or of Spark Connect. One that ends before
the Curator does (Spark Connect ends it after an hour without a statement, and when its server
starts anew) is opened again, with its views, before anything is charged.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from twoworlds.errors import InvalidInput
from twoworlds.release.backends.base import Backend, Field, Run, field_of
from twoworlds.release.backends.sources import as_file, check_once, origin_of, table_name
from twoworlds.release.plan import sql

if TYPE_CHECKING:
    from sqlglot import exp

_WIDTHS = {"tinyint": 8, "smallint": 16, "int": 32, "bigint": 64}
_TYPES = {
    **{name: Field("", "integer", bits=bits) for name, bits in _WIDTHS.items()},
    **dict.fromkeys(("string", "char", "varchar"), Field("", "text")),
    **dict.fromkeys(("timestamp", "timestamp_ntz"), Field("", "timestamp")),
    "float": Field("", "float", cast=True),
    "double": Field("", "float"),
    "decimal": Field("", "decimal"),
    "boolean": Field("", "boolean"),
    "date": Field("", "date"),
}
ESCAPES = "spark.sql.parser.escapedStringLiterals"


def active_session() -> Any:
    """Return the session of Spark that is running, or start one on this machine."""
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        raise InvalidInput("Spark needs pyspark: pip install 'twoworlds[spark]'") from None
    return SparkSession.getActiveSession() or SparkSession.builder.getOrCreate()


class SparkBackend(Backend):
    """Tables that Spark reads."""

    dialect = "spark"

    def __init__(self, session: Any, *, folder: Path = Path()) -> None:
        """Use a session, which stays open."""
        if str(session.conf.get(ESCAPES, "false")).lower() == "true":
            raise InvalidInput(
                f"{ESCAPES} is on in this session, and a quote in a text would change its "
                "meaning: turn it off"
            )
        super().__init__()
        self._spark = session
        self._folder = folder
        self._opening = RLock()
        self._views: dict[Any, tuple[Any, exp.Table]] = {}  # with the source, which must live on
        self._columns: dict[str, Mapping[str, Field]] = {}

    def relation(self, source: Any) -> exp.Table:
        """Return the table of a data frame, a file or a name in the catalogue."""
        key = source if isinstance(source, (str, Path)) else id(source)
        with self._opening:
            if key not in self._views:
                name = f"twoworlds_{uuid4().hex}"
                self._views[key] = source, self._view(name, *self._frame(source))
            return self._views[key][1]

    def check_usable(self) -> None:
        """Open session and views again if the session has ended."""
        with self._opening:
            if self._lives():
                return
            if any(hasattr(source, "sparkSession") for source, _ in self._views.values()):
                raise InvalidInput(
                    "the session of Spark that made this data frame has ended: make the frame "
                    "again in a new session, and open the Curator with it"
                )
            with suppress(Exception):
                self._spark.stop()  # it is not found as the active one any more
            self._spark = active_session()
            for source, relation in self._views.values():
                self._view(relation.name, *self._frame(source))

    def _lives(self) -> bool:
        try:
            return bool(self._spark.sql("SELECT 1").collect())
        except Exception:  # of several kinds, and without data
            return False

    def snapshot(self, relation: exp.Table) -> bool:
        """Never: a source may be read again, and be another then."""
        return False

    def close(self) -> None:
        """Drop the views; the session stays open."""
        for _, relation in self._views.values():
            with suppress(Exception):  # it ended with its session
                self._spark.catalog.dropTempView(relation.name)
        self._views.clear()

    @contextmanager
    def _session(self, _: Sequence[exp.Table]) -> Iterator[Run]:
        yield lambda text: map(tuple, self._spark.sql(text).collect())

    def _describe(self, run: Run, table: exp.Table) -> Mapping[str, Field]:
        """Return the columns of a view, which are fixed when it is made."""
        return self._columns[table.name]

    def _frame(self, source: Any) -> tuple[Any, bool]:
        """Return the data frame of a source, and whether its types may follow from its values."""
        origin = origin_of(source)
        if origin is not None and origin[0] == "spark":
            source = origin[1]
        path = as_file(source, self._folder)
        if path is not None:
            return self._files(path), True
        name = table_name(source)
        if name is not None:
            return self._table(*name), False
        return source, True

    def _table(self, schema: str | None, name: str) -> Any:
        names = [f"`{part.replace('`', '``')}`" for part in (schema, name) if part is not None]
        for full in (".".join(names), name):
            try:
                if self._spark.catalog.tableExists(full):
                    return self._spark.table(full)
            except Exception:  # names that are no names of Spark
                continue
        if schema is None and (self._folder / name).is_dir():
            return self._files(self._folder / name)
        raise InvalidInput(f"there is no table {name!r} in Spark's catalogue: check its name")

    def _files(self, path: Path) -> Any:
        """Return the frame of a file, or of all below a folder, which Spark reads through links."""
        below = [*path.rglob("*")]
        linked = next((one for one in below if one.is_symlink() and one.is_dir()), None)
        if linked is not None:
            raise InvalidInput(
                f"{linked.name!r} in the folder {path.name!r} is a link to a folder, whose people "
                "may count twice: remove it, or put the folder itself there"
            )
        check_once(path, (one for one in below if one.is_file()))
        return self._spark.read.parquet(path.absolute().as_uri())

    def _view(self, view: str, frame: Any, inferred: bool) -> exp.Table:  # noqa: FBT001
        names = list(frame.columns)
        if len(set(names)) < len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise InvalidInput(f"two columns are called {twice!r}: rename one")
        kinds = [one.dataType.simpleString().partition("(")[0] for one in frame.schema.fields]
        frame.toDF(*(f"c{i}" for i in range(len(names)))).createOrReplaceTempView(view)
        self._columns[view] = {
            name: replace(field_of(f"c{i}", kind, _TYPES), inferred=inferred)
            for i, (name, kind) in enumerate(zip(names, kinds, strict=True))
        }
        return sql.table(view)
