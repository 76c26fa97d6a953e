"""Apache Parquet, one row per sample."""

from __future__ import annotations

from hockney.foreign.programs.parquet import content_of
from hockney.infer.analysis import Analysis
from hockney.infer.analysis.columns import sample_parts


def write(analysis: Analysis) -> bytes:
    return content_of(sample_parts(analysis))
