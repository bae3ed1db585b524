r"""Data frames of pandas, polars and pyarrow as Arrow tables that DuckDB can read to the last row.

The type of a column comes from the frame's own type and never from its values. A pandas column of
Python objects is text, whatever it holds: what is no text counts as its ``str``, and one that is
None, NaN, NaT or NA is missing. Text that is no Unicode (half of a surrogate pair, bytes that are
not UTF-8) is written as ``\udc80`` or ``\xff``. Times beyond the years 1 to 9999 are missing.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from twoworlds.errors import InvalidInput

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["as_arrow", "library_of"]

_FRAMES = {
    ("pandas", "DataFrame"),
    ("polars", "DataFrame"),
    ("polars", "LazyFrame"),
    ("pyarrow", "Table"),
    ("pyarrow", "RecordBatch"),
}

_UNITS = {"s": 1, "ms": 1000, "us": 10**6, "ns": 10**9}
_FIRST = int(datetime(1, 1, 1, tzinfo=UTC).timestamp())
_LAST = int(datetime(9999, 12, 31, tzinfo=UTC).timestamp()) + 24 * 3600 - 1


def library_of(frame: object) -> str | None:
    """Return the library that a frame is of, by its class alone; None when it is no frame."""
    classes = [(c.__module__.partition(".")[0], c.__name__) for c in type(frame).__mro__]
    return next((library for library, name in classes if (library, name) in _FRAMES), None)


def as_arrow(frame: Any) -> pa.Table:
    """Return a frame as a table of Arrow; a type that DuckDB lacks becomes one without values.

    Raises:
        InvalidInput: when pyarrow is not installed.
    """
    try:
        import pyarrow as pa
    except ImportError:
        raise InvalidInput("data frames need pyarrow: pip install 'twoworlds[frames]'") from None

    match library_of(frame):
        case "pandas":
            columns = [_from_pandas(frame.iloc[:, i]) for i in range(frame.shape[1])]
            names = [str(name) for name in frame.columns]
        case "polars":
            found = frame.collect() if hasattr(frame, "collect") else frame
            return as_arrow(_from_polars(found))
        case _:
            columns, names = list(frame.columns), list(frame.schema.names)
    return pa.Table.from_arrays([_readable(column) for column in columns], names=names)


def _from_polars(frame: Any) -> pa.Table:
    import polars as pl

    kept = [
        pl.lit(None).alias(name) if kind == pl.Object else pl.col(name)
        for name, kind in frame.schema.items()
    ]
    return frame.select(kept).to_arrow()


def _from_pandas(series: Any) -> Any:
    """Return a column of pandas; one of a type that Arrow lacks has no values."""
    import pandas as pd
    import pyarrow as pa

    kind = series.dtype
    if isinstance(kind, pd.CategoricalDtype):
        kind = kind.categories.dtype
        if pd.api.types.is_object_dtype(kind):
            series = series.astype(object)
    if isinstance(kind, pd.SparseDtype):
        series = series.sparse.to_dense()
        kind = series.dtype
    if pd.api.types.is_object_dtype(kind) or isinstance(kind, pd.StringDtype):
        return _texts(series)
    try:
        found = pa.array(series, from_pandas=True)
    except (pa.ArrowException, TypeError, ValueError):
        return pa.nulls(len(series))
    own = isinstance(found.type, pa.ExtensionType)  # such as periods, which are kept as numbers
    return pa.nulls(len(series)) if own else found


def _texts(series: Any) -> pa.Array:
    import pandas as pd
    import pyarrow as pa

    if pd.api.types.infer_dtype(series, skipna=True) == "string":
        try:
            return pa.array(series, pa.large_string(), from_pandas=True)
        except (pa.ArrowException, TypeError, ValueError):
            pass
    return pa.array(_texts_of(series, {id(None), id(pd.NA), id(pd.NaT)}), pa.large_string())


def _texts_of(values: Iterable[Any], missing: set[int]) -> list[str | None]:
    def text(value: Any) -> str | None:
        if id(value) in missing or (isinstance(value, float) and value != value):
            return None
        try:
            return str(value).encode("utf-8", "backslashreplace").decode()
        except Exception:  # of whatever the object does
            return None

    return [text(value) for value in values]


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
        pc.greater_equal(ticks, _FIRST * per_second),
        pc.less(ticks, (_LAST + 1) * per_second),
    )
    return pc.if_else(inside, column, pa.scalar(None, column.type))


def _unicode(column: Any) -> Any:
    import pyarrow as pa

    try:
        column.validate(full=True)
    except pa.ArrowInvalid:
        kind = pa.binary() if pa.types.is_string(column.type) else pa.large_binary()
        raw = column.cast(kind).to_pylist()
        texts = [None if b is None else b.decode("utf-8", "backslashreplace") for b in raw]
        return pa.array(texts, pa.large_string())
    return column
