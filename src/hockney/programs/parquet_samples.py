"""Apache Parquet, a row a sample."""

from __future__ import annotations

from hockney.exchange.columns import sample_columns
from hockney.programs.parquet import content_of
from hockney.records import Run


def write(run: Run) -> bytes:
    return content_of(sample_columns(run))
