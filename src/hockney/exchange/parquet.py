"""Apache Parquet, a row a point, by pyarrow."""

from __future__ import annotations

import io

from hockney.errors import AskedWronglyError
from hockney.exchange._frames import Columns, point_columns
from hockney.records import Run


def write(run: Run) -> bytes:
    return content_of(point_columns(run))


def content_of(columns: Columns) -> bytes:
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError as error:
        raise AskedWronglyError(
            "Parquet is written by pyarrow, which is not installed",
            "pip install 'hockney[parquet]', or export to csv",
        ) from error
    out = io.BytesIO()
    parquet.write_table(pyarrow.table(columns), out)
    return out.getvalue()
