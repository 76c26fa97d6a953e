"""Comma-separated values, a row a sample."""

from __future__ import annotations

from hockney.exchange.columns import sample_columns
from hockney.programs.csv import text_of
from hockney.records import Run


def write(run: Run) -> bytes:
    return text_of(sample_columns(run))
