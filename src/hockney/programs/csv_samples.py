"""Comma-separated values, one row per sample."""

from __future__ import annotations

from hockney.analysis import Analysis
from hockney.analysis.columns import sample_parts
from hockney.programs.csv import text_of


def write(analysis: Analysis) -> bytes:
    return text_of(sample_parts(analysis.run))
