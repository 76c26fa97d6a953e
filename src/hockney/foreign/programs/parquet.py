"""Apache Parquet, one row per point, by pyarrow."""

from __future__ import annotations

import io
from collections.abc import Iterable

from hockney.base.errors import UsageError
from hockney.base.lazy import lazy_imports
from hockney.infer.analysis import Analysis
from hockney.infer.analysis.columns import Columns, is_float, noted_columns

with lazy_imports():
    import pyarrow
    from pyarrow import parquet


def write(analysis: Analysis) -> bytes:
    return content_of([noted_columns(analysis)])


def content_of(parts: Iterable[Columns]) -> bytes:
    """Parts of the same columns, each a row group."""
    try:
        double = pyarrow.float64()
    except ImportError as error:
        raise UsageError(
            "Parquet needs pyarrow, which is not installed",
            "pip install 'hockney[parquet]', or export to csv",
        ) from error
    tables = [
        pyarrow.table(
            {
                name: pyarrow.array(values, double if is_float(name) else None)
                for name, values in columns.items()
            }
        )
        for columns in parts
    ]
    out = io.BytesIO()
    parquet.write_table(pyarrow.concat_tables(tables, promote_options="permissive"), out)
    return out.getvalue()
