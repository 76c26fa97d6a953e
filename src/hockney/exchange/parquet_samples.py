"""Apache Parquet, a row a sample."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hockney.analysis.columns import sample_columns
from hockney.exchange.parquet import content_of

if TYPE_CHECKING:
    from hockney.analysis import Analysis


def write(analysis: Analysis) -> bytes:
    return content_of(sample_columns(analysis.run))
