"""Apache Parquet, one row per point, by pyarrow."""

from __future__ import annotations

import io
from collections.abc import Iterable

from hockney.base.extras import extra
from hockney.infer.analysis import Analysis
from hockney.infer.analysis.columns import Columns, is_float, noted_columns


def write(analysis: Analysis) -> bytes:
    return content_of([noted_columns(analysis)])


def content_of(parts: Iterable[Columns]) -> bytes:
    """Parts of the same columns, each a row group."""
    with extra("parquet", otherwise=", or export to csv"):
        import pyarrow
        from pyarrow import parquet
    double = pyarrow.float64()
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
