"""Apache Parquet, one row per sample."""

from __future__ import annotations

from hockney.analysis import Analysis
from hockney.analysis.columns import sample_parts
from hockney.programs.parquet import content_of


def write(analysis: Analysis) -> bytes:
    return content_of(sample_parts(analysis.run))
