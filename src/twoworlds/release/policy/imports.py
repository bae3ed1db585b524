r"""The import of a text file: a typed Parquet file beside it, which releases read.

`records` says how the text is read. What a value is depends on the kind of its column:

    integer    a whole number of 64 bits, such as 42, +7 or 12.0
    number     a finite decimal number, such as 2.5 or 1e-3
    date       an ISO date, 2026-01-31; of an ISO time the day as it is written
    boolean    true or false, 1 or 0
    text       the value as it stands; ``""`` is the empty text

A value that is missing or does not fit its kind is missing in the Parquet file, and the second sort
is counted. Around all but texts blanks do not matter, and what is blank is missing.

The text goes through a pipe to DuckDB. On the disk there are only Parquet files, in a hidden folder
beside the text file, and nobody but the owner may read them, whatever the umask. The last of them
is moved to its place when all is done. What a kill leaves of such a folder the next import removes.
"""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, get_args

from twoworlds.errors import InvalidInput, UnknownName
from twoworlds.numbers import counted
from twoworlds.progress import track
from twoworlds.release.policy.model import ColumnKind
from twoworlds.release.policy.records import BLOCK, LONGEST, FileRecords, Lines

if TYPE_CHECKING:
    import duckdb

Ask = Callable[[Sequence[str]], bool]
_FIRST = 5  # lines of values that do not fit, by number
_MARK = "twoworlds_import"
_TRIMMED = "trim({c}, ' ' || chr(9))"
_INTEGER = "CAST(TRY_CAST({c} AS BIGINT) AS VARCHAR) = {c}"
_NUMBER = r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?"
_TIME = r"([T ][0-9]{2}:[0-9]{2}(:[0-9]{2}([.,][0-9]+)?)?(Z|[+-][0-9]{2}(:?[0-9]{2})?)?)?"
_DAY = "TRY_CAST(substr({t}, 1, 10) AS DATE)"

# What a value becomes; {c} is the text, {t} the text without blanks around it.
_VALUES = {
    "text": "{c}",
    "integer": f"CASE WHEN {_INTEGER} THEN TRY_CAST({{c}} AS BIGINT) "
    f"WHEN regexp_full_match({{t}}, '[+-]?[0-9]+(\\.0*)?') "
    "THEN TRY_CAST(regexp_extract({t}, '-?[0-9]+') AS BIGINT) END",
    "number": f"CASE WHEN regexp_full_match({{t}}, '{_NUMBER}') "
    "AND isfinite(TRY_CAST({t} AS DOUBLE)) THEN TRY_CAST({t} AS DOUBLE) END",
    "date": f"CASE WHEN regexp_full_match({{t}}, '[0-9]{{{{4}}}}-[0-9]{{{{2}}}}-[0-9]{{{{2}}}}"
    f"{_TIME.replace('{', '{{').replace('}', '}}')}') "
    f"AND {_DAY} >= DATE '0001-01-01' THEN {_DAY} END",
    "boolean": "CASE lower({t}) WHEN 'true' THEN true WHEN '1' THEN true WHEN 'false' THEN false "
    "WHEN '0' THEN false END",
}
# Whether a value shows that its column is of a kind. Stricter than the above: 007 is no number, and
# neither is a whole number of more than 64 bits, since different ones would become the same.
_SIGNS: dict[ColumnKind, str] = {
    "boolean": "lower({c}) IN ('true', 'false')",
    "integer": _INTEGER,
    "number": f"{_INTEGER} OR (regexp_full_match({{c}}, "
    r"'-?((0|[1-9][0-9]*)?\.[0-9]+([eE][+-]?[0-9]+)?|[1-9][0-9]*[eE][+-][0-9]+)') "
    "AND isfinite(TRY_CAST({c} AS DOUBLE)))",
    "date": "length({c}) = 10 AND CAST(TRY_CAST({c} AS DATE) AS VARCHAR) = {c}",
}


@dataclass(frozen=True)
class Unfit:
    """Values of a column that do not fit a kind: its own, or that of most if it is text."""

    count: int
    lines: tuple[int, ...]  # the first of them
    kind: str
    long: int = 0  # how many are whole numbers with too many digits for 64 bits

    def __str__(self) -> str:
        """Name the lines."""
        shown = [*map(str, self.lines)]
        if self.count > len(shown):
            shown[_FIRST:] = ["..."]
        return f"line{'s'[: self.count != 1]} {', '.join(shown)}"


@dataclass(frozen=True)
class Imported:
    """What an import did."""

    target: Path  # the Parquet file
    rows: int
    kinds: Mapping[str, ColumnKind]  # of each column, in order
    blank: Lines  # empty lines of the text, which are no rows
    unreadable: Lines  # records that could not be read and were left out
    unfit: Mapping[str, Unfit]  # values that are missing now since they do not fit, by column
    nearly: Mapping[str, Unfit]  # what speaks against another kind, of columns guessed to be text


def imported_place(path: Path) -> Path:
    """Return the Parquet file that a text file becomes."""
    return path.with_suffix(".parquet")


def import_text(
    path: Path,
    *,
    kinds: Mapping[str, str] | None = None,
    expected: Collection[str] = (),
    header: bool | None = None,
    encoding: str | None = None,
    delimiter: str | None = None,
    skip_unreadable: bool = False,
    replace: bool = False,
    ask: Ask | None = None,
    target: Path | None = None,
) -> Imported:
    """Write the Parquet file of a text file.

    Args:
        path: The text file, ``.csv`` or ``.tsv``.
        kinds: The kinds of columns, by name; others are guessed from all values.
        expected: Columns that there must be, which tell whether the first line has names.
        header: Whether the first line has the names of the columns.
        encoding: Of the text; UTF-8 unless the file has the mark of another one.
        delimiter: Between values; a comma, in ``.tsv`` a tab.
        skip_unreadable: Whether to leave out records that cannot be read.
        replace: Whether to replace a Parquet file that is there and was not imported.
        ask: Asks the user whether these are names.
        target: The Parquet file, if not beside the text file.

    Raises:
        InvalidInput: when lines cannot be read, when it is not clear whether there are names, or
            when something else is at the place; nothing is written then.
    """
    target = target or imported_place(path)
    records = FileRecords(path, delimiter=delimiter, encoding=encoding)
    named = _has_names(records.first, path, expected, ask, header=header)
    names = _names(records.first, path, header=named)
    with _workshop(target) as folder, _connected() as connection:
        _check_target(target, connection, replace=replace)
        raw, typed = folder / "text.parquet", folder / "typed.parquet"
        _stage(records, raw, connection)
        if records.unreadable.count and not skip_unreadable:
            raise InvalidInput(
                f"{path}: {counted(records.unreadable.count, 'record')} cannot be read, on line "
                f"{records.unreadable}; nothing was written: mend them, or leave them out with "
                "--skip-unreadable"
            )
        [(line,)] = connection.execute(
            f"SELECT coalesce(min(line), 0) FROM {_file(raw)}"
        ).fetchall()
        rows = f"{_file(raw)} WHERE line > {line if named else 0}"

        def matching(*conditions: str) -> list[int]:
            counts = [f"count(*) FILTER (WHERE {one})" for one in ("true", *conditions)]
            [row] = connection.execute(f"SELECT {', '.join(counts)} FROM {rows}").fetchall()
            return [*map(int, row[1:])]

        def unfit(condition: str, kind: ColumnKind) -> Unfit | None:
            """Return the values that meet a condition, which do not fit a kind."""
            [count, long] = matching(condition, f"{condition} AND {_is_long(i, kind)}")
            if not count:
                return None
            query = f"SELECT line FROM {rows} AND ({condition}) ORDER BY line LIMIT {_FIRST + 1}"
            lines = tuple(int(line) for (line,) in connection.execute(query).fetchall())
            return Unfit(count, lines, kind, long)

        misfits: dict[str, Unfit | None] = {}
        nearly: dict[str, Unfit | None] = {}
        decided = _said_kinds(names, kinds or {})
        guessed = [i for i, name in enumerate(names) if name not in decided]
        tests = [(_is_present(i), *(_is_sign(i, kind) for kind in _SIGNS)) for i in guessed]
        counts = iter(matching(*chain.from_iterable(tests)))
        for i in guessed:
            present, *signs = islice(counts, 1 + len(_SIGNS))
            decided[names[i]], most = _guess(dict(zip(_SIGNS, signs, strict=True)), present)
            if most is not None:
                against = f"{_is_present(i)} AND ({_is_sign(i, most)}) IS NOT TRUE"
                nearly[names[i]] = unfit(against, most)
        for i, name in enumerate(names):
            if decided[name] != "text":
                missing = f"{_is_present(i)} AND ({_value(i, decided[name])}) IS NULL"
                misfits[name] = unfit(missing, decided[name])
        values = [f"{_value(i, decided[n])} AS {_identifier(n)}" for i, n in enumerate(names)]
        _copy(connection, f"SELECT {', '.join(values)} FROM {rows}", typed)
        typed.replace(target)
    told = ({n: one for n, one in some.items() if one is not None} for some in (misfits, nearly))
    count = records.count - named
    return Imported(target, count, decided, records.blank, records.unreadable, *told)


def _has_names(
    first: Sequence[str],
    path: Path,
    expected: Collection[str],
    ask: Ask | None,
    *,
    header: bool | None,
) -> bool:
    """Whether the first record has the names of the columns: said, known or asked."""
    if header is not None:
        return header
    first = [name.strip() for name in first]
    if expected:
        absent = sorted({*expected} - {*first})
        numbered = [f"column{i + 1}" for i in range(len(first))]
        if absent and not {*expected} <= {*numbered}:
            declared = f"column{'s'[: len(absent) > 1]} {', '.join(map(repr, absent))}"
            raise InvalidInput(
                f"{path}: the first line does not name the declared {declared}: is "
                "it the right file? --no-header says that the first line is a record; the "
                "columns are then called column1, column2 and so on"
            )
        return not absent
    if ask is not None:
        return ask(first)
    raise InvalidInput(
        f"{path}: it is unclear whether the first line names the columns: say "
        "--header if it does, or --no-header if it is a record like the others, since no "
        "record may get into the policy"
    )


def _said_kinds(names: Sequence[str], said: Mapping[str, str]) -> dict[str, ColumnKind]:
    for name, kind in said.items():
        if name not in names:
            raise UnknownName("column", name, names)
        if kind not in get_args(ColumnKind):
            raise UnknownName("kind", kind, get_args(ColumnKind))
    return {**said}  # type: ignore[dict-item]  # checked above


def _guess(signs: Mapping[ColumnKind, int], values: int) -> tuple[ColumnKind, ColumnKind | None]:
    """Return the kind that all values fit, or text and the kind that most of them fit."""
    most = max(_SIGNS, key=lambda kind: signs[kind])  # the first of several
    if not values or 2 * signs[most] <= values:
        return "text", None
    if signs[most] < values:
        return "text", most
    return most, None


def _names(first: Sequence[str], path: Path, *, header: bool) -> list[str]:
    if not header:
        return [f"column{i + 1}" for i in range(len(first))]
    names = [name.strip() for name in first]
    if "" in names:
        raise InvalidInput(
            f"{path}: column {names.index('') + 1} has no name in the first line: give it one, or "
            "say --no-header if the first line is a record"
        )
    lower = [name.lower() for name in names]
    for i, name in enumerate(lower):
        if name in lower[:i]:
            raise InvalidInput(
                f"{path}: columns {lower.index(name) + 1} and {i + 1} have the same name: rename "
                "one, or say --no-header if the first line is a record"
            )
    return names


# --- Parquet by DuckDB --------------------------------------------------------------------------


@contextmanager
def _workshop(target: Path) -> Iterator[Path]:
    """Open a hidden folder beside a place, for the owner only, which is gone afterwards."""
    start = f".{target.name[:64]}.import-"
    try:
        for other in target.parent.iterdir():
            if other.name.startswith(start):
                with suppress(OSError), _locked(other):  # what a kill left: nobody holds its lock
                    shutil.rmtree(other)
        folder = Path(tempfile.mkdtemp(dir=target.parent, prefix=start))
    except OSError as error:
        raise InvalidInput(
            f"{target} cannot be written beside the text file: {error.strerror}"
        ) from error
    try:
        with _locked(folder):
            yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(handle)


@contextmanager
def _connected() -> Iterator[duckdb.DuckDBPyConnection]:
    """Open DuckDB so that it installs nothing, and never puts rows into temporary files."""
    import duckdb

    from twoworlds.release.backends.duckdb import SETTINGS

    settings = {
        **SETTINGS,
        "temp_directory": "",
        "preserve_insertion_order": "false",  # what keeps it takes memory for the whole table
    }
    with duckdb.connect(":memory:", config=settings) as connection:
        yield connection


def _check_target(target: Path, connection: duckdb.DuckDBPyConnection, *, replace: bool) -> None:
    """Refuse to take the place of anything but an earlier import."""
    import duckdb

    if (replace and target.is_file()) or not os.path.lexists(target):
        return
    try:
        made = connection.execute(
            f"SELECT 1 FROM parquet_kv_metadata({_path(target)}) WHERE key = '{_MARK}'::BLOB"
        ).fetchone()
    except duckdb.Error:
        made = None
    if made is None:
        raise InvalidInput(
            f"{target} exists already, and no import made it: move it away, or add --replace"
        )


def _stage(records: FileRecords, raw: Path, connection: duckdb.DuckDBPyConnection) -> None:
    """Write all records as texts, behind their line numbers, through a pipe."""
    import duckdb

    reading, writing = os.pipe()
    width = len(records.first)
    columns = ", ".join(["'line': 'BIGINT'", *(f"'c{i}': 'VARCHAR'" for i in range(width))])
    reader = (
        f"read_csv('/dev/fd/{reading}', auto_detect = false, header = false, "
        f"delim = {_literal(records.delimiter)}, quote = '\"', escape = '\"', new_line = '\\n', "
        f"columns = {{{columns}}}, nullstr = '', allow_quoted_nulls = false, parallel = false, "
        f"max_line_size = {LONGEST + 100}, buffer_size = {4 * (LONGEST + 100)})"
    )

    def run() -> None:
        try:
            _copy(connection, f"SELECT * FROM {reader}", raw)
        finally:
            os.close(reading)  # who writes must not wait for a reader that is gone

    with ThreadPoolExecutor(1) as pool:
        try:
            with os.fdopen(writing, "wb") as pipe:
                copied = pool.submit(run)
                total = records.path.stat().st_size // BLOCK + 1
                with suppress(BrokenPipeError):
                    for block in track(records, "reading", total):
                        pipe.write(block)
        finally:
            with suppress(duckdb.Error):
                copied.result()
    try:
        copied.result()
        found = connection.execute(f"SELECT count(*) FROM {_file(raw)}").fetchone()
    except duckdb.Error as error:
        words = str(error).splitlines()[0][:200]
        raise InvalidInput(f"{records.path} cannot be imported: DuckDB says: {words}") from None
    if found != (records.count,):
        raise InvalidInput(
            f"{records.path} cannot be imported: it has {records.count:,} records, and DuckDB "
            "reads another number; please report this"
        )


def _copy(connection: duckdb.DuckDBPyConnection, select: str, path: Path) -> None:
    """Write a Parquet file that nobody but its owner may read."""
    os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    connection.execute(
        f"COPY ({select}) TO {_literal(str(path))} (FORMAT parquet, COMPRESSION zstd, "
        f"USE_TMP_FILE false, KV_METADATA {{{_MARK}: 'text'}})"
    )
    path.chmod(0o600)


def _value(place: int, kind: str) -> str:
    c = f"c{place}"
    return _VALUES[kind].format(c=c, t=_TRIMMED.format(c=c))


def _is_present(place: int) -> str:
    """Whether a value is there, for all kinds but text."""
    return f"{_TRIMMED.format(c=f'c{place}')} <> ''"


def _is_sign(place: int, kind: ColumnKind) -> str:
    return _SIGNS[kind].format(c=_TRIMMED.format(c=f"c{place}"))


def _is_long(place: int, kind: ColumnKind) -> str:
    """Whether a value that does not fit is a whole number, with too many digits."""
    whole = f"regexp_full_match({_TRIMMED.format(c=f'c{place}')}, '[+-]?[0-9]+')"
    return whole if kind == "integer" else "false"


def _file(path: Path) -> str:
    return f"read_parquet({_path(path)}, hive_partitioning = false)"


def _path(path: Path) -> str:
    return _literal(re.sub(r"([*?\[])", r"[\1]", str(path)))


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _identifier(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
