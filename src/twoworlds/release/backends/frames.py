r"""Data frames of pandas, polars and pyarrow as Arrow tables that DuckDB can read to the last row.

What a value counts as depends on that value and on the kind that the policy declares, and on no
other value: one that does not fit its kind is missing. A column of Python objects becomes a column
of structures with a part for each kind, of which a query takes the one that is declared: texts,
whole numbers of 64 bits, floats and decimals, truths, dates. Text that is no Unicode is missing,
and so are times beyond the years 1 to 9999.

What cannot be mended here: pandas turns a column of whole numbers into floats as soon as one of
them is missing, and whole numbers beyond 2^53 are rounded then, of all rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, date, datetime
from decimal import Decimal
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

from twoworlds.errors import InvalidInput

if TYPE_CHECKING:
    import pyarrow as pa

_FRAMES = {
    ("pandas", "DataFrame"),
    ("polars", "DataFrame"),
    ("polars", "LazyFrame"),
    ("pyarrow", "Table"),
    ("pyarrow", "RecordBatch"),
}
OBJECTS = "STRUCT(text VARCHAR, integer BIGINT, number DOUBLE, boolean BOOLEAN, date DATE)"
_UNITS = {"s": 1, "ms": 1000, "us": 10**6, "ns": 10**9}
_FIRST = int(datetime(1, 1, 1, tzinfo=UTC).timestamp())
_LAST = int(datetime(9999, 12, 31, tzinfo=UTC).timestamp()) + 24 * 3600 - 1


def library_of(frame: object) -> str | None:
    """Return the library that a frame is of, by its class alone; None when it is no frame."""
    classes = [(c.__module__.partition(".")[0], c.__name__) for c in type(frame).__mro__]
    return next((library for library, name in classes if (library, name) in _FRAMES), None)


def from_lists(columns: Mapping[Any, Iterable[Any]]) -> pa.Table:
    """Return lists of values, by the names of their columns, as a table of Arrow.

    >>> from_lists({"age": [31, None], "name": ["Ada", 3]}).num_rows
    2
    """
    pa = _pyarrow()
    arrays = [_objects(values) for values in columns.values()]
    if len({len(one) for one in arrays}) > 1:
        raise InvalidInput("the lists of a table are of different lengths: give each row a value")
    return pa.Table.from_arrays(arrays, names=[str(name) for name in columns])


def _pyarrow() -> Any:
    try:
        import pyarrow as pa
    except ImportError:
        raise InvalidInput("data frames need pyarrow: pip install 'twoworlds[frames]'") from None
    return pa


def as_arrow(frame: Any) -> pa.Table:
    """Return a frame as a table of Arrow; a type that DuckDB lacks becomes one without values."""
    pa = _pyarrow()
    match library_of(frame):
        case "pandas":
            frame = frame.copy()  # it may be changed while it is read
            columns = [_from_pandas(frame.iloc[:, i]) for i in range(frame.shape[1])]
            names = [str(name) for name in frame.columns]
        case "polars":
            found = frame.collect() if hasattr(frame, "collect") else frame
            columns = [_from_polars(found[name]) for name in found.columns]
            names = list(found.columns)
        case _:
            columns, names = list(frame.columns), list(frame.schema.names)
    return pa.Table.from_arrays([_readable(column) for column in columns], names=names)


def _from_polars(series: Any) -> Any:
    import polars as pl

    return _objects(series.to_list()) if series.dtype == pl.Object else series.to_arrow()


def _from_pandas(series: Any) -> Any:
    """Return a column of pandas; one of a type that Arrow lacks has no values."""
    import pandas as pd
    import pyarrow as pa

    kind = series.dtype
    if isinstance(kind, pd.CategoricalDtype):
        kind = kind.categories.dtype
        if pd.api.types.is_object_dtype(kind) or isinstance(kind, pd.StringDtype):
            series = series.astype(object)
    if isinstance(kind, pd.SparseDtype):
        series = series.sparse.to_dense()
        kind = series.dtype
    if pd.api.types.is_object_dtype(kind) or isinstance(kind, pd.StringDtype):
        return _texts_or_objects(series)
    try:
        found = pa.array(series, from_pandas=True)
    except (pa.ArrowException, TypeError, ValueError):
        return pa.nulls(len(series))
    own = isinstance(found.type, pa.ExtensionType)  # such as periods, which are kept as numbers
    return pa.nulls(len(series)) if own else found


def _texts_or_objects(series: Any) -> pa.Array:
    """Return texts as such where there is nothing else, which is quicker and means the same."""
    import pandas as pd
    import pyarrow as pa

    if pd.api.types.infer_dtype(series, skipna=True) in ("string", "empty"):
        try:
            return pa.array(series, pa.large_string(), from_pandas=True)
        except (pa.ArrowException, TypeError, ValueError):
            pass
    return _objects(series)


def _objects(values: Iterable[Any]) -> pa.Array:
    """Return a structure for each object, with a part for each kind that it may be of."""
    import pyarrow as pa

    parts: dict[str, tuple[Callable[[Any], Any], pa.DataType]] = {
        "text": (_as_text, pa.large_string()),
        "integer": (_as_integer, pa.int64()),
        "number": (_as_number, pa.float64()),
        "boolean": (_as_boolean, pa.bool_()),
        "date": (_as_date, pa.date32()),
    }
    kept = list(values)
    arrays = [pa.array(map(read, kept), type_, size=len(kept)) for read, type_ in parts.values()]
    return pa.StructArray.from_arrays(arrays, names=[*parts])


def _as_text(value: Any) -> str | None:
    if not isinstance(value, str):
        return None
    try:
        str(value).encode()
    except UnicodeEncodeError:
        return None
    return str(value)


def _as_integer(value: Any) -> int | None:
    if not isinstance(value, Integral) or _as_boolean(value) is not None:
        return None
    return int(value) if -(2**63) <= int(value) < 2**63 else None


def _as_number(value: Any) -> float | None:
    if not isinstance(value, (Real, Decimal)) or _as_boolean(value) is not None:
        return None
    try:
        return float(value)
    except (OverflowError, ValueError):
        return None


def _as_boolean(value: Any) -> bool | None:
    return bool(value) if type(value).__name__ in ("bool", "bool_") else None


def _as_date(value: Any) -> date | None:
    if type(value).__name__ == "datetime64":
        value = value.astype("datetime64[us]").item()
    if not isinstance(value, date) or value != value:
        return None
    return date(value.year, value.month, value.day)


def _readable(column: Any) -> Any:
    """Return a column in which no value can stop DuckDB."""
    import pyarrow as pa

    kind = column.type
    if pa.types.is_dictionary(kind):
        column = column.cast(kind.value_type)
        kind = kind.value_type
    if pa.types.is_float16(kind):
        return column.cast(pa.float32())
    if pa.types.is_decimal256(kind):
        return pa.nulls(len(column))
    if pa.types.is_timestamp(kind):
        return _within_years(column)
    if pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind):
        return _unicode(column)
    return column


def _within_years(column: Any) -> Any:
    import pyarrow as pa
    import pyarrow.compute as pc

    per_second = _UNITS[column.type.unit]
    if column.type.unit == "ns":  # 64 bits of them are 292 years
        return column
    ticks = column.cast(pa.int64())
    inside = pc.and_(
        pc.greater_equal(ticks, _FIRST * per_second), pc.less(ticks, (_LAST + 1) * per_second)
    )
    return pc.if_else(inside, column, pa.scalar(None, column.type))


def _unicode(column: Any) -> Any:
    """Return texts, those missing that are no UTF-8, which Arrow does not look at."""
    import pyarrow as pa

    try:
        column.validate(full=True)
    except pa.ArrowInvalid:
        kind = pa.binary() if pa.types.is_string(column.type) else pa.large_binary()
        return pa.array(map(_decoded, column.cast(kind).to_pylist()), pa.large_string())
    return column


def _decoded(content: bytes | None) -> str | None:
    try:
        return None if content is None else content.decode()
    except UnicodeDecodeError:
        return None
