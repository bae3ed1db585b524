"""What a source may be: a path, a table by name, a frame; the parts that all engines share.

`open_backend` goes from a source to an engine and a table in it. `Engines` are those of a policy,
opened when they are first needed. An engine belongs to the process that opened it, and may be used
from any thread of it. Nothing here reads a row: plans are made from the schema alone.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlsplit

from twoworlds.errors import InvalidInput
from twoworlds.release.backends.frames import library_of

if TYPE_CHECKING:
    from sqlglot import exp

    from twoworlds.release.backends.base import Backend
    from twoworlds.release.plan import Plan
    from twoworlds.release.policy import Dataset, Policy
    from twoworlds.release.query import Resolved
    from twoworlds.release.sensitivity import Moments

Parts = frozenset[tuple[Any, ...]]  # of places, each with a schema at its end, if it has one
_FORMS = (
    "a path (.parquet), {duckdb: path, table: name}, {sqlite: path, table: name}, "
    "{postgresql: address, table: name}, {mysql: address, table: name}, {spark: path or table}, "
    "a data frame, or {connection: ..., table: name}"
)
FILES = (".parquet",)
TEXT_FILES = (".csv", ".tsv")  # imported, and never read by a release
FORMS = ("duckdb", "sqlite", "postgresql", "mysql", "spark", "connection")
Origin = tuple[str, Any]  # which of the forms, and what it says


def existing(path: str | Path, folder: Path) -> Path:
    """Return a path, from the folder if it is relative."""
    if "\0" in str(path):
        raise InvalidInput("a path holds the character NUL")
    found = folder / path
    if any("\ud800" <= letter <= "\udfff" for letter in str(found)):
        raise InvalidInput(
            f"the path {str(found)!a} is not UTF-8, as engines need it: rename what is not"
        )
    if not found.exists():
        raise InvalidInput(f"there is no file {str(path)!r}: check the path in the policy")
    if not (found.is_file() or found.is_dir()):
        raise InvalidInput(f"{str(path)!r} is not a regular file: give the path of one")
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
    """Refuse a text file."""
    text = text_file_of(source)
    if text is not None:
        raise InvalidInput(
            f"{text!r} is a text file, and releases read typed tables: import it with "
            f"`twoworlds policy import {shlex.quote(text)} --policy POLICY`, or begin a policy "
            f"with `twoworlds policy new {shlex.quote(text)} --header`"
        )


def as_file(source: Any, folder: Path) -> Path | None:
    """Return the file of a source: a Parquet file, or a folder of them."""
    check_typed(source)
    return existing(source, folder) if _looks_like_a_path(source) else None


def check_once(folder: Path, files: Iterable[Path]) -> None:
    """Refuse a folder that holds a file under two names, by links: its rows would count twice."""
    seen: dict[tuple[Any, ...], Path] = {}
    for file in files:
        first = seen.setdefault(_inode(file), file)
        if first != file:
            raise InvalidInput(
                f"the folder {folder.name!r} has one file under two names, {first.name!r} and "
                f"{file.name!r}: its people would count twice, so remove one of the two"
            )


def _looks_like_a_path(source: Any) -> bool:
    if isinstance(source, str):
        return source.lower().endswith(FILES) or "/" in source
    return isinstance(source, Path)


def origin_of(source: Any) -> Origin | None:
    """Return the engine that a source names, if it does."""
    if not isinstance(source, Mapping):
        return None
    return next(((form, source[form]) for form in FORMS if form in source), None)


def table_name(source: Any, origin: Origin | None = None) -> tuple[str | None, str] | None:
    """Return the schema, if any, and the table that a source names."""
    if origin_of(source) not in (None, origin):
        raise InvalidInput(
            "a public table is looked up in the engine that holds the dataset, and this one is in "
            "another: copy it there, or export both to Parquet"
        )
    if isinstance(source, Mapping) and "table" in source:
        schema = source.get("schema")
        return (None if schema is None else str(schema)), str(source["table"])
    return (None, source) if isinstance(source, str) else None


def named_table(catalogue: Backend, schema: str | None, name: str) -> exp.Table:
    """Return a table by its name; ``schema.table`` is split where no table is called so."""
    from twoworlds.release.plan import sql

    relation = sql.table(name, schema)
    if catalogue.fields(relation):
        return relation
    before, dot, after = name.partition(".")
    if schema is None and dot and before and after:
        relation = sql.table(after, before)
        if catalogue.fields(relation):
            return relation
    if name.lower().endswith((*FILES, *TEXT_FILES)):
        raise InvalidInput(
            f"{name!r} looks like a file, and this engine reads tables: load it into one first"
        )
    raise InvalidInput(f"there is no table {name!r}: check its name and its case, or give schema:")


# --- one table, one budget ----------------------------------------------------------------------


def check_distinct(
    datasets: Mapping[str, Dataset], sources: Mapping[str, Any], folder: Path, place: str
) -> None:
    """Refuse one table under two names: it would have two budgets, or be public as well.

    ``sources`` are those that are given beside the datasets.
    """
    given = {name: sources.get(name, one.source) for name, one in datasets.items()}
    given = {name: source for name, source in given.items() if source is not None}
    public = [(one, table) for one in datasets.values() for table in one.public.values()]
    if len(given) + len(public) < 2:
        return
    seen: dict[tuple[object, ...], dict[str | None, str]] = {}
    for name, source in given.items():
        parts = identity(source, folder)
        same = _sharing(parts, seen)
        if same is not None:
            raise InvalidInput(
                f"{place}: {same} and {name} have the same source, or share a part of it, "
                "and one table has one budget: declare it once (where they are two tables of "
                "one name, give schema: to both, or declare them in two policies)"
            )
        for *where, schema in parts:
            seen.setdefault(tuple(where), {})[schema] = name
    for dataset, table in public:
        same = _sharing(identity(_beside(table.source, given.get(dataset.name)), folder), seen)
        if same is not None:
            raise InvalidInput(
                f"{place}: the public table {table.name} has the source of {same}, which is "
                "protected, or shares a part of it: give it a table of its own, that is public"
            )


def _sharing(parts: Parts, seen: Mapping[tuple[object, ...], dict[str | None, str]]) -> str | None:
    """Return the dataset that shares a part of a source, if there is one."""
    for *where, schema in parts:
        others = seen.get(tuple(where), {})
        every = [*others.values()] if schema is None else [others.get(schema), others.get(None)]
        if any(every):
            return next(filter(None, every))
    return None


def _beside(source: Any, of: Any) -> Any:
    """Return the source of a public table, with the engine of its dataset if it names a table."""
    origin = origin_of(of)
    if origin is None or origin_of(source) is not None or _looks_like_a_path(source):
        return source
    named = source if isinstance(source, Mapping) else {"table": source}
    return {origin[0]: origin[1], **named}


def identity(source: Any, folder: Path) -> Parts:
    """Return what a source stands for: two sources that share a part of it share rows.

    A file is what the system takes it for, so that other spellings, links and a folder with the
    file in it are seen through. A table of a server is its name and its schema: a server has many
    names, so two servers of one kind may be one. Without a schema a table may be in any. Not seen
    through: copies, views, and what else an open connection may lead to.
    """
    origin = origin_of(source)
    if origin is None:
        path = isinstance(source, (str, Path))
        return frozenset(_files(folder / source) if path else [("object", id(source), None)])
    form, where = origin
    if form == "spark" and "table" not in source and _is_files(where, folder):
        return frozenset(_files(folder / where))
    schema, table = _table(source, origin)
    place: tuple[Any, ...] = (form,)
    if form in ("duckdb", "sqlite"):
        place, schema = _inode(folder / str(where))[:-1], schema or "main"
    elif form == "connection":
        place = form, id(where)
    return frozenset({(*place, table.casefold(), None if schema is None else schema.casefold())})


def _is_files(where: Any, folder: Path) -> bool:
    """Whether Spark is given files, and no table."""
    return _looks_like_a_path(where) or (isinstance(where, str) and (folder / where).is_dir())


def _table(source: Mapping[str, Any], origin: Origin) -> tuple[str | None, str]:
    """Return the schema, if any, and the table that a source names in its engine."""
    form, where = origin
    schema, table = source.get("schema"), str(source.get("table", where))
    before, dot, after = table.rpartition(".")
    if schema is None and dot and before and after:
        schema, table = before.rpartition(".")[2], after
    if form == "duckdb" and schema == Path(str(where)).stem:  # how DuckDB calls the file itself
        schema = None
    return (None if schema is None else str(schema)), table


def place_of(source: Any, folder: Path, base: Path | None) -> str | None:
    """Return a name for the place of a source: what lies within another has that as its beginning.

    It tells nothing of what is there. A file is named from the folder ``base``, or from the root,
    with links followed; a server by a digest of its address, without user and password. What is
    given in Python has no place: None.

    >>> place_of({"sqlite": "a.db", "table": "People"}, Path("/x"), Path("/x"))
    'a.db/main/people'
    """
    origin = origin_of(source)
    if origin is None:
        return _path(source, folder, base) if isinstance(source, (str, Path)) else None
    form, where = origin
    if form == "connection":
        return None
    if form == "spark" and "table" not in source and _is_files(where, folder):
        return _path(where, folder, base)
    schema, table = (one and one.casefold() for one in _table(source, origin))
    if form in ("duckdb", "sqlite"):
        return f"{_path(where, folder, base)}/{schema or 'main'}/{table}"
    server = form if form == "spark" else f"{form} {_address(str(where))}"
    return "/".join(filter(None, (server, table, schema)))


def _path(path: str | Path, folder: Path, base: Path | None) -> str:
    real = os.path.realpath(folder / str(path).replace("\0", ""))
    named = Path(real if base is None else os.path.relpath(real, os.path.realpath(base)))
    return named.as_posix().encode("utf-8", "backslashreplace").decode()


def _address(address: str) -> str:
    """Return a short digest of host, port and database, however they are written."""
    try:
        parts = urlsplit(address)
        host, _, port = parts.netloc.rpartition("@")[2].partition(":")
        given = {"host": host, "port": port, "dbname": parts.path.strip("/")}
        given |= dict(parse_qsl(parts.query))
        if not parts.scheme:
            given = dict(word.partition("=")[::2] for word in shlex.split(address))
    except ValueError:  # connecting will say so
        given = {}
    host, port = given.get("host", "").lower(), given.get("port", "")
    usual = port in ("", "5432", "3306")
    named = [host, None if usual else port, *map(given.get, ("dbname", "hostaddr", "service"))]
    return sha256(repr(named).encode()).hexdigest()[:12]


def _files(path: Path) -> Iterator[tuple[Any, ...]]:
    """Yield the file, or the folder and the Parquet files below it."""
    yield _inode(path)
    if path.is_dir():
        yield from map(_inode, path.rglob("*.parquet"))


def _inode(path: Path) -> tuple[Any, ...]:
    try:
        found = path.stat()
    except (OSError, ValueError):  # opening it will say so
        return ("file", os.path.realpath(str(path).replace("\0", "")), None)
    return ("file", found.st_dev, found.st_ino, None)


def open_backend(source: Any, folder: Path = Path()) -> tuple[Backend, exp.Table]:
    """Open what holds a table.

    Args:
        source: The path of a ``.parquet`` file, or of a folder of them;
            ``{duckdb: path, table: name}``, ``{sqlite: path, table: name}``,
            ``{postgresql: address, table: name}``, ``{mysql: address, table: name}`` or
            ``{spark: path or table}``, tables with ``schema: name`` besides if need be; a frame of
            pandas, polars or Spark or a table of pyarrow; or an open connection of duckdb,
            ``{connection: c, table: name}``.
        folder: What relative paths start from.

    Raises:
        InvalidInput: when it is none of these, or not there; the message names the way out.
    """
    backend = _backend(source, folder)
    try:
        return backend, backend.relation(source)
    except BaseException:
        backend.close()
        raise


def _backend(source: Any, folder: Path) -> Backend:
    check_typed(source)
    if isinstance(source, Mapping):
        return _from_mapping(source, folder)
    if isinstance(source, (str, Path)):
        _check_path(source, folder)
    elif type(source).__module__.startswith("pyspark."):
        from twoworlds.release.backends.spark import SparkBackend

        return SparkBackend(source.sparkSession, folder=folder)
    elif library_of(source) is None:
        raise InvalidInput(f"{type(source).__name__} is not a source of data: give {_FORMS}")
    from twoworlds.release.backends.duckdb import DuckDBBackend

    return DuckDBBackend(folder=folder)


def _check_path(source: str | Path, folder: Path) -> None:
    if isinstance(source, str) and "://" in source:  # it may hold a password: not shown
        raise InvalidInput(
            "an address of a server is given as {postgresql: address, table: name}; "
            f"a source is {_FORMS}"
        )
    path = existing(source, folder)
    if path.is_dir():
        if not any(path.glob("*.parquet")):
            raise InvalidInput(f"the folder {str(source)!r} has no .parquet file")
        unread = next((one for one in path.rglob("*") if _is_left_out(one, path)), None)
        if unread is not None:
            raise InvalidInput(
                f"{str(unread.relative_to(path))!r} in the folder {str(source)!r} would not be "
                "read: put all files straight into the folder, with .parquet in small letters at "
                "the end, or give {spark: ...}, which reads the folders below, too"
            )
    elif path.suffix.lower() in (".duckdb", ".ddb", ".db", ".sqlite", ".sqlite3"):
        raise InvalidInput(
            f"{str(source)!r} holds several tables: give {{duckdb: {source}, table: name}} or "
            f"{{sqlite: {source}, table: name}}"
        )
    elif path.suffix.lower() not in FILES:
        raise InvalidInput(
            f"{str(source)!r} does not end in {FILES[0]}: the ending says how it is read"
        )


def _is_left_out(one: Path, folder: Path) -> bool:
    """Whether something below a folder looks like a part of its table, and is none."""
    hidden = any(part.startswith(".") for part in one.relative_to(folder).parts)
    if hidden or one.suffix.lower() not in FILES:
        return False
    return one.parent != folder or one.suffix not in FILES or one.is_dir()


def _from_mapping(source: Mapping[str, Any], folder: Path) -> Backend:
    forms = [form for form in FORMS if form in source]
    if len(forms) != 1 or source.keys() - {*FORMS, "table", "schema"}:
        raise InvalidInput(f"a source is {_FORMS}")
    [form] = forms
    if form != "spark" and "table" not in source:
        raise InvalidInput(f"a source with {form}: needs table: and the name of the table")
    from twoworlds.release.backends import dbapi

    where, origin = source[form], (form, source[form])
    match form:
        case "duckdb":
            from twoworlds.release.backends.duckdb import DuckDBBackend

            return DuckDBBackend(folder=folder, file=existing(where, folder), origin=origin)
        case "sqlite":
            return dbapi.SQLiteBackend(existing(where, folder), origin=origin)
        case "postgresql":
            return dbapi.PostgreSQLBackend(str(where), origin=origin)
        case "mysql":
            return dbapi.MySQLBackend(str(where), origin=origin)
        case "spark":
            from twoworlds.release.backends.spark import SparkBackend, active_session

            return SparkBackend(active_session(), folder=folder)
    return _given(where, folder, origin)


def _given(connection: Any, folder: Path, origin: Origin) -> Backend:
    """Use an open connection of DuckDB, by the library that its class comes from."""
    from twoworlds.release.backends.duckdb import DuckDBBackend

    if "duckdb" not in type(connection).__module__:
        raise InvalidInput(
            f"{type(connection).__module__}.{type(connection).__name__} is not a connection of "
            "duckdb: give the address or the file, such as {postgresql: address, table: name} or "
            "{sqlite: path, table: name}, and export tables of other databases to Parquet"
        )
    try:
        connection.cursor().close()
    except Exception as error:  # whatever the driver raises; no table was touched
        words = " ".join(str(error).split())[:200]
        raise InvalidInput(f"this connection cannot be used ({words}): give an open one") from None
    return DuckDBBackend(connection, folder=folder, origin=origin)


# --- the engines of a policy ---------------------------------------------------------------------


class Engines:
    """The engine and the table of each dataset."""

    def __init__(self, policy: Policy, sources: Mapping[str, Any]) -> None:
        """Check that the sources are those of datasets, each of another table."""
        for dataset in sources:
            policy.dataset(dataset)
        check_distinct(policy.datasets, sources, policy.folder, "the policy and the sources")
        self.policy, self._sources = policy, sources
        self.opened: dict[str, tuple[Backend, exp.Table]] = {}
        self._opening = Lock()
        self._process, self._closed = os.getpid(), False

    def open(self, dataset: Dataset) -> tuple[Backend, exp.Table]:
        """Return the engine of a dataset, and its table there."""
        if os.getpid() != self._process:
            raise InvalidInput(
                "this Curator was opened before the process was forked, and its connections belong "
                "to the parent: open one in the child, after the fork"
            )
        if self._closed:
            raise InvalidInput("this Curator is closed: open another one")
        with self._opening:
            if dataset.name not in self.opened:
                source = self.source(dataset)
                self.opened[dataset.name] = open_backend(source, folder=self.policy.folder)
            return self.opened[dataset.name]

    def source(self, dataset: Dataset) -> Any:
        """Return where the data are: as given, or as the policy says."""
        source = self._sources.get(dataset.name, dataset.source)
        if source is None:
            raise InvalidInput(
                f"the policy does not say where {dataset.name!r} is: add source: to it, "
                "or give the data beside the query"
            )
        return source

    def place(self, dataset: Dataset, base: Path | None) -> str | None:
        """Return a name for the place of the data, as `place_of` does."""
        return place_of(self.source(dataset), self.policy.folder, base)

    def plans(self, resolved: Sequence[Resolved]) -> tuple[Backend, list[Plan]]:
        """Return the engine and the plan of each query, after checking the schema."""
        engine, relation = self.open(resolved[0].dataset)
        engine.check_usable()
        from twoworlds.release.plan import check_columns, plan

        for one in resolved:
            check_columns(one.dataset, one, engine, relation)
        return engine, [plan(one, relation, engine) for one in resolved]

    def moments(self, resolved: Sequence[Resolved]) -> Moments:
        """Return whether all that a batch asks is read at one moment."""
        scans = len(resolved) + sum(m.kind == "ranks" for one in resolved for m in one.measures)
        if scans == 1:
            return "one"
        dataset = resolved[0].dataset
        engine, relation = self.open(dataset)
        if engine.snapshot(relation):
            return "one"
        return "frozen" if dataset.frozen else "several"

    def check(self) -> None:
        """Check that every table is there, with the columns that the policy declares."""
        from twoworlds.release.plan.statement import check_field

        for dataset in self.policy.datasets.values():
            if dataset.name not in self._sources and dataset.source is None:
                continue
            engine, relation = self.open(dataset)
            engine.check_usable()
            for name, column in dataset.columns.items():
                check_field(name, column.kind, engine.fields(relation), f"dataset {dataset.name!r}")

    def close(self) -> None:
        """Close all of them, for good."""
        self._closed = True
        for engine, _ in self.opened.values():
            engine.close()
        self.opened.clear()
