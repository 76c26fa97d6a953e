"""Comma-separated values, one row per sample."""

from __future__ import annotations

from hockney.foreign.programs.csv import text_of
from hockney.infer.analysis import Analysis
from hockney.infer.analysis.columns import sample_parts


def write(analysis: Analysis) -> bytes:
    return text_of(sample_parts(analysis))
